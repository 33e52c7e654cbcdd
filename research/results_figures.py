"""The figures of the results pages."""

from __future__ import annotations

from typing import Any

import pandas as pd
from contributions import Contribution
from measured import METRICS, NINE, PUBLISHED, Measured
from results_facts import TIES

from isvmde.bench.figures import new_figure
from isvmde.plots.appearance import COLOURS, look
from isvmde.stats import friedman_aligned

BLUE, ORANGE, GREEN = COLOURS[:3]
_SEARCHES = {"joint": BLUE, "pairwise": GREEN, "random": ORANGE}
_DASHES = {"ave": "-", "max": "--"}


def draw_rank_comparison(measured: Measured) -> Any:
    """Draw the paper's rank figure: a panel per metric, published beside measured."""
    figure = new_figure(10.5, 3.8)
    axes = figure.subplots(1, len(METRICS), sharey=True)
    for ax, (metric, name) in zip(axes, METRICS.items(), strict=True):
        ours = friedman_aligned(measured.whole(metric, NINE), ties=TIES).mean_ranks
        theirs = friedman_aligned(PUBLISHED[metric]).mean_ranks
        for row, method in enumerate(NINE):
            ax.axhline(row, color="0.9", linewidth=0.8, zorder=0)
            ax.plot(theirs[method], row, "D", color=ORANGE, markerfacecolor="white")
            if method in ours.index:
                ax.plot(ours[method], row, "o", color=BLUE)
        ax.set_title(name, loc="left")
        ax.set_xlabel("mean aligned rank")
        ax.spines[["top", "right", "left"]].set_visible(False)
        ax.tick_params(axis="y", length=0)
    axes[0].set_yticks(range(len(NINE)), NINE)
    axes[0].invert_yaxis()
    axes[0].plot([], [], "o", color=BLUE, label="measured")
    axes[0].plot([], [], "D", color=ORANGE, markerfacecolor="white", label="published")
    figure.legend(loc="outside lower center", ncols=2, frameon=False)
    return figure


def draw_ideas(found: list[Contribution]) -> Any:
    """Draw what every idea is worth, with its interval: a panel per metric."""
    measured = [one for one in found if one.effect is not None]
    figure = new_figure(10.5, 1.2 + 0.36 * len(measured))
    axes = figure.subplots(1, len(METRICS), sharey=True, squeeze=False)[0]
    for ax, (metric, name) in zip(axes, METRICS.items(), strict=True):
        ax.axvline(0, color="0.6", linewidth=1)
        for row, (_, worth) in enumerate(measured):
            change = worth.changes[metric]
            colour = BLUE if change.sign else "0.45"
            ax.plot([change.low, change.high], [row, row], "-", color=colour)
            ax.plot(change.mean, row, "o", color=colour)
        ax.set_title(name, loc="left")
        ax.set_xlabel("points with it less points without")
        ax.spines[["top", "right", "left"]].set_visible(False)
        ax.tick_params(axis="y", length=0)
    labels = [f"{idea.name}\n(or {idea.without})" for idea, _ in measured]
    axes[0].set_yticks(range(len(measured)), labels, fontsize=8)
    axes[0].invert_yaxis()
    return figure


def draw_curves(curves: pd.DataFrame) -> Any:
    """Draw a row of panels per data set: fitness and the three scores."""
    from matplotlib.ticker import NullFormatter

    datasets = list(dict.fromkeys(curves["dataset"]))
    columns = {"best_fitness": "best fitness", **METRICS}
    figure = new_figure(11, 0.8 + 1.9 * len(datasets))
    axes = figure.subplots(len(datasets), len(columns), squeeze=False)
    for line, dataset in zip(axes, datasets, strict=True):
        for ax, (column, title) in zip(line, columns.items(), strict=True):
            for search, colour in _SEARCHES.items():
                for fitness, dash in _DASHES.items():
                    rows = curves[
                        (curves["dataset"] == dataset)
                        & (curves["search"] == search)
                        & (curves["fitness"] == fitness)
                    ].sort_values("generation")
                    values = rows[column] * (1 if column == "best_fitness" else 100)
                    label = f"{search}, {fitness.upper()}"
                    style = {"color": colour, "marker": ".", "label": label}
                    ax.plot(rows["n_svms"], values, dash, **style)
            ax.set_xscale("log")
            ax.xaxis.set_minor_formatter(NullFormatter())
            ax.set_title(f"{dataset}: {title}", loc="left", fontsize=9)
            ax.tick_params(labelsize=8)
    for ax in axes[-1]:
        ax.set_xlabel("SVMs solved")
    handles, labels = axes[0, 0].get_legend_handles_labels()
    figure.legend(handles, labels, loc="outside lower center", ncols=3, frameon=False)
    return figure


def draw_loo_report(pairs: pd.DataFrame) -> Any:
    """Draw leave-one-out scores over cross-validated ones, a mark per metric."""
    figure = new_figure(4.6, 4.6)
    ax = figure.subplots()
    ax.axline((0, 0), slope=1, color="0.6", linewidth=1)
    for k, (name, rows) in enumerate(pairs.groupby("metric", sort=False)):
        colour, mark = look(k)
        ax.plot(rows["cv"], rows["loo"], mark, color=colour, alpha=0.8, label=str(name))
    ax.set(xlabel="cross-validated, per cent", ylabel="leave-one-out, per cent")
    ax.set(xlim=(-3, 103), ylim=(-3, 103), aspect="equal")
    ax.legend(frameon=False)
    return figure
