"""Count what was predicted for which class; shares per class from the counts."""

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd
from sklearn.metrics import confusion_matrix
from sklearn.utils import check_array, check_consistent_length, column_or_1d
from sklearn.utils.multiclass import unique_labels

Labels = npt.ArrayLike | Sequence[Any]
Floats = npt.NDArray[np.float64]


def count(
    y_true: Labels, y_pred: Labels, sample_weight: npt.ArrayLike | None
) -> pd.DataFrame:
    """Count [true, predicted] over every class that occurs, whole where it can be."""
    true, pred = column_or_1d(y_true), column_or_1d(y_pred)
    check_consistent_length(true, pred)
    if pd.isna(true).any() or pd.isna(pred).any():
        raise ValueError("A class label is missing; drop or name these samples first.")
    weight = None
    if sample_weight is not None:
        weight = check_array(sample_weight, ensure_2d=False, dtype=np.float64)
        check_consistent_length(true, weight)
        if weight.ndim != 1 or (weight < 0).any():
            raise ValueError("sample_weight must be one number >= 0 per sample.")
        if not (weight % 1).any() and weight.sum() < 2**53:
            weight = weight.astype(np.int64)
        true, pred, weight = true[weight > 0], pred[weight > 0], weight[weight > 0]
    if len(true) == 0:
        raise ValueError("There is nothing to score: no sample has a weight above 0.")
    classes = unique_labels(true, pred)
    true, pred = np.searchsorted(classes, true), np.searchsorted(classes, pred)
    # One label more than there are: scikit-learn warns of a matrix of a single cell.
    labels = np.arange(len(classes) + 1)
    counts = confusion_matrix(true, pred, labels=labels, sample_weight=weight)[:-1, :-1]
    return pd.DataFrame(counts, index=classes, columns=classes)


def choose(
    counts: pd.DataFrame,
    labels: Labels | None,
    present: npt.NDArray[np.bool_] | None = None,
) -> list[int]:
    """Return the positions of the wanted classes that are present (default: all)."""
    where = {label: i for i, label in enumerate(counts.index)}
    wanted = list(where) if labels is None else list(np.asarray(labels).tolist())
    if len(set(wanted)) < len(wanted):
        raise ValueError("labels names a class twice; name each class once.")
    chosen = [where[label] for label in wanted if label in where]
    if present is not None:
        chosen = [i for i in chosen if present[i]]
    if not chosen:
        raise ValueError(
            f"None of the classes in labels ({wanted}) occurs in the data; "
            f"the classes there are {counts.index.tolist()}."
        )
    return chosen


def shares(counts: pd.DataFrame, beta: float = 1.0) -> pd.DataFrame:
    """Return support, recall, precision (NaN for 0/0) and F-measure of every class.

    F is written in counts: equal to the paper's form, and 0 where nothing is right.
    """
    if not (np.isfinite(beta) and beta > 0):
        raise ValueError(f"beta must be a positive number; got {beta!r}.")
    right, actual, predicted = _totals(counts)
    return pd.DataFrame(
        {
            "support": actual,
            "recall": _ratio(right, actual),
            "precision": _ratio(right, predicted),
            "f_beta": (1 + beta**2) * right / (beta**2 * actual + predicted),
        },
        index=counts.index,
    )


def class_balance(counts: pd.DataFrame) -> Floats:
    """Return the smaller of recall and precision per class, the terms of CBA."""
    right, actual, predicted = _totals(counts)
    return right / np.maximum(actual, predicted)


def _totals(counts: pd.DataFrame) -> tuple[Any, Any, Any]:
    """Return per class how many samples are recognised, there, and predicted."""
    matrix = counts.to_numpy()
    return np.diagonal(matrix), matrix.sum(axis=1), matrix.sum(axis=0)


def _ratio(part: npt.NDArray[Any], whole: npt.NDArray[Any]) -> Floats:
    """Divide, with NaN for 0/0."""
    return np.divide(part, whole, out=np.full(len(part), np.nan), where=whole > 0)


def geometric_mean(recalls: Floats, correction: float) -> float:
    """Geometric mean; by logarithms, as a product of many recalls underflows."""
    recalls = np.where(recalls == 0, correction, recalls)
    if (recalls == 0).any():
        return 0.0
    return float(np.exp(np.log(recalls).mean()))
