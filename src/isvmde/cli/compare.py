"""``isvmde compare`` and ``isvmde demo``: cross-validate methods on one data set."""

import contextlib
import tempfile
from pathlib import Path
from typing import Any

import click
import pandas as pd

from isvmde.bench import run_benchmark, write_report
from isvmde.bench.tables import METRIC_NAMES, failed_cells, mean_and_sd
from isvmde.cli import options
from isvmde.cli.data import read_data
from isvmde.cli.output import print_json, print_table, say
from isvmde.cli.progress import showing_progress
from isvmde.competitors import list_competitors
from isvmde.method_choice import name_methods
from isvmde.methods import METHODS

_DEMO = ("i-SVM-LOO", "i-SVM-DE-AVE", "balanced SVC", "random forest")
_RUN = ("folds", "repeats", "seed", "budget", "n_jobs")


@click.command(
    epilog=options.examples(
        "isvmde compare glass",
        "isvmde compare patients.csv --target diagnosis "
        "--methods 'i-SVM-LOO,balanced SVC'",
        "isvmde compare patients.csv --target diagnosis --methods mymodels:tuned,SVM",
        "isvmde compare patients.csv --target diagnosis --repeats 5 --out comparison",
    )
)
@click.argument("data")
@options.table
@click.option(
    "--methods", metavar="NAME,MODULE:NAME", help="Some of the methods, or your own."
)
@options.folds
@click.option("--repeats", type=click.IntRange(1), default=1)
@click.option(
    "--budget",
    type=click.Choice(["quick", "paper"]),
    default="quick",
    help="Small grids and searches, or those of the paper.",
)
@options.seed
@options.jobs
@click.option(
    "--out",
    type=options.FILE,
    help="Keep the results here, to go on or to `isvmde report` later.",
)
@options.as_json
def compare(
    data: str, methods: str | None, out: Path | None, as_json: bool, **chosen: Any
) -> None:
    """Cross-validate methods on DATA and print their scores in per cent.

    All methods by default: the paper's, ours, and what else is installed of balanced
    SVC, random forest, balanced random forest, gradient boosting, logistic regression,
    CatBoost, XGBoost and LightGBM. Your own are given as MODULE:NAME.
    """
    given = options.split_names(methods) or [*METHODS, *list_competitors()]
    names = list(name_methods(given))
    run = {name: chosen.pop(name) for name in _RUN}
    if run["budget"] == "quick" and any(name in METHODS for name in names):
        say("small grids and searches; --budget paper takes longer and scores higher")
    bunch = read_data(data, **chosen)
    with contextlib.ExitStack() as stack:
        folder = out or stack.enter_context(tempfile.TemporaryDirectory())
        progress = stack.enter_context(showing_progress(out))
        wanted = {bunch.name: None if bunch.declared else bunch}
        rows = run_benchmark(wanted, given, store=folder, progress=progress, **run)
    # The directory may hold more than this comparison.
    rows = rows[(rows["dataset"] == bunch.name) & rows["method"].isin(names)]
    rows.attrs["planned"] = {bunch.name: dict.fromkeys(names, run["repeats"])}
    scores = mean_and_sd(rows, bunch.name)
    if as_json:
        print_json(scores)
    else:
        print_table(per_cent(scores))
        spread = "repeats" if run["repeats"] > 1 else "folds"
        say(f"* is the best; ± is the standard deviation over {spread}")
    for cell in failed_cells(rows):
        say(cell)


def per_cent(table: pd.DataFrame) -> pd.DataFrame:
    """Return means and deviations in per cent, the best mean of each metric marked."""
    shown = table[["method"]].copy()
    for metric, name in METRIC_NAMES.items():
        means, sds = (100 * table[metric]).round(2), 100 * table[f"{metric}_sd"]
        text = means.map("{:.2f}".format)
        text += sds.map(" ± {:.2f}".format).where(sds.notna(), "")
        # Where all are alike none is the best.
        best = means.eq(means.max()) & (means.nunique() > 1)
        text += best.map({True: " *", False: ""})
        shown[name] = text.where(means.notna(), "failed")
    shown["s/fit"] = table["fit_seconds"].map("{:.2f}".format)
    return shown


@click.command()
@click.option(
    "--out",
    type=options.FILE,
    default=Path("isvmde-demo"),
    help="Directory for results, plots and report.html.",
)
@options.jobs
def demo(out: Path, n_jobs: int) -> None:
    """Compare i-SVM-LOO, the paper's i-SVM-DE, a balanced SVC and a random forest.

    Blood tests of 589 people, 526 of them healthy donors, the others in four classes of
    7 to 24; five folds. Takes about a minute, prints a table and writes the report. The
    same command shows the results again at once.
    """
    say(
        "hcv: blood tests of 589 people, four rare classes of 7 to 24; the same 5 folds"
    )
    with showing_progress(out) as progress:
        rows = run_benchmark(
            ["hcv"], _DEMO, store=out, n_jobs=n_jobs, progress=progress
        )
    print_table(per_cent(mean_and_sd(rows, "hcv")), "hcv, in per cent")
    say(
        "look at G-mean and at the rare classes in the report: a method may be right "
        "on most samples and still miss a class of seven"
    )
    report = write_report(rows, out)
    say(f"written: {report.files[0]}, which opens with the picture of the classes")
