"""Views: what a kernel sees of the features, of the training set and of new samples.

"values" are the features as given; "ranks" say where a value lies among the training
set's, from 0 to 1; the "weighted" views multiply every feature by its relevance.

Relevance is learned from labels, so a row that it was learned from is no judge of a
machine that sees it. The rows of a training set are therefore dealt among parts, and
the relevance "of a part" is learned from all rows but those of the part.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np

from .arrays import Ints
from .kernels import shift_origin, shifted
from .solver import MINIMUM

VALUES, RANKS = "values", "ranks"
WEIGHTED = {VALUES: "weighted values", RANKS: "weighted ranks"}
VIEWS = (VALUES, RANKS, *WEIGHTED.values())
_BY_RANK = (RANKS, WEIGHTED[RANKS])


class Sight(NamedTuple):
    """What a kernel sees of the features."""

    view: str
    base: int  # of the kernel: that of sums of minima counts from an origin
    part: int = 0  # whose relevance the weighted views take


@dataclass(frozen=True)
class Views:
    """The views of one training set, for it and for new samples."""

    values: Sequence[np.ndarray]  # every feature's distinct values
    ranks: Sequence[np.ndarray]  # and their ranks
    origin: np.ndarray  # (d,) where the min kernel begins to count
    relevance: np.ndarray  # (parts, d) weights of the features
    rank_relevance: np.ndarray  # (parts, d) and of their ranks

    @classmethod
    def of(cls, X: np.ndarray, weight: np.ndarray) -> "Views":
        """Return the views of rows that need no labels: all but the weighted ones."""
        values, ranks = rank_knots(X, weight)
        nothing = np.empty((0, X.shape[1]))
        return cls(
            values=values,
            ranks=ranks,
            origin=shift_origin(X),
            relevance=nothing,
            rank_relevance=nothing,
        )

    @classmethod
    def from_dict(cls, saved: Mapping[str, Any]) -> "Views":
        """Return views from what `to_dict` made."""
        return cls(
            values=saved["values"],
            ranks=saved["ranks"],
            origin=saved["origin"],
            relevance=saved["relevance"],
            rank_relevance=saved["rank_relevance"],
        )

    def with_relevance(
        self,
        X: np.ndarray,
        weight: np.ndarray,
        class_start: Ints,
        part: Ints,
        n_parts: int,
    ) -> "Views":
        """Return the same with the relevance of every part, 0 to n_parts - 1.

        Rows are sorted by class; ``part`` (n,) says which part a row is of. Few rows
        may leave a part empty: its relevance is learned from all of them.
        """
        ranked = to_ranks(X, self.values, self.ranks)
        of_parts, of_parts_by_rank = [], []
        for k in range(n_parts):
            others = part != k
            of_parts.append(relevance_of_some(X, weight, class_start, others))
            by_rank = relevance_of_some(ranked, weight, class_start, others)
            of_parts_by_rank.append(by_rank)
        return replace(
            self,
            relevance=np.array(of_parts),
            rank_relevance=np.array(of_parts_by_rank),
        )

    def see(self, X: np.ndarray, sight: Sight) -> np.ndarray:
        """Return X as a kernel sees it."""
        return self.see_all(X, [sight])[0]

    def see_all(self, X: np.ndarray, sights: Sequence[Sight]) -> list[np.ndarray]:
        """Return X as several kernels see it; ranks are found once."""
        ranked = X
        if any(sight.view in _BY_RANK for sight in sights):
            ranked = to_ranks(X, self.values, self.ranks)
        result = []
        for view, base, part in sights:
            if view in _BY_RANK:
                seen, relevance = ranked, self.rank_relevance
            elif base == MINIMUM:
                seen, relevance = shifted(X, self.origin), self.relevance
            else:
                seen, relevance = X, self.relevance
            if view in WEIGHTED.values():
                seen = seen * relevance[part]
            result.append(np.ascontiguousarray(seen))
        return result

    def thinned(self, most: int) -> "Views":
        """Return the same with at most ``most`` known values per feature."""
        values, ranks = [], []
        for known, rank in zip(self.values, self.ranks, strict=True):
            kept = np.arange(len(known))
            if len(known) > most:
                kept = np.unique(
                    np.linspace(0, len(known) - 1, most).round().astype(int)
                )
            values.append(known[kept])
            ranks.append(rank[kept])
        return replace(self, values=values, ranks=ranks)

    def to_dict(self) -> dict[str, Any]:
        """Return the arrays by name, for a file."""
        return {
            "values": self.values,
            "ranks": self.ranks,
            "origin": self.origin,
            "relevance": self.relevance,
            "rank_relevance": self.rank_relevance,
        }


def relevance_of_some(
    X: np.ndarray, weight: np.ndarray, class_start: Ints, chosen: np.ndarray
) -> np.ndarray:
    """Return the `relevance` that some rows, a mask, say features have.

    A class of which no row is chosen says nothing.
    """
    n_chosen = [int(chosen[start:end].sum()) for start, end in pairwise(class_start)]
    present = [n for n in n_chosen if n > 0]
    if len(present) < 2:
        return np.ones(X.shape[1])
    start = np.concatenate([[0], np.cumsum(present)])
    return relevance(X[chosen], weight[chosen], start)


def relevance(X: np.ndarray, weight: np.ndarray, class_start: np.ndarray) -> np.ndarray:
    """Return what every feature says about the class, the largest made 1.

    It is the correlation ratio of the feature with the class, or that of its distance
    from its middle if that is larger: a class may lie around the others. Where no
    feature says anything all weights are 1.

    Examples
    --------
    >>> import numpy as np
    >>> X = np.array([[0.0, 5.0], [1.0, 4.0], [8.0, 5.0], [9.0, 4.0]])
    >>> relevance(X, np.ones(4), np.array([0, 2, 4]))
    array([1., 0.])
    >>> around = np.array([[1.0, 5.0], [9.0, 4.0], [4.0, 5.0], [6.0, 4.0]])
    >>> relevance(around, np.ones(4), np.array([0, 2, 4]))
    array([1., 0.])
    """
    # eta^2 does not depend on the scale; with this one no square overflows
    X = X / np.maximum(np.abs(X).max(axis=0, initial=0.0), np.finfo(float).tiny)
    moved = _class_moments(X, weight, class_start)
    distance = np.abs(X - moved.middle)
    spread = _class_moments(distance, weight, class_start)
    eta2 = np.maximum(moved.correlation_ratio, spread.correlation_ratio)
    largest = eta2.max(initial=0.0)
    return np.asarray(eta2 / largest) if largest > 0.0 else np.ones_like(eta2)


class _ClassMoments(NamedTuple):
    """Means and variances of every feature, every class counting the same."""

    middle: np.ndarray  # (d,) mean of the class means
    between: np.ndarray  # (d,) their variance
    within: np.ndarray  # (d,) mean variance within the classes

    @property
    def correlation_ratio(self) -> np.ndarray:
        """eta^2 = variance of the class means / (that + variance within classes)."""
        total = self.between + self.within
        nothing = np.zeros_like(total)
        ratio = np.divide(self.between, total, out=nothing, where=total > 0.0)
        return np.asarray(ratio)


def _class_moments(
    X: np.ndarray, weight: np.ndarray, class_start: np.ndarray
) -> _ClassMoments:
    """Return the moments of all features."""
    means, within = [], []
    for start, end in pairwise(class_start):
        share = weight[start:end] / weight[start:end].sum()
        # not through BLAS, whose last digits depend on its threads
        mean = np.einsum("i,ij->j", share, X[start:end])
        means.append(mean)
        within.append(np.einsum("i,ij->j", share, (X[start:end] - mean) ** 2))
    # sums in an order that does not depend on the names of classes
    in_order = np.sort(means, axis=0)
    return _ClassMoments(
        middle=np.mean(in_order, axis=0),
        between=np.var(in_order, axis=0),
        within=np.mean(np.sort(within, axis=0), axis=0),
    )


def rank_knots(
    X: np.ndarray, weight: np.ndarray
) -> tuple[list[np.ndarray], list[np.ndarray]]:
    """Return every feature's distinct values, ascending, and their ranks in [0, 1].

    The rank of a value is the weight below it plus half of its own, scaled so that
    the smallest value has rank 0 and the largest 1; a constant feature has rank 0.

    Examples
    --------
    >>> import numpy as np
    >>> X = np.array([[1.0], [2.0], [2.0], [50.0]])
    >>> rank_knots(X, np.ones(4))
    ([array([ 1.,  2., 50.])], [array([0. , 0.5, 1. ])])
    """
    values, ranks = [], []
    whole = not (weight % 1.0).any()
    for column in X.T:
        distinct, place = np.unique(column, return_inverse=True)
        if whole:
            summed = np.bincount(place, weight)
        else:  # ascending weights of one value: a sum of fractions depends on its order
            order = np.lexsort((weight, place))
            first = np.searchsorted(place[order], np.arange(len(distinct)))
            summed = np.add.reduceat(weight[order], first)
        middle = np.cumsum(summed) - 0.5 * summed
        middle -= middle[0]
        values.append(distinct)
        ranks.append(middle / middle[-1] if len(distinct) > 1 else middle)
    return values, ranks


def to_ranks(
    X: np.ndarray, values: Sequence[np.ndarray], ranks: Sequence[np.ndarray]
) -> np.ndarray:
    """Return X with ranks for values: linear between the knots, constant beyond.

    Examples
    --------
    >>> import numpy as np
    >>> values, ranks = [np.array([2.0, 50.0])], [np.array([0.0, 1.0])]
    >>> to_ranks(np.array([[26.0], [99.0]]), values, ranks)
    array([[0.5],
           [1. ]])
    """
    columns = [
        np.interp(column, known, rank)
        for column, known, rank in zip(X.T, values, ranks, strict=True)
    ]
    # between values 1e-309 apart the slope overflows
    return np.ascontiguousarray(np.clip(np.stack(columns, axis=1), 0.0, 1.0))
