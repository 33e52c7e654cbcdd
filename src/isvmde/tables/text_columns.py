"""The columns of a text file: numbers where nothing is lost by it, else their text."""

import re
from collections import Counter
from dataclasses import dataclass, field

import numpy as np
import pandas as pd

from isvmde.caller import warn_caller

from .cells import GAP_MARKS, as_texts, replaced
from .errors import ColumnWarning, quote
from .judging import describe_doubt
from .notation import (
    DecimalSigns,
    NumberFormat,
    SignCounts,
    as_number,
    choose_format,
    decimal_sign,
    plain_text,
    take_apart,
)
from .numbers import find_numbers, survey

_MOST = 0.9  # share of cells that have to be numbers before any of them is rewritten
# What "1.5", "0.123" and "1234.5" have, and "1.234" has not: a point before a fraction.
_FRACTION = re.compile(r"^[+-]?(?:\d*\.(?!\d{3}$)|0\d*\.|\d{4,}\.)|[eE]", re.MULTILINE)
# Codes such as 007, digits that a float does not hold, and Python's 1_000.
_NOT_PLAIN = re.compile(r"^[+-]?(?:0\d+[ \t]*$|\d{16,})|_", re.MULTILINE)
_AS_FORMULA = r'\s*="[^"]*"\s*'
_NOT_WHOLE = re.compile(r"[.eEiI]")  # the last as in "inf"


NOTHING_EXPECTED = DecimalSigns()


@dataclass
class TextColumn:
    """A column that is read piece by piece.

    Parameters
    ----------
    stays_text : bool
        Whether its cells are wanted as they are written.
    point_is_decimal : bool
        Whether a point may be a decimal sign, as far as a person named it.
    pieces : list of ndarray
        Numbers, or objects: the text of the cells.
    has_fractions : bool
        Whether there are cells such as "1.5", with a point that can only be decimal.
    """

    stays_text: bool = False
    point_is_decimal: bool = True
    pieces: list[np.ndarray] = field(default_factory=list)
    has_fractions: bool = False

    def add(self, cells: np.ndarray) -> None:
        """Add cells: texts, and NaN where a row was too short."""
        numbers = None if self.stays_text else self._as_plain_numbers(cells)
        self.pieces.append(_without_formulas(cells) if numbers is None else numbers)

    @property
    def is_mixed(self) -> bool:
        """Whether a later piece showed that the first ones had to stay text."""
        return len({piece.dtype == object for piece in self.pieces}) > 1

    @property
    def is_text(self) -> bool:
        """Whether all pieces are text."""
        return all(piece.dtype == object for piece in self.pieces)

    def joined(self) -> pd.Series:
        """Return the whole column, and forget its pieces; text has no blanks around."""
        cells = np.concatenate(self.pieces)
        self.pieces.clear()
        if cells.dtype != object:
            return pd.Series(cells)
        texts = pd.Series(cells).astype("str").where(pd.notna(cells), None)
        texts = texts.str.strip()
        return texts if self.stays_text else texts.mask(texts == "")

    def _as_plain_numbers(self, cells: np.ndarray) -> np.ndarray | None:
        """Return numbers if every cell is one in plain notation, or a gap."""
        gaps = pd.isna(cells) | pd.Series(cells).isin(GAP_MARKS).to_numpy()
        try:
            numbers = np.where(gaps, np.nan, cells).astype(np.float64)
        except ValueError:
            return None
        text = "\n".join(cells[~gaps])
        if _NOT_PLAIN.search(text) or gaps.all():
            return None
        if "." in text:
            if not self.point_is_decimal or not _FRACTION.search(text):
                return None  # the points of "1.230" may separate thousands
            # "45.0" is how pandas writes a whole number beside a gap
            self.has_fractions = self.has_fractions or bool((numbers % 1 > 0).any())
        is_whole = not gaps.any() and not _NOT_WHOLE.search(text)
        return numbers.astype(np.int64) if is_whole else numbers


def _without_formulas(cells: np.ndarray) -> np.ndarray:
    """Return texts without the ="..." that keeps Excel from changing them."""
    wrapped = pd.Series(cells).str.fullmatch(_AS_FORMULA).eq(True).to_numpy(bool)
    if not wrapped.any():
        return cells
    return np.where(wrapped, pd.Series(cells).str.strip().str.slice(2, -1), cells)


@dataclass(frozen=True)
class NumbersFound:
    """The columns of a file with their numbers read, and how the file writes numbers.

    Parameters
    ----------
    columns : dict of int to Series
        The columns that were given as text, by their places.
    has_decimal_comma : bool
        Whether there is a column with decimal commas.
    thousands : str
        The sign between thousands in at least one column, or nothing.
    decimal_signs : DecimalSigns
        Those of the file and of its columns.
    """

    columns: dict[int, pd.Series]
    has_decimal_comma: bool
    thousands: str
    decimal_signs: DecimalSigns


def stated_format(decimal: str | None, thousands: str | None) -> NumberFormat | None:
    """Return the notation that a person named, or None if the cells are to tell it."""
    if decimal is None and thousands is None:
        return None
    if thousands is None:
        assert decimal is not None
        return NumberFormat(decimal, "," if decimal == "." else ".", strict=True)
    if decimal is None:
        decimal = {",": ".", ".": ","}.get(thousands, ".,")
    groups = thousands if thousands in (",", ".") else ""
    return NumberFormat(decimal, groups, strict=True)


def read_numbers_of_file(
    columns: dict[int, pd.Series],
    names: dict[int, str],
    with_fractions: list[str],
    separator: str = "",
    stated: NumberFormat | None = None,
    expected: DecimalSigns = NOTHING_EXPECTED,
) -> NumbersFound:
    """Read the numbers in columns of text.

    A column of numbers becomes float64. Where other cells or units stand among the
    numbers, it stays text with the numbers in plain notation. ``with_fractions`` names
    other columns of the file, in which the point can only be decimal.
    """
    counts = {place: survey(column) for place, column in columns.items()}
    of_file = _sign_of_file(counts, names, with_fractions, expected)
    read = dict(columns)
    has_decimal_comma = False
    thousands = ""
    signs: dict[str, str] = dict.fromkeys(with_fractions, ".")
    for place, column in columns.items():
        if not _holds_numbers(counts[place]):
            continue
        name = names[place]
        usual = expected.expected(name, of_file)
        form, doubt = choose_format(counts[place], usual, separator)
        if stated is not None:
            form, doubt = stated, None
        if doubt is not None:
            said = f"column {quote(name)}: {describe_doubt(doubt, form)}"
            warn_caller(said, ColumnWarning)
        decimal_comma = counts[place].decimal[","] or counts[place].open[","]
        has_decimal_comma |= "," in form.decimal and decimal_comma > 0
        thousands = thousands or _separated_by(counts[place], form)
        read[place] = read_numbers(column, form)
        if counts[place].shows_signs and len(form.decimal) == 1:
            signs.setdefault(name, form.decimal)
    differing = {name: sign for name, sign in signs.items() if sign != of_file}
    decimal_signs = DecimalSigns(of_file, differing)
    return NumbersFound(read, has_decimal_comma, thousands, decimal_signs)


def _sign_of_file(
    counts: dict[int, SignCounts],
    names: dict[int, str],
    with_fractions: list[str],
    expected: DecimalSigns,
) -> str | None:
    """Return the decimal sign of a file; columns known as exceptions have no vote."""
    exceptions = expected.of_columns
    evidence = [
        count
        for place, count in counts.items()
        if _holds_numbers(count) and names[place] not in exceptions
    ]
    plain = SignCounts(Counter({".": 1}), Counter(), Counter())
    n_plain = sum(name not in exceptions for name in with_fractions)
    return decimal_sign(evidence + [plain] * n_plain)


def _separated_by(counts: SignCounts, form: NumberFormat) -> str:
    """Return the sign that separates thousands in a column, or nothing."""
    signs = [s for s in form.thousands if counts.groups[s] or counts.open[s]]
    return signs[0] if signs else ""


def _holds_numbers(counts: SignCounts) -> bool:
    """Whether nearly all cells are numbers, and not codes."""
    enough = counts.numbers and counts.numbers >= _MOST * counts.total
    return bool(enough) and not counts.are_codes


def read_numbers(column: pd.Series, form: NumberFormat) -> pd.Series:
    """Return a column as numbers, or as text with its numbers in plain notation."""
    texts = as_texts(column)
    different = [str(text) for text in texts.dropna().unique()]
    values: dict[str, float] = {}
    for text in different:
        cell = take_apart(text)
        if cell is not None and not (cell.unit or cell.limit or cell.minus):
            number = as_number(cell, form)
            if number is not None:
                values[text] = number
    if len(values) == len(different):
        return replaced(texts, values, "float64")
    plain = {text: plain_text(text, form) for text in different}
    changed = column.astype(object).map(lambda cell: plain.get(cell, cell))
    if find_numbers(changed).reading is None:
        return column  # such as "1st" and "2nd": they stay as they are written
    return changed.astype(column.dtype)
