"""Scores for several classes of very different size (section 4.3 of the paper).

Every score lies in [0, 1] and gives a rare class the weight of a frequent one.
A class that a fold lacks is left out of the mean rather than counted as zero:

- G-mean runs over the classes with samples in ``y_true``;
- AvF and CBA also over those that were predicted without being there, which score 0.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from html import escape
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike
from sklearn.metrics import make_scorer
from sklearn.utils import check_array, check_consistent_length, column_or_1d
from sklearn.utils.multiclass import unique_labels

__all__ = [
    "ImbalanceReport",
    "av_f_beta_score",
    "av_f_beta_scorer",
    "cba_score",
    "cba_scorer",
    "g_mean_score",
    "g_mean_scorer",
    "imbalance_report",
]

Given = ArrayLike | Sequence[Any] | None  # labels or weights; None where optional
_WIDTH = 79  # of a confusion matrix as text
_LONGEST_NAME = 40


def g_mean_score(
    y_true: Given, y_pred: Given, *, labels: Given = None, sample_weight: Given = None
) -> float:
    """Geometric mean of the recalls of all classes (G-mean).

    ``(recall_1 * ... * recall_M) ** (1 / M)``: 0 if one class is never recognised.

    Parameters
    ----------
    y_true, y_pred : array-like of shape (n_samples,)
        True and predicted classes.
    labels : array-like, optional
        The classes to look at, all by default; those not in ``y_true`` are left out.
    sample_weight : array-like of shape (n_samples,), optional
        How often each sample counts. Weight 0 removes a sample.

    Examples
    --------
    >>> from isvmde.metrics import g_mean_score
    >>> g_mean_score(["a", "a", "b", "b", "b", "b"], ["a", "b", "b", "b", "a", "a"])
    0.5
    """
    _, matrix, chosen = _count(y_true, y_pred, labels, sample_weight)
    score = _geometric_mean(_shares(matrix)["recall"][chosen])
    if np.isnan(score):
        raise ValueError(
            f"None of the classes in labels ({np.asarray(labels).tolist()}) has a "
            "sample in y_true, so there is no recall to average."
        )
    return score


def av_f_beta_score(
    y_true: Given,
    y_pred: Given,
    *,
    beta: float = 1.0,
    labels: Given = None,
    sample_weight: Given = None,
) -> float:
    """Mean of the F-measures of all classes (AvF).

    ``mean of (1 + beta**2) * precision_i * recall_i / (beta**2 * precision_i +
    recall_i)``: low when samples of a class are overlooked, or others taken for it.

    Parameters
    ----------
    y_true, y_pred, labels, sample_weight
        As in `g_mean_score`, but a class that is only predicted counts, with 0.
    beta : float, default=1.0
        Weight of recall against precision.

    Examples
    --------
    >>> from isvmde.metrics import av_f_beta_score
    >>> av_f_beta_score(["a", "a", "b", "b", "b", "b"], ["a", "b", "b", "b", "b", "a"])
    0.625
    """
    _, matrix, chosen = _count(y_true, y_pred, labels, sample_weight)
    return float(_shares(matrix, beta)["f_beta"][chosen].mean())


def cba_score(
    y_true: Given, y_pred: Given, *, labels: Given = None, sample_weight: Given = None
) -> float:
    """Class balance accuracy (CBA).

    ``mean of min(recall_i, precision_i)``, so that CBA never exceeds AvF.

    Parameters
    ----------
    y_true, y_pred, labels, sample_weight
        As in `av_f_beta_score`.

    Examples
    --------
    >>> from isvmde.metrics import cba_score
    >>> cba_score(["a", "a", "b", "b", "b", "b"], ["a", "b", "b", "b", "b", "b"])
    0.65
    """
    _, matrix, chosen = _count(y_true, y_pred, labels, sample_weight)
    return float(_shares(matrix)["cba"][chosen].mean())


@dataclass(frozen=True)
class Metric:
    """A metric by the names that it goes under.

    Attributes
    ----------
    key : str
        Its column in tables of results.
    title : str
        What the paper calls it.
    scoring : str
        What the parameter ``scoring`` of classifiers calls it.
    score : callable
        The function of true and predicted classes.
    """

    key: str
    title: str
    scoring: str
    score: Callable[..., float]


PAPER_METRICS = {
    metric.key: metric
    for metric in (
        Metric("g_mean", "G-mean", "g_mean", g_mean_score),
        Metric("av_f_beta", "AvF", "av_f", av_f_beta_score),
        Metric("cba", "CBA", "cba", cba_score),
    )
}
"""The metrics of the paper's section 4.3, all that its tables and ours show."""

g_mean_scorer = make_scorer(g_mean_score)
av_f_beta_scorer = make_scorer(av_f_beta_score)
cba_scorer = make_scorer(cba_score)


@dataclass(frozen=True, eq=False, repr=False)
class ImbalanceReport:
    """How well each class is recognised: text when printed, a table in a notebook.

    Attributes
    ----------
    per_class : DataFrame
        A row per class: ``support``, ``recall``, ``precision``, ``f_beta``.
    scores : Series
        ``g_mean``, ``av_f_beta`` and ``cba``.
    confusion_matrix : DataFrame
        True classes in rows, predicted classes in columns.
    beta : float
        Of the F-measure.
    """

    per_class: pd.DataFrame
    scores: pd.Series
    confusion_matrix: pd.DataFrame
    beta: float

    def to_frame(self) -> pd.DataFrame:
        """Return the classes with their confusion counts in one DataFrame."""
        return self.per_class.join(self.confusion_matrix.add_prefix("predicted "))

    def __repr__(self) -> str:
        names = [
            name if len(name) <= _LONGEST_NAME else f"{name[: _LONGEST_NAME - 3]}..."
            for name in map(str, self.per_class.index)
        ]
        shares, counts = (part.set_axis(names) for part in self._as_text())
        counts.columns = counts.index
        if max(map(len, names)) + sum(len(name) + 1 for name in names) > _WIDTH:
            counts.columns = [f"[{i}]" for i in range(1, len(names) + 1)]
            counts.index = counts.columns + " " + counts.index
        return (
            f"{shares.to_string()}\n\n{self._summary()}\n\n"
            "Confusion matrix (rows: true class, columns: predicted)\n"
            f"{counts.to_string()}"
        )

    def _repr_html_(self) -> str:
        """Return one table: shares and confusion counts of every class."""
        titles = ["class by class", "predicted as"]
        table = pd.concat(self._as_text(), axis=1, keys=titles)
        return f"{table.to_html()}<p>{escape(self._summary())}</p>"

    def _as_text(self) -> list[pd.DataFrame]:
        """Return shares and counts per class as they are printed."""
        shares = self.per_class.rename(columns={"f_beta": "F"})
        shown = shares.map(lambda value: "-" if np.isnan(value) else f"{value:.3f}")
        shown["support"] = shares["support"].map("{:.10g}".format)
        return [shown, self.confusion_matrix.map("{:.10g}".format)]

    def _summary(self) -> str:
        """Return the scores in a line."""
        g_mean, av_f, cba = self.scores
        beta = "" if self.beta == 1 else f" (beta {self.beta:g})"
        return f"G-mean {g_mean:.3f}   AvF{beta} {av_f:.3f}   CBA {cba:.3f}"


def imbalance_report(
    y_true: Given,
    y_pred: Given,
    *,
    beta: float = 1.0,
    labels: Given = None,
    sample_weight: Given = None,
) -> ImbalanceReport:
    """Describe class by class what a classifier recognises and what it confuses.

    The :class:`ImbalanceReport` can be printed and holds the numbers.

    Parameters
    ----------
    y_true, y_pred, beta, sample_weight
        As in `av_f_beta_score`.
    labels : array-like, optional
        The classes to report, in this order, all by default; absent ones are left out.

    Examples
    --------
    >>> from isvmde.metrics import imbalance_report
    >>> y_true = ["ill", "ill", "well", "well", "well", "well"]
    >>> y_pred = ["ill", "well", "well", "well", "well", "well"]
    >>> imbalance_report(y_true, y_pred)
         support recall precision      F
    ill        2  0.500     1.000  0.667
    well       4  1.000     0.800  0.889
    <BLANKLINE>
    G-mean 0.707   AvF 0.778   CBA 0.650
    <BLANKLINE>
    Confusion matrix (rows: true class, columns: predicted)
         ill well
    ill    1    1
    well   0    4
    """
    classes, matrix, chosen = _count(y_true, y_pred, labels, sample_weight)
    per_class = pd.DataFrame(_shares(matrix, beta), index=classes).iloc[chosen]
    scores = {
        "g_mean": _geometric_mean(per_class["recall"].to_numpy()),
        "av_f_beta": per_class["f_beta"].to_numpy().mean(),
        "cba": per_class.pop("cba").to_numpy().mean(),
    }
    counts = pd.DataFrame(matrix, classes, classes).iloc[chosen, chosen]
    return ImbalanceReport(per_class, pd.Series(scores), counts, float(beta))


def _count(
    y_true: Given, y_pred: Given, labels: Given, sample_weight: Given
) -> tuple[np.ndarray, np.ndarray, list[int]]:
    """Return classes, [true, predicted] counts, whole if they can, and what to show."""
    true, pred = column_or_1d(y_true), column_or_1d(y_pred)
    weight = np.ones(len(true)) if sample_weight is None else sample_weight
    weight = check_array(weight, ensure_2d=False, ensure_min_samples=0, dtype=float)
    check_consistent_length(true, pred, weight)
    if pd.isna(true).any() or pd.isna(pred).any():
        raise ValueError("A class label is missing; drop or name these samples first.")
    if weight.ndim != 1 or (weight < 0).any():
        raise ValueError("sample_weight must be one number >= 0 per sample.")
    if not weight.any():
        raise ValueError("There is nothing to score: no sample has a weight above 0.")
    if not (weight % 1).any() and weight.sum() < 2**53:
        weight = weight.astype(np.int64)
    true, pred, weight = true[weight > 0], pred[weight > 0], weight[weight > 0]
    classes = unique_labels(true, pred)
    matrix = np.zeros((len(classes), len(classes)), weight.dtype)
    cells = np.searchsorted(classes, true), np.searchsorted(classes, pred)
    np.add.at(matrix, cells, weight)
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
    return classes, matrix, chosen


def _shares(matrix: np.ndarray, beta: float = 1.0) -> dict[str, np.ndarray]:
    """Return per class support, recall, precision (NaN for 0/0), F and CBA's term."""
    if not (np.isfinite(beta) and beta > 0):
        raise ValueError(f"beta must be a positive number; got {beta!r}.")
    right, there, predicted = matrix.diagonal(), matrix.sum(axis=1), matrix.sum(axis=0)
    with np.errstate(invalid="ignore"):
        recall, precision = right / there, right / predicted
    return {
        "support": there,
        "recall": recall,
        "precision": precision,
        # in counts: equal to the paper's form, and 0 where nothing is right
        "f_beta": (1 + beta**2) * right / (beta**2 * there + predicted),
        "cba": right / np.maximum(there, predicted),
    }


def scores_of_counts(matrix: np.ndarray) -> dict[str, float]:
    """Return G-mean, AvF and CBA of the counts of every class, true classes down."""
    occurs = matrix.sum(axis=0) + matrix.sum(axis=1) > 0
    shares = _shares(matrix[np.ix_(occurs, occurs)])
    return {
        "g_mean": _geometric_mean(shares["recall"]),
        "av_f_beta": float(shares["f_beta"].mean()),
        "cba": float(shares["cba"].mean()),
    }


def _geometric_mean(recalls: np.ndarray) -> float:
    """Return the mean over the classes that are there, NaN if none is."""
    there = recalls[~np.isnan(recalls)]
    if len(there) == 0:
        return np.nan
    with np.errstate(divide="ignore"):  # a recall of 0 makes 0
        # by logarithms, as a product of many recalls underflows
        return float(np.exp(np.log(there).mean()))
