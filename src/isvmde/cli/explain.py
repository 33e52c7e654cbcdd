"""``isvmde explain``: why a row was predicted as it was."""

from pathlib import Path

import click
import pandas as pd

from isvmde.cli import options
from isvmde.cli.data import columns_as_written, naming, read_rows
from isvmde.cli.models import open_model
from isvmde.cli.options import ReadOptions
from isvmde.cli.output import print_aligned, print_json, say
from isvmde.cli.training_notes import TrainingNotes
from isvmde.cli.training_rows import (
    find_training_table,
    rows_of_file,
    say_how_to_name_it,
    show_rows,
)
from isvmde.escaping import printable


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
@click.option(
    "--training",
    metavar="FILE",
    help="The table that the model was trained on, to show what is in its rows [a file "
    "of the name given to `isvmde fit`, if it is here or beside the model].",
)
@click.option("--keep", metavar="COL,COL", help="Columns to show first, such as ids.")
@options.reading
@options.trust
@options.as_json
def explain(
    model: Path,
    data: str,
    row: int,
    top: int,
    training: str | None,
    keep: str | None,
    reading: ReadOptions,
    trust: bool,
    as_json: bool,
) -> None:
    """Say why a row of DATA is predicted as it is by a saved MODEL.

    Shows the probability of every class, the predicted class against each other one,
    and the training rows that speak for the prediction (+) and against it (-), with
    their most relevant columns. Rows are counted from 1, without the header.
    """
    saved = open_model(model, trust)
    classifier = saved.pipeline[-1]
    if not hasattr(classifier, "explain"):
        raise ValueError(
            f"{model} holds a {type(classifier).__name__}, which cannot explain its "
            "predictions; train it with --method i-SVM-LOO"
        )
    as_written = columns_as_written(keep, saved.target)
    table = read_rows(data, reading, as_written, TrainingNotes.of(saved).decimal_signs)
    if row > len(table):
        raise ValueError(f"--row {row}: {data} has {len(table)} rows")
    with naming(table):
        rows = saved.align(table.iloc[[row - 1]])
        found = classifier.explain(saved.seen_by_classifier(rows), n_rows=top)[0]
    for remark in saved.remarks(rows):
        say(remark)
    proba = pd.DataFrame(found.proba.items(), columns=["class", "probability"])
    proba = proba.sort_values("probability", ascending=False, kind="stable")
    support = found.support.assign(row=rows_of_file(saved, found.support["row"]))
    source = find_training_table(saved, model, training)
    contents = None
    if source is not None:
        contents = show_rows(saved, table.iloc[row - 1], source, support["row"], keep)
    if as_json:
        if contents is not None:
            support = support.join(contents.iloc[1:].reset_index(drop=True))
        tables = {"proba": proba, "pairs": found.pairs, "support": support}
        print_json({"row": row, "predicted": found.predicted} | tables)
        return
    chance = found.proba[found.predicted]
    name = printable(found.predicted)
    click.echo(f"Row {row} is predicted as {name}, with probability {chance:.3f}.")
    print_aligned(_three_digits(proba), "Every class")
    pairs = found.pairs.sort_values("probability").rename(columns={"other": "against"})
    print_aligned(_three_digits(pairs), f"{name} against one other class")
    title = "Training rows that speak for it (+) and against it (-)"
    support = _three_digits(support, sign="+")
    if contents is not None:
        this = dict.fromkeys(support.columns, "")
        this |= {"row": "this row", "class": f"({found.predicted})"}
        support = pd.concat([pd.DataFrame([this]), support.astype(object)])
        support = support.reset_index(drop=True).join(contents)
    print_aligned(support, title)
    if contents is None:
        say_how_to_name_it(saved)


def _three_digits(table: pd.DataFrame, sign: str = "") -> pd.DataFrame:
    """Return a table with its fractions as a person reads them."""
    shown = table.copy()
    for name in table.select_dtypes("float64"):
        shown[name] = table[name].map(f"{{:{sign}.3f}}".format)
    return shown
