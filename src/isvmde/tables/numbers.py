"""Columns of text that hold numbers, with a unit or as ratios, become numbers."""

import math
import re
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import pandas as pd
from pandas.api import types

from .cells import as_texts, counted, replaced, same_spelling
from .notation import (
    Cell,
    Doubt,
    NumberFormat,
    SignCounts,
    as_number,
    choose_format,
    count_signs,
    take_apart,
)

_MOST = 0.9  # share of cells that have to be numbers for the column to hold numbers
_HALF = 0.5
_INFINITY = re.compile(r"[+-]?inf(inity)?", re.IGNORECASE)
_RATIO = re.compile(r"([^/]*\d[^/]*)/\s*(\d[^/]*)")
_MONTH = re.compile(r"(0?[1-9]|1[0-2])/(19|20)\d\d")
_MEASURES = re.compile(
    r"(%|‰|[°º]?[cfk]|[npµμmckd]?(g|l|m|mol|s|iu|u|eq|w|v|hz|pa|cal|j|bq|gy)|u/l|iu/l"
    r"|sec|min|h|hr|hrs|hours?|d|days?|weeks?|months?|y|yr|yrs|years?|mmhg|cmh2o|bpm|in"
    r"|ft|lbs?|oz|km|kg|t|kcal|kpa|[$€£¥₹]|usd|eur|gbp|chf|jpy)"
    r"([23²³]?(/[\w%²³µμ]+)*)",
    re.IGNORECASE,
)

_SAME_UNIT = {
    short: unit
    for unit, all_short in {
        "year": "y yr yrs yo y.o jahr jahre",
        "month": "mo mos mth mths",
        "week": "wk wks",
        "day": "d",
        "hour": "h hr hrs",
        "minute": "min mins",
        "second": "s sec secs",
        "gram": "g gr",
        "kilogram": "kg kgs kilo",
        "pound": "lb lbs",
        "litre": "l ltr liter",
        "c": "°c ºc degc celsius",
        "f": "°f ºf degf fahrenheit",
        "%": "percent pct",
        "eur": "€ euro",
        "gbp": "£",
        "usd": "us$",
    }.items()
    for short in all_short.split()
}

# behind laboratory values that are high, low or remarkable
_FLAGS = frozenset(
    ["h", "l", "hh", "ll", "(h)", "(l)", "*", "**", "***", "!", "#", "↑", "↓"]
)


@dataclass(frozen=True)
class Reading:
    """How a column of numbers is read.

    Parameters
    ----------
    form : NumberFormat
        Its decimal sign and what separates thousands.
    unit : str
        The unit that its numbers have, if any.
    ratio : bool
        Whether a cell holds two numbers, as in "120/80".
    """

    form: NumberFormat
    unit: str = ""
    ratio: bool = False


@dataclass(frozen=True)
class Finding:
    """What the cells of a column of text say about its numbers.

    Parameters
    ----------
    reading : Reading or None
        How to read it; None if it does not hold numbers.
    doubt : Doubt or None
        Cells that can be read in two ways.
    units : tuple of str
        Units of measurement where there are several, so that the numbers cannot be
        compared.
    without_unit : int
        Cells of a column with a unit that have none.
    limit, flagged, negative : str
        A cell such as "<5", such as "5.2 H", and such as "(5.2)" or "5.2-", if there is
        one.
    """

    reading: Reading | None
    doubt: Doubt | None = None
    units: tuple[str, ...] = ()
    without_unit: int = 0
    limit: str = ""
    flagged: str = ""
    negative: str = ""


PLAIN_READING = Reading(NumberFormat())
NOT_NUMBERS = Finding(None)


def survey(column: pd.Series) -> SignCounts:
    """Count what the signs in a column of text stand for."""
    return count_signs(counted(as_texts(column)))


def find_numbers(column: pd.Series, of_file: str | None = None) -> Finding:
    """Return how the numbers of a column of text are to be read, if it holds any."""
    cells = counted(as_texts(column))
    signs = count_signs(cells)
    if signs.are_codes or not cells:
        return NOT_NUMBERS
    if signs.numbers < _MOST * signs.total:
        return _find_ratios(cells)
    form, doubt = choose_format(signs, of_file)
    parts = [(take_apart(text), times) for text, times in cells]
    units: Counter[str] = Counter()
    for cell, times in parts:
        if cell is not None and cell.unit:
            units[cell.unit] += times
    unit, several = _choose_unit(units, signs.numbers)
    if several:
        return Finding(None, units=several)
    reading = Reading(form, unit)
    readable = sum(n for text, n in cells if read_cell(text, reading) is not None)
    if readable < _MOST * signs.total:
        return NOT_NUMBERS
    return Finding(
        reading,
        doubt,
        without_unit=signs.numbers - units.total() if unit else 0,
        limit=_first(cells, lambda cell: cell.limit),
        flagged="" if unit else _first(cells, _flag),
        negative=_first(cells, lambda cell: cell.minus),
    )


def _first(cells: list[tuple[str, int]], has: Callable[[Cell], object]) -> str:
    """Return the first text, in the order of texts, whose number has something."""
    found = [text for text, _ in cells if (cell := take_apart(text)) and has(cell)]
    return min(found, default="")


def _flag(cell: Cell) -> str:
    """Return the flag behind a number, or nothing."""
    return cell.unit if cell.unit.lower() in _FLAGS else ""


def _choose_unit(units: Counter[str], numbers: int) -> tuple[str, tuple[str, ...]]:
    """Return the unit of a column, or the units of which none is the usual one."""
    if units.total() < _HALF * numbers:
        return "", ()
    if len(units) > 1 and all(unit.lower() in _FLAGS for unit in units):
        return "", ()
    spelled: dict[str, Counter[str]] = {}
    for unit, times in units.items():
        spelled.setdefault(_same_unit(unit), Counter())[unit] = times
    usual = max(spelled.values(), key=Counter.total)
    if usual.total() >= _MOST * units.total():
        return usual.most_common(1)[0][0], ()
    if all(_MEASURES.fullmatch(unit) for unit in units):
        return "", tuple(unit for unit, _ in units.most_common())
    return "", ()


def _same_unit(unit: str) -> str:
    """Return what spellings of one unit share: "yrs" and "years", "C" and "°C"."""
    folded = same_spelling(unit).replace("deg ", "deg").removesuffix(".")
    folded = _SAME_UNIT.get(folded, folded)
    is_plural = len(folded) > 3 and folded.isalpha() and folded.endswith("s")
    return folded[:-1] if is_plural else folded


def _find_ratios(cells: list[tuple[str, int]]) -> Finding:
    """Return how to read "120/80", if nearly all cells are of this kind."""
    pairs = [(_RATIO.fullmatch(text), times) for text, times in cells]
    found = sum(times for pair, times in pairs if pair)
    if found < _MOST * sum(times for _, times in cells):
        return NOT_NUMBERS
    sides = [(pair[i].strip(), n) for pair, n in pairs if pair for i in (1, 2)]
    signs = count_signs(sides)
    if signs.are_codes or signs.other > (1 - _MOST) * signs.total:
        return NOT_NUMBERS
    if all(_MONTH.fullmatch(text) for text, _ in cells):
        return NOT_NUMBERS
    form, doubt = choose_format(signs)
    return Finding(Reading(form, ratio=True), doubt)


def read_cell(text: str, reading: Reading) -> float | None:
    """Return the number in a cell, or None if there is none, or one of another unit."""
    cell = take_apart(text)
    if cell is None:
        return float(text) if _INFINITY.fullmatch(text) else None
    if cell.unit and not _is_expected(cell, reading.unit):
        return None
    return as_number(cell, reading.form)


def _is_expected(cell: Cell, unit: str) -> bool:
    """Whether a number has the unit of its column, or a flag where there is no unit."""
    is_flag = not unit and bool(_flag(cell))
    return is_flag or _same_unit(cell.unit) == _same_unit(unit)


def read_ratio(text: str, reading: Reading) -> tuple[float, float] | None:
    """Return the two numbers of a cell, or None."""
    found = _RATIO.fullmatch(text)
    if found is None:
        return None
    first: Cell | None = take_apart(found[1].strip())
    second: Cell | None = take_apart(found[2].strip())
    if first is None or second is None:
        return None
    before = as_number(first, reading.form)
    after = as_number(second, reading.form)
    return None if before is None or after is None else (before, after)


def as_numbers(column: pd.Series, reading: Reading) -> pd.Series:
    """Return float64; what is not a number, or of another unit, is missing."""
    if types.is_timedelta64_dtype(column.dtype):
        seconds: pd.Series = column.dt.total_seconds()
        return seconds
    if types.is_numeric_dtype(column.dtype):
        return pd.to_numeric(column).astype("float64")
    texts = as_texts(column)
    values: dict[str, float] = {}
    for text in texts.dropna().unique():
        number = read_cell(str(text), reading)
        values[text] = math.nan if number is None else number
    return replaced(texts, values, "float64")


def as_ratios(column: pd.Series, reading: Reading) -> pd.DataFrame:
    """Return two columns of float64, before and after the "/"."""
    texts = as_texts(column)
    pairs = {text: read_ratio(str(text), reading) for text in texts.dropna().unique()}
    sides = [
        replaced(texts, {text: pair[i] for text, pair in pairs.items() if pair}, float)
        for i in (0, 1)
    ]
    return pd.DataFrame(dict(enumerate(sides)), index=column.index)


def strays(column: pd.Series, values: pd.Series) -> list[str]:
    """Return cells that are not gaps and have no value, the most frequent first."""
    rest = as_texts(column[values.isna() & column.notna()])
    return [text for text, _ in counted(rest)]


def first_infinite(numbers: pd.Series, largest: float) -> int | None:
    """Return the place of the first number beyond the largest, or None."""
    places = np.flatnonzero(np.abs(numbers.to_numpy()) > largest)
    return int(places[0]) if len(places) else None
