"""Every pair solved at every setting, with leave-one-out decisions."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from ..kernels import base_matrix
from ..limits import check_products, check_values
from ..solver import BatchSolver, Tasks, step_limit
from ..training_set import TrainingSet
from .settings import Setting


@dataclass(frozen=True)
class SolvedSettings:
    """Solutions of all pairs at all settings.

    ``f[p]`` and ``beta[p]`` are (settings, rows of pair p): leave-one-out decisions
    and multipliers y_i a_i, the rows of the smaller class first. ``intercept`` and
    ``violation`` are (settings, pairs).
    """

    f: list[np.ndarray]
    beta: list[np.ndarray]
    intercept: np.ndarray
    violation: np.ndarray


def solve_settings(
    data: TrainingSet,
    pairs: np.ndarray,
    settings: Sequence[Setting],
    *,
    tol: float,
    n_threads: int,
    told: Callable[[int], None] | None = None,
    stop: np.ndarray | None = None,
) -> SolvedSettings:
    """Solve every pair at every setting; ``told`` hears how many were solved.

    Settings whose kernels are functions of the same numbers are solved together, so
    that one (n, n) matrix is in memory at a time.
    """
    start = data.class_start
    spans = np.column_stack(
        [
            start[pairs[:, 0]],
            start[pairs[:, 0] + 1],
            start[pairs[:, 1]],
            start[pairs[:, 1] + 1],
        ]
    )
    sizes = spans[:, 1] - spans[:, 0] + spans[:, 3] - spans[:, 2]
    shape = len(settings), len(pairs)
    solved = SolvedSettings(
        [np.empty((shape[0], n)) for n in sizes],
        [np.empty((shape[0], n)) for n in sizes],
        np.empty(shape),
        np.empty(shape),
    )
    groups: dict[tuple[str, int], list[int]] = {}
    for s, setting in enumerate(settings):
        groups.setdefault((setting.view, setting.for_solver.base), []).append(s)
    for (view, base), members in groups.items():
        seen = data.views.see(data.X, view, base)
        check_values(seen)
        bases = base_matrix(base, seen)
        _check_group(bases, [settings[s] for s in members], data.weight.max())
        with BatchSolver(
            bases[None],
            data.weight,
            tol=tol,
            max_steps=step_limit(-1, int(sizes.max())),
            left_out=True,
            n_threads=n_threads,
            stop=stop,
        ) as solver:
            _solve_group(solver, spans, settings, members, solved)
        if told is not None:
            told(len(members) * len(pairs))
    return solved


def _check_group(bases: np.ndarray, settings: list[Setting], weight: float) -> None:
    """Refuse settings whose numbers leave the range of the solver."""
    largest = float(np.abs(np.diagonal(bases)).max())
    for setting in settings:
        kernel = setting.for_solver
        cost = weight * max(setting.C_pos, setting.C_neg)
        check_products(
            largest, kernel.function, kernel.parameter, float(cost), len(bases)
        )


def _solve_group(
    solver: BatchSolver,
    spans: np.ndarray,
    settings: Sequence[Setting],
    members: list[int],
    solved: SolvedSettings,
) -> None:
    """Solve all pairs at the settings ``members`` and store the results."""
    row = np.repeat(members, len(spans))
    column = np.tile(np.arange(len(spans)), len(members))
    kernels = [settings[s].for_solver for s in row]
    start_pos, end_pos, start_neg, end_neg = spans[column].T
    result = solver.solve(
        Tasks(
            start_pos,
            end_pos,
            start_neg,
            end_neg,
            np.zeros(len(row)),
            np.array([kernel.function for kernel in kernels]),
            np.array([kernel.parameter for kernel in kernels]),
            np.array([settings[s].C_pos for s in row]),
            np.array([settings[s].C_neg for s in row]),
        ),
        with_beta=True,
    )
    solved.intercept[row, column] = result.intercept
    solved.violation[row, column] = result.violation
    for q, (s, p) in enumerate(zip(row, column, strict=True)):
        own = slice(result.offset[q], result.offset[q + 1])
        solved.f[p][s] = result.f[own]
        solved.beta[p][s] = result.beta[own]
