"""The paper's fitness functions fit^a and fit^m from solved pairs (section 3.3, 4).

An object per fitness says whether it is a sum over pairs, what a pair contributes and
what a population is worth. Samples are sorted by class: class c holds the rows
``class_start[c]`` up to ``class_start[c + 1]``, and ``weight`` counts how often each
row occurs. What belongs to a pair is a vector over the rows of its class plus, then
those of its class minus. Every function takes leading axes as well (a population at
once) and gives the same bits for one individual as for many.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import ArrayLike

from .arrays import Floats, Ints
from .pairs import confidence

__all__ = ["FITNESS", "Average", "Fitness", "Maximum", "Turns", "pair_terms"]

INVALID_ERROR = 0.5  # e of a pair that has no SVM: as good as a coin


def logistic_error(yf: ArrayLike) -> Floats:
    """Return e = 1 - P(y|f) = 1/(1 + exp(y f)).

    The paper's sigmoid is printed with the other sign, under which the worst classifier
    would win; this is the only reading that rewards correct decisions.
    """
    return confidence(-np.asarray(yf, dtype=np.float64))


def bound_term(nsv: ArrayLike, n_pair: ArrayLike, delta: float) -> Floats:
    """Return B_j = sqrt((ln nsv + ln(1/delta)) / (2 N_j)), nsv and N_j at least 1.

    ``nsv`` and ``n_pair`` are the summed weights of the pair's support vectors and of
    its samples; ``delta`` is the probability that the true error exceeds the estimate.
    """
    if not 0.0 < delta <= 1.0:
        raise ValueError(f"delta is {delta}: it is a probability, use 0 < delta <= 1.")
    # No support vector at all would give ln 0: a degenerate SVM as the optimum. Weights
    # that are no counts may sum to less than one sample: B_j would drown the errors.
    log_nsv = np.log(np.maximum(np.asarray(nsv, dtype=np.float64), 1.0))
    n_pair = np.maximum(np.asarray(n_pair, dtype=np.float64), 1.0)
    return np.sqrt((log_nsv - np.log(delta)) / (2.0 * n_pair))


def pair_terms(
    f: ArrayLike,
    nsv: ArrayLike,
    weight: ArrayLike,
    n_plus: int,
    *,
    delta: float = 0.05,
    valid: ArrayLike = True,
) -> tuple[Floats, Floats]:
    """Return errors e (..., rows) and bound B (...) of one solved pair.

    ``f`` holds decision values (..., rows), the ``n_plus`` rows of plus first, ``nsv``
    the summed weight of the support vectors (...). Where ``valid`` is False there is
    no SVM: e = 0.5 and nsv = N_j, whatever f and nsv hold.

    Examples
    --------
    >>> from isvmde.core.fitness import pair_terms
    >>> error, bound = pair_terms([2.0, -2.0], 2, [1.0, 1.0], 1)
    >>> error.round(3).tolist(), float(bound.round(3))
    ([0.119, 0.119], 0.96)
    """
    f = np.asarray(f, dtype=np.float64)
    weight = np.asarray(weight, dtype=np.float64)
    ok = np.asarray(valid, dtype=bool)
    n_pair = weight.sum()
    y = np.where(np.arange(weight.size) < n_plus, 1.0, -1.0)
    yf = y * np.where(ok[..., None], f, 0.0)  # before exp: f may be NaN there
    error = np.where(ok[..., None], logistic_error(yf), INVALID_ERROR)
    return error, bound_term(np.where(ok, nsv, n_pair), n_pair, delta)


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
        self, error: Floats, bound: Floats, weight: Floats, n_plus: int
    ) -> Floats:
        """Return mean e over plus + mean e over minus + 2 B_j; see `pair_terms`."""
        plus = _weighted_mean(error[..., :n_plus], weight[:n_plus])
        minus = _weighted_mean(error[..., n_plus:], weight[n_plus:])
        return plus + minus + 2.0 * bound

    def of_population(
        self,
        contributions: Sequence[ArrayLike],
        pairs: Ints,
        class_start: Ints,
        weight: Floats,
    ) -> Floats:
        """Return the sum of the pairs' shares / (M (M - 1))."""
        n_classes = len(class_start) - 1
        shares = [np.asarray(share, dtype=np.float64) for share in contributions]
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
        self, error: Floats, bound: Floats, weight: Floats, n_plus: int
    ) -> Floats:
        """Return e + B_j of every row: B_j is inside the maximum, as pairs differ."""
        return error + bound[..., None]

    def of_population(
        self,
        contributions: Sequence[ArrayLike],
        pairs: Ints,
        class_start: Ints,
        weight: Floats,
    ) -> Floats:
        """Return the mean over classes of the mean over samples of the maximum."""
        turns = Turns(contributions, pairs, class_start, weight)
        return np.asarray(turns.class_means.mean(axis=-1))


class Turns:
    """fit^m while the pairs take turns: one pair's losses vary, the others stand.

    ``losses`` holds what stands for every pair at the beginning, e + B_j of its rows.
    ``class_means`` (..., M) are the means of the samples' largest losses.
    """

    def __init__(
        self,
        losses: Sequence[ArrayLike],
        pairs: Ints,
        class_start: Ints,
        weight: Floats,
    ) -> None:
        self._losses = [np.asarray(loss, dtype=np.float64) for loss in losses]
        self._pairs, self._start, self._weight = pairs, class_start, weight
        classes = range(len(class_start) - 1)
        self._pairs_of = [np.flatnonzero((pairs == c).any(axis=1)) for c in classes]
        means = [self._class_mean(c, self._largest(c)) for c in classes]
        self.class_means = np.stack(means, axis=-1)

    @property
    def value(self) -> float:
        """Fitness of what stands now."""
        return float(self.class_means.mean())

    def with_pair(self, p: int, losses: Floats) -> Floats:
        """Return the fitness with each row of ``losses`` in place of pair p's."""
        return np.asarray(self._means_with(p, losses).mean(axis=1))

    def settle(self, p: int, loss: Floats) -> None:
        """Let ``loss`` stand for pair p from now on."""
        self.class_means = self._means_with(p, loss[None])[0]
        self._losses[p] = loss

    def _means_with(self, p: int, losses: Floats) -> Floats:
        """Return the class means: only those of pair p's two classes change."""
        means = np.tile(self.class_means, (len(losses), 1))
        for c in self._pairs[p]:
            worst = np.maximum(self._rows_of(c, p, losses), self._largest(c, without=p))
            means[:, c] = self._class_mean(c, worst)
        return means

    def _largest(self, c: int, without: int | None = None) -> Floats:
        """Return the largest loss of class c's samples over its pairs but one."""
        own = [
            self._rows_of(c, q, self._losses[q])
            for q in self._pairs_of[c].tolist()
            if q != without
        ]
        return np.maximum.reduce(own) if own else np.array(-np.inf)

    def _rows_of(self, c: int, q: int, loss: Floats) -> Floats:
        """Return the part of pair q's losses that belongs to class c."""
        size = self._start[c + 1] - self._start[c]
        return loss[..., :size] if self._pairs[q, 0] == c else loss[..., -size:]

    def _class_mean(self, c: int, values: Floats) -> Floats:
        """Return the weighted mean over the rows of class c."""
        weight = self._weight[self._start[c] : self._start[c + 1]]
        return _weighted_mean(values, weight)


Fitness = Average | Maximum
FITNESS: dict[str, type[Average] | type[Maximum]] = {"ave": Average, "max": Maximum}


def _weighted_mean(values: Floats, weight: Floats) -> Floats:
    """Mean over the last axis; contiguous, so that the order of summation is fixed."""
    return np.asarray(np.ascontiguousarray(values * weight).sum(axis=-1) / weight.sum())
