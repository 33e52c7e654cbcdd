"""What a column is taken as: numbers, categories, dates, or left out."""

import re
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pandas as pd
from pandas.api import types
from scipy.stats import chi2_contingency

from .cells import as_texts, counted, equals_any
from .columns import ColumnPlan, Kind, Reason
from .dates import (
    COMPACT,
    ISO,
    DateFinding,
    as_points,
    choose_date_parts,
    find_compact_dates,
    find_dates,
    has_both_orders,
    spoken,
)
from .errors import TableError, quote, some
from .ids import find_id
from .notation import Doubt, NumberFormat, as_number, take_apart
from .numbers import (
    Finding,
    Reading,
    as_numbers,
    as_ratios,
    find_numbers,
    first_infinite,
    read_cell,
    strays,
    survey,
)
from .spellings import find_spellings, in_usual_spelling, joined

_LARGEST = 1e100  # beyond it, differences and powers are no longer numbers
_NEARLY_CONSTANT = 0.98
_SAMPLE = 300
_MOSTLY, _VARIED = 0.5, 10  # share of cells, and different numbers, that are no codes
_MARK = re.compile(r"-?(9+|8{3,}|7{3,})")
_DATE_MARKS = ("1900-01-01", "1970-01-01", "9999-12-31", "2999-12-31", "2099-12-31")


@dataclass(frozen=True)
class Request:
    """What the user said about a column, or about the whole table.

    Parameters
    ----------
    kind : Kind, optional
        What to take it as.
    however_it_looks : bool
        Whether it is a feature even if it looks like an id or free text.
    left_out : Reason, optional
        Why it is left out without being looked at.
    missing : tuple of str
        Values that stand for a gap.
    day_first : bool, optional
        Which number of "03/04/2020" is the day.
    decimal : str, optional
        The decimal sign that the columns of the table agree on.
    """

    kind: Kind | None = None
    however_it_looks: bool = False
    left_out: Reason | None = None
    missing: tuple[str, ...] = ()
    day_first: bool | None = None
    decimal: str | None = None


def judge(column: pd.Series, request: Request, y: Any) -> ColumnPlan:
    """Return the plan of a column; ``y`` holds the classes of the rows, or is None."""
    column, found_marks = without_marks(column, request.missing)
    if request.left_out:
        return _left_out(as_texts(column), request.left_out)
    if types.is_complex_dtype(column.dtype):
        return _left_out(column, Reason.COMPLEX)
    plan = _recognise(column, request)
    if plan.kind is Kind.LEFT_OUT:
        return plan
    values = read_column(column, plan)
    present = values.notna().to_numpy()
    n_present = int(present.sum())
    if not n_present:
        return _left_out(values, Reason.EMPTY)
    if values.nunique() < 2:
        if min(n_present, len(values) - n_present) < max(2, 0.05 * len(values)):
            return _left_out(values, Reason.CONSTANT)
        texts = as_texts(column)
        yes_or_nothing = ColumnPlan(
            Kind.CATEGORIES, gaps_tell=True, facts=("one value or a gap",)
        )
        return _counted(yes_or_nothing, texts)
    if plan.kind is Kind.DATE:
        plan = replace(plan, date_parts=choose_date_parts(values))
    elif not request.however_it_looks and not request.kind:
        plan = _judge_id(plan, column, values, y)
        if plan.kind is Kind.LEFT_OUT:
            return _counted(plan, values)
    plan = replace(plan, gaps_tell=_do_gaps_tell(~present, y))
    facts = _facts(plan, column, values) + found_marks
    remarks = _remarks(plan, column, values)
    plan = replace(
        plan,
        facts=plan.facts + tuple(facts),
        remarks=plan.remarks + tuple(remarks),
    )
    return _counted(plan, values)


def without_marks(
    column: pd.Series, marks: tuple[str, ...]
) -> tuple[pd.Series, list[str]]:
    """Return a column with some values missing, and a sentence about them."""
    if not marks:
        return column, []
    found = equals_any(column, marks)
    if not found.any():
        return column, []
    named = some(as_texts(column[found]).unique())
    rows = "1 row" if found.sum() == 1 else f"{found.sum()} rows"
    return column.mask(found), [f"{named} in {rows} counts as missing"]


def read_column(column: pd.Series, plan: ColumnPlan) -> pd.Series:
    """Return a column as its plan reads it: numbers, points in time or text.

    Of ratios, this is the number before the "/".
    """
    if plan.kind is Kind.DATE:
        return as_points(column, plan.date_formats, plan.first_year)
    if plan.kind is not Kind.NUMBERS:
        return in_usual_spelling(as_texts(column), plan.spellings)
    if plan.reading.ratio:
        return read_ratios(column, plan)[0]
    numbers = as_numbers(column, plan.reading)
    _check_range(numbers, column)
    if numbers.isna().all() and (texts := strays(column, numbers)):
        raise TableError(
            f"column {quote(column.name)} has no numbers, and numbers are expected "
            f"there: {some(texts, 3)}"
        )
    return numbers


def read_ratios(column: pd.Series, plan: ColumnPlan) -> pd.DataFrame:
    """Return the two numbers of every cell of a column of ratios."""
    sides = as_ratios(column, plan.reading)
    for side in sides:
        _check_range(sides[side], column)
    return sides


def _check_range(numbers: pd.Series, column: pd.Series) -> None:
    """Refuse numbers that cannot be computed with."""
    row = first_infinite(numbers, _LARGEST)
    if row is None:
        return
    value = numbers.iloc[row]
    what = "infinity" if np.isinf(value) else f"{value:g}, which is too large,"
    raise TableError(
        f"column {quote(column.name)} has {what} in row {row + 1}; correct the value, "
        "or drop the column"
    )


def _left_out(values: pd.Series, reason: Reason) -> ColumnPlan:
    """Return the plan of a column that is left out."""
    return _counted(ColumnPlan(Kind.LEFT_OUT, reason), values)


def _counted(plan: ColumnPlan, values: pd.Series) -> ColumnPlan:
    """Return a plan with the numbers of gaps and of different values."""
    gaps, distinct = int(values.isna().sum()), int(values.nunique())
    return replace(plan, gaps=gaps, distinct=distinct)


def _recognise(column: pd.Series, request: Request) -> ColumnPlan:
    """Return the kind of a column, and what it takes to read it."""
    dtype = column.dtype
    if request.kind is Kind.CATEGORIES:
        return ColumnPlan(Kind.CATEGORIES)
    if types.is_bool_dtype(dtype) or isinstance(dtype, pd.CategoricalDtype):
        if request.kind is not Kind.NUMBERS:
            return ColumnPlan(Kind.CATEGORIES)
    elif types.is_numeric_dtype(dtype) or types.is_timedelta64_dtype(dtype):
        if request.kind is None and _are_compact_dates(column):
            return ColumnPlan(Kind.DATE, date_formats=(COMPACT,))
        return ColumnPlan(Kind.NUMBERS)
    if types.is_datetime64_any_dtype(dtype):
        return ColumnPlan(Kind.DATE)
    texts = as_texts(column)
    found = find_numbers(texts, request.decimal)
    if found.reading is not None:
        return ColumnPlan(
            Kind.NUMBERS,
            reading=found.reading,
            facts=_facts_of_numbers(found),
            remarks=_remarks_on_numbers(found),
        )
    if request.kind is Kind.NUMBERS:
        return ColumnPlan(Kind.NUMBERS, reading=_forced(texts))
    if found.units and not request.however_it_looks:
        plan = _left_out(texts, Reason.SEVERAL_UNITS)
        return replace(plan, facts=(f"write all in one unit: {some(found.units)}",))
    dates = find_dates(texts, request.day_first)
    if dates is not None:
        return ColumnPlan(
            Kind.DATE,
            date_formats=dates.formats,
            first_year=dates.first_year,
            remarks=_remarks_on_dates(dates),
        )
    spellings = find_spellings(texts)
    return ColumnPlan(
        Kind.CATEGORIES,
        spellings=spellings,
        remarks=_joined(texts, spellings) + _mostly_numbers(texts),
    )


def _mostly_numbers(texts: pd.Series) -> tuple[str, ...]:
    """Return a sentence on a column of numbers with too many other cells, if it is."""
    cells = counted(texts)
    sample = cells[:: max(1, len(cells) // _SAMPLE)]
    if sum(take_apart(text) is not None for text, _ in sample) < len(sample) / 3:
        return ()  # ids and free text, of which there may be many
    others = [text for text, _ in cells if take_apart(text) is None]
    n_numbers = len(cells) - len(others)
    signs = survey(texts)
    is_mixed = signs.other and signs.numbers > _MOSTLY * signs.total
    if signs.are_codes or not is_mixed or n_numbers < max(_VARIED, 2 * len(others)):
        return ()
    return (
        f"{signs.numbers} cells are numbers and {signs.other} are not: "
        f"{some(others, 3)}; if these mark gaps, name them in --missing",
    )


def _are_compact_dates(column: pd.Series) -> bool:
    """Whether the numbers of a column are dates such as 20200315."""
    return types.is_numeric_dtype(column.dtype) and find_compact_dates(column)


def _forced(texts: pd.Series) -> Reading:
    """Return how to read a column that is to be numbers though few of its cells are."""
    forms = (NumberFormat("."), NumberFormat(","))
    found = [as_numbers(texts, Reading(form)).notna().sum() for form in forms]
    return Reading(forms[int(np.argmax(found))])


def _facts_of_numbers(found: Finding) -> tuple[str, ...]:
    """Return what the table of columns says about how numbers were read."""
    assert found.reading is not None
    facts = []
    if found.reading.ratio:
        facts.append('two numbers, before and after "/"')
    if found.reading.unit:
        facts.append(f"numbers with the unit {quote(found.reading.unit)}")
    if found.limit:
        shown = _shown(found.limit, found.reading)
        facts.append(f"{quote(found.limit)} is read as {shown}")
    return tuple(facts)


def _shown(text: str, reading: Reading) -> str:
    """Return the number in a cell as people read it."""
    value = read_cell(text, reading)
    return "missing" if value is None else f"{value:.10g}"


def _remarks_on_numbers(found: Finding) -> tuple[str, ...]:
    """Return what is worth a warning in how numbers were read."""
    assert found.reading is not None
    remarks = []
    for text in filter(None, (found.flagged, found.negative)):
        remarks.append(f"{quote(text)} is read as {_shown(text, found.reading)}")
    if found.doubt is not None:
        remarks.append(describe_doubt(found.doubt, found.reading.form))
    if found.without_unit:
        remarks.append(
            f"{found.without_unit} cells have no unit and are read as "
            f"{quote(found.reading.unit)}"
        )
    return tuple(remarks)


def describe_doubt(doubt: Doubt, form: NumberFormat) -> str:
    """Return a sentence on cells that can be read in two ways."""
    groups = doubt.sign in form.thousands
    other = "." if doubt.sign == "," else ","
    otherwise = NumberFormat(
        doubt.sign if groups else other, "" if groups else doubt.sign
    )
    advice = "--thousands none" if groups else f"--thousands {doubt.sign!r}"
    return (
        f"{quote(doubt.example)} is read as {_value_of(doubt.example, form)}; if it "
        f"means {_value_of(doubt.example, otherwise)}, add {advice}"
    )


def _value_of(text: str, form: NumberFormat) -> str:
    """Return the number in a cell as people read it."""
    cell = take_apart(text)
    value = as_number(cell, form) if cell else None
    return "something else" if value is None else f"{value:.10g}"


def _remarks_on_dates(dates: DateFinding) -> tuple[str, ...]:
    """Return what is worth a warning in how dates were read."""
    remarks = []
    if dates.example:
        remarks.append(_day_or_month(dates.example, dates.formats))
    if dates.first_year:
        first = dates.first_year
        remarks.append(f"years of two digits are read as {first} to {first + 99}")
    return tuple(remarks)


def _day_or_month(example: str, formats: tuple[str, ...]) -> str:
    """Return a sentence on dates of which day and month can change places."""
    column = pd.Series([example])
    day = as_points(column, formats).iloc[0].strftime("%d %B %Y")
    both = "day and month stand in both orders; " if has_both_orders(formats) else ""
    return (
        f"{both}{quote(example)} is read as {day}; if the month comes "
        "first, add --dates month-first"
    )


def _joined(texts: pd.Series, spellings: dict[str, str]) -> tuple[str, ...]:
    """Return a sentence on spellings that are taken as one."""
    lists = joined(texts, spellings)
    shown = "; ".join(f"{some(each[1:])} as {quote(each[0])}" for each in lists[:3])
    more = f"; and {len(lists) - 3} more" if len(lists) > 3 else ""
    return (f"spellings are joined: {shown}{more}",) if lists else ()


def _judge_id(
    plan: ColumnPlan, column: pd.Series, values: pd.Series, y: Any
) -> ColumnPlan:
    """Return the plan, or one that leaves the column out as an id or as free text."""
    if isinstance(column.dtype, pd.CategoricalDtype):
        return plan
    present = values.notna().to_numpy()
    known = None if y is None else np.asarray(y)[present]
    found = find_id(str(column.name), values[present], known)
    if found.reason:
        return ColumnPlan(Kind.LEFT_OUT, found.reason, remarks=plan.remarks)
    return (
        replace(plan, remarks=(*plan.remarks, found.remark)) if found.remark else plan
    )


def _do_gaps_tell(gaps: np.ndarray, y: Any) -> bool:
    """Whether gaps are frequent, and uneven over the classes where these are known."""
    if min(gaps.sum(), (~gaps).sum()) < max(5, 0.05 * len(gaps)):
        return False
    if y is None:
        return True
    counts = pd.crosstab(gaps, np.asarray(y))
    return bool(counts.shape[1] > 1 and chi2_contingency(counts).pvalue < 0.05)


def _facts(plan: ColumnPlan, column: pd.Series, values: pd.Series) -> list[str]:
    """Return what the table of columns should say about values."""
    facts = []
    if plan.kind is Kind.DATE:
        parts = ["days"]
        for circle in ("year", "day"):
            if f"{circle} sine" in plan.date_parts:
                parts.append(f"time of {circle}")
        facts.append(", ".join(parts))
        if plan.date_formats not in ((), (ISO,)):
            facts.append(" or ".join(map(spoken, plan.date_formats)))
    counts = values.value_counts()
    n_usual, n = int(counts.iloc[0]), int(counts.sum())
    if _NEARLY_CONSTANT * n <= n_usual < n and plan.kind is not Kind.DATE:
        usual = counts.index[0]
        shown = f"{usual:g}" if isinstance(usual, float) else quote(usual)
        facts.append(f"nearly constant: {shown} in {n_usual} of {n} rows")
    return facts


def _remarks(plan: ColumnPlan, column: pd.Series, values: pd.Series) -> list[str]:
    """Return what the user should know about a column of numbers or dates."""
    if plan.kind is Kind.CATEGORIES:
        return []
    remarks = []
    what = "number" if plan.kind is Kind.NUMBERS else "date"
    if texts := strays(column, values):
        remarks.append(f"not a {what}, treated as missing: {some(texts, 2)}")
    find_mark = _find_mark if plan.kind is Kind.NUMBERS else _find_date_mark
    if mark := find_mark(values):
        remarks.append(mark)
    return remarks


def _find_date_mark(points: pd.Series) -> str:
    """Return a sentence on a date such as 9999-12-31 that stands for a gap."""
    days = points.dt.strftime("%Y-%m-%d")
    for mark in _DATE_MARKS:
        is_mark = days == mark
        others = points[~is_mark & points.notna()]
        if is_mark.sum() < 2 or others.empty:
            continue
        distance = (others - pd.Timestamp(mark)).abs().min()
        if distance > others.max() - others.min():
            return (
                f"{mark} in {is_mark.sum()} rows is far from all other dates; if it "
                "marks a gap, name it in --missing as it is written"
            )
    return ""


def _find_mark(values: pd.Series) -> str:
    """Return a sentence on a number such as -999, repeated and far from all others."""
    for mark in (values.min(), values.max()):
        others = values[values != mark].dropna()
        count = int((values == mark).sum())
        nearest = (others - mark).abs().min()
        far = nearest > others.max() - others.min() > 0
        if far and count > 1 and _MARK.fullmatch(f"{mark:g}"):
            return (
                f"{mark:g} in {count} rows is far from all other values; if it marks "
                f"a gap, add --missing {mark:g}"
            )
    return ""
