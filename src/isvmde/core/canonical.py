"""The canonical form of a training set: weights are counts, order does not matter.

Rows of weight zero are dropped, identical rows of one class become one row with their
weights added, rows are sorted by class and then lexicographically. A weight of 2 and
the row twice then are the same bits, and so is everything computed from them.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from .ranks import rank_knots, to_ranks


@dataclass(frozen=True)
class TrainingSet:
    """A training set in canonical form.

    Attributes
    ----------
    X : (n, d) rows, sorted by class
    weight : (n,) how often each row occurs
    class_start : (M + 1,) class c holds the rows class_start[c] to class_start[c + 1]
    class_size : (M,) summed weights
    """

    X: np.ndarray
    weight: np.ndarray
    class_start: np.ndarray
    class_size: np.ndarray

    @property
    def n_classes(self) -> int:
        """Number of classes."""
        return len(self.class_size)

    @cached_property
    def rank_knots(self) -> tuple[list[np.ndarray], list[np.ndarray]]:
        """Every feature's values and their ranks."""
        return rank_knots(self.X, self.weight)

    @cached_property
    def ranked(self) -> np.ndarray:
        """X with ranks for values."""
        return to_ranks(self.X, *self.rank_knots)

    def seen_by(self, ranks: bool) -> np.ndarray:
        """Return the rows as a kernel sees them: as given, or as ranks."""
        return self.ranked if ranks else self.X

    def rows(self, c: int) -> slice:
        """Return the rows of class ``c``."""
        return slice(int(self.class_start[c]), int(self.class_start[c + 1]))

    def pair_rows(self, plus: int, minus: int) -> np.ndarray:
        """Return the rows of two classes, those of plus first."""
        return np.r_[self.rows(plus), self.rows(minus)]


def canonical_form(
    X: np.ndarray, y: np.ndarray, weight: np.ndarray
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return (X, y, weight) merged and sorted; y holds class indices.

    Examples
    --------
    >>> import numpy as np
    >>> X = np.array([[2.0], [1.0], [2.0], [7.0]])
    >>> canonical_form(X, np.array([1, 1, 1, 0]), np.array([1.0, 1.0, 1.0, 0.0]))
    (array([[1.],
           [2.]]), array([1, 1]), array([1., 2.]))
    """
    keep = weight > 0
    X, y, weight = X[keep] + 0.0, y[keep], weight[keep]  # + 0.0: -0.0 becomes 0.0
    # Weights are added in ascending order: a sum of fractions depends on its order.
    order = np.lexsort((weight, *X.T[::-1], y))
    X, y, weight = X[order], y[order], weight[order]
    new = np.ones(len(X), dtype=bool)
    new[1:] = (y[1:] != y[:-1]) | (X[1:] != X[:-1]).any(axis=1)
    first = np.flatnonzero(new)
    summed = np.add.reduceat(weight, first) if len(first) else weight
    return np.ascontiguousarray(X[first]), y[first], summed


def training_set(
    X: np.ndarray, y: np.ndarray, weight: np.ndarray, n_classes: int
) -> TrainingSet:
    """Return the canonical training set of class indices ``y`` in 0..n_classes-1."""
    X, y, weight = canonical_form(X, y, weight)
    return TrainingSet(
        X,
        weight,
        np.searchsorted(y, np.arange(n_classes + 1)),
        np.bincount(y, weights=weight, minlength=n_classes),
    )
