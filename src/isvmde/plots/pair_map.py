"""What was chosen for every pair of classes."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Self

import numpy as np
from numpy.typing import ArrayLike

from isvmde.plots.appearance import (
    KERNEL_COLOURS,
    ModelDisplay,
    legend_beside,
    name_rows,
    shorten,
)

if TYPE_CHECKING:
    from matplotlib.axes import Axes


class PairMapDisplay(ModelDisplay):
    """Map of all pairs of classes: kernel, costs and support vectors.

    Below the diagonal stands a pair's kernel with its parameter (σ of the rbf kernel,
    d of the polynomial) and "on ranks" where it sees the features' ranks; above it,
    mirrored, the number of its support vectors and how many times the cost of the
    larger class a sample of the smaller one has. The diagonal holds the sizes of the
    classes.

    Parameters
    ----------
    pair_params : dict
        ``{(plus, minus): settings}`` as in ``pair_params_`` of a fitted classifier.
    n_support : array-like of shape (n_pairs,)
        Support vectors of every pair.
    class_size : dict
        Training samples of every class, in the order to draw.

    Examples
    --------
    >>> from isvmde import ISVMClassifier
    >>> from isvmde.plots import PairMapDisplay
    >>> from sklearn.datasets import load_iris
    >>> X, y = load_iris(return_X_y=True)
    >>> display = PairMapDisplay.from_estimator(ISVMClassifier(C_pos=3).fit(X, y))
    >>> display.class_size
    {0: 50.0, 1: 50.0, 2: 50.0}
    >>> display.kernel_text(1, 2).split(), display.cost_ratio(1, 2)
    (['rbf', 'σ', '1'], 3.0)
    """

    _attribute = "pair_params_"
    _models = "an ISVMClassifier or ISVMDEClassifier"

    def __init__(
        self,
        pair_params: Mapping[tuple[Any, Any], Mapping[str, Any]],
        n_support: ArrayLike,
        class_size: Mapping[Any, float],
    ) -> None:
        self.pair_params = {pair: dict(s) for pair, s in pair_params.items()}
        self.n_support = np.asarray(n_support)
        self.class_size = dict(class_size)
        self._support = dict(zip(self.pair_params, self.n_support, strict=True))

    @classmethod
    def _of(cls, model: Any) -> Self:
        sizes = map(float, model.class_count_)
        classes = model.classes_.tolist()
        size_of = dict(zip(classes, sizes, strict=True))
        return cls(model.pair_params_, model.n_support_, size_of)

    def cost_ratio(self, a: Any, b: Any) -> float:
        """Return the smaller class's cost over the larger one's, of a pair."""
        settings = self.pair_params[self._pair(a, b)]
        cost, other = settings["C_pos"], settings["C_neg"]
        return cost / other if other > 0 else float("inf")

    def kernel_text(self, a: Any, b: Any) -> str:
        """Return the kernel of a pair, what it sees and its parameter, in lines."""
        settings = self.pair_params[self._pair(a, b)]
        kernel = settings["kernel"]
        lines = [kernel, "on ranks"] if settings.get("ranks", False) else [kernel]
        if kernel == "rbf":
            lines.append(f"σ {settings['sigma']:.2g}")
        elif kernel in ("poly", "min"):
            lines.append(f"d {settings['degree']}")
        return "\n".join(lines)

    def _pair(self, a: Any, b: Any) -> tuple[Any, Any]:
        """Return the key of a pair given in either order."""
        return (a, b) if (a, b) in self.pair_params else (b, a)

    def _size(self) -> tuple[float, float]:
        n = len(self.class_size)
        return 2.2 + 0.68 * n, 1.6 + 0.62 * n

    def _draw(self, ax: Axes) -> None:
        from matplotlib.patches import Rectangle

        classes = list(self.class_size)
        for i, row in enumerate(classes):
            for j, column in enumerate(classes):
                colour, text = self._cell(row, column, below=i > j)
                corner = (j - 0.5, i - 0.5)
                ax.add_patch(
                    Rectangle(corner, 1, 1, facecolor=colour, edgecolor="white")
                )
                ax.text(j, i, text, ha="center", va="center", fontsize=7.5)
        self._dress(ax, classes)

    def _cell(self, row: Any, column: Any, *, below: bool) -> tuple[str, str]:
        """Return colour and text of a cell; black text reads on all colours."""
        if row == column:
            return "#FFFFFF", f"n = {self.class_size[row]:g}"
        if below:
            kernel = self.pair_params[self._pair(row, column)]["kernel"]
            return KERNEL_COLOURS[kernel], self.kernel_text(row, column)
        count = self._support[self._pair(row, column)]
        share = count / (self.class_size[row] + self.class_size[column])
        ratio = self.cost_ratio(row, column)
        times = f"{ratio:.0f}" if ratio >= 10 else f"{ratio:.2g}"
        text = f"{count:g} SV\n×{times if np.isfinite(ratio) else '∞'}"
        return f"{1 - 0.35 * min(share, 1.0):.2f}", text  # a grey

    def _dress(self, ax: Axes, names: list[Any]) -> None:
        """Name the classes and explain the two halves."""
        from matplotlib.patches import Patch

        n = len(names)
        ax.set_xlim(-0.5, n - 0.5)
        ax.set_ylim(n - 0.5, -0.5)
        name_rows(ax, names)
        ax.set_xticks(
            range(n),
            [shorten(name) for name in names],
            rotation=45,
            ha="right",
            rotation_mode="anchor",
        )
        ax.tick_params(axis="x", length=0)
        ax.spines[:].set_visible(False)
        used = {settings["kernel"] for settings in self.pair_params.values()}
        below = [
            Patch(facecolor=colour, label=kernel)
            for kernel, colour in KERNEL_COLOURS.items()
            if kernel in used
        ]
        legend_beside(ax, "below: kernel", handles=below)
        ax.annotate(
            "above: support\nvectors (the darker,\nthe larger their\n"
            "share) and cost of\nthe smaller class\nover the larger's",
            (1.02, 0),
            xycoords="axes fraction",
            fontsize=8.5,
            va="bottom",
            annotation_clip=False,
        )
