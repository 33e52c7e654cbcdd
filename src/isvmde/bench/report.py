"""Write a benchmark's report: Markdown, CSV, LaTeX, figures and one HTML page."""

import base64
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import numpy as np
import pandas as pd

from isvmde.bench import content, figures, tables
from isvmde.bench.content import Section, Table, as_text, caption, digits, prose, slug
from isvmde.bench.store import load_results, planned_names
from isvmde.bench.tables import METRIC_NAMES, Comparison, compare_methods
from isvmde.published import load_scores


@dataclass
class WrittenReport:
    """What :func:`write_report` wrote, and what its run lacks.

    Parameters
    ----------
    files : list of Path
        ``report.html`` first, then ``report.md``, tables and figures.
    missing : list of str
        What an incomplete run lacks; empty when it is complete.
    averages : DataFrame
        Each method's mean of every metric, in per cent, over the data sets compared.
    """

    files: list[Path]
    missing: list[str]
    averages: pd.DataFrame

    def summary(self) -> pd.DataFrame:
        """Return each method's average of every metric, as text."""
        shown = self.averages.rename(columns=METRIC_NAMES).map(as_text)
        return shown.rename_axis("method").reset_index()


def write_report(
    results: str | Path | pd.DataFrame, directory: str | Path
) -> WrittenReport:
    """Write tables, tests and figures of a benchmark into a directory.

    Parameters
    ----------
    results : path or DataFrame
        A benchmark directory, an exported CSV file, or the table of
        :func:`load_results`.
    directory : path
        Gets ``report.html`` (one file that needs no network), ``report.md`` and the
        folders ``tables`` (CSV and LaTeX; ``all.tex`` compiles as it is) and
        ``figures`` (SVG and PDF).

    Examples
    --------
    >>> import tempfile
    >>> from sklearn.dummy import DummyClassifier
    >>> from isvmde.bench import run_benchmark
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     rows = run_benchmark(["zoo"], {"dummy": DummyClassifier()}, store=folder)
    ...     report = write_report(rows, folder)
    >>> report.files[0].name, report.missing
    ('report.html', [])
    """
    rows = results if isinstance(results, pd.DataFrame) else load_results(results)
    if rows.empty:
        raise ValueError(
            "there are no finished rows to report yet: let the benchmark run first"
        )
    datasets, methods = planned_names(rows)
    on = datasets[0] if len(datasets) == 1 else f"{len(datasets)} data sets"
    title, missing = f"{len(methods)} methods on {on}", tables.missing_cells(rows)
    sections, directory = make_sections(rows), Path(directory)
    all_tables = [table for section in sections for table in section.all_tables]
    files: dict[str, str | bytes] = {"report.html": "", "report.md": ""}
    images = {}
    for figure in [figure for section in sections for figure in section.figures]:
        drawn = figure.draw()
        svg = files[f"figures/{figure.key}.svg"] = figures.to_bytes(drawn, "svg")
        files[f"figures/{figure.key}.pdf"] = figures.to_bytes(drawn, "pdf")
        images[figure.key] = base64.b64encode(svg).decode()
    for table in all_tables:
        files[f"tables/{table.key}.csv"] = table.to_csv()
        if table.in_latex:
            files[f"tables/{table.key}.tex"] = table.to_latex()
    for name in ("report.html", "report.md"):
        files[name] = content.render(
            name, title=title, missing=missing, sections=sections, images=images
        )
    keys = [table.key for table in all_tables if table.in_latex]
    files["tables/all.tex"] = content.render("all.tex", keys=keys)
    for name, made in files.items():
        path = directory / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(made.encode() if isinstance(made, str) else made)
    averages = {
        m: tables.shared_cells(tables.score_table(rows, m)).mean() for m in METRIC_NAMES
    }
    paths = [directory / name for name in files]
    return WrittenReport(paths, missing, pd.DataFrame(averages))


def make_sections(rows: pd.DataFrame) -> list[Section]:
    """Compute the tables, tests and figures of a benchmark's rows."""
    found = [compare_methods(rows, metric) for metric in METRIC_NAMES]
    return [
        _summary(rows, found),
        _run(rows),
        *(_metric(rows, one) for one in found),
        _classes(rows),
        _seconds(rows, found),
        *_published(rows),
    ]


def _summary(rows: pd.DataFrame, found: list[Comparison]) -> Section:
    """Say who leads, by how much and how sure, and show it."""
    datasets, methods = planned_names(rows)
    section = Section("Summary", prose("summary", found, rows, datasets, methods))
    scores = pd.DataFrame({one.name: one.scores.mean() for one in found})
    tested = [one for one in found if one.kind == "ranks"]
    ranks = {f"rank, {one.name}": one.friedman.mean_ranks for one in tested}
    shared = found[0].scores.index
    seconds = tables.seconds_table(rows).loc[shared].mean().rename("seconds per fit")
    values = scores.assign(**ranks).join(seconds).rename_axis("method")
    if len(values):
        best = _best(values.assign(**{name: -values[name] for name in ranks}))
        best["seconds per fit"] = False
        texts = _printed(values, {"rank": "{:.1f}", "seconds": "{:.3g}"})
        bars = scores.reindex(columns=values.columns)
        title = caption("averages", len(shared))
        section.tables.append(Table("averages", title, values, texts, best, bars=bars))
    if len(datasets) == 1:
        key, draw = f"recall-{slug(datasets[0])}", figures.draw_recall
        section.show(key, caption("recall"), draw, rows, datasets[0])
    else:
        scores_by = {one.name: tables.score_table(rows, one.metric) for one in found}
        title = caption("overview")
        section.show("overview", title, figures.draw_overview, scores_by)
    return section


def _run(rows: pd.DataFrame) -> Section:
    """Say what was run, describe the data sets, define the metrics."""
    text = prose("run", rows, *planned_names(rows), tables.failed_cells(rows))
    values = tables.describe_datasets(rows)
    texts = _printed(values, {"imbalance": "{:.1f}", "": "{:.0f}"})
    sizes = {
        dataset: sorted(facts["classes"].values(), reverse=True)
        for dataset, facts in rows.attrs["datasets"].items()
    }
    table = Table("datasets", caption("datasets"), values, texts, class_sizes=sizes)
    return Section("What was run", text + prose("metrics"), [table])


def _metric(rows: pd.DataFrame, found: Comparison) -> Section:
    """Return a metric's scores, ranks and tests."""
    metric, name = found.metric, found.name
    scores, sds = tables.score_table(rows, metric), tables.sd_table(rows, metric)
    section = Section(name, prose("tests", found))
    section.tables.append(_scores(metric, f"{name} in per cent", scores, sds))
    if found.kind:
        section.tables.append(_test_table(found))
    if found.kind == "ranks":
        key, title = f"{metric}_ranks", caption("ranks", name)
        section.show(key, title, figures.draw_ranks, found.scores, name)
    if len(scores) == 1:
        key, title = f"{metric}_folds", caption("folds", name)
        folds = {name: tables.fold_table(rows, metric, scores.index[0])}
        section.show(key, title, figures.draw_overview, folds)
    else:
        key, title = f"{metric}_by_data_set", caption("by_data_set", name)
        section.show(key, title, figures.draw_by_dataset, scores, sds, wide=True)
    pooled = tables.pooled_table(rows, metric)
    details = [_scores(f"{metric}_pooled", caption("pooled", name), pooled)]
    section.details.append(("Folds taken together", details))
    return section


def _test_table(found: Comparison) -> Table:
    """Return the adjusted p-values of every method against the control."""
    titles = {"rank": "mean aligned rank", "z": "z", "difference": "points behind"}
    titles |= {"t": "t", "p_holm": "p, adjusted", "rejected": "differs"}
    table = found.tests.set_index("method").rename(columns=titles)
    values = table[[title for title in titles.values() if title in table]]
    texts = _printed(values, {"mean": "{:.1f}", "p,": "{:.2g}"})
    texts["differs"] = np.where(values["differs"], "yes", "no")
    return Table(f"{found.metric}_tests", caption("against", found), values, texts)


def _classes(rows: pd.DataFrame) -> Section:
    """Return the recall of every class of every data set, and who is taken for whom."""
    section = Section("Class by class", prose("classes"))
    for dataset in planned_names(rows)[0]:
        matrices = tables.confusions(rows, dataset)
        if not matrices:
            continue  # no fold is finished yet
        sizes = tables.class_sizes(rows, dataset)
        order = sizes.sort_values(kind="stable").index
        recall = tables.recall_table(rows, dataset)[order].rename_axis("method")
        recall.columns = pd.Index([f"{label} ({sizes[label]})" for label in order])
        best = _best(recall) & ~_best(-recall)
        texts = _printed(recall, {"": "{:.1f}"})
        key, title = f"recall-{slug(dataset)}", f"{dataset}: recall by class"
        section.tables.append(Table(key, title, recall, texts, best, bars=recall))
        shown = []
        for method, matrix in matrices.items():
            # In per cent of the true class; the CSV has the counts.
            counts = pd.DataFrame(matrix, index=sizes.index, columns=sizes.index)
            share = 100 * counts.div(counts.sum(axis=1).replace(0, np.nan), axis=0)
            texts = share.map(as_text, pattern="{:.0f}").where(share != 0, "·")
            key = f"confusion-{slug(dataset)}-{slug(method)}"
            counts = counts.rename_axis("true class")
            table = Table(key, method, counts, texts, bars=share, in_latex=False)
            shown.append(table)
        section.details.append((f"Confusion matrices of {dataset}", shown))
    return section


def _seconds(rows: pd.DataFrame, found: list[Comparison]) -> Section:
    """Return the seconds a fit takes, and what they buy."""
    seconds, shared = tables.seconds_table(rows), found[0].scores.index
    values = _with_average(seconds)
    texts = _printed(values, {"": "{:.3g}"})
    averages = len(seconds) > 1
    table = Table("seconds", caption("seconds"), values, texts, averages=averages)
    section = Section("Time", prose("seconds"), [table])
    if len(shared):
        means = {one.name: one.scores.mean() for one in found}
        data = (seconds.loc[shared].mean(), means)
        section.show("time_and_score", caption("time"), figures.draw_time, *data)
    return section


def _published(rows: pd.DataFrame) -> list[Section]:
    """Return measured scores beside the paper's, where both have them."""
    datasets, methods = planned_names(rows)
    paper = load_scores("g_mean").reindex(index=datasets, columns=methods)
    # Small budgets are no reproduction, so they do not stand beside published numbers.
    if rows.attrs["settings"].get("budget") != "paper" or paper.isna().all(axis=None):
        return []
    section = Section("Measured and published", prose("published"))
    both = {}
    for metric, name in METRIC_NAMES.items():
        ours = tables.score_table(rows, metric)
        ours, theirs = ours.align(load_scores(metric), "inner")
        both[name] = (theirs.where(ours.notna()), ours)
        published, measured = map(_with_average, both[name])
        difference = measured - published
        behind = " (" + published.map(digits, places=1) + ", "
        behind += difference.map(digits, places=1, sign="+") + ")"
        texts = measured.map(digits, places=1) + behind.where(difference.notna(), "")
        key, title = f"{metric}_published", caption("published", name)
        table = Table(key, title, difference, texts, averages=len(ours) > 1)
        section.tables.append(table)
    section.show("published", caption("both"), figures.draw_published, both)
    return [section]


def _scores(
    key: str, title: str, means: pd.DataFrame, sds: pd.DataFrame | None = None
) -> Table:
    """Return a table of scores with averages, the best of each row marked."""
    values = _with_average(means)
    texts = values.map(as_text)
    if sds is not None:
        texts += sds.reindex_like(values).map(as_text, pattern=" ± {:.1f}", gap="")
    best = _best(values.T).T
    best[best.all(axis=1)] = False  # where all are alike none is best
    averages = len(means) > 1
    shared = tables.shared_cells(means).index
    if averages and len(shared) < len(means):
        title += f"; the average is over {content.names(shared)}"
    return Table(key, title, values, texts, best, averages, bars=values)


def _with_average(table: pd.DataFrame) -> pd.DataFrame:
    """Return the table with a last row of averages over what the methods share."""
    if len(table) < 2:
        return table
    shared = tables.shared_cells(table)
    name = "average" if len(shared) == len(table) else f"average of {len(shared)}"
    return pd.concat([table, shared.mean().reindex(table.columns).to_frame(name).T])


def _best(values: pd.DataFrame) -> pd.DataFrame:
    """Return which cells are the best of their column, as they are printed."""
    return values.round(2).eq(values.round(2).max())


def _printed(values: pd.DataFrame, patterns: dict[str, str]) -> pd.DataFrame:
    """Return numbers as texts, by the pattern of what a column's name begins with."""

    def printed(column: pd.Series) -> pd.Series:
        name = str(column.name)
        fits = (patterns[start] for start in patterns if name.startswith(start))
        return column.map(partial(as_text, pattern=next(fits, "{:.2f}")))

    return values.apply(printed)
