"""The canonical form of a training set: weights are counts, order does not matter.

Rows of weight zero are dropped, identical rows of one class become one row with their
weights added, rows are sorted by class and then lexicographically. A weight of 2 and
the row twice then are the same bits, and so is everything computed from them.
"""

from dataclasses import dataclass, field
from functools import cached_property

import numpy as np

from .views import Views


@dataclass(frozen=True)
class TrainingSet:
    """A training set in canonical form."""

    X: np.ndarray  # (n, d) rows, sorted by class
    weight: np.ndarray  # (n,) how often each row occurs
    class_start: np.ndarray  # (M + 1,) class c has the rows [c] to [c + 1]
    class_size: np.ndarray  # (M,) summed weights
    # (n,) the first of the rows given that became this one; none if it is synthetic
    first_given: np.ndarray = field(default_factory=lambda: np.zeros(0, int))
    # (N,) which row each of the rows given became, -1 for a weight of zero
    place: np.ndarray = field(default_factory=lambda: np.zeros(0, int))

    def __sizeof__(self) -> int:
        """Return the bytes of its arrays: a cluster sends what is large only once."""
        arrays = (self.X, self.weight, self.first_given, self.place)
        return sum(array.nbytes for array in arrays)

    @property
    def n_classes(self) -> int:
        """Number of classes."""
        return len(self.class_size)

    @cached_property
    def views(self) -> Views:
        """What kernels can see of the rows: values, ranks, weighted features."""
        return Views.of(self.X, self.weight, self.class_start)

    @property
    def label(self) -> np.ndarray:
        """Class of every row."""
        return np.repeat(np.arange(self.n_classes), np.diff(self.class_start))

    def rows(self, c: int) -> slice:
        """Return the rows of class ``c``."""
        return slice(int(self.class_start[c]), int(self.class_start[c + 1]))

    def n_rows(self, c: int) -> int:
        """Return the number of distinct rows of class ``c``."""
        return int(self.class_start[c + 1] - self.class_start[c])

    def spans(self, pairs: np.ndarray) -> np.ndarray:
        """Return where the rows of plus and those of minus begin and end, (P, 4)."""
        (plus, minus), start = pairs.T, self.class_start
        ends = start[plus], start[plus + 1], start[minus], start[minus + 1]
        return np.column_stack(ends)

    def pair_rows(self, plus: int, minus: int) -> np.ndarray:
        """Return the rows of two classes, those of plus first."""
        runs = [np.arange(*self.class_start[c : c + 2]) for c in (plus, minus)]
        return np.concatenate(runs)


def _sorted_rows(X: np.ndarray, y: np.ndarray, weight: np.ndarray) -> np.ndarray:
    """Return the order of rows by class, features and weight."""
    first = X[:, 0]  # what is equal in this and in the class is sorted by all others
    order = np.lexsort((first, y))
    same = (np.diff(first[order]) == 0.0) & (np.diff(y[order]) == 0)
    tied = np.flatnonzero(np.r_[same, False] | np.r_[False, same])
    if len(tied):
        some = order[tied]
        order[tied] = some[np.lexsort((weight[some], *X[some].T[::-1], y[some]))]
    return order


def canonical_form(
    X: np.ndarray, y: np.ndarray, weight: np.ndarray
) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """Return (X, y, weight, place) merged and sorted; y holds class indices.

    Examples
    --------
    >>> import numpy as np
    >>> X = np.array([[2.0], [1.0], [2.0], [7.0]])
    >>> canonical_form(X, np.array([1, 1, 1, 0]), np.array([1.0, 1.0, 1.0, 0.0]))
    (array([[1.],
           [2.]]), array([1, 1]), array([1., 2.]), array([ 1,  0,  1, -1]))
    """
    given = np.flatnonzero(weight > 0)
    place = np.full(len(weight), -1)
    X, y, weight = X[given] + 0.0, y[given], weight[given]  # + 0.0: no -0.0
    # Weights are added in ascending order: a sum of fractions depends on its order.
    order = _sorted_rows(X, y, weight)
    X, y, weight = X[order], y[order], weight[order]
    new = np.ones(len(X), dtype=bool)
    new[1:] = (y[1:] != y[:-1]) | (X[1:] != X[:-1]).any(axis=1)
    place[given[order]] = np.cumsum(new) - 1
    first = np.flatnonzero(new)
    summed = np.add.reduceat(weight, first) if len(first) else weight
    return np.ascontiguousarray(X[first]), y[first], summed, place


def training_set(
    X: np.ndarray, y: np.ndarray, weight: np.ndarray, n_classes: int
) -> TrainingSet:
    """Return the canonical training set of class indices ``y`` in 0..n_classes-1."""
    X, y, weight, place = canonical_form(X, y, weight)
    first_given = np.full(len(X), len(place))
    counted = np.flatnonzero(place >= 0)
    np.minimum.at(first_given, place[counted], counted)
    return TrainingSet(
        X,
        weight,
        np.searchsorted(y, np.arange(n_classes + 1)),
        np.bincount(y, weights=weight, minlength=n_classes),
        first_given,
        place,
    )
