"""Confusion matrix whose colours do not depend on the sizes of the classes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Self

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike

from isvmde.metrics import ImbalanceReport, imbalance_report
from isvmde.plots.appearance import Display, name_columns, name_rows, new_axes, write_on

if TYPE_CHECKING:
    from matplotlib.axes import Axes


class ConfusionDisplay(Display):
    """Plot of a confusion matrix with class sizes and recalls.

    Numbers are samples. A cell's colour is its share of the true class, so that a
    class of five samples is as visible as one of five hundred. scikit-learn's
    ``ConfusionMatrixDisplay`` shows either the numbers or the shares.

    Parameters
    ----------
    matrix : DataFrame of shape (n_classes, n_classes)
        True classes in rows, predicted classes in columns.

    Attributes
    ----------
    ax_ : matplotlib Axes
        What was drawn on.
    figure_ : matplotlib Figure
        The figure it belongs to.

    Examples
    --------
    >>> from isvmde.plots import ConfusionDisplay
    >>> y_true = ["ill", "ill", "well", "well", "well"]
    >>> y_pred = ["ill", "well", "well", "well", "well"]
    >>> display = ConfusionDisplay.from_predictions(y_true, y_pred)
    >>> display.matrix.to_numpy().astype(int).tolist()
    [[1, 1], [0, 3]]
    """

    def __init__(self, matrix: pd.DataFrame) -> None:
        self.matrix = matrix

    @classmethod
    def from_predictions(
        cls,
        y_true: ArrayLike,
        y_pred: ArrayLike,
        *,
        labels: ArrayLike | None = None,
        sample_weight: ArrayLike | None = None,
        ax: Axes | None = None,
        title: str | None = None,
    ) -> Self:
        """Count true and predicted classes, and draw.

        Parameters
        ----------
        y_true, y_pred : array-like of shape (n_samples,)
            True and predicted classes.
        labels : array-like, optional
            The classes to show, in this order; all by default.
        sample_weight : array-like of shape (n_samples,), optional
            How often each sample counts.
        ax, title
            As in `plot`.

        Returns
        -------
        ConfusionDisplay
            Drawn, with ``ax_`` and ``figure_``.
        """
        report = imbalance_report(
            y_true, y_pred, labels=labels, sample_weight=sample_weight
        )
        return cls.from_report(report, ax=ax, title=title)

    @classmethod
    def from_estimator(
        cls, estimator: Any, X: Any, y: ArrayLike, **options: Any
    ) -> Self:
        """Let a fitted model predict, count, and draw.

        Parameters
        ----------
        estimator : classifier
            Fitted.
        X : array-like of shape (n_samples, n_features)
            Samples to predict.
        y : array-like of shape (n_samples,)
            True classes.
        **options
            As in `from_predictions`.

        Returns
        -------
        ConfusionDisplay
            Drawn, with ``ax_`` and ``figure_``.
        """
        return cls.from_predictions(y, estimator.predict(X), **options)

    @classmethod
    def from_report(
        cls,
        report: ImbalanceReport,
        *,
        ax: Axes | None = None,
        title: str | None = None,
    ) -> Self:
        """Draw the confusion matrix of a report.

        Parameters
        ----------
        report : ImbalanceReport
            From `isvmde.metrics.imbalance_report`, or ``model.loo_report()``.
        ax, title
            As in `plot`.

        Returns
        -------
        ConfusionDisplay
            Drawn, with ``ax_`` and ``figure_``.
        """
        return cls(report.confusion_matrix).plot(ax, title=title)

    def plot(self, ax: Axes | None = None, *, title: str | None = None) -> Self:
        """Draw the matrix.

        Parameters
        ----------
        ax : matplotlib Axes, optional
            Where to draw; a new figure by default.
        title : str, optional
            Heading of the plot.

        Returns
        -------
        ConfusionDisplay
            Itself, with ``ax_`` and ``figure_``.
        """
        counts = self.matrix.to_numpy()
        n = len(counts)
        ax = ax if ax is not None else new_axes(2.6 + 0.5 * n, 1.4 + 0.5 * n)
        sizes = counts.sum(axis=1)
        shares = counts / np.where(sizes > 0, sizes, 1)[:, None]
        image = ax.imshow(shares, cmap="Blues", vmin=0, vmax=1)
        for row, column in np.argwhere(counts > 0):
            ground = image.cmap(image.norm(shares[row, column]))[:3]
            write_on(ax, column, row, f"{counts[row, column]:g}", ground, 9)
        pairs = zip(self.matrix.index, sizes, strict=True)
        name_rows(ax, [f"{label}  ({size:g})" for label, size in pairs])
        name_columns(ax, self.matrix.columns)
        ax.set_ylabel("true class (samples)")
        ax.set_xlabel("predicted class")
        ax.set_xticks(np.arange(n + 1) - 0.5, minor=True)
        ax.set_yticks(np.arange(n + 1) - 0.5, minor=True)
        ax.grid(which="minor", color="0.85", linewidth=0.8)
        ax.tick_params(which="minor", length=0)
        ax.spines[:].set_visible(False)
        self._write_recalls(ax, np.diagonal(shares), sizes)
        if title is not None:
            title += "\n"  # above the word "recall"
        return self._drawn(ax, title)

    def _write_recalls(self, ax: Axes, recalls: np.ndarray, sizes: np.ndarray) -> None:
        """Write each class's recall at the right of its row."""
        place = len(recalls) - 0.4
        ax.annotate("recall", (place, -0.75), annotation_clip=False, va="center")
        for row, (recall, size) in enumerate(zip(recalls, sizes, strict=True)):
            text = f"{100 * recall:.0f} %" if size > 0 else "–"
            ax.annotate(text, (place, row), annotation_clip=False, va="center")
