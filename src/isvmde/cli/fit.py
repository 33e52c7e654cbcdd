"""``isvmde fit``: from a table to a saved model and what it may be trusted with."""

from __future__ import annotations

import math
import sys
import time
import warnings
from pathlib import Path
from typing import Any

import click
import numpy as np
import pandas as pd
from sklearn.base import clone
from sklearn.model_selection import cross_val_predict
from sklearn.pipeline import Pipeline
from sklearn.utils import Bunch

from isvmde import ISVMDEClassifier
from isvmde.cli.inputs import (
    check_output_file,
    examples,
    jobs_option,
    json_option,
    read_data,
    saying_warnings,
    seed_option,
    table_options,
)
from isvmde.cli.methods import METHOD_OPTIONS, make_model, read_prior
from isvmde.cli.output import join, print_aligned, print_json, records, say
from isvmde.cli.trust import save_trained
from isvmde.metrics import ImbalanceReport, imbalance_report
from isvmde.model_file import SavedModel
from isvmde.model_selection import PaperKFold

_MOST_COLUMNS = 50  # lines of the table of columns
_FOLDS = 5


@click.command(
    epilog=examples(
        "isvmde fit patients.csv --target diagnosis -o patients.skops",
        "isvmde fit patients.xlsx --target diagnosis --drop ward -o patients.skops",
        'isvmde fit patients.csv --method "random forest" -o forest.skops',
        "isvmde fit glass --method i-SVM-DE --search pairwise -o glass.skops",
        "zcat big.csv.gz | isvmde fit - --target y -o big.skops",
    )
)
@click.argument("data")
@click.option("-o", "--output", type=click.Path(path_type=Path), required=True)
@table_options
@click.option(
    "--method",
    default="i-SVM-LOO",
    show_default=True,
    help="Any method that `isvmde compare` takes, or module:name.",
)
@click.option(
    "--prior",
    metavar="PRIOR",
    help="auto, balanced, training, or class=probability,...: what i-SVM-LOO predicts "
    "under.",
)
@click.option(
    "--scoring",
    type=click.Choice(["g_mean", "av_f", "cba", "accuracy"]),
    help="Let i-SVM-LOO tune its prior for this score.",
)
@click.option(
    "--fitness",
    type=click.Choice(["ave", "max"]),
    help="What i-SVM-DE minimises [ave].",
)
@click.option(
    "--search",
    type=click.Choice(["joint", "pairwise"]),
    help="i-SVM-DE: all pairs of classes at once, as in the paper, or one by one, "
    "which is faster [joint].",
)
@click.option("--pop", type=click.IntRange(5), help="i-SVM-DE: individuals [40].")
@click.option("--iter", type=click.IntRange(1), help="i-SVM-DE: generations [200].")
@click.option(
    "--time-limit",
    type=click.FloatRange(0, min_open=True),
    metavar="SECONDS",
    help="i-SVM-DE: end the search then, with the best found.",
    callback=lambda _ctx, _param, value: _no_nan(value),
)
@click.option(
    "--checkpoint",
    type=click.Path(),
    metavar="FILE",
    help="i-SVM-DE: keep the search here; the same command goes on from it.",
)
@seed_option
@jobs_option
@json_option
def fit(
    data: str,
    output: Path,
    method: str,
    seed: int,
    jobs: int,
    as_json: bool,
    **options: Any,
) -> int:
    """Train a model on DATA and save it.

    DATA is a csv of any kind, an Excel, parquet, ARFF or KEEL file, - for standard
    input, or the name of a data set. Prints what becomes of every column, and how well
    the model recognises each class in rows it has not seen. Gaps are filled in; ids,
    free text and constant columns are left out.
    """
    if str(output) == "-":
        raise ValueError("a model cannot be written to standard output; name a file")
    check_output_file(output)
    own = {name: options.pop(name) for name in METHOD_OPTIONS}
    if own["checkpoint"] is not None:
        check_output_file(Path(own["checkpoint"]), "--checkpoint")
    verbose = sys.stderr.isatty() and not as_json
    classifier = make_model(method, own, seed=seed, jobs=jobs, verbose=verbose)
    bunch = read_data(data, **options)
    if own["prior"] is not None:
        classifier.set_params(prior=read_prior(own["prior"], bunch.counts))
    if not as_json:
        _print_data(bunch)
    pipeline = Pipeline([("table", bunch.preprocessor), ("classifier", classifier)])
    started = time.perf_counter()
    with saying_warnings():
        # what the preprocessor has to say was said when the table was read
        warnings.filterwarnings("ignore", "column .* is taken as numbers")
        pipeline.fit(bunch.data, bunch.target)
    seconds = time.perf_counter() - started
    notes = _notes(bunch, method, seconds)
    save_trained(SavedModel(pipeline, str(bunch.target_name), notes=notes), output)
    if getattr(classifier, "stop_reason_", None) == "interrupted":
        say(f"the best model found is saved in {output}")
        return 130
    try:
        how, report = _report(pipeline, bunch, seed)
    except ValueError as error:
        say(f"{output} is saved, but it cannot be tested on rows held out: {error}")
        return 0
    if as_json:
        print_json(
            {
                **notes,
                "columns": records(bunch.columns.reset_index(names="column")),
                "report": how,
                "per_class": records(report.per_class.reset_index(names="class")),
                **report.scores.to_dict(),
                "model": str(output),
            }
        )
    else:
        click.echo(f"\nRows the model did not see ({how}):\n\n{report}\n")
        say(f"trained in {seconds:.1f} s with {method}; saved in {output}")
    return 0


def _no_nan(seconds: float | None) -> float | None:
    """Refuse nan, which is in every range."""
    if seconds is not None and math.isnan(seconds):
        raise click.BadParameter("nan is no number of seconds")
    return seconds


def _print_data(bunch: Bunch) -> None:
    """Print what becomes of the columns, and the classes."""
    columns = bunch.columns.reset_index(names="column")
    plain = (columns["taken as"] == "numbers") & (columns["gaps"] == 0)
    hidden = plain & (columns["note"] == "") if len(columns) > _MOST_COLUMNS else False
    shown = columns[~np.broadcast_to(hidden, len(columns))]
    rest = len(columns) - len(shown[:_MOST_COLUMNS])
    print_aligned(shown[:_MOST_COLUMNS], "Columns")
    if rest:
        click.echo(f"  and {rest} more; `isvmde inspect` shows all of them")
    left = columns[columns["note"].str.contains("an id|free text|too many")]
    if len(left):
        click.echo(
            f"\nLeft out: {join(left['column'][:8])}. To use such a column, name it in "
            "--nominal, --numeric\nor --features; --drop leaves out others."
        )
    classes = pd.Series(bunch.counts).sort_values(ascending=False, kind="stable")
    click.echo(
        f"\n{len(bunch.target)} rows, {len(classes)} classes: "
        + join(f"{name} ({n})" for name, n in classes.items())
    )
    single = [str(name) for name, n in classes.items() if n == 1]
    if single:
        say(
            f"with a single row, how well {join(single[:5])} will be recognised cannot "
            "be measured"
        )


def _notes(bunch: Bunch, method: str, seconds: float) -> dict[str, Any]:
    """Return what is kept beside the model, for `inspect` and `explain`."""
    rows = bunch.data.index.to_numpy() + 1
    every = np.arange(1, len(rows) + bunch.dropped + 1)
    return {
        "method": method,
        "rows": len(bunch.target),
        "rows_left_out": np.setdiff1d(every, rows).tolist(),
        "classes": {str(label): n for label, n in bunch.counts.items()},
        "seconds": round(seconds, 3),
    }


def _report(pipeline: Pipeline, bunch: Bunch, seed: int) -> tuple[str, ImbalanceReport]:
    """Return how the model does on rows it did not see, and how that was found."""
    classifier = pipeline[-1]
    if hasattr(classifier, "loo_report"):
        return "leave-one-out", classifier.loo_report()
    folds = min(_FOLDS, max(bunch.counts.values()))
    if folds < 2:
        raise ValueError("every class has a single row")
    say(
        f"saved; testing it by {folds}-fold cross-validation, which trains {folds} "
        "times more"
    )
    again = clone(pipeline)
    if isinstance(again[-1], ISVMDEClassifier):
        again[-1].set_params(checkpoint=None, keep_best_on_interrupt=False, verbose=0)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # the fit on all rows has said them
        predicted = cross_val_predict(
            again,
            bunch.data,
            bunch.target,
            cv=PaperKFold(folds, random_state=seed),
        )
    return f"{folds}-fold cross-validation", imbalance_report(bunch.target, predicted)
