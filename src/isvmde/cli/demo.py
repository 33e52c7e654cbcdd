"""``isvmde demo``: what the package does, on built-in data, in about a minute."""

from __future__ import annotations

from pathlib import Path

import click
import pandas as pd
from sklearn.base import BaseEstimator

from isvmde.bench import run_benchmark, write_report
from isvmde.bench.tables import mean_and_sd
from isvmde.cli.compare import per_cent
from isvmde.cli.inputs import jobs_option
from isvmde.cli.output import print_table, say
from isvmde.cli.progress import showing_progress


@click.command()
@click.option(
    "--out",
    type=click.Path(path_type=Path),
    default=Path("isvmde-demo"),
    show_default=True,
    help="Directory for results, plots and report.html.",
)
@jobs_option
def demo(out: Path, jobs: int) -> None:
    """Compare i-SVM-DE with a balanced SVC on the glass data.

    Six kinds of glass, from 76 samples down to 9; five folds. Takes about a minute,
    prints a table and writes the report. The same command shows the results again at
    once.
    """
    methods = {
        "balanced SVC": balanced_svc,
        "i-SVM-DE": paper_search,
    }
    say("glass: 214 samples, six classes of 9 to 76; two methods on the same 5 folds")
    with showing_progress(out) as progress:
        rows = run_benchmark(
            ["glass"], methods, store=out, n_jobs=jobs, progress=progress
        )
    print_table(per_cent(mean_and_sd(rows, "glass")), "glass, in per cent")
    report = write_report(rows, out)
    figure = _write_recall_plot(rows, out / "figures" / "recall.svg")
    say(f"written: {report.files[0]} and {figure}")


def balanced_svc(random_state: int) -> BaseEstimator:
    """Return what a practitioner would try first: a balanced SVC with a grid."""
    from sklearn.model_selection import GridSearchCV
    from sklearn.svm import SVC

    from isvmde.datasets import PaperKFold
    from isvmde.metrics import g_mean_scorer

    grid = {"C": [1, 10, 100, 1000], "gamma": [0.1, 0.3, 1, 3, 10]}
    inner = PaperKFold(3, random_state=random_state)
    svc = SVC(class_weight="balanced")
    return GridSearchCV(svc, grid, scoring=g_mean_scorer, cv=inner)


def paper_search(random_state: int) -> BaseEstimator:
    """Return i-SVM-DE as in the paper: all pairs at once, 40 x 200, fitness AVE."""
    from isvmde import ISVMDEClassifier

    return ISVMDEClassifier(random_state=random_state, n_jobs=1)


def _write_recall_plot(rows: pd.DataFrame, path: Path) -> Path:
    """Draw each class's recall under all methods, the rarest class first."""
    from isvmde.bench.figures import draw_recall, to_svg

    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(to_svg(draw_recall(rows, "glass")))
    return path
