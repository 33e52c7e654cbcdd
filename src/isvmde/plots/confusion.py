"""Confusion matrix whose colours do not depend on the sizes of the classes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike

from isvmde.metrics import imbalance_report
from isvmde.plots.appearance import new_axes, write_on

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure, SubFigure


class ConfusionDisplay:
    """Plot of a confusion matrix with class sizes and recalls.

    Numbers are samples. A cell's colour is its share of the true class, so that a
    class of five samples is as visible as one of five hundred.

    Parameters
    ----------
    matrix : DataFrame of shape (n_classes, n_classes)
        True classes in rows, predicted classes in columns.

    Attributes
    ----------
    ax_, figure_
        What was drawn on, after `plot`.

    Examples
    --------
    >>> from isvmde.plots import ConfusionDisplay
    >>> y_true = ["ill", "ill", "well", "well", "well"]
    >>> y_pred = ["ill", "well", "well", "well", "well"]
    >>> display = ConfusionDisplay.from_predictions(y_true, y_pred)
    >>> display.matrix.to_numpy().tolist()
    [[1.0, 1.0], [0.0, 3.0]]
    >>> _ = display.plot()  # doctest: +SKIP
    """

    ax_: Axes
    figure_: Figure | SubFigure

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
    ) -> ConfusionDisplay:
        """Count true and predicted classes.

        Parameters
        ----------
        y_true, y_pred : array-like of shape (n_samples,)
            True and predicted classes.
        labels : array-like, optional
            The classes to show, in this order; all by default.
        sample_weight : array-like of shape (n_samples,), optional
            How often each sample counts.

        Returns
        -------
        ConfusionDisplay
            Not yet drawn; call `plot`.
        """
        report = imbalance_report(
            y_true, y_pred, labels=labels, sample_weight=sample_weight
        )
        return cls(report.confusion_matrix)

    @classmethod
    def from_estimator(
        cls, estimator: Any, X: Any, y: ArrayLike, **options: Any
    ) -> ConfusionDisplay:
        """Let a fitted model predict and count.

        Parameters
        ----------
        estimator : classifier
            Fitted.
        X : array-like of shape (n_samples, n_features)
        y : array-like of shape (n_samples,)
            True classes.
        **options
            As in `from_predictions`.

        Returns
        -------
        ConfusionDisplay
            Not yet drawn; call `plot`.
        """
        return cls.from_predictions(y, estimator.predict(X), **options)

    def plot(
        self, ax: Axes | None = None, *, title: str | None = None
    ) -> ConfusionDisplay:
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
        rows = [
            f"{label}  ({size:g})"
            for label, size in zip(self.matrix.index, sizes, strict=True)
        ]
        columns = [str(label) for label in self.matrix.columns]
        long = max(len(name) for name in columns) > 3
        ax.set_yticks(range(n), rows)
        ax.set_xticks(
            range(n),
            columns,
            rotation=45 if long else 0,
            ha="right" if long else "center",
            rotation_mode="anchor" if long else "default",
        )
        ax.set_ylabel("true class (samples)")
        ax.set_xlabel("predicted class")
        ax.set_xticks(np.arange(n + 1) - 0.5, minor=True)
        ax.set_yticks(np.arange(n + 1) - 0.5, minor=True)
        ax.grid(which="minor", color="0.85", linewidth=0.8)
        ax.tick_params(which="both", length=0)
        ax.spines[:].set_visible(False)
        self._write_recalls(ax, np.diagonal(shares), sizes)
        if title is not None:
            ax.set_title(title, loc="left", pad=18)
        self.ax_, self.figure_ = ax, ax.figure
        return self

    def _write_recalls(self, ax: Axes, recalls: np.ndarray, sizes: np.ndarray) -> None:
        """Write each class's recall at the right of its row."""
        place = len(recalls) - 0.4
        ax.annotate("recall", (place, -0.75), annotation_clip=False, va="center")
        for row, (recall, size) in enumerate(zip(recalls, sizes, strict=True)):
            text = f"{100 * recall:.0f} %" if size > 0 else "–"
            ax.annotate(text, (place, row), annotation_clip=False, va="center")
