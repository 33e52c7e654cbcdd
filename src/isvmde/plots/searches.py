"""What a search found: its fitness over the generations, and the choice per pair."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Self

import numpy as np
from numpy.typing import ArrayLike

from isvmde.escaping import for_plot

from .appearance import (
    COLOURS,
    ModelDisplay,
    legend_beside,
    name_rows,
    shorten,
    tints_of,
)

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_LABELS = {"generation": "generation", "n_svms": "SVMs solved", "seconds": "seconds"}
_PAIR_LEGEND = """above: support vectors
(the darker, the larger
their share) and cost of
the smaller class over
the larger's

below: kernel"""


class ConvergenceDisplay(ModelDisplay):
    """Plot of a search's fitness over its generations; smaller is better.

    The solid line is the best candidate, the dashed one the mean of the population. On
    top stand the SVMs solved by then. A second search on the axes has the next colour.

    Parameters
    ----------
    history : dict of arrays
        ``best``, ``mean``, ``n_svms`` and ``seconds`` per generation, as in
        ``history_`` of a fitted :class:`isvmde.ISVMDEClassifier`.

    Other Parameters
    ----------------
    x, label : {"generation", "n_svms", "seconds"}, str
        Options of `plot`: what the fitness is drawn over; a name for the legend.

    Examples
    --------
    >>> from isvmde import ISVMDEClassifier
    >>> from isvmde.plots import ConvergenceDisplay
    >>> from sklearn.datasets import load_iris
    >>> model = ISVMDEClassifier(max_iter=5).fit(*load_iris(return_X_y=True))
    >>> display = ConvergenceDisplay.from_estimator(model)
    >>> len(display.history["best"])
    6
    """

    _attribute = "history_"
    _models = "an ISVMDEClassifier"
    _size = (6.4, 4.0)

    def __init__(self, history: Mapping[str, ArrayLike]) -> None:
        self.history = {name: np.asarray(row) for name, row in history.items()}

    @classmethod
    def _of(cls, model: Any) -> Self:
        return cls(model.history_)

    def _draw(self, ax: Axes, *, x: str = "generation", label: str = "") -> None:
        if x not in _LABELS:
            raise ValueError(f"x={x!r} is not known: use one of {list(_LABELS)}.")
        n = len(self.history["best"])
        places = np.arange(n) if x == "generation" else self.history[x]
        colour = COLOURS[len(ax.lines) // 2 % len(COLOURS)]
        for name, style, width in (("best", "-", 2), ("mean", "--", 1.2)):
            text = f"{label}, {name}" if label else name
            line = self.history[name]
            ax.plot(places, line, style, color=colour, linewidth=width, label=text)
        ax.set(xlabel=_LABELS[x], ylabel="fitness (smaller is better)")
        ax.spines[["top", "right"]].set_visible(False)
        ax.grid(alpha=0.25)
        ax.legend(frameon=False)
        if x == "generation" and n > 1 and not ax.child_axes:
            chosen = np.unique(np.linspace(0, n - 1, 5).astype(int))
            above = ax.secondary_xaxis("top")
            above.set_xticks(chosen, [f"{m:,}" for m in self.history["n_svms"][chosen]])
            above.spines["top"].set_visible(False)
            above.tick_params(length=0)
            above.set_xlabel("SVMs solved")


class PairMapDisplay(ModelDisplay):
    """Map of all pairs of classes: kernel, costs and support vectors.

    Below the diagonal stands a pair's kernel with its parameter (σ of the rbf kernel,
    d of the polynomial) and "on ranks" where it sees those; above it, mirrored, its
    support vectors and how many times the cost of the larger class a sample of the
    smaller one has. The diagonal holds the sizes of the classes; where every class was
    trained against the rest, all that is said of a machine stands there.

    Parameters
    ----------
    pair_params : dict
        ``{(plus, minus): settings}``, or ``{label: settings}`` of a class against the
        rest, as in ``pair_params_`` of a fitted classifier.
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
    """

    _attribute = "pair_params_"
    _models = "an ISVMClassifier or ISVMDEClassifier"

    def __init__(
        self,
        pair_params: Mapping[tuple[Any, Any], Mapping[str, Any]],
        n_support: ArrayLike,
        class_size: Mapping[Any, float],
    ) -> None:
        self.pair_params, self.class_size = pair_params, class_size
        self.n_support = np.asarray(n_support)
        self._size = 2.6 + 0.68 * len(class_size), 1.6 + 0.62 * len(class_size)

    @classmethod
    def _of(cls, model: Any) -> Self:
        sizes = map(float, model.class_count_)
        size_of = dict(zip(model.classes_.tolist(), sizes, strict=True))
        return cls(model.pair_params_, model.n_support_, size_of)

    def _draw(self, ax: Axes) -> None:
        from matplotlib.patches import Patch, Rectangle

        for (row, column), (colour, text) in self._cells().items():
            corner = (column - 0.5, row - 0.5)
            ax.add_patch(Rectangle(corner, 1, 1, facecolor=colour, edgecolor="white"))
            ax.text(column, row, text, ha="center", va="center", fontsize=7.5)
        names = list(self.class_size)
        name_rows(ax, names, 24)
        short = [for_plot(shorten(name)) for name in names]
        ax.set_xticks(
            range(len(names)), short, ha="right", rotation=45, rotation_mode="anchor"
        )
        ax.set_xlim(-0.5, len(names) - 0.5)
        ax.tick_params(axis="x", length=0)
        ax.spines[:].set_visible(False)
        handles = [Patch(color=tint, label=k) for k, tint in self._tints.items()]
        legend_beside(ax, _PAIR_LEGEND, handles=handles)

    @property
    def _tints(self) -> dict[str, str]:
        """The tint of every kernel of the model."""
        return tints_of(settings["kernel"] for settings in self.pair_params.values())

    def _cells(self) -> dict[tuple[int, int], tuple[str, str]]:
        """Return colour and text by row and column; black text reads on all."""
        # here, so that other displays do not wait for numba
        from isvmde.core.kernels import PARAMETER

        names, sizes = list(self.class_size), list(self.class_size.values())
        cells = {(k, k): ("white", f"n = {size:g}") for k, size in enumerate(sizes)}
        tints = self._tints
        machines = zip(self.pair_params.items(), self.n_support, strict=True)
        for (key, settings), count in machines:
            kernel = _kernel_text(settings, PARAMETER[settings["kernel"]])
            tint = tints[settings["kernel"]]
            if key in names:  # against the rest
                k = names.index(key)
                support = f"{count:g} SV {_cost_text(settings)}"
                cells[k, k] = tint, f"n = {sizes[k]:g}\n{kernel}\n{support}"
                continue
            first, second = sorted(map(names.index, key))
            cells[second, first] = tint, kernel
            share = min(count / (sizes[first] + sizes[second]), 1.0)
            grey = f"{1 - 0.35 * share:.2f}"
            cells[first, second] = grey, f"{count:g} SV\n{_cost_text(settings)}"
        return cells


def _kernel_text(settings: Mapping[str, Any], parameter: str | None) -> str:
    """Return a kernel, what it sees and its parameter, a line each."""
    lines = [settings["kernel"]]
    if settings.get("ranks", False):
        lines.append("on ranks")
    if parameter == "sigma":
        lines.append(f"σ {settings['sigma']:.2g}")
    elif parameter == "degree":
        lines.append(f"d {settings['degree']}")
    return "\n".join(lines)


def _cost_text(settings: Mapping[str, Any]) -> str:
    """Return how many times the cost of the larger side the smaller one has."""
    cost, other = settings["C_pos"], settings["C_neg"]
    if other <= 0:
        return "×∞"
    return f"×{cost / other:.0f}" if cost >= 10 * other else f"×{cost / other:.2g}"
