"""Scores for several classes of very different size (section 4.3 of the paper).

Every score lies in [0, 1] and gives a rare class the weight of a frequent one.
A fold may lack a class altogether; nothing can be said of such a class, so it is
left out of the mean rather than counted as zero:

- G-mean runs over the classes with samples in ``y_true``;
- AvF and CBA also run over classes that were predicted without being there: each
  such prediction is an error, and the class scores 0.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd
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

Labels = npt.ArrayLike | Sequence[Any]
Floats = npt.NDArray[np.float64]


def g_mean_score(
    y_true: Labels,
    y_pred: Labels,
    *,
    labels: Labels | None = None,
    sample_weight: npt.ArrayLike | None = None,
    correction: float = 0.0,
) -> float:
    """Geometric mean of the recalls of all classes.

    One class that is never recognised makes the score 0.

    Parameters
    ----------
    y_true, y_pred : array-like of shape (n_samples,)
        True and predicted classes.
    labels : array-like, optional
        The classes to look at; all by default. A class without samples in
        ``y_true`` is skipped.
    sample_weight : array-like of shape (n_samples,), optional
        How often each sample counts. Weight 0 removes a sample.
    correction : float in [0, 1], default=0.0
        Recall to use for a class that is never recognised, so that one lost class
        does not hide all others. The paper uses none.

    Returns
    -------
    float
        The score, in [0, 1].

    Examples
    --------
    >>> from isvmde.metrics import g_mean_score
    >>> y_true = ["a", "a", "a", "a", "b", "b"]
    >>> y_pred = ["a", "a", "a", "a", "b", "a"]
    >>> round(g_mean_score(y_true, y_pred), 4)
    0.7071
    """
    if not 0 <= correction <= 1:
        raise ValueError(f"correction must lie in [0, 1]; got {correction!r}.")
    mat = _confusion(y_true, y_pred, sample_weight)
    classes = _select(mat, labels, present=_row_sums(mat) > 0)
    return _g_mean(_recall(mat)[classes], correction)


def av_f_beta_score(
    y_true: Labels,
    y_pred: Labels,
    *,
    beta: float = 1.0,
    labels: Labels | None = None,
    sample_weight: npt.ArrayLike | None = None,
) -> float:
    """Mean of the F-beta measures of all classes (AvF).

    Parameters
    ----------
    y_true, y_pred : array-like of shape (n_samples,)
        True and predicted classes.
    beta : float, default=1.0
        Weight of recall against precision.
    labels : array-like, optional
        The classes to average over; all by default. A class found neither in
        ``y_true`` nor in ``y_pred`` is skipped.
    sample_weight : array-like of shape (n_samples,), optional
        How often each sample counts. Weight 0 removes a sample.

    Returns
    -------
    float
        The score, in [0, 1].

    Examples
    --------
    >>> from isvmde.metrics import av_f_beta_score
    >>> y_true = ["a", "a", "a", "a", "b", "b"]
    >>> y_pred = ["a", "a", "a", "a", "b", "a"]
    >>> round(av_f_beta_score(y_true, y_pred), 4)
    0.7778
    """
    mat = _confusion(y_true, y_pred, sample_weight)
    return float(_f_beta(mat, beta)[_select(mat, labels)].mean())


def cba_score(
    y_true: Labels,
    y_pred: Labels,
    *,
    labels: Labels | None = None,
    sample_weight: npt.ArrayLike | None = None,
) -> float:
    """Class balance accuracy (CBA): mean of min(recall, precision) over classes.

    Parameters
    ----------
    y_true, y_pred : array-like of shape (n_samples,)
        True and predicted classes.
    labels : array-like, optional
        The classes to average over; all by default. A class found neither in
        ``y_true`` nor in ``y_pred`` is skipped.
    sample_weight : array-like of shape (n_samples,), optional
        How often each sample counts. Weight 0 removes a sample.

    Returns
    -------
    float
        The score, in [0, 1].

    Examples
    --------
    >>> from isvmde.metrics import cba_score
    >>> y_true = ["a", "a", "a", "a", "b", "b"]
    >>> y_pred = ["a", "a", "a", "a", "b", "a"]
    >>> round(cba_score(y_true, y_pred), 4)
    0.65
    """
    mat = _confusion(y_true, y_pred, sample_weight)
    return float(_class_balance(mat)[_select(mat, labels)].mean())


g_mean_scorer = make_scorer(g_mean_score)
av_f_beta_scorer = make_scorer(av_f_beta_score)
cba_scorer = make_scorer(cba_score)


@dataclass(frozen=True, eq=False)
class ImbalanceReport:
    """How well each class is recognised; see `imbalance_report`.

    Attributes
    ----------
    per_class : DataFrame
        A row per class: ``support``, ``recall``, ``precision``, ``f_beta``.
    scores : Series
        ``g_mean``, ``av_f_beta`` and ``cba``.
    confusion_matrix : DataFrame
        True classes in rows, predicted classes in columns.
    beta : float
        The beta of the F measure.
    """

    per_class: pd.DataFrame
    scores: pd.Series
    confusion_matrix: pd.DataFrame
    beta: float

    def to_frame(self) -> pd.DataFrame:
        """Return the classes with their confusion counts in one DataFrame."""
        counts = self.confusion_matrix.add_prefix("predicted ")
        return self.per_class.join(counts)

    def __str__(self) -> str:
        f_name = f"F{self.beta:g}"
        table = self.per_class.rename(columns={"f_beta": f_name})
        shares = dict.fromkeys(("recall", "precision", f_name), "{:.3f}".format)
        counts = {"support": "{:g}".format}
        matrix = self.confusion_matrix.map("{:g}".format)
        g_mean, av_f, cba = (self.scores[name] for name in self.scores.index)
        return "\n".join(
            [
                table.to_string(formatters=shares | counts, na_rep="-"),
                "",
                f"G-mean {g_mean:.3f}   Av{f_name} {av_f:.3f}   CBA {cba:.3f}",
                "",
                "Confusion matrix (rows: true class, columns: predicted)",
                matrix.to_string(),
            ]
        )


def imbalance_report(
    y_true: Labels,
    y_pred: Labels,
    *,
    beta: float = 1.0,
    labels: Labels | None = None,
    sample_weight: npt.ArrayLike | None = None,
) -> ImbalanceReport:
    """Describe class by class what a classifier recognises and what it confuses.

    Parameters
    ----------
    y_true, y_pred : array-like of shape (n_samples,)
        True and predicted classes.
    beta : float, default=1.0
        Weight of recall against precision in F.
    labels : array-like, optional
        The classes to report, in this order; all by default. Classes found
        neither in ``y_true`` nor in ``y_pred`` are left out.
    sample_weight : array-like of shape (n_samples,), optional
        How often each sample counts. Weight 0 removes a sample.

    Returns
    -------
    ImbalanceReport
        Prints as text; ``per_class``, ``scores`` and ``confusion_matrix`` hold
        the numbers, ``to_frame()`` gives one DataFrame.

    Examples
    --------
    >>> from isvmde.metrics import imbalance_report
    >>> y_true = ["ill", "ill", "well", "well", "well", "well"]
    >>> y_pred = ["ill", "well", "well", "well", "well", "well"]
    >>> print(imbalance_report(y_true, y_pred))
         support recall precision    F1
    ill        2  0.500     1.000 0.667
    well       4  1.000     0.800 0.889
    <BLANKLINE>
    G-mean 0.707   AvF1 0.778   CBA 0.650
    <BLANKLINE>
    Confusion matrix (rows: true class, columns: predicted)
         ill well
    ill    1    1
    well   0    4
    """
    mat = _confusion(y_true, y_pred, sample_weight)
    classes = _select(mat, labels)
    support = _row_sums(mat)
    per_class = pd.DataFrame(
        {
            "support": support,
            "recall": _recall(mat),
            "precision": _ratio(_diagonal(mat), mat.to_numpy().sum(axis=0)),
            "f_beta": _f_beta(mat, beta),
        },
        index=mat.index,
    ).iloc[classes]
    recalls = _recall(mat)[[i for i in classes if support[i] > 0]]
    scores = pd.Series(
        {
            # Without a sample of the chosen classes there is no recall to average.
            "g_mean": _g_mean(recalls, 0.0) if len(recalls) else np.nan,
            "av_f_beta": _f_beta(mat, beta)[classes].mean(),
            "cba": _class_balance(mat)[classes].mean(),
        }
    )
    return ImbalanceReport(per_class, scores, mat.iloc[classes, classes], float(beta))


def _confusion(
    y_true: Labels, y_pred: Labels, sample_weight: npt.ArrayLike | None
) -> pd.DataFrame:
    """Weighted confusion matrix mat[true, predicted] over every class that occurs."""
    true, pred = column_or_1d(y_true), column_or_1d(y_pred)
    check_consistent_length(true, pred)
    if pd.isna(true).any() or pd.isna(pred).any():
        raise ValueError("A class label is missing; drop or name these samples first.")
    weight = np.ones(len(true))
    if sample_weight is not None:
        weight = check_array(sample_weight, ensure_2d=False, dtype=np.float64)
        check_consistent_length(true, weight)
        if weight.ndim != 1 or (weight < 0).any():
            raise ValueError("sample_weight must be one number >= 0 per sample.")
    true, pred, weight = true[weight > 0], pred[weight > 0], weight[weight > 0]
    if len(true) == 0:
        raise ValueError("There is nothing to score: no sample has a weight above 0.")
    classes = unique_labels(true, pred)
    mat = np.zeros((len(classes), len(classes)))
    np.add.at(
        mat, (np.searchsorted(classes, true), np.searchsorted(classes, pred)), weight
    )
    return pd.DataFrame(mat, index=classes, columns=classes)


def _select(
    mat: pd.DataFrame,
    labels: Labels | None,
    present: npt.NDArray[np.bool_] | None = None,
) -> list[int]:
    """Positions of the wanted classes that are present (all of mat by default)."""
    where = {label: i for i, label in enumerate(mat.index)}
    wanted = list(where) if labels is None else list(np.asarray(labels).tolist())
    if len(set(wanted)) < len(wanted):
        raise ValueError("labels names a class twice; name each class once.")
    chosen = [where[label] for label in wanted if label in where]
    if present is not None:
        chosen = [i for i in chosen if present[i]]
    if not chosen:
        raise ValueError(
            f"None of the classes in labels ({wanted}) occurs in the data; "
            f"the classes there are {list(mat.index)}."
        )
    return chosen


def _diagonal(mat: pd.DataFrame) -> Floats:
    """Count tp_i, the correctly recognised samples of each class."""
    return np.diagonal(mat.to_numpy()).copy()


def _row_sums(mat: pd.DataFrame) -> Floats:
    """Count tp_i + fn_i, the samples of each class."""
    sums: Floats = mat.to_numpy().sum(axis=1)
    return sums


def _ratio(part: Floats, whole: Floats) -> Floats:
    """Divide, with NaN for 0/0."""
    return np.divide(part, whole, out=np.full_like(part, np.nan), where=whole > 0)


def _recall(mat: pd.DataFrame) -> Floats:
    """Compute tp_i / (tp_i + fn_i); NaN for a class that is not in y_true."""
    return _ratio(_diagonal(mat), _row_sums(mat))


def _g_mean(recalls: Floats, correction: float) -> float:
    """Geometric mean; by logarithms, as a product of many recalls underflows."""
    recalls = np.where(recalls == 0, correction, recalls)
    if (recalls == 0).any():
        return 0.0
    return float(np.exp(np.log(recalls).mean()))


def _f_beta(mat: pd.DataFrame, beta: float) -> Floats:
    """F_beta per class, in counts: equal to the paper's form and 0 where tp_i is 0."""
    if not (np.isfinite(beta) and beta > 0):
        raise ValueError(f"beta must be a positive number; got {beta!r}.")
    predicted = mat.to_numpy().sum(axis=0)
    return (1 + beta**2) * _diagonal(mat) / (beta**2 * _row_sums(mat) + predicted)


def _class_balance(mat: pd.DataFrame) -> Floats:
    """Per class mat[i,i] / max(row sum, column sum), the terms of CBA."""
    predicted = mat.to_numpy().sum(axis=0)
    return _diagonal(mat) / np.maximum(_row_sums(mat), predicted)
