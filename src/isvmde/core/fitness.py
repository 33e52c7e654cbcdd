"""The paper's fitness functions fit^a and fit^m from solved pairs (section 3.3, 4).

An object per fitness says whether it is a sum over pairs, what a pair contributes and
what a population is worth. Samples are sorted by class: class c holds the rows
``class_start[c]`` up to ``class_start[c + 1]``, and ``weight`` counts how often each
row occurs. What belongs to a pair is a vector over the rows of its class plus, then
those of its class minus. Every function takes leading axes as well (a population at
once) and gives the same bits for one individual as for many.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import reduce
from typing import ClassVar

import numpy as np
from numpy.typing import ArrayLike

from .arrays import Floats, Ints
from .pairs import confidence

__all__ = ["FITNESS", "Average", "Fitness", "Maximum", "Turns", "pair_terms"]


def pair_terms(
    f: ArrayLike,
    nsv: ArrayLike,
    weight: ArrayLike,
    n_plus: int,
    valid: ArrayLike = True,
    *,
    delta: float = 0.05,
) -> tuple[Floats, Floats]:
    """Return errors e (..., rows) and bound B (...) of one solved pair.

    e = 1/(1 + exp(y f)): the paper prints the other sign, under which the worst
    classifier would win. B = sqrt((ln nsv + ln(1/delta)) / (2 N)), where ``nsv`` and N
    are the summed weights of support vectors and of samples, at least 1, and ``delta``
    is the probability that the true error exceeds the estimate. ``f`` (..., rows) has
    the ``n_plus`` rows of plus first. Where ``valid`` is False there is no SVM: e = 0.5
    and nsv = N, whatever f and nsv hold.

    Examples
    --------
    >>> from isvmde.core.fitness import pair_terms
    >>> error, bound = pair_terms([2.0, -2.0], 2, [1.0, 1.0], 1)
    >>> error.round(3).tolist(), float(bound.round(3))
    ([0.119, 0.119], 0.96)
    """
    ok, weight = np.asarray(valid, dtype=bool), np.asarray(weight, dtype=float)
    n_pair = weight.sum()
    y = np.where(np.arange(weight.size) < n_plus, 1.0, -1.0)
    error = confidence(-y * np.where(ok[..., None], f, 0.0))
    # No support vector at all would give ln 0: a degenerate SVM as the optimum. Weights
    # that are no counts may sum to less than one sample: B would drown the errors.
    log_nsv = np.log(np.maximum(np.where(ok, nsv, n_pair), 1.0))
    return error, np.sqrt((log_nsv - np.log(delta)) / (2.0 * np.maximum(n_pair, 1.0)))


@dataclass(frozen=True)
class Average:
    """fit^a: every sample's mean of e + B_j over its pairs, averaged class by class.

    Each sample of a class is in M-1 pairs, so this is a sum over pairs: their shares
    can be minimised one by one.

    Examples
    --------
    >>> import numpy as np
    >>> from isvmde.core.fitness import Average
    >>> pairs, start = np.array([[0, 1], [0, 2], [1, 2]]), np.arange(4)
    >>> fit = Average().of_population([0.9, 1.2, 0.6], pairs, start, np.ones(3))
    >>> float(fit.round(3))
    0.45
    """

    additive: ClassVar[bool] = True
    delta: float = 0.05

    def of_pair(
        self, f: Floats, nsv: Floats, weight: Floats, n_plus: int, valid: ArrayLike
    ) -> Floats:
        """Return mean e over plus + mean e over minus + 2 B_j; see `pair_terms`."""
        error, bound = pair_terms(f, nsv, weight, n_plus, valid, delta=self.delta)
        plus = _weighted_mean(error[..., :n_plus], weight[:n_plus])
        minus = _weighted_mean(error[..., n_plus:], weight[n_plus:])
        return plus + minus + 2.0 * bound

    def of_population(
        self, shares: Sequence[ArrayLike], pairs: Ints, start: Ints, weight: Floats
    ) -> Floats:
        """Return the sum of the pairs' shares / (M (M - 1)), M classes."""
        n_classes = len(start) - 1
        values = np.ascontiguousarray(np.stack(shares, axis=-1))
        return np.asarray(values.sum(axis=-1) / (n_classes * (n_classes - 1)))


@dataclass(frozen=True)
class Maximum:
    """fit^m: every sample's largest e + B_j over its pairs, averaged class by class.

    Examples
    --------
    >>> import numpy as np
    >>> from isvmde.core.fitness import Maximum
    >>> pairs, start = np.array([[0, 1], [0, 2], [1, 2]]), np.arange(4)
    >>> losses = [[0.1, 0.2], [0.3, 0.1], [0.2, 0.6]]
    >>> fit = Maximum().of_population(losses, pairs, start, np.ones(3))
    >>> float(fit.round(6))
    0.366667
    """

    additive: ClassVar[bool] = False
    delta: float = 0.05

    def of_pair(
        self, f: Floats, nsv: Floats, weight: Floats, n_plus: int, valid: ArrayLike
    ) -> Floats:
        """Return e + B_j of every row: B_j is inside the maximum, as pairs differ."""
        error, bound = pair_terms(f, nsv, weight, n_plus, valid, delta=self.delta)
        return error + bound[..., None]

    def of_population(
        self, losses: Sequence[ArrayLike], pairs: Ints, start: Ints, weight: Floats
    ) -> Floats:
        """Return the mean over classes of the mean over samples of the maximum."""
        turns = Turns(losses, pairs, start, weight)
        return np.asarray(turns.class_means.mean(axis=-1))


class Turns:
    """fit^m while the pairs take turns: one pair's losses vary, the others stand."""

    def __init__(
        self, losses: Sequence[ArrayLike], pairs: Ints, start: Ints, weight: Floats
    ) -> None:
        self._losses = [np.asarray(loss, dtype=float) for loss in losses]
        self._pairs, self._weight = pairs.tolist(), np.split(weight, start[1:-1])
        means = [self._class_mean(c, self._losses) for c in range(len(start) - 1)]
        self.class_means = np.stack(means, axis=-1)

    def with_pair(self, p: int, losses: Floats) -> Floats:
        """Return the fitness with each row of ``losses`` in place of pair p's."""
        means = np.tile(self.class_means, (len(losses), 1))
        changed = [*self._losses[:p], losses, *self._losses[p + 1 :]]
        for c in self._pairs[p]:  # nothing else changes
            means[:, c] = self._class_mean(c, changed)
        return np.asarray(means.mean(axis=1))

    def settle(self, p: int, loss: Floats) -> None:
        """Let ``loss`` stand for pair p from now on."""
        self._losses[p] = loss
        for c in self._pairs[p]:
            self.class_means[c] = self._class_mean(c, self._losses)

    def _class_mean(self, c: int, losses: list[Floats]) -> Floats:
        """Return the mean over class c's samples of their largest loss."""
        weight = self._weight[c]
        own = [
            loss[..., : len(weight)] if c == pair[0] else loss[..., -len(weight) :]
            for pair, loss in zip(self._pairs, losses, strict=True)
            if c in pair
        ]
        own.sort(key=np.ndim)  # one row before many: fewer comparisons
        return _weighted_mean(reduce(np.maximum, own), weight)


Fitness = Average | Maximum
FITNESS: dict[str, type[Average] | type[Maximum]] = {"ave": Average, "max": Maximum}


def _weighted_mean(values: Floats, weight: Floats) -> Floats:
    """Mean over the last axis; contiguous, so that the order of summation is fixed."""
    return np.asarray(np.ascontiguousarray(values * weight).sum(axis=-1) / weight.sum())
