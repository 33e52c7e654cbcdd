"""From decoded genes to solved pairs to fitness, without doing work twice.

A population is a grid of individuals x pairs. The solution of a cell depends on its
key alone, so a trial with its parent's key takes the parent's solution.
"""

import functools
from typing import NamedTuple

import numpy as np

from isvmde.core.background import run_in_background
from isvmde.core.fitness import Fitness
from isvmde.core.kernels import (
    dot_products,
    paper_bases,
    squared_distances,
    without_tiny,
)
from isvmde.core.limits import MOST_DIGITS, product_size
from isvmde.core.solver import (
    DISTANCE,
    DOT,
    BatchSolver,
    Stopped,
    Tasks,
    step_limit,
)
from isvmde.core.training_set import TrainingSet

from .genome import KEY_KERNEL, Decoded

# Rows up to which dot products and distances of the whole training set are kept, in
# 2 x 200 MB at most. Those of more rows are computed whenever a solver asks for them.
_KEPT_ROWS = 5_000


class SolvedPairs(NamedTuple):
    """Solutions of a population, for every pair the f_std of every individual."""

    sizes: np.ndarray  # (pairs,), rows of each
    key: np.ndarray  # (individuals, pairs, 4)
    f: np.ndarray  # (individuals, rows of all pairs)
    support: np.ndarray  # (individuals, pairs), weight of the support vectors
    converged: np.ndarray  # (individuals, pairs), False where there is no solution

    def f_of_pairs(self) -> list[np.ndarray]:
        """Return f of every pair, (individuals, rows of the pair), as views."""
        return np.split(self.f, np.cumsum(self.sizes)[:-1], axis=1)

    def _spread(self, cells: np.ndarray) -> tuple[np.ndarray, ...]:
        """Return cells (individuals, pairs) in the shapes of the four arrays."""
        return cells[..., None], np.repeat(cells, self.sizes, axis=1), cells, cells

    def where(self, cells: np.ndarray, other: "SolvedPairs") -> "SolvedPairs":
        """Return these solutions in some cells, the other's elsewhere."""
        chosen = map(np.where, self._spread(cells), self[1:], other[1:])
        return SolvedPairs(self.sizes, *chosen)

    def ordered(self, order: np.ndarray) -> "SolvedPairs":
        """Return the individuals in another order, (individuals, pairs)."""
        take = functools.partial(np.take_along_axis, axis=0)
        return SolvedPairs(self.sizes, *map(take, self[1:], self._spread(order)))


class PairEvaluator:
    """Solves the pairs (plus, minus) of one training set and measures their fitness."""

    def __init__(
        self, data: TrainingSet, pairs: np.ndarray, tol: float, n_threads: int
    ) -> None:
        self.data, self.pairs, self.tol, self._n_threads = data, pairs, tol, n_threads
        self.layout = (pairs, data.class_start, data.weight)  # as a fitness wants it
        self.spans = data.spans(pairs)
        self.n_plus = self.spans[:, 1] - self.spans[:, 0]
        self.sizes = self.n_plus + self.spans[:, 3] - self.spans[:, 2]
        self.weights = [data.weight[data.pair_rows(*pair)] for pair in pairs]
        self._largest_square = np.einsum("ij,ij->i", data.X, data.X).max()
        self.n_solved = self.n_unconverged = 0
        self.deadline: float | None = None  # of `time.monotonic`
        self.stopped = False  # whether the last population was left unfinished
        self._solver: BatchSolver | None = None

    def close(self) -> None:
        """End the threads."""
        if self._solver is not None:
            self._solver.close()

    def _make_solver(self) -> BatchSolver:
        """Return a batch solver over the training set; a base's code is its place."""
        X, kinds = self.data.X, None
        if len(X) > _KEPT_ROWS:
            bases, kinds = np.stack([without_tiny(X).T] * 2), (DOT, DISTANCE)
        else:
            bases = np.empty((2, len(X), len(X)))

            def fill(stop: np.ndarray) -> None:
                dot_products(X, out=bases[DOT])
                squared_distances(X, out=bases[DISTANCE])

            run_in_background(fill, self.deadline)
        return BatchSolver(
            bases,
            self.data.weight,
            tol=self.tol,
            max_steps=step_limit(-1, int(self.sizes.max())),
            n_threads=self._n_threads,
            kinds=kinds,
        )

    def solve(
        self, decoded: Decoded, parents: SolvedPairs | None = None, first: bool = False
    ) -> SolvedPairs:
        """Solve every cell of a population, unless its parent has the same key."""
        # After the deadline `Stopped` is raised; only the ``first`` population is left
        # as far as it came, as there is nothing before it.
        self.stopped = False
        needed = decoded.valid.copy()
        n, n_pairs = needed.shape
        f, none = np.zeros((n, self.sizes.sum())), np.zeros((n, n_pairs))
        key = np.full(decoded.key.shape, np.nan)
        solved = SolvedPairs(self.sizes, key, f, none, none > 0)
        if parents is not None:
            same = needed & (parents.key == decoded.key).all(axis=-1)
            solved = parents.where(same, solved)
            needed &= ~same
        solved.key[needed] = decoded.key[needed]
        # Cells beyond the range of numbers count as solved in vain.
        kernel, parameter, *costs = np.moveaxis(decoded.key, -1, 0)
        cost = np.maximum(*costs) * self.data.weight.max()
        size = product_size(self._largest_square, kernel, parameter, cost, self.sizes)
        beyond = needed & ~(size <= MOST_DIGITS)
        self.n_solved += int(beyond.sum())
        self.n_unconverged += int(beyond.sum())
        needed &= ~beyond
        at_a_time = n
        if first and self.deadline is not None:  # some individuals, but whole ones
            at_a_time = 1 + 2 * self._n_threads // n_pairs
        try:
            for begin in range(0, n, at_a_time):
                rows = np.arange(n)[:, None] - begin
                self._solve_cells(solved, needed & (rows >= 0) & (rows < at_a_time))
        except Stopped:
            if not first:
                raise
            self.stopped = True
        return solved

    def _solve_cells(self, solved: SolvedPairs, cells: np.ndarray) -> None:
        """Solve some cells and store the results."""
        self._solver = self._solver or self._make_solver()
        spans, keys = self.spans[np.nonzero(cells)[1]], solved.key[cells]
        table = (*spans.T, paper_bases(keys[:, KEY_KERNEL]), *keys.T)
        result = self._solver.solve(Tasks(*table), deadline=self.deadline)
        solved.support[cells] = result.support_weight
        solved.f[np.repeat(cells, self.sizes, axis=1)] = result.f
        finite = np.logical_and.reduceat(np.isfinite(result.f), result.offset[:-1])
        solved.converged[cells] = (result.violation <= self.tol) & finite
        self.n_solved += len(keys)
        self.n_unconverged += int((~solved.converged[cells]).sum())

    def contributions(
        self, fitness: Fitness, decoded: Decoded, solved: SolvedPairs
    ) -> list[np.ndarray]:
        """Return what every pair contributes to the fitness, a row per individual."""
        f = [  # A f_std + c
            decoded.scale[:, [p]] * own + decoded.shift[:, [p]]
            for p, own in enumerate(solved.f_of_pairs())
        ]
        # what was not solved to the tolerance counts as what defines no SVM
        cells = (solved.support.T, self.weights, self.n_plus.tolist())
        valid = (decoded.valid & solved.converged).T
        return list(map(fitness.of_pair, f, *cells, valid))

    def population_fitness(
        self, fitness: Fitness, decoded: Decoded, solved: SolvedPairs
    ) -> np.ndarray:
        """Return the fitness of every individual."""
        shares = self.contributions(fitness, decoded, solved)
        return fitness.of_population(shares, *self.layout)
