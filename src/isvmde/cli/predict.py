"""``isvmde predict``: the class of every row of a table."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import Any

import click
import numpy as np
import pandas as pd

from isvmde.cli.inputs import (
    check_output_file,
    chosen_columns,
    examples,
    naming,
    read_rows,
    reading_options,
)
from isvmde.cli.output import join, say
from isvmde.cli.trust import open_model, trust_option
from isvmde.metrics import av_f_beta_score, cba_score, g_mean_score
from isvmde.model_file import SavedModel
from isvmde.tables import TableError, TablePreprocessor
from isvmde.tables.cells import shortest
from isvmde.tables.target import class_labels, find_column


@click.command(
    epilog=examples(
        "isvmde predict patients.skops new.csv -o out.csv",
        "isvmde predict patients.skops new.csv -o out.csv --proba --keep patient_id",
        "isvmde predict patients.skops - < new.csv | head",
    )
)
@click.argument("model", type=click.Path(path_type=Path))
@click.argument("data")
@click.option(
    "-o",
    "--output",
    type=click.Path(path_type=Path, allow_dash=True),
    help="CSV file to write [default: standard output].",
)
@click.option("--proba", is_flag=True, help="Add a column of probability per class.")
@click.option(
    "--keep", metavar="COL,COL", help="Columns of DATA to put before the prediction."
)
@reading_options
@trust_option
def predict(
    model: Path,
    data: str,
    output: Path | None,
    proba: bool,
    keep: str | None,
    trust: bool,
    **reading: Any,
) -> None:
    """Predict the class of every row of DATA with a saved MODEL.

    Columns are found by name; further ones are ignored. Gaps are filled in as in
    training. When DATA has the target's column too, the predictions are scored.
    """
    if output is not None and str(output) != "-":
        check_output_file(output)
    saved = open_model(model, trust)
    table = read_rows(data, **reading)
    kept = _kept_columns(keep, table)
    with naming(table):
        rows = saved.align(table)
        predicted = saved.predict(rows)
        result = kept.assign(prediction=predicted)
        if proba:
            result = result.join(_probabilities(saved, rows))
    say_what_is_unusual(saved, rows)
    if saved.target in table:
        _say_scores(saved, table[saved.target], predicted)
    if output is None or str(output) == "-":
        click.echo(result.to_csv(index=False), nl=False)
    else:
        result.to_csv(output, index=False)
        say(f"{len(result)} predictions written to {output}")


def say_what_is_unusual(saved: SavedModel, rows: pd.DataFrame) -> None:
    """Point out categories that training did not have, and text among numbers."""
    first = saved.pipeline[0]
    if isinstance(first, TablePreprocessor):
        remarks = first.remarks(rows)
    else:
        remarks = [
            f"column {name!r} has values that training did not have: {join(values[:5])}"
            for name, values in saved.unseen(rows).items()
        ]
    for remark in remarks:
        say(remark)


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
    say(
        f"against column {saved.target!r} ({known.sum()} rows): "
        f"G-mean {g_mean_score(y_true, y_pred):.3f}, "
        f"AvF {av_f_beta_score(y_true, y_pred):.3f}, "
        f"CBA {cba_score(y_true, y_pred):.3f}"
    )
    if Counter(y_true) == saved.notes.get("classes"):
        say(
            "these seem to be the rows it was trained on; how well it does on others "
            "is what `isvmde fit` printed"
        )
