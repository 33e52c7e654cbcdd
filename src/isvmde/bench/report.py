"""Write a benchmark's report: Markdown, CSV, LaTeX, figures and one HTML page."""

import base64
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import numpy as np
import pandas as pd

from isvmde.bench import content, figures, tables
from isvmde.bench.content import (
    Column,
    Section,
    Table,
    as_text,
    caption,
    digits,
    make_keys_unique,
    printed,
    prose,
    slug,
)
from isvmde.bench.results import Results
from isvmde.bench.sound_rows import check_rows
from isvmde.bench.store import load_results
from isvmde.bench.tables import METRIC_NAMES, Comparison, compare_methods
from isvmde.published import load_scores
from isvmde.writing import write_file

_SECONDS = Column("seconds per fit", "{:.3g}")


@dataclass(frozen=True)
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


@dataclass(frozen=True)
class Report:
    """All files of a report, made but not written.

    Parameters
    ----------
    files : dict of str to bytes
        What :meth:`write` puts into a directory, by path relative to it.
    missing : list of str
        What an incomplete run lacks; empty when it is complete.
    averages : DataFrame
        Each method's mean of every metric, in per cent, over the data sets compared.
    """

    files: dict[str, bytes]
    missing: list[str]
    averages: pd.DataFrame

    def write(self, directory: str | Path) -> WrittenReport:
        """Write the files, each in one step; the directory is made if needed."""
        paths = [Path(directory) / name for name in self.files]
        for path, made in zip(paths, self.files.values(), strict=True):
            path.parent.mkdir(parents=True, exist_ok=True)
            write_file(path, made)
        return WrittenReport(paths, self.missing, self.averages)


def write_report(results: str | Path | Results, directory: str | Path) -> WrittenReport:
    """Write tables, tests and figures of a benchmark into a directory.

    Parameters
    ----------
    results : path or Results
        A benchmark directory, an exported CSV file, or what :func:`load_results`
        returned.
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
    ...     results = run_benchmark(["zoo"], {"dummy": DummyClassifier()}, store=folder)
    ...     report = write_report(results, folder)
    >>> report.files[0].name, report.missing
    ('report.html', [])
    """
    return make_report(results).write(directory)


def make_report(source: str | Path | Results) -> Report:
    """Make all files of a report in memory, of what :func:`write_report` takes."""
    results = source
    if not isinstance(results, Results):
        results = load_results(results)
        check_rows(results.rows)
    if results.rows.empty:
        raise ValueError(
            "there are no finished rows to report yet: let the benchmark run first"
        )
    missing = tables.missing_cells(results)
    sections = make_sections(results)
    figure_files = _figure_files(sections)
    pages = _pages(results, missing, sections, figure_files)
    averages = {
        m: tables.shared_cells(tables.score_table(results, m)).mean()
        for m in METRIC_NAMES
    }
    return Report(
        files=pages | figure_files | _table_files(sections),
        missing=missing,
        averages=pd.DataFrame(averages),
    )


def _figure_files(sections: list[Section]) -> dict[str, bytes]:
    """Draw every figure as SVG and PDF."""
    files = {}
    for figure in [figure for section in sections for figure in section.figures]:
        drawn = figure.draw()
        for kind in ("svg", "pdf"):
            files[f"figures/{figure.key}.{kind}"] = figures.to_bytes(drawn, kind)
    return files


def _table_files(sections: list[Section]) -> dict[str, bytes]:
    """Write every table as CSV and LaTeX."""
    files = {}
    all_tables = [table for section in sections for table in section.all_tables]
    in_latex = [table for table in all_tables if table.in_latex]
    for table in all_tables:
        files[f"tables/{table.key}.csv"] = table.to_csv().encode()
    for table in in_latex:
        files[f"tables/{table.key}.tex"] = table.to_latex().encode()
    keys = [table.key for table in in_latex]
    files["tables/all.tex"] = content.render("all.tex", keys=keys).encode()
    return files


def _pages(
    results: Results,
    missing: list[str],
    sections: list[Section],
    figure_files: dict[str, bytes],
) -> dict[str, bytes]:
    """Write the report as one HTML page, figures included, and as Markdown."""
    datasets, methods = results.dataset_names, results.method_names
    on = datasets[0] if len(datasets) == 1 else f"{len(datasets)} data sets"
    images = {
        Path(name).stem: base64.b64encode(drawn).decode()
        for name, drawn in figure_files.items()
        if name.endswith(".svg")
    }
    return {
        name: content.render(
            name,
            title=f"{len(methods)} methods on {on}",
            missing=missing,
            sections=sections,
            images=images,
        ).encode()
        for name in ("report.html", "report.md")
    }


def make_sections(results: Results) -> list[Section]:
    """Compute the tables, tests and figures of a benchmark's rows."""
    found = [compare_methods(results, metric) for metric in METRIC_NAMES]
    sections = [_summary(results, found), _run(results)]
    sections.extend(_metric(results, comparison) for comparison in found)
    sections.append(_classes(results))
    sections.append(_seconds(results, found))
    sections.extend(_published(results))
    make_keys_unique(sections)
    return sections


def _summary(results: Results, found: list[Comparison]) -> Section:
    """Say who leads, by how much and how sure, and show it."""
    datasets = results.dataset_names
    section = Section("Summary", prose("summary", findings=found, results=results))
    if len(found[0].scores):
        section.tables.append(_averages(results, found))
    if len(datasets) == 1:
        key, draw = f"recall-{slug(datasets[0])}", figures.draw_recall
        section.show(key, caption("recall_caption"), draw, results, datasets[0])
    else:
        scores_by = {
            comparison.name: tables.score_table(results, comparison.metric)
            for comparison in found
        }
        title = caption("overview_caption")
        section.show("overview", title, figures.draw_overview, scores_by)
    return section


def _averages(results: Results, found: list[Comparison]) -> Table:
    """Return each method's average of every metric, its ranks and its seconds."""
    shared = found[0].scores.index
    scores = pd.DataFrame({metric.name: metric.scores.mean() for metric in found})
    ranks = pd.DataFrame(
        {
            f"rank, {metric.name}": metric.over_datasets.friedman.mean_ranks
            for metric in found
            if metric.over_datasets
        },
        index=scores.index,
    )
    seconds = tables.seconds_table(results).loc[shared].mean().rename(_SECONDS.title)
    values = scores.join(ranks).join(seconds).rename_axis("method")
    best = _best(scores.join(-ranks))  # the smallest rank is the best
    best[_SECONDS.title] = False
    columns = [Column(str(title)) for title in scores]
    columns += [Column(str(title), "{:.1f}") for title in ranks]
    columns.append(_SECONDS)
    return Table(
        "averages",
        caption("averages_caption", n=len(shared)),
        values,
        printed(values, columns),
        best,
        bars=scores.reindex(columns=values.columns),
    )


_DATASET_COLUMNS = (
    Column("rows", "{:.0f}"),
    Column("numeric columns", "{:.0f}"),
    Column("nominal columns", "{:.0f}"),
    Column("gaps", "{:.0f}"),
    Column("classes", "{:.0f}"),
    Column("groups", "{:.0f}"),
    Column("smallest class", "{:.0f}"),
    Column("largest class", "{:.0f}"),
    Column("imbalance ratio", "{:.1f}"),
)
"""What is said of data sets; few have groups."""


def _run(results: Results) -> Section:
    """Say what was run, describe the data sets, define the metrics."""
    text = prose("run", results=results, failed=tables.failed_cells(results))
    values = tables.describe_datasets(results)
    columns = [column for column in _DATASET_COLUMNS if column.title in values]
    values = values[[column.title for column in columns]]
    texts = printed(values, columns)
    sizes = {
        dataset: sorted(facts["classes"].values(), reverse=True)
        for dataset, facts in results.datasets.items()
    }
    table = Table(
        "datasets", caption("datasets_caption"), values, texts, class_sizes=sizes
    )
    return Section("What was run", text + prose("metrics"), [table])


def _metric(results: Results, found: Comparison) -> Section:
    """Return a metric's scores, ranks and tests."""
    metric, name = found.metric, found.name
    scores, sds = tables.score_table(results, metric), tables.sd_table(results, metric)
    section = Section(name, prose("tests", found=found))
    section.tables.append(_scores(metric, f"{name} in per cent", scores, sds))
    if found.tested:
        section.tables.append(_test_table(found, found.tested.tests))
    if found.over_datasets:
        key, title = f"{metric}_ranks", caption("ranks_caption", name=name)
        section.show(key, title, figures.draw_ranks, found.scores, name)
    if len(scores) == 1:
        key, title = f"{metric}_folds", caption("folds_caption", name=name)
        folds = {name: tables.fold_table(results, metric, scores.index[0])}
        section.show(key, title, figures.draw_overview, folds)
    else:
        key, title = f"{metric}_by_data_set", caption("by_data_set_caption", name=name)
        section.show(key, title, figures.draw_by_dataset, scores, sds, wide=True)
    pooled = tables.pooled_table(results, metric)
    details = [
        _scores(f"{metric}_pooled", caption("pooled_caption", name=name), pooled)
    ]
    section.details.append(("Folds taken together", details))
    return section


_DIFFERS = Column("differs")
_TEST_COLUMNS = {
    "rank": Column("mean aligned rank", "{:.1f}"),
    "z": Column("z"),
    "difference": Column("points behind"),
    "t": Column("t"),
    "p_holm": Column("p, adjusted", "{:.2g}"),
    "rejected": _DIFFERS,
}
"""What tests may say of a method; those over folds have no ranks."""


def _test_table(found: Comparison, tests: pd.DataFrame) -> Table:
    """Return the adjusted p-values of every method against the control."""
    sources = [source for source in _TEST_COLUMNS if source in tests]
    columns = [_TEST_COLUMNS[source] for source in sources]
    values = tests.set_index("method")[sources]
    values.columns = pd.Index([column.title for column in columns])
    texts = printed(values, columns)
    texts[_DIFFERS.title] = np.where(values[_DIFFERS.title], "yes", "no")
    return Table(
        f"{found.metric}_tests", caption("against_caption", found=found), values, texts
    )


def _classes(results: Results) -> Section:
    """Return the recall of every class of every data set, and who is taken for whom."""
    section = Section("Class by class", prose("classes"))
    for dataset in results.dataset_names:
        matrices = tables.confusions(results, dataset)
        if not matrices:
            continue  # no fold is finished yet
        sizes = tables.class_sizes(results, dataset)
        order = sizes.sort_values(kind="stable").index
        recall = tables.recall_table(results, dataset)[order].rename_axis("method")
        recall.columns = pd.Index([f"{label} ({sizes[label]})" for label in order])
        best = _best(recall) & ~_best(-recall)
        texts = recall.map(as_text, pattern="{:.1f}")
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


def _seconds(results: Results, found: list[Comparison]) -> Section:
    """Return the seconds a fit takes, and what they buy."""
    seconds, shared = tables.seconds_table(results), found[0].scores.index
    values = _with_average(seconds)
    texts = values.map(as_text, pattern=_SECONDS.pattern)
    averages = len(seconds) > 1
    table = Table(
        "seconds", caption("seconds_caption"), values, texts, averages=averages
    )
    section = Section("Time", prose("seconds"), [table])
    if len(shared):
        means = {comparison.name: comparison.scores.mean() for comparison in found}
        seconds_each = seconds.loc[shared].mean()
        draw = partial(figures.draw_time, seconds_each, means)
        section.show("time_and_score", caption("time_caption"), draw)
    return section


def _published(results: Results) -> list[Section]:
    """Return measured scores beside the paper's, where both have them."""
    datasets, methods = results.dataset_names, results.method_names
    paper = load_scores("g_mean").reindex(index=datasets, columns=methods)
    # A small budget does not reproduce the paper: no published numbers beside it.
    if results.settings.get("budget") != "paper" or paper.isna().all(axis=None):
        return []
    section = Section("Measured and published", prose("published"))
    both = {}
    for metric, name in METRIC_NAMES.items():
        ours = tables.score_table(results, metric)
        ours, theirs = ours.align(load_scores(metric), "inner")
        both[name] = (theirs.where(ours.notna()), ours)
        published, measured = map(_with_average, both[name])
        difference = measured - published
        behind = " (" + published.map(digits, places=1) + ", "
        behind += difference.map(digits, places=1, sign="+") + ")"
        texts = measured.map(digits, places=1) + behind.where(difference.notna(), "")
        key, title = f"{metric}_published", caption("published_caption", name=name)
        table = Table(key, title, difference, texts, averages=len(ours) > 1)
        section.tables.append(table)
    section.show("published", caption("both_caption"), figures.draw_published, both)
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
