"""``isvmde inspect``: what a saved model learned."""

from pathlib import Path
from typing import Any

import click
import numpy as np
import pandas as pd

from isvmde.classifiers.multiclass import problem_table
from isvmde.cli import options
from isvmde.cli.columns import SCORES, TITLES, importance_table
from isvmde.cli.data import read_rows
from isvmde.cli.models import open_model
from isvmde.cli.options import ReadOptions
from isvmde.cli.output import join, print_aligned, print_json, show
from isvmde.cli.training_notes import TrainingNotes
from isvmde.escaping import printable
from isvmde.model_file import SavedModel
from isvmde.tables import TablePreprocessor

_TITLES = {
    "columns": "Columns",
    "classes": "Classes",
    "pairs": "Pairs of classes",
    "problems": "Binary problems",
    "settings": "Kernels and costs that are averaged, by their mean weight",
}
_SETTINGS = 10  # lines of the table of settings


@click.command(
    epilog=options.examples(
        "isvmde inspect patients.skops",
        "isvmde inspect patients.skops --json",
        "isvmde inspect patients.skops --columns later.csv",
    )
)
@options.model
@click.option(
    "--columns",
    metavar="DATA",
    help="Show which columns matter instead, measured on DATA: rows with their class "
    "that the model has not seen.",
)
@click.option(
    "--score",
    type=click.Choice(list(SCORES)),
    default="log-loss",
    help="What --columns measures.",
)
@options.reading
@options.trust
@options.as_json
def inspect(
    model: Path,
    columns: str | None,
    score: str,
    reading: ReadOptions,
    trust: bool,
    as_json: bool,
) -> None:
    """Show what a saved MODEL learned, or with --columns which columns it needs.

    Its columns, its classes, and for every pair of classes what was chosen: margins
    (lambda1 of the smaller class, lambda2 of the larger), kernels, costs, and the
    number of support vectors. In a pair, plus is the smaller class. A model that was
    trained one-vs-rest has a row for every class against the rest.
    """
    saved = open_model(model, trust)
    if columns is not None:
        signs = TrainingNotes.of(saved).decimal_signs
        table = read_rows(columns, reading, [saved.target], signs)
        _show_importance(saved, table, score, as_json)
        return
    classifier = saved.pipeline[-1]
    tables = {"columns": _columns(saved), "classes": _classes(saved)}
    if hasattr(classifier, "margins_") or hasattr(classifier, "pair_params_"):
        machines = "pairs" if hasattr(classifier, "pairs_") else "problems"
        tables[machines] = problem_table(classifier)
    if hasattr(classifier, "settings_"):
        tables["settings"] = _settings(classifier)
    chosen = getattr(classifier, "best_params_", {})
    name = type(classifier).__name__
    if as_json:
        about: dict[str, Any] = {
            "isvmde": saved.version,
            "target": saved.target,
            "classifier": name,
        }
        found: dict[str, Any] = {"chosen": chosen} if chosen else {}
        found |= tables
        known = about.keys() | found.keys()
        noted = {k: v for k, v in saved.notes.items() if k not in known}
        print_json(about | noted | found)
        return
    method = TrainingNotes.of(saved).method or name
    saved_by = f"saved by isvmde {saved.version}; predicts {saved.target!r}."
    show(f"{printable(method)}, {saved_by}")
    if chosen:
        show(f"chosen: {join(f'{k} {_text(v)}' for k, v in chosen.items())}")
    for name, table in tables.items():
        shown = table.head(_SETTINGS) if name == "settings" else table
        shown = shown.map(_text).rename(columns=lambda c: str(c).replace("_", " "))
        print_aligned(shown, _TITLES[name])
        if len(shown) < len(table):
            click.echo(f"  and {len(table) - len(shown)} more; --json has all")


def _show_importance(
    saved: SavedModel, table: pd.DataFrame, score: str, as_json: bool
) -> None:
    """Print what the model loses when a column is shuffled."""
    importance = importance_table(saved, table, score, seed=0)
    if as_json:
        print_json({"score": score, "importance": importance})
        return
    print_aligned(importance.map(_text), TITLES[score])


def _columns(saved: SavedModel) -> pd.DataFrame:
    """Return what becomes of the columns."""
    first = saved.pipeline[0]
    if isinstance(first, TablePreprocessor):
        return first.columns_.reset_index(names="column")
    kinds = dict.fromkeys(saved.numeric, "numbers")
    kinds |= dict.fromkeys(saved.nominal, "categories")
    return pd.DataFrame(list(kinds.items()), columns=["column", "taken as"])


def _classes(saved: SavedModel) -> pd.DataFrame:
    """Return the classes, how many rows trained them, and their prior."""
    classes = list(saved.pipeline.classes_)
    table = pd.DataFrame({"class": [str(label) for label in classes]})
    counts = TrainingNotes.of(saved).classes
    if counts:
        table["rows"] = [counts.get(name, "") for name in table["class"]]
    prior = getattr(saved.pipeline[-1], "prior_", None)
    return table if prior is None else table.assign(prior=np.asarray(prior))


def _settings(classifier: Any) -> pd.DataFrame:
    """Return the settings that are averaged, the weightiest first."""
    table = pd.DataFrame(classifier.settings_)
    table.insert(0, "weight", np.asarray(classifier.weights_).mean(axis=1))
    return table.sort_values("weight", ascending=False, kind="stable")


def _text(value: Any) -> Any:
    """Return numbers with as many digits as people read."""
    if isinstance(value, (float, np.floating)):
        return "" if np.isnan(value) else f"{value:.4g}"
    return "" if value is None else value
