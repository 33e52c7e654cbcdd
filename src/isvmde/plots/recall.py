"""Recall of every class under several models."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Self

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike

from isvmde.metrics import ImbalanceReport, imbalance_report
from isvmde.plots.appearance import Display, look, name_rows

if TYPE_CHECKING:
    from matplotlib.axes import Axes


class RecallDisplay(Display):
    """Plot of each class's recall, a line per class and a mark per model.

    The rarest class stands on top: it is the one that a good mean hides.

    Parameters
    ----------
    recall : DataFrame of shape (n_classes, n_models)
        Recall in [0, 1].
    support : Series of shape (n_classes,)
        Samples of every class.

    Examples
    --------
    >>> from isvmde.plots import RecallDisplay
    >>> y_true = ["ill", "ill", "well", "well", "well", "well"]
    >>> some = ["ill", "well", "well", "well", "well", "well"]
    >>> all_ = ["ill", "ill", "ill", "well", "well", "well"]
    >>> display = RecallDisplay.from_predictions(y_true, {"A": some, "B": all_})
    >>> display.recall
            A     B
    ill   0.5  1.00
    well  1.0  0.75
    """

    def __init__(self, recall: pd.DataFrame, support: pd.Series[float]) -> None:
        order = support.sort_values(kind="stable").index
        self.recall, self.support = recall.loc[order], support.loc[order]

    @classmethod
    def from_predictions(
        cls,
        y_true: ArrayLike,
        y_pred: ArrayLike | Mapping[str, ArrayLike],
        **options: Any,
    ) -> Self:
        """Compute the recalls from predictions, and draw.

        Parameters
        ----------
        y_true : array-like of shape (n_samples,)
            True classes.
        y_pred : array-like of shape (n_samples,), or dict of such
            Predicted classes, of one model or of several by name.
        **options
            As in `plot`.

        Returns
        -------
        RecallDisplay
            Drawn, with ``ax_`` and ``figure_``.
        """
        given = y_pred if isinstance(y_pred, Mapping) else {"recall": y_pred}
        labels = np.unique(np.asarray(y_true))
        reports = {
            name: imbalance_report(y_true, predicted, labels=labels)
            for name, predicted in given.items()
        }
        return cls.from_report(reports, **options)

    @classmethod
    def from_estimator(
        cls, estimator: Any | Mapping[str, Any], X: Any, y: ArrayLike, **options: Any
    ) -> Self:
        """Let fitted models predict, compute their recalls, and draw.

        Parameters
        ----------
        estimator : classifier, or dict of classifiers
            Fitted; several by name.
        X : array-like of shape (n_samples, n_features)
            Samples to predict.
        y : array-like of shape (n_samples,)
            True classes.
        **options
            As in `plot`.

        Returns
        -------
        RecallDisplay
            Drawn, with ``ax_`` and ``figure_``.
        """
        if not isinstance(estimator, Mapping):
            estimator = {type(estimator).__name__: estimator}
        predictions = {name: model.predict(X) for name, model in estimator.items()}
        return cls.from_predictions(y, predictions, **options)

    @classmethod
    def from_report(
        cls, report: ImbalanceReport | Mapping[str, ImbalanceReport], **options: Any
    ) -> Self:
        """Draw the recalls of reports, such as a model's own ``loo_report()``.

        Parameters
        ----------
        report : ImbalanceReport, or dict of such
            From `isvmde.metrics.imbalance_report`, or from ``loo_report()`` of a
            fitted :class:`isvmde.ISVMClassifierCV`, which speaks of training samples
            as the model would see them without having learned from them.
        **options
            As in `plot`.

        Returns
        -------
        RecallDisplay
            Drawn, with ``ax_`` and ``figure_``.
        """
        given = report if isinstance(report, Mapping) else {"recall": report}
        tables = {name: one.per_class for name, one in given.items()}
        recall = pd.DataFrame({name: one["recall"] for name, one in tables.items()})
        support = next(iter(tables.values()))["support"]
        return cls(recall.loc[support.index], support).plot(**options)

    def _size(self) -> tuple[float, float]:
        n_classes, n_models = self.recall.shape
        return 7.0, 1.4 + (0.2 + 0.11 * n_models) * n_classes

    def _draw(self, ax: Axes) -> None:
        n_classes, n_models = self.recall.shape
        rows = np.arange(n_classes)
        for row in rows[1::2]:
            ax.axhspan(row - 0.5, row + 0.5, color="0.95", linewidth=0, zorder=0)
        for k, name in enumerate(self.recall):
            # equal recalls are common: each model has its own height within the row
            offset = 0.6 * ((k + 0.5) / n_models - 0.5)
            colour, mark = look(k)
            values = 100 * self.recall[name].to_numpy()
            ax.hlines(rows + offset, 0, values, color=colour, linewidth=1.2, alpha=0.5)
            ax.plot(
                values,
                rows + offset,
                mark,
                color=colour,
                markersize=7,
                label=str(name),
                clip_on=False,
            )
        pairs = zip(self.recall.index, self.support, strict=True)
        name_rows(ax, [f"{label}  ({count:g})" for label, count in pairs], 30)
        ax.set_ylim(n_classes - 0.5, -0.5)  # the rarest on top
        ax.set_xlim(0, 100)
        ax.set_xlabel("recall, per cent")
        ax.set_ylabel("class (samples)")
        ax.spines[["top", "right", "left"]].set_visible(False)
        ax.grid(axis="x", alpha=0.3)
        if n_models > 1:
            ax.legend(
                frameon=False,
                ncols=self._legend_columns(),
                loc="lower right",
                bbox_to_anchor=(1, 1),
                borderaxespad=0.2,
            )

    def _write_title(self, ax: Axes, title: str) -> None:
        n_models = self.recall.shape[1]
        lines = math.ceil(n_models / self._legend_columns()) if n_models > 1 else 0
        ax.set_title(title, loc="left", pad=6 + 17 * lines)  # above the legend

    def _legend_columns(self) -> int:
        """Return how many names find room side by side."""
        names = [str(name) for name in self.recall]
        columns = len(names)
        while columns > 1 and np.mean([len(n) + 8 for n in names]) * columns > 76:
            columns = -(-columns // 2)
        return columns
