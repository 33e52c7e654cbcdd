"""Which class a model sees where, for two features."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Self

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike

from isvmde.plots.appearance import Display, fold, look, new_axes

if TYPE_CHECKING:
    from matplotlib.axes import Axes


class RegionsDisplay(Display):
    """Plot of the decision regions of a classifier of two features.

    What it adds to scikit-learn's ``DecisionBoundaryDisplay`` are the samples, the
    rarest class on top, a mark and a colour per class, and the margins of an i-SVM.

    Parameters
    ----------
    xx, yy : ndarrays of shape (rows, columns)
        Grid of the two features.
    response : ndarray of shape (rows, columns)
        Predicted class of every point, as an index into ``classes``.
    classes : array-like
        Names of the classes.
    levels : ndarray of shape (rows, columns), optional
        Decision value f of the only pair of a two-class model; with it the boundary
        f = 0 and the two margins are drawn.
    margins : (float, float), optional
        f at the margin of the class with f < 0 and of the one with f > 0.

    Attributes
    ----------
    ax_ : matplotlib Axes
        What was drawn on.
    figure_ : matplotlib Figure
        The figure it belongs to.

    Examples
    --------
    >>> from isvmde import ISVMClassifier
    >>> from isvmde.plots import RegionsDisplay
    >>> from sklearn.datasets import load_iris
    >>> X, y = load_iris(return_X_y=True)
    >>> model = ISVMClassifier().fit(X[:, :2], y)
    >>> display = RegionsDisplay.from_estimator(model, X[:, :2], y, resolution=50)
    >>> display.response.shape
    (50, 50)
    """

    def __init__(
        self,
        xx: np.ndarray,
        yy: np.ndarray,
        response: np.ndarray,
        classes: ArrayLike,
        *,
        levels: np.ndarray | None = None,
        margins: tuple[float, float] | None = None,
    ) -> None:
        self.xx, self.yy, self.response = xx, yy, response
        self.classes = np.asarray(classes)
        self.levels, self.margins = levels, margins
        self._samples: tuple[np.ndarray, np.ndarray] | None = None
        self._names: tuple[str, str] = ("first feature", "second feature")

    @classmethod
    def from_estimator(
        cls,
        estimator: Any,
        X: Any,
        y: ArrayLike | None = None,
        *,
        resolution: int = 300,
        border: float = 0.05,
        ax: Axes | None = None,
        title: str | None = None,
    ) -> Self:
        """Let a fitted model predict on a grid around the samples, and draw.

        Parameters
        ----------
        estimator : classifier
            Fitted on two features.
        X : array-like of shape (n_samples, 2)
            Samples that the grid has to cover.
        y : array-like of shape (n_samples,), optional
            Their classes; with them the samples are drawn.
        resolution : int, default=300
            Points of the grid in each direction.
        border : float, default=0.05
            What the grid adds on every side, as a share of the samples' range.
        ax, title
            As in `plot`.

        Returns
        -------
        RegionsDisplay
            Drawn, with ``ax_`` and ``figure_``.
        """
        rows = np.asarray(X, dtype=float)
        if rows.ndim != 2 or rows.shape[1] != 2:
            raise ValueError(
                f"X has shape {rows.shape}: regions can be drawn for two features only."
            )
        low, high = rows.min(axis=0), rows.max(axis=0)
        room = border * np.where(high > low, high - low, 1.0)
        axes = [
            np.linspace(a, b, resolution)
            for a, b in zip(low - room, high + room, strict=True)
        ]
        xx, yy = np.meshgrid(*axes)
        grid: Any = np.column_stack([xx.ravel(), yy.ravel()])
        if isinstance(X, pd.DataFrame):
            grid = pd.DataFrame(grid, columns=X.columns)
        classes = np.asarray(estimator.classes_)
        response = np.searchsorted(classes, estimator.predict(grid))
        display = cls(xx, yy, response.reshape(xx.shape), classes)
        params = getattr(estimator, "pair_params_", {})
        if len(params) == 1:  # a searched or given i-SVM of two classes
            settings = next(iter(params.values()))
            f = estimator.pair_decision_function(grid)[:, 0]
            display.levels = f.reshape(xx.shape)
            display.margins = (-settings["margin_neg"], settings["margin_pos"])
        if y is not None:
            display._samples = rows, np.asarray(y)
        if isinstance(X, pd.DataFrame):
            display._names = str(X.columns[0]), str(X.columns[1])
        return display.plot(ax, title=title)

    def plot(self, ax: Axes | None = None, *, title: str | None = None) -> Self:
        """Draw the regions, and the samples if they were given.

        Parameters
        ----------
        ax : matplotlib Axes, optional
            Where to draw; a new figure by default.
        title : str, optional
            Heading of the plot.

        Returns
        -------
        RegionsDisplay
            Itself, with ``ax_`` and ``figure_``.
        """
        from matplotlib.colors import ListedColormap, to_rgb

        n = len(self.classes)
        lines = sum(fold(label).count("\n") + 1 for label in self.classes)
        ax = ax if ax is not None else new_axes(6.8, max(4.6, 0.8 + 0.22 * lines))
        colours = [look(k)[0] for k in range(n)]
        tints = [0.72 + 0.28 * np.array(to_rgb(colour)) for colour in colours]
        ax.pcolormesh(
            self.xx,
            self.yy,
            self.response,
            cmap=ListedColormap(tints),
            vmin=-0.5,
            vmax=n - 0.5,
            shading="nearest",
            rasterized=True,
        )
        self._draw_boundaries(ax)
        if self._samples is not None:
            self._draw_samples(ax, *self._samples)
        ax.set_xlabel(self._names[0])
        ax.set_ylabel(self._names[1])
        return self._drawn(ax, title)

    def _draw_boundaries(self, ax: Axes) -> None:
        """Draw the boundary; for two classes with f its margins as well."""
        style: dict[str, Any] = {"colors": "0.25", "linewidths": 1.2}
        if self.levels is not None and self.margins is not None:
            style["linestyles"] = [
                "solid" if level == 0 else "dashed" for level in self._contours()
            ]
            if self._contours():
                ax.contour(self.xx, self.yy, self.levels, self._contours(), **style)
            return
        for k in range(len(self.classes)):
            here = (self.response == k).astype(float)
            if 0 < here.mean() < 1:
                ax.contour(self.xx, self.yy, here, [0.5], **style)

    def _contours(self) -> list[float]:
        """Return the values of f to draw, those that occur: 0 and the margins."""
        assert self.levels is not None
        low, high = self.levels.min(), self.levels.max()
        return sorted(v for v in {0.0, *(self.margins or ())} if low < v < high)

    def _draw_samples(self, ax: Axes, rows: np.ndarray, y: np.ndarray) -> None:
        """Draw the samples, the rarest class last so that none is hidden."""
        counts = {k: int((y == label).sum()) for k, label in enumerate(self.classes)}
        for k in sorted(counts, key=lambda k: -counts[k]):
            chosen = rows[y == self.classes[k]]
            colour, mark = look(k)
            ax.plot(
                chosen[:, 0],
                chosen[:, 1],
                mark,
                color=colour,
                markeredgecolor="0.15",
                markeredgewidth=0.5,
                markersize=6,
                linestyle="none",
                label=fold(f"{self.classes[k]} ({counts[k]})"),
            )
        ax.legend(
            loc="upper left",
            bbox_to_anchor=(1.01, 1),
            frameon=False,
            title="class (samples)",
            alignment="left",
        )
