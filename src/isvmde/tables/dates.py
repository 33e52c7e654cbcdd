"""Dates as people write them, and the numbers they become."""

from __future__ import annotations

import warnings

import numpy as np
import pandas as pd
from pandas.api import types

_DAYS = (
    "%d.%m.%Y",
    "%d/%m/%Y",
    "%m/%d/%Y",
    "%Y/%m/%d",
    "%Y.%m.%d",
    "%d-%m-%Y",
    "%m-%d-%Y",
    "%d.%m.%y",
    "%d/%m/%y",
    "%m/%d/%y",
    "%d %b %Y",
    "%d-%b-%Y",
    "%d %B %Y",
    "%b %d, %Y",
    "%B %d, %Y",
)
_TIMES = ("", " %H:%M", " %H:%M:%S")
FORMATS = ("ISO8601", *(day + time for day in _DAYS for time in _TIMES))
_LIKE_A_DATE = r"\d+\D.*\d|[A-Za-z]{3,9} \d{1,2}, \d{4}|\d{1,2}[ -][A-Za-z]{3,9}"


def find_format(texts: pd.Series) -> str | None:
    """Return the format in which nine of ten texts are dates, or None.

    Of two that fit equally, such as day/month and month/day, the day comes first.
    """
    present = texts.dropna()
    sample = present.iloc[:100]
    if len(present) < 2 or sample.str.match(_LIKE_A_DATE).mean() < 0.9:
        return None
    best, fitting = None, 0
    for form in FORMATS:
        if parse(sample, form).notna().mean() < 0.8:
            continue
        count = int(parse(present, form).notna().sum())
        if count > fitting:
            best, fitting = form, count
    return best if fitting >= 0.9 * len(present) else None


def parse(column: pd.Series, form: str | None) -> pd.Series:
    """Return a column as points in time; what is none is missing."""
    if not types.is_datetime64_any_dtype(column.dtype):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            column = pd.to_datetime(column, format=form, errors="coerce", utc=True)
    if column.dt.tz is not None:
        column = column.dt.tz_convert("UTC").dt.tz_localize(None)
    return column


def choose_parts(points: pd.Series) -> list[str]:
    """Return which numbers of a date tell rows apart.

    The day always; the time of year where the dates span a year or more; the time of
    day where the dates have one.
    """
    present = points.dropna()
    parts = ["days"]
    if (present.max() - present.min()).days >= 365:
        parts += ["year cosine", "year sine"]
    if (present != present.dt.normalize()).any():
        parts += ["day cosine", "day sine"]
    return parts


def as_part(points: pd.Series, part: str) -> np.ndarray:
    """Return one number per date: days since 1970, or a place on a circle."""
    # in seconds: nanoseconds end in the year 2262
    seconds = points.dt.as_unit("s").to_numpy("datetime64[s]")
    days = np.where(np.isnat(seconds), np.nan, seconds.astype(np.int64) / 86400)
    if part == "days":
        return days
    if part.startswith("year"):
        turn = (points.dt.day_of_year.to_numpy("float64") - 1) / 365.25
    else:
        turn = days % 1.0
    angle = 2 * np.pi * turn
    return np.cos(angle) if part.endswith("cosine") else np.sin(angle)
