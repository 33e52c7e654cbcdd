"""From a benchmark's rows to the sections of its report."""

from __future__ import annotations

from functools import partial

import numpy as np
import pandas as pd

from isvmde.bench import figures
from isvmde.bench.comparison import Comparison, compare_methods
from isvmde.bench.content import (
    Content,
    Figure,
    Section,
    Table,
    as_text,
    score_cells,
    with_average,
)
from isvmde.bench.tables import (
    METRIC_NAMES,
    class_sizes,
    confusions,
    describe_datasets,
    failed_cells,
    fold_table,
    missing_cells,
    planned_names,
    pooled_table,
    recall_table,
    score_table,
    sd_table,
    seconds_table,
)
from isvmde.bench.templating import prose, signed, slug
from isvmde.published import load_scores

_SECONDS = "seconds per fit"


def make_content(rows: pd.DataFrame) -> Content:
    """Compute the tables, tests and figures of a benchmark's rows."""
    if rows.empty:
        raise ValueError(
            "there are no finished rows to report yet: let the benchmark run first"
        )
    found = [compare_methods(rows, metric) for metric in METRIC_NAMES]
    datasets, methods = planned_names(rows)
    on = datasets[0] if len(datasets) == 1 else f"{len(datasets)} data sets"
    return Content(
        title=f"{len(methods)} methods on {on}",
        missing=missing_cells(rows),
        sections=[
            _summary(rows, found),
            _run(rows),
            *(_metric(rows, one) for one in found),
            _classes(rows),
            _seconds(rows, found),
            *_published(rows),
        ],
        averages=pd.DataFrame({one.metric: one.scores.mean() for one in found}),
    )


def _summary(rows: pd.DataFrame, found: list[Comparison]) -> Section:
    """Say who leads, by how much and how sure, and show it."""
    datasets, methods = planned_names(rows)
    budget = rows.attrs["settings"].get("budget")
    facts = (found, len(datasets), len(methods), budget)
    section = Section("Summary", prose("summary", *facts))
    first = found[0]
    values = pd.DataFrame({one.name: one.scores.mean() for one in found})
    bars, best = values.copy(), values.round(2).eq(values.round(2).max())
    for one in found:
        if one.friedman is not None:
            ranks = values[f"rank, {one.name}"] = one.friedman.mean_ranks
            best[f"rank, {one.name}"] = ranks.eq(ranks.min())
    values[_SECONDS] = seconds_table(rows).loc[first.scores.index].mean()
    if len(values):
        n = len(first.scores)
        over = "" if n == 1 else f", averages over {n} data sets"
        ranks = "" if n == 1 else "; smaller ranks are better"
        table = Table(
            "averages",
            f"All methods: scores in per cent{over}{ranks}",
            values.rename_axis("method"),
            _printed(values, {"rank": "{:.1f}", "seconds": "{:.3g}"}),
            best.reindex(columns=values.columns, fill_value=False),
            bars=bars.reindex(columns=values.columns),
        )
        section.tables.append(table)
    if len(datasets) == 1:
        figure = Figure(
            f"recall-{slug(datasets[0])}",
            "Recall of each class under every method, the rarest on top",
            partial(figures.draw_recall, rows, datasets[0]),
        )
    else:
        tables = {one.name: score_table(rows, one.metric) for one in found}
        figure = Figure(
            "overview",
            "Scores of every method: a dot per data set, a bar for the average",
            partial(figures.draw_overview, tables),
        )
    section.figures.append(figure)
    return section


def _run(rows: pd.DataFrame) -> Section:
    """Say what was run, describe the data sets, define the metrics."""
    datasets, methods = planned_names(rows)
    used = set(rows["environment"])
    facts = {
        "done": int((rows["status"] == "done").sum()),
        "datasets": len(datasets),
        "methods": len(methods),
        "repeats": rows["repeat"].nunique(),
        "environments": [
            described
            for key, described in rows.attrs["environments"].items()
            if key in used
        ],
        "failed": failed_cells(rows),
        **rows.attrs["settings"],
    }
    values = describe_datasets(rows)
    sizes = {name: class_sizes(rows, name).tolist() for name in datasets}
    table = Table(
        "datasets",
        "The data sets",
        values,
        _printed(values, {"imbalance": "{:.1f}", "": "{:.0f}"}),
        shapes={name: sorted(counts, reverse=True) for name, counts in sizes.items()},
        shapes_title="class sizes",
    )
    return Section("What was run", prose("run", facts) + prose("metrics"), [table])


def _metric(rows: pd.DataFrame, found: Comparison) -> Section:
    """Return a metric's scores, ranks and tests."""
    metric, name = found.metric, found.name
    section = Section(name, prose("tests", found))
    scores, sds = score_table(rows, metric), sd_table(rows, metric)
    section.tables.append(score_cells(metric, f"{name} in per cent", scores, sds))
    pooled = score_cells(
        f"{metric}_pooled",
        f"{name} of each repeat's folds taken together (one confusion matrix)",
        pooled_table(rows, metric),
    )
    section.details.append(("Folds taken together", [pooled]))
    if found.tests is not None:
        section.tables.append(_test_table(found))
    if found.kind == "ranks":
        figure = Figure(
            f"{metric}_ranks",
            f"{name}: mean aligned ranks. The band covers the best and what Holm's "
            "test cannot tell from it",
            partial(figures.draw_ranks, found.scores, name),
        )
        section.figures.append(figure)
    if len(scores) == 1:
        folds = fold_table(rows, metric, scores.index[0])
        figure = Figure(
            f"{metric}_folds",
            f"{name} of every method: a dot per fold, a bar for the mean",
            partial(figures.draw_overview, {name: folds}),
        )
        section.figures.append(figure)
    else:
        figure = Figure(
            f"{metric}_by_data_set",
            f"{name} on each data set, with the standard deviation; the best in orange",
            partial(figures.draw_by_dataset, scores, sds),
            wide=True,
        )
        section.figures.append(figure)
    return section


def _test_table(found: Comparison) -> Table:
    """Return the adjusted p-values of every method against the control."""
    ranks = found.kind == "ranks"
    names = {"rank": "mean aligned rank", "z": "z"}
    names = names if ranks else {"difference": "points behind", "t": "t"}
    names |= {"p_holm": "p, adjusted", "rejected": "differs"}
    values = found.tests.set_index("method")[list(names)]  # type: ignore[union-attr]
    texts = _printed(values, {"rank": "{:.1f}", "p_holm": "{:.2g}"})
    texts["rejected"] = np.where(values["rejected"], "yes", "no")
    caption = f"{found.name}: each method against the best, {found.control}"
    if ranks:
        rank = found.friedman.mean_ranks[found.control]
        caption += f", whose mean aligned rank is {rank:.1f}"
    values, texts = (table.rename(columns=names) for table in (values, texts))
    return Table(f"{found.metric}_tests", caption, values, texts)


def _classes(rows: pd.DataFrame) -> Section:
    """Return the recall of every class of every data set, and who is taken for whom."""
    section = Section("Class by class", prose("classes"))
    for dataset in planned_names(rows)[0]:
        sizes, matrices = class_sizes(rows, dataset), confusions(rows, dataset)
        if not matrices or sizes.empty:
            continue  # no fold is finished yet
        order = sizes.sort_values(kind="stable").index
        recall = recall_table(rows, dataset)[order].rename_axis("method")
        recall.columns = pd.Index([f"{label} ({sizes[label]})" for label in order])
        rounded = recall.round(2)
        best = rounded.eq(rounded.max()) & ~rounded.eq(rounded.min())
        texts = _printed(recall, {"": "{:.1f}"})
        key, caption = f"recall-{slug(dataset)}", f"{dataset}: recall by class"
        section.tables.append(Table(key, caption, recall, texts, best, bars=recall))
        shown = [_confusion(dataset, m, one, sizes) for m, one in matrices.items()]
        section.details.append((f"Confusion matrices of {dataset}", shown))
    return section


def _confusion(
    dataset: str, method: str, matrix: np.ndarray, sizes: pd.Series
) -> Table:
    """Return a confusion matrix in per cent of its rows; the CSV has the counts."""
    counts = pd.DataFrame(matrix, index=sizes.index, columns=sizes.index)
    share = 100 * counts.div(counts.sum(axis=1).replace(0, np.nan), axis=0)
    texts = share.map(lambda value: as_text(value, "{:.0f}") if value != 0 else "·")
    key = f"confusion-{slug(dataset)}-{slug(method)}"
    counts = counts.rename_axis("true class")
    return Table(key, method, counts, texts, bars=share, in_latex=False)


def _seconds(rows: pd.DataFrame, found: list[Comparison]) -> Section:
    """Return the seconds a fit takes, and what they buy."""
    seconds = seconds_table(rows)
    values = with_average(seconds)
    texts = _printed(values, {"": "{:.3g}"})
    caption, averages = "Mean seconds of one fit", len(seconds) > 1
    table = Table("seconds", caption, values, texts, averages=averages)
    section = Section("Time", prose("seconds"), [table])
    sets = found[0].scores.index
    if len(sets):
        means = {one.name: one.scores.mean() for one in found}
        figure = Figure(
            "time_and_score",
            "Average score against mean seconds per fit",
            partial(figures.draw_time, seconds.loc[sets].mean(), means),
        )
        section.figures.append(figure)
    return section


def _published(rows: pd.DataFrame) -> list[Section]:
    """Return measured scores beside the paper's, where both have them."""
    # Small budgets are no reproduction, so they do not stand beside published numbers.
    if rows.attrs["settings"].get("budget") != "paper":
        return []
    section = Section("Measured and published", prose("published"))
    both = {}
    for metric, name in METRIC_NAMES.items():
        ours, theirs = score_table(rows, metric).align(load_scores(metric), "inner")
        if ours.size:
            both[name] = (ours, theirs.where(ours.notna()))
            section.tables.append(_difference_table(metric, *both[name]))
    if not both:
        return []
    figure = Figure(
        "published",
        "Measured against published scores, a point per data set and method",
        partial(figures.draw_published, both),
    )
    section.figures.append(figure)
    return [section]


def _difference_table(
    metric: str, measured: pd.DataFrame, published: pd.DataFrame
) -> Table:
    """Return the table of measured, published and difference."""
    measured, published = map(with_average, (measured, published))
    difference = measured - published
    short = partial(as_text, pattern="{:.1f}")
    texts = measured.map(short)
    texts += (" (" + published.map(short) + ", ").where(difference.notna(), "")
    texts += (difference.map(partial(signed, places=1)) + ")").where(
        difference.notna(), ""
    )
    caption = f"{METRIC_NAMES[metric]}: measured (published, difference)"
    averages = len(difference) > 1
    return Table(f"{metric}_published", caption, difference, texts, averages=averages)


def _printed(values: pd.DataFrame, patterns: dict[str, str]) -> pd.DataFrame:
    """Return numbers as texts, by the pattern of what a column's name begins with."""

    def pattern_of(column: object) -> str:
        fits = (p for start, p in patterns.items() if str(column).startswith(start))
        return next(fits, "{:.2f}")

    return values.apply(
        lambda column: column.map(partial(as_text, pattern=pattern_of(column.name)))
    )
