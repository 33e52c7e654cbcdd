"""From the confidences of pairs of classes to probabilities of the classes.

A pair is a row (plus, minus) of ``pairs`` (P, 2) and has one decision f per sample, a
column of ``F`` (n, P). All arithmetic is row by row: a sample's result does not depend
on its neighbours.
"""

import numpy as np
from numpy.typing import ArrayLike

from ..arrays import Floats, Ints

_BLOCK = 2**20  # numbers in the linear systems that are solved at a time


def confidence(f: ArrayLike) -> Floats:
    """Confidence k = 1/(1 + exp(-f)) of a pair in its class plus, safe for any f."""
    f = np.asarray(f, dtype=np.float64)
    small = np.exp(-np.abs(f))  # in (0, 1]: never overflows
    return np.asarray(np.where(f >= 0, 1.0, small) / (1.0 + small))


def couple_probabilities(
    F: ArrayLike, pairs: Ints, n_classes: int, predicted: ArrayLike
) -> Floats:
    """Couple the pairs' confidences into class probabilities that agree with the votes.

    The second approach of Wu, Lin and Weng (J. Mach. Learn. Res. 5, 2004), then the
    least change, in Euclidean distance, after which the ``predicted`` class (n,) is the
    largest. The result is (n, M).
    """
    F = np.asarray(F, dtype=np.float64)
    chosen = np.asarray(predicted, dtype=np.intp)
    return make_largest(couple(confidence(F), pairs, n_classes), chosen)


def couple(r: Floats, pairs: Ints, n_classes: int) -> Floats:
    """Couple the pairs' probabilities of plus, (n, P), into class probabilities.

    Examples
    --------
    >>> import numpy as np
    >>> r = np.array([[0.5 / 0.8, 0.5 / 0.7, 0.3 / 0.5]])  # of (0.5, 0.3, 0.2)
    >>> couple(r, np.array([[0, 1], [0, 2], [1, 2]]), 3).round(6)
    array([[0.5, 0.3, 0.2]])
    """
    p = np.empty((len(r), n_classes))
    step = max(1, _BLOCK // (n_classes + 1) ** 2)
    for k in range(0, len(r), step):
        p[k : k + step] = _couple(r[k : k + step], pairs, n_classes)
    return p


def _couple(R: Floats, pairs: Ints, n_classes: int) -> Floats:
    """Minimise sum over pairs of (r_ji p_i - r_ij p_j)^2 subject to sum p = 1.

    The stationary point (Q e; e' 0)(p; b) = (0; 1) is unique: r_ji v_i = r_ij v_j for
    all pairs leaves no v with sum 0. Its p is not negative, as Wu et al. prove.
    """
    system = np.zeros((len(R), n_classes + 1, n_classes + 1))
    system[:, :n_classes, n_classes] = 1.0
    system[:, n_classes, :n_classes] = 1.0
    for r, (plus, minus) in zip(R.T, pairs, strict=True):
        r_other = 1.0 - r
        system[:, plus, plus] += r_other**2
        system[:, minus, minus] += r**2
        system[:, plus, minus] = system[:, minus, plus] = -r * r_other
    right = np.zeros((len(R), n_classes + 1, 1))
    right[:, n_classes] = 1.0
    solution = np.linalg.solve(system, right)[:, :n_classes, 0]
    p = np.maximum(solution, 0.0)  # rounding only
    return np.asarray(p / p.sum(axis=1, keepdims=True))


def make_largest(p: Floats, chosen: Ints) -> Floats:
    """Project rows of p onto those whose chosen entry is the largest, sum kept.

    The projection levels the chosen entry with the larger ones at their common mean t:
    the largest of the means of the chosen and the k largest others, k = 0, 1, ...
    """
    rows = np.arange(len(p))
    mine = p[rows, chosen]
    others = p.copy()
    others[rows, chosen] = -np.inf  # sorts last
    descending = -np.sort(-others, axis=1)[:, :-1]
    sums = np.cumsum(np.column_stack([mine, descending]), axis=1)
    t = np.max(sums / np.arange(1, p.shape[1] + 1), axis=1)
    # Strictly below t, so that argmax does not find another class first.
    levelled: Floats = np.minimum(p, (t - 2 * np.spacing(t))[:, None])
    levelled[rows, chosen] = t
    return levelled
