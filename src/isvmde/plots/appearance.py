"""What all figures share: colours, marks, names of classes, the model in a pipeline."""

from __future__ import annotations

import textwrap
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any, Self

import numpy as np
from sklearn.exceptions import NotFittedError

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure, SubFigure

# Okabe and Ito's colours and three more: colour-blind readers tell them apart. The
# marks differ as well, so a grey print can still be read.
COLOURS = (
    "#0072B2",
    "#D55E00",
    "#009E73",
    "#CC79A7",
    "#E69F00",
    "#56B4E9",
    "#000000",
    "#882255",
    "#7F7F7F",
    "#B8A900",
)
MARKS = "os^Dv<>PX*"
# Pale tints of the same colours, one per kernel: black text reads on all of them.
KERNEL_COLOURS = {
    "linear": "#F6D9B0",
    "rbf": "#A9CFE8",
    "poly": "#A5DCC9",
    "min": "#E9C6DA",
}


class Display:
    """What a figure keeps once it is drawn."""

    ax_: Axes
    figure_: Figure | SubFigure

    def _drawn(self, ax: Axes, title: str | None) -> Self:
        """Write the heading, keep the axes and the figure, return itself."""
        if title is not None:
            ax.set_title(title, loc="left")
        self.ax_, self.figure_ = ax, ax.figure
        return self


def new_axes(width: float, height: float) -> Axes:
    """Open a figure of this size in inches; say how to get matplotlib without it."""
    axes: Axes = new_row(width, height, [1.0])[0]
    return axes


def new_row(width: float, height: float, ratios: list[float]) -> np.ndarray:
    """Open a figure with axes side by side, of widths in these ratios."""
    try:
        import matplotlib.pyplot as plt
    except ImportError as error:
        raise ImportError(
            'Plots need matplotlib; install it with pip install "isvmde[plots]".'
        ) from error
    _, axes = plt.subplots(
        1,
        len(ratios),
        figsize=(width, height),
        layout="constrained",
        width_ratios=ratios,
        squeeze=False,
    )
    return np.asarray(axes[0])


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


def name_rows(ax: Axes, names: Iterable[Any], width: int = 24) -> None:
    """Name the rows of a plot from top to bottom."""
    texts = [fold(name, width) for name in names]
    ax.set_yticks(range(len(texts)), texts)
    ax.tick_params(axis="y", length=0)


def name_columns(ax: Axes, names: Iterable[Any]) -> None:
    """Name the columns of a plot; names of more than a few letters are turned."""
    texts = [shorten(name) for name in names]
    turned = max(len(text) for text in texts) > 4
    ax.set_xticks(
        range(len(texts)),
        texts,
        rotation=45 if turned else 0,
        ha="right" if turned else "center",
        rotation_mode="anchor" if turned else "default",
    )
    ax.tick_params(axis="x", length=0)


def write_on(ax: Axes, x: float, y: float, text: str, colour: Any, size: float) -> None:
    """Write a text on a coloured ground, black or white, whichever reads better."""
    from matplotlib.colors import to_rgb

    luminance = np.dot([0.299, 0.587, 0.114], to_rgb(colour))
    ink = "black" if luminance > 0.55 else "white"
    ax.text(
        x,
        y,
        text,
        color=ink,
        ha="center",
        va="center",
        fontsize=size,
        linespacing=1.1,
    )


def find_model(estimator: Any, attribute: str, hint: str = "") -> Any:
    """Return the fitted model with ``attribute`` inside a pipeline or grid search."""
    model = estimator
    while not hasattr(model, attribute):
        if hasattr(model, "best_estimator_"):
            model = model.best_estimator_
        elif hasattr(model, "steps"):
            model = model.steps[-1][1]
        else:
            raise NotFittedError(
                f"{type(model).__name__} has no {attribute}: fit it first, or give "
                + (hint or "an isvmde classifier (or a pipeline that ends in one)")
                + "."
            )
    return model


def as_seen_by_model(estimator: Any, X: Any) -> Any:
    """Return X as the last step of a pipeline receives it."""
    model = estimator
    while True:
        if hasattr(model, "best_estimator_"):
            model = model.best_estimator_
        elif hasattr(model, "steps"):
            X = model[:-1].transform(X) if len(model.steps) > 1 else X
            model = model.steps[-1][1]
        else:
            return X
