"""Columns of a table: which are numeric, which nominal."""

from __future__ import annotations

from typing import Any

import pandas as pd
from pandas.api import types


def split_by_dtype(data: pd.DataFrame) -> tuple[list[Any], list[Any]]:
    """Return numeric columns, and nominal ones (text, categories, truth values)."""
    numeric: list[Any] = []
    nominal: list[Any] = []
    for name, dtype in data.dtypes.items():
        if types.is_datetime64_any_dtype(dtype) or types.is_timedelta64_dtype(dtype):
            raise ValueError(
                f"Column {name!r} holds dates; turn it into numbers or drop it."
            )
        if types.is_complex_dtype(dtype):
            raise ValueError(f"Column {name!r} holds complex numbers; drop it.")
        if types.is_numeric_dtype(dtype) and not types.is_bool_dtype(dtype):
            numeric.append(name)
        else:
            nominal.append(name)
    return numeric, nominal


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
