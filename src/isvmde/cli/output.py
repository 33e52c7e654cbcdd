"""What the commands print: messages, tables, JSON."""

from __future__ import annotations

import json
import math
import shutil
import sys
import textwrap
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

import click

if TYPE_CHECKING:
    import pandas as pd

_LONGEST_MESSAGE = 400
_LONGEST_CELL = 80
_LEAST_ROOM = 20  # columns for the last cells of a table; with less they run on


def say(message: str) -> None:
    """Tell the person something beside the result, in one line on the error stream."""
    text = shorten(" ".join(message.split()), _LONGEST_MESSAGE)
    click.echo(f"isvmde: {text}", err=True)


def shorten(text: str, length: int) -> str:
    """Return a text with its middle left out where it is too long.

    >>> shorten("a" * 50 + "z" * 50, 11)
    'aaaaa…zzzzz'
    """
    if len(text) <= length:
        return text
    half = (length - 1) // 2
    return f"{text[:half]}…{text[-half:]}"


def print_table(table: pd.DataFrame, title: str | None = None) -> None:
    """Print a table in columns in a terminal, as tab-separated lines otherwise."""
    if sys.stdout.isatty():
        print_aligned(table, title)
        return
    click.echo("\t".join(map(str, table.columns)))
    for row in table.itertuples(index=False):
        click.echo("\t".join(map(str, row)))


def print_aligned(table: pd.DataFrame, title: str | None = None) -> None:
    """Print a table in columns; cells as they are given, long ones shortened.

    In a terminal the last cells are broken where the line ends.
    """
    if title:
        click.echo(f"\n{title}")
    columns = [
        [str(name), *(shorten(str(cell), _LONGEST_CELL) for cell in table[name])]
        for name in table
    ]
    for cells in columns:
        width = max(map(len, cells))
        right = all(map(_looks_numeric, cells[1:]))
        cells[:] = [c.rjust(width) if right else c.ljust(width) for c in cells]
    for *row, last in zip(*columns, strict=True):
        start = "  " + "".join(f"{cell}  " for cell in row)
        room = shutil.get_terminal_size().columns - len(start)
        lines = [last]
        if sys.stdout.isatty() and room >= _LEAST_ROOM:
            lines = textwrap.wrap(last.rstrip(), room, drop_whitespace=False) or [""]
        for i, line in enumerate(lines):
            click.echo(((" " * len(start) if i else start) + line).rstrip())


def print_json(value: Any) -> None:
    """Print a value as JSON, for scripts."""
    click.echo(json.dumps(value, indent=2, default=_plain, allow_nan=False))


def records(table: pd.DataFrame) -> list[dict[str, Any]]:
    """Return the rows of a table as JSON-ready records; NaN becomes null."""
    return [
        {str(name): _plain(value) for name, value in row.items()}
        for row in table.to_dict("records")
    ]


def join(words: Iterable[object]) -> str:
    """Join words for a sentence."""
    return ", ".join(map(str, words))


def _plain(value: Any) -> Any:
    """Return numpy's values as Python's."""
    if hasattr(value, "tolist"):
        value = value.tolist()
    if isinstance(value, list):
        return [_plain(item) for item in value]
    return None if isinstance(value, float) and not math.isfinite(value) else value


def _looks_numeric(cell: str) -> bool:
    """Whether a cell is better aligned to the right."""
    return cell in ("", "-", "–") or cell.lstrip("-+")[:1].isdigit()
