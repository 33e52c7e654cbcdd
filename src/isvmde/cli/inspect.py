"""``isvmde inspect``: what a saved model learned."""

from pathlib import Path
from typing import Any

import click
import numpy as np
import pandas as pd

from isvmde.classifiers.one_vs_one import pair_table
from isvmde.cli import options
from isvmde.cli.models import open_model
from isvmde.cli.output import join, print_aligned, print_json
from isvmde.model_file import SavedModel
from isvmde.tables import TablePreprocessor

_TITLES = {
    "columns": "Columns",
    "classes": "Classes",
    "pairs": "Pairs of classes",
    "settings": "Kernels and costs that are averaged, by their mean weight",
}
_SETTINGS = 10  # lines of the table of settings


@click.command(
    epilog=options.examples(
        "isvmde inspect patients.skops", "isvmde inspect patients.skops --json"
    )
)
@options.model
@options.trust
@options.as_json
def inspect(model: Path, trust: bool, as_json: bool) -> None:
    """Show what a saved MODEL learned.

    Its columns, its classes, and for every pair of classes what was chosen: margins
    (lambda1 of the smaller class, lambda2 of the larger), kernels, costs, and the
    number of support vectors. In a pair, plus is the smaller class.
    """
    saved = open_model(model, trust)
    classifier = saved.pipeline[-1]
    tables = {"columns": _columns(saved), "classes": _classes(saved)}
    if hasattr(classifier, "margins_") or hasattr(classifier, "pair_params_"):
        tables["pairs"] = pair_table(classifier)
    if hasattr(classifier, "settings_"):
        tables["settings"] = _settings(classifier)
    chosen = getattr(classifier, "best_params_", {})
    name = type(classifier).__name__
    if as_json:
        about = {"isvmde": saved.version, "target": saved.target, "classifier": name}
        found = {"chosen": chosen} if chosen else {}
        print_json({**about, **saved.notes, **found, **tables})
        return
    method = saved.notes.get("method", name)
    click.echo(f"{method}, saved by isvmde {saved.version}; predicts {saved.target!r}.")
    if chosen:
        click.echo(f"chosen: {join(f'{k} {_text(v)}' for k, v in chosen.items())}")
    for name, table in tables.items():
        shown = table.head(_SETTINGS) if name == "settings" else table
        shown = shown.map(_text).rename(columns=lambda c: str(c).replace("_", " "))
        print_aligned(shown, _TITLES[name])
        if len(shown) < len(table):
            click.echo(f"  and {len(table) - len(shown)} more; --json has all")


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
    counts = saved.notes.get("classes", {})
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
    """Return numbers with the digits a person reads."""
    if isinstance(value, (float, np.floating)):
        return "" if np.isnan(value) else f"{value:.4g}"
    return "" if value is None else value
