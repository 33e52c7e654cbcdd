"""Where the machines of a fit are solved: threads here, or the workers of a backend.

Inside ``joblib.parallel_config(backend="loky")`` or ``"dask"`` blocks of settings are
sent to the workers. What a block gives does not depend on who solves it.
"""

from collections.abc import Callable, Sequence
from functools import partial
from typing import NamedTuple

import numpy as np
from joblib import Parallel, delayed
from joblib.parallel import get_active_backend

from isvmde.core.averaging.solving import Assignment, Solutions, solve_settings
from isvmde.core.parallel import Threads
from isvmde.jobs import usable_jobs

_SETTINGS_PER_TASK = 4  # that a worker solves at a time
_ATTEMPTS = 3  # to solve tasks whose workers die


def n_threads(n_jobs: int | None) -> int:
    """Return the number of threads that n_jobs stands for."""
    return usable_jobs(n_jobs)


class Solver(NamedTuple):
    """Solves assignments in threads, or on the workers of joblib's active backend."""

    n_jobs: int | None
    on_solved: Callable[[int], None]  # hears how many SVMs were solved

    def solve(self, assignments: Sequence[Assignment]) -> list[Solutions]:
        """Solve pairs at settings, assignment by assignment."""
        if not _has_workers():
            if len(assignments) == 1:  # its tasks are shared among threads
                threads = n_threads(self.n_jobs)
                return [solve_settings(assignments[0], threads, self.on_solved)]
            return self._solve_in_threads(assignments)
        if len(assignments) == 1:
            return [self._solve_in_blocks(assignments[0])]
        return self._solve_on_workers(assignments)

    def _solve_in_threads(self, assignments: Sequence[Assignment]) -> list[Solutions]:
        """Solve every assignment in a thread of its own."""
        n_svms = [_n_svms(assignment) for assignment in assignments]
        # not joblib's threads, which Python does not wait for when it exits
        with Threads(n_threads(self.n_jobs)) as threads:
            return threads.map(
                partial(solve_settings, stop=threads.stop),
                assignments,
                on_result=lambda k: self.on_solved(n_svms[k]),
            )

    def _solve_in_blocks(self, assignment: Assignment) -> Solutions:
        """Solve an assignment on workers, a few settings each."""
        # settings that see the same share a matrix: neighbours stay together
        sights = [setting.sight for setting in assignment.settings]
        order = sorted(range(len(sights)), key=sights.__getitem__)
        chosen = [assignment.settings[s] for s in order]
        blocks = [
            assignment._replace(settings=chosen[k : k + _SETTINGS_PER_TASK])
            for k in range(0, len(order), _SETTINGS_PER_TASK)
        ]
        solved, back = self._solve_on_workers(blocks), np.argsort(order)
        return Solutions(
            left_out=np.concatenate([own.left_out for own in solved])[back],
            beta=np.concatenate([own.beta for own in solved])[back],
            intercept=np.concatenate([own.intercept for own in solved])[back],
            violation=np.concatenate([own.violation for own in solved])[back],
        )

    def _solve_on_workers(self, assignments: Sequence[Assignment]) -> list[Solutions]:
        """Solve every assignment on a worker."""
        # A worker that dies takes its tasks, and data that only it held, with it: then
        # all are run again. A ValueError, of a task that cannot be solved, is raised.
        attempts_left = _ATTEMPTS
        while True:
            try:
                calls = (delayed(solve_settings)(own) for own in assignments)
                solved = list(Parallel(n_jobs=self.n_jobs)(calls))
            except Exception as error:
                attempts_left -= 1
                if isinstance(error, ValueError) or not attempts_left:
                    raise
            else:
                self.on_solved(sum(map(_n_svms, assignments)))
                return solved


def _n_svms(assignment: Assignment) -> int:
    """Return how many SVMs are to be solved."""
    return len(assignment.pairs) * len(assignment.settings)


def _has_workers() -> bool:
    """Tell whether joblib's active backend is one of processes, not of threads."""
    backend, _ = get_active_backend(prefer="threads")
    return not getattr(backend, "supports_sharedmem", False)
