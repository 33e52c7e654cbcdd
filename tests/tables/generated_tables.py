"""Tables as people write them, made by a generator that knows what every cell means.

`generate(seed)` draws a locale (decimal sign, separated thousands, order of day and
month, separator, encoding) and columns of many kinds, and writes them with units, marks
of gaps, limits of detection, spellings and slips. What each column means is kept beside
the file, so that a reader can be judged.
"""

import io
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from enum import Enum, auto

import numpy as np
import pandas as pd


class Meaning(Enum):
    """What a column should be taken as."""

    NUMBERS = auto()
    RATIO = auto()
    CATEGORIES = auto()
    DATE = auto()
    LEFT_OUT = auto()
    NOT_NUMBERS = auto()  # categories, or left out: anything else would be invented
    REPEATED_ID = auto()  # however it is taken, a person has to be told


@dataclass(frozen=True)
class Locale:
    """How numbers and dates are written in a country, and which files hold them."""

    name: str
    decimal: str
    thousands: tuple[str, ...]
    separators: tuple[str, ...]
    dates: tuple[str, ...]
    encodings: tuple[str, ...] = ("utf-8", "utf-8", "utf-8-sig")


LOCALES = (
    Locale("plain", ".", ("",), (",", "\t", ";"), ("%Y-%m-%d",)),
    Locale("us", ".", (",", ""), (",", "\t", "|"), ("%m/%d/%Y", "%Y-%m-%d")),
    Locale("uk", ".", (",", ""), (",", "\t"), ("%d/%m/%Y", "%d %b %Y")),
    Locale(
        "de",
        ",",
        (".", "", " "),
        (";", ";", "\t"),
        ("%d.%m.%Y", "%d.%m.%y"),
        ("utf-8", "cp1252", "utf-8-sig"),
    ),
    Locale(
        "fr",
        ",",
        (" ", "\u202f", ""),
        (";", "\t"),
        ("%d/%m/%Y", "%d-%m-%Y"),
        ("utf-8", "utf-16"),
    ),
    Locale("ch", ".", ("'", "’", ""), (";", "\t"), ("%d.%m.%Y",)),
    Locale("de in commas", ",", (".", ""), (",",), ("%d.%m.%Y", "%Y-%m-%d")),
    Locale("us with hours", ".", (",", ""), (",",), ("%m/%d/%Y %I:%M %p", "%m/%d/%y")),
)


@dataclass(frozen=True)
class Column:
    """A column as it is written, and what it means.

    Parameters
    ----------
    cells : list of str
        What stands in the file.
    meaning : Meaning
        What it should be taken as.
    truth : Series or DataFrame or None
        The numbers, both sides of a ratio, points in time, or the category of every
        row; gaps are missing.
    must_be_said : bool
        Whether a person has to be told something about it.
    maker : str
        What made it.
    """

    cells: list[str]
    meaning: Meaning
    truth: pd.Series | pd.DataFrame | None = None
    must_be_said: bool = False
    maker: str = ""


@dataclass(frozen=True)
class Target:
    """The column of the classes, and what it means.

    Parameters
    ----------
    cells : list of str
        What stands in the file.
    labels : list of str or None
        The class of every row as text, None where there is none.
    keep_marks, merge_labels : bool
        The options a person has to give for it.
    """

    cells: list[str]
    labels: list[str | None]
    keep_marks: bool = False
    merge_labels: bool = False


@dataclass(frozen=True)
class GeneratedTable:
    """A file and what it means.

    Parameters
    ----------
    name : str
        A name for the file, with a suffix that fits.
    content : bytes
        What stands in it.
    columns : dict of str to Column
        The features.
    target : Target
        The classes, in a column named "outcome".
    """

    name: str
    content: bytes
    columns: dict[str, Column]
    target: Target


@dataclass
class Scribe:
    """A person who writes a table: the locale, the habits, and the random numbers."""

    rng: np.random.Generator
    locale: Locale
    n: int
    group: np.ndarray  # the class of every row, as a number
    thousands: str = ""
    taken: set[str] = field(default_factory=set)

    def pick(self, *options):
        """Return one of the options."""
        return options[self.rng.integers(len(options))]

    def chance(self, share: float) -> bool:
        """Return True in this share of calls."""
        return bool(self.rng.random() < share)

    def rows(self, share: float, least: int = 1) -> np.ndarray:
        """Return some rows."""
        many = max(least, int(share * self.n))
        return self.rng.choice(self.n, min(many, self.n), replace=False)

    def name(self, *names: str) -> str:
        """Return a name that no column has yet."""
        name = self.pick(*names)
        while name in self.taken:
            name = f"{self.pick(*names)} {self.rng.integers(2, 99)}"
        self.taken.add(name)
        return name

    def number(self, value: float, decimals: int, grouped: bool = True) -> str:
        """Return a number as this person writes it."""
        text = f"{abs(value):,.{decimals}f}"
        whole, _, fraction = text.partition(".")
        sign = "-" if value < 0 and float(text.replace(",", "")) else ""
        whole = whole.replace(",", self.thousands if grouped else "")
        return sign + whole + (self.locale.decimal + fraction if fraction else "")


def rounded(values: np.ndarray, decimals: int) -> np.ndarray:
    """Return numbers as they are once written with so many decimals."""
    return np.array([float(f"{value:.{decimals}f}") for value in values])


def measurements(scribe: Scribe) -> tuple[np.ndarray, int]:
    """Return measurements of some size, and how many decimals they have."""
    rng, n = scribe.rng, scribe.n
    shift = scribe.group * scribe.pick(0, 0, 1)
    kind = scribe.pick("small", "medium", "counts", "large", "tiny", "signed", "money")
    if kind == "small":
        return np.abs(rng.normal(4, 2, n) + shift), scribe.pick(1, 2, 2, 3)
    if kind == "medium":
        return rng.normal(120, 25, n) + 20 * shift, scribe.pick(0, 1, 2)
    if kind == "counts":
        return np.exp(rng.normal(6.5, 1, n)) * (1 + shift), 0
    if kind == "large":
        return np.exp(rng.normal(13, 1.5, n)), 0
    if kind == "tiny":
        return np.abs(rng.normal(0.3, 0.2, n)), scribe.pick(2, 3, 4)
    if kind == "signed":
        return rng.normal(0, 3, n) + shift, scribe.pick(1, 2)
    return np.exp(rng.normal(7, 1.2, n)), 2


def numbers(scribe: Scribe) -> Column:
    """Plain measurements in the notation of the locale."""
    values, decimals = measurements(scribe)
    cells = [scribe.number(value, decimals) for value in values]
    if decimals and scribe.chance(0.3):  # as programs write them: 1.5, not 1.50
        cells = [_without_zeros(cell, scribe.locale.decimal) for cell in cells]
    return Column(cells, Meaning.NUMBERS, pd.Series(rounded(values, decimals)))


def _without_zeros(cell: str, decimal: str) -> str:
    """Return a number without zeros at the end of its fraction."""
    return cell.rstrip("0").rstrip(decimal) if decimal in cell else cell


def whole_numbers(scribe: Scribe) -> Column:
    """Ages, scores, counts: whole numbers below 1000 or above, never grouped."""
    top = scribe.pick(5, 10, 90, 300, 4000)
    values = scribe.rng.integers(0, top, scribe.n) + scribe.group
    return Column(
        [str(v) for v in values], Meaning.NUMBERS, pd.Series(values, dtype=float)
    )


def called_a_number(scribe: Scribe) -> Column:
    """Measurements that differ in nearly every row."""
    values = scribe.rng.permutation(30 * scribe.n)[: scribe.n] + 50
    cells = [scribe.number(value, 0) for value in values]
    return Column(cells, Meaning.NUMBERS, pd.Series(values, dtype=float))


def scientific(scribe: Scribe) -> Column:
    """Numbers with an exponent."""
    values = np.exp(scribe.rng.normal(12, 3, scribe.n))
    cells = [f"{value:.2e}" for value in values]
    truth = pd.Series([float(cell) for cell in cells])
    if scribe.locale.decimal == ",":
        cells = [cell.replace(".", ",") for cell in cells]
    if scribe.chance(0.5):
        cells = [cell.replace("e", "E") for cell in cells]
    return Column(cells, Meaning.NUMBERS, truth)


def thousands_alone(scribe: Scribe) -> Column:
    """Whole numbers between 1,000 and 9,999, each with a sign after the first digit.

    Only the other columns tell that they are not fractions.
    """
    values = scribe.rng.integers(1000, 9999, scribe.n)
    cells = [scribe.number(value, 0) for value in values]
    return Column(cells, Meaning.NUMBERS, pd.Series(values, dtype=float))


def thousands_now_and_then(scribe: Scribe) -> Column:
    """Whole numbers of which some have separated thousands, and others not."""
    values = np.round(np.exp(scribe.rng.normal(7.5, 1, scribe.n)))
    grouped = scribe.rng.random(scribe.n) < 0.6
    cells = [scribe.number(v, 0, bool(g)) for v, g in zip(values, grouped, strict=True)]
    return Column(cells, Meaning.NUMBERS, pd.Series(values))


def of_a_device(scribe: Scribe) -> Column:
    """Numbers with a decimal point, which a device wrote, whatever the locale."""
    decimals = scribe.pick(1, 2, 4)
    values = rounded(scribe.rng.normal(30, 9, scribe.n), decimals)
    cells = [f"{value:.{decimals}f}" for value in values]
    return Column(cells, Meaning.NUMBERS, pd.Series(values))


def signed_otherwise(scribe: Scribe) -> Column:
    """Numbers with plus signs, a true minus, a minus behind, or in brackets."""
    values = rounded(scribe.rng.normal(0, 400, scribe.n), 2)
    plus, minus = scribe.pick(
        ("+{}", "-{}"), ("{}", "\u2212{}"), ("{}", "{}-"), ("{}", "({})")
    )
    cells = [
        (minus if value < 0 else plus).format(scribe.number(abs(value), 2))
        for value in values
    ]
    return Column(cells, Meaning.NUMBERS, pd.Series(values))


def flagged(scribe: Scribe) -> Column:
    """Laboratory values with a flag behind those that are high or low."""
    plain = numbers(scribe)
    high, low = scribe.pick((" H", " L"), ("*", "*"), (" (H)", " (L)"), ("↑", "↓"))
    cells = list(plain.cells)
    for row in scribe.rows(scribe.pick(0.05, 0.2)):
        cells[row] += scribe.pick(high, low)
    return replace(plain, cells=cells, must_be_said=True)


def whole_numbers_with_zeros(scribe: Scribe) -> Column:
    """Whole numbers as programs write them once there was a gap: "45.0"."""
    values = scribe.rng.integers(0, scribe.pick(9, 90, 4000), scribe.n)
    cells = [f"{value}{scribe.locale.decimal}0" for value in values]
    return Column(cells, Meaning.NUMBERS, pd.Series(values, dtype=float))


def not_numbers(scribe: Scribe) -> Column:
    """Digits that are not numbers: versions, addresses, telephones, times, ranges."""
    rng = scribe.rng
    known = {
        "version": [f"{a}.{b}.{c}" for a in (1, 2) for b in (0, 4) for c in (1, 12)],
        "address": [f"192.168.{a}.{b}" for a in (100, 101) for b in (110, 220, 5)],
        "telephone": [f"+49 {i} {rng.integers(10**5, 10**6)}" for i in (170, 89, 171)],
        "range": ["5-10", "10-20", "20-50", "50-100"],
        "time": [f"{hour:02d}:{minute:02d}" for hour in (8, 13) for minute in (0, 30)],
        "lot": ["12-345", "12-346", "77-001"],
        "grade": ["2a", "2b", "3a", "1"],
        "score": ["+", "++", "+++"],
        "list": ["1,2,3", "2,3", "1,3", "1,2"],
        "interval": ["1.5-2.5", "2.5-3.5", "3.5-9.9"],
    }
    kind = scribe.pick(*known)
    if kind == "time" and scribe.chance(0.5):  # all different
        minutes = rng.integers(0, 1440, scribe.n)
        cells = [f"{m // 60:02d}:{m % 60:02d}" for m in minutes]
    else:
        cells = [scribe.pick(*known[kind]) for _ in range(scribe.n)]
    return Column(cells, Meaning.NOT_NUMBERS)


UNITS = ("mg", "mg/dl", "kg", "cm", "ms", "mmol/l", "km/h", "U/l", "bpm", "years", "°C")
CURRENCIES = ("$", "€", "£")


def with_unit(scribe: Scribe) -> Column:
    """Numbers with a unit behind, with a blank or without."""
    plain = numbers(scribe)
    unit, blank = scribe.pick(*UNITS), scribe.pick(" ", " ", "")
    cells = [f"{cell}{blank}{unit}" for cell in plain.cells]
    said = scribe.chance(0.2)
    if said:
        for row in scribe.rows(0.05):
            cells[row] = plain.cells[row]
    return replace(plain, cells=cells, must_be_said=said)


def percent(scribe: Scribe) -> Column:
    """Shares in per cent."""
    values = scribe.rng.uniform(0, 100, scribe.n)
    decimals, blank = scribe.pick(0, 1), scribe.pick("", " ")
    cells = [f"{scribe.number(value, decimals)}{blank}%" for value in values]
    return Column(cells, Meaning.NUMBERS, pd.Series(rounded(values, decimals)))


def money(scribe: Scribe) -> Column:
    """Amounts with the sign of a currency before or behind."""
    values = np.exp(scribe.rng.normal(6.5, 1.3, scribe.n))
    decimals = scribe.pick(0, 2)
    sign = scribe.pick(*CURRENCIES)
    form = scribe.pick("{sign}{number}", "{sign} {number}", "{number} {sign}")
    cells = [
        form.format(sign=sign, number=scribe.number(value, decimals))
        for value in values
    ]
    return Column(cells, Meaning.NUMBERS, pd.Series(rounded(values, decimals)))


def powers_of_ten(scribe: Scribe) -> Column:
    """Numbers such as 1.2x10^5."""
    powers = scribe.rng.integers(2, 9, scribe.n)
    values = scribe.rng.uniform(1, 10, scribe.n)
    form = scribe.pick("{}x10^{}", "{} x 10^{}", "{}·10^{}")
    cells = [
        form.format(scribe.number(value, 1), power)
        for value, power in zip(values, powers, strict=True)
    ]
    exact = [f"{v:.1f}e{p}" for v, p in zip(values, powers, strict=True)]
    return Column(cells, Meaning.NUMBERS, pd.Series([float(text) for text in exact]))


def amounts_abroad(scribe: Scribe) -> Column:
    """Amounts in other currencies, before or behind."""
    values = np.exp(scribe.rng.normal(6.5, 1.3, scribe.n))
    form = scribe.pick("R$ {}", "kr {}", "{} kr", "{} Kč", "{} zł", "{} ₽", "CHF {}")
    cells = [form.format(scribe.number(value, 2)) for value in values]
    return Column(cells, Meaning.NUMBERS, pd.Series(rounded(values, 2)))


def spelled_units(scribe: Scribe) -> Column:
    """Numbers with one unit in several spellings."""
    units = scribe.pick(
        ("y", "yrs", "years"), ("°C", "C"), ("h", "hours", "hrs"), ("mg/dl", "mg/dL")
    )
    values = rounded(scribe.rng.uniform(20, 60, scribe.n), 1)
    cells = [f"{scribe.number(value, 1)} {scribe.pick(*units)}" for value in values]
    return Column(cells, Meaning.NUMBERS, pd.Series(values))


def wrapped_numbers(scribe: Scribe) -> Column:
    """Numbers as ="12.5", which programs write for Excel."""
    values = rounded(scribe.rng.normal(40, 9, scribe.n), 2)
    cells = [f'="{scribe.number(value, 2)}"' for value in values]
    return Column(cells, Meaning.NUMBERS, pd.Series(values))


def several_units(scribe: Scribe) -> Column:
    """Weights, some in mg and some in g, which cannot be compared as they stand."""
    values = rounded(scribe.rng.uniform(1, 90, scribe.n), 1)
    units = np.where(scribe.rng.random(scribe.n) < 0.4, "g", "mg")
    cells = [f"{scribe.number(v, 1)} {u}" for v, u in zip(values, units, strict=True)]
    return Column(cells, Meaning.LEFT_OUT)


def ratio(scribe: Scribe) -> Column:
    """Blood pressures and the like: two numbers in a cell."""
    above = scribe.rng.integers(95, 180, scribe.n)
    below = scribe.rng.integers(55, 95, scribe.n)
    between = scribe.pick("/", "/", " / ")
    cells = [f"{a}{between}{b}" for a, b in zip(above, below, strict=True)]
    truth = pd.DataFrame({0: above, 1: below}, dtype=float)
    return Column(cells, Meaning.RATIO, truth)


def limits(scribe: Scribe) -> Column:
    """Numbers with cells beyond a limit of detection."""
    values = rounded(np.exp(scribe.rng.normal(2, 1, scribe.n)), 1)
    low = float(np.quantile(values, scribe.pick(0.05, 0.2)))
    low = float(f"{low:.1f}")
    mark = scribe.pick("<", "< ", "<=")
    cells = [
        f"{mark}{scribe.number(low, 1)}" if value <= low else scribe.number(value, 1)
        for value in values
    ]
    return Column(cells, Meaning.NUMBERS, pd.Series(np.maximum(values, low)), True)


def coded_gaps(scribe: Scribe) -> Column:
    """Numbers in which -999 or 9999 stands for a gap, which only a person knows."""
    values = scribe.rng.integers(1, 60, scribe.n)
    values[scribe.rows(0.08, 3)] = scribe.pick(-999, 9999, -99)
    cells = [scribe.number(value, 0, grouped=False) for value in values]
    return Column(cells, Meaning.NUMBERS, pd.Series(values, dtype=float), True)


def strays(scribe: Scribe) -> Column:
    """Numbers with a word here and there."""
    plain = numbers(scribe)
    cells, truth = list(plain.cells), plain.truth.copy()
    word = scribe.pick("haemolytic", "see note", "pending", "too low", "not enough")
    for row in scribe.rows(0.03):
        cells[row], truth[row] = word, np.nan
    return Column(cells, Meaning.NUMBERS, truth, True)


LEVELS = (
    ("north", "south", "east", "west"),
    ("A", "B", "AB", "O"),
    ("never", "former", "current"),
    ("T1", "T2", "T3", "T4"),
    ("E11.9", "I10", "J45.0", "N18.3"),
    ("0-17", "18-39", "40-64", "65+"),
    ("<18", "18-30", "31-50", ">50"),
    ("low", "medium", "high"),
    ("Ärztin", "Pfleger", "Verwaltung"),
    ("none", "mild", "severe"),
    ("A+", "A-", "B+", "0-"),
    ("1+", "2+", "3+", "neg"),
)


def categories(scribe: Scribe) -> Column:
    """A few words."""
    levels = scribe.pick(*LEVELS)
    cells = [scribe.pick(*levels) for _ in range(scribe.n)]
    return Column(cells, Meaning.CATEGORIES, pd.Series(cells, dtype=object))


def spelled_categories(scribe: Scribe) -> Column:
    """A few words, each in several spellings."""
    levels = scribe.pick(("north", "south", "east"), ("low", "medium", "high"))
    forms: tuple[Callable[[str], str], ...] = (str, str.upper, str.title, "{} ".format)
    truth = [scribe.pick(*levels) for _ in range(scribe.n)]
    cells = [scribe.pick(*forms)(word) for word in truth]
    return Column(cells, Meaning.CATEGORIES, pd.Series(truth, dtype=object), True)


def yes_or_no(scribe: Scribe) -> Column:
    """Yes and no, in one spelling or in many."""
    spellings = scribe.pick(
        (("yes",), ("no",)),
        (("Y",), ("N",)),
        (("TRUE",), ("FALSE",)),
        (("Yes", "yes", "Y"), ("No", "no", "N")),
        (("True", "true", "T"), ("False", "false", "F")),
        (("m", "M", "male"), ("f", "F", "female")),
        (("ja", "Ja", "j"), ("nein", "Nein", "n")),
        (("oui", "Oui", "O"), ("non", "Non", "N")),
    )
    truth = scribe.rng.integers(0, 2, scribe.n)
    cells = [scribe.pick(*spellings[side]) for side in truth]
    joined = len(set(cells)) > 2
    return Column(cells, Meaning.CATEGORIES, pd.Series(truth.astype(str)), joined)


def codes(scribe: Scribe) -> Column:
    """Codes with zeros in front: postcodes, wards."""
    digits = scribe.pick(3, 5)
    known = [
        f"{scribe.rng.integers(0, 10 ** (digits - 1)):0{digits}d}" for _ in range(4)
    ]
    known.append(f"{scribe.rng.integers(10 ** (digits - 1), 10**digits)}")
    cells = [scribe.pick(*known) for _ in range(scribe.n)]
    return Column(cells, Meaning.CATEGORIES, pd.Series(cells, dtype=object))


def _days(scribe: Scribe) -> pd.Series:
    """Return days within some years."""
    first, span = scribe.rng.integers(14_000, 18_500), scribe.pick(90, 700, 4000)
    days = first + scribe.rng.integers(0, span, scribe.n)
    return pd.Series(pd.to_datetime(days, unit="D"))


def dates(scribe: Scribe) -> Column:
    """Dates in the locale's format, some with a time."""
    points = _days(scribe)
    form = scribe.pick(*scribe.locale.dates)
    if "%I" in form or scribe.chance(0.25):
        form += "" if "%I" in form else " %H:%M"
        points += pd.to_timedelta(scribe.rng.integers(0, 1440, scribe.n), unit="min")
    return Column(points.dt.strftime(form).tolist(), Meaning.DATE, points)


def dates_in_two_formats(scribe: Scribe) -> Column:
    """Dates of which some are written in another format."""
    points = _days(scribe)
    usual = scribe.pick(*scribe.locale.dates)
    other = scribe.pick("%Y/%m/%d", "%d %B %Y") if usual == "%Y-%m-%d" else "%Y-%m-%d"
    cells = points.dt.strftime(usual)
    some = scribe.rng.random(scribe.n) < scribe.pick(0.1, 0.4)
    cells = cells.where(~some, points.dt.strftime(other))
    return Column(cells.tolist(), Meaning.DATE, points, True)


def dates_in_doubt(scribe: Scribe) -> Column:
    """Dates of the first days of months, whose day and month can change places."""
    months = scribe.rng.integers(1, 13, scribe.n)
    days = scribe.rng.integers(1, 13, scribe.n)
    years = scribe.rng.integers(2015, 2021, scribe.n)
    points = pd.Series(
        pd.to_datetime(pd.DataFrame({"year": years, "month": months, "day": days}))
    )
    form = next((f for f in scribe.locale.dates if f[1] in "md" and "b" not in f), None)
    form = form or "%d/%m/%Y"
    return Column(points.dt.strftime(form).tolist(), Meaning.DATE, points, True)


def other_dates(scribe: Scribe) -> Column:
    """Dates without signs between, with the month's name, as months, or with a T."""
    points = _days(scribe)
    form = scribe.pick("%Y%m%d", "%d-%b-%Y", "%B %d, %Y", "%Y-%m-%dT%H:%M:%S", "%b %Y")
    if form == "%b %Y":
        points = points.dt.to_period("M").dt.to_timestamp()
    return Column(points.dt.strftime(form).tolist(), Meaning.DATE, points)


def dates_with_strays(scribe: Scribe) -> Column:
    """Dates with a word here and there."""
    column = dates(scribe)
    assert isinstance(column.truth, pd.Series)
    cells, truth = list(column.cells), column.truth.copy()
    for row in scribe.rows(0.03):
        cells[row], truth[row] = "not yet", pd.NaT
    return Column(cells, Meaning.DATE, truth, True)


def births(scribe: Scribe) -> Column:
    """Days of birth with years of two digits, from 1930 on."""
    days = scribe.rng.integers(-14_600, 14_600, scribe.n)
    points = pd.Series(pd.to_datetime(days, unit="D"))
    form = scribe.pick(*scribe.locale.dates).replace("%Y", "%y")
    form = form if form[1] != "y" else "%d.%m.%y"
    if "%I" in form:
        points += pd.to_timedelta(scribe.rng.integers(0, 1440, scribe.n), unit="min")
    return Column(points.dt.strftime(form).tolist(), Meaning.DATE, points, True)


_MONTHS = (
    "Januar Februar März April Mai Juni Juli August September Oktober November "
    "Dezember",
    "janvier février mars avril mai juin juillet août septembre octobre novembre "
    "décembre",
    "enero febrero marzo abril mayo junio julio agosto septiembre octubre noviembre "
    "diciembre",
)


def months_in_words(scribe: Scribe) -> Column:
    """Dates with the name of the month in another language."""
    points, names = _days(scribe), scribe.pick(*_MONTHS).split()
    form = "{}. {} {}" if names[0] == "Januar" else "{} {} {}"
    cells = [form.format(day.day, names[day.month - 1], day.year) for day in points]
    return Column(cells, Meaning.DATE, points)


def repeated_ids(scribe: Scribe) -> Column:
    """The same patients again and again."""
    subjects = scribe.rng.integers(0, scribe.n // 3, scribe.n)
    form = scribe.pick("{}", "P{:04d}", "{:06d}")
    cells = [form.format(subject) for subject in subjects]
    return Column(cells, Meaning.REPEATED_ID, must_be_said=True)


def nearly_constant(scribe: Scribe) -> Column:
    """One number in nearly all rows."""
    values = np.full(scribe.n, scribe.pick(0, 1, 7))
    values[scribe.rng.integers(scribe.n)] = 3
    cells = [str(value) for value in values]
    return Column(cells, Meaning.NUMBERS, pd.Series(values, dtype=float), True)


def row_numbers(scribe: Scribe) -> Column:
    """Numbers that count the rows."""
    first = scribe.pick(0, 1, 1001)
    return Column([str(first + i) for i in range(scribe.n)], Meaning.LEFT_OUT)


def text_ids(scribe: Scribe) -> Column:
    """Ids with a letter, zeros in front, or more digits than a float holds."""
    rng, n = scribe.rng, scribe.n
    kind = scribe.pick("letter", "zeros", "long", "hex")
    drawn = rng.permutation(90 * n)[:n]
    if kind == "letter":
        return Column([f"P{i:06d}" for i in drawn], Meaning.LEFT_OUT)
    if kind == "zeros":
        return Column([f"{i:08d}" for i in drawn], Meaning.LEFT_OUT)
    if kind == "long":
        return Column(
            [str(7_000_000_000_000_000_000 + i) for i in drawn], Meaning.LEFT_OUT
        )
    return Column([rng.bytes(8).hex() for _ in range(n)], Meaning.LEFT_OUT)


def number_ids(scribe: Scribe) -> Column:
    """Different numbers in no order, in a column called an id."""
    drawn = scribe.rng.permutation(9 * scribe.n)[: scribe.n] + 100_000
    return Column([str(i) for i in drawn], Meaning.LEFT_OUT)


WORDS = [
    "patient",
    "slept",
    "badly",
    "and",
    "ate",
    "little",
    "on",
    "ward",
    "after",
    "the",
    "visit",
    "of",
    "family",
]


def free_text(scribe: Scribe) -> Column:
    """Sentences."""
    cells = [
        " ".join(scribe.rng.choice(WORDS, scribe.rng.integers(5, 12)))
        for _ in range(scribe.n)
    ]
    return Column(cells, Meaning.LEFT_OUT)


def constant(scribe: Scribe) -> Column:
    """One value in all rows, or none."""
    value = scribe.pick("A", "1", "1.5", "", "NA")
    return Column([value] * scribe.n, Meaning.LEFT_OUT)


MAKERS: tuple[tuple[Callable[[Scribe], Column], float, tuple[str, ...]], ...] = (
    (numbers, 6, ("creatinine", "marker", "titre", "load", "pressure", "amount")),
    (whole_numbers, 3, ("age", "score", "visits", "children")),
    (called_a_number, 1, ("platelet number", "CD4 cell no", "rank", "serial test")),
    (thousands_alone, 0.5, ("steps", "cells")),
    (thousands_now_and_then, 0.7, ("steps per day", "volume")),
    (of_a_device, 0.7, ("sensor", "device")),
    (signed_otherwise, 0.7, ("change", "profit")),
    (flagged, 0.8, ("calcium", "ferritin")),
    (whole_numbers_with_zeros, 0.8, ("points", "parity")),
    (not_numbers, 1.5, ("info", "detail", "kind")),
    (other_dates, 1, ("day", "when")),
    (dates_with_strays, 0.5, ("discharge", "operated")),
    (repeated_ids, 0.6, ("patient_id", "patient", "subject")),
    (nearly_constant, 0.4, ("flag", "device type")),
    (scientific, 1, ("viral load", "intensity")),
    (with_unit, 2, ("dose", "weight", "speed", "temperature")),
    (percent, 1, ("share", "saturation", "humidity")),
    (money, 1.5, ("price", "charges", "balance")),
    (powers_of_ten, 0.4, ("copies", "colonies")),
    (amounts_abroad, 0.8, ("fee", "fare")),
    (spelled_units, 0.6, ("duration", "warmth")),
    (wrapped_numbers, 0.4, ("exported", "cell value")),
    (births, 0.6, ("birthday", "date of birth")),
    (months_in_words, 0.5, ("entered", "left on")),
    (several_units, 0.4, ("mass", "dose given")),
    (ratio, 0.8, ("blood pressure", "bp")),
    (limits, 1, ("troponin", "crp")),
    (coded_gaps, 0.8, ("months", "count")),
    (strays, 1, ("potassium", "sodium")),
    (categories, 3, ("region", "stage", "group", "code")),
    (spelled_categories, 1, ("area", "level")),
    (yes_or_no, 1.5, ("smoker", "insured", "sex")),
    (codes, 1, ("postcode", "ward")),
    (dates, 2, ("admitted", "date", "born")),
    (dates_in_two_formats, 0.7, ("seen", "last visit")),
    (dates_in_doubt, 0.5, ("start", "due")),
    (row_numbers, 0.7, ("id", "no", "row", "record_id")),
    (text_ids, 1, ("patient_id", "case", "mrn", "token")),
    (number_ids, 0.7, ("patient_id", "MRN", "customer id")),
    (free_text, 0.6, ("notes", "comment")),
    (constant, 0.5, ("clinic", "version")),
)
MARKS = (
    "",
    "",
    "NA",
    "N/A",
    "?",
    "-",
    "n/d",
    "NULL",
    "nan",
    ".",
    "#N/A",
    "--",
    "missing",
)


def with_gaps(scribe: Scribe, column: Column) -> Column:
    """Return a column with some cells empty or marked as a gap."""
    cells, mark = list(column.cells), scribe.pick(*MARKS)
    truth = None if column.truth is None else column.truth.copy()
    for row in scribe.rows(scribe.pick(0.02, 0.1, 0.3)):
        cells[row] = mark
        if truth is not None:
            truth.iloc[row] = np.nan if column.meaning is not Meaning.DATE else pd.NaT
    return replace(column, cells=cells, truth=truth)


CLASSES = (
    ("healthy", "ill"),
    ("benign", "malignant", "unclear"),
    ("0", "1"),
    ("1", "2", "3", "4"),
    ("01", "02", "10"),
    ("A", "B", "C"),
    ("True", "False"),
    ("good", "fair", "poor", "n. a."),
)


def make_target(scribe: Scribe) -> Target:
    """Return classes of very different size, with what people write for them."""
    names = list(scribe.pick(*(c for c in CLASSES)))
    way = scribe.pick("plain", "plain", "gaps", "marks", "spellings")
    if way == "marks":
        names = [*names[:1], *scribe.pick(("ND", "-"), ("NA", "n/a"), ("?", "none"))]
    labels = _drawn_labels(scribe, names)
    cells: list[str] = list(labels)
    if way == "gaps":
        mark = scribe.pick("", "NA", "?", "-")
        known: list[str | None] = list(labels)
        for row in scribe.rows(0.05, 2):
            cells[row], known[row] = mark, None
        return Target(cells, known)
    if way == "spellings" and names[0].isalpha() and len(names[0]) > 1:
        forms: tuple[Callable[[str], str], ...] = (str, str, str.upper, " {}".format)
        cells = [scribe.pick(*forms)(label) for label in labels]
        return Target(cells, list(labels), merge_labels=True)
    return Target(cells, list(labels), keep_marks=way == "marks")


def _drawn_labels(scribe: Scribe, names: list[str]) -> list[str]:
    """Return a class for every row, the later names the rarer, each at least twice."""
    noise = scribe.rng.normal(size=scribe.n)
    order = np.argsort(np.argsort(noise - scribe.group))
    sizes = [max(2, int(scribe.n * 0.6 * 0.3**place)) for place in range(len(names))]
    sizes[0] += scribe.n - sum(sizes)
    return [np.repeat(names, sizes)[place] for place in order]


def generate(seed: int) -> GeneratedTable:
    """Return the table of a seed."""
    rng = np.random.default_rng(seed)
    n = int(rng.integers(60, 240))
    group = (rng.random(n) < 0.3).astype(int)
    scribe = Scribe(rng, LOCALES[rng.integers(len(LOCALES))], n, group)
    scribe.thousands = scribe.pick(*scribe.locale.thousands)
    weights = np.array([weight for _, weight, _ in MAKERS])
    columns: dict[str, Column] = {}
    for place in rng.choice(
        len(MAKERS), rng.integers(4, 12), p=weights / weights.sum()
    ):
        make, _, names = MAKERS[place]
        column = replace(make(scribe), maker=make.__name__)
        can_have_gaps = make not in (
            row_numbers,
            number_ids,
            constant,
            spelled_categories,
            nearly_constant,
        )
        if can_have_gaps and scribe.chance(0.35):
            column = with_gaps(scribe, column)
        columns[scribe.name(*names)] = column
    name, column = list(columns.items())[-1]
    if scribe.chance(0.05) and column.meaning is Meaning.NUMBERS:
        columns[f"{name} again"] = replace(column, must_be_said=True, maker="again")
    if all(column.truth is None for column in columns.values()):
        columns[scribe.name("age")] = whole_numbers(scribe)
    target = make_target(scribe)
    cells = {name: column.cells for name, column in columns.items()}
    texts = pd.DataFrame({**cells, "outcome": target.cells})
    name, content = _write(scribe, texts)
    return GeneratedTable(name, content, columns, target)


def _write(scribe: Scribe, texts: pd.DataFrame) -> tuple[str, bytes]:
    """Return a file's name and content."""
    has_formulas = texts.map(lambda cell: cell.startswith("=")).to_numpy().any()
    if scribe.chance(0.1) and not has_formulas:
        buffer = io.BytesIO()
        texts.to_excel(buffer, index=False)
        return f"{scribe.locale.name}.xlsx", buffer.getvalue()
    sep = scribe.pick(*scribe.locale.separators)
    encoding = scribe.pick(*scribe.locale.encodings)
    text = texts.to_csv(
        index=False,
        sep=sep,
        quoting=scribe.pick(0, 0, 1),  # where needed, or everywhere
        lineterminator=scribe.pick("\n", "\r\n"),
    )
    habit = scribe.pick(*["plain"] * 6, "hint", "blank lines", "open end")
    if habit == "hint":
        text = f"sep={sep}\n{text}"
    elif habit == "blank lines":
        text = f"\n\n{text}\n\n"
    elif habit == "open end":
        text = "".join(f"{line}{sep}\n" for line in text.splitlines())
    try:
        content = text.encode(encoding)
    except UnicodeEncodeError:  # a sign that the charset does not have
        content = text.encode("utf-8")
    return f"{scribe.locale.name}.csv", content
