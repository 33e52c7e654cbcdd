"""How people write numbers: decimal signs, separated thousands, units, limits.

One cell often tells how it is to be read: "1,5" has a decimal comma, "1.230,50" as
well, "1,234,567" separates thousands. Others do not: "1,230" may be 1230 or 1.23. They
are read as the other cells of the column say, or else as the other columns of the file.
"""

import re
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

# signs that separate thousands and nothing else: blanks of four widths, apostrophes
_GROUP_SIGNS = " \u00a0\u2009\u202f'’"
_MOST_SIGNS = 40  # a cell with more is not a number that somebody wrote
_CURRENCY_SIGNS = "$¢£¤¥\u20a0-\u20c0"  # the last are all from the euro's block
_CURRENCY = (
    rf"(?:(?:US|AU?|CA?|NZ|HK|S|R|MX)?[{_CURRENCY_SIGNS}]"
    r"|(?:USD|EUR|GBP|CHF|JPY|CAD|AUD|INR|BRL|CNY|RMB|SEK|NOK|DKK|PLN|CZK|HUF|TRY|ZAR"
    r"|MXN|SFr|Fr|Rs|[Kk]r)\b\.?)"
)
_SUPERSCRIPTS = str.maketrans("⁰¹²³⁴⁵⁶⁷⁸⁹⁻⁺", "0123456789-+")
# "1.2x10^5", "1,2·10⁵"; with a unit behind it, "x10^9/l" is a part of the unit
_POWER = r"\s*[x×·*]\s*10(?:\^[+-]?\d{1,2}|[⁺⁻]?[⁰¹²³⁴⁵⁶⁷⁸⁹]{1,2})(?=\s*$)"
_CELL = re.compile(
    r"(?P<limit>(?:[<>≤≥~=≈]|ca\.)+\s*)?"
    rf"(?P<currency>{_CURRENCY}\s*)?"
    r"(?P<sign>[+\-−]\s?)?"
    rf"(?P<late_currency>{_CURRENCY}\s*)?"
    rf"(?P<digits>[.,]?\d(?:[\d.,{_GROUP_SIGNS}]*\d)?[.,]?)"
    r"(?:(?<=[.,])[-–—]{1,2}(?!\d))?"  # "5,-" is a price without cents
    rf"(?P<exponent>[eE][+-]?\d+|{_POWER})?"
    r"\s*(?P<unit>(?:[x×*]?\s?10\^?\d{1,2}\s?/?\s?)?[^\W\d_][^\d;,<>=()]{0,14}[23²³]?"
    rf"|[%‰°º′″µμ{_CURRENCY_SIGNS}][^\d;,<>=()]{{0,14}}"
    r"|\*{1,3}|[!#↑↓]|\([HLhl]{1,2}\))?"
)
# "5,00-" and "(5.00)" are negative numbers; "3-" may be a grade
_MINUS_BEHIND = re.compile(r"[^-−]*\d[.,]\d[^-−]*[-−]")
_IN_BRACKETS = re.compile(r"\([^()]*\d[^()]*\)")
_BY_GROUP_SIGNS = re.compile(rf"\d{{1,3}}(?:[{_GROUP_SIGNS}]\d{{3}})+(?:[.,]\d*)?")
# the latter is Indian: lakhs and crores, as in "12,34,567"
_GROUPS = re.compile(r"\d{1,3}(?:([.,])\d{3})(?:\1\d{3})*|\d{1,2}(?:,\d{2})+,\d{3}")
_LONG_NUMBER = 16  # digits, from which on a whole number is not exact as a float
_MANY = 5  # cells that say more together than one by chance
_CODES = 0.05  # share of cells with leading zeros, from which on all are codes


@dataclass(frozen=True)
class NumberFormat:
    """How the numbers of a column are written.

    Parameters
    ----------
    decimal : str
        "." or ",", or ".," where both stand before fractions.
    thousands : str
        "," or "." where it separates thousands, or nothing. Blanks and apostrophes
        always do.
    strict : bool
        Whether a cell that was clearly written otherwise is not a number.
    """

    decimal: str = "."
    thousands: str = ""
    strict: bool = False


@dataclass(frozen=True)
class Cell:
    """A number as it was written, taken apart.

    Parameters
    ----------
    limit : str
        What stands before a limit of detection, as in "<5".
    digits : str
        Sign, digits and the signs between them.
    exponent : str
        As in "1e5", from the "e" on.
    unit : str
        A unit, a currency or a per cent sign, before or after the number; also a flag,
        such as the "H" of a high value.
    minus : str
        How a negative number was written if not with a minus in front: "()" or "-".
    """

    limit: str
    digits: str
    exponent: str
    unit: str
    minus: str = ""


def take_apart(text: str) -> Cell | None:
    """Return the parts of a number, or None if the text is not one."""
    if _IN_BRACKETS.fullmatch(text):
        return _negative(_parts(text[1:-1].strip()), "()")
    if _MINUS_BEHIND.fullmatch(text):
        return _negative(_parts(text[:-1].rstrip()), "-")
    return _parts(text)


def _negative(cell: Cell | None, minus: str) -> Cell | None:
    """Return the negative of a number without a sign of its own."""
    if cell is None or cell.limit or cell.digits.startswith("-"):
        return None
    return replace(cell, digits=f"-{cell.digits}", minus=minus)


def _parts(text: str) -> Cell | None:
    """Return the parts of a number that has its sign in front."""
    found = _CELL.fullmatch(text) if len(text) <= _MOST_SIGNS else None
    if found is None:
        return None
    currency = found["currency"] or found["late_currency"] or ""
    unit = (found["unit"] or "").strip()
    if currency and unit:
        return None
    sign = "-" if (found["sign"] or "").strip() in ("-", "−") else ""
    return Cell(
        limit=(found["limit"] or "").strip(),
        digits=sign + found["digits"],
        exponent=_plain_exponent(found["exponent"] or ""),
        unit=currency.strip() or unit,
    )


def _plain_exponent(written: str) -> str:
    """Return an exponent as in "1e5"; it may be written as a power of ten."""
    _, ten, power = written.translate(_SUPERSCRIPTS).partition("10")
    return f"e{power.removeprefix('^')}" if ten and written[0] not in "eE" else written


@dataclass
class SignCounts:
    """How often the cells of a column show what their signs stand for.

    Parameters
    ----------
    decimal, groups, open : Counter of str
        By sign, "." or ",": cells where it can only be decimal, where it can only
        separate thousands, and where it may be either.
    small, large : int
        Whole numbers of up to three digits without a sign, and of more.
    leading_zero, long : int
        Whole numbers that begin with a zero, such as "007", and of 16 digits or more.
    other : int
        Cells that are not numbers.
    """

    decimal: Counter[str]
    groups: Counter[str]
    open: Counter[str]
    small: int = 0
    large: int = 0
    leading_zero: int = 0
    long: int = 0
    other: int = 0
    example: str = ""

    @property
    def numbers(self) -> int:
        """How many cells are numbers in one notation or another."""
        signs = self.decimal.total() + self.groups.total() + self.open.total()
        return signs + self.small + self.large + self.leading_zero + self.long

    @property
    def total(self) -> int:
        """How many cells were counted."""
        return self.numbers + self.other

    @property
    def shows_signs(self) -> bool:
        """Whether there are numbers with a point or a comma."""
        return bool(self.decimal or self.groups or self.open)

    @property
    def are_codes(self) -> bool:
        """Whether digits stand for names: leading zeros, or more than a number has."""
        zeros = self.leading_zero > max(1, _CODES * self.numbers)
        return zeros or 2 * self.long > self.numbers


def count_signs(cells: Iterable[tuple[str, int]]) -> SignCounts:
    """Count what the signs of cells stand for; each comes with how often it occurs."""
    counts = SignCounts(Counter(), Counter(), Counter())
    for text, times in cells:
        cell = take_apart(text)
        if cell is None or not _count_cell(cell, times, counts):
            counts.other += times
        elif counts.open and not counts.example:
            counts.example = text
    return counts


def _count_cell(cell: Cell, times: int, counts: SignCounts) -> bool:
    """Add a cell to the counts, unless its digits are not a number."""
    digits = cell.digits.lstrip("-")
    if _BY_GROUP_SIGNS.fullmatch(digits):
        digits = _without(digits, _GROUP_SIGNS)
        last = re.search("[.,]", digits)
        if last is None:
            counts.large += times
        else:
            counts.decimal[last[0]] += times
        return True
    if digits.isdecimal():
        if len(digits) >= _LONG_NUMBER:
            counts.long += times
        elif digits[0] == "0" and len(digits) > 1:
            counts.leading_zero += times
        elif len(digits) <= 3:
            counts.small += times
        else:
            counts.large += times
        return True
    signs = set(digits) & {".", ","}
    if len(signs) != len(set(digits) - set("0123456789")):
        return False  # blanks that are not between thousands
    if len(signs) == 2:
        decimal = max(signs, key=digits.rindex)
        whole, _, fraction = digits.rpartition(decimal)
        if not _GROUPS.fullmatch(whole) or not fraction.isdecimal():
            return False
        counts.decimal[decimal] += times
        counts.groups[_other(decimal)] += times
        return True
    sign = signs.pop()
    if digits.count(sign) > 1:
        if not _GROUPS.fullmatch(digits) or digits[0] == "0":
            return False
        counts.groups[sign] += times
    elif _GROUPS.fullmatch(digits) and digits[0] != "0" and not cell.exponent:
        counts.open[sign] += times
    else:
        counts.decimal[sign] += times
    return True


@dataclass(frozen=True)
class Doubt:
    """Cells that can be read in two ways, and why they are read in this one.

    Parameters
    ----------
    sign : str
        The sign that may be decimal or separate thousands.
    example : str
        A cell with it.
    """

    sign: str
    example: str


def decimal_sign(counts: Iterable[SignCounts]) -> str | None:
    """Return the decimal sign that the columns of a file agree on, if they do."""
    comma = point = 0
    for column in counts:
        commas = column.decimal[","] + column.groups["."]
        points = column.decimal["."] + column.groups[","]
        comma += commas > points
        point += points > commas
    if comma == point:
        return None
    return "," if comma > point else "."


@dataclass(frozen=True)
class DecimalSigns:
    """Which decimal signs a table was read with, and which to expect in new rows.

    A single new row often leaves open whether "1,230" is 1230 or 1.23. It is read as
    the same column of the training table was.

    Parameters
    ----------
    of_file : str or None
        "." or ",", if the columns of the file agree.
    of_columns : mapping of str to str
        The same for columns that differ, by name.
    """

    of_file: str | None = None
    of_columns: Mapping[str, str] = field(default_factory=dict)

    def expected(self, column: str, of_new_file: str | None) -> str | None:
        """Return the sign to expect in a column of a file that may show one itself."""
        return self.of_columns.get(column) or of_new_file or self.of_file

    def to_record(self) -> dict[str, Any]:
        """Return the signs in what JSON can hold."""
        return {"of_file": self.of_file, "of_columns": dict(self.of_columns)}

    @classmethod
    def from_record(cls, record: Any) -> "DecimalSigns":
        """Return the signs of a record; a ValueError if it does not hold signs."""
        try:
            signs = cls(record["of_file"], dict(record["of_columns"]))
            known = set(signs.of_columns.values()) | {signs.of_file}
        except (KeyError, TypeError, ValueError):
            raise ValueError(f"{record!r:.60} does not hold decimal signs") from None
        if not known <= {".", ",", None}:
            raise ValueError(f"{record!r:.60} does not hold decimal signs")
        return signs


def choose_format(
    column: SignCounts,
    of_file: str | None = None,
    separator: str = "",
) -> tuple[NumberFormat, Doubt | None]:
    """Return how the numbers of a column are written, and what remains in doubt.

    ``of_file`` is the decimal sign that other columns show; ``separator`` stands
    between the columns of the file.
    """
    commas = column.decimal[","] + column.groups["."]
    points = column.decimal["."] + column.groups[","]
    in_doubt = [sign for sign in (",", ".") if column.open[sign]]
    doubt = Doubt(in_doubt[0], column.example) if in_doubt else None
    if column.decimal[","] and column.decimal["."]:  # "1.5" beside "1,5"
        if not column.groups:
            return NumberFormat(".,"), doubt
        decimal = "," if commas > points else "."
        return NumberFormat(decimal, _other(decimal)), doubt
    if commas or points:
        if column.groups["."] and column.groups[","]:
            return NumberFormat(".", ".,"), doubt
        decimal = "," if commas > points else "."
        return NumberFormat(decimal, _other(decimal)), None
    if len(in_doubt) == 2:  # "1,230" beside "1.230": thousands, or fractions
        return NumberFormat(of_file or ".", _other(of_file or ".")), doubt
    if not doubt:
        return NumberFormat(of_file or "."), None
    sign = doubt.sign
    if of_file is not None:
        unlikely = of_file == sign and _looks_grouped(column)
        return NumberFormat(of_file, _other(of_file)), doubt if unlikely else None
    if column.large or column.leading_zero:  # "1234" beside "7,591"
        return NumberFormat(sign), doubt if sign == "," else None
    if _looks_grouped(column):
        return NumberFormat(_other(sign), sign), doubt
    if sign == "." or separator == ";":
        return NumberFormat(sign), doubt
    return NumberFormat(".", ","), doubt


def _looks_grouped(column: SignCounts) -> bool:
    """Whether numbers below 1000 have no sign, and all others one before 3 digits."""
    return column.small > 0 and column.open.total() >= _MANY and not column.large


def _other(sign: str) -> str:
    """Return the point for the comma, and the comma for the point."""
    return "." if sign == "," else ","


def plain_digits(digits: str, form: NumberFormat) -> str | None:
    """Return the digits with a decimal point and without separated thousands."""
    sign, digits = ("-", digits[1:]) if digits.startswith("-") else ("", digits)
    if _BY_GROUP_SIGNS.fullmatch(digits):
        digits = _without(digits, _GROUP_SIGNS)
    points, commas = digits.count("."), digits.count(",")
    if points and commas:
        decimal = max(".,", key=digits.rindex)
        whole, _, fraction = digits.rpartition(decimal)
        allowed = not form.strict or (
            decimal in form.decimal and _other(decimal) in form.thousands
        )
        if not allowed or not _GROUPS.fullmatch(whole):
            return None
        return f"{sign}{_without(whole, '.,')}.{fraction}"
    if not points and not commas:
        return sign + digits if digits.isdecimal() else None
    mark = "." if points else ","
    can_group = _GROUPS.fullmatch(digits) is not None and digits[0] != "0"
    can_be_decimal = points + commas == 1
    if form.strict:
        can_group = can_group and mark in form.thousands
        can_be_decimal = can_be_decimal and mark in form.decimal
    if can_group and (mark in form.thousands or not can_be_decimal):
        return sign + _without(digits, mark)
    return sign + digits.replace(mark, ".") if can_be_decimal else None


def as_number(cell: Cell, form: NumberFormat) -> float | None:
    """Return the value of a cell, or None if it is not written in this notation."""
    digits = plain_digits(cell.digits, form)
    if digits is None:
        return None
    try:
        return float(digits + cell.exponent)
    except ValueError:  # blanks that do not separate thousands
        return None


def plain_text(text: str, form: NumberFormat) -> str:
    """Return a cell with its number in plain notation; other cells as they are."""
    cell = take_apart(text)
    digits = plain_digits(cell.digits, form) if cell else None
    if cell is None or digits is None:
        return text
    if digits == cell.digits and not _GROUPS.fullmatch(digits.lstrip("-")):
        return text
    # a fourth digit: three would again look like separated thousands
    fourth = "0" if _GROUPS.fullmatch(digits.lstrip("-")) and "." in digits else ""
    number = f"{digits}{fourth}{cell.exponent}"
    if cell.minus:
        number = f"({number.removeprefix('-')})"
    return " ".join(f"{cell.limit}{number} {cell.unit}".split())


def _without(text: str, signs: str) -> str:
    """Return a text without some signs."""
    return text.translate(dict.fromkeys(map(ord, signs)))
