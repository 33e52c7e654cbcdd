"""Rows that nearly repeat others: the same subjects, measured again."""

import numpy as np
from scipy.spatial.distance import cdist

from .arrays import Bools, Floats, Ints

MOST_ROWS = 10_000  # beyond them all distances take too long for a remark
_NEAREST, _FEWEST_COLUMNS = 10, 3
_NEAR = 0.1  # of the distance to the tenth neighbour; by chance in 1 of 100 rows
_OFTEN, _OF_ONE_CLASS = 0.2, 0.9
_BLOCK = 4_000_000  # distances at a time


def has_enough_rows(n: int) -> bool:
    """Tell whether so many rows, none of them equal, can say anything."""
    return n > 2 * _NEAREST


def fine_columns(X: Floats) -> Bools:
    """Tell which columns have so many values that equal ones are seldom chance.

    None, if they are too few to tell rows apart.
    """
    is_fine = np.array([len(np.unique(column)) > len(X) / 3 for column in X.T], bool)
    return is_fine if is_fine.sum() >= _FEWEST_COLUMNS else np.zeros_like(is_fine)


def are_near_twins(X: Floats, label: Ints, asked: Ints) -> Bools:
    """Tell which of the rows asked about nearly repeat another row of their class.

    Their nearest neighbour is of their class and far nearer than others are. That is
    no chance where it is so for many rows, nearly always within a class; elsewhere the
    answer is no for all. ``X`` (n, d) holds the rows, ``label`` (n,) their classes.

    Examples
    --------
    >>> import numpy as np
    >>> rng = np.random.default_rng(0)
    >>> subjects = np.repeat(rng.normal(size=(40, 5)), 2, axis=0)
    >>> X = subjects + 0.01 * rng.normal(size=(80, 5))
    >>> label = np.repeat(np.arange(40) % 2, 2)
    >>> int(are_near_twins(X, label, np.arange(80)).sum())
    80
    >>> chance = rng.normal(size=(80, 5))
    >>> int(are_near_twins(chance, label, np.arange(80)).sum())
    0
    """
    nobody = np.zeros(len(asked), dtype=bool)
    if not has_enough_rows(len(X)) or len(X) > MOST_ROWS:
        return nobody
    is_fine = fine_columns(X)
    if not is_fine.any():
        return nobody
    points = _standardised(X[:, is_fine])
    is_near, is_same = nobody.copy(), nobody.copy()
    at_once = max(1, _BLOCK // len(X))
    for first in range(0, len(asked), at_once):
        some = asked[first : first + at_once]
        distance = cdist(points[some], points)
        distance[np.arange(len(some)), some] = np.inf  # the row itself
        nearest = np.argpartition(distance, _NEAREST - 1, axis=1)[:, :_NEAREST]
        near = np.take_along_axis(distance, nearest, axis=1)
        is_near[first : first + at_once] = near.min(axis=1) < _NEAR * near.max(axis=1)
        neighbour = nearest[np.arange(len(some)), near.argmin(axis=1)]
        is_same[first : first + at_once] = label[neighbour] == label[some]
    if is_near.mean() < _OFTEN or is_same[is_near].mean() < _OF_ONE_CLASS:
        return nobody
    return is_near & is_same


def _standardised(X: Floats) -> Floats:
    """Return columns with mean 0 and variance 1, of whatever size their numbers are."""
    least = np.finfo(float).tiny
    X = X / np.maximum(np.abs(X).max(axis=0), least)
    X = X - X.mean(axis=0)
    return np.asarray(X / np.maximum(X.std(axis=0), least))
