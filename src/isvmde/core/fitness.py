"""The paper's fitness functions fit^a and fit^m from solved pairs (section 3.3, 4).

Samples are sorted by class: class c holds the rows ``class_start[c]`` up to
``class_start[c + 1]``, and ``weight`` counts how often each row occurs. What belongs to
a pair is a vector over the rows of its class plus, then those of its class minus. Every
function takes leading axes as well (a population at once) and gives the same bits for
one individual as for many.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

import numpy as np
from numpy.typing import ArrayLike, NDArray

from isvmde.core.pairs import confidence

__all__ = [
    "bound_term",
    "class_means",
    "fit_ave",
    "fit_max",
    "logistic_error",
    "pair_ave",
    "pair_terms",
    "sample_max",
]

Floats = NDArray[np.float64]
Ints = NDArray[np.intp]

INVALID_ERROR = 0.5  # e of a pair whose genes define no SVM: as good as a coin


def logistic_error(yf: ArrayLike) -> Floats:
    """Return e = 1 - P(y|f) = 1/(1 + exp(y f)).

    The paper's sigmoid is printed with the other sign, under which the worst classifier
    would win; this is the only reading that rewards correct decisions.

    Examples
    --------
    >>> from isvmde.core.fitness import logistic_error
    >>> logistic_error([-1e4, 0.0, 1.0, 1e4]).round(3).tolist()
    [1.0, 0.5, 0.269, 0.0]
    """
    return confidence(-np.asarray(yf, dtype=np.float64))


def bound_term(nsv: ArrayLike, n_pair: ArrayLike, delta: float) -> Floats:
    """Return B_j = sqrt((ln nsv + ln(1/delta)) / (2 N_j)), with nsv at least 1.

    Parameters
    ----------
    nsv : array-like
        Summed weight of the support vectors of the pair.
    n_pair : array-like
        N_j, summed weight of the training samples of the pair.
    delta : float
        Probability that the true error exceeds the estimate, in (0, 1].

    Examples
    --------
    >>> from isvmde.core.fitness import bound_term
    >>> float(bound_term(20, 100, 0.05).round(6))
    0.173082
    """
    if not 0.0 < delta <= 1.0:
        raise ValueError(f"delta is {delta}: it is a probability, use 0 < delta <= 1.")
    # No support vector at all would give ln 0: a degenerate SVM as the optimum.
    log_nsv = np.log(np.maximum(np.asarray(nsv, dtype=np.float64), 1.0))
    n_pair = np.asarray(n_pair, dtype=np.float64)
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
        False where the genes define no SVM (no margin, or no cost of a class): then
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
    yf = np.where(ok[..., None], y * f, 0.0)  # before exp: f may be NaN there
    error = np.where(ok[..., None], logistic_error(yf), INVALID_ERROR)
    return error, bound_term(np.where(ok, nsv, n_pair), n_pair, delta)


def pair_ave(
    error: ArrayLike, bound: ArrayLike, weight: ArrayLike, n_plus: int
) -> Floats:
    """Share of one pair in fit^a: mean e over plus + mean e over minus + 2 B_j.

    Examples
    --------
    >>> from isvmde.core.fitness import pair_ave
    >>> float(pair_ave([0.2, 0.4, 0.1], 0.25, [1.0, 1.0, 1.0], 2).round(3))
    0.9
    """
    error = np.asarray(error, dtype=np.float64)
    weight = np.asarray(weight, dtype=np.float64)
    plus = _weighted_mean(error[..., :n_plus], weight[:n_plus])
    minus = _weighted_mean(error[..., n_plus:], weight[n_plus:])
    return plus + minus + 2.0 * np.asarray(bound, dtype=np.float64)


def fit_ave(pair_values: ArrayLike, n_classes: int) -> Floats:
    """fit^a = sum of ``pair_ave`` over the pairs (the last axis) / (M (M - 1)).

    Each sample of a class is in M-1 pairs, so the mean over classes, samples and pairs
    of the paper is this sum: additive over the pairs.

    Examples
    --------
    >>> from isvmde.core.fitness import fit_ave
    >>> float(fit_ave([0.9, 1.2, 0.6], 3).round(3))
    0.45
    """
    values = np.ascontiguousarray(pair_values, dtype=np.float64)
    return values.sum(axis=-1) / (n_classes * (n_classes - 1))


def sample_max(losses: Sequence[ArrayLike], pairs: Ints, class_start: Ints) -> Floats:
    """L^m: for every sample the maximum over its pairs of e + B_j.

    Parameters
    ----------
    losses : sequence of P arrays of shape (..., rows of the pair)
        e + B_j, the bound inside the maximum because it depends on the pair.
    pairs : ndarray of shape (P, 2)
        Rows (plus, minus); any subset of the pairs. Samples in none of them get -inf.
    class_start : ndarray of shape (M + 1,)
        Offsets of the classes.

    Returns
    -------
    ndarray of shape (..., n)
    """
    arrays = [np.asarray(loss, dtype=np.float64) for loss in losses]
    lead = np.broadcast_shapes(*(loss.shape[:-1] for loss in arrays))
    result = np.full((*lead, int(class_start[-1])), -np.inf)
    for loss, (plus, minus) in zip(arrays, pairs, strict=True):
        n_plus = int(class_start[plus + 1] - class_start[plus])
        for c, part in ((plus, loss[..., :n_plus]), (minus, loss[..., n_plus:])):
            mine = result[..., class_start[c] : class_start[c + 1]]
            np.maximum(mine, part, out=mine)
    return result


def class_means(values: ArrayLike, weight: ArrayLike, class_start: Ints) -> Floats:
    """Weighted mean of values (..., n) in every class: shape (..., M)."""
    values = np.asarray(values, dtype=np.float64)
    weight = np.asarray(weight, dtype=np.float64)
    means = [
        _weighted_mean(values[..., a:b], weight[a:b]) for a, b in pairwise(class_start)
    ]
    return np.stack(means, axis=-1)


def fit_max(
    errors: Sequence[ArrayLike],
    bounds: Sequence[ArrayLike],
    pairs: Ints,
    class_start: Ints,
    weight: ArrayLike,
) -> Floats:
    """fit^m: mean over classes of the mean over samples of max_j (e + B_j).

    Parameters
    ----------
    errors, bounds : sequences of P arrays of shapes (..., rows of the pair) and (...)
        From ``pair_terms``.
    pairs : ndarray of shape (P, 2)
        Rows (plus, minus).
    class_start : ndarray of shape (M + 1,)
        Offsets of the classes.
    weight : array-like of shape (n,)
        Weights of the samples.

    Examples
    --------
    >>> import numpy as np
    >>> from isvmde.core.fitness import fit_max
    >>> pairs, start = np.array([[0, 1], [0, 2], [1, 2]]), np.arange(4)
    >>> errors = [[0.1, 0.2], [0.3, 0.1], [0.1, 0.5]]
    >>> float(fit_max(errors, [0.0, 0.0, 0.1], pairs, start, np.ones(3)).round(6))
    0.366667
    """
    losses = [
        np.asarray(error, dtype=np.float64) + np.asarray(bound)[..., None]
        for error, bound in zip(errors, bounds, strict=True)
    ]
    means = class_means(sample_max(losses, pairs, class_start), weight, class_start)
    return means.mean(axis=-1)


def _weighted_mean(values: Floats, weight: Floats) -> Floats:
    """Mean over the last axis; contiguous, so that the order of summation is fixed."""
    return np.ascontiguousarray(values * weight).sum(axis=-1) / weight.sum()
