"""Messages to the person at the terminal: short, on the error stream."""

from __future__ import annotations

import click

_LONGEST = 400


def say(message: str) -> None:
    """Tell the person something beside the result, in one line."""
    click.echo(f"isvmde: {shorten(' '.join(message.split()), _LONGEST)}", err=True)


def shorten(text: str, length: int) -> str:
    """Return a text with its middle left out where it is too long.

    >>> shorten("a" * 50 + "z" * 50, 11)
    'aaaaa…zzzzz'
    """
    if len(text) <= length:
        return text
    half = (length - 1) // 2
    return f"{text[:half]}…{text[-half:]}"
