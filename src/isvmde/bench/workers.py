"""One loop from jobs to rows, over whatever computes: processes here or a cluster."""

from __future__ import annotations

import os
import queue
import signal
import threading
import time
from collections import Counter, deque
from collections.abc import Generator
from concurrent.futures import BrokenExecutor
from typing import Any, Protocol

import joblib
from joblib.externals.loky import ProcessPoolExecutor

from isvmde.bench.fold import Job, compute_row, failed_row

_TRIES = 3  # of a job whose worker dies; from the second on it runs alone
_GLANCE = 5.0  # seconds after which a waiting loop looks whether workers are left
_THREADS = ("OMP", "OPENBLAS", "MKL", "BLIS", "VECLIB", "NUMBA", "NUMEXPR")


class WorkerDiedError(RuntimeError):
    """A worker died while the job was on it, whoever was to blame."""


class JobLostError(RuntimeError):
    """The job's row cannot be had, through no fault of the job."""


class Workers(Protocol):
    """What computes rows: processes here, or a cluster."""

    def room(self) -> int:
        """Return how many jobs to have under way; raise when nobody is left to work."""

    def submit(self, job: Job) -> Any:
        """Begin a job and return its future, which has ``add_done_callback``."""

    def row(self, future: Any) -> dict[str, Any]:
        """Return the row of a future that is done, or raise one of the errors above."""

    def close(self) -> None:
        """Drop what is under way."""


def rows_from(
    workers: Workers, jobs: list[Job]
) -> Generator[dict[str, Any], None, None]:
    """Yield the row of each job as it is done, whichever workers die on the way."""
    waiting, deaths = deque(jobs), Counter[tuple]()
    running: dict[Any, Job] = {}
    done: queue.SimpleQueue[Any] = queue.SimpleQueue()

    def fits(job: Job, room: int) -> bool:
        # Of several jobs on a dead worker one may have killed it: each runs alone now.
        suspects = (deaths[other.task.key] for other in (job, *running.values()))
        return not running or (len(running) < room and not any(suspects))

    try:
        while waiting or running:
            room = workers.room()
            while waiting and fits(waiting[0], room):
                job = waiting.popleft()
                future = workers.submit(job)
                running[future] = job
                future.add_done_callback(done.put)
            try:
                future = done.get(timeout=_GLANCE)
            except queue.Empty:
                continue
            job = running.pop(future)
            try:
                yield workers.row(future)
            except JobLostError:
                waiting.appendleft(job)
            except WorkerDiedError as error:
                deaths[job.task.key] += 1
                if deaths[job.task.key] < _TRIES:
                    waiting.appendleft(job)
                else:
                    yield failed_row(job, error)
            except Exception as error:
                yield failed_row(job, error)
    finally:
        workers.close()


def count_workers(n_jobs: int | None) -> int:
    """Return the number of processes, counted as scikit-learn counts `n_jobs`."""
    if n_jobs == 0:
        raise ValueError("n_jobs must not be 0; use 1, or -1 for all cores")
    return 1 if n_jobs is None else joblib.effective_n_jobs(n_jobs)


class Processes:
    """Worker processes of this machine, each with one thread."""

    def __init__(self, n: int) -> None:
        self._n = n
        self._pool = self._start()

    def _start(self) -> ProcessPoolExecutor:
        """Start the processes; none outlives this one."""
        return ProcessPoolExecutor(
            self._n,
            initializer=_mind,
            initargs=(os.getpid(),),
            env={f"{name}_NUM_THREADS": "1" for name in _THREADS},
        )

    def room(self) -> int:
        """Return the number of processes."""
        return self._n

    def submit(self, job: Job) -> Any:
        """Begin a job, in new processes where one of the old ones died."""
        try:
            return self._pool.submit(compute_row, job)
        except BrokenExecutor:
            self._pool = self._start()
            return self._pool.submit(compute_row, job)

    def row(self, future: Any) -> dict[str, Any]:
        """Return the row of a finished job."""
        try:
            return future.result()
        except BrokenExecutor as error:
            raise WorkerDiedError(
                "its worker process died, likely killed for its memory"
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
