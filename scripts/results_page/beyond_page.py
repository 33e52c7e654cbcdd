"""The page on i-SVM-DE-LOO: what was tried, what helped, and the check."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import Any

import pandas as pd
from beyond import DEVELOPMENT, REFERENCES, SETTINGS

from isvmde.bench.content import Figure, Section, Table
from isvmde.stats import friedman_aligned
from results_page.measured import (
    AVE,
    DATASETS,
    MAX,
    METRICS,
    NINE,
    Measured,
    load_measured,
    names,
)

LOO = "i-SVM-DE-LOO"
CHECK = [name for name in DATASETS if name not in DEVELOPMENT]
LESSONS = (
    ("leave-one-out instead of fit^a", "loo, t = 3", AVE),
    ("a sharper error, t = 3 instead of 1", "loo, t = 3", "loo, t = 1"),
    ("one kernel for all pairs", "one kernel for all pairs", "loo, t = 3"),
    ("one setting for all pairs", "one setting for all pairs", "loo, t = 3"),
    ("votes instead of a sum over pairs", "votes", "loo, t = 3"),
    ("margins fixed instead of searched", "margins fixed", "loo, t = 3"),
    ("ranks only, instead of values", "ranks only", "margins fixed"),
    ("ranks or values, one machine", "ranks or values", "margins fixed"),
    ("ranks or values, twenty machines", "best 20 of 200", "best 20, values only"),
    ("forty machines instead of five", "best 40 of 200", "best 5 of 200"),
    ("all together, against fit^a", "best 40 of 200", AVE),
)
TEXT = Path(__file__).with_name("beyond_text.md")


def beyond_sections(results: Path) -> list[Section]:
    """Return the page's sections: text that stands, then tables from the rows."""
    sections = _standing_text()
    tried = load_measured(results / "beyond.csv", [*REFERENCES, *SETTINGS])
    sections.append(_tried_section(tried))
    sections.append(_check_section(load_measured(results / "paper.csv", NINE)))
    sections.append(_margins_section(results / "margins.csv", tried))
    return sections


def _standing_text() -> list[Section]:
    """Read the part of the page that does not depend on rows."""
    sections: list[Section] = []
    for part in TEXT.read_text(encoding="utf-8").split("\n## ")[1:]:
        title, text = part.split("\n", 1)
        sections.append(Section(title.strip(), [text.strip()]))
    return sections


def _tried_section(tried: Measured | None) -> Section:
    """Return the averages of all that was tried, on the data sets of development."""
    section = Section("What was tried")
    if tried is None:
        section.paragraphs.append("Not measured yet: results/beyond.csv is missing.")
        return section
    values = pd.DataFrame(
        {
            name: tried.scores[metric].loc[list(DEVELOPMENT)].mean(skipna=False)
            for metric, name in METRICS.items()
        }
    ).rename_axis(index="setting")
    seconds = tried.seconds.loc[list(DEVELOPMENT)].mean(skipna=False)
    texts = values.map(_text)
    texts["seconds per fit"] = seconds.map(_seconds)
    values["seconds per fit"] = seconds
    section.paragraphs.append(
        f"Averages over {names(DEVELOPMENT)}, {tried.repeats} x "
        f"{tried.rows.attrs['settings']['folds']} folds (seed "
        f"{tried.rows.attrs['settings']['seed']}: not the folds of the "
        "[results](results.md)), in per cent. The references are methods of the paper "
        "at its budget. From the second setting on t = 3. Where nothing else is said "
        "every pair has its own settings, found by a pairwise search of 40 individuals "
        "in 20 generations. The last five lines average machines out of 200 "
        "individuals in 4 generations, with fixed margins and the choice between "
        "values and ranks where not named otherwise."
    )
    section.paragraphs.append(
        "Differences read from the table, with their standard deviation over the "
        "repeats, in points of G-mean, AvF and CBA:"
    )
    section.paragraphs.append(
        "\n".join(f"- {label}: {_gap(tried, a, b)}" for label, a, b in LESSONS)
    )
    section.tables.append(Table("beyond-tried", "Development", values, texts))
    return section


def _gap(tried: Measured, a: str, b: str) -> str:
    """Return setting a less setting b on each metric, and its spread over repeats."""
    rows = tried.rows[tried.rows["dataset"].isin(DEVELOPMENT)]
    parts = []
    for metric in METRICS:
        means = 100 * rows.groupby(["method", "dataset", "repeat"])[metric].mean()
        of_repeat = means.groupby(level=["method", "repeat"]).mean()
        gap = of_repeat[a] - of_repeat[b]
        parts.append(f"{gap.mean():+.1f} ± {gap.std():.1f}")
    return ", ".join(parts)


def _check_section(measured: Measured | None) -> Section:
    """Return the ten methods on the data sets that were not developed on."""
    section = Section("The check")
    if measured is None or LOO not in measured.methods:
        section.paragraphs.append("Not measured yet: there are no rows of the method.")
        return section
    methods = [*NINE, LOO]
    scores = {m: measured.scores[m].loc[CHECK, methods] for m in METRICS}
    if any(table.isna().any(axis=None) for table in scores.values()):
        section.paragraphs.append("The measurements are incomplete.")
        return section
    values = pd.DataFrame(index=pd.Index(methods, name="method"))
    for metric, name in METRICS.items():
        values[name] = scores[metric].mean()
    for metric, name in METRICS.items():
        values[f"rank, {name}"] = friedman_aligned(scores[metric]).mean_ranks
    seconds = measured.seconds.loc[CHECK, methods].mean()
    values["seconds per fit"] = seconds
    texts = values.map(_text)
    texts["seconds per fit"] = seconds.map(_seconds)
    for column in values.columns[:-1]:
        best = values[column].idxmin() if "rank" in column else values[column].idxmax()
        texts.loc[best, column] = f"**{texts.loc[best, column]}**"
    section.paragraphs += [
        f"{names(CHECK)}: the folds and repeats of the [results](results.md), the same "
        "for all methods. Averages in per cent and mean aligned ranks (the lower the "
        "better; ten methods on nine data sets).",
        *(_verdict(values, name) for name in METRICS.values()),
        f"A fit of {LOO} takes {seconds[LOO]:.2g} s on average, one of {AVE} "
        f"{seconds[AVE]:.2g} s.",
    ]
    section.tables.append(Table("beyond-check", "The check", values, texts))
    for metric, name in METRICS.items():
        table = scores[metric][[AVE, MAX, LOO]].copy()
        table["best of the other nine"] = scores[metric][NINE].max(axis=1)
        cells = table.map(_text)
        winner = scores[metric][NINE].idxmax(axis=1)
        cells["best of the other nine"] += " (" + winner + ")"
        section.tables.append(Table(f"beyond-{metric}", name, table, cells))
    return section


def _verdict(values: pd.DataFrame, name: str) -> str:
    """Compare the method with the paper's two and with all nine, for one metric."""
    gap = values.loc[LOO, name] - values.loc[[AVE, MAX], name].max()
    ranks = values[f"rank, {name}"].sort_values(kind="stable")
    place = list(ranks.index).index(LOO) + 1
    first = (
        f"its mean aligned rank is the best of ten, before {ranks.index[1]}"
        if place == 1
        else f"its mean aligned rank is number {place} of ten, the best is "
        f"{ranks.index[0]}'s"
    )
    return (
        f"- {name}: {gap:+.2f} points against the better of {AVE} and {MAX}; {first}."
    )


def _margins_section(file: Path, tried: Measured | None) -> Section:
    """Return the figure of the margins that searches choose."""
    section = Section("Are the margins used?")
    if not file.is_file():
        section.paragraphs.append("Not measured yet: results/margins.csv is missing.")
        return section
    table = pd.read_csv(file)
    table["difference"] = table["lambda1"] - table["lambda2"]
    parts = []
    for search, group in table.groupby("search", sort=False):
        size = group["difference"].abs()
        both = ((group["lambda1"] > 0.99) & (group["lambda2"] > 0.99)).mean()
        parts.append(
            f"{search}: |λ1 − λ2| is {size.mean():.2f} on average, above 0.1 for "
            f"{100 * (size > 0.1).mean():.0f} % of {len(group)} pairs; both margins at "
            f"their upper end for {100 * both:.0f} %"
        )
    section.paragraphs += [
        "Free margins, searched on the whole data sets of development "
        "(`scripts/run_margins.py`). " + ". ".join(parts) + ".",
    ]
    if tried is not None:
        section.paragraphs.append(_worth_of_margins(tried))
    section.figures.append(
        Figure(
            "results-margins",
            "Chosen differences of margins, λ1 − λ2, over all pairs of six data sets",
            partial(_draw_margins, table),
        )
    )
    return section


def _worth_of_margins(tried: Measured) -> str:
    """Compare fixed margins with free ones on the data sets of development."""
    lines = []
    for fixed, free in (
        ("margins fixed", "loo, t = 3"),
        ("best 20 of 200", "best 20, margins free"),
    ):
        gaps = [
            f"{(table[fixed] - table[free]).mean():+.2f} ({METRICS[metric]})"
            for metric, table in tried.scores.items()
        ]
        lines.append(f"“{fixed}” less “{free}”: {names(gaps)} points")
    return (
        "What free margins are worth, on the data sets of development: "
        + "; ".join(lines)
        + ". A positive difference speaks for fixed margins."
    )


def _draw_margins(table: pd.DataFrame) -> Any:
    """Draw a histogram for every search."""
    import numpy as np
    from matplotlib.figure import Figure as Canvas

    searches = list(dict.fromkeys(table["search"]))
    canvas = Canvas(figsize=(7.0, 2.8), layout="constrained")
    grid = canvas.subplots(1, len(searches), sharey=True, sharex=True, squeeze=False)
    axes = grid[0]
    for ax, search in zip(axes, searches, strict=True):
        values = table.loc[table["search"] == search, "difference"]
        ax.hist(values, bins=np.linspace(-1, 1, 41), color="#0072B2")
        ax.set_title(search, fontsize=10)
        ax.set_xlabel("λ1 − λ2")
    axes[0].set_ylabel("pairs")
    return canvas


def _text(value: float) -> str:
    """Return a score or a rank as text."""
    return "–" if pd.isna(value) else f"{value:.2f}"


def _seconds(value: float) -> str:
    """Return seconds as text."""
    return "–" if pd.isna(value) else f"{value:.2g}"
