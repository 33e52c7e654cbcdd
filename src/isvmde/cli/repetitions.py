"""Rows of a table that repeat others, exactly or nearly."""

from dataclasses import dataclass

import numpy as np
import pandas as pd

from isvmde.core.repeated_rows import are_near_twins


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
    if exact:
        return Repetitions(exact, 0)
    numbers = X.select_dtypes("number").dropna(axis=1).to_numpy(np.float64)
    label = np.unique(y, return_inverse=True)[1]
    near = are_near_twins(numbers, label, np.arange(len(X)))
    return Repetitions(0, int(near.sum()))
