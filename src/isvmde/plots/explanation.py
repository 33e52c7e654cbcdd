"""Why a model says what it says of one sample."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Self

import numpy as np

from isvmde.plots.appearance import (
    COLOURS,
    as_seen_by_model,
    find_model,
    fold,
    name_rows,
    new_row,
    shorten,
)

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure, SubFigure

_FOR, _AGAINST = COLOURS[0], COLOURS[1]


class ExplanationDisplay:
    """Plot of one explanation: the classes, and the training samples that speak.

    On the left stands the probability of every class, the most probable on top. On
    the right are the training samples with the largest contributions: to the right
    those that speak for the predicted class, to the left, hatched, those against it.

    Parameters
    ----------
    explanation : Explanation
        One element of what ``explain(X)`` of a fitted
        :class:`isvmde.ISVMClassifierCV` returns.

    Attributes
    ----------
    ax_ : array of two matplotlib Axes
        What was drawn on: the classes, the training samples.
    figure_ : matplotlib Figure
        The figure they belong to.

    Examples
    --------
    >>> from isvmde import ISVMClassifierCV
    >>> from isvmde.plots import ExplanationDisplay
    >>> from sklearn.datasets import load_iris
    >>> X, y = load_iris(return_X_y=True)
    >>> model = ISVMClassifierCV(random_state=0).fit(X, y)
    >>> display = ExplanationDisplay.from_estimator(model, X, row=70)
    >>> len(display.ax_)
    2
    """

    ax_: np.ndarray
    figure_: Figure | SubFigure

    def __init__(self, explanation: Any) -> None:
        self.explanation = explanation

    @classmethod
    def from_estimator(
        cls, estimator: Any, X: Any, *, row: int = 0, **options: Any
    ) -> Self:
        """Explain one row of a table, and draw.

        Parameters
        ----------
        estimator : ISVMClassifierCV
            Fitted; a pipeline or a grid search that ends in one will do.
        X : array-like of shape (n_samples, n_features)
            Samples as the estimator takes them.
        row : int, default=0
            The row of X to explain.
        **options
            As in `plot`.

        Returns
        -------
        ExplanationDisplay
            Drawn, with ``ax_`` and ``figure_``.
        """
        hint = "an ISVMClassifierCV (or a pipeline that ends in one)"
        model = find_model(estimator, "explain", hint)
        if not -len(X) <= row < len(X):
            raise ValueError(f"row={row} is not a row of X, which has {len(X)}.")
        chosen = [row % len(X)]
        one = X.iloc[chosen] if hasattr(X, "iloc") else np.asarray(X)[chosen]
        seen = as_seen_by_model(estimator, one)
        found = model.explain(seen, n_rows=options.get("n_samples", 10))
        return cls(found[0]).plot(**options)

    def plot(
        self,
        ax: Any = None,
        *,
        n_classes: int = 10,
        n_samples: int = 10,
        title: str | None = None,
    ) -> Self:
        """Draw the classes and the training samples.

        Parameters
        ----------
        ax : two matplotlib Axes, optional
            Where to draw; a new figure by default.
        n_classes : int, default=10
            The most probable classes to show.
        n_samples : int, default=10
            The training samples with the largest contributions to show.
        title : str, optional
            Heading of the plot; says what was predicted by default.

        Returns
        -------
        ExplanationDisplay
            Itself, with ``ax_`` and ``figure_``.
        """
        proba = sorted(self.explanation.proba.items(), key=lambda item: -item[1])
        proba = proba[:n_classes]
        support = self.explanation.support.head(n_samples)
        height = 1.6 + 0.3 * max(len(proba), len(support))
        axes = new_row(9.5, height, [1, 1.3]) if ax is None else np.asarray(ax)
        if axes.shape != (2,):
            raise ValueError("ax must be two Axes: one for classes, one for samples.")
        _draw_classes(axes[0], proba)
        _draw_samples(axes[1], support)
        if title is None:
            title = fold(f"Predicted: {self.explanation.predicted}", 32)
        axes[0].set_title(title, loc="left")
        self.ax_, self.figure_ = axes, axes[0].figure
        return self


def _draw_classes(ax: Axes, proba: list[tuple[Any, float]]) -> None:
    """Draw a bar per class, the most probable on top."""
    values = [100 * p for _, p in proba]
    ax.barh(range(len(values)), values, color=[_FOR, *["0.72"] * (len(values) - 1)])
    for row, value in enumerate(values):
        ax.text(value + 2, row, f"{value:.0f} %", va="center")
    name_rows(ax, [label for label, _ in proba])
    ax.set_ylim(len(values) - 0.5, -0.5)
    ax.set_xlim(0, 118)
    ax.set_xticks([0, 50, 100])
    ax.set_xlabel("probability, per cent")
    ax.spines[["top", "right"]].set_visible(False)


def _draw_samples(ax: Axes, support: Any) -> None:
    """Draw a bar per training sample; those against the prediction are hatched."""
    values = support["contribution"].to_numpy()
    for row, value in enumerate(values):
        against = value < 0
        ax.barh(
            row,
            value,
            color=_AGAINST if against else _FOR,
            hatch="////" if against else None,
            edgecolor="white",
        )
    ax.axvline(0, color="0.3", linewidth=1)
    pairs = zip(support["row"], support["class"], strict=True)
    name_rows(ax, [f"{shorten(label)}  (row {row})" for row, label in pairs], 40)
    ax.set_ylim(len(values) - 0.5, -0.5)
    largest = 1.15 * max(np.abs(values).max(initial=0.0), 1e-12)
    ax.set_xlim(-largest, largest)
    ax.set_xlabel("against  ←  contribution  →  for")
    ax.set_title("Training samples that speak", loc="left")
    ax.spines[["top", "right", "left"]].set_visible(False)
