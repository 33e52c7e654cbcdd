"""The one place that fills templates: reports, their prose, and the results pages."""

from __future__ import annotations

import functools
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pandas as pd


def environment_for(*folders: Path) -> Any:
    """Return a jinja2 environment with our filters, for templates in these folders.

    Files that end in .html are escaped for HTML; all others are plain text.
    """
    try:
        import jinja2
    except ImportError as error:
        raise ImportError("reports need jinja2: install isvmde[bench]") from error
    environment = jinja2.Environment(
        loader=jinja2.ChoiceLoader(
            [
                *(jinja2.FileSystemLoader(folder) for folder in folders),
                jinja2.PackageLoader("isvmde.bench", "templates"),
            ]
        ),
        autoescape=jinja2.select_autoescape(["html"], default=False),
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )
    environment.tests["gap"] = pd.isna
    filters = (names, digits, signed, number, count, slug)
    environment.filters.update({one.__name__: one for one in filters}, p=p_value)
    return environment


def names(words: Iterable[object], last: str = "and") -> str:
    """Join names for a sentence.

    >>> names(["a", "b", "c"]), names(["a"]), names([])
    ('a, b and c', 'a', 'none')
    """
    texts = [str(word) for word in words]
    if len(texts) < 2:
        return texts[0] if texts else "none"
    return f"{', '.join(texts[:-1])} {last} {texts[-1]}"


def digits(value: float, places: int = 2) -> str:
    """Return a number with this many decimals, a dash for a gap."""
    return "–" if pd.isna(value) else f"{round(value, places) + 0.0:.{places}f}"


def signed(value: float, places: int = 2) -> str:
    """Return a difference with its sign, never -0.00."""
    return "–" if pd.isna(value) else f"{round(value, places) + 0.0:+.{places}f}"


def p_value(value: float) -> str:
    """Return a p-value as a reader expects it.

    >>> p_value(0.04321), p_value(1e-7), p_value(1.0)
    ('0.043', '1e-07', '1')
    """
    return f"{value:.2g}"


_WORDS = "no,one,two,three,four,five,six,seven,eight,nine,ten"
_NUMBERS = _WORDS.split(",")


def number(value: int) -> str:
    """Return a small number as a word."""
    return _NUMBERS[value] if value < len(_NUMBERS) else f"{value:,}"


def count(value: int, noun: str) -> str:
    """Return a number with its noun.

    >>> count(1, "data set"), count(3, "data set"), count(15, "fold")
    ('one data set', 'three data sets', '15 folds')
    """
    return f"{number(value)} {noun if value == 1 else noun + 's'}"


def slug(name: object) -> str:
    """Return a name that is safe for a file and an address on a page."""
    return "".join(c if c.isascii() and c.isalnum() else "-" for c in str(name))


@functools.cache
def _prose() -> Any:
    """Load the sentences of the report."""
    return environment_for().get_template("prose.txt").module


def prose(part: str, *facts: Any) -> list[str]:
    """Return the paragraphs that a part of ``prose.txt`` makes of facts."""
    text = str(getattr(_prose(), part)(*facts))
    paragraphs = (" ".join(block.split()) for block in text.split("\n\n"))
    return [paragraph for paragraph in paragraphs if paragraph]
