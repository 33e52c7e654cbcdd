"""One-vs-one: the pairs of classes, their votes, scores and probabilities.

A pair is a row (plus, minus) of ``pairs`` (P, 2) and has one decision value f per
sample, a column of ``F`` (n, P); f >= 0 is a vote for plus, the rarer class of the pair
(section 2.2 of the paper). All arithmetic is row by row: a sample's result does not
depend on its neighbours.
"""

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import ArrayLike

from ..arrays import Floats, Ints
from .coupling import confidence, couple_probabilities
from .problems import BinaryProblem, Decisions, check_class_size


@dataclass(frozen=True, eq=False)
class OneVsOne:
    """A machine for every pair of classes, and every machine has a vote.

    Most votes win, and a tie goes to the class with fewer training samples.

    Examples
    --------
    >>> import numpy as np
    >>> from isvmde.core.decomposition import KnownDecisions, OneVsOne
    >>> decomposition = OneVsOne(np.array([30.0, 20.0, 10.0]))
    >>> decomposition.problems[0]
    BinaryProblem(plus=(1,), minus=(0,))
    >>> decisions = KnownDecisions(np.array([[0.5, -0.5, 1.0]]))
    >>> decomposition.predict(decisions), decomposition.scores(decisions).round(2)
    (array([2]), array([[1.08, 1.41, 1.76]]))
    """

    class_size: Floats
    class_rank: Ints | None = None  # 0 for the rarest; None: by size, then by index

    @cached_property
    def pairs(self) -> Ints:
        """The pairs of classes as rows (plus, minus)."""
        rarity = self.class_size if self.class_rank is None else self.class_rank
        return make_pairs(rarity)

    @cached_property
    def problems(self) -> tuple[BinaryProblem, ...]:
        """The pairs, in the order (0, 1), (0, 2), ..."""
        return problems_of_pairs(self.pairs)

    def predict(self, decisions: Decisions) -> Ints:
        """Return the class with most votes, (n,)."""
        return predict_index(decisions.of_all(), self.pairs, self.class_size)

    def scores(self, decisions: Decisions) -> Floats:
        """Return scores by votes, then the rarer class, then confidence."""
        F = decisions.of_all()
        if len(self.class_size) == 2:
            return binary_decision(F, self.pairs)
        return vote_scores(F, self.pairs, self.class_size)

    def probabilities(self, decisions: Decisions) -> Floats:
        """Return 1/(1 + exp(-f)) of the pairs, coupled; the voted class has most."""
        F, n_classes = decisions.of_all(), len(self.class_size)
        voted = predict_index(F, self.pairs, self.class_size)
        return couple_probabilities(F, self.pairs, n_classes, voted)


def problems_of_pairs(pairs: Ints) -> tuple[BinaryProblem, ...]:
    """Return pairs as binary problems."""
    return tuple(BinaryProblem((plus,), (minus,)) for plus, minus in pairs.tolist())


def make_pairs(class_size: ArrayLike) -> Ints:
    """Return all pairs of classes as rows (plus, minus), in the order (0,1), (0,2), ...

    Plus is the class of smaller summed weight, the lower index on equality.

    Examples
    --------
    >>> make_pairs([50, 10, 50]).tolist()
    [[1, 0], [0, 2], [1, 2]]
    """
    size = check_class_size(class_size)
    p, q = np.triu_indices(size.size, k=1)
    q_is_plus = size[q] < size[p]
    return np.column_stack([np.where(q_is_plus, q, p), np.where(q_is_plus, p, q)])


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
    return np.asarray(np.argmax(votes * rarity.size + rarity, axis=1))


def vote_scores(F: ArrayLike, pairs: Ints, class_size: ArrayLike) -> Floats:
    """Return scores (n, M) of which the largest in a row is the prediction.

    A score is votes + (rarity + confidence / 2) / M: rarity is 0..M-1 with M-1 for
    the rarest class, confidence the mean of the class's M-1 pair confidences, which
    orders samples of equal votes but never overturns the paper's rule.

    Examples
    --------
    >>> size = [30, 20, 10]
    >>> scores = vote_scores([[0.5, -0.5, 1.0]], make_pairs(size), size)
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


def rarity_rank(class_size: ArrayLike) -> Ints:
    """Rank of each class, M-1 for the rarest; the lower index is rarer on equality."""
    size = np.asarray(class_size, dtype=np.float64)
    rank = np.empty(size.size, dtype=np.intp)
    rank[np.argsort(size, kind="stable")] = np.arange(size.size)[::-1]
    return rank
