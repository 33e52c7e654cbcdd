"""How a search went: best and mean fitness, and the SVMs it took."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Self

import numpy as np
from numpy.typing import ArrayLike

from isvmde.plots.appearance import COLOURS, ModelDisplay

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_LABELS = {"n_svms": "SVMs solved", "seconds": "seconds"}


class ConvergenceDisplay(ModelDisplay):
    """Plot of a search's fitness over its generations; smaller is better.

    The solid line is the best candidate, the dashed one the mean of the population.
    Above the plot stands how many SVMs had been solved by then.

    Parameters
    ----------
    history : dict of arrays
        ``best``, ``mean``, ``n_svms`` and ``seconds`` per generation, as in
        ``history_`` of a fitted :class:`isvmde.ISVMDEClassifier`.

    Other Parameters
    ----------------
    x : {"generation", "n_svms", "seconds"}, default="generation"
        Option of `plot`: what the fitness is drawn over.
    label : str, optional
        Option of `plot`: name of the search in the legend; several can share axes.
    colour : str, optional
        Option of `plot`: colour of the lines.

    Examples
    --------
    >>> from isvmde import ISVMDEClassifier
    >>> from isvmde.plots import ConvergenceDisplay
    >>> from sklearn.datasets import load_iris
    >>> X, y = load_iris(return_X_y=True)
    >>> model = ISVMDEClassifier(pop_size=8, max_iter=5, random_state=0).fit(X, y)
    >>> display = ConvergenceDisplay.from_estimator(model)
    >>> len(display.history["best"])
    6
    """

    _attribute = "history_"
    _models = "an ISVMDEClassifier"

    def __init__(self, history: Mapping[str, ArrayLike]) -> None:
        self.history = {name: np.asarray(row) for name, row in history.items()}

    @classmethod
    def _of(cls, model: Any) -> Self:
        return cls(model.history_)

    def _size(self, **_: Any) -> tuple[float, float]:
        return 6.4, 4.0

    def _draw(
        self,
        ax: Axes,
        *,
        x: str = "generation",
        label: str | None = None,
        colour: str = COLOURS[0],
    ) -> None:
        if x not in ("generation", *_LABELS):
            raise ValueError(
                f"x={x!r} is not known: use 'generation', 'n_svms' or 'seconds'."
            )
        best, mean = self.history["best"], self.history["mean"]
        places = np.arange(len(best)) if x == "generation" else self.history[x]
        prefix = f"{label}, " if label else ""
        ax.plot(places, best, color=colour, linewidth=2, label=f"{prefix}best")
        ax.plot(places, mean, "--", color=colour, linewidth=1.2, label=f"{prefix}mean")
        ax.set_xlabel(_LABELS.get(x, x))
        ax.set_ylabel("fitness (smaller is better)")
        ax.spines[["top", "right"]].set_visible(False)
        ax.grid(alpha=0.25)
        ax.legend(frameon=False)
        if x == "generation" and len(places) > 1 and not ax.child_axes:
            self._count_svms(ax)

    def _count_svms(self, ax: Axes) -> None:
        """Write above a few generations how many SVMs had been solved by then."""
        solved = self.history["n_svms"]
        chosen = np.unique(np.linspace(0, len(solved) - 1, 5).astype(int))
        above = ax.secondary_xaxis("top")
        above.set_xticks(chosen, [f"{solved[k]:,}" for k in chosen])
        above.spines["top"].set_visible(False)
        above.tick_params(length=0)
        above.set_xlabel("SVMs solved")
