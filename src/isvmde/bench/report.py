"""Write a benchmark's report: Markdown, CSV, LaTeX, figures and one HTML page."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import pandas as pd

from isvmde.bench.content import Content, make_content
from isvmde.bench.figures import as_data_uri, to_svg
from isvmde.bench.markup import csv_table, latex_table, markdown
from isvmde.bench.results import load_results
from isvmde.bench.tables import METRIC_NAMES


@dataclass
class WrittenReport:
    """The files of a report, and what its run lacks.

    Parameters
    ----------
    files : list of Path
        ``report.html`` first, then ``report.md``, tables and figures.
    missing : list of str
        What an incomplete run lacks; empty when it is complete.
    averages : dict of str to Series
        Per metric each method's mean score over the data sets, in per cent.
    """

    files: list[Path]
    missing: list[str]
    averages: dict[str, pd.Series]

    def summary(self) -> pd.DataFrame:
        """Return each method's average of every metric, as text."""
        table = pd.DataFrame(self.averages).rename(columns=METRIC_NAMES)
        shown = table.map(lambda value: "–" if pd.isna(value) else f"{value:.2f}")
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
        folders ``tables`` (CSV and LaTeX) and ``figures`` (SVG).

    Returns
    -------
    WrittenReport
        The files, what is missing, and the averages.

    Examples
    --------
    >>> import tempfile
    >>> from sklearn.dummy import DummyClassifier
    >>> from isvmde.bench import run_benchmark
    >>> def most_frequent(random_state):
    ...     return DummyClassifier()
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     rows = run_benchmark(["zoo"], {"dummy": most_frequent}, store=folder)
    ...     report = write_report(rows, folder)
    >>> report.files[0].name, report.missing
    ('report.html', [])
    """
    rows = results if isinstance(results, pd.DataFrame) else load_results(results)
    content = make_content(rows)
    figures = {figure.key: to_svg(figure.draw()) for figure in content.figures}
    page = render_page(content, {k: as_data_uri(svg) for k, svg in figures.items()})
    texts = {"report.html": page, "report.md": markdown(content, "figures")}
    for table in content.tables:
        texts[f"tables/{table.key}.csv"] = csv_table(table)
        texts[f"tables/{table.key}.tex"] = latex_table(table)
    for key, svg in figures.items():
        texts[f"figures/{key}.svg"] = svg.decode()
    directory = Path(directory)
    for name, text in texts.items():
        path = directory / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8", newline="\n")
    return WrittenReport(
        [directory / name for name in texts], content.missing, content.averages
    )


def render_page(content: Content, images: dict[str, str]) -> str:
    """Return the report as one HTML page."""
    try:
        from jinja2 import Environment, PackageLoader, StrictUndefined
    except ImportError as error:
        raise ImportError("report.html needs jinja2: install isvmde[bench]") from error
    environment = Environment(
        loader=PackageLoader("isvmde.bench", "templates"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.tests["gap"] = pd.isna
    return environment.get_template("report.html").render(
        content=content, images=images
    )
