"""One loop from tasks to rows, over whatever computes: processes or a cluster."""

import contextlib
import functools
import logging
import os
import queue
import re
import signal
import threading
import time
from collections import Counter, deque
from collections.abc import Generator, Iterator
from concurrent.futures import BrokenExecutor
from typing import Any

from joblib.externals.loky import ProcessPoolExecutor

from isvmde.bench.fold import compute_row, failed_row
from isvmde.bench.plan import FoldTask

_TRIES = 3  # of a task whose worker dies; from the second on it runs alone
_GLANCE = 5.0  # seconds after which a waiting loop looks whether workers are left
_THREADS = ("OMP", "OPENBLAS", "MKL", "BLIS", "VECLIB", "NUMBA", "NUMEXPR")
_PATIENCE = 30  # seconds for a first worker
_LONG_PATIENCE = 600  # seconds for workers to come back
_GATHERING = 60  # seconds to fetch a row
_LOUD = ("distributed", "tornado", "asyncio")  # loggers
_ADDRESS = re.compile(r"((tcp|tls|ws|wss|ucx)://)?(\[[0-9a-fA-F:]+\]|[\w.-]+):\d{1,5}")


class WorkerDiedError(RuntimeError):
    """A worker died while the task was on it, whoever was to blame."""


def rows_from(
    workers: Any, tasks: list[FoldTask]
) -> Generator[dict[str, Any], None, None]:
    """Yield each task's row when it is done; workers (of either class) may die."""
    waiting, deaths = deque(tasks), Counter[FoldTask]()
    running: dict[Any, FoldTask] = {}
    done: queue.SimpleQueue[Any] = queue.SimpleQueue()

    def fits(task: FoldTask, room: int) -> bool:
        # Of several tasks on a dead worker one may have killed it: each runs alone now.
        if not running:
            return True
        if deaths[task] or any(deaths[other] for other in running.values()):
            return False
        return len(running) < room

    try:
        while waiting or running:
            room = workers.room()
            while waiting and fits(waiting[0], room):
                task = waiting.popleft()
                future = workers.submit(task)
                running[future] = task
                future.add_done_callback(done.put)
            try:
                future = done.get(timeout=_GLANCE)
            except queue.Empty:
                continue
            task = running.pop(future)
            try:
                row = workers.row(future)
            except WorkerDiedError as error:
                deaths[task] += 1
                row = failed_row(task, error) if deaths[task] == _TRIES else None
            except Exception as error:
                row = failed_row(task, error)
            if row is None:
                waiting.appendleft(task)
            else:
                yield row
    finally:
        workers.close()


class Processes:
    """Worker processes of this machine, each with one thread."""

    def __init__(self, n: int) -> None:
        self._n = n
        self._start = functools.partial(
            ProcessPoolExecutor,
            n,
            initializer=_mind,
            initargs=(os.getpid(),),
            env={f"{name}_NUM_THREADS": "1" for name in _THREADS},
        )
        self._pool = self._start()

    def room(self) -> int:
        """Return how many tasks to have under way."""
        return self._n

    def submit(self, task: FoldTask) -> Any:
        """Begin a task, in new processes where one of the old ones died."""
        try:
            return self._pool.submit(compute_row, task)
        except BrokenExecutor:
            self._pool = self._start()
            return self._pool.submit(compute_row, task)

    def row(self, future: Any) -> dict[str, Any] | None:
        """Return the row of a future that is done."""
        try:
            row: dict[str, Any] = future.result()
            return row
        except BrokenExecutor as error:
            raise WorkerDiedError(
                "its worker process died, probably because memory ran out"
            ) from error

    def close(self) -> None:
        """End the processes, whatever they are at."""
        self._pool.shutdown(wait=True, kill_workers=True)


def _mind(driver: int) -> None:
    """Let a worker process leave Ctrl-C to its driver, and end with it."""
    if threading.current_thread() is threading.main_thread():
        # Ctrl-C reaches the whole process group; the driver alone acts on it.
        signal.signal(signal.SIGINT, signal.SIG_IGN)
    if os.name == "nt":
        return

    def watch() -> None:
        while os.getppid() == driver:
            time.sleep(0.5)
        os._exit(1)

    threading.Thread(target=watch, daemon=True).start()


@contextlib.contextmanager
def connected(client: Any) -> Iterator[Any]:
    """Give a Dask client, made here when only the scheduler's address is known."""
    dask = _import_dask()
    if not isinstance(client, str):
        yield client
        return
    if not _ADDRESS.fullmatch(client):
        raise ValueError(
            f"{client[:80]!r} is not the address of a Dask scheduler: give one such as "
            "tcp://host:8786"
        )
    former_levels = silence_dask()
    try:
        try:
            made = dask.Client(client, timeout="10s", set_as_default=False)
        except (OSError, ValueError) as error:
            raise ConnectionError(
                f"no Dask scheduler answers at {client}: start one with `dask "
                "scheduler` and give its address, such as tcp://host:8786"
            ) from error
        try:
            yield made
        finally:
            # After a scheduler's death closing fails as well; the first error counts.
            with contextlib.suppress(Exception):
                made.close(timeout=5)
    finally:
        for name, level in former_levels.items():
            logging.getLogger(name).setLevel(level)


def silence_dask() -> dict[str, int]:
    """Keep tracebacks of lost connections off the terminal; return the levels before.

    A command that ends with its run need not restore them: threads in the background
    may still be closing connections while it ends.
    """
    _import_dask()  # makes its loggers
    known = [n for n in logging.root.manager.loggerDict if n.split(".")[0] in _LOUD]
    former_levels = {name: logging.getLogger(name).level for name in known}
    for name in former_levels:
        logging.getLogger(name).setLevel(logging.CRITICAL + 1)
    return former_levels


def _import_dask() -> Any:
    """Return the package, or say how to install it."""
    try:
        import distributed
    except ImportError as error:
        raise ImportError(
            "running on a cluster needs Dask: install isvmde[bench]"
        ) from error
    return distributed


class Cluster:
    """The workers of a Dask cluster; those that die may come back."""

    def __init__(self, client: Any) -> None:
        self._client = client
        self._deadline = time.monotonic() + _PATIENCE  # for a worker to be seen
        self._running: set[Any] = set()

    def room(self) -> int:
        """Return how many tasks keep every thread busy; wait long, not for ever."""
        try:
            n_threads = int(sum(self._client.nthreads().values()))
        except OSError as error:
            raise ConnectionError(
                "the Dask scheduler is gone; finished folds are kept, so start the "
                "same command again when it is back"
            ) from error
        if n_threads:
            self._deadline = time.monotonic() + _LONG_PATIENCE
        elif time.monotonic() > self._deadline:
            raise ConnectionError(
                "the Dask cluster has no workers; finished folds are kept, so start "
                "some with `dask worker ADDRESS` and then the same command again"
            )
        return 2 * max(1, n_threads)

    def submit(self, task: FoldTask) -> Any:
        """Begin a task with its data: a scattered copy would die with its worker."""
        future = self._client.submit(compute_row, task, pure=False, retries=3)
        self._running.add(future)
        return future

    def row(self, future: Any) -> dict[str, Any] | None:
        """Return the row of a future that is done, None if it was lost."""
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
            row: dict[str, Any] = future.result(timeout=_GATHERING)
            return row
        # The worker that held the row is dead too, or the scheduler is.
        except (OSError, CancelledError, KilledWorker):
            return None

    def close(self) -> None:
        """Keep the cluster from going on with what nobody waits for."""
        self._client.cancel(list(self._running), force=True)
