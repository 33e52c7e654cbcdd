"""``isvmde compare`` and ``isvmde demo``: cross-validate methods on one data set."""

import contextlib
import tempfile
from pathlib import Path

import click
import pandas as pd

from isvmde.bench import run_benchmark
from isvmde.bench.report import make_report
from isvmde.bench.store import store_files
from isvmde.bench.tables import METRIC_NAMES, failed_cells, mean_and_sd
from isvmde.cli import options
from isvmde.cli.data import read_data, saying_warnings
from isvmde.cli.methods import find_modules_here
from isvmde.cli.options import ColumnOptions, ReadOptions, RunOptions
from isvmde.cli.output import print_json, print_table, say
from isvmde.cli.overwriting import check_is_not_read, check_report
from isvmde.cli.progress import showing_progress
from isvmde.method_choice import list_methods, name_methods
from isvmde.methods import METHODS

_DEMO = ("i-SVM-LOO", "i-SVM-DE-AVE", "balanced SVC", "random forest")


@click.command(
    epilog=options.examples(
        "isvmde compare glass",
        "isvmde compare patients.csv --target diagnosis "
        "--methods 'i-SVM-LOO,balanced SVC'",
        "isvmde compare patients.csv --target diagnosis --methods mymodels:tuned,SVM",
        "isvmde compare visits.csv --target diagnosis --groups patient",
        "isvmde compare patients.csv --target diagnosis --repeats 5 --out comparison",
    )
)
@click.argument("data")
@options.table
@click.option(
    "--groups",
    metavar="COL",
    help="Column that identifies subjects; no subject is on both sides of a fold.",
)
@click.option(
    "--methods", metavar="NAME,MODULE:NAME", help="Only these methods, or your own."
)
@options.folds
@click.option("--repeats", type=click.IntRange(1), default=1)
@click.option(
    "--budget",
    type=click.Choice(["quick", "paper"]),
    default="quick",
    help="Small grids and searches, or those of the paper.",
)
@options.run
@click.option(
    "--out",
    type=options.FILE,
    help="Keep the results here, to resume, or for `isvmde report`.",
)
@options.as_json
def compare(
    data: str,
    columns: ColumnOptions,
    reading: ReadOptions,
    groups: str | None,
    methods: str | None,
    folds: int | str,
    repeats: int,
    budget: str,
    run: RunOptions,
    out: Path | None,
    as_json: bool,
) -> None:
    """Cross-validate methods on DATA and print their scores in per cent.

    All methods by default: the paper's, ours, and what else is installed of balanced
    SVC, random forest, balanced random forest, gradient boosting, logistic regression,
    CatBoost, XGBoost and LightGBM. Your own are given as MODULE:NAME.
    """
    given = options.split_names(methods) or list_methods()
    find_modules_here(given)
    names = list(name_methods(given))
    if budget == "quick" and any(name in METHODS for name in names):
        say("small grids and searches; --budget paper takes longer and scores higher")
    if out is not None:
        check_is_not_read(store_files(out), [data], "--out: the results' file")
    table = read_data(data, columns, reading, groups)
    is_catalogued = table.is_built_in and table.groups is None
    with contextlib.ExitStack() as stack:
        folder = out or stack.enter_context(tempfile.TemporaryDirectory())
        stack.enter_context(saying_warnings())
        progress = stack.enter_context(showing_progress(out))
        results = run_benchmark(
            {table.name: None if is_catalogued else table.as_bunch()},
            given,
            store=folder,
            folds=folds,
            repeats=repeats,
            seed=run.seed,
            budget=budget,
            n_jobs=run.n_jobs,
            progress=progress,
        )
    # The directory may hold more than this comparison.
    results = results.only(datasets=[table.name], methods=names)
    scores = mean_and_sd(results, table.name)
    if as_json:
        print_json(scores)
    else:
        print_table(per_cent(scores))
        spread = "repeats" if repeats > 1 else "folds"
        say(f"* is the best; ± is the standard deviation over {spread}")
    for cell in failed_cells(results):
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
@options.force
def demo(out: Path, n_jobs: int, force: bool) -> None:
    """Compare i-SVM-LOO, the paper's i-SVM-DE, a balanced SVC and a random forest.

    Blood tests of 589 people, 526 of them healthy donors, the others in four classes of
    7 to 24; five folds. Takes about a minute, prints a table and writes the report. The
    same command shows the results again at once.
    """
    say(
        "hcv: blood tests of 589 people, four rare classes of 7 to 24; the same 5 folds"
    )
    with showing_progress(out) as progress:
        results = run_benchmark(
            ["hcv"], _DEMO, store=out, n_jobs=n_jobs, progress=progress
        )
    print_table(per_cent(mean_and_sd(results, "hcv")), "hcv, in per cent")
    say(
        "look at G-mean and at the rare classes in the report: a method can be right "
        "on most samples and still miss a class of seven"
    )
    report = make_report(results)
    check_report([out / name for name in report.files], [], force)
    written = report.write(out)
    say(f"written: {written.files[0]}; it opens with a picture of the classes")
