"""What all figures share: colours, marks, names of classes, the model in a pipeline."""

from __future__ import annotations

import textwrap
from collections.abc import Iterable
from itertools import cycle
from typing import TYPE_CHECKING, Any, ClassVar, Self

import numpy as np
from numpy.typing import ArrayLike
from sklearn.exceptions import NotFittedError

from isvmde.escaping import for_plot, printable
from isvmde.nested import inwards

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure, SubFigure

# Okabe and Ito's colours and three more: colour-blind readers tell them apart. The
# marks differ as well, so a grey print can still be read.
_OKABE_ITO = "#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#000000"
_THREE_MORE = "#882255", "#7F7F7F", "#B8A900"
COLOURS = _OKABE_ITO + _THREE_MORE
MARKS = "os^Dv<>PX*"
# Pale tints of the same colours, one per kernel: black text reads on all of them.
_TINTS = {"linear": "#F6D9B0", "rbf": "#A9CFE8", "poly": "#A5DCC9", "min": "#E9C6DA"}
_OTHER_TINTS = "#F3C2A2", "#D3E9F8", "#C9C9C9", "#E3DFA0"  # of kernels not named here

_NARROW = 5.5  # inches: a narrower figure has its legend below


def tints_of(kernels: Iterable[str]) -> dict[str, str]:
    """Return the tint of each kernel; in this order they stand in plots."""
    wanted = set(kernels)
    others = zip(sorted(wanted - set(_TINTS)), cycle(_OTHER_TINTS), strict=False)
    known = {name: tint for name, tint in _TINTS.items() if name in wanted}
    return known | dict(others)


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


class ProbabilityDisplay(Display):
    """A display of probabilities beside what was true."""

    @classmethod
    def from_predictions(cls, *args: Any, **options: Any) -> Self:
        """Draw true classes and probabilities, and return the display."""
        raise NotImplementedError

    @classmethod
    def _known_of(cls, estimator: Any) -> dict[str, Any]:
        """Return what a model says of the options of `from_predictions`."""
        return {"labels": estimator.classes_}

    @classmethod
    def from_estimator(
        cls, estimator: Any, X: Any, y: ArrayLike, **options: Any
    ) -> Self:
        """Let a fitted model give probabilities, draw them, and return the display.

        Parameters
        ----------
        estimator : classifier with predict_proba
            Fitted. What the options of `from_predictions` can know of it is taken
            from it: ``labels``, and ``prior`` where there is one.
        X, y : array-like of shape (n_samples, n_features) and (n_samples,)
            Samples that the model has not learned from, and their true classes.
        **options
            As in `from_predictions`.
        """
        options = cls._known_of(estimator) | options
        return cls.from_predictions(y, estimator.predict_proba(X), **options)


def look(k: int) -> tuple[str, str]:
    """Return colour and mark number k; a hundred differ from each other."""
    turn = k // len(COLOURS)
    return COLOURS[k % len(COLOURS)], MARKS[(k + turn) % len(MARKS)]


def fold(name: Any, width: int = 24) -> str:
    """Return a name in lines that are not too long for an axis."""
    text = printable(name)
    return "\n".join(map(for_plot, textwrap.wrap(text, width))) or for_plot(text)


def shorten(name: Any, width: int = 24) -> str:
    """Return a name in one line, its end cut off if it is long."""
    text = printable(name)
    return text if len(text) <= width else text[: width - 1].rstrip() + "…"


def for_legend(name: Any) -> str:
    """Return a name for a legend, which leaves out what begins with an underscore."""
    text = for_plot(name)
    return f" {text}" if text.startswith("_") else text


def name_rows(ax: Axes, names: Iterable[Any], width: int = 40) -> None:
    """Name the rows of a plot from top to bottom, in place of a frame."""
    texts = [fold(name, width) for name in names]
    ax.set_yticks(range(len(texts)), texts)
    ax.set_ylim(len(texts) - 0.5, -0.5)
    ax.tick_params(axis="y", length=0)
    ax.spines[["top", "right", "left"]].set_visible(False)


def legend_beside(ax: Axes, title: str, **options: Any) -> None:
    """Put the legend at the right of the axes, or below them in a narrow figure."""
    options = {"alignment": "left", "frameon": False, "title": title} | options
    if _is_narrow(ax.figure):
        options.setdefault("handles", ax.get_legend_handles_labels()[0])
        ax.figure.legend(loc="outside lower left", **options)
    else:
        ax.legend(loc="upper left", bbox_to_anchor=(1.01, 1), **options)


def _is_narrow(figure: Any) -> bool:
    """Whether a figure of one plot is too narrow for a legend beside it."""
    if len(figure.axes) > 1 or not hasattr(figure, "get_figwidth"):
        return False  # a part of a larger figure
    layout = figure.get_layout_engine()
    makes_room = type(layout).__name__ == "ConstrainedLayoutEngine"
    return makes_room and bool(figure.get_figwidth() < _NARROW)


def find_model(estimator: Any, attribute: str, wanted: str) -> Any:
    """Return the fitted model with ``attribute`` inside a pipeline or grid search."""
    for model in inwards(estimator):
        if hasattr(model, attribute):
            return model
    raise NotFittedError(
        f"{type(model).__name__} has no {attribute}: fit it first, or give {wanted} "
        "(or a pipeline that ends in one)."
    )
