"""Fitness functions from solved problems: the paper's fit^a and fit^m, held-out error.

An object per fitness says on which decisions it is measured, what a binary problem
contributes, and what a population is worth (`Fitness`). The paper's problems are pairs
of classes. What belongs to a problem is a vector over its `ProblemRows`. Every function
takes leading axes as well (a population at once) and gives the same bits for one
individual as for many.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import reduce
from typing import ClassVar, Protocol, runtime_checkable

import numpy as np
from numpy.typing import ArrayLike

from .arrays import Floats
from .decomposition.coupling import confidence
from .training_set import ProblemRows

__all__ = [
    "FITNESS",
    "AverageLoss",
    "Fitness",
    "HeldOutError",
    "MaximumLoss",
    "TakesTurns",
    "Turns",
    "error_and_bound",
    "make_fitness",
]


class Fitness(Protocol):
    """What a search has to know of a fitness.

    ``held_out`` says on which decisions it is measured: those on the rows trained on,
    or those of machines from inner folds, which did not see the row. Contributions of
    problems are numbers whose sum is to be minimised, one problem independent of the
    other, unless the fitness `TakesTurns`.
    """

    @property
    def held_out(self) -> bool:
        """Whether f are held-out decisions."""
        ...

    def of_problem(
        self, f: Floats, nsv: Floats, valid: ArrayLike, problem: ProblemRows
    ) -> Floats:
        """Return what one problem contributes, of every individual."""
        ...

    def of_population(
        self, contributions: Sequence[ArrayLike], problems: Sequence[ProblemRows]
    ) -> Floats:
        """Return the fitness of every individual from all problems' contributions."""
        ...


@runtime_checkable
class TakesTurns(Protocol):
    """A fitness in which the worth of a problem depends on the other problems."""

    def take_turns(
        self, contributions: Sequence[ArrayLike], problems: Sequence[ProblemRows]
    ) -> "Turns":
        """Return the fitness of one individual whose problems change one at a time."""
        ...


def error_and_bound(
    f: ArrayLike,
    nsv: ArrayLike,
    weight: ArrayLike,
    n_plus: int,
    valid: ArrayLike = True,
    *,
    delta: float = 0.05,
) -> tuple[Floats, Floats]:
    """Return errors e (..., rows) and bound B (...) of one solved problem.

    e = 1/(1 + exp(y f)): the paper prints the other sign, under which the worst
    classifier would win. B = sqrt((ln nsv + ln(1/delta)) / (2 N)), where ``nsv`` and N
    are the summed weights of support vectors and of samples, at least 1, and ``delta``
    is the probability that the true error exceeds the estimate. ``f`` (..., rows) has
    the ``n_plus`` rows of plus first. Where ``valid`` is False there is no SVM: e = 0.5
    and nsv = N, whatever f and nsv hold.

    Examples
    --------
    >>> from isvmde.core.fitness import error_and_bound
    >>> error, bound = error_and_bound([2.0, -2.0], 2, [1.0, 1.0], 1)
    >>> error.round(3).tolist(), float(bound.round(3))
    ([0.119, 0.119], 0.96)
    """
    ok, weight = np.asarray(valid, dtype=bool), np.asarray(weight, dtype=float)
    n_pair = weight.sum()
    y = np.where(np.arange(weight.size) < n_plus, 1.0, -1.0)
    error = confidence(-y * np.where(ok[..., None], f, 0.0))
    # No support vector at all would give ln 0: a degenerate SVM as the optimum. Weights
    # that are fractions may sum to less than one sample: B would drown the errors.
    log_nsv = np.log(np.maximum(np.where(ok, nsv, n_pair), 1.0))
    return error, np.sqrt((log_nsv - np.log(delta)) / (2.0 * np.maximum(n_pair, 1.0)))


@dataclass(frozen=True)
class AverageLoss:
    """fit^a: every sample's mean of e + B_j over its problems, averaged class by class.

    Each sample of a class is in M-1 pairs, so this is a sum over pairs: their shares
    can be minimised one by one. With one-vs-rest it is in M problems.

    Examples
    --------
    >>> import numpy as np
    >>> from isvmde.core.fitness import AverageLoss
    >>> from isvmde.core.decomposition import OneVsOne
    >>> from isvmde.core.training_set import training_set
    >>> data = training_set(np.zeros((3, 1)), np.arange(3), np.ones(3), 3)
    >>> problems = map(data.problem_rows, OneVsOne(data.class_size).problems)
    >>> fit = AverageLoss().of_population([0.9, 1.2, 0.6], list(problems))
    >>> float(fit.round(3))
    0.45
    """

    held_out: ClassVar[bool] = False
    delta: float = 0.05

    def of_problem(
        self, f: Floats, nsv: Floats, valid: ArrayLike, problem: ProblemRows
    ) -> Floats:
        """Return the sum over the classes of mean e + B_j; see `error_and_bound`."""
        error, bound = error_and_bound(
            f, nsv, problem.weight, problem.n_plus, valid, delta=self.delta
        )
        return _sum_of_class_means(error, problem) + len(problem.classes) * bound

    def of_population(
        self, shares: Sequence[ArrayLike], problems: Sequence[ProblemRows]
    ) -> Floats:
        """Return the mean over the classes of all problems; M (M - 1) of pairs."""
        return _mean_over_classes(shares, problems)


@dataclass(frozen=True)
class MaximumLoss:
    """fit^m: every sample's largest e + B_j over its problems, class by class.

    Examples
    --------
    >>> import numpy as np
    >>> from isvmde.core.fitness import MaximumLoss
    >>> from isvmde.core.decomposition import OneVsOne
    >>> from isvmde.core.training_set import training_set
    >>> data = training_set(np.zeros((3, 1)), np.arange(3), np.ones(3), 3)
    >>> problems = map(data.problem_rows, OneVsOne(data.class_size).problems)
    >>> losses = [[0.1, 0.2], [0.3, 0.1], [0.2, 0.6]]
    >>> fit = MaximumLoss().of_population(losses, list(problems))
    >>> float(fit.round(6))
    0.366667
    """

    held_out: ClassVar[bool] = False
    delta: float = 0.05

    def of_problem(
        self, f: Floats, nsv: Floats, valid: ArrayLike, problem: ProblemRows
    ) -> Floats:
        """Return e + B_j of every row: problems differ in B_j, so it is inside."""
        error, bound = error_and_bound(
            f, nsv, problem.weight, problem.n_plus, valid, delta=self.delta
        )
        return error + bound[..., None]

    def of_population(
        self, losses: Sequence[ArrayLike], problems: Sequence[ProblemRows]
    ) -> Floats:
        """Return the mean over classes of the mean over samples of the maximum."""
        turns = self.take_turns(losses, problems)
        return np.asarray(turns.class_means.mean(axis=-1))

    def take_turns(
        self, losses: Sequence[ArrayLike], problems: Sequence[ProblemRows]
    ) -> "Turns":
        """Return fit^m with every problem's losses as they are, ready for changes."""
        return Turns(losses, problems)


@dataclass(frozen=True)
class HeldOutError:
    """Balanced error over inner folds: what the paper's fitness does without.

    The share of wrong decisions on rows that a machine did not see, averaged over the
    classes of a problem and over problems. A decision of 0 speaks for +.

    Examples
    --------
    >>> import numpy as np
    >>> from isvmde.core.decomposition import BinaryProblem
    >>> from isvmde.core.fitness import HeldOutError
    >>> from isvmde.core.training_set import training_set
    >>> label = np.array([0, 0, 1, 1, 1, 1])
    >>> data = training_set(np.arange(6.0)[:, None], label, np.ones(6), 2)
    >>> problem = data.problem_rows(BinaryProblem(plus=(0,), minus=(1,)))
    >>> f = np.array([0.3, -0.1, -2.0, 0.5, -1.0, -1.0])
    >>> float(HeldOutError().of_problem(f, 2, True, problem))
    0.75
    """

    held_out: ClassVar[bool] = True

    def of_problem(
        self, f: Floats, nsv: Floats, valid: ArrayLike, problem: ProblemRows
    ) -> Floats:
        """Return the sum of the classes' shares of errors; 1/2 each without an SVM."""
        says_plus = np.asarray(f) >= 0.0
        is_plus = problem.y > 0
        ok = np.asarray(valid, dtype=bool)[..., None]
        error = np.where(ok, says_plus != is_plus, 0.5)
        return _sum_of_class_means(error, problem)

    def of_population(
        self, shares: Sequence[ArrayLike], problems: Sequence[ProblemRows]
    ) -> Floats:
        """Return the mean over the classes of all problems."""
        return _mean_over_classes(shares, problems)


class Turns:
    """fit^m while the problems take turns: one's losses vary, the others stand."""

    def __init__(
        self, losses: Sequence[ArrayLike], problems: Sequence[ProblemRows]
    ) -> None:
        self._losses = [np.asarray(loss, dtype=float) for loss in losses]
        self._problems = list(problems)
        self._n_classes = 1 + max(max(problem.classes) for problem in problems)
        means = [self._class_mean(c, self._losses) for c in range(self._n_classes)]
        self.class_means = np.stack(means, axis=-1)

    def with_problem(self, p: int, losses: Floats) -> Floats:
        """Return the fitness with each row of ``losses`` in place of problem p's."""
        means = np.tile(self.class_means, (len(losses), 1))
        changed = list(self._losses)
        changed[p] = losses
        for c in self._problems[p].classes:  # nothing else changes
            means[:, c] = self._class_mean(c, changed)
        return np.asarray(means.mean(axis=1))

    def settle(self, p: int, loss: Floats) -> None:
        """Let ``loss`` stand for problem p from now on."""
        self._losses[p] = loss
        for c in self._problems[p].classes:
            self.class_means[c] = self._class_mean(c, self._losses)

    def _class_mean(self, c: int, losses: list[Floats]) -> Floats:
        """Return the mean over class c's samples of their largest loss."""
        of_class = []
        for problem, loss in zip(self._problems, losses, strict=True):
            if c in problem.classes:
                places = problem.places(c)
                of_class.append(loss[..., places])
                weight = problem.weight[places]
        of_class.sort(key=np.ndim)  # one row before many: fewer comparisons
        return _weighted_mean(reduce(np.maximum, of_class), weight)


# every fitness by its name; not all of them look at delta
FITNESS: dict[str, Callable[[float], Fitness]] = {
    "ave": AverageLoss,
    "max": MaximumLoss,
    "cv": lambda delta: HeldOutError(),
}


def make_fitness(name: str, *, delta: float) -> Fitness:
    """Return the fitness of this name.

    Examples
    --------
    >>> from isvmde.core.fitness import make_fitness
    >>> make_fitness("ave", delta=0.05)
    AverageLoss(delta=0.05)
    """
    if name not in FITNESS:
        raise ValueError(f"fitness={name!r} is not known: use one of {tuple(FITNESS)}.")
    return FITNESS[name](delta)


def _sum_of_class_means(error: Floats, problem: ProblemRows) -> Floats:
    """Return the sum over a problem's classes of their mean errors."""
    means = []
    for c in problem.classes:
        places = problem.places(c)
        means.append(_weighted_mean(error[..., places], problem.weight[places]))
    return reduce(np.add, means)


def _mean_over_classes(
    shares: Sequence[ArrayLike], problems: Sequence[ProblemRows]
) -> Floats:
    """Return the sum of the shares per class of a problem."""
    n_means = sum(len(problem.classes) for problem in problems)
    values = np.ascontiguousarray(np.stack(shares, axis=-1))
    return np.asarray(values.sum(axis=-1) / n_means)


def _weighted_mean(values: Floats, weight: Floats) -> Floats:
    """Mean over the last axis; contiguous, so that the order of summation is fixed."""
    return np.asarray(np.ascontiguousarray(values * weight).sum(axis=-1) / weight.sum())
