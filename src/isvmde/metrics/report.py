"""A report of every class: text when printed, a table in a notebook."""

from dataclasses import dataclass
from html import escape
from typing import Any

import numpy as np
import pandas as pd

from .counts import Labels, Weights, choose, count, geometric_mean, shares

_WIDTH = 79  # of a confusion matrix as text
_LONGEST_NAME = 40


@dataclass(frozen=True, eq=False, repr=False)
class ImbalanceReport:
    """How well each class is recognised; see `imbalance_report`.

    A table in a notebook, text when printed.

    Attributes
    ----------
    per_class : DataFrame
        A row per class: ``support``, ``recall``, ``precision``, ``f_beta``.
    scores : Series
        ``g_mean``, ``av_f_beta`` and ``cba``.
    confusion_matrix : DataFrame
        True classes in rows, predicted classes in columns.
    beta : float
        The beta of the F-measure.
    """

    per_class: pd.DataFrame
    scores: pd.Series
    confusion_matrix: pd.DataFrame
    beta: float

    def to_frame(self) -> pd.DataFrame:
        """Return the classes with their confusion counts in one DataFrame."""
        counts = self.confusion_matrix.add_prefix("predicted ")
        return self.per_class.join(counts)

    def __repr__(self) -> str:
        return str(self)

    def __str__(self) -> str:
        names = [_short(label) for label in self.per_class.index]
        counts = self.confusion_matrix.map("{:.10g}".format).set_axis(names, axis=0)
        heading = "Confusion matrix (rows: true class, columns: predicted)"
        if max(map(len, names)) + sum(len(name) + 1 for name in names) > _WIDTH:
            numbers = [f"[{i}]" for i in range(1, len(names) + 1)]
            rows = [f"{i} {name}" for i, name in zip(numbers, names, strict=True)]
            matrix = counts.set_axis(rows, axis=0).set_axis(numbers, axis=1)
        else:
            matrix = counts.set_axis(names, axis=1)
        table = self._rounded().set_axis(names, axis=0)
        return "\n".join(
            [table.to_string(), "", self._summary(), "", heading, matrix.to_string()]
        )

    def _repr_html_(self) -> str:
        """Return one table: shares and confusion counts of every class."""
        counts = self.confusion_matrix.map("{:.10g}".format)
        parts = {"class by class": self._rounded(), "predicted as": counts}
        table = pd.concat(
            [part.reset_index(drop=True) for part in parts.values()], axis=1
        )
        table.columns = pd.MultiIndex.from_tuples(
            [(title, str(name)) for title, part in parts.items() for name in part]
        )
        table.index = pd.Index([str(label) for label in self.per_class.index])
        return f"{table.to_html()}<p>{escape(self._summary())}</p>"

    def _rounded(self) -> pd.DataFrame:
        """Return the shares per class as text, under the names to print."""
        table = self.per_class.rename(columns={"f_beta": "F"})
        support = table["support"].map("{:.10g}".format)
        shares = table.drop(columns="support")
        shown = shares.map(lambda value: "-" if np.isnan(value) else f"{value:.3f}")
        return shown.assign(support=support)[table.columns]

    def _summary(self) -> str:
        """Return the scores in a line."""
        g_mean, av_f, cba = (self.scores[name] for name in self.scores.index)
        beta = "" if self.beta == 1 else f" (beta {self.beta:g})"
        return f"G-mean {g_mean:.3f}   AvF{beta} {av_f:.3f}   CBA {cba:.3f}"


def imbalance_report(
    y_true: Labels,
    y_pred: Labels,
    *,
    beta: float = 1.0,
    labels: Labels | None = None,
    sample_weight: Weights = None,
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
        Prints as text and is a table in a notebook; ``per_class``, ``scores`` and
        ``confusion_matrix`` hold the numbers, ``to_frame()`` gives one DataFrame.

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
    classes, matrix = count(y_true, y_pred, sample_weight)
    chosen = choose(classes, labels)
    per_class = pd.DataFrame(shares(matrix, beta), index=classes).iloc[chosen]
    terms = per_class.pop("cba")
    recalls = per_class["recall"].dropna().to_numpy()
    scores = pd.Series(
        {
            # Without a sample of the chosen classes there is no recall to average.
            "g_mean": geometric_mean(recalls) if len(recalls) else np.nan,
            "av_f_beta": per_class["f_beta"].to_numpy().mean(),
            "cba": terms.to_numpy().mean(),
        }
    )
    counts = pd.DataFrame(matrix, index=classes, columns=classes)
    return ImbalanceReport(per_class, scores, counts.iloc[chosen, chosen], float(beta))


def _short(label: Any) -> str:
    """Return a class's name, cut where it is very long."""
    name = str(label)
    return name if len(name) <= _LONGEST_NAME else f"{name[: _LONGEST_NAME - 3]}..."
