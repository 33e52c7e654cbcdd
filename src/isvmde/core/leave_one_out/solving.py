"""Every pair solved at every setting, with leave-one-out decisions."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Any

import numpy as np

from ..kernels import base_matrix
from ..limits import check_products, check_values
from ..solver import BatchSolver, Tasks
from ..training_set import TrainingSet
from .settings import Setting

_MEMORY = 256 * 2**20  # bytes of matrices that are kept at a time


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


def most_steps(n: int) -> int:
    """Return the bound on steps: twice what the hardest settings were seen to need.

    No machine takes more than its share of a fit; what is cut short gets no weight.
    """
    return 10_000 + 25 * n


def solve_settings(
    data: TrainingSet,
    pairs: np.ndarray,
    settings: Sequence[Setting],
    *,
    tol: float,
    n_threads: int,
    told: Callable[[int], None] | None = None,
    stop: np.ndarray | None = None,
    largest_face: int = 1_000,
) -> SolvedSettings:
    """Solve every pair at every setting; ``told`` hears how many were solved.

    Settings whose kernels are functions of the same numbers are solved together, so
    that few (n, n) matrices are in memory at a time. Leave-one-out is exact for faces
    of up to ``largest_face`` free samples. With 400 the estimate beyond it was so
    pessimistic on 1,000 rows that the best kernels were passed over.
    """
    spans = data.spans(pairs)
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
    # as many matrices at a time as fit: threads then seldom wait for each other
    at_once = max(1, _MEMORY // (8 * len(data.X) ** 2))
    bases = np.empty((min(at_once, len(groups)), len(data.X), len(data.X)))
    with BatchSolver(
        bases,
        data.weight,
        tol=tol,
        max_steps=most_steps(int(sizes.max())),
        left_out=True,
        largest_face=largest_face,
        n_threads=n_threads,
        stop=stop,
    ) as solver:
        for some in batched(groups.items(), at_once):
            seen = data.views.see_all(data.X, [key for key, _ in some])
            members = []
            for k, (X, ((_, base), own)) in enumerate(zip(seen, some, strict=True)):
                check_values(X)
                base_matrix(base, X, out=bases[k])
                _check(bases[k], [settings[s] for s in own], data.weight)
                members += [(k, s) for s in own]
            _solve_members(solver, spans, sizes, settings, members, solved)
            if told is not None:
                told(len(members) * len(pairs))
    return solved


def _check(bases: np.ndarray, settings: list[Setting], weight: np.ndarray) -> None:
    """Refuse products of kernel values and costs that are too large."""
    largest = float(np.abs(np.diagonal(bases)).max())
    for setting in settings:
        kernel = setting.for_solver
        cost = float(weight.max() * max(setting.C_pos, setting.C_neg))
        check_products(largest, kernel.function, kernel.parameter, cost, len(bases))


def batched(items: Iterable[Any], size: int) -> Iterator[list[Any]]:
    """Yield lists of at most ``size`` items (`itertools.batched` of Python 3.12)."""
    left = iter(items)
    while batch := list(islice(left, size)):
        yield batch


def _solve_members(
    solver: BatchSolver,
    spans: np.ndarray,
    sizes: np.ndarray,
    settings: Sequence[Setting],
    members: list[tuple[int, int]],
    solved: SolvedSettings,
) -> None:
    """Solve all pairs at some settings, (base, setting), and store the results."""
    rows = [s for _, s in members]
    kernels = [settings[s].for_solver for s in rows]
    columns = (
        [base for base, _ in members],
        [kernel.function for kernel in kernels],
        [kernel.parameter for kernel in kernels],
        [settings[s].C_pos for s in rows],
        [settings[s].C_neg for s in rows],
    )
    n_pairs = len(spans)
    table = (
        *np.tile(spans, (len(rows), 1)).T,
        *(np.repeat(column, n_pairs) for column in columns),
    )
    result = solver.solve(Tasks(*table), with_beta=True)
    solved.intercept[rows] = result.intercept.reshape(-1, n_pairs)
    solved.violation[rows] = result.violation.reshape(-1, n_pairs)
    ends = np.cumsum(sizes)
    f = result.f.reshape(len(rows), -1)
    beta = result.beta.reshape(len(rows), -1)
    for p, (end, size) in enumerate(zip(ends, sizes, strict=True)):
        solved.f[p][rows] = f[:, end - size : end]
        solved.beta[p][rows] = beta[:, end - size : end]
