"""Where the machines of a fit are solved: threads here, or the workers of a backend.

Inside ``joblib.parallel_config(backend="loky")`` or ``"dask"`` blocks of settings are
sent to the workers. What a block gives does not depend on who solves it.
"""

from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import Any

import numpy as np
from joblib import Parallel, delayed, effective_n_jobs
from joblib.parallel import get_active_backend

from isvmde.core.background import run_in_background
from isvmde.core.leave_one_out.average import Average, make_average
from isvmde.core.leave_one_out.sampling import SampledTable, average_of_samples
from isvmde.core.leave_one_out.settings import Solved, Task, Told, solve_settings

from .progress_line import ProgressLine

_BLOCK = 4  # settings that a worker solves at a time
_ATTEMPTS = 3  # to solve tasks whose workers die


def n_threads(n_jobs: int | None) -> int:
    """Return the number of threads that n_jobs stands for."""
    return 1 if n_jobs is None else int(effective_n_jobs(n_jobs))


def average_machines(model: Any, task: Task, seed: int) -> Average:
    """Solve and average what an `ISVMClassifierCV` asks for; sample large tables."""
    sampling, n_jobs, threads = model._sampling, model.n_jobs, n_threads(model.n_jobs)
    n_solved = len(task.settings)
    if is_large := sampling.applies_to(task.data, task.pairs):
        n_solved = sampling.n_solved(task.data, n_solved)
    with ProgressLine(n_solved * len(task.pairs), shown=bool(model.verbose)) as line:
        line.add_svms(0)
        if is_large:
            run = partial(run_tasks, n_jobs=n_jobs, told=line.add_svms)
            table = SampledTable(task, sampling, seed, threads, run)
            task = table.first
        solved = solve_everywhere(task, n_jobs, line.add_svms)
        if is_large:
            return average_of_samples(table, solved, model._tuning)
        return make_average(task, solved, model._tuning, threads)


def _has_workers() -> bool:
    """Tell whether joblib's active backend is one of processes, not of threads."""
    backend, _ = get_active_backend(prefer="threads")
    return not getattr(backend, "supports_sharedmem", False)


def solve_everywhere(task: Task, n_jobs: int | None, told: Told) -> Solved:
    """Solve every pair at every setting, here or on the workers of the backend."""
    if not _has_workers():
        return solve_settings(task, n_threads=n_threads(n_jobs), told=told)
    _ = task.data.views  # computed once, here
    # settings of one view and base share a matrix: neighbours stay together
    keys = [(setting.view, setting.for_solver.base) for setting in task.settings]
    order = sorted(range(len(keys)), key=keys.__getitem__)
    chosen = [task.settings[s] for s in order]
    blocks = [chosen[k : k + _BLOCK] for k in range(0, len(order), _BLOCK)]
    solved = run_tasks([task._replace(settings=own) for own in blocks], n_jobs, told)
    parts, back = zip(*solved, strict=True), np.argsort(order)
    return Solved(*(np.concatenate(part)[back] for part in parts))


def run_tasks(tasks: list[Task], n_jobs: int | None, told: Told) -> list[Solved]:
    """Solve tasks in threads, or on the workers of the active backend."""
    n_svms = [len(task.pairs) * len(task.settings) for task in tasks]

    def in_threads(stop: np.ndarray) -> list[Solved]:
        solved = []
        with ThreadPoolExecutor(n_threads(n_jobs)) as pool:
            try:
                solve = partial(solve_settings, stop=stop)
                for one, n in zip(pool.map(solve, tasks), n_svms, strict=True):
                    solved.append(one)
                    told(n)
            except BaseException:
                stop[0] = 1  # the threads of the others end
                raise
        return solved

    if not _has_workers():
        # not joblib's threads, which Python does not wait for when it exits
        return run_in_background(in_threads)
    solved = _on_workers(tasks, n_jobs)
    told(sum(n_svms))
    return solved


def _on_workers(tasks: list[Task], n_jobs: int | None) -> list[Solved]:
    """Solve tasks on workers."""
    # A worker that dies takes its tasks, and data that only it held, with it: then all
    # are run again. A ValueError, of a task that cannot be solved, is raised at once.
    attempts_left = _ATTEMPTS
    while True:
        try:
            calls = (delayed(solve_settings)(task) for task in tasks)
            return list(Parallel(n_jobs=n_jobs)(calls))
        except Exception as error:
            attempts_left -= 1
            if isinstance(error, ValueError) or not attempts_left:
                raise
