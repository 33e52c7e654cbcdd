"""Run jobs on a Dask cluster: the workers compute, this process keeps the rows."""

from __future__ import annotations

import contextlib
import logging
import re
from collections import Counter, deque
from collections.abc import Generator, Iterator
from typing import Any

from isvmde.bench.environment import environment
from isvmde.bench.fold import Job, compute_row, failed_row

_ADDRESS = re.compile(r"((tcp|tls|ws|wss|ucx)://)?(\[[0-9a-fA-F:]+\]|[\w.-]+):\d{1,5}")
_ATTEMPTS = 3
_PATIENCE = 30


@contextlib.contextmanager
def connected(client: Any) -> Iterator[Any]:
    """Give a Dask client, made here when only the scheduler's address is known."""
    try:
        from distributed import Client
    except ImportError as error:
        raise ImportError(
            "running on a cluster needs Dask: install isvmde[bench]"
        ) from error
    if not isinstance(client, str):
        yield client
        return
    if not _ADDRESS.fullmatch(client):
        raise ValueError(
            f"{client[:80]!r} is no address of a Dask scheduler: give one such as "
            "tcp://host:8786"
        )
    with _quiet():
        try:
            made = Client(client, timeout="10s", set_as_default=False)
        except (OSError, ValueError) as error:
            raise ConnectionError(
                f"no Dask scheduler answers at {client}: start one with `dask "
                "scheduler` and give its address, such as tcp://host:8786"
            ) from error
        try:
            yield made
        finally:
            # after a scheduler's death closing takes its own errors to the terminal
            with contextlib.suppress(Exception):
                made.close(timeout=5)


@contextlib.contextmanager
def _quiet() -> Iterator[None]:
    """Keep other libraries' tracebacks of lost connections from the terminal.

    After an error they stay quiet: threads in the background may still be closing.
    """
    loggers = [
        logging.getLogger(name)
        for name in list(logging.root.manager.loggerDict)
        if name.split(".")[0] in ("distributed", "tornado", "asyncio")
    ]
    before = [logger.level for logger in loggers]
    for logger in loggers:
        logger.setLevel(logging.CRITICAL + 1)
    yield
    for logger, level in zip(loggers, before, strict=True):
        logger.setLevel(level)


def check_workers(client: Any) -> None:
    """Refuse a cluster without workers that can run isvmde, before any fold is lost."""
    try:
        client.wait_for_workers(1, timeout=_PATIENCE)
    except TimeoutError as error:
        raise ConnectionError(
            f"the Dask cluster has no workers after {_PATIENCE} s: start some with "
            "`dask worker ADDRESS`"
        ) from error
    for address, answer in client.run(_environment_or_error).items():
        if "isvmde" not in answer:
            raise ConnectionError(
                f"the Dask worker {address} cannot use isvmde ({answer['error']}): "
                "install the same isvmde there"
            )


def _environment_or_error() -> dict[str, str]:
    """Return a worker's environment, or why it has none."""
    try:
        return environment()
    except Exception as error:
        return {"error": str(error)}


def dask_rows(jobs: list[Job], client: Any) -> Generator[dict[str, Any], None, None]:
    """Yield the row of each job as it is done; a lost worker's jobs run elsewhere."""
    try:
        yield from _submit_all(jobs, client)
    except OSError as error:
        raise ConnectionError(
            "the Dask scheduler is gone: finished folds are kept, start the same "
            "command again when it is back"
        ) from error


def _submit_all(jobs: list[Job], client: Any) -> Generator[dict[str, Any], None, None]:
    """Keep the cluster busy and yield rows in the order they are done."""
    from distributed import as_completed

    waiting = deque(jobs)
    running: dict[Any, Job] = {}
    lost: Counter = Counter()
    completed = as_completed(loop=client.loop)

    def top_up() -> None:
        # Data travel with each job (a scattered copy would die with its worker), so
        # only as many jobs are under way as keep every thread busy.
        room = 2 * max(1, sum(client.nthreads().values()))
        while waiting and len(running) < room:
            job = waiting.popleft()
            future = client.submit(compute_row, job, pure=False, retries=_ATTEMPTS)
            running[future] = job
            completed.add(future)

    try:
        top_up()
        while running:
            future = next(completed)
            job = running.pop(future)
            if future.status == "finished":
                yield future.result()
            elif future.status == "error":
                yield failed_row(job, future.exception())
            elif lost[job.task.key] < _ATTEMPTS:
                lost[job.task.key] += 1
                waiting.append(job)
            else:
                yield failed_row(job, RuntimeError("the cluster lost this task"))
            top_up()
    finally:
        # On Ctrl-C the cluster must not go on with what nobody waits for.
        client.cancel(list(running), force=True)
