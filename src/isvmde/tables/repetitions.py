"""Rows that repeat others, exactly or nearly: the same subjects, measured again."""

from dataclasses import dataclass

import numpy as np
import pandas as pd
from sklearn.neighbors import NearestNeighbors
from sklearn.preprocessing import scale

_MOST_ROWS = 10_000  # beyond them all distances take too long for a remark
_NEAREST, _FEWEST_COLUMNS = 10, 3
_NEAR = 0.1  # of the distance to the tenth neighbour; by chance in 1 of 100 rows
_OFTEN, _OF_ONE_CLASS = 0.2, 0.9


@dataclass(frozen=True)
class Repetitions:
    """How many rows repeat others.

    Parameters
    ----------
    exact : int
        Rows that are equal to an earlier one, class included.
    near : int
        Rows with a neighbour of the same class that is far nearer than others are.
    """

    exact: int
    near: int


def find_repetitions(X: pd.DataFrame, y: np.ndarray) -> Repetitions:
    """Count rows that repeat others; ``X`` holds the columns that are used."""
    if not X.shape[1]:
        return Repetitions(0, 0)
    texts = X.astype("str")
    texts["the class"] = y.astype(str)
    exact = int(texts.duplicated().sum())
    return Repetitions(exact, 0 if exact else _count_near(X, y))


def _count_near(X: pd.DataFrame, y: np.ndarray) -> int:
    """Count rows whose nearest neighbour is of their class and strikingly near."""
    n = len(X)
    if not 2 * _NEAREST < n <= _MOST_ROWS:
        return 0
    numbers = X.select_dtypes("number").dropna(axis=1)
    fine = [name for name in numbers if numbers[name].nunique() > n / 3]
    if len(fine) < _FEWEST_COLUMNS:
        return 0
    points = scale(numbers[fine].to_numpy(np.float64))
    found = NearestNeighbors(n_neighbors=_NEAREST + 1).fit(points).kneighbors(points)
    distance, index = found
    is_near = distance[:, 1] < _NEAR * distance[:, -1]
    same_class = y[index[:, 1]] == y
    if is_near.mean() < _OFTEN or same_class[is_near].mean() < _OF_ONE_CLASS:
        return 0
    return int((is_near & same_class).sum())
