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
from itertools import pairwise
from typing import Literal

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
    """Errors e and bound B of one solved pair.

    Parameters
    ----------
    f : array-like of shape (..., rows)
        Decision values, the rows of plus first.
    nsv : array-like of shape (...)
        Summed weight of the support vectors.
    weight : array-like of shape (rows,)
        Weights of the rows; their sum is N_j.
    n_plus : int
        How many of the rows belong to plus.
    delta : float
        See ``bound_term``.
    valid : array-like of bool of shape (...), default=True
        False where there is no SVM: its genes define none, or it was not solved. Then
        e = 0.5 and nsv = N_j, whatever f and nsv hold.

    Returns
    -------
    error : ndarray of shape (..., rows)
    bound : ndarray of shape (...)

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

    additive: Literal[True] = True

    def __init__(self, delta: float = 0.05) -> None:
        self.delta = delta

    def of_pair(
        self,
        f: ArrayLike,
        nsv: ArrayLike,
        weight: Floats,
        n_plus: int,
        *,
        valid: ArrayLike = True,
    ) -> Floats:
        """Return mean e over plus + mean e over minus + 2 B_j; see `pair_terms`."""
        error, bound = pair_terms(f, nsv, weight, n_plus, delta=self.delta, valid=valid)
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

    additive: Literal[False] = False

    def __init__(self, delta: float = 0.05) -> None:
        self.delta = delta

    def of_pair(
        self,
        f: ArrayLike,
        nsv: ArrayLike,
        weight: Floats,
        n_plus: int,
        *,
        valid: ArrayLike = True,
    ) -> Floats:
        """Return e + B_j of every row; see `pair_terms`.

        The bound is inside the maximum, because it depends on the pair.
        """
        error, bound = pair_terms(f, nsv, weight, n_plus, delta=self.delta, valid=valid)
        return error + bound[..., None]

    def of_population(
        self,
        contributions: Sequence[ArrayLike],
        pairs: Ints,
        class_start: Ints,
        weight: Floats,
    ) -> Floats:
        """Return the mean over classes of the mean over samples of the maximum."""
        worst = _sample_max(contributions, pairs, class_start)
        return np.asarray(_class_means(worst, weight, class_start).mean(axis=-1))


class Turns:
    """fit^m while the pairs take turns: one pair's losses vary, the others stand.

    Parameters
    ----------
    losses : P arrays of shape (rows of the pair,)
        What stands for every pair at the beginning.
    pairs, class_start, weight
        As for `Maximum.of_population`.
    """

    def __init__(
        self, losses: Sequence[Floats], pairs: Ints, class_start: Ints, weight: Floats
    ) -> None:
        self._losses = list(losses)
        self._pairs, self._start, self._weight = pairs, class_start, weight
        worst = _sample_max(losses, pairs, class_start)
        self._means = _class_means(worst, weight, class_start)

    @property
    def value(self) -> float:
        """Fitness of what stands now."""
        return float(self._means.mean())

    def with_pair(self, p: int, losses: Floats) -> Floats:
        """Return the fitness with each row of ``losses`` in place of pair p's."""
        return np.asarray(self._means_with(p, losses).mean(axis=1))

    def settle(self, p: int, loss: Floats) -> None:
        """Let ``loss`` stand for pair p from now on."""
        self._means = self._means_with(p, loss[None])[0]
        self._losses[p] = loss

    def _means_with(self, p: int, losses: Floats) -> Floats:
        """Return the class means: only those of pair p's two classes change."""
        means = np.tile(self._means, (len(losses), 1))
        begin = 0
        for c in self._pairs[p]:
            rows = slice(self._start[c], self._start[c + 1])
            end = begin + rows.stop - rows.start
            worst = np.maximum(losses[:, begin:end], self._largest_elsewhere(p, c))
            means[:, c] = _weighted_mean(worst, self._weight[rows])
            begin = end
        return means

    def _largest_elsewhere(self, p: int, c: int) -> Floats:
        """Return the largest losses of class c's samples in pairs other than p."""
        size = self._start[c + 1] - self._start[c]
        largest = np.full(size, -np.inf)
        for q in np.flatnonzero((self._pairs == c).any(axis=1)):
            if q != p:
                loss = self._losses[q]
                mine = loss[:size] if self._pairs[q, 0] == c else loss[-size:]
                np.maximum(largest, mine, out=largest)
        return largest


Fitness = Average | Maximum
FITNESS: dict[str, type[Average] | type[Maximum]] = {"ave": Average, "max": Maximum}


def _sample_max(losses: Sequence[ArrayLike], pairs: Ints, class_start: Ints) -> Floats:
    """Return L^m: for every sample the maximum over its pairs, (..., n)."""
    arrays = [np.asarray(loss, dtype=np.float64) for loss in losses]
    lead = np.broadcast_shapes(*(loss.shape[:-1] for loss in arrays))
    result = np.full((*lead, int(class_start[-1])), -np.inf)
    for loss, (plus, minus) in zip(arrays, pairs, strict=True):
        n_plus = int(class_start[plus + 1] - class_start[plus])
        for c, part in ((plus, loss[..., :n_plus]), (minus, loss[..., n_plus:])):
            mine = result[..., class_start[c] : class_start[c + 1]]
            np.maximum(mine, part, out=mine)
    return result


def _class_means(values: Floats, weight: Floats, class_start: Ints) -> Floats:
    """Return the weighted mean of values (..., n) in every class, (..., M)."""
    means = [
        _weighted_mean(values[..., a:b], weight[a:b]) for a, b in pairwise(class_start)
    ]
    return np.stack(means, axis=-1)


def _weighted_mean(values: Floats, weight: Floats) -> Floats:
    """Mean over the last axis; contiguous, so that the order of summation is fixed."""
    return np.asarray(np.ascontiguousarray(values * weight).sum(axis=-1) / weight.sum())
