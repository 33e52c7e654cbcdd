"""How a search went: best and mean fitness, and the SVMs it took."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Self

import numpy as np
from numpy.typing import ArrayLike

from isvmde.plots.appearance import COLOURS, Display, find_model, new_axes

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_LABELS = {"n_svms": "SVMs solved", "seconds": "seconds"}


class ConvergenceDisplay(Display):
    """Plot of a search's fitness over its generations; smaller is better.

    The solid line is the best candidate, the dashed one the mean of the population.
    Above the plot stands how many SVMs had been solved by then.

    Parameters
    ----------
    history : dict of arrays
        ``best``, ``mean``, ``n_svms`` and ``seconds`` per generation, as in
        ``history_`` of a fitted :class:`isvmde.ISVMDEClassifier`.

    Attributes
    ----------
    ax_ : matplotlib Axes
        What was drawn on.
    figure_ : matplotlib Figure
        The figure it belongs to.

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

    def __init__(self, history: Mapping[str, ArrayLike]) -> None:
        self.history = {name: np.asarray(row) for name, row in history.items()}

    @classmethod
    def from_estimator(cls, estimator: Any, **options: Any) -> Self:
        """Draw the history of a fitted search.

        Parameters
        ----------
        estimator : ISVMDEClassifier
            Fitted; a pipeline or a grid search that ends in one will do.
        **options
            As in `plot`.

        Returns
        -------
        ConvergenceDisplay
            Drawn, with ``ax_`` and ``figure_``.
        """
        hint = "an ISVMDEClassifier (or a pipeline that ends in one)"
        return cls(find_model(estimator, "history_", hint).history_).plot(**options)

    def plot(
        self,
        ax: Axes | None = None,
        *,
        x: str = "generation",
        label: str | None = None,
        colour: str = COLOURS[0],
        title: str | None = None,
    ) -> Self:
        """Draw the best and the mean fitness.

        Parameters
        ----------
        ax : matplotlib Axes, optional
            Where to draw; a new figure by default. Several searches can share one.
        x : {"generation", "n_svms", "seconds"}, default="generation"
            What the fitness is drawn over.
        label : str, optional
            Name of the search in the legend.
        colour : str, optional
            Colour of the lines.
        title : str, optional
            Heading of the plot.

        Returns
        -------
        ConvergenceDisplay
            Itself, with ``ax_`` and ``figure_``.
        """
        if x not in ("generation", *_LABELS):
            raise ValueError(
                f"x={x!r} is not known: use 'generation', 'n_svms' or 'seconds'."
            )
        ax = ax if ax is not None else new_axes(6.4, 4.0)
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
        return self._drawn(ax, title)

    def _count_svms(self, ax: Axes) -> None:
        """Write above a few generations how many SVMs had been solved by then."""
        solved = self.history["n_svms"]
        chosen = np.unique(np.linspace(0, len(solved) - 1, 5).astype(int))
        above = ax.secondary_xaxis("top")
        above.set_xticks(chosen, [f"{solved[k]:,}" for k in chosen])
        above.spines["top"].set_visible(False)
        above.tick_params(length=0)
        above.set_xlabel("SVMs solved")
