"""The tables that commands take: files, standard input, built-in data sets."""

import contextlib
import os
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from sklearn.base import clone
from sklearn.utils import Bunch

from isvmde.cli import options
from isvmde.cli.output import say, shorten
from isvmde.datasets import load_dataset
from isvmde.datasets.catalogue import CATALOGUE
from isvmde.tables import TableError, TablePreprocessor, read_table, split_target
from isvmde.tables.errors import find_column, quote

_PLAIN = "csv, separator comma, encoding utf-8"  # nothing to say about it
_COLUMN_OPTIONS = ("numeric", "nominal", "drop", "features")


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
            rows, columns = (
                f"{n} {name}{'' if n == 1 else 's'}"
                for n, name in zip(table.shape, ("row", "column"), strict=True)
            )
            say(f"{table.attrs['source']}: {table.attrs['read_as']}; {rows}, {columns}")
        return table
    if any(value is not None for value in reading.values()):
        raise ValueError(f"{data} is a built-in data set and needs no options to read")
    bunch = load_dataset(data)
    target = str(bunch.target_name)
    table = bunch.data.assign(**{target: bunch.target})
    declared = {"numeric": bunch.numeric, "nominal": bunch.nominal}
    table.attrs = {"source": data, "target": target, "declared": declared}
    return table


def read_data(data: str, target: str | None, **given: str | None) -> Bunch:
    """Return a table for training: features, classes, how to prepare it.

    Rows without a class are left out and counted aloud. ``columns`` says what becomes
    of the columns. A built-in data set is ``declared`` unless options choose columns.
    """
    chosen = {name: given.pop(name) for name in _COLUMN_OPTIONS}
    table = read_rows(data, **given)
    declared = table.attrs.get("declared")
    usual = table.attrs.get("target", table.columns[-1])
    if target is not None:
        target = find_column(table, target, table.attrs["source"])
    elif declared is None:
        say(f"taking the column {quote(usual)} as the class; --target names another")
    target = target or usual
    with saying_warnings():
        X, y = split_target(table, target)
    kinds: dict[str, Any] = {
        name: chosen_columns(text, X) for name, text in chosen.items()
    }
    if any(kinds.values()) or target != usual:
        declared = None
    kinds["features"] = kinds["features"] or None
    preprocessor = TablePreprocessor(**{**kinds, **(declared or {})})
    with naming(table), saying_warnings():
        columns = clone(preprocessor).fit(X, y).columns_
    classes, counts = np.unique(y, return_counts=True)
    return Bunch(
        data=X,
        target=y,
        target_name=target,
        name="stdin" if data == "-" else Path(data).name.split(".")[0] or "table",
        preprocessor=preprocessor,
        declared=declared is not None,
        columns=columns.reset_index(names="column"),
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
    return [text] if text is not None and text in table else options.split_names(text)


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
    if exists or "." in data or os.sep in data:
        return True
    raise FileNotFoundError(
        f"there is no file {data}, and no data set of that name; the data sets are "
        f"{', '.join(CATALOGUE)}"
    )
