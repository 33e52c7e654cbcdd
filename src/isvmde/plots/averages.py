"""Displays of an averaged model: where its weight lies, why it says what it says."""

from __future__ import annotations

from itertools import product
from typing import TYPE_CHECKING, Any, Self

import numpy as np
import pandas as pd

from isvmde.nested import inwards

from .appearance import (
    COLOURS,
    Display,
    ModelDisplay,
    find_model,
    fold,
    name_rows,
    shorten,
    tints_of,
)

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_VIEWS = "values", "ranks", "weighted values", "weighted ranks"
_HATCHES = dict(zip(_VIEWS, ("", "////", "++++", "xxxx"), strict=True))
_EDGE, _EDGE_WIDTH = "0.35", 0.5  # of bars
_MANY = 36  # more pairs than this are drawn class by class
_MOST = 10  # classes and training samples in the plot of an explanation


class ModelWeightsDisplay(ModelDisplay):
    """Plot of where the weight of a model lies, pair by pair.

    A bar shows how much weight each kernel has (colour) and what it sees of the
    features (hatching). On the right are the margins that the pair learned: the
    boundary moves towards the class with the smaller one. The first row is the mean of
    all; where there are more than 36 pairs, a row is a class, the mean of its pairs.

    Parameters
    ----------
    shares : DataFrame of shape (n_pairs, n_kinds)
        Weight of every (kernel, view), columns with these two levels; rows sum to 1.
    margins : DataFrame of shape (n_pairs, 2)
        The two margins of every row; the columns' names stand in the legend.

    Examples
    --------
    >>> from isvmde import ISVMClassifierCV
    >>> from isvmde.plots import ModelWeightsDisplay
    >>> from sklearn.datasets import load_iris
    >>> model = ISVMClassifierCV(random_state=0).fit(*load_iris(return_X_y=True))
    >>> display = ModelWeightsDisplay.from_estimator(model)
    >>> display.shares.sum(axis="columns").round(6).tolist()
    [1.0, 1.0, 1.0]
    """

    _attribute = "weights_"
    _models = "an ISVMClassifierCV"
    _widths = (2.2, 1.0)

    def __init__(self, shares: pd.DataFrame, margins: pd.DataFrame) -> None:
        self.shares, self.margins = shares, margins
        self._size = 9.5, 2.27 + 0.27 * len(shares)

    @classmethod
    def _of(cls, model: Any) -> Self:
        kinds = [(each["kernel"], each["view"]) for each in model.settings_]
        tints = tints_of(kernel for kernel, _ in kinds)
        order = [kind for kind in product(tints, _HATCHES) if kind in kinds]
        if unknown := sorted({view for _, view in kinds} - set(_HATCHES)):
            raise ValueError(f"there is no hatching for the view {unknown[0]!r}")
        weights, pairs = np.asarray(model.weights_), np.asarray(model.pairs_)
        shares = pd.DataFrame(
            {
                wanted: weights[[kind == wanted for kind in kinds]].sum(axis=0)
                for wanted in order
            }
        )
        if len(pairs) > _MANY:
            return cls._class_by_class(shares, np.asarray(model.margins_), pairs)
        names = [" : ".join(shorten(label, 18) for label in pair) for pair in pairs]
        margins = pd.DataFrame(
            model.margins_, names, ["of the first class", "of the second class"]
        )
        return cls(shares.set_axis(names), margins)

    @classmethod
    def _class_by_class(
        cls, shares: pd.DataFrame, margins: np.ndarray, pairs: np.ndarray
    ) -> Self:
        """Return the display with the mean over every class's pairs as its row."""
        names = np.unique(pairs).tolist()
        sides_of = [pairs == label for label in names]  # (pairs, 2) of a class
        mean_shares = [shares[is_side.any(axis=1)].mean() for is_side in sides_of]
        mean_margins = pd.DataFrame(
            {
                "of the class": [margins[is_side].mean() for is_side in sides_of],
                "of the others": [
                    margins[is_side[:, ::-1]].mean() for is_side in sides_of
                ],
            },
            names,
        )
        return cls(pd.DataFrame(mean_shares).set_axis(names), mean_margins)

    def _draw(self, bars: Axes, dots: Axes) -> None:
        self._draw_weights(bars)
        self._draw_margins(dots)

    def _draw_weights(self, bars: Axes) -> None:
        """Draw a bar per row, made of the weights of kernels and views."""
        mean = self.shares.mean().to_frame("mean of all").T
        table = 100 * pd.concat([mean, self.shares])
        name_rows(bars, table.index)
        bars.get_yticklabels()[0].set_fontweight("bold")
        bars.set(xlim=(0, 100), xlabel="weight, per cent")
        kinds: list[Any] = list(table.columns)
        tints = tints_of(kernel for kernel, _ in kinds)
        start = np.zeros(len(table))
        for kernel, view in kinds:
            width = table[kernel, view].to_numpy()
            bars.barh(
                range(len(table)),
                width,
                left=start,
                color=tints[kernel],
                hatch=_HATCHES[view],
                edgecolor=_EDGE,
                linewidth=_EDGE_WIDTH,
            )
            start += width
        handles = self._handles(tints, {view for _, view in kinds})
        bars.figure.legend(
            handles=handles, ncols=4, loc="outside lower center", frameon=False
        )

    @staticmethod
    def _handles(tints: dict[str, str], seen: set[str]) -> list[Any]:
        """Return what the legend shows: the tints of kernels, the hatches of views."""
        from matplotlib.patches import Patch

        of_kernels = [(kernel, tint, "") for kernel, tint in tints.items()]
        of_views = [(f"on {v}", "w", h) for v, h in _HATCHES.items() if v in seen]
        return [
            Patch(
                facecolor=colour,
                hatch=hatch,
                label=name,
                edgecolor=_EDGE,
                linewidth=_EDGE_WIDTH,
            )
            for name, colour, hatch in of_kernels + of_views
        ]

    def _draw_margins(self, dots: Axes) -> None:
        """Draw the two margins of every row, none beside the mean of all."""
        n_rows = 1 + len(self.margins)
        rows = np.arange(1, n_rows)
        (name, first), (other, second) = self.margins.items()
        dots.hlines(rows, first, second, color="0.6", linewidth=1)
        dots.plot(first, rows, "o", color=COLOURS[0], label=name)
        dots.plot(second, rows, "D", color=COLOURS[1], mfc="white", label=other)
        name_rows(dots, [""] * n_rows)
        dots.grid(axis="x", alpha=0.3)
        dots.set_xlabel("margin")
        dots.legend(frameon=False, loc="lower left", bbox_to_anchor=(0, 1))


class ExplanationDisplay(Display):
    """Plot of one explanation: the classes, and the training samples that speak.

    On the left stand the most probable classes, on the right the training samples that
    contribute most, ten of each: to the right those that speak for the predicted class,
    to the left, hatched, those against it.

    Parameters
    ----------
    explanation : Explanation
        One element of what :meth:`isvmde.ISVMClassifierCV.explain` returns.

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

    _widths = (1.0, 1.3)

    def __init__(self, explanation: Any) -> None:
        self.explanation = explanation
        rows = max(len(explanation.proba), len(explanation.support))
        self._size = 9.5, 1.6 + 0.3 * min(rows, _MOST)

    @classmethod
    def from_estimator(
        cls, estimator: Any, X: Any, *, row: int = 0, **options: Any
    ) -> Self:
        """Explain one row of a table, draw, and return the display.

        Parameters
        ----------
        estimator : ISVMClassifierCV
            Fitted; a pipeline or a grid search that ends in one will do.
        X, row : array-like of shape (n_samples, n_features), int
            Samples as the estimator takes them, and the one to explain.
        **options
            As in `plot`.
        """
        model = find_model(estimator, "explain", "an ISVMClassifierCV")
        seen = X.iloc[[row]] if hasattr(X, "iloc") else np.asarray(X)[[row]]
        for outer in inwards(estimator):
            if len(getattr(outer, "steps", ())) > 1:
                seen = outer[:-1].transform(seen)
        return cls(model.explain(seen)[0]).plot(**options)

    def _draw(self, classes: Axes, samples: Axes) -> None:
        speaks_for, against = COLOURS[:2]
        proba = sorted(self.explanation.proba.items(), key=lambda item: -item[1])
        values = [100 * p for _, p in proba[:_MOST]]
        colours = ["0.72"] * len(values)
        colours[0] = speaks_for
        bars = classes.barh(range(len(values)), values, color=colours)
        classes.bar_label(bars, fmt="%.0f %%", padding=4)
        name_rows(classes, [label for label, _ in proba[:_MOST]], 24)
        classes.spines["left"].set_visible(True)
        classes.set(xlim=(0, 118), xticks=[0, 50, 100], xlabel="probability, per cent")
        predicted = fold(f"Predicted: {self.explanation.predicted}", 32)
        classes.set_title(predicted, loc="left")

        support = self.explanation.support.head(_MOST)
        values = support["contribution"].to_numpy()
        colours = [against if value < 0 else speaks_for for value in values]
        hatches = ["////" if value < 0 else None for value in values]
        rows = range(len(values))
        samples.barh(rows, values, color=colours, hatch=hatches, edgecolor="white")
        samples.axvline(0, color="0.3", linewidth=1)
        pairs = zip(support["row"], support["class"], strict=True)
        name_rows(samples, [f"{shorten(label)}  (row {row})" for row, label in pairs])
        largest = 1.15 * max(np.abs(values).max(initial=0.0), 1e-12)
        samples.set_xlim(-largest, largest)
        samples.set_xlabel("against  ←  contribution  →  for")
        samples.set_title("Training samples for and against", loc="left")
