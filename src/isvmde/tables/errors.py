"""What is said about a table: errors, quoted contents, names of columns."""

import difflib
from collections.abc import Iterable, Sequence
from typing import Any

import pandas as pd


class TableError(ValueError):
    """A table that cannot be used; the message says why and what to do."""


def quote(value: Any, length: int = 40) -> str:
    """Return a value as it may stand in a message: in quotes, and never long."""
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
        hint = f"; capitals count, and it has {some(similar)}" if similar else ""
        needed = f"{some(absent)}, which the model needs"
        raise TableError(f"the table has no column {needed}{hint}")


def unique_names(names: Sequence[str]) -> list[str]:
    """Return names, each another: the second 'a' is 'a (2)', if no other is."""
    unique: dict[str, None] = {}
    given = set(names)
    for name in names:
        new, count = name, 2
        while new in unique or (count > 2 and new in given):
            new, count = f"{name} ({count})", count + 1
        unique[new] = None
    return list(unique)
