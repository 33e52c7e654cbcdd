"""One-vs-one: the pairs of classes, their votes, scores and probabilities.

Classes are indices 0..M-1 of summed weights ``class_size`` (M,). A pair is a row (plus,
minus) of ``pairs`` (P, 2) and has one decision value f per sample, a column of ``F``
(n, P); f >= 0 is a vote for plus, the rarer class of the pair (section 2.2 of the
paper). All arithmetic is row by row: a sample's result does not depend on its
neighbours.
"""

import numpy as np
from numpy.typing import ArrayLike

from .arrays import Floats, Ints

_BLOCK = 2**20  # numbers in the linear systems that are solved at a time


def make_pairs(class_size: ArrayLike) -> Ints:
    """Return all pairs of classes as rows (plus, minus), in the order (0,1), (0,2), ...

    Plus is the class of smaller summed weight, the lower index on equality.

    Examples
    --------
    >>> make_pairs([50, 10, 50]).tolist()
    [[1, 0], [0, 2], [1, 2]]
    """
    size = np.asarray(class_size, dtype=np.float64)
    if size.ndim != 1 or size.size < 2:
        raise ValueError(
            f"class_size has shape {size.shape}: give the sizes of two classes or more."
        )
    p, q = np.triu_indices(size.size, k=1)
    q_is_plus = size[q] < size[p]
    return np.column_stack([np.where(q_is_plus, q, p), np.where(q_is_plus, p, q)])


def confidence(f: ArrayLike) -> Floats:
    """Confidence k = 1/(1 + exp(-f)) of a pair in its class plus, safe for any f."""
    f = np.asarray(f, dtype=np.float64)
    small = np.exp(-np.abs(f))  # in (0, 1]: never overflows
    return np.where(f >= 0, 1.0, small) / (1.0 + small)


def vote_counts(F: ArrayLike, pairs: Ints, n_classes: int) -> Ints:
    """Return the votes for each class, (n, M): the sum over j of s_ij in the paper."""
    F = np.asarray(F, dtype=np.float64)
    votes = np.zeros((len(F), n_classes), dtype=np.intp)
    for f, (plus, minus) in zip(F.T, pairs, strict=True):
        for_plus = f >= 0  # f = 0 goes to plus: k_ij >= k_ji for the rarer class
        votes[:, plus] += for_plus
        votes[:, minus] += ~for_plus
    return votes


def predict_index(F: ArrayLike, pairs: Ints, class_size: ArrayLike) -> Ints:
    """Return the class with most votes; on a tie the rarest, then the lowest index."""
    rarity = rarity_rank(class_size)
    votes = vote_counts(F, pairs, rarity.size)
    return np.argmax(votes * rarity.size + rarity, axis=1)


def ovo_decision(F: ArrayLike, pairs: Ints, class_size: ArrayLike) -> Floats:
    """Return scores (n, M) of which the largest in a row is the prediction.

    A score is votes + (rarity + confidence / 2) / M: rarity is 0..M-1 with M-1 for
    the rarest class, confidence the mean of the class's M-1 pair confidences, which
    orders samples of equal votes but never overturns the paper's rule.

    Examples
    --------
    >>> size = [30, 20, 10]
    >>> scores = ovo_decision([[0.5, -0.5, 1.0]], make_pairs(size), size)
    >>> scores.round(2).tolist(), int(np.argmax(scores))
    ([[1.08, 1.41, 1.76]], 2)
    """
    F = np.asarray(F, dtype=np.float64)
    rarity = rarity_rank(class_size)
    n_classes = rarity.size
    total = np.zeros((len(F), n_classes))
    for f, (plus, minus) in zip(F.T, pairs, strict=True):
        total[:, plus] += confidence(f)
        total[:, minus] += confidence(-f)
    within = total / (2 * (n_classes - 1))  # in [0, 1/2]
    return vote_counts(F, pairs, n_classes) + (rarity + within) / n_classes


def binary_decision(F: ArrayLike, pairs: Ints) -> Floats:
    """Score class 1 of two so that ``score > 0`` is exactly the prediction of class 1.

    The score is f or -f, except where class 1 is plus and f lies between 0 and the
    smallest normal number: that number is returned, so that f = 0 still goes to plus.
    """
    f = np.asarray(F, dtype=np.float64)[:, 0]
    if pairs[0][0] == 0:
        return 0.0 - f  # not -f, which would make a negative zero
    return np.where(f >= 0, np.maximum(f, np.finfo(np.float64).tiny), f)


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
    return _make_largest(couple(confidence(F), pairs, n_classes), chosen)


def couple(r: Floats, pairs: Ints, n_classes: int) -> Floats:
    """Couple the pairs' probabilities of plus, (n, P), into class probabilities.

    Examples
    --------
    >>> import numpy as np
    >>> r = np.array([[0.5 / 0.8, 0.5 / 0.7, 0.3 / 0.5]])  # of (0.5, 0.3, 0.2)
    >>> couple(r, make_pairs([1, 1, 1]), 3).round(6)
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
    return p / p.sum(axis=1, keepdims=True)


def _make_largest(p: Floats, chosen: Ints) -> Floats:
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
    levelled = np.minimum(p, (t - 2 * np.spacing(t))[:, None])
    levelled[rows, chosen] = t
    return levelled


def rarity_rank(class_size: ArrayLike) -> Ints:
    """Rank of each class, M-1 for the rarest; the lower index is rarer on equality."""
    size = np.asarray(class_size, dtype=np.float64)
    rank = np.empty(size.size, dtype=np.intp)
    rank[np.argsort(size, kind="stable")] = np.arange(size.size)[::-1]
    return rank
