"""From decoded genes to solved pairs to fitness, without doing work twice.

A population is a grid of individuals x pairs. The solution of a cell depends on its
key alone (kernel, parameter, U+/A, U-/A), so a trial whose key is its parent's takes
the parent's solution; scale and shift then are applied anew.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from isvmde.core.background import run_in_background
from isvmde.core.fitness import Fitness
from isvmde.core.kernels import Kernel, base_of, dot_products, squared_distances
from isvmde.core.limits import MOST_DIGITS, product_size
from isvmde.core.pair_machine import decide, is_support
from isvmde.core.solver import RBF, BatchSolver, Stopped, Tasks, step_limit
from isvmde.core.training_set import TrainingSet

from .genome import KEY_COSTS, KEY_KERNEL, KEY_PARAMETER, Decoded

# Distances are kept up to 2 x 200 MB: those of the whole training set if it has at most
# this many rows, else those of as many pairs as fit. The others' are computed whenever
# they are needed.
_KEPT_ROWS = 5_000


class SolvedPairs:
    """Solutions of a population: for every pair the f_std of every individual.

    ``converged`` is False where there is none: the solver gave up, its numbers are not
    finite, or the time was over before.
    """

    def __init__(self, n_individuals: int, sizes: np.ndarray) -> None:
        cells = (n_individuals, len(sizes))
        self.key = np.full((*cells, 4), np.nan)
        self.f = [np.zeros((n_individuals, n)) for n in sizes]
        self.support = np.zeros(cells)
        self.converged = np.zeros(cells, dtype=bool)

    def copy_cell(self, to: tuple[int, int], source: SolvedPairs, row: int) -> None:
        """Copy one solution of the same pair."""
        k, p = to
        self.key[k, p] = source.key[row, p]
        self.f[p][k] = source.f[p][row]
        self.support[k, p] = source.support[row, p]
        self.converged[k, p] = source.converged[row, p]


class PairEvaluator:
    """Solves the pairs of one training set and measures their fitness.

    Parameters
    ----------
    data : the training set
    pairs : (P, 2) class indices (plus, minus)
    tol : KKT violation allowed, in units of f_std
    n_threads : threads that share a population
    largest, solve_large : pairs of more rows go through this callable

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
        largest: int,
        solve_large: Callable[..., tuple[np.ndarray, float, float, bool, int]],
    ) -> None:
        self.data, self.pairs, self.tol = data, pairs, tol
        start, plus, minus = data.class_start, pairs[:, 0], pairs[:, 1]
        self.spans = np.column_stack(
            [start[plus], start[plus + 1], start[minus], start[minus + 1]]
        )
        self.n_plus = self.spans[:, 1] - self.spans[:, 0]
        self.sizes = self.n_plus + self.spans[:, 3] - self.spans[:, 2]
        self.weights = [data.weight[data.pair_rows(*pair)] for pair in pairs]
        self._largest_square = np.einsum("ij,ij->i", data.X, data.X).max()
        self.n_solved = self.n_unconverged = 0
        self.deadline: float | None = None
        self.stopped = False
        self._n_threads, self._largest = n_threads, largest
        self._solve_large = solve_large
        self._together = len(data.X) <= _KEPT_ROWS and self.sizes.max() <= largest
        self._whole: BatchSolver | None = None
        self._room = _KEPT_ROWS**2
        self._kept: dict[int, BatchSolver] = {}  # by pair

    def close(self) -> None:
        """End the threads."""
        if self._whole is not None:
            self._whole.close()
        while self._kept:
            self._kept.popitem()[1].close()

    def _solver(self, rows: slice | np.ndarray) -> BatchSolver:
        """Return a batch solver over these rows of the training set."""
        X = self.data.X[rows]
        bases = np.empty((2, len(X), len(X)))

        def fill() -> None:
            dot_products(X, out=bases[0])
            squared_distances(X, out=bases[1])

        run_in_background(fill, self.deadline)
        return BatchSolver(
            bases,
            self.data.weight[rows],
            tol=self.tol,
            max_steps=step_limit(-1, int(self.sizes.max())),
            n_threads=self._n_threads,
        )

    def solve(
        self,
        decoded: Decoded,
        parents: SolvedPairs | None = None,
        slots: np.ndarray | None = None,
        *,
        partial: bool = False,
    ) -> SolvedPairs:
        """Solve every cell of a population (individuals x pairs).

        ``slots[k, p]`` is the row of ``parents`` that cell (k, p) competes with. After
        the deadline it raises `Stopped`; a ``partial`` population is left as far as it
        came.
        """
        self.stopped = False
        n, n_pairs = decoded.valid.shape
        solved = SolvedPairs(n, self.sizes)
        needed = decoded.valid.copy()
        if parents is not None and slots is not None:
            old = parents.key[slots, np.arange(n_pairs)]
            same = needed & (old == decoded.key).all(axis=-1)
            for k, p in np.argwhere(same):
                solved.copy_cell((k, p), parents, slots[k, p])
            needed &= ~same
        solved.key[needed] = decoded.key[needed]
        beyond = needed & ~self._computable(decoded.key)
        self.n_solved += int(beyond.sum())
        self.n_unconverged += int(beyond.sum())
        rows, columns = np.nonzero(needed & ~beyond)
        at_a_time = n
        if partial and self.deadline is not None:  # some individuals, but whole ones
            at_a_time = 1 + 2 * self._n_threads // n_pairs
        try:
            for first in range(0, n, at_a_time):
                some = (rows >= first) & (rows < first + at_a_time)
                self._solve_some(solved, rows[some], columns[some])
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

    def _solve_some(
        self, solved: SolvedPairs, rows: np.ndarray, columns: np.ndarray
    ) -> None:
        """Solve some cells, all at once or pair by pair."""
        if self._together:
            self._whole = self._whole or self._solver(slice(None))
            self._solve_cells(self._whole, self.spans, solved, rows, columns)
            return
        for p in np.unique(columns):
            self._solve_pair(solved, rows[columns == p], p)

    def _solve_pair(self, solved: SolvedPairs, cells: np.ndarray, p: int) -> None:
        """Solve some individuals' cells of one pair, with a solver of its own."""
        if self.sizes[p] > self._largest:
            for k in cells:
                self._solve_large_cell(solved, k, p)
            return
        spans = np.zeros_like(self.spans)
        spans[p] = 0, self.n_plus[p], self.n_plus[p], self.sizes[p]
        columns = np.full(len(cells), p)
        if p not in self._kept and self.sizes[p] ** 2 <= self._room:
            self._room -= self.sizes[p] ** 2
            self._kept[p] = self._solver(self.data.pair_rows(*self.pairs[p]))
        if p in self._kept:
            self._solve_cells(self._kept[p], spans, solved, cells, columns)
            return
        with self._solver(self.data.pair_rows(*self.pairs[p])) as solver:
            self._solve_cells(solver, spans, solved, cells, columns)

    def _solve_cells(
        self,
        solver: BatchSolver,
        spans: np.ndarray,
        solved: SolvedPairs,
        rows: np.ndarray,
        columns: np.ndarray,
    ) -> None:
        """Solve some cells with one batch solver and store the results."""
        keys = solved.key[rows, columns]
        on_distances = keys[:, 0] == RBF  # the second of the two base matrices
        table = (*spans[columns].T, on_distances, *keys.T)
        result = solver.solve(Tasks(*table), deadline=self.deadline)
        converged, ends = result.violation <= self.tol, result.offset
        for q, cell in enumerate(zip(rows, columns, strict=True)):
            f, support = result.f[ends[q] : ends[q + 1]], result.support_weight[q]
            self._store(solved, cell, f, support, converged[q])

    def _store(
        self,
        solved: SolvedPairs,
        cell: tuple[int, int],
        f: np.ndarray,
        support: float,
        converged: bool,
    ) -> None:
        """Keep the solution of one cell, and count it."""
        k, p = cell
        solved.f[p][k] = f
        solved.support[cell] = support
        solved.converged[cell] = converged and np.isfinite(f).all()
        self.n_solved += 1
        self.n_unconverged += not solved.converged[cell]

    def _solve_large_cell(self, solved: SolvedPairs, k: int, p: int) -> None:
        """Solve one cell whose pair is too large for a matrix of its distances."""
        function, parameter, U_pos, U_neg = solved.key[k, p]
        kernel = Kernel(base_of(int(function)), int(function), float(parameter))
        X = self.data.X[self.data.pair_rows(*self.pairs[p])]
        y = np.where(np.arange(len(X)) < self.n_plus[p], 1.0, -1.0)
        U = np.where(y > 0, U_pos, U_neg) * self.weights[p]
        beta, b, _, converged, _ = self._solve_large(
            X, y, U, kernel, self.tol, -1, self.deadline
        )
        support = is_support(beta, U)
        f = run_in_background(
            lambda: decide(kernel, X[support], beta[support], b, X), self.deadline
        )
        weight = float(self.weights[p][support].sum())
        self._store(solved, (k, p), f, weight, converged)

    def contributions(
        self, fitness: Fitness, decoded: Decoded, solved: SolvedPairs
    ) -> list[np.ndarray]:
        """Return what every pair contributes to the fitness, a row per individual.

        The decision values are f = A f_std + c. A cell that was not solved to the
        tolerance counts as one whose genes define no SVM: its numbers mean nothing.
        """
        result = []
        for p, weight in enumerate(self.weights):
            own = decoded.of_pair(p)
            scale, shift = own.scale[:, None], own.shift[:, None]
            result.append(
                fitness.of_pair(
                    scale * solved.f[p] + shift,
                    solved.support[:, p],
                    weight,
                    int(self.n_plus[p]),
                    valid=own.valid & solved.converged[:, p],
                )
            )
        return result

    def population_fitness(
        self, fitness: Fitness, decoded: Decoded, solved: SolvedPairs
    ) -> np.ndarray:
        """Return the fitness of every individual."""
        shares = self.contributions(fitness, decoded, solved)
        return self.combine(fitness, shares)

    def combine(self, fitness: Fitness, contributions: list[np.ndarray]) -> np.ndarray:
        """Return what individuals are worth whose pairs contribute this."""
        data = self.data
        return fitness.of_population(
            contributions, self.pairs, data.class_start, data.weight
        )
