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
from isvmde.bench.per_class import (
    class_sizes,
    confusions,
    describe_datasets,
    recall_table,
)
from isvmde.bench.tables import (
    METRIC_NAMES,
    failed_cells,
    fold_sd_table,
    missing_cells,
    planned_names,
    pooled_table,
    score_table,
    sd_table,
    seconds_table,
)
from isvmde.bench.templating import prose, slug
from isvmde.published import load_scores


def make_content(rows: pd.DataFrame) -> Content:
    """Compute the tables, tests and figures of a benchmark's rows."""
    if rows.empty:
        raise ValueError(
            "there are no finished rows to report yet: let the benchmark run first"
        )
    found = {metric: compare_methods(rows, metric) for metric in METRIC_NAMES}
    datasets, methods = planned_names(rows)
    sections = [_summary(rows, found), _run(rows)]
    sections += [_metric(rows, one) for one in found.values()]
    sections += [_classes(rows, dataset) for dataset in datasets]
    sections.append(_seconds(rows, found))
    # Small budgets are no reproduction, so they do not stand beside published numbers.
    if rows.attrs["settings"].get("budget") == "paper":
        sections += _published(rows)
    title = (
        f"{len(methods)} methods on {datasets[0]}"
        if len(datasets) == 1
        else f"{len(methods)} methods on {len(datasets)} data sets"
    )
    return Content(
        title=title,
        missing=missing_cells(rows),
        sections=sections,
        averages=pd.DataFrame({m: one.scores.mean() for m, one in found.items()}),
    )


def _summary(rows: pd.DataFrame, found: dict[str, Comparison]) -> Section:
    """Say who leads, by how much and how sure, and show it."""
    datasets, methods = planned_names(rows)
    budget = rows.attrs["settings"].get("budget")
    section = Section(
        "Summary",
        prose("summary", list(found.values()), len(datasets), len(methods), budget),
    )
    values = pd.DataFrame({one.name: one.scores.mean() for one in found.values()})
    texts = values.map(as_text)
    best = values.round(2).eq(values.round(2).max())
    bars = values.copy()
    for one in found.values():
        if one.friedman is not None:
            column = f"rank, {one.name}"
            values[column] = one.friedman.mean_ranks
            texts[column] = values[column].map(partial(as_text, pattern="{:.1f}"))
            best[column] = values[column].eq(values[column].min())
    bars = bars.reindex(columns=values.columns)
    seconds = seconds_table(rows).loc[next(iter(found.values())).scores.index].mean()
    values["seconds per fit"] = seconds.reindex(values.index)
    texts["seconds per fit"] = values["seconds per fit"].map(_seconds_text)
    best["seconds per fit"] = False
    bars["seconds per fit"] = np.nan
    values.index.name = "method"
    if len(values):
        n = len(next(iter(found.values())).scores)
        over = "" if n == 1 else f", averages over {n} data sets"
        ranks = "" if n == 1 else "; smaller ranks are better"
        caption = f"All methods: scores in per cent{over}{ranks}"
        section.tables.append(
            Table("averages", caption, values, texts, best, bars=bars)
        )
    if len(datasets) == 1:
        section.figures.append(_recall_figure(rows, datasets[0]))
    else:
        tables = {one.name: score_table(rows, m) for m, one in found.items()}
        section.figures.append(
            Figure(
                "overview",
                "Scores of every method: a dot per data set, a bar for the average",
                partial(figures.draw_overview, tables),
            )
        )
    return section


def _recall_figure(rows: pd.DataFrame, dataset: str) -> Figure:
    """Show the recall of every class of a data set under every method."""
    return Figure(
        f"recall-{slug(dataset)}",
        f"Recall of each class of {dataset} under every method, the rarest on top",
        partial(figures.draw_recall, rows, dataset),
    )


def _run(rows: pd.DataFrame) -> Section:
    """Say what was run, describe the data sets, define the metrics."""
    settings = rows.attrs["settings"]
    datasets, methods = planned_names(rows)
    facts = {
        "done": int((rows["status"] == "done").sum()),
        "datasets": len(datasets),
        "methods": len(methods),
        "repeats": rows["repeat"].nunique(),
        **{name: settings.get(name) for name in ("folds", "seed", "budget")},
    }
    section = Section("What was run", prose("run", facts))
    section.paragraphs += prose("metrics")
    section.paragraphs += failed_cells(rows)
    used = rows["environment"].unique()
    section.paragraphs += [
        "Computed with " + ", ".join(f"{name} {value}" for name, value in one.items())
        for key, one in rows.attrs["environments"].items()
        if key in used
    ]
    values = describe_datasets(rows).dropna(axis=1, how="all")
    names = {
        "numeric": "numeric columns",
        "nominal": "nominal columns",
        "smallest": "smallest class",
        "largest": "largest class",
        "imbalance": "imbalance ratio",
    }
    texts = values.map(partial(as_text, pattern="{:.0f}"))
    if "imbalance" in values:
        texts["imbalance"] = values["imbalance"].map(partial(as_text, pattern="{:.1f}"))
    shapes = {
        name: sorted(class_sizes(rows, name).tolist(), reverse=True)
        for name in datasets
    }
    section.tables.append(
        Table(
            "datasets",
            "The data sets",
            values.rename(columns=names),
            texts.rename(columns=names),
            shapes=shapes,
            shapes_title="class sizes",
        )
    )
    return section


def _metric(rows: pd.DataFrame, found: Comparison) -> Section:
    """Return a metric's scores, ranks and tests."""
    metric, name = found.metric, found.name
    section = Section(name, prose("tests", found))
    spread = sd_table if rows["repeat"].nunique() > 1 else fold_sd_table
    scores = score_table(rows, metric)
    section.tables.append(
        score_cells(metric, f"{name} in per cent", scores, spread(rows, metric))
    )
    pooled = score_cells(
        f"{metric}_pooled",
        f"{name} of each repeat's folds taken together (one confusion matrix)",
        pooled_table(rows, metric),
    )
    section.details.append(("Folds taken together", [pooled]))
    if found.tests is not None:
        section.tables.append(_test_table(found))
    if found.kind == "ranks":
        section.figures.append(
            Figure(
                f"{metric}_ranks",
                f"{name}: mean aligned ranks. The band covers the best and what Holm's "
                "test cannot tell from it",
                partial(figures.draw_ranks, found.scores, name),
            )
        )
    if len(scores) > 1:
        section.figures.append(
            Figure(
                f"{metric}_by_data_set",
                f"{name} on each data set, with the standard deviation",
                partial(figures.draw_by_dataset, scores, spread(rows, metric)),
                wide=True,
            )
        )
    return section


def _test_table(found: Comparison) -> Table:
    """Return the adjusted p-values of every method against the control."""
    tests = found.tests.set_index("method")  # type: ignore[union-attr]

    def yes(differs: bool) -> str:
        return "yes" if differs else "no"

    if found.kind == "ranks":
        columns = {
            "mean aligned rank": (tests["rank"], "{:.1f}".format),
            "z": (tests["z"], "{:.2f}".format),
            "p, adjusted": (tests["p_holm"], "{:.2g}".format),
            "differs": (tests["rejected"], yes),
            "p, adjusted, paper's formula": (tests["p_paper"], "{:.2g}".format),
        }
        caption = (
            f"{found.name}: Holm's test against the best mean rank, {found.control} "
            f"({found.friedman.mean_ranks[found.control]:.1f}). The last column uses "
            "the standard error printed in the paper, which is too small"
        )
    else:
        columns = {
            "points behind": (tests["difference"], "{:.2f}".format),
            "t": (tests["t"], "{:.2f}".format),
            "p, adjusted": (tests["p_holm"], "{:.2g}".format),
            "differs": (tests["rejected"], yes),
        }
        caption = f"{found.name}: each method against the best, {found.control}"
    values = pd.DataFrame({name: column for name, (column, _) in columns.items()})
    texts = pd.DataFrame({n: column.map(text) for n, (column, text) in columns.items()})
    return Table(f"{found.metric}_tests", caption, values, texts)


def _classes(rows: pd.DataFrame, dataset: str) -> Section:
    """Return the recall of every class of a data set, and who is taken for whom."""
    section = Section(f"Class by class: {dataset}")
    sizes = class_sizes(rows, dataset)
    matrices = confusions(rows, dataset)
    if not matrices or sizes.empty:
        section.paragraphs.append("No fold is finished yet.")
        return section
    section.paragraphs += prose("classes", dataset, sizes)
    order = sizes.sort_values(kind="stable").index
    recall = recall_table(rows, dataset)[order]
    recall.index.name = "method"
    recall.columns = pd.Index([f"{label} ({sizes[label]})" for label in order])
    rounded = recall.round(2)
    best = rounded.eq(rounded.max()) & ~rounded.eq(rounded.min())
    texts = recall.map(partial(as_text, pattern="{:.1f}"))
    caption = f"{dataset}: recall by class (samples)"
    section.tables.append(
        Table(f"recall-{slug(dataset)}", caption, recall, texts, best, bars=recall)
    )
    section.details.append(
        (
            "Confusion matrices: true classes down, predicted classes across, per cent "
            "of the true class",
            [_confusion(dataset, m, matrix, sizes) for m, matrix in matrices.items()],
        )
    )
    return section


def _confusion(
    dataset: str, method: str, matrix: np.ndarray, sizes: pd.Series
) -> Table:
    """Return a confusion matrix in per cent of its rows; the CSV has the counts."""
    counts = pd.DataFrame(matrix, index=sizes.index, columns=sizes.index)
    counts.index.name = "true class"
    share = 100 * counts.div(counts.sum(axis=1).replace(0, np.nan), axis=0)
    texts = share.map(lambda value: as_text(value, "{:.0f}") if value != 0 else "·")
    key = f"confusion-{slug(dataset)}-{slug(method)}"
    caption = f"{dataset}: {method}"
    return Table(key, caption, counts, texts, bars=share, in_latex=False)


def _seconds(rows: pd.DataFrame, found: dict[str, Comparison]) -> Section:
    """Return the seconds a fit takes, and what they buy."""
    seconds = seconds_table(rows)
    values = with_average(seconds)
    table = Table(
        "seconds",
        "Mean seconds of one fit",
        values,
        values.map(_seconds_text),
        averages=len(seconds) > 1,
    )
    section = Section("Time", prose("seconds"), [table])
    averages = {
        one.name: one.scores.mean() for one in found.values() if len(one.scores)
    }
    if averages:
        sets = next(iter(found.values())).scores.index
        section.figures.append(
            Figure(
                "time_and_score",
                "Average score against mean seconds per fit",
                partial(figures.draw_time, seconds.loc[sets].mean(), averages),
            )
        )
    return section


def _published(rows: pd.DataFrame) -> list[Section]:
    """Return measured scores beside the paper's, where it has them."""
    section = Section("Measured and published", prose("published"))
    both = {}
    for metric, name in METRIC_NAMES.items():
        measured, published = score_table(rows, metric), load_scores(metric)
        datasets = [name for name in measured.index if name in published.index]
        methods = [name for name in measured.columns if name in published.columns]
        if not datasets or not methods:
            continue
        ours, theirs = (t.loc[datasets, methods] for t in (measured, published))
        both[name] = (ours, theirs.where(ours.notna()))
        section.tables.append(_difference_table(metric, *both[name]))
    if not both:
        return []
    section.figures.append(
        Figure(
            "published",
            "Measured against published scores, a point per data set and method",
            partial(figures.draw_published, both),
        )
    )
    return [section]


def _difference_table(
    metric: str, measured: pd.DataFrame, published: pd.DataFrame
) -> Table:
    """Return the table of measured, published and difference."""
    measured, published = map(with_average, (measured, published))
    difference = measured - published
    texts = measured.map(as_text)
    texts += (" (" + published.map(as_text) + ", ").where(difference.notna(), "")
    texts += (difference.map("{:+.2f}".format) + ")").where(difference.notna(), "")
    caption = f"{METRIC_NAMES[metric]}: measured (published, difference)"
    averages = len(difference) > 1
    key = f"{metric}_published"
    return Table(key, caption, difference, texts, averages=averages)


def _seconds_text(value: float) -> str:
    """Return seconds as text."""
    return as_text(value, "{:.3g}")
