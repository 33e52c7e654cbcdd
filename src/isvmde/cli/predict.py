"""``isvmde predict``: the classes of rows."""

import sys
from collections import Counter
from pathlib import Path

import click
import numpy as np
import pandas as pd

from isvmde.cli import options
from isvmde.cli.data import (
    chosen_columns,
    columns_as_written,
    find_in_file,
    naming,
    read_rows,
)
from isvmde.cli.decisions import Decided, DecisionOptions, decision_options
from isvmde.cli.models import open_model
from isvmde.cli.options import ReadOptions
from isvmde.cli.output import counted_rows, say
from isvmde.cli.overwriting import check_output, is_predictions
from isvmde.cli.training_notes import TrainingNotes
from isvmde.cli.true_classes import true_classes
from isvmde.cli.writing_tables import check_format, write_table
from isvmde.escaping import is_formula, printable_lines
from isvmde.metrics import imbalance_report
from isvmde.model_file import SavedModel
from isvmde.tables import TableError
from isvmde.tables.cells import shortest


@click.command(
    epilog=options.examples(
        "isvmde predict patients.skops new.csv -o out.csv",
        "isvmde predict patients.skops new.csv -o out.csv --proba --keep patient_id",
        "isvmde predict patients.skops new.csv -o out.csv --costs costs.csv",
        "isvmde predict patients.skops new.csv -o out.csv --threshold cirrhosis=0.2",
        "isvmde predict patients.skops - < new.csv | head",
    )
)
@options.model
@click.argument("data")
@click.option(
    "-o",
    "--output",
    type=click.Path(path_type=Path, allow_dash=True),
    help="CSV, .tsv or .xlsx file to write [default: standard output].",
)
@click.option(
    "--proba", is_flag=True, help="Add a column with the probability of each class."
)
@click.option(
    "--keep",
    metavar="COL,COL",
    help="Columns of DATA to repeat in front of the prediction.",
)
@decision_options
@options.reading
@options.trust
@options.force
def predict(
    model: Path,
    data: str,
    output: Path | None,
    proba: bool,
    prior: str | None,
    costs: Path | None,
    threshold: str | None,
    keep: str | None,
    reading: ReadOptions,
    trust: bool,
    force: bool,
) -> None:
    """Predict the class of every row of DATA with a saved MODEL.

    Columns are found by name; others are ignored. Gaps are filled in as in
    training. If DATA also has the target column, the predictions are scored.

    Without --prior, --costs and --threshold the likeliest class is predicted. With
    them the model stays as it is: its probabilities are moved to other class
    frequencies, and the decision with the lowest expected cost is made.
    """
    if str(output) == "-":
        output = None
    if output is not None:
        check_format(output)
        reads: list[str | Path] = [model, data]
        if costs is not None:
            reads.append(costs)
        check_output(
            output,
            option="-o",
            reads=reads,
            made_here=is_predictions,
            force=force,
        )
    saved = open_model(model, trust)
    as_written = columns_as_written(keep, saved.target)
    table = read_rows(data, reading, as_written, TrainingNotes.of(saved).decimal_signs)
    kept = _kept_columns(keep, table, data)
    with naming(table):
        rows = saved.align(table)
        options_given = DecisionOptions(prior, costs, threshold)
        decided = options_given.decide(saved, rows, with_proba=proba)
        predicted = decided.predicted
        result = kept.assign(prediction=predicted)
        if proba:
            result = result.join(_probabilities(saved, decided.proba))
    for remark in saved.remarks(rows):
        say(remark)
    if saved.target in table:
        _say_scores(saved, table[saved.target], decided)
    if output is None or output.suffix.lower() != ".xlsx":
        _say_formulas(result)
    if output is None:
        text = result.to_csv(index=False)
        # A pipe gets the values as they are, a terminal must not obey them.
        if sys.stdout.isatty():
            text = printable_lines(text)
        click.echo(text, nl=False)
    else:
        write_table(result, output)
        some_of_them = "prediction" if len(result) == 1 else "predictions"
        say(f"{len(result)} {some_of_them} written to {output}")


def _say_formulas(result: pd.DataFrame) -> None:
    """Point out texts that a spreadsheet program would compute."""
    columns = result.select_dtypes(exclude="number")
    found = {cell for name in columns for cell in columns[name] if is_formula(cell)}
    if found:
        say(
            f"{min(found)!r} looks like a formula: import this file into a "
            "spreadsheet as text"
        )


def _kept_columns(keep: str | None, table: pd.DataFrame, data: str) -> pd.DataFrame:
    """Return the columns to repeat in the output."""
    source = str(table.attrs["source"])
    names = chosen_columns(keep, table)
    found = [find_in_file(table, name, data) for name in names]
    for name in found:
        if name == "prediction" or name.startswith("proba_"):
            raise TableError(
                f"{source}: the column {name!r} cannot be kept, because the output has "
                "a column of that name; rename it"
            )
    return table[found].reset_index(drop=True)


def _probabilities(saved: SavedModel, values: np.ndarray | None) -> pd.DataFrame:
    """Return a column of probability per class."""
    if values is None:
        name = type(saved.pipeline[-1]).__name__
        raise ValueError(f"{name} has no probabilities; leave out --proba")
    classes = [f"proba_{label}" for label in saved.pipeline.classes_]
    return pd.DataFrame(values, columns=classes).round(6)


def _say_scores(saved: SavedModel, column: pd.Series, decided: Decided) -> None:
    """Score predictions where the truth is in the table."""
    labels = true_classes(saved, column)
    known = labels.notna().to_numpy()
    if not known.any():
        return
    y_true = list(labels[known])
    scored = decided.among(known)
    decisions = scored.table(y_true)
    if decisions is None:
        y_pred = [shortest(label) for label in np.asarray(scored.predicted)]
        report = str(imbalance_report(y_true, y_pred))
        say(f"against column {saved.target!r} ({counted_rows(known.sum())}):")
    else:
        report = decisions.to_string()
        say(
            f"against column {saved.target!r} ({counted_rows(known.sum())}), true "
            "classes down, decisions across:"
        )
    click.echo(f"\n{printable_lines(report)}\n", err=True)
    if remark := scored.cost_remark(y_true):
        say(remark)
    if Counter(y_true) == TrainingNotes.of(saved).classes:
        say(
            "these seem to be the rows it was trained on; for how well it does on "
            "others, see what `isvmde fit` printed"
        )
