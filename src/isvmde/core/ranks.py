"""Features as ranks: where a value lies among the training set's.

A kernel on ranks does not care how a feature is scaled: a long tail, which squeezes
the rest of a min-max scaled feature into a corner, becomes as wide as it is heavy.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np


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
    for column in X.T:
        distinct, place = np.unique(column, return_inverse=True)
        # ascending weights of one value: a sum of fractions depends on its order
        order = np.lexsort((weight, place))
        summed = np.add.reduceat(
            weight[order], np.searchsorted(place[order], np.arange(len(distinct)))
        )
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
        # between values 1e-309 apart the slope overflows
        np.clip(np.interp(column, known, rank), 0.0, 1.0)
        for column, known, rank in zip(X.T, values, ranks, strict=True)
    ]
    return np.ascontiguousarray(np.stack(columns, axis=1))
