"""The figures of a report."""

from __future__ import annotations

import base64
import io
import json
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from isvmde.bench.tables import METRIC_NAMES, sum_confusion
from isvmde.plots.appearance import COLOURS, MARKS

if TYPE_CHECKING:
    from matplotlib.figure import Figure


def draw_published(both: dict[str, tuple[pd.DataFrame, pd.DataFrame]]) -> Figure:
    """Draw measured over published scores, a panel per metric."""
    figure = new_figure(3.4 * len(both) + 1.6, 3.6)
    axes = figure.subplots(1, len(both), squeeze=False)[0]
    for ax, (metric, (measured, published)) in zip(axes, both.items(), strict=True):
        ax.axline((0, 0), slope=1, color="0.6", linewidth=1)
        for i, method in enumerate(measured.columns):
            ax.plot(
                published[method],
                measured[method],
                MARKS[i % len(MARKS)],
                color=COLOURS[i % len(COLOURS)],
                markersize=4,
                alpha=0.8,
                label=str(method),
            )
        ax.set(title=METRIC_NAMES[metric], xlabel="published", aspect="equal")
        ax.set(xlim=(-3, 103), ylim=(-3, 103))
    axes[0].set_ylabel("measured")
    axes[-1].legend(loc="center left", bbox_to_anchor=(1.02, 0.5), frameon=False)
    return figure


def draw_seconds(seconds: pd.DataFrame) -> Figure:
    """Draw the seconds of a fit on a log scale, a line per method."""
    figure = new_figure(7.5, 1.2 + 0.32 * seconds.shape[1])
    ax = figure.subplots()
    for row, method in enumerate(seconds.columns):
        values = seconds[method].dropna().to_numpy()
        values = values[values > 0]
        ax.plot(values, np.full(len(values), row), "o", color=COLOURS[0], alpha=0.5)
        if len(values):
            ax.plot(np.median(values), row, "|", color=COLOURS[1], markersize=16)
    ax.set_yticks(range(seconds.shape[1]), [str(name) for name in seconds.columns])
    ax.invert_yaxis()
    ax.set_xscale("log")
    ax.set_xlabel("seconds per fit (bar: median)")
    ax.grid(axis="x", alpha=0.3)
    return figure


def draw_recall(rows: pd.DataFrame, dataset: str) -> Figure:
    """Draw the recall of every class over all folds, the rarest class on top."""
    from isvmde.plots import RecallDisplay

    rows = rows[(rows["dataset"] == dataset) & (rows["status"] == "done")]
    labels = list(json.loads(rows["recall"].iloc[0]))
    pooled = {
        method: sum_confusion(group["confusion"])
        for method, group in rows.groupby("method", sort=False)
    }
    sizes = next(iter(pooled.values())).sum(axis=1) // rows["repeat"].nunique()
    recall = {m: np.diag(matrix) / matrix.sum(axis=1) for m, matrix in pooled.items()}
    display = RecallDisplay(
        pd.DataFrame(recall, index=labels), pd.Series(sizes, index=labels)
    )
    figure = new_figure(7.0, 1.4 + (0.2 + 0.11 * len(pooled)) * len(labels))
    display.plot(figure.subplots(), title=dataset)
    return figure


def new_figure(width: float, height: float) -> Figure:
    """Return an empty figure that belongs to no window."""
    try:
        from matplotlib.figure import Figure
    except ImportError as error:
        raise ImportError(
            "the report's figures need matplotlib: install isvmde[plots]"
        ) from error
    return Figure(figsize=(width, height), layout="constrained")


def to_svg(figure: Any) -> bytes:
    """Return a figure as SVG, the same bytes each time it is drawn."""
    import matplotlib

    buffer = io.BytesIO()
    fixed: Any = {"svg.hashsalt": "isvmde", "svg.fonttype": "path"}
    with matplotlib.rc_context(fixed):
        figure.savefig(
            buffer,
            format="svg",
            metadata={"Date": None},
            facecolor="white",
            bbox_inches="tight",
        )
    return buffer.getvalue()


def as_data_uri(svg: bytes) -> str:
    """Return an image's address that holds the image itself."""
    return "data:image/svg+xml;base64," + base64.b64encode(svg).decode()
