"""What the cells of a column say: text, numbers, gaps."""

from __future__ import annotations

import re
from typing import Any

import pandas as pd
from pandas.api import types

_SIGNS = "? ?? - -- --- – — . .. ... * # / \\N 1.#QNAN -1.#IND"
_WORDS = (
    "na n/a n.a. n.a nan -nan null nil <na> <null> (null) [null] n/d n.d. n.d nd n/k "
    "k.a. s/d s.d. missing (missing) <missing> blank "
    "#n/a #na #n/d #null! #value! #div/0! #ref! #name? #num!"
)
_PHRASES = ("not available", "not recorded", "not done")

GAP_MARKS = frozenset(("", "NaN", *_SIGNS.split())) | {
    spelled(mark)
    for mark in (*_WORDS.split(), *_PHRASES)
    for spelled in (str, str.upper, str.title, str.capitalize)
}
"""Cells that count as missing. 'none', 'no' and 'unknown' do not: they say something.

>>> "?" in GAP_MARKS, "n/d" in GAP_MARKS, "N/A" in GAP_MARKS, "none" in GAP_MARKS
(True, True, True, False)
"""

_LIMIT_OR_PERCENT = re.compile(r"^[<>≤≥~=]+\s*|\s*%$")


def shortest(value: Any) -> str:
    """Return the text of a value; of a number the shortest that reads back the same."""
    if isinstance(value, float) and value.is_integer():
        return str(int(value))
    return str(value)


def as_nominal(column: pd.Series) -> pd.Series:
    """Return a column of codes as categories of text; missing values stay missing."""
    values = column.astype(object).where(column.notna(), None).tolist()
    present = {value for value in values if value is not None}
    try:
        ordered = sorted(present)
    except TypeError:  # a mixture of text and numbers
        ordered = sorted(present, key=str)
    categories = list(dict.fromkeys(shortest(value) for value in ordered))
    texts = [None if value is None else shortest(value) for value in values]
    return pd.Series(
        pd.Categorical(texts, categories=categories),
        index=column.index,
        name=column.name,
    )


def as_texts(column: pd.Series) -> pd.Series:
    """Return every cell as text without blanks around; gaps are missing."""
    if isinstance(column.dtype, pd.StringDtype):
        texts = column
    elif types.is_bool_dtype(column.dtype) and not column.hasnans:
        texts = column.map({True: "True", False: "False"})
    else:
        values = column.astype(object).tolist()
        texts = pd.Series(
            [None if _is_missing(value) else shortest(value) for value in values],
            index=column.index,
        )
    # pandas 2 writes a missing cell as a word
    texts = texts.astype("str").where(texts.notna(), None).str.strip()
    return texts.mask(texts.isin(GAP_MARKS))


def _is_missing(value: Any) -> bool:
    """Whether a cell is a missing value; a list in a cell is none."""
    return value is None or (pd.api.types.is_scalar(value) and bool(pd.isna(value)))


def as_numbers(column: pd.Series, decimal: str = ".") -> pd.Series:
    """Return a column as float64; what is no number is missing.

    A limit such as "<0.5" counts as the number it names, and so does a percentage.
    """
    if column.dtype == "float64":
        return column
    if types.is_timedelta64_dtype(column.dtype):
        return column.dt.total_seconds().astype("float64")
    if types.is_numeric_dtype(column.dtype):
        return pd.to_numeric(column).astype("float64")
    texts = as_texts(column)
    numbers = pd.to_numeric(_plain(texts, decimal), errors="coerce").astype("float64")
    rest = texts[numbers.isna() & texts.notna()]
    if len(rest):
        again = rest.str.replace(_LIMIT_OR_PERCENT, "", regex=True)
        again = pd.to_numeric(_plain(again, decimal), errors="coerce")
        numbers.loc[rest.index] = again.astype("float64")
    return numbers


def _plain(texts: pd.Series, decimal: str) -> pd.Series:
    """Return texts with a decimal point."""
    return texts.str.replace(",", ".", regex=False) if decimal == "," else texts


def strays(column: pd.Series, numbers: pd.Series) -> dict[str, int]:
    """Return the cells that are neither gaps nor numbers, and how often they occur."""
    if types.is_numeric_dtype(column.dtype) or types.is_timedelta64_dtype(column.dtype):
        return {}
    texts = as_texts(column)
    found = texts[numbers.isna() & texts.notna()].value_counts()
    return {str(text): int(count) for text, count in found.items()}
