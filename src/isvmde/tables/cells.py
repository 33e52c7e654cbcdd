"""What a cell says: its text, or that it is a gap."""

import unicodedata
from typing import Any

import numpy as np
import pandas as pd
from pandas.api import types

_SIGNS = "? ?? - -- --- – — . .. ... * # / \\N 1.#QNAN -1.#IND"
_WORDS = (
    "na n/a n.a. n.a nan -nan null nil <na> <null> (null) [null] n/d n.d. n.d nd n/k "
    "k.a. k.A. s/d s.d. missing (missing) <missing> blank "
    "#n/a #na #n/d #null! #value! #div/0! #ref! #name? #num!"
)
_PHRASES = ["not available", "not recorded", "not done", "k. A.", "keine Angabe"]

_IN_ANY_CASE = frozenset(
    spelled(mark)
    for mark in _WORDS.split() + _PHRASES
    for spelled in (str, str.upper, str.title, str.capitalize)
)
GAP_MARKS = frozenset({"", "NaN"}) | frozenset(_SIGNS.split()) | _IN_ANY_CASE
"""Cells that count as missing; 'none', 'no' and 'unknown' do not: they are values."""

# blanks of no width, the soft hyphen and the mark of the order of bytes
_INVISIBLE = dict.fromkeys(map(ord, "\u200b\u200c\u200d\u2060\u00ad\ufeff"))


def shortest(value: Any) -> str:
    """Return the text of a value; of a number the shortest that reads back the same."""
    whole = isinstance(value, float) and value.is_integer()
    return str(int(value) if whole else value)


def as_nominal(column: pd.Series) -> pd.Series:
    """Return a column of codes as categories of text; missing values stay missing."""
    return column.astype(object).map(shortest, na_action="ignore").astype("category")


def as_written(column: pd.Series) -> pd.Series:
    """Return every cell as text without blanks around; only empty cells are missing."""
    if not isinstance(column.dtype, pd.StringDtype):
        column = column.astype(object).map(shortest, na_action="ignore")
    # pandas 2 writes a missing cell as a word
    texts = column.astype("str").where(column.notna(), None).str.strip()
    return texts.mask(texts == "")


def as_texts(column: pd.Series) -> pd.Series:
    """Return every cell as text without blanks around; gaps are missing."""
    texts = as_written(column)
    return texts.mask(texts.isin(GAP_MARKS))


def same_spelling(text: str) -> str:
    """Return what texts share that differ in capitals, blanks and invisible signs.

    An "é" may be one sign, or an "e" and an accent; the two look alike.
    """
    visible = unicodedata.normalize("NFC", text).translate(_INVISIBLE)
    return " ".join(visible.split()).casefold()


def counted(texts: pd.Series) -> list[tuple[str, int]]:
    """Return the different texts of a column and how often each occurs."""
    counts = texts.value_counts()
    return [(str(text), int(n)) for text, n in zip(counts.index, counts, strict=True)]


def replaced(texts: pd.Series, by_text: dict[str, Any], dtype: Any) -> pd.Series:
    """Return a column with every text replaced; others become missing."""
    values = texts.astype(object).map(by_text, na_action="ignore")
    return values.astype(dtype)


def equals_any(column: pd.Series, marks: tuple[str, ...]) -> np.ndarray:
    """Return which cells are one of these marks, as text or as the same number."""
    texts = as_written(column)
    # pandas hands out arrays that must not be written to
    found = texts.isin(marks).to_numpy(bool, copy=True)
    if types.is_datetime64_any_dtype(column.dtype):  # "9999-12-31" of any time
        found |= column.dt.strftime("%Y-%m-%d").isin(marks).to_numpy(bool)
    for mark in marks:
        try:
            number = float(mark)
        except ValueError:
            continue
        values = pd.to_numeric(texts, errors="coerce")
        found |= (values == number).to_numpy(bool)
    return found
