"""Judge a column: numbers, categories, a date, or better left out, and why."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
import pandas as pd
from pandas.api import types

from .cells import as_numbers, as_texts, strays
from .dates import choose_parts, find_format, parse
from .errors import TableError, quote

LARGEST = 1e100
"""Beyond it, differences and powers of a value are no longer numbers."""

_ID_WORDS = re.compile(
    r"(id|ids|uid|uuid|guid|key|nr|no|num|number|nummer|index|idx|record|row|rownum"
    r"|serial|identifier|unnamed|mrn)"
)


def judge(column: pd.Series, wanted: str | None = None) -> dict[str, Any]:
    """Return what a column of the training part is to be taken as.

    ``wanted`` is what a person asked for: "numbers", "categories", or "any", which
    means to take it however it looks. The answer holds ``kind`` ("numbers",
    "categories", "date" or "left out"), ``note``, ``gaps``, ``distinct``, and what it
    takes to read the column the same way again.
    """
    dtype = column.dtype
    if types.is_complex_dtype(dtype):
        return _left_out("complex numbers", column)
    if wanted == "numbers":
        return _numbers(column, _decimal_of(column), checked=False)
    if wanted == "categories" or types.is_bool_dtype(dtype):
        return _categories(column)
    if isinstance(dtype, pd.CategoricalDtype):
        return _categories(column)
    if types.is_datetime64_any_dtype(dtype):
        return _date(column, None)
    if types.is_numeric_dtype(dtype) or types.is_timedelta64_dtype(dtype):
        return _numbers(column, ".", checked=wanted is None)
    return _text(column, wanted)


def _text(column: pd.Series, wanted: str | None) -> dict[str, Any]:
    """Judge a column of text, which may hold numbers or dates."""
    texts = as_texts(column)
    present = texts.dropna()
    if len(present):
        for decimal in (".", ","):
            if as_numbers(column, decimal).notna().sum() >= 0.9 * len(present):
                return _numbers(column, decimal, checked=wanted is None)
        form = find_format(texts)
        if form is not None:
            return _date(texts, form)
    if wanted is None:
        reason = _why_no_categories(str(column.name), present)
        if reason is not None:
            return _left_out(reason, texts)
    return _categories(column)


def _why_no_categories(name: str, present: pd.Series) -> str | None:
    """Return why texts are no categories, or None when they are."""
    n, distinct = len(present), present.nunique()
    words = present.str.count(r"\s+").mean() + 1 if n else 0
    if distinct > max(10, n / 5) and words >= 3 and present.str.len().mean() >= 15:
        return "free text"
    if distinct > 10 and distinct >= (0.8 if _sounds_like_id(name) else 0.95) * n:
        return "an id: almost every value is different"
    if distinct > max(10, n / 2):
        return "too many different values for categories"
    return None


def _numbers(column: pd.Series, decimal: str, *, checked: bool) -> dict[str, Any]:
    """Judge a column of numbers; ids are left out when ``checked``."""
    numbers = as_numbers(column, decimal)
    present = numbers.dropna()
    check_size(column, present)
    if not len(present) and column.notna().any():
        raise TableError(
            f"column {quote(column.name)} holds no numbers; name it as nominal instead"
        )
    distinct = present.nunique()
    if distinct < 2:
        return _flag_or_constant(column, numbers)
    if checked and _is_id(str(column.name), present, distinct):
        return _left_out("an id: a number for every row", numbers)
    texts = strays(column, numbers)
    notes = [f"no number, so a gap: {_counted(texts)}"] if texts else []
    notes += _marks_of_gaps(present)
    return {**_described("numbers", "; ".join(notes), numbers), "decimal": decimal}


def _marks_of_gaps(present: pd.Series) -> list[str]:
    """Return a note on a repeated -999 or the like that is far from all others."""
    for mark in (present.min(), present.max()):
        others = present[present != mark]
        count, nearest = len(present) - len(others), (others - mark).abs().min()
        if (
            re.fullmatch("-?9+", f"{mark:g}")
            and count > 1
            and nearest > others.max() - others.min() > 0
        ):
            return [f"{mark:g} in {count} rows is far from all others: a mark of gaps?"]
    return []


def _is_id(name: str, present: pd.Series, distinct: int) -> bool:
    """Whether whole numbers count the rows rather than measure something."""
    n = len(present)
    if n < 10 or distinct < 0.95 * n or (present % 1 != 0).any():
        return False
    first = present.min()
    running = distinct == n and present.max() - first == n - 1
    return _sounds_like_id(name) or (running and first in (0, 1))


def _sounds_like_id(name: str) -> bool:
    """Whether a column's name has a word such as id, no or index.

    >>> _sounds_like_id("patient_id"), _sounds_like_id("recordNo")
    (True, True)
    >>> _sounds_like_id("width"), _sounds_like_id("Unnamed: 0")
    (False, True)
    """
    words = re.findall(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+", name)
    return any(_ID_WORDS.fullmatch(word.lower()) for word in words)


def _date(column: pd.Series, form: str | None) -> dict[str, Any]:
    """Judge a column of dates."""
    points = parse(column, form)
    if points.nunique() < 2:
        return _flag_or_constant(column, points)
    parts = choose_parts(points)
    note = "days" + "".join(
        f", time of {circle}" for circle in ("year", "day") if f"{circle} sine" in parts
    )
    missed = points.isna() & column.notna()
    if missed.any():
        texts = {str(k): n for k, n in column[missed].value_counts().items()}
        note += f"; no date, so a gap: {_counted(texts)}"
    return {**_described("date", note, points), "format": form, "parts": parts}


def _categories(column: pd.Series) -> dict[str, Any]:
    """Judge a column of categories."""
    texts = as_texts(column)
    if texts.nunique() < 2:
        return _flag_or_constant(column, texts)
    return _described("categories", "", texts)


def _flag_or_constant(column: pd.Series, values: pd.Series) -> dict[str, Any]:
    """Judge a column with at most one value: with gaps it may be a yes or nothing."""
    gaps = int(values.isna().sum())
    if gaps == len(values):
        return _left_out("empty", values)
    if min(gaps, len(values) - gaps) >= max(2, 0.05 * len(values)):
        return _described("categories", "one value or a gap", as_texts(column))
    return _left_out("the same value in every row", values)


def _left_out(reason: str, values: pd.Series) -> dict[str, Any]:
    """Return the judgement on a column that is not used."""
    return _described("left out", reason, values)


def _described(kind: str, note: str, values: pd.Series) -> dict[str, Any]:
    """Return a judgement with the counts a person wants to see."""
    return {
        "kind": kind,
        "note": note,
        "gaps": int(values.isna().sum()),
        "distinct": int(values.nunique()),
    }


def _decimal_of(column: pd.Series) -> str:
    """Return the decimal sign that makes more numbers of a column of text."""
    counts = {sign: int(as_numbers(column, sign).notna().sum()) for sign in ".,"}
    return "," if counts[","] > counts["."] else "."


def check_size(column: pd.Series, numbers: pd.Series) -> None:
    """Refuse infinity, and numbers with which nothing can be computed."""
    bad = np.flatnonzero(~(np.abs(numbers.to_numpy()) <= LARGEST))
    if len(bad):
        value = numbers.iloc[bad[0]]
        row = list(column.index).index(numbers.index[bad[0]]) + 1
        what = "infinity" if np.isinf(value) else f"{value:g}, which is too large,"
        raise TableError(
            f"column {quote(column.name)} has {what} in row {row}; correct the value, "
            "or drop the column"
        )


def _counted(texts: dict[str, int], limit: int = 3) -> str:
    """Return values with their counts, the most frequent ones."""
    shown = [
        quote(text, 20) + (f" ({count} times)" if count > 1 else "")
        for text, count in list(texts.items())[:limit]
    ]
    more = len(texts) - limit
    return ", ".join(shown) + (f" and {more} more" if more > 0 else "")
