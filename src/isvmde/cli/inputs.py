"""What the commands take: tables, output files, numbers; checked before long work."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import click
import numpy as np
from sklearn.utils import Bunch

from isvmde.cli.output import join, say
from isvmde.datasets import load_dataset, read_table

_TABLES = (".csv", ".tsv", ".tab", ".parquet", ".pq", ".arff", ".dat", ".keel", ".gz")

jobs_option = click.option(
    "--jobs",
    type=int,
    default=-1,
    show_default="all cores",
    help="Workers at once; -1 stands for all cores.",
    callback=lambda _ctx, _param, value: _not_zero(value),
)
seed_option = click.option(
    "--seed", type=click.IntRange(0, 2**31 - 1), default=0, show_default=True
)
nominal_option = click.option(
    "--nominal",
    "nominal",
    metavar="COL,COL",
    help="Columns whose numbers are codes; text columns are nominal anyway.",
)


def examples(*lines: str) -> str:
    """Return the end of a command's help; its first sign tells click not to wrap it."""
    return "\b\nExamples:\n" + "\n".join(f"  {line}" for line in lines)


json_option = click.option("--json", "as_json", is_flag=True, help="Print JSON.")


def _not_zero(jobs: int) -> int:
    """Refuse zero workers."""
    if jobs == 0:
        raise click.BadParameter("must not be 0; use -1 for all cores")
    return jobs


def split_names(text: str | None) -> list[str]:
    """Return the names of a comma-separated list, each once."""
    names = [name.strip() for name in (text or "").split(",")]
    return list(dict.fromkeys(name for name in names if name))


def read_data(data: str, target: str | None, nominal: str | None = None) -> Bunch:
    """Return a file's table, or the data set of that name, fit for training.

    Rows with missing values are dropped, as the paper does, and counted aloud.
    """
    bunch = _read(data, target, split_names(nominal))
    incomplete = bunch.data.isna().any(axis=1).to_numpy()
    if incomplete.any():
        say(
            f"{incomplete.sum()} of {len(incomplete)} rows have missing values and "
            "are left out"
        )
        bunch.data = bunch.data[~incomplete].reset_index(drop=True)
        bunch.target = bunch.target[~incomplete]
    classes, counts = np.unique(bunch.target, return_counts=True)
    if len(classes) < 2:
        left = " after rows with missing values are left out" if any(incomplete) else ""
        raise ValueError(
            f"column {bunch.target_name!r} of {data} has {len(classes)} class(es)"
            f"{left}; at least 2 are needed"
        )
    if len(classes) > 50 and len(classes) > len(bunch.target) / 4:
        raise ValueError(
            f"column {bunch.target_name!r} of {data} has {len(classes)} different "
            f"values in {len(bunch.target)} rows: it holds no classes; name the right "
            "column with --target"
        )
    bunch.dropped = int(incomplete.sum())
    bunch.counts = dict(zip(classes.tolist(), counts.tolist(), strict=True))
    return bunch


def _read(data: str, target: str | None, nominal: list[str]) -> Bunch:
    """Read a file, or load a data set by name."""
    if looks_like_file(data):
        bunch = read_table(data, target=target, nominal=nominal)
        if target is None:
            say(f"taking the last column, {bunch.target_name!r}, as the class")
        return bunch
    bunch = load_dataset(data)
    if target is not None and target != bunch.target_name:
        raise ValueError(
            f"the data set {data!r} has its classes in {bunch.target_name!r}: leave "
            "out --target"
        )
    return bunch


def looks_like_file(data: str) -> bool:
    """Whether DATA is a file's path rather than the name of a data set."""
    names = list_datasets_names()
    if data in names and not Path(data).is_file():
        return False
    if Path(data).is_dir():
        raise ValueError(f"{data} is a directory; give a table's file")
    if Path(data).exists() or data.lower().endswith(_TABLES) or os.sep in data:
        return True
    raise FileNotFoundError(
        f"there is no file {data}, and no data set of that name; the data sets are "
        f"{join(names)}"
    )


def list_datasets_names() -> list[str]:
    """Return the names of the paper's data sets."""
    from isvmde.datasets.catalogue import CATALOGUE

    return list(CATALOGUE)


def check_output_file(path: Path, option: str = "-o") -> Path:
    """Refuse a file that could not be written, before the work for it is done."""
    folder = path.parent
    if path.is_dir():
        raise ValueError(f"{option} {path} is a directory; give a file's name")
    if not folder.is_dir():
        raise FileNotFoundError(
            f"the folder {folder} of {option} {path} does not exist; make it first"
        )
    writable = os.access(path if path.exists() else folder, os.W_OK)
    if not writable:
        raise PermissionError(
            f"{option} {path} cannot be written; choose another place"
        )
    return path


def check_methods(text: str | None) -> list[str]:
    """Return the named methods, whatever their capitals; all when none is named."""
    from isvmde.methods import METHODS

    known = {name.lower(): name for name in METHODS}
    names = split_names(text)
    for name in names:
        if name.lower() not in known:
            raise ValueError(
                f"there is no method {name!r}; choose among {join(METHODS)}"
            )
    return [known[name.lower()] for name in names] or list(METHODS)


def describe_data(bunch: Bunch) -> dict[str, Any]:
    """Return what a person wants to know of a table at a glance."""
    return {
        "rows": len(bunch.target),
        "dropped": bunch.dropped,
        "numeric": len(bunch.numeric),
        "nominal": len(bunch.nominal),
        "classes": {str(label): n for label, n in bunch.counts.items()},
    }
