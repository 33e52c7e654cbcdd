"""Which kernels, views and margins carry an averaged model."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar, Self

import numpy as np
import pandas as pd

from isvmde.plots.appearance import (
    COLOURS,
    KERNEL_COLOURS,
    ModelDisplay,
    name_rows,
    shorten,
)

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_HATCHES = {
    "values": "",
    "ranks": "////",
    "weighted values": "....",
    "weighted ranks": "xxxx",
}
_MANY = 36  # more pairs than this are drawn class by class


class ModelWeightsDisplay(ModelDisplay):
    """Plot of where the weight of a model lies, pair by pair.

    Every pair of classes averages the same settings with weights of its own. A bar
    shows how much weight each kernel has (colour) and what it sees of the features
    (hatching). On the right are the margins that the pair learned: the boundary moves
    towards the class with the smaller one. The first row is the mean over all pairs;
    where there are more than 36 pairs, a row is a class, the mean of its pairs.

    Parameters
    ----------
    shares : DataFrame of shape (n_pairs, n_kinds)
        Weight of every (kernel, view), columns with these two levels; rows sum to 1.
    margins : DataFrame of shape (n_pairs, 2)
        Margin of the first and of the second class of the row's name.

    Examples
    --------
    >>> from isvmde import ISVMClassifierCV
    >>> from isvmde.plots import ModelWeightsDisplay
    >>> from sklearn.datasets import load_iris
    >>> X, y = load_iris(return_X_y=True)
    >>> model = ISVMClassifierCV(random_state=0).fit(X, y)
    >>> display = ModelWeightsDisplay.from_estimator(model)
    >>> display.shares.sum(axis="columns").round(6).tolist()
    [1.0, 1.0, 1.0]
    """

    _attribute = "weights_"
    _models = "an ISVMClassifierCV"
    _parts: ClassVar[dict[str, float]] = {"weights": 2.2, "margins": 1.0}

    def __init__(self, shares: pd.DataFrame, margins: pd.DataFrame) -> None:
        self.shares, self.margins = shares, margins

    @classmethod
    def _of(cls, model: Any) -> Self:
        kinds = pd.MultiIndex.from_tuples(
            [(one["kernel"], one["view"]) for one in model.settings_],
            names=["kernel", "view"],
        )
        table = pd.DataFrame(np.asarray(model.weights_).T, columns=kinds)
        table = table.T.groupby(level=[0, 1], sort=False).sum().T
        order = [(k, v) for k in KERNEL_COLOURS for v in _HATCHES if (k, v) in table]
        if len(order) < table.shape[1]:
            strange = [kind for kind in table.columns if kind not in order]
            raise ValueError(f"These kernels and views are not known: {strange}.")
        table = table.div(table.sum(axis=1), axis=0)[order]
        labels = np.asarray(model.pairs_)
        both = pd.DataFrame(np.asarray(model.margins_), columns=["first", "second"])
        if len(labels) > _MANY:
            table, both = _per_class(table, both, labels)
        else:
            table.index = both.index = pd.MultiIndex.from_tuples(labels.tolist())
        return cls(table, both)

    def _size(self) -> tuple[float, float]:
        return 9.5, 2.27 + 0.27 * len(self.shares)

    def _draw(self, weights: Axes, margins: Axes) -> None:
        self._draw_shares(weights)
        self._draw_margins(margins)
        for ax in (weights, margins):
            ax.set_ylim(len(self.shares) + 0.5, -0.5)
            ax.spines[["top", "right", "left"]].set_visible(False)

    def _draw_shares(self, ax: Axes) -> None:
        """Draw a stacked bar per row; colours are kernels, hatches views."""
        from matplotlib.patches import Patch

        table = 100 * self.shares
        table = pd.concat([table.mean().to_frame().T, table])
        kinds: list[Any] = list(table.columns)
        start = np.zeros(len(table))
        for kernel, view in kinds:
            width = table[kernel, view].to_numpy()
            ax.barh(
                np.arange(len(table)),
                width,
                left=start,
                height=0.8,
                color=KERNEL_COLOURS[kernel],
                hatch=_HATCHES[view],
                edgecolor="0.35",
                linewidth=0.5,
            )
            start += width
        name_rows(ax, ["mean of all", *map(_row_name, self.shares.index)], 40)
        ax.get_yticklabels()[0].set_fontweight("bold")
        ax.set_xlim(0, 100)
        ax.set_xlabel("weight, per cent")
        used, seen = (set(part) for part in zip(*kinds, strict=True))
        handles = [
            Patch(facecolor=colour, edgecolor="0.35", label=kernel)
            for kernel, colour in KERNEL_COLOURS.items()
            if kernel in used
        ] + [
            Patch(facecolor="white", edgecolor="0.35", hatch=hatch, label=f"on {view}")
            for view, hatch in _HATCHES.items()
            if view in seen
        ]
        ax.figure.legend(
            handles=handles, loc="outside lower center", ncols=4, frameon=False
        )

    def _draw_margins(self, ax: Axes) -> None:
        """Draw the two margins of every row."""
        rows = np.arange(1, len(self.margins) + 1)
        first, second = self.margins.to_numpy().T
        names = list(self.margins.columns)
        if names == ["first", "second"]:
            names = ["of the first class", "of the second class"]
        ax.hlines(rows, first, second, color="0.6", linewidth=1)
        ax.plot(first, rows, "o", color=COLOURS[0], label=names[0])
        ax.plot(
            second, rows, "D", color=COLOURS[1], markerfacecolor="white", label=names[1]
        )
        ax.set_yticks([])
        ax.grid(axis="x", alpha=0.3)
        ax.set_xlabel("margin")
        ax.legend(frameon=False, loc="lower left", bbox_to_anchor=(0, 1))


def _row_name(key: Any) -> str:
    """Return the name of a row, which is a pair of classes or a class."""
    if isinstance(key, tuple):
        return " : ".join(shorten(label, 18) for label in key)
    return str(key)


def _per_class(
    table: pd.DataFrame, margins: pd.DataFrame, pairs: np.ndarray
) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Average the pairs of every class: its weights, its margin and the others'."""
    shares, sides = {}, {}
    for label in np.unique(pairs).tolist():
        own = pairs == label
        taking_part = own.any(axis=1)
        shares[label] = table[taking_part].mean()
        sides[label] = {
            "of the class": margins.to_numpy()[own].mean(),
            "of the others": margins.to_numpy()[own[:, ::-1]].mean(),
        }
    return pd.DataFrame(shares).T, pd.DataFrame(sides).T
