"""What the cells of a column say: text, numbers, gaps."""

from __future__ import annotations

import re
from typing import Any

import pandas as pd
from pandas.api import types

from isvmde.datasets.columns import shortest

from .gaps import GAP_MARKS

_LIMIT_OR_PERCENT = re.compile(r"^[<>≤≥~=]+\s*|\s*%$")


def as_texts(column: pd.Series) -> pd.Series:
    """Return every cell as text without blanks around; gaps are missing."""
    if types.is_bool_dtype(column.dtype) and not column.hasnans:
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
