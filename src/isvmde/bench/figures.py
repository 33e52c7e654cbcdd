"""The figures of a report, and their form as files."""

import io
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from isvmde.bench.results import Results
from isvmde.bench.tables import class_sizes, recall_table, shared_cells
from isvmde.escaping import for_plot
from isvmde.plots import RankDisplay, RecallDisplay
from isvmde.plots.appearance import COLOURS, for_legend, look

if TYPE_CHECKING:
    from matplotlib.figure import Figure


def draw_overview(tables: dict[str, pd.DataFrame]) -> "Figure":
    """Draw scores, a panel per metric, a line per method, a dot per row."""
    means = pd.DataFrame({name: table.mean() for name, table in tables.items()})
    order = means.mean(axis=1).sort_values(ascending=False, kind="stable").index
    figure = new_figure(3.0 + 2.0 * len(tables), 1.1 + 0.28 * len(order))
    axes = figure.subplots(1, len(tables), sharey=True, squeeze=False)[0]
    for ax, (name, table) in zip(axes, tables.items(), strict=True):
        averages = shared_cells(table).mean()
        for row, method in enumerate(order):
            values = table[method].dropna()
            ax.plot(values, np.full(len(values), row), "o", color=COLOURS[0], alpha=0.3)
            if method in averages:
                ax.plot(averages[method], row, "|", color=COLOURS[1], ms=16, mew=3)
        _tidy(ax, name, has_left_line=False)
        ax.set_xlabel("per cent")
    axes[0].set_yticks(range(len(order)), [for_plot(name) for name in order])
    axes[0].set_ylim(len(order) - 0.5, -0.5)
    return figure


def draw_by_dataset(scores: pd.DataFrame, sds: pd.DataFrame) -> "Figure":
    """Draw a small panel per data set, a line per method."""
    methods = list(scores.columns)
    n_columns = min(5, len(scores))
    n_rows = -(-len(scores) // n_columns)
    figure = new_figure(1.4 + 1.9 * n_columns, n_rows * (0.75 + 0.17 * len(methods)))
    grid = figure.subplots(n_rows, n_columns, sharey=True, squeeze=False)
    lines = range(len(methods))
    for ax, dataset in zip(grid.flat, scores.index, strict=False):
        values, spread = scores.loc[dataset], sds.loc[dataset].fillna(0.0)
        ax.errorbar(values, lines, xerr=spread, fmt="none", ecolor="0.65", lw=1)
        ax.plot(values, lines, "o", color=COLOURS[0], ms=4)
        if values.notna().any():
            best = methods.index(values.idxmax())
            ax.plot(values.max(), best, "o", color=COLOURS[1], ms=6)
        _tidy(ax, for_plot(dataset), has_left_line=False, fontsize=9)
        low, high = ax.get_xlim()
        ax.set_xlim(max(low, -3), min(high, 103))  # deviations know no bounds
        ax.tick_params(labelsize=8)
    for ax in grid.flat[len(scores) :]:
        ax.set_visible(False)
    for ax in grid[:, 0]:
        ax.set_yticks(list(lines), [for_plot(name) for name in methods], fontsize=8)
        ax.set_ylim(len(methods) - 0.5, -0.5)
    return figure


def draw_ranks(scores: pd.DataFrame, title: str) -> "Figure":
    """Draw mean aligned ranks with what cannot be told from the best."""
    ax = new_figure(8, 1.6 + 0.34 * scores.shape[1]).subplots()
    return RankDisplay.from_scores(scores, ax=ax, title=title).figure_  # type: ignore[return-value]


def draw_time(seconds: pd.Series, averages: dict[str, pd.Series]) -> "Figure":
    """Draw average scores over seconds, a panel per metric, a mark per method."""
    from matplotlib.ticker import LogLocator, NullFormatter

    figure, axes = _draw_marks(
        {name: (seconds, means) for name, means in averages.items()}, 8
    )
    for ax in axes:
        ax.set(xscale="log", xlabel="seconds per fit")
        ax.xaxis.set_major_locator(LogLocator(subs=(1, 2, 5)))
        ax.xaxis.set_major_formatter("{x:g}")
        ax.xaxis.set_minor_formatter(NullFormatter())
    axes[0].set_ylabel("average, per cent")
    return figure


def draw_published(both: dict[str, tuple[pd.DataFrame, pd.DataFrame]]) -> "Figure":
    """Draw measured (given second) over published scores, a panel per metric."""
    figure, axes = _draw_marks(both, 4)
    for ax in axes:
        ax.axline((0, 0), slope=1, color="0.6", linewidth=1, zorder=0)
        ax.set(xlabel="published", xlim=(-3, 103), ylim=(-3, 103), aspect="equal")
    axes[0].set_ylabel("measured")
    return figure


def _draw_marks(
    panels: dict[str, tuple[Any, Any]], size: float
) -> tuple["Figure", Any]:
    """Draw one thing over another, each given by method, a panel per name."""
    methods = list(next(iter(panels.values()))[1].keys())
    figure = new_figure(9.0, 3.2 + 0.18 * -(-len(methods) // 4))
    axes = figure.subplots(1, len(panels), squeeze=False)[0]
    for ax, (name, (x, y)) in zip(axes, panels.items(), strict=True):
        for k, method in enumerate(methods):
            colour, mark = look(k)
            label = for_legend(method) if ax is axes[0] else None
            ax.plot(x[method], y[method], mark, color=colour, ms=size, label=label)
        _tidy(ax, name)
    figure.legend(loc="outside lower center", ncols=4, frameon=False)
    return figure, axes


def draw_recall(results: Results, dataset: str) -> "Figure":
    """Draw the recall of every class over all folds, the rarest class on top."""
    recall = recall_table(results, dataset).T / 100
    display = RecallDisplay(recall, class_sizes(results, dataset))
    figure = new_figure(7.5, 1.4 + (0.2 + 0.11 * recall.shape[1]) * len(recall))
    display.plot(figure.subplots(), title=for_plot(dataset))
    return figure


def _tidy(
    ax: Any, title: str, *, has_left_line: bool = True, fontsize: float | None = None
) -> None:
    """Give a panel a title and a grid, and take off lines around it."""
    heading = ax.set_title(title, loc="left")
    if fontsize is not None:
        heading.set_fontsize(fontsize)
    ax.grid(alpha=0.3)
    ax.spines[["top", "right"]].set_visible(False)
    if not has_left_line:
        ax.spines["left"].set_visible(False)
        ax.tick_params(axis="y", length=0)


def new_figure(width: float, height: float) -> "Figure":
    """Return an empty figure that belongs to no window."""
    try:
        from matplotlib.figure import Figure
    except ImportError as error:
        raise ImportError(
            "the report's figures need matplotlib: install isvmde[plots]"
        ) from error
    return Figure(figsize=(width, height), layout="constrained")


def to_bytes(figure: Any, kind: str) -> bytes:
    """Return a figure as "svg" or "pdf", the same bytes each time it is drawn."""
    import matplotlib

    buffer = io.BytesIO()
    fixed: Any = {"svg.hashsalt": "isvmde", "svg.fonttype": "path"}
    fixed |= {"savefig.facecolor": "white", "savefig.bbox": "tight"}
    date = "Date" if kind == "svg" else "CreationDate"
    with matplotlib.rc_context(fixed):
        figure.savefig(buffer, format=kind, metadata={date: None})
    return buffer.getvalue()
