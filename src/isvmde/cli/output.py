"""What the commands print: messages, tables, JSON."""

import json
import math
import shutil
import sys
import textwrap
from collections.abc import Iterable
from typing import Any

import click

from isvmde.escaping import printable, printable_lines

_LONGEST_MESSAGE = 400
_LONGEST_CELL = 80
_LEAST_ROOM = 20  # columns for the last cells of a table; with less they run on


def say(message: str) -> None:
    """Tell the user something besides the result, in one line on the error stream."""
    text = shorten(printable(" ".join(message.split())), _LONGEST_MESSAGE)
    click.echo(f"isvmde: {text}", err=True)


def shorten(text: str, length: int) -> str:
    """Return a text with its middle left out where it is too long.

    >>> shorten("a" * 50 + "z" * 50, 11)
    'aaaaa…zzzzz'
    """
    half = (length - 1) // 2
    return text if len(text) <= length else f"{text[:half]}…{text[-half:]}"


def join(words: Iterable[object]) -> str:
    """Join words for a sentence."""
    return ", ".join(map(printable, words))


def counted_rows(number: int) -> str:
    """Return a number of rows in words: "1 row", "1,443 rows"."""
    return "1 row" if number == 1 else f"{number:,} rows"


def show(text: str) -> None:
    """Print lines whose names may come from other people's data."""
    click.echo(printable_lines(text))


def print_table(table: Any, title: str | None = None) -> None:
    """Print a data frame in columns in a terminal, as tab-separated lines otherwise."""
    if sys.stdout.isatty():
        print_aligned(table, title)
        return
    click.echo("\t".join(map(printable, table.columns)))
    for row in table.itertuples(index=False):
        click.echo("\t".join(map(printable, row)))


def print_aligned(table: Any, title: str | None = None) -> None:
    """Print a data frame in columns; a terminal's last cells break where lines end."""
    if title:
        show(f"\n{title}")
    columns = [_aligned(printable(name), table[name]) for name in table]
    for row in zip(*columns, strict=True):
        last = row[-1]
        start = "  " + "".join(f"{cell}  " for cell in row[:-1])
        room = shutil.get_terminal_size().columns - len(start)
        lines = [last]
        if sys.stdout.isatty() and room >= _LEAST_ROOM:
            lines = textwrap.wrap(last.rstrip(), room, drop_whitespace=False) or [""]
        for i, line in enumerate(lines):
            click.echo(((" " * len(start) if i else start) + line).rstrip())


def _aligned(name: str, column: Iterable[Any]) -> list[str]:
    """Return a column's name and cells, all equally wide."""
    cells = [_cell_text(cell) for cell in column]
    are_numbers = all(map(_looks_numeric, cells))
    cells.insert(0, name)
    width = max(map(len, cells))
    if are_numbers:
        return [cell.rjust(width) for cell in cells]
    return [cell.ljust(width) for cell in cells]


def _cell_text(cell: Any) -> str:
    """Return a cell as it is printed."""
    return shorten(printable(cell), _LONGEST_CELL)


def print_json(value: Any) -> None:
    """Print a value as JSON, for scripts."""
    click.echo(json.dumps(_plain(value), indent=2, default=str, allow_nan=False))


def _plain(value: Any) -> Any:
    """Return data frames as records, arrays as lists, NaN as null."""
    if hasattr(value, "to_dict"):
        value = value.to_dict("records") if value.ndim == 2 else value.to_dict()
    elif hasattr(value, "tolist"):
        value = value.tolist()
    if isinstance(value, dict):
        return {str(name): _plain(item) for name, item in value.items()}
    if isinstance(value, list):
        return [_plain(item) for item in value]
    return None if isinstance(value, float) and not math.isfinite(value) else value


def _looks_numeric(cell: str) -> bool:
    """Whether a cell is better aligned to the right."""
    return cell in ("", "-", "–") or cell.lstrip("-+")[:1].isdigit()
