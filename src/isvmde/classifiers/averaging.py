"""From a training set to averaged machines: whole or in samples, with progress."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from isvmde.core.leave_one_out.average import Average, make_average
from isvmde.core.leave_one_out.members import Sampling
from isvmde.core.leave_one_out.sampling import average_of_samples
from isvmde.core.leave_one_out.settings import Setting
from isvmde.core.leave_one_out.solving import SolvedSettings
from isvmde.core.leave_one_out.tuning import Tuning
from isvmde.core.leave_one_out.weighing import silence
from isvmde.core.training_set import TrainingSet

from .averaged_parameters import n_threads
from .progress_line import ProgressLine
from .spreading import make_runner, solve_everywhere


def average_machines(
    data: TrainingSet,
    pairs: np.ndarray,
    settings: list[Setting],
    tuning: Tuning,
    sampling: Sampling,
    *,
    seed: int,
    tol: float,
    n_jobs: int | None,
    verbose: int,
) -> tuple[Average, np.ndarray]:
    """Solve all pairs at all settings and average them; also return violations.

    Tables that are too large for that are sampled, as ``sampling`` says.
    """
    threads, n_solved = n_threads(n_jobs), len(settings)
    is_large = sampling.applies_to(data, pairs)
    if is_large:
        n_solved = sampling.n_solved(data, n_solved)
    with ProgressLine(n_solved * len(pairs), shown=bool(verbose)) as line:
        line.add_svms(0)

        def solve(rows: TrainingSet) -> SolvedSettings:
            found = solve_everywhere(
                rows,
                pairs,
                settings,
                tol=tol,
                n_jobs=n_jobs,
                n_threads=threads,
                told=line.add_svms,
            )
            return replace(found, f=silence(found.f, found.violation, tol))

        if is_large:
            return average_of_samples(
                data,
                pairs,
                settings,
                tuning,
                sampling,
                seed=seed,
                tol=tol,
                n_threads=threads,
                solve=solve,
                run=make_runner(n_jobs, threads, line.add_svms),
            )
        solved = solve(data)
    average = make_average(data, pairs, settings, solved, tuning, threads)
    return average, solved.violation
