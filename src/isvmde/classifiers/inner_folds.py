"""The inner folds of a search: dealt here, or given as scikit-learn takes them."""

import numbers
from typing import Any

import numpy as np
from sklearn.model_selection import check_cv

from isvmde.core.arrays import Ints
from isvmde.core.search.folds import deal_folds
from isvmde.core.training_set import TrainingSet

from .multiclass import FitInput


def check_inner_folds(cv: Any) -> None:
    """Refuse a number of folds below 2; splitters are checked when they split."""
    if isinstance(cv, numbers.Integral) and (isinstance(cv, bool) or cv < 2):
        raise ValueError(f"cv={cv!r}: use at least 2 inner folds.")
    if cv is None or isinstance(cv, (str, float)):
        raise ValueError(
            f"cv={cv!r}: use a number of inner folds, a splitter of scikit-learn, or "
            "a list of (training rows, test rows)."
        )


def inner_folds(
    cv: Any, data: TrainingSet, given: FitInput, random: np.random.RandomState
) -> Ints:
    """Return the inner fold of every row of the training set, (n,).

    Equal rows of a class are one row of the training set; they are held out with the
    first of them.
    """
    if isinstance(cv, numbers.Integral):
        return deal_folds(data, int(cv), random)
    y = np.asarray(given.y).ravel()
    fold = np.full(len(y), -1, dtype=np.intp)
    times = np.zeros(len(y), dtype=int)
    for number, (_, test) in enumerate(
        check_cv(cv, y, classifier=True).split(given.X, y)
    ):
        fold[test] = number
        times[test] += 1
    if (times != 1).any():
        row = int(np.argmax(times != 1))
        raise ValueError(
            f"cv puts row {row} into {times[row]} test parts: every row must be in "
            "exactly one."
        )
    return np.asarray(fold[data.first_given])
