"""What the commands print: tables for a terminal, plain lines when piped, JSON."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterable
from typing import Any

import click
import numpy as np
import pandas as pd

from isvmde.cli.wording import say, shorten

__all__ = ["join", "print_aligned", "print_json", "print_table", "records", "say"]


def print_table(table: pd.DataFrame, title: str | None = None) -> None:
    """Print a table: framed in a terminal, tab-separated lines otherwise.

    Cells are printed as they are given; format numbers before.
    """
    if not sys.stdout.isatty():
        click.echo("\t".join(map(str, table.columns)))
        for row in table.itertuples(index=False):
            click.echo("\t".join(map(str, row)))
        return
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    drawn = Table(title=title, title_justify="left", header_style="bold")
    for name in table.columns:
        right = all(_looks_numeric(str(cell)) for cell in table[name])
        drawn.add_column(Text(str(name)), justify="right" if right else "left")
    for row in table.itertuples(index=False):
        drawn.add_row(*(Text(str(cell)) for cell in row))
    Console().print(drawn)


def print_aligned(table: pd.DataFrame, title: str | None = None) -> None:
    """Print a table as plain text in columns, for a terminal, a file or a page.

    Cells are printed as they are given, the longest ones shortened.
    """
    if title:
        click.echo(f"\n{title}")
    columns = [
        [str(name), *(shorten(str(cell), 80) for cell in table[name])] for name in table
    ]
    widths = [max(map(len, cells)) for cells in columns]
    right = [all(_looks_numeric(cell) for cell in cells[1:]) for cells in columns]
    for row in zip(*columns, strict=True):
        line = "  ".join(
            cell.rjust(width) if numeric else cell.ljust(width)
            for cell, width, numeric in zip(row, widths, right, strict=True)
        )
        click.echo(f"  {line}".rstrip())


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
    if isinstance(value, np.ndarray):
        return [_plain(item) for item in value.tolist()]
    if isinstance(value, np.generic):
        value = value.item()
    if isinstance(value, float) and not np.isfinite(value):
        return None
    return value


def _looks_numeric(cell: str) -> bool:
    """Whether a cell is better aligned to the right."""
    return cell in ("", "-", "–") or cell.lstrip("-+")[:1].isdigit()
