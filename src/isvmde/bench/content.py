"""What a report says, before it is written as Markdown, LaTeX or HTML."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import pandas as pd

from isvmde.bench.tables import (
    METRIC_NAMES,
    failed_cells,
    missing_cells,
    pooled_table,
    score_table,
    sd_table,
    seconds_table,
)
from isvmde.published import load_scores
from isvmde.stats import friedman_aligned, holm_test, wilcoxon_signed_rank

MAX, AVE = "i-SVM-DE-MAX", "i-SVM-DE-AVE"


@dataclass
class Table:
    """A table of a report: its numbers, how they are printed, which are best."""

    key: str
    caption: str
    values: pd.DataFrame
    texts: pd.DataFrame
    best: pd.DataFrame | None = None
    averages: bool = False  # the last row holds averages and is not sorted

    @property
    def corner(self) -> str:
        """The heading of the first column."""
        return str(self.values.index.name or "data set")


@dataclass
class Figure:
    """A figure of a report: a name, a caption and a function that draws it."""

    key: str
    caption: str
    draw: Callable[[], Any]


@dataclass
class Section:
    """A part of a report with a heading."""

    title: str
    paragraphs: list[str] = field(default_factory=list)
    tables: list[Table] = field(default_factory=list)
    figures: list[Figure] = field(default_factory=list)


@dataclass
class Content:
    """All a report says."""

    missing: list[str]
    sections: list[Section]
    averages: dict[str, pd.Series]

    @property
    def tables(self) -> list[Table]:
        """All tables, in order."""
        return [table for section in self.sections for table in section.tables]

    @property
    def figures(self) -> list[Figure]:
        """All figures, in order."""
        return [figure for section in self.sections for figure in section.figures]


def make_content(rows: pd.DataFrame) -> Content:
    """Compute the tables and tests of a benchmark's rows."""
    if rows.empty:
        raise ValueError(
            "there are no finished rows to report yet: let the benchmark run first"
        )
    scores = {metric: score_table(rows, metric) for metric in METRIC_NAMES}
    sections = [_about(rows)]
    for metric, table in scores.items():
        sections.append(_metric_section(rows, metric, table))
    compared = _published_section(rows, scores)
    sections += [compared] if compared else []
    sections.append(_seconds_section(rows))
    return Content(
        missing=missing_cells(rows),
        sections=sections,
        averages={metric: table.dropna().mean() for metric, table in scores.items()},
    )


def _about(rows: pd.DataFrame) -> Section:
    """Say what was run, and on what."""
    settings = rows.attrs["settings"]
    done = int((rows["status"] == "done").sum())
    datasets, methods = rows["dataset"].nunique(), rows["method"].nunique()
    repeats = rows["repeat"].nunique()
    text = (
        f"{done} finished rows: {datasets} data sets, {methods} methods, {repeats} "
        f"repeats of {settings.get('folds')} folds. Seed {settings.get('seed')}, "
        f"budget {settings.get('budget')!r}. Scores are in per cent, averaged over "
        "the folds of a repeat and then over repeats; ± is the standard deviation "
        "over repeats. A class without a sample in a test fold does not count there."
    )
    environments = [
        ", ".join(f"{name} {value}" for name, value in described.items())
        for key, described in rows.attrs["environments"].items()
        if (rows["environment"] == key).any()
    ]
    return Section(
        "What was run",
        [
            text,
            *(f"Computed with {line}." for line in environments),
            *failed_cells(rows),
        ],
    )


def _metric_section(rows: pd.DataFrame, metric: str, scores: pd.DataFrame) -> Section:
    """Return a metric's table, ranks and tests."""
    name = METRIC_NAMES[metric]
    section = Section(name)
    section.tables.append(
        _score_table(
            f"{metric}", f"{name}, in per cent", scores, sds=sd_table(rows, metric)
        )
    )
    section.tables.append(
        _score_table(
            f"{metric}_pooled",
            f"{name} of each repeat's folds taken together (one confusion matrix)",
            pooled_table(rows, metric),
        )
    )
    # Ranks need every method on every data set.
    whole = scores.dropna()
    left_out = [str(dataset) for dataset in scores.index if dataset not in whole.index]
    if len(whole) < 2 or whole.shape[1] < 2:
        section.paragraphs.append(
            "The tests need at least two methods on two data sets without gaps."
        )
        return section
    if left_out:
        section.paragraphs.append(
            f"Left out of ranks and tests, having gaps: {', '.join(left_out)}."
        )
    _add_tests(section, metric, whole)
    return section


def _add_tests(section: Section, metric: str, scores: pd.DataFrame) -> None:
    """Add aligned ranks, Friedman's, Holm's and Wilcoxon's tests."""
    name = METRIC_NAMES[metric]
    friedman = friedman_aligned(scores)
    section.paragraphs.append(
        f"Friedman's test on aligned ranks over {len(scores)} data sets: statistic "
        f"{friedman.statistic:.5f}, {friedman.df} degrees of freedom, "
        f"p = {friedman.pvalue:.3g}."
    )
    holm, printed = holm_test(scores), holm_test(scores, se="paper")
    control = holm.attrs["control"]
    values = holm.set_index("method").assign(
        p_paper=printed.set_index("method")["p"], rank=friedman.mean_ranks
    )
    values = values[["rank", "z", "p", "p_holm", "rejected", "p_paper"]]
    values.index.name = "method"
    texts = pd.DataFrame(
        {
            "mean aligned rank": values["rank"].map("{:.2f}".format),
            "z": values["z"].map("{:.3f}".format),
            "p": values["p"].map("{:.3g}".format),
            "p (Holm)": values["p_holm"].map("{:.3g}".format),
            "differs": values["rejected"].map({True: "yes", False: "no"}),
            "p, paper's formula": values["p_paper"].map("{:.3g}".format),
        }
    )
    values = values.set_axis(texts.columns, axis=1)
    section.tables.append(
        Table(
            f"{metric}_holm",
            f"{name}: Holm's test against the best rank, {control} "
            f"(mean aligned rank {friedman.mean_ranks[control]:.2f}); the last column "
            "uses the standard error printed in the paper, which is too small",
            values,
            texts,
        )
    )
    section.figures.append(
        Figure(
            f"{metric}_ranks",
            f"{name}: mean aligned ranks, smaller is better",
            lambda: _draw_ranks(scores, name),
        )
    )
    if {MAX, AVE} <= set(scores.columns):
        test = wilcoxon_signed_rank(scores[MAX], scores[AVE])
        section.paragraphs.append(
            f"Wilcoxon's signed ranks, MAX against AVE: R+ = {test.r_plus:g}, "
            f"R- = {test.r_minus:g}, p = {test.pvalue:.4g}."
        )


def _published_section(
    rows: pd.DataFrame, scores: dict[str, pd.DataFrame]
) -> Section | None:
    """Return measured scores beside the paper's, where it has them."""
    section = Section(
        "Measured and published",
        ["Each cell: measured (published, measured less published), in per cent."],
    )
    both = {}
    for metric, measured in scores.items():
        published = load_scores(metric)
        datasets = [name for name in measured.index if name in published.index]
        methods = [name for name in measured.columns if name in published.columns]
        if not datasets or not methods:
            continue
        ours, theirs = (t.loc[datasets, methods] for t in (measured, published))
        both[metric] = (ours, theirs.where(ours.notna()))
        section.tables.append(_difference_table(metric, *both[metric]))
    if not both:
        return None
    from isvmde.bench.figures import draw_published

    section.figures.append(
        Figure(
            "published",
            "Measured against published scores, a point per data set and method",
            lambda: draw_published(both),
        )
    )
    return section


def _difference_table(
    metric: str, measured: pd.DataFrame, published: pd.DataFrame
) -> Table:
    """Return the table of measured, published and difference."""
    measured, published = map(_with_average, (measured, published))
    difference = measured - published
    texts = pd.DataFrame(
        [
            [
                _text(m) if pd.isna(d) else f"{m:.2f} ({p:.2f}, {d:+.2f})"
                for m, p, d in zip(*line, strict=True)
            ]
            for line in zip(
                measured.to_numpy(),
                published.to_numpy(),
                difference.to_numpy(),
                strict=True,
            )
        ],
        index=measured.index,
        columns=measured.columns,
    )
    caption = f"{METRIC_NAMES[metric]}: measured (published, difference)"
    return Table(f"{metric}_published", caption, difference, texts, averages=True)


def _seconds_section(rows: pd.DataFrame) -> Section:
    """Return the seconds a fit takes."""
    from isvmde.bench.figures import draw_seconds

    seconds = seconds_table(rows)
    values = _with_average(seconds)
    table = Table(
        "seconds",
        "Mean seconds of one fit in one thread, preprocessing and grid search included",
        values,
        values.map(lambda value: _text(value, "{:.3g}")),
        averages=True,
    )
    figure = Figure(
        "seconds",
        "Seconds per fit, a point per data set",
        lambda: draw_seconds(seconds),
    )
    return Section("Seconds per fit", [], [table], [figure])


def _score_table(
    key: str, caption: str, means: pd.DataFrame, sds: pd.DataFrame | None = None
) -> Table:
    """Return scores with averages, the best of each row marked."""
    values = _with_average(means)
    texts = values.map(_text)
    if sds is not None:
        for dataset in sds.index:
            for method in sds.columns:
                sd = sds.loc[dataset, method]
                if not pd.isna(sd):
                    texts.loc[dataset, method] += f" ± {sd:.2f}"
    rounded = values.round(2)
    best = rounded.eq(rounded.max(axis=1), axis=0)
    return Table(key, caption, values, texts, best, averages=True)


def _with_average(table: pd.DataFrame) -> pd.DataFrame:
    """Return the table with a last row of averages over its complete data sets."""
    whole = table.dropna()
    averages = whole.mean() if len(whole) else table.mean() * float("nan")
    name = "average" if len(whole) == len(table) else f"average of {len(whole)}"
    return pd.concat([table, averages.to_frame(name).T])


def _text(value: float, pattern: str = "{:.2f}") -> str:
    """Return a number as text, a dash for a gap."""
    return "–" if pd.isna(value) else pattern.format(value)


def _draw_ranks(scores: pd.DataFrame, title: str) -> Any:
    """Draw the paper's figure of mean aligned ranks."""
    from isvmde.bench.figures import new_figure
    from isvmde.plots import RankDisplay

    ax = new_figure(8, 1.6 + 0.34 * scores.shape[1]).subplots()
    return RankDisplay.from_scores(scores, ax=ax, title=title).figure_
