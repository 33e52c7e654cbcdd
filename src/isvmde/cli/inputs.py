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

from isvmde.cli.output import say, shorten
from isvmde.datasets import load_dataset
from isvmde.datasets.catalogue import CATALOGUE
from isvmde.tables import TableError, TablePreprocessor, read_table, split_target
from isvmde.tables.errors import quote
from isvmde.tables.target import find_column

_PLAIN = "csv, separator comma, encoding utf-8"  # nothing to say about it


def _not_zero(_context: click.Context, _option: click.Parameter, jobs: int) -> int:
    """Refuse zero workers."""
    if jobs == 0:
        raise click.BadParameter("must not be 0; use -1 for all cores")
    return jobs


def _adding(*options: Callable[..., Any]) -> Callable[..., Any]:
    """Return a decorator that adds several options in this order."""

    def decorate(command: Callable[..., Any]) -> Callable[..., Any]:
        for option in reversed(options):
            command = option(command)
        return command

    return decorate


jobs_option = click.option(
    "--jobs",
    type=int,
    default=-1,
    show_default="all cores",
    help="Workers at once; -1 stands for all cores.",
    callback=_not_zero,
)
seed_option = click.option(
    "--seed", type=click.IntRange(0, 2**31 - 1), default=0, show_default=True
)
json_option = click.option("--json", "as_json", is_flag=True, help="Print JSON.")
reading_options = _adding(
    click.option("--sep", metavar="SIGN", help="Separator of columns [found]."),
    click.option("--decimal", metavar="SIGN", help="Decimal sign: '.' or ',' [found]."),
    click.option("--encoding", metavar="NAME", help="Encoding of text [found]."),
    click.option("--sheet", metavar="NAME", help="Sheet of an Excel file [first]."),
)
table_options = _adding(
    click.option("--target", metavar="COL", help="Column of the classes [last]."),
    click.option("--drop", metavar="COL,COL", help="Leave these columns out."),
    click.option("--features", metavar="COL,COL", help="Use these columns alone."),
    click.option("--numeric", metavar="COL,COL", help="Take these as numbers."),
    click.option(
        "--nominal",
        metavar="COL,COL",
        help="Take these columns as categories, also numbers that are codes.",
    ),
    reading_options,
)


def examples(*lines: str) -> str:
    """Return the end of a command's help; its first sign tells click not to wrap it."""
    return "\b\nExamples:\n" + "\n".join(f"  {line}" for line in lines)


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
            rows, columns = (
                f"{n} {name}{'' if n == 1 else 's'}"
                for n, name in zip(table.shape, ("row", "column"), strict=True)
            )
            source, read_as = table.attrs["source"], table.attrs["read_as"]
            say(f"{source}: {read_as}; {rows}, {columns}")
        return table
    if any(value is not None for value in reading.values()):
        raise ValueError(f"{data} is a built-in data set and needs no options to read")
    bunch = load_dataset(data)
    target = str(bunch.target_name)
    table = bunch.data.assign(**{target: bunch.target})
    declared = {"numeric": bunch.numeric, "nominal": bunch.nominal}
    table.attrs = {"source": data, "target": target, "declared": declared}
    return table


def read_data(
    data: str,
    *,
    target: str | None,
    numeric: str | None,
    nominal: str | None,
    drop: str | None,
    features: str | None,
    **reading: Any,
) -> Bunch:
    """Return a table for training: features, classes, how to prepare it.

    Rows without a class are left out and counted aloud. ``columns`` says what becomes
    of the columns. A built-in data set is ``declared`` unless options choose columns.
    """
    table = read_rows(data, **reading)
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
        "numeric": chosen_columns(numeric, X),
        "nominal": chosen_columns(nominal, X),
        "drop": chosen_columns(drop, X),
        "features": chosen_columns(features, X) or None,
    }
    if any(kinds.values()) or target != usual:
        declared = None
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
        columns=columns,
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
