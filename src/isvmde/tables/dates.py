"""Columns of dates: in which formats they are written, and numbers made of them."""

import datetime
import warnings
from dataclasses import dataclass

import numpy as np
import pandas as pd
from pandas.api import types

from .cells import as_texts, counted
from .months import in_plain_english

# Of two that fit equally, such as day/month and month/day, the first is taken. Names
# of months are English and short by then, and there are no commas.
_DAYS = (
    "%d.%m.%Y|%d/%m/%Y|%m/%d/%Y|%Y/%m/%d|%Y.%m.%d|%d-%m-%Y|%m-%d-%Y|%d.%m.%y|%d/%m/%y|"
    "%m/%d/%y|%d-%m-%y|%m-%d-%y|%d %b %Y|%d-%b-%Y|%b %d %Y|%d%b%Y|%d-%b-%y|%d %b %y"
)
_TIMES = (
    "", " %H:%M", " %H:%M:%S", " %H:%M:%S.%f", " %H.%M", " %I:%M %p", " %I:%M:%S %p",
)  # fmt: skip
_MONTHS = ("%m/%Y", "%m.%Y", "%m-%Y", "%b %Y", "%b-%Y", "%b-%y")
ISO = "ISO8601"
COMPACT = "%Y%m%d"
_FIRST_COMPACT, _LAST_COMPACT = 1900_01_01, 2099_12_31
_FEWEST = 5  # different numbers, which are not all dates by chance
_FORMATS = (ISO, *(day + time for day in _DAYS.split("|") for time in _TIMES), *_MONTHS)
_LIKE_A_DATE = (
    r"\d+\D.*\d|[A-Za-z]{3} \d{1,2} \d{4}|\d{1,2}[ -]?[A-Za-z]{3}"
    r"|[A-Za-z]{3}[ -]\d{2,4}|\d.*[AP]M"
)
_MOST = 0.9  # share of cells that have to be dates
_MOST_FORMATS = 3
_SAMPLE = 200
_FEW = 0.02  # share of cells that make another format more than a slip


@dataclass(frozen=True)
class DateFinding:
    """The formats of a column of dates.

    Parameters
    ----------
    formats : tuple of str
        As `datetime.strptime` knows them; a cell is read by the first that fits.
    example : str
        A cell that another order of day and month fits as well, or nothing.
    first_year : int
        The first of the hundred years that years of two digits stand for; 0 for 1969,
        as is usual.
    """

    formats: tuple[str, ...]
    example: str = ""
    first_year: int = 0


def find_dates(
    texts: pd.Series, day_first: bool | None = None, this_year: int | None = None
) -> DateFinding | None:
    """Return the formats in which nine of ten texts are dates, or None."""
    cells = counted(in_plain_english(texts))
    different = pd.Series([text for text, _ in cells], dtype="str")
    times = np.array([count for _, count in cells], dtype=np.int64)
    sample = different.iloc[:: max(1, len(different) // _SAMPLE)]
    if times.sum() < 2 or sample.str.match(_LIKE_A_DATE).mean() < _MOST:
        return None
    has_times = sample.str.contains(":").any()
    has_times |= sample.str.contains(r" \d\d\.\d\d$").any()
    possible = [form for form in _FORMATS if has_times or "%M" not in form]
    candidates = [form for form in possible if _fits(sample, form).any()]
    fits = {form: _fits(different, form) for form in candidates}
    chosen: list[str] = []
    example = ""
    left = np.ones(len(different), bool)
    while left.any() and len(chosen) < _MOST_FORMATS and fits:
        hits = {form: int(times[found & left].sum()) for form, found in fits.items()}
        best = max(hits, key=hits.__getitem__)
        if hits[best] < max(1, _FEW * times.sum()):
            break
        swapped = _swapped(best)
        if swapped is not None and hits.get(swapped) == hits[best]:
            if day_first is not None and _is_day_first(best) != day_first:
                best = swapped
            if day_first is None and not example:
                in_both = fits[best] & fits[swapped] & left
                example = _one_in_doubt(different[in_both], best)
        chosen.append(best)
        left &= ~fits[best]
    if not chosen or times[left].sum() > (1 - _MOST) * times.sum():
        return None
    if this_year is None:
        this_year = datetime.date.today().year
    first_year = _first_year(different, tuple(chosen), this_year)
    return DateFinding(tuple(chosen), example, first_year)


def _first_year(texts: pd.Series, formats: tuple[str, ...], this_year: int) -> int:
    """Return where the hundred years begin that years of two digits stand for.

    It is 0, for the usual 1969, unless that puts dates into the future. Then they are
    days of birth, and the hundred years end next year; or the ends of contracts, if
    that tears apart what lies together.
    """
    of_two_digits = tuple(form for form in formats if "%y" in form)
    if not of_two_digits:
        return 0
    usual = as_points(texts, of_two_digits).dt.year.dropna()
    last_year = this_year + 1
    if usual.max() <= last_year:
        return 0
    past = last_year - (last_year - usual) % 100
    is_torn_apart = usual.max() - usual.min() < (past.max() - past.min()) / 2
    return int(usual.min()) if is_torn_apart else last_year - 99


def find_compact_dates(numbers: pd.Series) -> bool:
    """Whether whole numbers are dates such as 20200315."""
    different = pd.Series(numbers.dropna().unique())
    if len(different) < _FEWEST:
        return False
    if not different.between(_FIRST_COMPACT, _LAST_COMPACT).all():
        return False
    if (different % 1 != 0).any():
        return False
    return bool(_fits(different.astype("int64").astype("str"), COMPACT).all())


def proved_order(column: pd.Series, formats: tuple[str, ...]) -> bool | None:
    """Return whether the day comes first, if a cell proves it: "31/12/2020"."""
    plain = in_plain_english(as_texts(column))
    different = pd.Series([text for text, _ in counted(plain)], dtype="str")
    for form in formats:
        swapped = _swapped(form)
        if swapped is not None:
            is_date = _fits(different, form)
            if (is_date & ~_fits(different, swapped)).any():
                return _is_day_first(form)
    return None


def depends_on_order(formats: tuple[str, ...]) -> bool:
    """Whether dates could have day and month the other way round."""
    return any(_swapped(form) is not None for form in formats)


def has_both_orders(formats: tuple[str, ...]) -> bool:
    """Whether the day comes first in some dates and the month in others."""
    orders = {_is_day_first(form) for form in formats if _swapped(form) is not None}
    return len(orders) > 1


def _fits(texts: pd.Series, form: str) -> np.ndarray:
    """Return which texts are dates in this format."""
    return _parsed(texts, form).notna().to_numpy()


def _swapped(form: str) -> str | None:
    """Return the format with day and month the other way round, or None."""
    if "%d" not in form or "%m" not in form or form.startswith("%Y"):
        return None
    return form.translate(str.maketrans("dm", "md"))


def _is_day_first(form: str) -> bool:
    """Whether the day stands before the month."""
    return form.index("%d") < form.index("%m")


def _one_in_doubt(texts: pd.Series, form: str) -> str:
    """Return a text that is another date when day and month change places."""
    points = as_points(texts, (form,))
    differ = (points.dt.day != points.dt.month).to_numpy()
    return str(texts[differ].iloc[0]) if differ.any() else ""


def as_points(
    column: pd.Series, formats: tuple[str, ...], first_year: int = 0
) -> pd.Series:
    """Return a column as points in time; what is not a date is missing."""
    if types.is_datetime64_any_dtype(column.dtype):
        return _parsed(column, None)
    texts = in_plain_english(as_texts(column))
    if not formats:
        return _parsed(texts, None)
    found = [_in_hundred_years(_parsed(texts, f), f, first_year) for f in formats]
    points = found[0]
    for others in found[1:]:
        points = points.fillna(others)
    return points


def _in_hundred_years(points: pd.Series, form: str, first_year: int) -> pd.Series:
    """Return dates with years of two digits moved into the hundred years they mean."""
    if not first_year or "%y" not in form:
        return points
    is_late = points.dt.year >= first_year + 100
    is_early = points.dt.year < first_year
    century = pd.DateOffset(years=100)
    return points.mask(is_late, points - century).mask(is_early, points + century)


def _parsed(column: pd.Series, form: str | None) -> pd.Series:
    """Return a column read in one format."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        points = pd.to_datetime(column, format=form, errors="coerce", utc=True)
    return points.dt.tz_localize(None).astype("datetime64[us]")


def choose_date_parts(points: pd.Series) -> tuple[str, ...]:
    """Return which numbers of dates tell rows apart, by their span and precision."""
    years = (points.max() - points.min()).days >= 365
    hours = points[points.notna() & (points != points.dt.normalize())]
    parts = ["days"]
    if years:
        parts += ["year cosine", "year sine"]
    if not hours.empty:
        parts += ["day cosine", "day sine"]
    return tuple(parts)


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


def spoken(form: str) -> str:
    """Return a format as people write it: day/month/year."""
    words = {
        " %H:%M:%S.%f": " time", " %H:%M:%S": " time", " %H:%M": " time",
        " %H.%M": " time", " %I:%M %p": " time", " %I:%M:%S %p": " time",
        "%d%b%Y": "day, month and year without signs between",
        "%d": "day", "%m": "month", "%Y": "year", "%y": "year", "%b": "month",
    }  # fmt: skip
    if form == COMPACT:
        return "year, month and day without signs between"
    if form == ISO:
        return "year-month-day"
    for sign, word in words.items():
        form = form.replace(sign, word)
    return form
