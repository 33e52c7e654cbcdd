"""From decoded genes to solved pairs to fitness, without doing work twice.

A population is a grid of individuals x pairs. The solution of a cell depends on its
key alone (kernel, parameter, U+/A, U-/A), so a trial whose key is its parent's takes
the parent's solution; scale and shift then are applied anew.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from isvmde.core.background import run_in_background
from isvmde.core.fitness import Fitness, pair_terms
from isvmde.core.kernels import dot_products, squared_distances, without_tiny
from isvmde.core.limits import MOST_DIGITS, product_size
from isvmde.core.solver import (
    DISTANCE,
    DOT,
    RBF,
    BatchSolver,
    Stopped,
    Tasks,
    step_limit,
)
from isvmde.core.training_set import TrainingSet

from .genome import KEY_COSTS, KEY_KERNEL, KEY_PARAMETER, Decoded

# Rows up to which dot products and distances of the whole training set are kept, in
# 2 x 200 MB at most. Those of more rows are computed whenever a solver asks for them.
_KEPT_ROWS = 5_000


@dataclass(frozen=True)
class SolvedPairs:
    """Solutions of a population: for every pair the f_std of every individual.

    ``converged`` is False where there is none: the solver gave up, its numbers are not
    finite, or the time was over before.
    """

    key: np.ndarray  # (individuals, pairs, 4)
    f: list[np.ndarray]  # per pair, (individuals, rows)
    support: np.ndarray  # (individuals, pairs), weight of the support vectors
    converged: np.ndarray  # (individuals, pairs)

    @classmethod
    def none(cls, n_individuals: int, sizes: np.ndarray) -> SolvedPairs:
        """Return room for solutions, with none in it."""
        cells = (n_individuals, len(sizes))
        f = [np.zeros((n_individuals, n)) for n in sizes]
        key, converged = np.full((*cells, 4), np.nan), np.zeros(cells, dtype=bool)
        return cls(key, f, np.zeros(cells), converged)

    def where(self, cells: np.ndarray, other: SolvedPairs) -> SolvedPairs:
        """Return these solutions in some cells, the other's elsewhere."""
        return SolvedPairs(
            np.where(cells[..., None], self.key, other.key),
            [
                np.where(mine[:, None], f, g)
                for mine, f, g in zip(cells.T, self.f, other.f, strict=True)
            ],
            np.where(cells, self.support, other.support),
            np.where(cells, self.converged, other.converged),
        )

    def ordered(self, order: np.ndarray) -> SolvedPairs:
        """Return the individuals in another order, (individuals, pairs)."""
        columns = np.arange(order.shape[1])
        return SolvedPairs(
            self.key[order, columns],
            [f[rows] for f, rows in zip(self.f, order.T, strict=True)],
            self.support[order, columns],
            self.converged[order, columns],
        )


class PairEvaluator:
    """Solves the pairs of one training set and measures their fitness.

    Parameters
    ----------
    data : the training set
    pairs : (P, 2) class indices (plus, minus)
    tol : KKT violation allowed, in units of f_std
    n_threads : threads that share a population

    Attributes
    ----------
    n_solved, n_unconverged : SVMs solved so far, and those that did not converge
    deadline : when to stop, by `time.monotonic`; None for never
    stopped : whether the last population was left unfinished
    """

    def __init__(
        self,
        data: TrainingSet,
        pairs: np.ndarray,
        *,
        tol: float,
        n_threads: int,
    ) -> None:
        self.data, self.pairs, self.tol = data, pairs, tol
        self.spans = data.spans(pairs)
        self.n_plus = self.spans[:, 1] - self.spans[:, 0]
        self.sizes = self.n_plus + self.spans[:, 3] - self.spans[:, 2]
        self.weights = [data.weight[data.pair_rows(*pair)] for pair in pairs]
        self._largest_square = np.einsum("ij,ij->i", data.X, data.X).max()
        self.n_solved = self.n_unconverged = 0
        self.deadline: float | None = None
        self.stopped = False
        self._n_threads = n_threads
        self._solver: BatchSolver | None = None

    def close(self) -> None:
        """End the threads."""
        if self._solver is not None:
            self._solver.close()

    def _make_solver(self) -> BatchSolver:
        """Return a batch solver over the training set."""
        X, kinds = self.data.X, None
        if len(X) > _KEPT_ROWS:
            bases, kinds = np.stack([without_tiny(X).T] * 2), (DOT, DISTANCE)
        else:
            bases = np.empty((2, len(X), len(X)))

            def fill(stop: np.ndarray) -> None:
                dot_products(X, out=bases[0])
                squared_distances(X, out=bases[1])

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
        self,
        decoded: Decoded,
        parents: SolvedPairs | None = None,
        *,
        partial: bool = False,
    ) -> SolvedPairs:
        """Solve every cell of a population (individuals x pairs).

        ``parents`` are the solutions that the cells compete with. After the deadline
        it raises `Stopped`; a ``partial`` population is left as far as it came.
        """
        self.stopped = False
        n, n_pairs = decoded.valid.shape
        solved = SolvedPairs.none(n, self.sizes)
        needed = decoded.valid.copy()
        if parents is not None:
            same = needed & (parents.key == decoded.key).all(axis=-1)
            solved = parents.where(same, solved)
            needed &= ~same
        solved.key[needed] = decoded.key[needed]
        beyond = needed & ~self._computable(decoded.key)
        self.n_solved += int(beyond.sum())
        self.n_unconverged += int(beyond.sum())
        columns, rows = np.nonzero((needed & ~beyond).T)  # pair by pair
        at_a_time = n
        if partial and self.deadline is not None:  # some individuals, but whole ones
            at_a_time = 1 + 2 * self._n_threads // n_pairs
        try:
            for first in range(0, n, at_a_time):
                some = (rows >= first) & (rows < first + at_a_time)
                self._solve_cells(solved, rows[some], columns[some])
        except Stopped:
            if not partial:
                raise
            self.stopped = True
        return solved

    def _computable(self, key: np.ndarray) -> np.ndarray:
        """Tell which cells stay within the range of numbers."""
        function, parameter = key[..., KEY_KERNEL], key[..., KEY_PARAMETER]
        cost = key[..., KEY_COSTS].max(axis=-1) * self.data.weight.max()
        size = product_size(self._largest_square, function, parameter, cost, self.sizes)
        return np.asarray(size <= MOST_DIGITS)

    def _solve_cells(
        self, solved: SolvedPairs, rows: np.ndarray, columns: np.ndarray
    ) -> None:
        """Solve some cells, sorted by pair, and store the results."""
        self._solver = self._solver or self._make_solver()
        keys = solved.key[rows, columns]
        on_distances = keys[:, KEY_KERNEL] == RBF  # the second of the two bases
        table = (*self.spans[columns].T, on_distances, *keys.T)
        result = self._solver.solve(Tasks(*table), deadline=self.deadline)
        solved.support[rows, columns] = result.support_weight
        solved.converged[rows, columns] = result.violation <= self.tol
        end = 0
        for p in np.unique(columns).tolist():
            own = rows[columns == p]
            begin, end = end, end + len(own) * self.sizes[p]
            f = result.f[begin:end].reshape(len(own), -1)
            solved.f[p][own] = f
            solved.converged[own, p] &= np.isfinite(f).all(axis=1)
        self.n_solved += len(rows)
        self.n_unconverged += int((~solved.converged[rows, columns]).sum())

    def contributions(
        self, fitness: Fitness, decoded: Decoded, solved: SolvedPairs
    ) -> list[np.ndarray]:
        """Return what every pair contributes to the fitness, a row per individual.

        The decision values are f = A f_std + c. A cell that was not solved to the
        tolerance counts as one whose genes define no SVM: its numbers mean nothing.
        """
        result = []
        for p, weight in enumerate(self.weights):
            n_plus = int(self.n_plus[p])
            error, bound = pair_terms(
                decoded.scale[:, p, None] * solved.f[p] + decoded.shift[:, p, None],
                solved.support[:, p],
                weight,
                n_plus,
                delta=fitness.delta,
                valid=decoded.valid[:, p] & solved.converged[:, p],
            )
            result.append(fitness.of_pair(error, bound, weight, n_plus))
        return result

    def population_fitness(
        self, fitness: Fitness, decoded: Decoded, solved: SolvedPairs
    ) -> np.ndarray:
        """Return the fitness of every individual."""
        return self.combine(fitness, self.contributions(fitness, decoded, solved))

    def combine(self, fitness: Fitness, contributions: list[np.ndarray]) -> np.ndarray:
        """Return what individuals are worth whose pairs contribute this."""
        data = self.data
        return fitness.of_population(
            contributions, self.pairs, data.class_start, data.weight
        )
