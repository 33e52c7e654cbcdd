"""``isvmde fit``: from a table to a saved model, and how far to trust it."""

import sys
import time
import warnings
from pathlib import Path
from typing import Any

import click
from sklearn.base import clone
from sklearn.model_selection import cross_val_predict
from sklearn.pipeline import Pipeline

from isvmde import ISVMClassifierCV, ISVMDEClassifier
from isvmde.bench.grouping import check_groups, deal_groups, group_parameters
from isvmde.cli import options
from isvmde.cli.alarms import alarm_remark
from isvmde.cli.data import TrainingTable, read_data, saying_warnings
from isvmde.cli.methods import (
    AverageOptions,
    SearchOptions,
    make_model,
    method_options,
    read_prior,
)
from isvmde.cli.models import save_trained
from isvmde.cli.options import ColumnOptions, ReadOptions, RunOptions
from isvmde.cli.output import join, print_aligned, print_json, say, show
from isvmde.cli.overwriting import (
    check_are_different,
    check_can_be_written,
    check_is_not_read,
    check_output,
    is_model,
)
from isvmde.cli.progress import showing_time
from isvmde.cli.training_notes import TrainingNotes
from isvmde.metrics import ImbalanceReport, imbalance_report
from isvmde.model_file import SavedModel
from isvmde.model_selection import PaperKFold
from isvmde.tables import TableWarning

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
    "--groups",
    metavar="COL",
    help="Column that identifies subjects; no row is judged by rows of its subject.",
)
@click.option(
    "--method",
    default="i-SVM-LOO",
    help="Any method that `isvmde compare` takes, or module:name.",
)
@method_options
@options.run
@options.force
@options.as_json
def fit(
    data: str,
    output: Path,
    columns: ColumnOptions,
    reading: ReadOptions,
    groups: str | None,
    method: str,
    averaging: AverageOptions,
    searching: SearchOptions,
    run: RunOptions,
    force: bool,
    as_json: bool,
) -> int:
    """Train a model on DATA and save it.

    DATA is a csv of any kind, an Excel, parquet, ARFF or KEEL file, - for standard
    input, or the name of a data set. Prints what becomes of every column, and how well
    the model recognises each class in rows it has not seen. Gaps are filled in; ids,
    free text and constant columns are left out.
    """
    if str(output) == "-":
        raise ValueError("a model cannot be written to standard output; name a file")
    check_output(output, option="-o", reads=[data], made_here=is_model, force=force)
    if searching.checkpoint is not None:
        checkpoint = Path(searching.checkpoint)
        check_can_be_written(checkpoint, "--checkpoint")
        check_is_not_read([checkpoint], [data], "--checkpoint")
        check_are_different(checkpoint, "--checkpoint", [output])
    verbose = sys.stderr.isatty() and not as_json
    classifier = make_model(
        method,
        averaging,
        searching,
        seed=run.seed,
        n_jobs=run.n_jobs,
        verbose=verbose,
    )
    table = read_data(data, columns, reading, groups)
    if averaging.prior is not None:
        prior = read_prior(averaging.prior, table.counts)
        classifier.set_params(prior=prior)
    if not as_json:
        _print_data(table)
    pipeline = Pipeline([("table", table.preprocessor), ("classifier", classifier)])
    started = time.perf_counter()
    has_own_line = isinstance(classifier, (ISVMClassifierCV, ISVMDEClassifier))
    shows_time = verbose and not has_own_line
    with saying_warnings(), showing_time(f"training {method}", shown=shows_time):
        # what the preprocessor has to say was said when the table was read
        warnings.simplefilter("ignore", TableWarning)
        pipeline.fit(table.X, table.y, **_group_parameters(pipeline, table))
    seconds = time.perf_counter() - started
    signs = None if table.decimal_signs is None else dict(table.decimal_signs)
    notes = TrainingNotes(
        method=method,
        source=data,
        rows=len(table.y),
        rows_left_out=table.rows_left_out,
        classes={str(label): int(n) for label, n in table.counts.items()},
        seconds=round(seconds, 3),
        decimal_signs=signs,
    ).to_dict()
    save_trained(SavedModel(pipeline, table.target, notes=notes), output)
    if getattr(classifier, "stop_reason_", None) == "interrupted":
        say(f"the best model found is saved in {output}")
        return 130
    try:
        how, report = _report(pipeline, table, run.seed)
    except ValueError as error:
        say(f"{output} is saved, but it cannot be tested on held-out rows: {error}")
        return 0
    if as_json:
        found = {"columns": table.columns, "report": how, "model": output}
        per_class = report.per_class.reset_index(names="class")
        print_json(notes | found | {"per_class": per_class} | report.scores.to_dict())
    else:
        show(f"\nRows the model did not see ({how}):\n\n{report}\n")
        if remark := alarm_remark(classifier, table.y):
            say(remark)
        say(f"trained in {seconds:.1f} s with {method}; saved in {output}")
    return 0


def _group_parameters(pipeline: Pipeline, table: TrainingTable) -> dict[str, Any]:
    """Return the groups as the model's ``fit`` takes them; nothing if it does not."""
    return {} if table.groups is None else group_parameters(pipeline, table.groups)


def _print_data(table: TrainingTable) -> None:
    """Print what becomes of the columns, and the classes."""
    shown = columns = table.columns
    if len(columns) > _MOST_COLUMNS:
        plain = (columns["taken as"] == "numbers") & (columns["gaps"] == 0)
        shown = columns[~plain | (columns["note"] != "")][:_MOST_COLUMNS]
    print_aligned(shown, "Columns")
    if len(shown) < len(columns):
        rest = len(columns) - len(shown)
        click.echo(f"  and {rest} more; `isvmde inspect` shows all of them")
    if table.left_out:
        show(
            f"\nLeft out: {join(table.left_out[:8])}. To use such a column, name it in "
            "--nominal, --numeric\nor --features; --drop leaves out others."
        )
    classes = sorted(table.counts.items(), key=lambda item: -item[1])
    sizes = join(f"{name} ({n})" for name, n in classes)
    show(f"\n{len(table.y)} rows, {len(classes)} classes: {sizes}")
    single = [name for name, n in classes if n == 1]
    if single:
        say(
            f"with a single row, how well {join(single[:5])} will be recognised cannot "
            "be measured"
        )


def _report(
    pipeline: Pipeline, table: TrainingTable, seed: int
) -> tuple[str, ImbalanceReport]:
    """Return how the model does on rows it did not see, and how that was found."""
    classifier = pipeline[-1]
    knows_groups = bool(_group_parameters(pipeline, table))
    # leave-one-out would judge a row by others of its subject
    if hasattr(classifier, "loo_report") and (table.groups is None or knows_groups):
        how = "leave-one-group-out" if knows_groups else "leave-one-out"
        return how, classifier.loo_report()
    folds = min(_FOLDS, max(table.counts.values()))
    if folds < 2:
        raise ValueError("every class has a single row")
    dealing: Any = PaperKFold(folds, random_state=seed)
    how = f"{folds}-fold cross-validation"
    if table.groups is not None:
        check_groups(table.name, table.as_bunch(), folds)
        dealing = list(deal_groups(folds, table.as_bunch(), seed))
        how += ", the rows of a subject in one fold"
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
            table.X,
            table.y,
            cv=dealing,
            params=_group_parameters(pipeline, table),
        )
    return how, imbalance_report(table.y, predicted)
