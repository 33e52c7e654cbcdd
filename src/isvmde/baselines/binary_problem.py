"""One binary problem of a baseline: its rows, its Gram matrix, its solution.

Every baseline is problem (D) of `isvmde.core.dual` with its own margins, boxes and
kernel matrix. What does not depend on costs and kernel, the rows and their distances,
is kept with the problem, so that a grid search computes it once.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from isvmde.core.certified import solve_certified
from isvmde.core.kernels import Kernel, base_for_solver, base_matrix, cross_base
from isvmde.core.pair_machine import PairMachine, is_support
from isvmde.core.solver import LINEAR, DualSolution

_KEPT_ROWS = 4_000  # up to which a matrix of all distances is kept
_BLOCK = 4_000_000  # numbers computed at a time for more rows


class Draws(NamedTuple):
    """Triples that define synthetic samples; indices count within the class."""

    sample: np.ndarray
    neighbour: np.ndarray
    gap: np.ndarray  # in [0, 1)


class Targets(NamedTuple):
    """Labels, margins and boxes at C = 1 of one problem: all a method chooses."""

    y: np.ndarray
    margin: np.ndarray
    unit: np.ndarray  # U = C * unit


@dataclass(frozen=True, eq=False)
class BinaryProblem:
    """Rows of two sides, + first; synthetic samples in kernel space as ``blend``."""

    points: np.ndarray  # (n, d)
    y: np.ndarray  # (N,) labels, N = n + what is blended
    weight: np.ndarray  # (N,) counts
    n_pos: float  # summed weights of the two sides before any oversampling
    n_neg: float
    blend: Draws | None = None  # over ``points``; these samples follow the rows

    @cached_property
    def _known(self) -> dict[int, np.ndarray]:  # base matrices computed so far
        return {}

    def base(self, code: int) -> np.ndarray:
        """Return dot products (DOT) or squared distances (DISTANCE) of the rows."""
        if code not in self._known:
            self._known[code] = base_matrix(code, self.points)
        return self._known[code]

    def base_blocks(self, code: int) -> Iterator[np.ndarray]:
        """Give the same some rows at a time, if there are many."""
        if len(self.points) <= _KEPT_ROWS:
            yield self.base(code)
            return
        size = _BLOCK // len(self.points)
        for i in range(0, len(self.points), size):
            yield cross_base(code, self.points[i : i + size], self.points)

    def solver_base(self, kernel: Kernel) -> tuple[np.ndarray, int, float]:
        """Return what `solve_dual` takes: matrix, kernel code, parameter."""
        if self.blend is None:
            return self.base(kernel.base), kernel.function, kernel.parameter
        with np.errstate(over="ignore", invalid="ignore"):  # the solver sees and tells
            K = kernel.from_base(self.base(kernel.base))
            return augmented_gram(K, self.blend), LINEAR, 0.0

    def by_class(self, pos: float, neg: float) -> np.ndarray:
        """Return ``pos`` for + and ``neg`` for - samples."""
        return np.where(self.y > 0, pos, neg)

    def fold_back(self, beta: np.ndarray) -> np.ndarray:
        """Return coefficients of ``points`` alone: T' beta."""
        if self.blend is None:
            return beta
        n = len(self.points)
        folded, synthetic = beta[:n].copy(), beta[n:]
        np.add.at(folded, self.blend.sample, (1.0 - self.blend.gap) * synthetic)
        np.add.at(folded, self.blend.neighbour, self.blend.gap * synthetic)
        return folded


def augmented_gram(K: np.ndarray, blend: Draws) -> np.ndarray:
    """Return T K T', T = [I; rows with 1 - gap at the sample, gap at the neighbour]."""
    near, far = 1.0 - blend.gap, blend.gap
    KT = np.hstack([K, K[:, blend.sample] * near + K[:, blend.neighbour] * far])
    rows = near[:, None] * KT[blend.sample] + far[:, None] * KT[blend.neighbour]
    full = np.vstack([KT, rows])
    return np.asarray(0.5 * (full + full.T))  # symmetric to the last bit


def boxes(targets: Targets, C: float) -> np.ndarray:
    """Return U = C * unit; what is too large is for `solve_certified` to refuse."""
    with np.errstate(over="ignore"):
        return np.asarray(C * targets.unit)


def solve_problem(
    source: tuple[np.ndarray, int, float], targets: Targets, C: float, **options: Any
) -> DualSolution:
    """Solve (D) for margins and boxes ``targets`` on a matrix of `solver_base`."""
    base, code, parameter = source
    return solve_certified(
        base,
        targets.y,
        targets.margin,
        boxes(targets, C),
        kernel=code,
        parameter=parameter,
        **options,
    )


def fit_problem(
    problem: BinaryProblem, targets: Targets, C: float, kernel: Kernel, **options: Any
) -> PairMachine:
    """Solve one problem and keep what prediction needs."""
    if problem.blend is None:  # rows as they are asked for, not a matrix
        base = base_for_solver(kernel.base, problem.points)
        source: Any = (base, kernel.function, kernel.parameter)
    else:
        source = problem.solver_base(kernel)
    solution = solve_problem(source, targets, C, **options)
    used = is_support(solution.alpha, boxes(targets, C))
    beta = problem.fold_back(np.where(used, targets.y * solution.alpha, 0.0))
    kept = np.flatnonzero(beta)
    return PairMachine(
        kept,
        beta[kept],
        solution.b,
        float(problem.weight[used].sum()),
        solution.violation,
        solution.converged,
        solution.steps,
    )
