"""Run jobs on this machine: in this process, or in worker processes."""

from __future__ import annotations

import os
import signal
import threading
import time
from collections.abc import Generator, Iterable
from concurrent.futures import BrokenExecutor
from typing import Any

import joblib

from isvmde.bench.fold import Job, compute_row, failed_row


def count_workers(n_jobs: int | None) -> int:
    """Return the number of processes, counted as scikit-learn counts `n_jobs`."""
    if n_jobs == 0:
        raise ValueError("n_jobs must not be 0; use 1, or -1 for all cores")
    return 1 if n_jobs is None else joblib.effective_n_jobs(n_jobs)


def local_rows(
    jobs: list[Job], n_workers: int
) -> Generator[dict[str, Any], None, None]:
    """Yield the row of each job as it is done."""
    if n_workers == 1:
        yield from map(compute_row, jobs)
        return
    waiting = {job.task.key: job for job in jobs}
    while waiting:
        taken: list[Job] = []
        try:
            for row in _parallel(list(waiting.values()), n_workers, taken):
                del waiting[row["dataset"], row["method"], row["repeat"], row["fold"]]
                yield row
        except BrokenExecutor:
            # A worker died (out of memory, say). One of the jobs under way did it: each
            # runs alone now, and one that kills its worker again is a failed row.
            for job in taken:
                if waiting.pop(job.task.key, None) is not None:
                    yield _alone(job)


def _alone(job: Job) -> dict[str, Any]:
    """Return the row of a job that runs with no other one beside it."""
    try:
        (row,) = _parallel([job], 2, [])
        return row
    except BrokenExecutor:
        return failed_row(job, MemoryError("its worker process died, likely killed"))


def _parallel(
    jobs: list[Job], n: int, taken: list[Job]
) -> Generator[dict[str, Any], None, None]:
    """Yield rows from worker processes; `taken` tells which jobs were begun."""

    def calls() -> Iterable:
        for job in jobs:
            taken.append(job)
            yield joblib.delayed(_compute_in_worker)(job, os.getpid())

    parallel = joblib.Parallel(
        n,
        backend="loky",
        return_as="generator_unordered",
        pre_dispatch=n,
        batch_size=1,
        max_nbytes=None,
    )
    with joblib.parallel_config("loky", inner_max_num_threads=1):
        yield from parallel(calls())


def _compute_in_worker(job: Job, driver: int) -> dict[str, Any]:
    """Compute a row in a worker process that minds its driver."""
    if threading.current_thread() is threading.main_thread():
        # Ctrl-C reaches the whole process group; the driver alone acts on it.
        signal.signal(signal.SIGINT, signal.SIG_IGN)
    _end_with(driver)
    return compute_row(job)


_watching: set[int] = set()


def _end_with(driver: int) -> None:
    """End this process when its driver is gone: nobody would take its rows."""
    if driver in _watching or os.name == "nt":
        return
    _watching.add(driver)

    def watch() -> None:
        while os.getppid() == driver:
            time.sleep(0.5)
        os._exit(1)

    threading.Thread(target=watch, daemon=True).start()
