"""``isvmde predict`` and ``isvmde explain``: the classes of rows, and why."""

from collections import Counter
from pathlib import Path
from typing import Any

import click
import numpy as np
import pandas as pd

from isvmde.cli import options
from isvmde.cli.data import chosen_columns, naming, read_rows
from isvmde.cli.models import open_model
from isvmde.cli.output import print_aligned, print_json, say
from isvmde.metrics import imbalance_report
from isvmde.model_file import SavedModel
from isvmde.tables import TableError
from isvmde.tables.cells import class_labels, shortest
from isvmde.tables.errors import find_column


@click.command(
    epilog=options.examples(
        "isvmde predict patients.skops new.csv -o out.csv",
        "isvmde predict patients.skops new.csv -o out.csv --proba --keep patient_id",
        "isvmde predict patients.skops - < new.csv | head",
    )
)
@options.model
@click.argument("data")
@click.option(
    *("-o", "--output"),
    type=click.Path(path_type=Path, allow_dash=True),
    help="CSV file to write [default: standard output].",
)
@click.option("--proba", is_flag=True, help="Add a column of probability per class.")
@click.option(
    "--keep", metavar="COL,COL", help="Columns of DATA to put before the prediction."
)
@options.reading
@options.trust
def predict(
    model: Path,
    data: str,
    output: Path | None,
    proba: bool,
    trust: bool,
    **given: Any,
) -> None:
    """Predict the class of every row of DATA with a saved MODEL.

    Columns are found by name; further ones are ignored. Gaps are filled in as in
    training. When DATA has the target's column too, the predictions are scored.
    """
    if str(output) == "-":
        output = None
    if output is not None:
        options.check_output_file(output)
    keep = given.pop("keep")
    saved = open_model(model, trust)
    table = read_rows(data, **given)
    kept = _kept_columns(keep, table)
    with naming(table):
        rows = saved.align(table)
        predicted = saved.predict(rows)
        result = kept.assign(prediction=predicted)
        if proba:
            result = result.join(_probabilities(saved, rows))
    for remark in saved.remarks(rows):
        say(remark)
    if saved.target in table:
        _say_scores(saved, table[saved.target], predicted)
    if output is None:
        click.echo(result.to_csv(index=False), nl=False)
    else:
        result.to_csv(output, index=False)
        say(f"{len(result)} predictions written to {output}")


def _kept_columns(keep: str | None, table: pd.DataFrame) -> pd.DataFrame:
    """Return the columns to repeat in the output."""
    source = str(table.attrs["source"])
    names = chosen_columns(keep, table)
    found = [find_column(table, name, source) for name in names]
    for name in found:
        if name == "prediction" or name.startswith("proba_"):
            raise TableError(
                f"{source}: the column {name!r} cannot be kept, because the output has "
                "a column of that name; rename it"
            )
    return table[found].reset_index(drop=True)


def _probabilities(saved: SavedModel, rows: pd.DataFrame) -> pd.DataFrame:
    """Return a column of probability per class."""
    if not hasattr(saved.pipeline, "predict_proba"):
        name = type(saved.pipeline[-1]).__name__
        raise ValueError(f"{name} has no probabilities; leave out --proba")
    values = saved.predict_proba(rows)
    classes = [f"proba_{label}" for label in saved.pipeline.classes_]
    return pd.DataFrame(values, columns=classes).round(6)


def _say_scores(saved: SavedModel, column: pd.Series, predicted: np.ndarray) -> None:
    """Score predictions where the truth is in the table."""
    true = class_labels(column).reset_index(drop=True)
    known = true.notna().to_numpy()
    if not known.any():
        return
    y_true = [shortest(label) for label in true[known]]
    y_pred = [shortest(label) for label in np.asarray(predicted)[known]]
    scores = imbalance_report(y_true, y_pred).scores
    say(
        f"against column {saved.target!r} ({known.sum()} rows): G-mean "
        "{g_mean:.3f}, AvF {av_f_beta:.3f}, CBA {cba:.3f}".format(**scores)
    )
    if Counter(y_true) == saved.notes.get("classes"):
        say(
            "these seem to be the rows it was trained on; how well it does on others "
            "is what `isvmde fit` printed"
        )


@click.command(
    epilog=options.examples(
        "isvmde explain patients.skops new.csv --row 3",
        "isvmde explain patients.skops new.csv --row 3 --top 20",
    )
)
@options.model
@click.argument("data")
@click.option(
    "--row", type=click.IntRange(1), required=True, help="Row of DATA, counted from 1."
)
@click.option(
    "--top", type=click.IntRange(1, 1000), default=10, help="Training rows to name."
)
@options.reading
@options.trust
@options.as_json
def explain(
    model: Path, data: str, row: int, top: int, trust: bool, **given: Any
) -> None:
    """Say why a row of DATA is predicted as it is by a saved MODEL.

    Shows the probability of every class, the predicted class against each other one,
    and the training rows that speak for the prediction (+) and against it (-). Rows
    are counted from 1, without the header.
    """
    as_json = given.pop("as_json")
    saved = open_model(model, trust)
    classifier = saved.pipeline[-1]
    if not hasattr(classifier, "explain"):
        raise ValueError(
            f"{model} holds a {type(classifier).__name__}, which cannot explain its "
            "predictions; train it with --method i-SVM-LOO"
        )
    table = read_rows(data, **given)
    if row > len(table):
        raise ValueError(f"--row {row}: {data} has {len(table)} rows")
    with naming(table):
        rows = saved.align(table.iloc[[row - 1]])
        found = classifier.explain(saved.pipeline[:-1].transform(rows), n_rows=top)[0]
    for remark in saved.remarks(rows):
        say(remark)
    proba = pd.DataFrame(found.proba.items(), columns=["class", "probability"])
    proba = proba.sort_values("probability", ascending=False, kind="stable")
    support = found.support.assign(row=_rows_of_file(saved, found.support["row"]))
    if as_json:
        tables = {"proba": proba, "pairs": found.pairs, "support": support}
        print_json({"row": row, "predicted": found.predicted, **tables})
        return
    chance = found.proba[found.predicted]
    click.echo(
        f"Row {row} is predicted as {found.predicted}, with probability {chance:.3f}."
    )
    print_aligned(_three_digits(proba), "Every class")
    pairs = found.pairs.sort_values("probability").rename(columns={"other": "against"})
    print_aligned(_three_digits(pairs), f"{found.predicted} against one other class")
    title = "Training rows that speak for it (+) and against it (-)"
    print_aligned(_three_digits(support, sign="+"), title)


def _rows_of_file(saved: SavedModel, positions: pd.Series) -> np.ndarray:
    """Return the rows of the training file, counted from 1, of training samples."""
    noted = saved.notes.get("rows_left_out", [])
    left_out = [row for row in noted if isinstance(row, int)]
    n = len(saved.pipeline[-1].loo_proba_)
    rows = np.setdiff1d(np.arange(1, n + len(left_out) + 1), left_out)
    return rows[positions.to_numpy()]


def _three_digits(table: pd.DataFrame, sign: str = "") -> pd.DataFrame:
    """Return a table with its fractions as a person reads them."""
    fractions = table.select_dtypes("float64")
    return table.assign(**fractions.map(f"{{:{sign}.3f}}".format))
