"""``isvmde explain``: why a row was predicted as it was."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click
import numpy as np
import pandas as pd

from isvmde.cli.inputs import examples, json_option, naming, read_rows, reading_options
from isvmde.cli.output import print_aligned, print_json, records
from isvmde.cli.predict import say_what_is_unusual
from isvmde.cli.trust import open_model, trust_option
from isvmde.model_file import SavedModel


@click.command(
    epilog=examples(
        "isvmde explain patients.skops new.csv --row 3",
        "isvmde explain patients.skops new.csv --row 3 --top 20",
    )
)
@click.argument("model", type=click.Path(path_type=Path))
@click.argument("data")
@click.option(
    "--row", type=click.IntRange(1), required=True, help="Row of DATA, counted from 1."
)
@click.option(
    "--top",
    type=click.IntRange(1, 1000),
    default=10,
    show_default=True,
    help="Training rows to name.",
)
@reading_options
@trust_option
@json_option
def explain(
    model: Path,
    data: str,
    row: int,
    top: int,
    trust: bool,
    as_json: bool,
    **reading: Any,
) -> None:
    """Say why a row of DATA is predicted as it is by a saved MODEL.

    Shows the probability of every class, the predicted class against each other one,
    and the training rows that speak for the prediction (+) and against it (-). Rows
    are counted from 1, without the header.
    """
    saved = open_model(model, trust)
    classifier = saved.pipeline[-1]
    if not hasattr(classifier, "explain"):
        raise ValueError(
            f"{model} holds a {type(classifier).__name__}, which cannot explain its "
            "predictions; train it with --method i-SVM-LOO"
        )
    table = read_rows(data, **reading)
    if row > len(table):
        raise ValueError(f"--row {row}: {data} has {len(table)} rows")
    with naming(table):
        rows = saved.align(table.iloc[[row - 1]])
        found = classifier.explain(saved.pipeline[:-1].transform(rows), n_rows=top)[0]
    say_what_is_unusual(saved, rows)
    proba = pd.DataFrame(found.proba.items(), columns=["class", "probability"])
    proba = proba.sort_values("probability", ascending=False, kind="stable")
    support = found.support.assign(row=_rows_of_file(saved, found.support["row"]))
    if as_json:
        print_json(
            {
                "row": row,
                "predicted": found.predicted,
                "proba": records(proba),
                "pairs": records(found.pairs),
                "support": records(support),
            }
        )
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
    return table.assign(
        **{
            str(name): table[name].map(f"{{:{sign}.3f}}".format)
            for name in table.columns[table.dtypes == np.float64]
        }
    )
