"""``isvmde compare``: cross-validate methods on one data set."""

from __future__ import annotations

import contextlib
import tempfile
from pathlib import Path
from typing import Any

import click
import pandas as pd

from isvmde.bench import run_benchmark
from isvmde.bench.tables import METRIC_NAMES, failed_cells, mean_and_sd
from isvmde.cli.inputs import (
    examples,
    jobs_option,
    json_option,
    read_data,
    seed_option,
    split_names,
    table_options,
)
from isvmde.cli.output import print_json, print_table, records, say
from isvmde.cli.progress import showing_progress
from isvmde.competitors import list_competitors
from isvmde.method_choice import name_methods
from isvmde.methods import METHODS


@click.command(
    epilog=examples(
        "isvmde compare glass",
        "isvmde compare patients.csv --target diagnosis "
        "--methods 'i-SVM-LOO,balanced SVC'",
        "isvmde compare patients.csv --target diagnosis --methods mymodels:tuned,SVM",
        "isvmde compare patients.csv --target diagnosis --repeats 5 --out comparison",
    )
)
@click.argument("data")
@table_options
@click.option(
    "--methods", metavar="NAME,MODULE:NAME", help="Some of the methods, or your own."
)
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
    methods: str | None,
    folds: int,
    repeats: int,
    budget: str,
    seed: int,
    jobs: int,
    out: Path | None,
    as_json: bool,
    **table: Any,
) -> None:
    """Cross-validate methods on DATA and print their scores in per cent.

    All methods by default: the paper's, ours, and what else is installed of balanced
    SVC, random forest, balanced random forest, gradient boosting, logistic regression,
    CatBoost, XGBoost and LightGBM. Your own are given as MODULE:NAME.
    """
    given = split_names(methods) or [*METHODS, *list_competitors()]
    names = list(name_methods(given))
    if budget == "quick" and any(name in METHODS for name in names):
        say("small grids and searches; --budget paper takes longer and scores higher")
    bunch = read_data(data, **table)
    with contextlib.ExitStack() as stack:
        folder = out or stack.enter_context(tempfile.TemporaryDirectory())
        progress = stack.enter_context(showing_progress(out))
        rows = run_benchmark(
            {bunch.name: None if bunch.declared else bunch},
            given,
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
    scores = mean_and_sd(rows, bunch.name)
    if as_json:
        print_json(records(scores))
    else:
        print_table(per_cent(scores))
        spread = "repeats" if repeats > 1 else "folds"
        say(f"* is the best; ± is the standard deviation over {spread}")
    for cell in failed_cells(rows):
        say(cell)


def per_cent(table: pd.DataFrame) -> pd.DataFrame:
    """Return means and deviations in per cent, the best mean of each metric marked."""
    shown = table[["method"]].copy()
    for metric, name in METRIC_NAMES.items():
        means = (100 * table[metric]).round(2)
        sds = 100 * table[f"{metric}_sd"]
        # Where all are alike none is the best.
        best = means.max() if means.nunique() > 1 else None
        shown[name] = [
            "failed"
            if pd.isna(mean)
            else f"{mean:.2f}"
            + ("" if pd.isna(sd) else f" ± {sd:.2f}")
            + (" *" if mean == best else "")
            for mean, sd in zip(means, sds, strict=True)
        ]
    shown["s/fit"] = table["fit_seconds"].map("{:.2f}".format)
    return shown
