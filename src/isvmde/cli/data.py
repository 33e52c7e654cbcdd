"""The tables that commands take: files, standard input, built-in data sets."""

import contextlib
import os
import warnings
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from sklearn.base import clone
from sklearn.utils import Bunch

from isvmde.cli import options
from isvmde.cli.options import ColumnOptions, ReadOptions
from isvmde.cli.output import say, shorten
from isvmde.cli.repetitions import find_repetitions
from isvmde.datasets import load_dataset
from isvmde.datasets.catalogue import CATALOGUE
from isvmde.exceptions import RepeatedRowsWarning
from isvmde.tables import (
    LeftOutWarning,
    TableError,
    TablePreprocessor,
    read_table,
    split_target,
)
from isvmde.tables.errors import find_column, quote, some
from isvmde.tables.excel import sheets_with_column
from isvmde.tables.groups import name_groups

_PLAIN = "csv, separator comma, encoding utf-8"  # nothing to say about it
_AS_FOUND = ReadOptions()
_LAST = -1  # the place of the column of the classes, unless it is named


@dataclass(frozen=True)
class TrainingTable:
    """A table for training.

    Parameters
    ----------
    name : str
        What the table is called in a comparison.
    X : DataFrame
        The features; its index counts the rows of the file from 0.
    y : ndarray
        The classes.
    target : str
        The column they were in.
    groups : ndarray or None
        What names the subject of every row.
    preprocessor : TablePreprocessor
        How the features are prepared, not fitted.
    columns : DataFrame
        What becomes of every column.
    left_out : list of str
        Columns that look like ids or free text.
    counts : dict
        The number of rows by class.
    n_left_out : int
        Rows without a class.
    is_built_in : bool
        Whether it is a data set of this library, with the columns it declares.
    decimal_signs : dict or None
        Those that the file was read with, for reading new rows.
    """

    name: str
    X: pd.DataFrame
    y: np.ndarray
    target: str
    groups: np.ndarray | None
    preprocessor: TablePreprocessor
    columns: pd.DataFrame
    left_out: list[str]
    counts: dict[str | int, int]
    n_left_out: int
    is_built_in: bool
    decimal_signs: Mapping[str, Any] | None

    @property
    def rows_left_out(self) -> list[int]:
        """The rows of the file without a class, counted from 1."""
        every = np.arange(len(self.X) + self.n_left_out)
        left_out = np.setdiff1d(every, self.X.index)
        return [int(row) + 1 for row in left_out]

    def as_bunch(self) -> Bunch:
        """Return the table as a data set of a benchmark."""
        bunch = Bunch(
            name=self.name,
            data=self.X,
            target=self.y,
            preprocessor=self.preprocessor,
        )
        if self.groups is not None:
            bunch.groups = self.groups
        return bunch


@contextlib.contextmanager
def saying_warnings() -> Iterator[None]:
    """Say every different warning once, as a message."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        # `_say_repetitions` says it of the table, with the option's name
        warnings.simplefilter("ignore", RepeatedRowsWarning)
        try:
            yield
        finally:
            for text in dict.fromkeys(str(warning.message) for warning in caught):
                say(text)


def read_rows(
    data: str,
    reading: ReadOptions = _AS_FOUND,
    text: Iterable[str | int] = (),
    decimal_signs: Mapping[str, Any] | None = None,
) -> pd.DataFrame:
    """Return all columns of a file, or of the data set of that name.

    The columns of a file that ``text`` names stay as they are written.
    ``decimal_signs`` are those of the table that a model was trained on.
    """
    if not looks_like_file(data):
        return _read_built_in(data, reading)
    with saying_warnings():
        table = read_table(
            data,
            sep=reading.sep,
            decimal=reading.decimal,
            thousands=reading.thousands,
            encoding=reading.encoding,
            sheet=reading.sheet,
            text=text,
            decimal_signs=decimal_signs,
        )
    if table.attrs["read_as"] != _PLAIN:
        rows, columns = (
            f"{n} {name}{'' if n == 1 else 's'}"
            for n, name in zip(table.shape, ("row", "column"), strict=True)
        )
        say(f"{table.attrs['source']}: {table.attrs['read_as']}; {rows}, {columns}")
    return table


def _read_built_in(data: str, reading: ReadOptions) -> pd.DataFrame:
    """Return the table of a data set of this library."""
    if reading.are_given:
        raise ValueError(
            f"{data} is a built-in data set; --sep, --decimal, --thousands, --encoding "
            "and --sheet are for files"
        )
    bunch = load_dataset(data)
    target = str(bunch.target_name)
    table: pd.DataFrame = bunch.data.copy()
    table[target] = bunch.target
    declared = {"numeric": bunch.numeric, "nominal": bunch.nominal}
    table.attrs = {"source": data, "target": target, "declared": declared}
    return table


def read_data(
    data: str, columns: ColumnOptions, reading: ReadOptions, groups: str | None = None
) -> TrainingTable:
    """Return a table for training: features, classes, how to prepare it.

    Rows without a class are left out and counted aloud. A built-in data set has the
    columns it declares, unless options choose others.
    """
    as_written = [columns.target or _LAST]
    if groups:
        as_written.append(groups)
    table = read_rows(data, reading, as_written)
    usual = str(table.attrs.get("target", table.columns[-1]))
    target = usual
    if columns.target is not None:
        target = find_in_file(table, columns.target, data)
    elif "declared" not in table.attrs:
        say(f"using the column {quote(usual)} as the class; --target chooses another")
    with saying_warnings():
        X, y = split_target(
            table,
            target,
            keep_marks=columns.keep_marks,
            merge_labels=columns.merge_labels,
            missing=columns.missing,
        )
    subjects = None
    if groups is not None:
        name = find_in_file(X, groups, data)
        with saying_warnings():
            subjects = name_groups(X[name])
        X = X.drop(columns=name)
    preprocessor, is_built_in = _preprocessor(X, columns, table, target == usual)
    with naming(table), saying_warnings():
        warnings.simplefilter("ignore", LeftOutWarning)  # the table of columns tells
        fitted = clone(preprocessor).fit(X, y)
    if groups is None and not is_built_in:
        _say_repetitions(X, y, fitted)
    classes, counts = np.unique(y, return_counts=True)
    return TrainingTable(
        name="stdin" if data == "-" else Path(data).name.split(".")[0] or "table",
        X=X,
        y=y,
        target=target,
        groups=subjects,
        preprocessor=preprocessor,
        columns=fitted.columns_.reset_index(names="column"),
        left_out=fitted.left_out,
        counts=dict(zip(classes.tolist(), counts.tolist(), strict=True)),
        n_left_out=len(table) - len(X),
        is_built_in=is_built_in,
        decimal_signs=table.attrs.get("decimal_signs"),
    )


def find_in_file(table: pd.DataFrame, name: str, data: str) -> str:
    """Return the column of that name, or refuse and name the sheet that has it."""
    try:
        return find_column(table, name, str(table.attrs.get("source", data)))
    except TableError as absent:
        is_excel = table.attrs.get("read_as", "").startswith("Excel")
        sheets = sheets_with_column(data, name) if is_excel and data != "-" else []
        if not sheets:
            raise
        raise TableError(
            f"{data}: there is no column {quote(name)} in this sheet; it is in "
            f"{some(sheets)}: add --sheet {quote(sheets[0])}"
        ) from absent


def _preprocessor(
    X: pd.DataFrame, columns: ColumnOptions, table: pd.DataFrame, usual_target: bool
) -> tuple[TablePreprocessor, bool]:
    """Return how the features are prepared, and whether a built-in data set says so."""
    drop = chosen_columns(columns.drop, X)
    features = chosen_columns(columns.features, X)
    numeric = chosen_columns(columns.numeric, X)
    nominal = chosen_columns(columns.nominal, X)
    is_built_in = "declared" in table.attrs and usual_target
    if drop or features or numeric or nominal or columns.missing:
        is_built_in = False
    if is_built_in:
        declared = table.attrs["declared"]
        numeric = [name for name in declared["numeric"] if name in X]
        nominal = [name for name in declared["nominal"] if name in X]
    day_first = None if columns.dates is None else columns.dates == "day-first"
    preprocessor = TablePreprocessor(
        features=features or None,
        drop=drop,
        numeric=numeric,
        nominal=nominal,
        missing=list(columns.missing),
        day_first=day_first,
    )
    return preprocessor, is_built_in


def _say_repetitions(X: pd.DataFrame, y: np.ndarray, fitted: TablePreprocessor) -> None:
    """Say how many rows repeat others, which makes a report too good to be true."""
    used = [name for name in X if str(name) in fitted.used_columns]
    found = find_repetitions(X[used], y)
    advice = (
        "if subjects appear more than once, name the column that identifies them: "
        "--groups COL"
    )
    if found.exact:
        say(f"{found.exact} of {len(X)} rows repeat another row exactly; {advice}")
    elif found.near:
        say(
            f"{found.near} of {len(X)} rows are nearly the same as another row of "
            f"their class; {advice}"
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


def columns_as_written(names: str | None, target: str) -> list[str]:
    """Return the columns to read as text: the classes, and those an option names."""
    as_written = [target]
    if names:
        as_written.append(names)  # a name may itself hold commas
    as_written.extend(options.split_names(names))
    return as_written


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
