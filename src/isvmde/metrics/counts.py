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
Weights = npt.ArrayLike | None


def count(
    y_true: Labels, y_pred: Labels, sample_weight: Weights
) -> tuple[np.ndarray, np.ndarray]:
    """Return the classes that occur and [true, predicted] counts, whole if they can."""
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
    matrix = confusion_matrix(true, pred, labels=labels, sample_weight=weight)
    return classes, matrix[:-1, :-1]


def choose(classes: np.ndarray, labels: Labels | None) -> list[int]:
    """Return the positions of the wanted classes that are there (default: all)."""
    where = {label: i for i, label in enumerate(classes.tolist())}
    wanted = list(where) if labels is None else list(np.asarray(labels).tolist())
    if len(set(wanted)) < len(wanted):
        raise ValueError("labels names a class twice; name each class once.")
    chosen = [where[label] for label in wanted if label in where]
    if not chosen:
        raise ValueError(
            f"None of the classes in labels ({wanted}) occurs in the data; "
            f"the classes there are {list(where)}."
        )
    return chosen


def shares(matrix: np.ndarray, beta: float = 1.0) -> dict[str, np.ndarray]:
    """Return per class support, recall, precision (NaN for 0/0), F and CBA's term.

    F is written in counts: equal to the paper's form, and 0 where nothing is right.
    """
    if not (np.isfinite(beta) and beta > 0):
        raise ValueError(f"beta must be a positive number; got {beta!r}.")
    right, there, predicted = (
        np.diagonal(matrix),
        matrix.sum(axis=1),
        matrix.sum(axis=0),
    )
    with np.errstate(invalid="ignore"):
        recall, precision = right / there, right / predicted
    return {
        "support": there,
        "recall": recall,
        "precision": precision,
        "f_beta": (1 + beta**2) * right / (beta**2 * there + predicted),
        "cba": right / np.maximum(there, predicted),
    }


def geometric_mean(recalls: np.ndarray, correction: float = 0.0) -> float:
    """Geometric mean; by logarithms, as a product of many recalls underflows."""
    recalls = np.where(recalls == 0, correction, recalls)
    if (recalls == 0).any():
        return 0.0
    return float(np.exp(np.log(recalls).mean()))
