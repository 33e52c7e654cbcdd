"""``isvmde fit``: from a table to a saved model and what it may be trusted with."""

import sys
import time
import warnings
from pathlib import Path
from typing import Any

import click
import numpy as np
from sklearn.base import clone
from sklearn.model_selection import cross_val_predict
from sklearn.pipeline import Pipeline
from sklearn.utils import Bunch

from isvmde import ISVMDEClassifier
from isvmde.cli import options
from isvmde.cli.data import read_data, saying_warnings
from isvmde.cli.methods import make_model, method_options, pop_given, read_prior
from isvmde.cli.models import save_trained
from isvmde.cli.output import join, print_aligned, print_json, say
from isvmde.metrics import ImbalanceReport, imbalance_report
from isvmde.model_file import SavedModel
from isvmde.model_selection import PaperKFold

_MOST_COLUMNS = 50  # lines of the table of columns
_FOLDS = 5


@click.command(
    epilog=options.examples(
        "isvmde fit patients.csv --target diagnosis -o patients.skops",
        "isvmde fit patients.xlsx --target diagnosis --drop ward -o patients.skops",
        'isvmde fit patients.csv --method "random forest" -o forest.skops',
        "isvmde fit glass --method i-SVM-DE --search pairwise -o glass.skops",
        "zcat big.csv.gz | isvmde fit - --target y -o big.skops",
    )
)
@click.argument("data")
@click.option("-o", "--output", type=options.FILE, required=True)
@options.table
@click.option(
    "--method",
    default="i-SVM-LOO",
    help="Any method that `isvmde compare` takes, or module:name.",
)
@method_options
@options.seed
@options.jobs
@options.as_json
def fit(data: str, output: Path, method: str, as_json: bool, **given: Any) -> int:
    """Train a model on DATA and save it.

    DATA is a csv of any kind, an Excel, parquet, ARFF or KEEL file, - for standard
    input, or the name of a data set. Prints what becomes of every column, and how well
    the model recognises each class in rows it has not seen. Gaps are filled in; ids,
    free text and constant columns are left out.
    """
    if str(output) == "-":
        raise ValueError("a model cannot be written to standard output; name a file")
    options.check_output_file(output)
    own = pop_given(given)
    if "checkpoint" in own:
        options.check_output_file(Path(own["checkpoint"]), "--checkpoint")
    verbose = sys.stderr.isatty() and not as_json
    seed, n_jobs = given.pop("seed"), given.pop("n_jobs")
    classifier = make_model(method, own, seed=seed, n_jobs=n_jobs, verbose=verbose)
    bunch = read_data(data, **given)
    if "prior" in own:
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
    every = np.arange(len(bunch.data) + bunch.dropped)
    left_out = np.setdiff1d(every, bunch.data.index)
    notes = {
        "method": method,
        "rows": len(bunch.target),
        "rows_left_out": (left_out + 1).tolist(),
        "classes": {str(label): n for label, n in bunch.counts.items()},
        "seconds": round(seconds, 3),
    }
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
        found = {"columns": bunch.columns, "report": how, "model": output}
        per_class = report.per_class.reset_index(names="class")
        print_json({**notes, **found, "per_class": per_class, **report.scores})
    else:
        click.echo(f"\nRows the model did not see ({how}):\n\n{report}\n")
        say(f"trained in {seconds:.1f} s with {method}; saved in {output}")
    return 0


def _print_data(bunch: Bunch) -> None:
    """Print what becomes of the columns, and the classes."""
    shown = columns = bunch.columns
    if len(columns) > _MOST_COLUMNS:
        plain = (columns["taken as"] == "numbers") & (columns["gaps"] == 0)
        shown = columns[~plain | (columns["note"] != "")][:_MOST_COLUMNS]
    print_aligned(shown, "Columns")
    if len(shown) < len(columns):
        rest = len(columns) - len(shown)
        click.echo(f"  and {rest} more; `isvmde inspect` shows all of them")
    left = columns[columns["note"].str.contains("an id|free text|too many")]
    if len(left):
        click.echo(
            f"\nLeft out: {join(left['column'][:8])}. To use such a column, name it in "
            "--nominal, --numeric\nor --features; --drop leaves out others."
        )
    classes = sorted(bunch.counts.items(), key=lambda item: -item[1])
    sizes = join(f"{name} ({n})" for name, n in classes)
    click.echo(f"\n{len(bunch.target)} rows, {len(classes)} classes: {sizes}")
    single = [name for name, n in classes if n == 1]
    if single:
        say(
            f"with a single row, how well {join(single[:5])} will be recognised cannot "
            "be measured"
        )


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
        cv = PaperKFold(folds, random_state=seed)
        predicted = cross_val_predict(again, bunch.data, bunch.target, cv=cv)
    return f"{folds}-fold cross-validation", imbalance_report(bunch.target, predicted)
