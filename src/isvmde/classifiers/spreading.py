"""Where the machines of a fit are solved: threads here, or the workers of a backend.

Inside ``joblib.parallel_config(backend="loky")`` or ``"dask"`` blocks of settings are
sent to the workers. What a block gives does not depend on who solves it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor, wait
from typing import Any

import numpy as np
from joblib import Parallel, delayed
from joblib.parallel import get_active_backend

from isvmde.core.leave_one_out.members import Runner
from isvmde.core.leave_one_out.settings import Setting
from isvmde.core.leave_one_out.solving import SolvedSettings, solve_settings
from isvmde.core.training_set import TrainingSet

_BLOCK = 4  # settings that a worker solves at a time
_ATTEMPTS = 3
_PATIENCE = 0.1  # seconds; a wait without end cannot be interrupted everywhere


def uses_workers() -> bool:
    """Tell whether the active joblib backend runs tasks in other processes."""
    backend, _ = get_active_backend(prefer="threads")
    return not getattr(backend, "supports_sharedmem", False)


def make_runner(
    n_jobs: int | None, n_threads: int, told: Callable[[int], None]
) -> Runner:
    """Return what runs tasks: the workers of the active backend, or threads.

    ``told`` hears how many SVMs were solved, as they are where threads solve them.
    """

    def run(
        function: Callable[..., Any], tasks: list[tuple[Any, ...]], n_each: int
    ) -> list[Any]:
        if not uses_workers():
            return _run_in_threads(
                function, tasks, n_threads, lambda done: told(done * n_each)
            )
        results = _run_on_workers(function, tasks, n_jobs)
        told(len(tasks) * n_each)
        return results

    return run


def solve_everywhere(
    data: TrainingSet,
    pairs: np.ndarray,
    settings: Sequence[Setting],
    *,
    tol: float,
    n_jobs: int | None,
    n_threads: int,
    told: Callable[[int], None],
) -> SolvedSettings:
    """Solve every pair at every setting, here or on the workers of the backend.

    ``told`` hears how many were solved.
    """
    if not uses_workers():
        return solve_settings(
            data, pairs, settings, tol=tol, n_threads=n_threads, told=told
        )
    _ = data.views  # computed once, here
    # settings of one view and base share a matrix: neighbours stay together
    order = sorted(
        range(len(settings)),
        key=lambda s: (settings[s].view, settings[s].for_solver.base, s),
    )
    blocks = [order[k : k + _BLOCK] for k in range(0, len(order), _BLOCK)]
    tasks = [(data, pairs, [settings[s] for s in own], tol) for own in blocks]
    solved = _run_on_workers(_solve_block, tasks, n_jobs)
    told(len(settings) * len(pairs))
    back = np.argsort(np.concatenate(blocks))
    return SolvedSettings(
        [np.concatenate([one.f[p] for one in solved])[back] for p in range(len(pairs))],
        [
            np.concatenate([one.beta[p] for one in solved])[back]
            for p in range(len(pairs))
        ],
        np.concatenate([one.intercept for one in solved])[back],
        np.concatenate([one.violation for one in solved])[back],
    )


def _solve_block(
    data: TrainingSet, pairs: np.ndarray, settings: list[Setting], tol: float
) -> SolvedSettings:
    """Solve a block of settings with one thread."""
    return solve_settings(data, pairs, settings, tol=tol, n_threads=1)


def _run_in_threads(
    function: Callable[..., Any],
    tasks: list[tuple[Any, ...]],
    n_threads: int,
    told: Callable[[int], None],
) -> list[Any]:
    """Run tasks in threads; Ctrl-C stops them all."""
    stop = np.zeros(1, np.int64)
    with ThreadPoolExecutor(n_threads) as pool:
        futures = []
        try:
            for task in tasks:
                futures.append(pool.submit(function, *task, stop=stop))
            known, left = 0, set(futures)
            while left:
                left = wait(left, _PATIENCE).not_done
                told(len(futures) - len(left) - known)
                known = len(futures) - len(left)
        except BaseException:
            stop[0] = 1
            for future in futures:
                future.cancel()
            raise
    return [future.result() for future in futures]


def _run_on_workers(
    function: Callable[..., Any], tasks: list[tuple[Any, ...]], n_jobs: int | None
) -> list[Any]:
    """Run tasks on the workers of the active backend.

    A worker that dies takes its tasks, and data that only it held, with it: then all
    are run again. An error of a task itself is raised at once.
    """
    for attempt in range(_ATTEMPTS):
        try:
            answers = Parallel(n_jobs=n_jobs)(
                delayed(_answer)(function, *task) for task in tasks
            )
            break
        except Exception:
            if attempt == _ATTEMPTS - 1:
                raise
    for _, error in answers:
        if error is not None:
            raise error
    return [result for result, _ in answers]


def _answer(function: Callable[..., Any], *task: Any) -> tuple[Any, Exception | None]:
    """Return what the function returns, or what it raises."""
    try:
        return function(*task), None
    except Exception as error:
        return None, error
