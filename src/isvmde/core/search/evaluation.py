"""From decoded genes to solved problems to fitness, without doing work twice.

A population is a grid of individuals x problems. The solution of a cell depends on its
key alone, so a trial with its parent's key takes the parent's solution.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from isvmde.core.arrays import Bools, Floats, Ints
from isvmde.core.decomposition import BinaryProblem
from isvmde.core.fitness import Fitness
from isvmde.core.kernels import (
    dot_products,
    paper_bases,
    squared_distances,
    without_tiny,
)
from isvmde.core.limits import MOST_DIGITS, product_size
from isvmde.core.parallel import Stopped, Threads
from isvmde.core.solver import (
    DISTANCE,
    DOT,
    BatchSolver,
    Solved,
    Tasks,
    step_limit,
)
from isvmde.core.training_set import TrainingSet

from .genome import KEY_KERNEL, KEY_PARAMETER, KEY_U_NEG, KEY_U_POS, Decoded
from .runs import solver_runs

# Rows up to which dot products and distances of the whole training set are kept, in
# 2 x 200 MB at most. Those of more rows are computed whenever a solver asks for them.
_KEPT_ROWS = 5_000


@dataclass(frozen=True)
class SolvedProblems:
    """Solutions of a population, for every problem the f_std of every individual."""

    sizes: Ints  # (problems,), rows of each
    key: Floats  # (individuals, problems, 4)
    f: Floats  # (individuals, rows of all problems), held out if there are folds
    support: Floats  # (individuals, problems), weight of the support vectors
    converged: Bools  # (individuals, problems), False where there is no solution

    def f_of_problems(self) -> list[Floats]:
        """Return f of every problem, (individuals, rows of the problem), as views."""
        return np.split(self.f, np.cumsum(self.sizes)[:-1], axis=1)

    def where(self, cells: Bools, other: "SolvedProblems") -> "SolvedProblems":
        """Return these solutions in some cells, the other's elsewhere."""
        rows = np.repeat(cells, self.sizes, axis=1)
        return SolvedProblems(
            sizes=self.sizes,
            key=np.where(cells[..., None], self.key, other.key),
            f=np.where(rows, self.f, other.f),
            support=np.where(cells, self.support, other.support),
            converged=np.where(cells, self.converged, other.converged),
        )

    def ordered(self, order: Ints) -> "SolvedProblems":
        """Return the individuals in another order, (individuals, problems)."""
        rows = np.repeat(order, self.sizes, axis=1)
        return SolvedProblems(
            sizes=self.sizes,
            key=np.take_along_axis(self.key, order[..., None], axis=0),
            f=np.take_along_axis(self.f, rows, axis=0),
            support=np.take_along_axis(self.support, order, axis=0),
            converged=np.take_along_axis(self.converged, order, axis=0),
        )


class _Bases(NamedTuple):
    """What the solver computes kernel values from, for the paper's two bases."""

    values: Floats  # (2, n, n) matrices; or (2, d, n), features
    kinds: tuple[int, int] | None  # what is computed of the features


class Evaluator:
    """Solves the binary problems of one training set and measures their fitness.

    With ``fold`` (n,), the inner fold of every row, each cell is solved once per fold,
    on the rows of the others, and f are the decisions on the rows left out.
    """

    def __init__(
        self,
        data: TrainingSet,
        problems: Sequence[BinaryProblem],
        tol: float,
        n_threads: int,
        fold: Ints | None = None,
    ) -> None:
        self.data, self.tol, self._n_threads = data, tol, n_threads
        self.fold = fold
        self.problems = [data.problem_rows(problem) for problem in problems]
        self.sizes = np.array([len(problem.rows) for problem in self.problems])
        self._runs = solver_runs(data, problems)
        self._largest_square = np.einsum("ij,ij->i", data.X, data.X).max()
        self.n_solved = self.n_unconverged = 0
        self.deadline: float | None = None  # of `time.monotonic`
        self.stopped = False  # whether the last population was left unfinished
        self._solvers: list[BatchSolver] = []  # one, or one per fold

    @property
    def n_parts(self) -> int:
        """SVMs that a cell takes: one, or one per fold."""
        return 1 if self.fold is None else int(self.fold.max()) + 1

    def hold_out(self, fold: Ints) -> None:
        """Go on with these inner folds, those of a search that was interrupted."""
        self.close()
        self.fold, self._solvers = fold, []

    def close(self) -> None:
        """End the threads."""
        for solver in self._solvers:
            solver.close()

    def _make_solvers(self) -> list[BatchSolver]:
        """Return a batch solver over the training set, or one per inner fold."""
        bases = self._make_bases()
        return [
            BatchSolver(
                bases.values,
                weight,
                tol=self.tol,
                max_steps=step_limit(-1, int(self.sizes.max())),
                n_threads=self._n_threads,
                kinds=bases.kinds,
            )
            for weight in self._weights_of_parts()
        ]

    def _make_bases(self) -> "_Bases":
        """Return what kernels are functions of; a base's code is its place."""
        X = self.data.X[self._runs.rows]
        if len(X) > _KEPT_ROWS:
            features = without_tiny(X).T
            return _Bases(np.stack([features, features]), kinds=(DOT, DISTANCE))
        values = np.empty((2, len(X), len(X)))

        def fill() -> None:
            dot_products(X, out=values[DOT])
            squared_distances(X, out=values[DISTANCE])

        with Threads() as threads:
            threads.run(fill, deadline=self.deadline)
        return _Bases(values, kinds=None)

    def _weights_of_parts(self) -> list[Floats]:
        """Return the weights of the rows, (rows,), for every part.

        Rows that are held out get a weight of 0, and so a box of 0: they have no say,
        but they get a decision.
        """
        rows = self._runs.rows
        weight = self.data.weight[rows]
        if self.fold is None:
            return [weight]
        fold = self.fold[rows]
        return [np.where(fold == k, 0.0, weight) for k in range(self.n_parts)]

    def solve(
        self,
        decoded: Decoded,
        parents: SolvedProblems | None = None,
        first: bool = False,
    ) -> SolvedProblems:
        """Solve every cell of a population, unless its parent has the same key.

        After the deadline `Stopped` is raised; only the ``first`` population is left
        as far as it came, as there is nothing before it.
        """
        self.stopped = False
        needed = decoded.valid.copy()
        solved = self._unsolved(decoded)
        if parents is not None:
            same = needed & (parents.key == decoded.key).all(axis=-1)
            solved = parents.where(same, solved)
            needed &= ~same
        solved.key[needed] = decoded.key[needed]
        needed &= ~self._count_beyond_numbers(decoded, needed)
        if first and self.deadline is not None:
            self._solve_in_time(solved, needed)
        else:
            self._solve_cells(solved, needed)
        return solved

    def _solve_in_time(self, solved: SolvedProblems, needed: Bools) -> None:
        """Solve some individuals after the other, whole ones, until the deadline."""
        n, n_problems = needed.shape
        at_a_time = 1 + 2 * self._n_threads // n_problems
        individual = np.arange(n)[:, None]
        try:
            for begin in range(0, n, at_a_time):
                now = (individual >= begin) & (individual < begin + at_a_time)
                self._solve_cells(solved, needed & now)
        except Stopped:
            self.stopped = True

    def _unsolved(self, decoded: Decoded) -> SolvedProblems:
        """Return room for the solutions of a population."""
        cells = decoded.valid.shape
        return SolvedProblems(
            sizes=self.sizes,
            key=np.full(decoded.key.shape, np.nan),
            f=np.zeros((cells[0], self.sizes.sum())),
            support=np.zeros(cells),
            converged=np.zeros(cells, dtype=bool),
        )

    def _count_beyond_numbers(self, decoded: Decoded, needed: Bools) -> Bools:
        """Tell which cells are beyond the range of numbers; none of them converges."""
        key = decoded.key
        cost = np.maximum(key[..., KEY_U_POS], key[..., KEY_U_NEG])
        size = product_size(
            self._largest_square,
            function=key[..., KEY_KERNEL],
            parameter=key[..., KEY_PARAMETER],
            cost=cost * self.data.weight.max(),
            n=self.sizes,
        )
        beyond = needed & ~(size <= MOST_DIGITS)
        self.n_solved += int(beyond.sum())
        self.n_unconverged += int(beyond.sum())
        return beyond

    def _solve_cells(self, solved: SolvedProblems, cells: Bools) -> None:
        """Solve some cells and store the results."""
        self._solvers = self._solvers or self._make_solvers()
        tasks = self._tasks(solved.key, cells)
        results = [
            solver.solve(tasks, deadline=self.deadline) for solver in self._solvers
        ]
        rows = np.repeat(cells, self.sizes, axis=1)
        solved.f[rows] = self._judging_decisions(results, rows)
        solved.support[cells] = np.mean([r.support_weight for r in results], axis=0)
        solved.converged[cells] = np.all([self._reached(r) for r in results], axis=0)
        self.n_solved += len(tasks) * self.n_parts
        self.n_unconverged += int((~solved.converged[cells]).sum())

    def _judging_decisions(self, results: list[Solved], rows: Bools) -> Floats:
        """Return f of some rows of a population, held out where there are folds."""
        if self.fold is None:
            return results[0].f
        fold = np.concatenate([self.fold[problem.rows] for problem in self.problems])
        held_out_by = np.broadcast_to(fold, rows.shape)[rows]
        f_of_parts = np.stack([result.f for result in results])  # (parts, rows)
        return np.asarray(f_of_parts[held_out_by, np.arange(len(held_out_by))])

    def _tasks(self, key: Floats, cells: Bools) -> Tasks:
        """Return the table of some cells, by their keys and their problems' rows."""
        problem = np.nonzero(cells)[1]
        keys = key[cells]  # (tasks, 4)
        return Tasks(
            start_pos=self._runs.start_pos[problem],
            end_pos=self._runs.end_pos[problem],
            start_neg=self._runs.start_neg[problem],
            end_neg=self._runs.end_neg[problem],
            base=paper_bases(keys[:, KEY_KERNEL]),
            kernel=keys[:, KEY_KERNEL],
            parameter=keys[:, KEY_PARAMETER],
            U_pos=keys[:, KEY_U_POS],
            U_neg=keys[:, KEY_U_NEG],
        )

    def _reached(self, result: Solved) -> Bools:
        """Tell which tasks were solved to the tolerance, with finite numbers."""
        finite = np.logical_and.reduceat(np.isfinite(result.f), result.offset[:-1])
        return (result.violation <= self.tol) & finite

    def contributions(
        self, fitness: Fitness, decoded: Decoded, solved: SolvedProblems
    ) -> list[Floats]:
        """Return what every problem contributes, a row per individual."""
        # what was not solved to the tolerance counts as what defines no SVM
        valid = decoded.valid & solved.converged
        return [
            fitness.of_problem(
                f=decoded.scale[:, [p]] * f + decoded.shift[:, [p]],  # A f_std + c
                nsv=solved.support[:, p],
                valid=valid[:, p],
                problem=self.problems[p],
            )
            for p, f in enumerate(solved.f_of_problems())
        ]

    def population_fitness(
        self, fitness: Fitness, decoded: Decoded, solved: SolvedProblems
    ) -> Floats:
        """Return the fitness of every individual."""
        contributions = self.contributions(fitness, decoded, solved)
        return self.sum_up(fitness, contributions)

    def sum_up(self, fitness: Fitness, contributions: Sequence[ArrayLike]) -> Floats:
        """Return the fitness of every individual from the problems' contributions."""
        return fitness.of_population(contributions, self.problems)
