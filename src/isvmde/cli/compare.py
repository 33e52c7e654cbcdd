"""``isvmde compare``: cross-validate methods on one data set."""

from __future__ import annotations

import contextlib
import tempfile
from pathlib import Path

import click
import pandas as pd

from isvmde.bench import run_benchmark
from isvmde.bench.tables import METRIC_NAMES, failed_cells, mean_and_sd
from isvmde.cli.inputs import (
    check_methods,
    examples,
    jobs_option,
    json_option,
    nominal_option,
    read_data,
    seed_option,
)
from isvmde.cli.output import print_json, print_table, records, say
from isvmde.cli.progress import showing_progress


@click.command(
    epilog=examples(
        "isvmde compare glass",
        "isvmde compare patients.csv --target diagnosis --methods SVM,SDC,i-SVM-DE-AVE",
        "isvmde compare patients.csv --target diagnosis --repeats 5 --out comparison",
    )
)
@click.argument("data")
@click.option("--target", metavar="COL", help="Column of the classes [default: last].")
@nominal_option
@click.option("--methods", metavar="NAME,NAME", help="Some of the methods [all].")
@click.option("--folds", type=click.IntRange(2), default=5, show_default=True)
@click.option("--repeats", type=click.IntRange(1), default=1, show_default=True)
@click.option(
    "--budget",
    type=click.Choice(["quick", "paper"]),
    default="quick",
    show_default=True,
    help="Small grids and searches, or those of the paper.",
)
@seed_option
@jobs_option
@click.option(
    "--out",
    type=click.Path(path_type=Path),
    help="Keep the results here, to go on or to `isvmde report` later.",
)
@json_option
def compare(
    data: str,
    target: str | None,
    nominal: str | None,
    methods: str | None,
    folds: int,
    repeats: int,
    budget: str,
    seed: int,
    jobs: int,
    out: Path | None,
    as_json: bool,
) -> None:
    """Cross-validate methods on DATA and print their scores in per cent."""
    names = check_methods(methods)
    bunch = read_data(data, target, nominal)
    with contextlib.ExitStack() as stack:
        folder = out or stack.enter_context(tempfile.TemporaryDirectory())
        progress = stack.enter_context(showing_progress(out))
        rows = run_benchmark(
            {bunch.name: bunch},
            names,
            store=folder,
            folds=folds,
            repeats=repeats,
            seed=seed,
            budget=budget,
            n_jobs=jobs,
            progress=progress,
        )
    # The directory may hold more than this comparison.
    rows = rows[(rows["dataset"] == bunch.name) & rows["method"].isin(names)]
    rows.attrs = {**rows.attrs, "planned": {bunch.name: dict.fromkeys(names, repeats)}}
    table = mean_and_sd(rows, bunch.name)
    if as_json:
        print_json(records(table))
    else:
        print_table(per_cent(table))
    for cell in failed_cells(rows):
        say(cell)


def per_cent(table: pd.DataFrame) -> pd.DataFrame:
    """Return means and deviations in per cent, the best mean of each metric marked."""
    shown = table[["method"]].copy()
    for metric, name in METRIC_NAMES.items():
        means = (100 * table[metric]).round(2)
        sds = 100 * table[f"{metric}_sd"]
        shown[name] = [
            "failed"
            if pd.isna(mean)
            else f"{mean:.2f}"
            + ("" if pd.isna(sd) else f" ± {sd:.2f}")
            + (" *" if mean == means.max() else "")
            for mean, sd in zip(means, sds, strict=True)
        ]
    shown["s/fit"] = table["fit_seconds"].map("{:.2f}".format)
    return shown
