"""What all figures share: colours, marks, names of classes, the model in a pipeline."""

from __future__ import annotations

import textwrap
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Any, ClassVar, Self

import numpy as np
from sklearn.exceptions import NotFittedError

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure, SubFigure

# Okabe and Ito's colours and three more: colour-blind readers tell them apart. The
# marks differ as well, so a grey print can still be read.
_OKABE_ITO = "#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#000000"
COLOURS = *_OKABE_ITO, "#882255", "#7F7F7F", "#B8A900"
MARKS = "os^Dv<>PX*"
# Pale tints of the same colours, one per kernel: black text reads on all of them.
TINTS = {"linear": "#F6D9B0", "rbf": "#A9CFE8", "poly": "#A5DCC9", "min": "#E9C6DA"}


class Display:
    """What all displays share: they draw on axes and keep them.

    Attributes
    ----------
    ax_ : matplotlib Axes, or array of two
        What was drawn on.
    figure_ : matplotlib Figure
        The figure it belongs to.
    """

    ax_: Any
    figure_: Figure | SubFigure
    _size: tuple[float, float]  # of a new figure, in inches
    _widths: ClassVar[tuple[float, ...]] = (1.0,)  # one per Axes, side by side

    def plot(self, ax: Any = None, *, title: str | None = None, **options: Any) -> Self:
        """Draw, keep ``ax_`` and ``figure_``, and return the display.

        Parameters
        ----------
        ax : matplotlib Axes, optional
            Where to draw, two for a display of two parts; a new figure by default.
        title : str, optional
            Heading of the plot.
        **options
            What else the display can be told; see its class.
        """
        if ax is None:
            try:
                import matplotlib.pyplot as plt
            except ImportError as error:
                raise ImportError(
                    "Plots need matplotlib; install it with "
                    'pip install "isvmde[plots]".'
                ) from error
            figure = plt.figure(figsize=self._size, layout="constrained")
            ax = figure.subplots(1, len(self._widths), width_ratios=self._widths)
        axes = np.ravel(ax)
        if len(axes) != len(self._widths):
            raise ValueError(f"ax must be {len(self._widths)} Axes; got {len(axes)}.")
        self._draw(*axes, **options)
        if title is not None:
            axes[0].set_title(title, loc="left")
        self.ax_ = axes if len(axes) > 1 else axes[0]
        self.figure_ = axes[0].figure
        return self

    def _draw(self, *axes: Any, **options: Any) -> None:
        """Draw on these axes."""


class ModelDisplay(Display):
    """A display of what a fitted model has learned."""

    _attribute: ClassVar[str]  # what such a model has
    _models: ClassVar[str]  # which models have it

    @classmethod
    def _of(cls, model: Any) -> Self:
        """Return the display of a fitted model."""
        raise NotImplementedError

    @classmethod
    def from_estimator(cls, estimator: Any, **options: Any) -> Self:
        """Draw what a fitted model has learned, and return the display.

        Parameters
        ----------
        estimator : classifier
            Fitted; a pipeline or a grid search that ends in one will do.
        **options
            As in `plot`.
        """
        model = find_model(estimator, cls._attribute, cls._models)
        return cls._of(model).plot(**options)


def look(k: int) -> tuple[str, str]:
    """Return colour and mark number k; a hundred differ from each other."""
    turn = k // len(COLOURS)
    return COLOURS[k % len(COLOURS)], MARKS[(k + turn) % len(MARKS)]


def fold(name: Any, width: int = 24) -> str:
    """Return a name in lines that are not too long for an axis."""
    return "\n".join(textwrap.wrap(str(name), width)) or str(name)


def shorten(name: Any, width: int = 24) -> str:
    """Return a name in one line, its end cut off if it is long."""
    text = str(name)
    return text if len(text) <= width else text[: width - 1].rstrip() + "…"


def name_rows(ax: Axes, names: Iterable[Any], width: int = 40) -> None:
    """Name the rows of a plot from top to bottom, in place of a frame."""
    texts = [fold(name, width) for name in names]
    ax.set_yticks(range(len(texts)), texts)
    ax.set_ylim(len(texts) - 0.5, -0.5)
    ax.tick_params(axis="y", length=0)
    ax.spines[["top", "right", "left"]].set_visible(False)


def legend_beside(ax: Axes, title: str, **options: Any) -> None:
    """Put the legend at the right of the axes."""
    options = {"alignment": "left", "frameon": False, "title": title, **options}
    ax.legend(loc="upper left", bbox_to_anchor=(1.01, 1), **options)


def find_model(estimator: Any, attribute: str, wanted: str) -> Any:
    """Return the fitted model with ``attribute`` inside a pipeline or grid search."""
    for model in inwards(estimator):
        if hasattr(model, attribute):
            return model
    raise NotFittedError(
        f"{type(model).__name__} has no {attribute}: fit it first, or give {wanted} "
        "(or a pipeline that ends in one)."
    )


def inwards(estimator: Any) -> Iterator[Any]:
    """Yield an estimator, the best one or the last step in it, and so on."""
    while True:
        yield estimator
        if hasattr(estimator, "best_estimator_"):
            estimator = estimator.best_estimator_
        elif hasattr(estimator, "steps"):
            estimator = estimator.steps[-1][1]
        else:
            return
