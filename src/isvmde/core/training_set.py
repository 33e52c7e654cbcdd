"""The canonical form of a training set: weights are counts, order does not matter.

Rows of weight zero are dropped, identical rows of one class become one row with their
weights added, rows are sorted by class and then lexicographically. A weight of 2 and
the row twice then are the same bits, and so is everything computed from them. Rows of
different groups (patients, say) are different cases, so they stay apart.
"""

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np

from .arrays import Floats, Ints
from .decomposition.problems import BinaryProblem


class ProblemRows(NamedTuple):
    """The rows of a binary problem, class after class, those of + first."""

    rows: Ints  # of the training set
    weight: Floats  # how often each occurs
    n_plus: int  # how many of the rows are of +
    classes: tuple[int, ...]
    bounds: Ints  # the first class has the places bounds[0] up to bounds[1], ...

    @property
    def y(self) -> Floats:
        """1 for the rows of +, -1 for those of -."""
        return np.where(np.arange(len(self.rows)) < self.n_plus, 1.0, -1.0)

    def places(self, c: int) -> slice:
        """Return where among these rows those of class ``c`` are."""
        k = self.classes.index(c)
        return slice(int(self.bounds[k]), int(self.bounds[k + 1]))


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
    # (n,) which group each row is of, 0, 1, ...; None where every row is its own
    group: Ints | None = None

    def __sizeof__(self) -> int:
        """Return the bytes of its arrays: a cluster sends what is large only once."""
        arrays = (self.X, self.weight, self.first_given, self.place)
        return sum(array.nbytes for array in arrays)

    @property
    def n_classes(self) -> int:
        """Number of classes."""
        return len(self.class_size)

    @property
    def class_rank(self) -> Ints:
        """Rank of every class, 0 for the smallest, (M,), whatever the classes' names.

        Classes of one size are ranked by what is in their rows.
        """
        n_rows = np.diff(self.class_start)
        sizes = list(zip(self.class_size.tolist(), n_rows.tolist(), strict=True))
        keys = []
        for c, size in enumerate(sizes):
            content = b""
            if sizes.count(size) > 1:
                own = self.rows(c)
                content = self.X[own].tobytes() + self.weight[own].tobytes()
            keys.append((size, hashlib.blake2b(content).digest()))
        order = sorted(range(self.n_classes), key=keys.__getitem__)
        return np.argsort(order)

    def some_rows(self, rows: Ints) -> "TrainingSet":
        """Return some rows, ascending, as a training set."""
        label, weight = self.label[rows], self.weight[rows]
        return TrainingSet(
            X=self.X[rows],
            weight=weight,
            class_start=np.searchsorted(rows, self.class_start),
            class_size=np.bincount(label, weight, self.n_classes),
            first_given=self.first_given[rows],
            group=None if self.group is None else self.group[rows],
        )

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

    def rows_of(self, classes: Sequence[int]) -> Ints:
        """Return the rows of some classes, class after class."""
        runs = [
            np.arange(self.class_start[c], self.class_start[c + 1]) for c in classes
        ]
        return np.concatenate(runs)

    def pair_rows(self, plus: int, minus: int) -> Ints:
        """Return the rows of two classes, those of plus first."""
        return self.rows_of((plus, minus))

    def problem_rows(self, problem: BinaryProblem) -> ProblemRows:
        """Return the rows of a binary problem, those of + first."""
        rows, sizes = self.rows_of(problem.classes), map(self.n_rows, problem.classes)
        bounds = np.concatenate([[0], np.cumsum(list(sizes))])
        return ProblemRows(
            rows=rows,
            weight=self.weight[rows],
            n_plus=int(bounds[len(problem.plus)]),
            classes=problem.classes,
            bounds=bounds,
        )


def _sorted_rows(
    X: np.ndarray, y: np.ndarray, weight: np.ndarray, group: Ints
) -> np.ndarray:
    """Return the order of rows by class, features, group and weight."""
    first = X[:, 0]  # what is equal in this and in the class is sorted by all others
    order = np.lexsort((first, y))
    same = (np.diff(first[order]) == 0.0) & (np.diff(y[order]) == 0)
    tied = np.flatnonzero(np.r_[same, False] | np.r_[False, same])
    if len(tied):
        some = order[tied]
        keys = [weight[some], group[some]]  # the last one counts most
        keys.extend(X[some].T[::-1])
        keys.append(y[some])
        order[tied] = some[np.lexsort(keys)]
    return order


class CanonicalRows(NamedTuple):
    """Rows, merged and sorted by class, features and group."""

    X: np.ndarray  # (n, d)
    y: Ints  # (n,) class indices
    weight: np.ndarray  # (n,) summed over the rows that were merged
    group: Ints  # (n,)
    place: Ints  # (N,) which row each of the rows given became, -1 for a weight of zero


def canonical_form(
    X: np.ndarray, y: np.ndarray, weight: np.ndarray, group: Ints | None = None
) -> CanonicalRows:
    """Return rows merged and sorted; y holds class indices, ``group`` group codes.

    Examples
    --------
    >>> import numpy as np
    >>> X = np.array([[2.0], [1.0], [2.0], [7.0]])
    >>> rows = canonical_form(X, np.array([1, 1, 1, 0]), np.array([1.0, 1.0, 1.0, 0.0]))
    >>> rows.X.tolist(), rows.y, rows.weight, rows.place
    ([[1.0], [2.0]], array([1, 1]), array([1., 2.]), array([ 1,  0,  1, -1]))
    """
    given = np.flatnonzero(weight > 0)
    place = np.full(len(weight), -1)
    codes = np.zeros(len(weight), dtype=int) if group is None else group
    X, y = X[given] + 0.0, y[given]  # + 0.0: no -0.0
    weight, codes = weight[given], codes[given]
    # Weights are added in ascending order: a sum of fractions depends on its order.
    order = _sorted_rows(X, y, weight, codes)
    X, y, weight, codes = X[order], y[order], weight[order], codes[order]
    new = np.ones(len(X), dtype=bool)
    new[1:] = (y[1:] != y[:-1]) | (X[1:] != X[:-1]).any(axis=1)
    new[1:] |= codes[1:] != codes[:-1]
    place[given[order]] = np.cumsum(new) - 1
    first = np.flatnonzero(new)
    summed = np.add.reduceat(weight, first) if len(first) else weight
    return CanonicalRows(
        X=np.ascontiguousarray(X[first]),
        y=y[first],
        weight=summed,
        group=codes[first],
        place=place,
    )


def training_set(
    X: np.ndarray,
    y: np.ndarray,
    weight: np.ndarray,
    n_classes: int,
    group: Ints | None = None,
) -> TrainingSet:
    """Return the canonical training set of class indices ``y`` in 0..n_classes-1."""
    rows = canonical_form(X, y, weight, group)
    first_given = np.full(len(rows.X), len(rows.place))
    counted = np.flatnonzero(rows.place >= 0)
    np.minimum.at(first_given, rows.place[counted], counted)
    return TrainingSet(
        X=rows.X,
        weight=rows.weight,
        class_start=np.searchsorted(rows.y, np.arange(n_classes + 1)),
        class_size=np.bincount(rows.y, weights=rows.weight, minlength=n_classes),
        first_given=first_given,
        place=rows.place,
        group=None if group is None else rows.group,
    )
