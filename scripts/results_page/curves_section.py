"""Does more search help? Fitness and test scores over the generations."""

from __future__ import annotations

import json
from functools import partial
from pathlib import Path
from typing import Any

import pandas as pd

from isvmde.bench.content import Figure, Section
from results_page.measured import METRICS, names

HEADER = "# isvmde curves "
STYLE = {"joint": "#0072B2", "pairwise": "#009E73", "random": "#D55E00"}
DASH = {"ave": "-", "max": "--"}
EXPECTED = ["glass", "zoo", "newthyroid", "hayes-roth", "ecoli"]


def load_curves(file: Path) -> pd.DataFrame | None:
    """Return the means, notes in ``attrs``; None when there is no such file."""
    if not file.is_file():
        return None
    with file.open(encoding="utf-8") as stream:
        notes = json.loads(stream.readline().removeprefix(HEADER))
        table = pd.read_csv(stream)
    table.attrs = notes
    return table


def missing_curves(curves: pd.DataFrame) -> list[str]:
    """Name the data sets that lack folds."""
    settings = curves.attrs["settings"]
    wanted = settings["folds"] * settings["repeats"]
    have = curves.groupby("dataset")["n_folds"].min()
    return [
        f"{name} ({wanted - int(have.get(name, 0))} of {wanted} folds)"
        for name in EXPECTED
        if have.get(name, 0) < wanted
    ]


def curves_section(curves: pd.DataFrame | None) -> Section:
    """Return the figure and what follows from it."""
    section = Section("Fitness against test score")
    if curves is None:
        section.paragraphs.append("Not measured yet: results/curves.csv is missing.")
        return section
    settings = curves.attrs["settings"]
    last = int(curves["generation"].max())
    datasets = list(dict.fromkeys(curves["dataset"]))
    section.paragraphs.append(
        f"The best individual so far, at some generations up to {last} (pairwise: "
        f"{int(curves[curves['search'] == 'pairwise']['generation'].max())}), trained "
        f"and tested; means over {settings['repeats']} x {settings['folds']} "
        f"folds on {names(datasets)}. Population {settings['pop_size']}, seed "
        f"{settings['seed']}. The joint search is the paper's; the pairwise one has a "
        "population for every pair; random search draws uniform genomes until it has "
        "solved as many SVMs as the joint search."
    )
    missing = missing_curves(curves)
    if missing:
        section.paragraphs.append(f"**Incomplete.** Missing: {', '.join(missing)}.")
    section.paragraphs += [
        " ".join(_sentences(curves, fitness)) for fitness in ("ave", "max")
    ]
    section.figures.append(
        Figure(
            "results-curves",
            "Best fitness (smaller is better) and test scores over the SVMs solved",
            partial(_draw, curves),
        )
    )
    return section


def _at(
    curves: pd.DataFrame, fitness: str, search: str, generation: int | None
) -> pd.DataFrame:
    """Return a search's rows at a generation (None: its last), by data set."""
    rows = curves[(curves["fitness"] == fitness) & (curves["search"] == search)]
    generation = rows["generation"].max() if generation is None else generation
    return rows[rows["generation"] == generation].set_index("dataset").sort_index()


def _sentences(curves: pd.DataFrame, fitness: str) -> list[str]:
    """Say what more search brings for one fitness."""
    name = fitness.upper()
    first, end = (_at(curves, fitness, "joint", g) for g in (0, None))
    last, n = int(end["generation"].iloc[0]), len(end)
    middles = sorted(g for g in set(curves["generation"]) if 0 < g <= last // 10)
    middle = int(middles[-1]) if middles else 0
    half = _at(curves, fitness, "joint", middle)
    lines = [
        f"{name}: the joint search lowers the fitness from "
        f"{first['best_fitness'].mean():.3f} (the best of the first population) over "
        f"{half['best_fitness'].mean():.3f} (generation {middle}) to "
        f"{end['best_fitness'].mean():.3f} (generation {last}), averaged over the data "
        f"sets. The test scores meanwhile change by {_changes(first, end)}; of that, "
        f"{_changes(half, end)} after generation {middle}.",
        _verdict(half, end, middle, last),
    ]
    pairwise, random = (_at(curves, fitness, s, None) for s in ("pairwise", "random"))
    lower = int((pairwise["best_fitness"] < end["best_fitness"]).sum())
    share = float((pairwise["n_svms"] / end["n_svms"]).mean())
    lines.append(
        f"The pairwise search ends at {pairwise['best_fitness'].mean():.3f} after "
        f"{int(pairwise['generation'].iloc[0])} generations and {share:.0%} of the "
        f"SVMs, below the joint search on {lower} of {n} data sets; its test scores "
        f"differ from the joint search's by {_changes(end, pairwise)}."
    )
    worse = int((random["best_fitness"] > end["best_fitness"]).sum())
    lines.append(
        f"Random search with as many SVMs as the joint search ends at "
        f"{random['best_fitness'].mean():.3f}, above it on {worse} of {n} data sets; "
        f"its test scores differ from the joint search's by {_changes(end, random)}."
    )
    return lines


def _changes(before: pd.DataFrame, after: pd.DataFrame) -> str:
    """Return the mean change of the three scores, in points."""
    return names(
        f"{100 * (after[m] - before[m]).mean():+.1f} ({name})"
        for m, name in METRICS.items()
    )


def _verdict(half: pd.DataFrame, end: pd.DataFrame, middle: int, last: int) -> str:
    """Say whether the later generations help on test data."""
    helped, hurt, level = [], [], []
    for metric, name in METRICS.items():
        change = end[metric] - half[metric]
        noise = float(end.get(f"{metric}_sd", pd.Series(dtype=float)).mean())
        if pd.notna(noise) and abs(float(change.mean())) <= noise:
            level.append(name)
        else:
            (helped if change.mean() > 0 else hurt).append(name)
    parts = []
    if helped:
        parts.append(f"helps {names(helped)}")
    if hurt:
        parts.append(f"harms {names(hurt)}")
    if level:
        parts.append(
            f"moves {names(level)} by less than the standard deviation over repeats"
        )
    return f"So going on from generation {middle} to {last} {names(parts)}."


def _draw(curves: pd.DataFrame) -> Any:
    """Draw a row of panels per data set: fitness and the three scores."""
    from matplotlib.ticker import NullFormatter

    from isvmde.bench.figures import new_figure

    datasets = [name for name in EXPECTED if name in set(curves["dataset"])]
    columns = {"best_fitness": "best fitness", **METRICS}
    figure = new_figure(11, 0.8 + 1.9 * len(datasets))
    axes = figure.subplots(len(datasets), len(columns), squeeze=False)
    for line, dataset in zip(axes, datasets, strict=True):
        for ax, (column, title) in zip(line, columns.items(), strict=True):
            for search, colour in STYLE.items():
                for fitness, dash in DASH.items():
                    rows = curves[
                        (curves["dataset"] == dataset)
                        & (curves["search"] == search)
                        & (curves["fitness"] == fitness)
                    ].sort_values("generation")
                    values = rows[column] * (1 if column == "best_fitness" else 100)
                    ax.plot(
                        rows["n_svms"],
                        values,
                        dash,
                        color=colour,
                        marker=".",
                        label=f"{search}, {fitness.upper()}",
                    )
            ax.set_xscale("log")
            ax.xaxis.set_minor_formatter(NullFormatter())
            ax.set_title(f"{dataset}: {title}", loc="left", fontsize=9)
            ax.tick_params(labelsize=8)
    for ax in axes[-1]:
        ax.set_xlabel("SVMs solved")
    handles, labels = axes[0, 0].get_legend_handles_labels()
    figure.legend(handles, labels, loc="outside lower center", ncols=3, frameon=False)
    return figure
