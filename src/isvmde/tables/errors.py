"""What is raised for a table that cannot be used, and how its contents are quoted."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any


class TableError(ValueError):
    """A table that cannot be used; the message says why and what to do.

    Examples
    --------
    >>> raise TableError("my.csv: the file is empty")
    Traceback (most recent call last):
    isvmde.tables.errors.TableError: my.csv: the file is empty
    """


def quote(value: Any, length: int = 40) -> str:
    """Return a value as it may stand in a message: in quotes, and never long.

    >>> quote("ward"), quote("x" * 3000, 9)
    ("'ward'", "'xxxxxxxx…'")
    """
    text = str(value)
    return repr(text if len(text) <= length else f"{text[: length - 1]}…")


def some(values: Iterable[Any], limit: int = 5) -> str:
    """Return a list for a sentence, with its end left out where it is long."""
    quoted = [quote(value) for value in values]
    more = len(quoted) - limit
    return ", ".join(quoted[:limit]) + (f" and {more} more" if more > 0 else "")
