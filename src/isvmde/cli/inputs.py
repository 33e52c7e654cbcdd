"""What the commands take: tables, output files, numbers; checked before long work."""

from __future__ import annotations

import contextlib
import os
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import click
import numpy as np
import pandas as pd
from sklearn.base import clone
from sklearn.utils import Bunch

from isvmde.cli.wording import say, shorten
from isvmde.datasets import load_dataset
from isvmde.datasets.catalogue import CATALOGUE
from isvmde.tables import TableError, TablePreprocessor, read_table, split_target

_SUFFIXES = (
    *(".csv", ".tsv", ".tab", ".txt", ".data", ".parquet", ".pq", ".xlsx", ".xlsm"),
    *(".arff", ".dat", ".keel", ".gz", ".bz2", ".xz"),
)

_PLAIN = "csv, separator comma, encoding utf-8"  # nothing to say about it

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
    metavar="COL,COL",
    help="Take these columns as categories, also numbers that are codes.",
)
json_option = click.option("--json", "as_json", is_flag=True, help="Print JSON.")
_READING = (
    click.option("--sep", metavar="SIGN", help="Separator of columns [found]."),
    click.option("--decimal", metavar="SIGN", help="Decimal sign: '.' or ',' [found]."),
    click.option("--encoding", metavar="NAME", help="Encoding of text [found]."),
    click.option("--sheet", metavar="NAME", help="Sheet of an Excel file [first]."),
)
_COLUMNS = (
    click.option("--drop", metavar="COL,COL", help="Leave these columns out."),
    click.option("--features", metavar="COL,COL", help="Use these columns alone."),
    click.option("--numeric", metavar="COL,COL", help="Take these as numbers."),
    nominal_option,
)


def reading_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """Add the options that say how a file is written."""
    for option in reversed(_READING):
        command = option(command)
    return command


def column_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """Add the options that choose columns."""
    for option in reversed(_COLUMNS):
        command = option(command)
    return command


def examples(*lines: str) -> str:
    """Return the end of a command's help; its first sign tells click not to wrap it."""
    return "\b\nExamples:\n" + "\n".join(f"  {line}" for line in lines)


def _not_zero(jobs: int) -> int:
    """Refuse zero workers."""
    if jobs == 0:
        raise click.BadParameter("must not be 0; use -1 for all cores")
    return jobs


def split_names(text: str | None) -> list[str]:
    """Return the names of a comma-separated list, each once."""
    names = [name.strip() for name in (text or "").split(",")]
    return list(dict.fromkeys(name for name in names if name))


@contextlib.contextmanager
def saying_warnings() -> Iterator[None]:
    """Say every different warning once, as a message."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            yield
        finally:
            for text in dict.fromkeys(str(warning.message) for warning in caught):
                say(text)


def read_rows(data: str, **reading: Any) -> pd.DataFrame:
    """Return all columns of a file, or of the data set of that name."""
    if looks_like_file(data):
        with saying_warnings():
            table = read_table(data, **reading)
        if table.attrs["read_as"] != _PLAIN:
            rows, columns = table.shape
            say(
                f"{table.attrs['source']}: {table.attrs['read_as']}; {rows} rows, "
                f"{columns} columns"
            )
        return table
    if any(value is not None for value in reading.values()):
        raise ValueError(f"{data} is a built-in data set and needs no options to read")
    bunch = load_dataset(data)
    table = bunch.data.assign(**{str(bunch.target_name): bunch.target})
    table.attrs = {"source": data, "target": str(bunch.target_name)}
    return table


def read_data(
    data: str,
    target: str | None,
    nominal: str | None = None,
    *,
    numeric: str | None = None,
    drop: str | None = None,
    features: str | None = None,
    **reading: Any,
) -> Bunch:
    """Return a table for training: its features, its classes, how to prepare it.

    Rows without a class are left out and counted aloud. There is a ``preprocessor``,
    not fitted, unless it is a built-in data set, whose columns are declared;
    ``columns`` says what becomes of the columns.
    """
    table = read_rows(data, **reading)
    if target is None:
        target = table.attrs.get("target", table.columns[-1])
        if looks_like_file(data):
            say(f"taking the column {target!r} as the class; --target names another")
    with saying_warnings():
        X, y = split_target(table, target)
    named = data in CATALOGUE and not looks_like_file(data)
    kinds: dict[str, Any] = {
        "numeric": chosen_columns(numeric, X),
        "nominal": chosen_columns(nominal, X),
        "drop": chosen_columns(drop, X),
        "features": chosen_columns(features, X) or None,
    }
    declared = named and not any(kinds.values())
    if declared:
        bunch = load_dataset(data)
        kinds.update(numeric=bunch.numeric, nominal=bunch.nominal)
    preprocessor = TablePreprocessor(**kinds)
    with naming(table), saying_warnings():
        fitted = clone(preprocessor).fit(X, y)
    columns = fitted.columns_
    classes, counts = np.unique(y, return_counts=True)
    own = {} if declared else {"preprocessor": preprocessor}
    return Bunch(
        data=X,
        target=y,
        target_name=target,
        name=data if named else _short_name(data),
        **own,
        columns=columns,
        numeric=list(columns.index[columns["taken as"].isin(["numbers", "date"])]),
        nominal=list(columns.index[columns["taken as"] == "categories"]),
        dropped=len(table) - len(X),
        counts=dict(zip(classes.tolist(), counts.tolist(), strict=True)),
    )


@contextlib.contextmanager
def naming(table: pd.DataFrame) -> Iterator[None]:
    """Put the file's name before what is wrong with its columns."""
    source = str(table.attrs.get("source", "the table"))
    try:
        yield
    except TableError as error:
        text = str(error).removeprefix("the table: ")
        raise TableError(text if source in text else f"{source}: {text}") from error


def chosen_columns(text: str | None, table: pd.DataFrame) -> list[str]:
    """Return the columns an option names; a name may itself hold commas."""
    return [text] if text is not None and text in table else split_names(text)


def _short_name(data: str) -> str:
    """Return what a table is called after its file."""
    return "stdin" if data == "-" else Path(data).name.split(".")[0] or "table"


def looks_like_file(data: str) -> bool:
    """Whether DATA is a file's path rather than the name of a data set."""
    if data == "-":
        return True
    try:
        exists, folder = Path(data).exists(), Path(data).is_dir()
    except (OSError, ValueError):  # too long a name, or one with a NUL
        raise FileNotFoundError(f"there is no file {shorten(data, 60)!r}") from None
    if data in CATALOGUE and (folder or not exists):
        return False
    if folder:
        raise ValueError(f"{data} is a directory; give a table's file")
    if exists or data.lower().endswith(_SUFFIXES) or os.sep in data:
        return True
    raise FileNotFoundError(
        f"there is no file {data}, and no data set of that name; the data sets are "
        f"{', '.join(CATALOGUE)}"
    )


def list_datasets_names() -> list[str]:
    """Return the names of the paper's data sets."""
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
