"""``isvmde inspect``: what a saved model learned."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click
import numpy as np
import pandas as pd

from isvmde.cli.inputs import examples, json_option
from isvmde.cli.output import join, print_aligned, print_json, records
from isvmde.cli.trust import open_model, trust_option
from isvmde.model_file import SavedModel
from isvmde.tables import TablePreprocessor

_SETTINGS = 10  # lines of the table of settings


@click.command(
    epilog=examples(
        "isvmde inspect patients.skops",
        "isvmde inspect patients.skops --json",
    )
)
@click.argument("model", type=click.Path(path_type=Path))
@trust_option
@json_option
def inspect(model: Path, trust: bool, as_json: bool) -> None:
    """Show what a saved MODEL learned.

    Its columns, its classes, and for every pair of classes what was chosen: margins
    (lambda1 of the smaller class, lambda2 of the larger), kernels, costs, and the
    number of support vectors. In a pair, plus is the smaller class.
    """
    saved = open_model(model, trust)
    classifier = saved.pipeline[-1]
    tables = {"columns": _columns(saved), "classes": _classes(saved)}
    if hasattr(classifier, "margins_"):
        tables["pairs"] = _averaged_pairs(classifier)
        tables["settings"] = _settings(classifier)
    elif hasattr(classifier, "pair_params_"):
        tables["pairs"] = _pairs(classifier)
    chosen = getattr(classifier, "best_params_", {})
    if as_json:
        print_json(
            {
                "isvmde": saved.version,
                "target": saved.target,
                "classifier": type(classifier).__name__,
                **saved.notes,
                **({"chosen": chosen} if chosen else {}),
                **{name: records(table) for name, table in tables.items()},
            }
        )
        return
    method = saved.notes.get("method", type(classifier).__name__)
    click.echo(f"{method}, saved by isvmde {saved.version}; predicts {saved.target!r}.")
    if chosen:
        click.echo(f"chosen: {join(f'{k} {_text(v)}' for k, v in chosen.items())}")
    titles = {
        "columns": "Columns",
        "classes": "Classes",
        "pairs": "Pairs of classes",
        "settings": "Kernels and costs that are averaged, by their mean weight",
    }
    for name, table in tables.items():
        shown = table.head(_SETTINGS) if name == "settings" else table
        print_aligned(
            shown.map(_text).rename(columns=lambda c: str(c).replace("_", " ")),
            titles[name],
        )
        if len(shown) < len(table):
            click.echo(f"  and {len(table) - len(shown)} more; --json has all")


def _columns(saved: SavedModel) -> pd.DataFrame:
    """Return what becomes of the columns."""
    first = saved.pipeline[0]
    if isinstance(first, TablePreprocessor):
        return first.columns_.reset_index(names="column")
    kinds = {**dict.fromkeys(saved.numeric, "numbers")}
    kinds.update(dict.fromkeys(saved.nominal, "categories"))
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


def _averaged_pairs(classifier: Any) -> pd.DataFrame:
    """Return margins, errors and kernels of the pairs of an average."""
    error = (classifier.weights_ * classifier.loo_error_).sum(axis=0)
    kernels = [setting["kernel"] for setting in classifier.settings_]
    return pd.DataFrame(
        {
            "plus": classifier.pairs_[:, 0],
            "minus": classifier.pairs_[:, 1],
            "lambda1": classifier.margins_[:, 0],
            "lambda2": classifier.margins_[:, 1],
            "leave-one-out error": error,
            "support vectors": np.asarray(classifier.n_support_),
            "kernels": [_shares(kernels, weight) for weight in classifier.weights_.T],
        }
    )


def _shares(kernels: list[str], weights: np.ndarray) -> str:
    """Return the kernels of a pair with their shares, the largest first."""
    total = pd.Series(weights).groupby(kernels).sum().sort_values(ascending=False)
    return join(f"{name} {w:.0%}" for name, w in total.items() if w >= 0.005)


def _settings(classifier: Any) -> pd.DataFrame:
    """Return the settings that are averaged, the weightiest first."""
    table = pd.DataFrame(classifier.settings_)
    table.insert(0, "weight", np.asarray(classifier.weights_).mean(axis=1))
    return table.sort_values("weight", ascending=False, kind="stable")


def _pairs(classifier: Any) -> pd.DataFrame:
    """Return what was chosen for every pair; parameters of other kernels are empty."""
    table = pd.DataFrame(
        [
            {"plus": plus, "minus": minus, **parameters, "support vectors": n_support}
            for ((plus, minus), parameters), n_support in zip(
                classifier.pair_params_.items(), classifier.n_support_, strict=True
            )
        ]
    ).astype(object)
    owners = {"sigma": ("rbf",), "degree": ("poly", "min")}
    for name, kernels in owners.items():
        if name in table:
            table[name] = table[name].where(table["kernel"].isin(kernels), None)
    return table


def _text(value: Any) -> Any:
    """Return numbers with the digits a person reads."""
    if isinstance(value, (float, np.floating)):
        return "" if np.isnan(value) else f"{value:.4g}"
    return "" if value is None else value
