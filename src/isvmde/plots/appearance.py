"""What all figures share: colours, marks, a new figure, the model in a pipeline."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from sklearn.exceptions import NotFittedError

if TYPE_CHECKING:
    from matplotlib.axes import Axes

# Okabe and Ito's colours and two more: colour-blind readers tell them apart. The marks
# differ as well, so a grey print can still be read.
COLOURS = (
    "#0072B2",
    "#D55E00",
    "#009E73",
    "#CC79A7",
    "#E69F00",
    "#56B4E9",
    "#000000",
    "#882255",
    "#999999",
    "#F0E442",
)
MARKS = "os^Dv<>PX*"


def new_axes(width: float, height: float) -> Axes:
    """Open a figure of this size in inches; say how to get matplotlib without it."""
    try:
        import matplotlib.pyplot as plt
    except ImportError as error:
        raise ImportError(
            'Plots need matplotlib; install it with pip install "isvmde[plots]".'
        ) from error
    _, ax = plt.subplots(figsize=(width, height), layout="constrained")
    return ax


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


def find_model(estimator: Any, attribute: str) -> Any:
    """Return the fitted model with ``attribute`` inside a pipeline or grid search."""
    model = estimator
    while not hasattr(model, attribute):
        if hasattr(model, "best_estimator_"):
            model = model.best_estimator_
        elif hasattr(model, "steps"):
            model = model.steps[-1][1]
        else:
            raise NotFittedError(
                f"{type(model).__name__} has no {attribute}: fit it first, or give an "
                "isvmde classifier (or a pipeline that ends in one)."
            )
    return model
