"""Jobs on a Dask cluster: the workers compute, this process keeps the rows."""

from __future__ import annotations

import contextlib
import logging
import re
import time
from collections.abc import Iterator
from typing import Any

from isvmde.bench.fingerprint import environment
from isvmde.bench.fold import Job, compute_row
from isvmde.bench.workers import JobLostError, WorkerDiedError

_ADDRESS = re.compile(r"((tcp|tls|ws|wss|ucx)://)?(\[[0-9a-fA-F:]+\]|[\w.-]+):\d{1,5}")
_PATIENCE = 30  # seconds for a first worker
_LONG_PATIENCE = 600  # seconds for workers to come back
_GATHERING = 60  # seconds to fetch a row


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


class Cluster:
    """The workers of a Dask cluster; those that die may come back.

    Data travel with each job: a scattered copy would die with its worker.
    """

    def __init__(self, client: Any) -> None:
        self._client = client
        self._last_seen = time.monotonic()
        self._running: set[Any] = set()
        self._check_workers()

    def _check_workers(self) -> None:
        """Refuse a cluster whose workers cannot run isvmde, before a fold is lost."""
        try:
            self._client.wait_for_workers(1, timeout=_PATIENCE)
        except TimeoutError as error:
            raise ConnectionError(
                f"the Dask cluster has no workers after {_PATIENCE} s: start some with "
                "`dask worker ADDRESS`"
            ) from error
        with _explained():
            # A worker that dies while it is asked does not answer.
            answers = self._client.run(_environment_or_error, on_error="ignore")
        for address, answer in answers.items():
            if "isvmde" not in answer:
                raise ConnectionError(
                    f"the Dask worker {address} cannot use isvmde ({answer['error']}): "
                    "install the same isvmde there"
                )

    def n_threads(self) -> int:
        """Return the threads of all workers; wait long, not for ever, for one."""
        with _explained():
            n_threads = sum(self._client.nthreads().values())
        now = time.monotonic()
        if n_threads:
            self._last_seen = now
        elif now - self._last_seen > _LONG_PATIENCE:
            raise ConnectionError(
                f"the Dask cluster has had no workers for {_LONG_PATIENCE // 60} "
                "minutes: finished folds are kept, start the same command again when "
                "there are some"
            )
        return max(1, n_threads)

    def room(self) -> int:
        """Return how many jobs keep every thread busy."""
        return 2 * self.n_threads()

    def submit(self, job: Job) -> Any:
        """Begin a job somewhere."""
        future = self._client.submit(compute_row, job, pure=False, retries=3)
        self._running.add(future)
        return future

    def row(self, future: Any) -> dict[str, Any]:
        """Return the row of a finished job."""
        from distributed import CancelledError, KilledWorker

        self._running.discard(future)
        if future.status == "error":
            error = future.exception()
            if not isinstance(error, KilledWorker):
                raise error
            raise WorkerDiedError(
                f"{error.allowed_failures + 1} Dask workers in a row died of it"
            ) from error
        try:
            return future.result(timeout=_GATHERING)
        # The worker that held the row is dead too, or the scheduler is.
        except (OSError, CancelledError, KilledWorker) as error:
            raise JobLostError from error

    def close(self) -> None:
        """Keep the cluster from going on with what nobody waits for."""
        self._client.cancel(list(self._running), force=True)


def _environment_or_error() -> dict[str, str]:
    """Return a worker's environment, or why it has none."""
    try:
        return environment()
    except Exception as error:
        return {"error": str(error)}


@contextlib.contextmanager
def _explained() -> Iterator[None]:
    """Say in one sentence that the scheduler is gone."""
    try:
        yield
    except OSError as error:
        raise ConnectionError(
            "the Dask scheduler is gone: finished folds are kept, start the same "
            "command again when it is back"
        ) from error
