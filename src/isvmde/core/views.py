"""Views: what a kernel sees of the features, of the training set and of new samples.

"values" are the features as given; "ranks" say where a value lies among the training
set's, from 0 to 1; the "weighted" views multiply every feature by its relevance.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Any

import numpy as np

from .kernels import shift_origin, shifted
from .solver import MINIMUM

VALUES, RANKS = "values", "ranks"
WEIGHTED = {VALUES: "weighted values", RANKS: "weighted ranks"}
VIEWS = (VALUES, RANKS, *WEIGHTED.values())


@dataclass(frozen=True)
class Views:
    """The views of one training set, for it and for new samples."""

    values: Sequence[np.ndarray]  # every feature's distinct values
    ranks: Sequence[np.ndarray]  # and their ranks
    origin: np.ndarray  # (d,) where the min kernel begins to count
    relevance: np.ndarray  # (d,) weights of the features
    rank_relevance: np.ndarray  # and of their ranks

    @classmethod
    def of(cls, X: np.ndarray, weight: np.ndarray, class_start: np.ndarray) -> "Views":
        """Return the views of rows sorted by class."""
        values, ranks = rank_knots(X, weight)
        ranked = to_ranks(X, values, ranks)
        return cls(
            values,
            ranks,
            shift_origin(X),
            relevance(X, weight, class_start),
            relevance(ranked, weight, class_start),
        )

    def see(self, X: np.ndarray, view: str, base: int) -> np.ndarray:
        """Return X as a kernel with this base sees it."""
        return self.see_all(X, [(view, base)])[0]

    def see_all(
        self, X: np.ndarray, wanted: Sequence[tuple[str, int]]
    ) -> list[np.ndarray]:
        """Return X in several views, (view, base) each; ranks are found once."""
        by_rank = (RANKS, WEIGHTED[RANKS])
        ranked = X
        if any(view in by_rank for view, _ in wanted):
            ranked = to_ranks(X, self.values, self.ranks)
        result = []
        for view, base in wanted:
            seen, relevance = X, self.relevance
            if view in by_rank:
                seen, relevance = ranked, self.rank_relevance
            elif base == MINIMUM:
                seen = shifted(X, self.origin)
            if view in WEIGHTED.values():
                seen = seen * relevance
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
        return dict(vars(self))


def relevance(X: np.ndarray, weight: np.ndarray, class_start: np.ndarray) -> np.ndarray:
    """Return every feature's correlation ratio with the class, the largest made 1.

    eta^2 = variance of the class means / (that + mean variance within the classes),
    every class counting the same. Where no feature says anything all weights are 1.

    Examples
    --------
    >>> import numpy as np
    >>> X = np.array([[0.0, 5.0], [1.0, 4.0], [8.0, 5.0], [9.0, 4.0]])
    >>> relevance(X, np.ones(4), np.array([0, 2, 4]))
    array([1., 0.])
    """
    # eta^2 does not depend on the scale; with this one no square overflows
    X = X / np.maximum(np.abs(X).max(axis=0, initial=0.0), np.finfo(float).tiny)
    means, within = [], []
    for start, end in pairwise(class_start):
        share = weight[start:end] / weight[start:end].sum()
        # not through BLAS, whose last digits depend on its threads
        mean = np.einsum("i,ij->j", share, X[start:end])
        means.append(mean)
        within.append(np.einsum("i,ij->j", share, (X[start:end] - mean) ** 2))
    between = np.var(means, axis=0)
    total = between + np.mean(within, axis=0)
    eta2 = np.divide(between, total, out=np.zeros_like(total), where=total > 0.0)
    largest = eta2.max(initial=0.0)
    return np.asarray(eta2 / largest) if largest > 0.0 else np.ones_like(eta2)


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
