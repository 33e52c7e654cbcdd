"""What the cells of a column say, and what the column is to be taken as."""

import re
import warnings
from typing import Any

import numpy as np
import pandas as pd
from pandas.api import types
from scipy.stats import chi2_contingency

from .errors import TableError, quote, some

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
"""Cells that count as missing; 'none', 'no' and 'unknown' do not: they are values."""

_LIMIT_OR_PERCENT = re.compile(r"^[<>≤≥~=]+\s*|\s*%$")
# Of two that fit equally, such as day/month and month/day, the first is taken.
_DAYS = (
    "%d.%m.%Y|%d/%m/%Y|%m/%d/%Y|%Y/%m/%d|%Y.%m.%d|%d-%m-%Y|%m-%d-%Y|%d.%m.%y|%d/%m/%y|"
    "%m/%d/%y|%d %b %Y|%d-%b-%Y|%d %B %Y|%b %d, %Y|%B %d, %Y"
)
_TIMES = ("", " %H:%M", " %H:%M:%S")
_FORMATS = ("ISO8601", *(day + time for day in _DAYS.split("|") for time in _TIMES))
_LIKE_A_DATE = r"\d+\D.*\d|[A-Za-z]{3,9} \d{1,2}, \d{4}|\d{1,2}[ -][A-Za-z]{3,9}"
_LARGEST = 1e100  # beyond it, differences and powers are no longer numbers
_LEFT_OUT = {"kind": "left out"}
_AS_ASKED = {"drop": "dropped as asked", "ignore": "not asked for"}
_ID_WORDS = re.compile(
    r"(id|ids|uid|uuid|guid|key|nr|no|num|number|nummer|index|idx|record|row|rownum"
    r"|serial|identifier|unnamed|mrn)"
)


def shortest(value: Any) -> str:
    """Return the text of a value; of a number the shortest that reads back the same."""
    whole = isinstance(value, float) and value.is_integer()
    return str(int(value) if whole else value)


def as_nominal(column: pd.Series) -> pd.Series:
    """Return a column of codes as categories of text; missing values stay missing."""
    return column.astype(object).map(shortest, na_action="ignore").astype("category")


def as_texts(column: pd.Series) -> pd.Series:
    """Return every cell as text without blanks around; gaps are missing."""
    if not isinstance(column.dtype, pd.StringDtype):
        column = column.astype(object).map(shortest, na_action="ignore")
    # pandas 2 writes a missing cell as a word
    texts = column.astype("str").where(column.notna(), None).str.strip()
    return texts.mask(texts.isin(GAP_MARKS))


def as_numbers(column: pd.Series, decimal: str = ".") -> pd.Series:
    """Return float64, of "<0.5" and "5 %" too; what is no number is missing."""
    if types.is_timedelta64_dtype(column.dtype):
        return column.dt.total_seconds()
    if types.is_numeric_dtype(column.dtype):
        return pd.to_numeric(column).astype("float64")
    texts = as_texts(column)
    if decimal == ",":
        texts = texts.str.replace(",", ".", regex=False)
    numbers = pd.to_numeric(texts, errors="coerce").astype("float64")
    if (numbers.isna() & texts.notna()).any():
        plain = texts.str.replace(_LIMIT_OR_PERCENT, "", regex=True)
        numbers = numbers.fillna(pd.to_numeric(plain, errors="coerce"))
    return numbers


def strays(column: pd.Series, values: pd.Series) -> list[str]:
    """Return cells that are no gaps and have no value, the most frequent first."""
    rest = as_texts(column[values.isna() & column.notna()])
    return list(map(str, rest.value_counts().index))


def class_labels(column: pd.Series) -> pd.Series:
    """Return the classes of a column: whole numbers or text; gaps are missing."""
    numeric = types.is_numeric_dtype(column.dtype)
    if numeric and not types.is_bool_dtype(column.dtype):
        numbers = as_numbers(column)
        whole = (numbers % 1 == 0) & (numbers.abs() < 2**53)
        if (whole | numbers.isna()).all():
            return numbers.astype("Int64")
    return as_texts(column)


def as_points(column: pd.Series, form: str | None) -> pd.Series:
    """Return a column as points in time; what is none is missing."""
    if form is not None and not types.is_datetime64_any_dtype(column.dtype):
        column = as_texts(column)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        points = pd.to_datetime(column, format=form, errors="coerce", utc=True)
    return points.dt.tz_localize(None)


def _find_date_format(texts: pd.Series) -> str | None:
    """Return the format in which nine of ten texts are dates, or None."""
    present = texts.dropna()
    sample = present.iloc[:100]
    if len(present) < 2 or sample.str.match(_LIKE_A_DATE).mean() < 0.9:
        return None
    fitting = {
        form: as_points(present, form).notna().mean()
        for form in _FORMATS
        if as_points(sample, form).notna().mean() >= 0.8
    }
    best = max(fitting, key=fitting.__getitem__, default=None)
    return best if best and fitting[best] >= 0.9 else None


def _choose_date_parts(points: pd.Series) -> list[str]:
    """Return which numbers of dates tell rows apart, by their span and precision."""
    years = (points.max() - points.min()).days >= 365
    hours = points[points.notna() & (points != points.dt.normalize())]
    parts = ["days", "year cosine", "year sine"] if years else ["days"]
    return parts if hours.empty else [*parts, "day cosine", "day sine"]


def as_date_part(points: pd.Series, part: str) -> np.ndarray:
    """Return one number per date: days since 1970, or a place on a circle."""
    # in seconds: nanoseconds end in the year 2262
    seconds = points.dt.as_unit("s").to_numpy("datetime64[s]")
    days = np.where(np.isnat(seconds), np.nan, seconds.astype(np.int64) / 86400)
    if part == "days":
        return days
    turn = days % 1.0
    if part.startswith("year"):
        turn = (points.dt.day_of_year.to_numpy("float64") - 1) / 365.25
    angle = 2 * np.pi * turn
    return np.cos(angle) if part.endswith("cosine") else np.sin(angle)


def judge(column: pd.Series, wanted: str | None, y: Any) -> dict[str, Any]:
    """Return the plan of a column; if "any" is wanted, it is taken however it looks."""
    if wanted in _AS_ASKED:
        return _describe(as_texts(column), _LEFT_OUT, _AS_ASKED[wanted])
    if types.is_complex_dtype(column.dtype):
        return _describe(column, _LEFT_OUT, "complex numbers")
    plan = _recognise(column, wanted)
    values = read_column(column, plan)
    gaps, n = values.isna().sum(), len(values)
    if gaps == n:
        return _describe(values, _LEFT_OUT, "empty")
    if values.nunique() < 2:
        if min(gaps, n - gaps) < max(2, 0.05 * n):
            return _describe(values, _LEFT_OUT, "the same value in every row")
        plan = {"kind": "categories", "gaps_tell": True}  # a yes or nothing
        return _describe(as_texts(column), plan, "one value or a gap")
    if plan["kind"] == "date":
        plan["parts"] = _choose_date_parts(values)
    elif not wanted and not isinstance(column.dtype, pd.CategoricalDtype):
        reason = _why_left_out(str(column.name), values.dropna())
        if reason:
            return _describe(values, _LEFT_OUT, reason)
    plan["gaps_tell"] = _do_gaps_tell(values.isna().to_numpy(), y)
    notes = _notes(column, values, plan) if plan["kind"] != "categories" else []
    return _describe(values, plan, "; ".join(notes))


def read_column(column: pd.Series, plan: dict[str, Any]) -> pd.Series:
    """Return a column as its plan reads it: numbers, points in time or text."""
    if plan["kind"] == "date":
        return as_points(column, plan["format"])
    if plan["kind"] != "numbers":
        return as_texts(column)
    numbers = as_numbers(column, plan["decimal"])
    large = np.flatnonzero(np.abs(numbers.to_numpy()) > _LARGEST)
    if len(large):
        value = numbers.iloc[large[0]]
        what = "infinity" if np.isinf(value) else f"{value:g}, which is too large,"
        raise TableError(
            f"column {quote(column.name)} has {what} in row {large[0] + 1}; correct "
            "the value, or drop the column"
        )
    if numbers.isna().all() and (texts := strays(column, numbers)):
        raise TableError(
            f"column {quote(column.name)} has no numbers, and numbers are expected "
            f"there: {some(texts, 3)}"
        )
    return numbers


def _describe(values: pd.Series, plan: dict[str, Any], note: str) -> dict[str, Any]:
    """Return a plan with its note and the counts a person wants to see."""
    counts = {"gaps": int(values.isna().sum()), "distinct": int(values.nunique())}
    return {**plan, "note": note, **counts}


def _recognise(column: pd.Series, wanted: str | None) -> dict[str, Any]:
    """Return the kind of a column, and what it takes to read it."""
    dtype = column.dtype
    if wanted == "categories":
        return {"kind": "categories"}
    if wanted == "numbers":
        found = {sign: as_numbers(column, sign).notna().sum() for sign in ".,"}
        return {"kind": "numbers", "decimal": max(found, key=found.__getitem__)}
    if types.is_bool_dtype(dtype) or isinstance(dtype, pd.CategoricalDtype):
        return {"kind": "categories"}
    if types.is_datetime64_any_dtype(dtype):
        return {"kind": "date", "format": None}
    if types.is_numeric_dtype(dtype) or types.is_timedelta64_dtype(dtype):
        return {"kind": "numbers", "decimal": "."}
    texts = as_texts(column)
    for decimal in ".," if texts.notna().any() else "":
        if as_numbers(texts, decimal).notna().sum() >= 0.9 * texts.notna().sum():
            return {"kind": "numbers", "decimal": decimal}
    form = _find_date_format(texts)
    return {"kind": "date", "format": form} if form else {"kind": "categories"}


def _why_left_out(name: str, present: pd.Series) -> str | None:
    """Return why numbers or texts tell nothing about new rows, or None."""
    n, distinct = len(present), present.nunique()
    words = re.findall(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+", name)
    sounds_like_id = any(_ID_WORDS.fullmatch(word.lower()) for word in words)
    if types.is_numeric_dtype(present.dtype):
        if n < 10 or distinct < 0.95 * n or (present % 1 != 0).any():
            return None
        first = present.min()
        running = distinct == n and present.max() - first == n - 1
        counts_rows = sounds_like_id or (running and first in (0, 1))
        return "an id: a number for every row" if counts_rows else None
    if distinct <= 10:
        return None
    blanks = present.str.count(r"\s+").mean()
    if distinct > n / 5 and blanks >= 2 and present.str.len().mean() >= 15:
        return "free text"
    if distinct >= (0.8 if sounds_like_id else 0.95) * n:
        return "an id: almost every value is different"
    return "too many different values for categories" if distinct > n / 2 else None


def _do_gaps_tell(gaps: np.ndarray, y: Any) -> bool:
    """Whether gaps are frequent, and uneven over the classes where these are known."""
    if min(gaps.sum(), (~gaps).sum()) < max(5, 0.05 * len(gaps)):
        return False
    if y is None:
        return True
    counts = pd.crosstab(gaps, np.asarray(y))
    return bool(counts.shape[1] > 1 and chi2_contingency(counts).pvalue < 0.05)


def _notes(column: pd.Series, values: pd.Series, plan: dict[str, Any]) -> list[str]:
    """Return what a person should know about a column of numbers or dates."""
    notes, what = [], plan["kind"].removesuffix("s")
    if what == "date":
        circles = [part for part in ("year", "day") if f"{part} sine" in plan["parts"]]
        notes.append(", time of ".join(["days", *circles]))
    if texts := strays(column, values):
        notes.append(f"no {what}, so a gap: {some(texts, 2)}")
    for mark in (values.min(), values.max()) if what == "number" else ():
        others = values[values != mark].dropna()
        count, nearest = (values == mark).sum(), (others - mark).abs().min()
        far = nearest > others.max() - others.min() > 0
        if far and count > 1 and re.fullmatch("-?9+", f"{mark:g}"):
            remark = "is far from all others: a mark of gaps?"
            return [*notes, f"{mark:g} in {count} rows {remark}"]
    return notes
