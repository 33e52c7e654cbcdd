"""What is said about a table: errors, quoted contents, names of columns."""

import difflib
from collections.abc import Iterable, Sequence
from typing import Any

import pandas as pd


class TableError(ValueError):
    """A table that cannot be used; the message says why and what to do."""


class TableWarning(UserWarning):
    """Something about a table that you should know."""


class ColumnWarning(TableWarning):
    """How the cells of a column were read, where another reading is possible."""


class LeftOutWarning(TableWarning):
    """Columns that were left out because they look like ids or free text."""


class ClassWarning(TableWarning):
    """Rows without a class, and classes that may be the same."""


def quote(value: Any, length: int = 40) -> str:
    """Return a value for use in a message: in quotes, and cut short if long."""
    text = str(value)
    return repr(text if len(text) <= length else f"{text[: length - 1]}…")


def some(values: Iterable[Any], limit: int = 5) -> str:
    """Return a list for a sentence, with its end left out where it is long."""
    quoted = [quote(value) for value in values]
    more = len(quoted) - limit
    return ", ".join(quoted[:limit]) + (f" and {more} more" if more > 0 else "")


def find_column(table: pd.DataFrame, name: str, source: str) -> str:
    """Return the column of that name, or refuse with the most similar names."""
    if name in table:
        return name
    names = [str(each) for each in table.columns]
    folded = [each for each in names if each.lower() == str(name).strip().lower()]
    if len(folded) == 1:
        return folded[0]
    similar = difflib.get_close_matches(str(name)[:100], names, n=3)
    hint = f"did you mean {some(similar)}?" if similar else f"it has {some(names, 8)}"
    raise TableError(f"{source}: there is no column {quote(name)}; {hint}")


def check_columns(table: pd.DataFrame, names: Iterable[str]) -> None:
    """Refuse a table that lacks columns which a model needs."""
    absent = [name for name in names if name not in table]
    if absent:
        folded = {name.lower() for name in absent}
        similar = [name for name in table if str(name).lower() in folded]
        hint = (
            f"; upper and lower case differ, and it has {some(similar)}"
            if similar
            else ""
        )
        needed = f"{some(absent)}, which the model needs"
        raise TableError(f"the table has no column {needed}{hint}")


def unique_names(names: Sequence[str]) -> list[str]:
    """Return names that all differ: the second 'a' becomes 'a (2)', if that is free."""
    unique: dict[str, None] = {}
    given = set(names)
    for name in names:
        new, count = name, 2
        while new in unique or (count > 2 and new in given):
            new, count = f"{name} ({count})", count + 1
        unique[new] = None
    return list(unique)
