"""Why a model says what it says of one sample."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar, Self

import numpy as np

from isvmde.plots.appearance import (
    COLOURS,
    Display,
    as_seen_by_model,
    find_model,
    fold,
    name_rows,
    shorten,
)

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_FOR, _AGAINST = COLOURS[0], COLOURS[1]


class ExplanationDisplay(Display):
    """Plot of one explanation: the classes, and the training samples that speak.

    On the left stands the probability of every class, the most probable on top. On
    the right are the training samples with the largest contributions: to the right
    those that speak for the predicted class, to the left, hatched, those against it.

    Parameters
    ----------
    explanation : Explanation
        One element of what ``explain(X)`` of a fitted
        :class:`isvmde.ISVMClassifierCV` returns.

    Other Parameters
    ----------------
    n_classes : int, default=10
        Option of `plot`: how many classes to show, the most probable.
    n_samples : int, default=10
        Option of `plot`: how many training samples, those that contribute most.

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

    _parts: ClassVar[dict[str, float]] = {"classes": 1.0, "samples": 1.3}

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
        model = find_model(estimator, "explain", "an ISVMClassifierCV")
        if not -len(X) <= row < len(X):
            raise ValueError(f"row={row} is not a row of X, which has {len(X)}.")
        chosen = [row % len(X)]
        one = X.iloc[chosen] if hasattr(X, "iloc") else np.asarray(X)[chosen]
        seen = as_seen_by_model(estimator, one)
        found = model.explain(seen, n_rows=options.get("n_samples", 10))
        return cls(found[0]).plot(**options)

    def _size(self, *, n_classes: int = 10, n_samples: int = 10) -> tuple[float, float]:
        rows = max(
            min(len(self.explanation.proba), n_classes),
            min(len(self.explanation.support), n_samples),
        )
        return 9.5, 1.6 + 0.3 * rows

    def _draw(
        self, classes: Axes, samples: Axes, *, n_classes: int = 10, n_samples: int = 10
    ) -> None:
        proba = sorted(self.explanation.proba.items(), key=lambda item: -item[1])
        _draw_classes(classes, proba[:n_classes])
        _draw_samples(samples, self.explanation.support.head(n_samples))
        heading = fold(f"Predicted: {self.explanation.predicted}", 32)
        classes.set_title(heading, loc="left")


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
