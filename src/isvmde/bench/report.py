"""Write a benchmark's report: Markdown, CSV, LaTeX, figures and one HTML page."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import pandas as pd

from isvmde.bench.content import as_text
from isvmde.bench.figures import as_data_uri, to_bytes
from isvmde.bench.results import load_results
from isvmde.bench.sections import make_content
from isvmde.bench.tables import METRIC_NAMES
from isvmde.bench.templating import environment_for


@dataclass
class WrittenReport:
    """The files of a report, and what its run lacks.

    Parameters
    ----------
    files : list of Path
        ``report.html`` first, then ``report.md``, tables and figures.
    missing : list of str
        What an incomplete run lacks; empty when it is complete.
    averages : DataFrame
        Each method's mean of every metric, in per cent, over the data sets that are
        compared.
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
    files: dict[str, str | bytes] = {"report.html": "", "report.md": ""}
    images = {}
    for figure in content.figures:
        drawn = figure.draw()
        svg = files[f"figures/{figure.key}.svg"] = to_bytes(drawn, "svg")
        files[f"figures/{figure.key}.pdf"] = to_bytes(drawn, "pdf")
        images[figure.key] = as_data_uri(svg)
    for table in content.tables:
        files[f"tables/{table.key}.csv"] = table.to_csv()
        if table.in_latex:
            files[f"tables/{table.key}.tex"] = table.to_latex() + "\n"
    environment = environment_for()
    for name in ("report.html", "report.md"):
        template = environment.get_template(name)
        files[name] = template.render(content=content, images=images)
    keys = [table.key for table in content.tables if table.in_latex]
    files["tables/all.tex"] = environment.get_template("all.tex").render(keys=keys)
    directory = Path(directory)
    for name, made in files.items():
        path = directory / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(made.encode() if isinstance(made, str) else made)
    return WrittenReport(
        [directory / name for name in files], content.missing, content.averages
    )
