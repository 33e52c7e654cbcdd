"""Recall of every class under several models."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike

from isvmde.metrics import imbalance_report
from isvmde.plots.appearance import COLOURS, MARKS, new_axes

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure, SubFigure


class RecallDisplay:
    """Plot of each class's recall, a line per class and a mark per model.

    The rarest class stands on top: it is the one that a good mean hides.

    Parameters
    ----------
    recall : DataFrame of shape (n_classes, n_models)
        Recall in [0, 1].
    support : Series of shape (n_classes,)
        Samples of every class.

    Attributes
    ----------
    ax_, figure_
        What was drawn on, after `plot`.

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
    >>> _ = display.plot()  # doctest: +SKIP
    """

    ax_: Axes
    figure_: Figure | SubFigure

    def __init__(self, recall: pd.DataFrame, support: pd.Series[float]) -> None:
        order = support.sort_values(kind="stable").index
        self.recall, self.support = recall.loc[order], support.loc[order]

    @classmethod
    def from_predictions(
        cls, y_true: ArrayLike, y_pred: ArrayLike | Mapping[str, ArrayLike]
    ) -> RecallDisplay:
        """Compute the recalls from predictions.

        Parameters
        ----------
        y_true : array-like of shape (n_samples,)
            True classes.
        y_pred : array-like of shape (n_samples,), or dict of such
            Predicted classes, of one model or of several by name.

        Returns
        -------
        RecallDisplay
            Not yet drawn; call `plot`.
        """
        given = y_pred if isinstance(y_pred, Mapping) else {"recall": y_pred}
        labels = np.unique(np.asarray(y_true))
        reports = {
            name: imbalance_report(y_true, predicted, labels=labels).per_class
            for name, predicted in given.items()
        }
        recall = pd.DataFrame(
            {name: table["recall"] for name, table in reports.items()}
        )
        return cls(recall, next(iter(reports.values()))["support"])

    @classmethod
    def from_estimator(
        cls, estimator: Any | Mapping[str, Any], X: Any, y: ArrayLike
    ) -> RecallDisplay:
        """Let fitted models predict and compute their recalls.

        Parameters
        ----------
        estimator : classifier, or dict of classifiers
            Fitted; several by name.
        X : array-like of shape (n_samples, n_features)
        y : array-like of shape (n_samples,)
            True classes.

        Returns
        -------
        RecallDisplay
            Not yet drawn; call `plot`.
        """
        if not isinstance(estimator, Mapping):
            estimator = {type(estimator).__name__: estimator}
        predictions = {name: model.predict(X) for name, model in estimator.items()}
        return cls.from_predictions(y, predictions)

    def plot(
        self, ax: Axes | None = None, *, title: str | None = None
    ) -> RecallDisplay:
        """Draw the recalls.

        Parameters
        ----------
        ax : matplotlib Axes, optional
            Where to draw; a new figure by default.
        title : str, optional
            Heading of the plot.

        Returns
        -------
        RecallDisplay
            Itself, with ``ax_`` and ``figure_``.
        """
        n_classes, n_models = self.recall.shape
        row_height = 0.2 + 0.11 * n_models
        ax = ax if ax is not None else new_axes(7.0, 1.4 + row_height * n_classes)
        rows = np.arange(n_classes)
        for row in rows[1::2]:
            ax.axhspan(row - 0.5, row + 0.5, color="0.95", linewidth=0, zorder=0)
        for k, name in enumerate(self.recall):
            # equal recalls are common: each model has its own height within the row
            offset = 0.6 * ((k + 0.5) / n_models - 0.5)
            colour = COLOURS[k % len(COLOURS)]
            values = 100 * self.recall[name].to_numpy()
            ax.hlines(rows + offset, 0, values, color=colour, linewidth=1.2, alpha=0.5)
            ax.plot(
                values,
                rows + offset,
                MARKS[k % len(MARKS)],
                color=colour,
                markersize=7,
                label=str(name),
                clip_on=False,
            )
        names = [
            f"{label}  ({count:g})"
            for label, count in zip(self.recall.index, self.support, strict=True)
        ]
        ax.set_yticks(rows, names)
        ax.set_ylim(n_classes - 0.5, -0.5)  # the rarest on top
        ax.set_xlim(0, 100)
        ax.set_xlabel("recall, per cent")
        ax.set_ylabel("class (samples)")
        ax.spines[["top", "right", "left"]].set_visible(False)
        ax.tick_params(axis="y", length=0)
        ax.grid(axis="x", alpha=0.3)
        if n_models > 1:
            ax.legend(
                frameon=False,
                ncols=min(n_models, 4),
                loc="lower right",
                bbox_to_anchor=(1, 1),
                borderaxespad=0.2,
            )
        if title is not None:
            ax.set_title(title, loc="left")
        self.ax_, self.figure_ = ax, ax.figure
        return self
