"""Text files of columns: which encoding, separator and decimal sign they use."""

import codecs
import csv
import itertools
import re
import warnings
from collections.abc import Iterable
from contextlib import suppress
from typing import IO

import pandas as pd

from .cells import GAP_MARKS
from .errors import TableError, quote

_SAMPLE = 1 << 18  # bytes that decide on separator and decimal sign
_ROWS = 500  # rows that do
_BLANKS = r"\s+"
_SEPARATORS = (",", ";", "\t", "|")
_NAMES = {",": "comma", ";": "semicolon", "\t": "tab", "|": "bar", _BLANKS: "blanks"}
_SPOKEN = {"tab": "\t", "\\t": "\t", "blank": _BLANKS, " ": _BLANKS}
_COMMA_DECIMAL = re.compile(r"[+-]?\d+(\.\d{3})*,\d+(e[+-]?\d+)?", re.IGNORECASE)
_POINT_DECIMAL = re.compile(r"[+-]?\d*\.\d+(e[+-]?\d+)?", re.IGNORECASE)
_THOUSANDS = re.compile(r"[+-]?\d{1,3}(,\d{3})+(\.\d+)?")
_NUMBER = re.compile(r"[+-]?(\d+([.,]\d*)?|[.,]\d+)(e[+-]?\d+)?", re.IGNORECASE)

Dialect = tuple[str | None, str | None, str | None]  # separator, decimal, encoding
Rows = list[list[str]]


def read_delimited(file: IO[bytes], dialect: Dialect) -> tuple[pd.DataFrame, str]:
    """Return the table of an open file and how it was read, in a few words."""
    sep, decimal, encoding = dialect
    sep = _SPOKEN.get(sep or "", sep)
    if sep is not None and len(sep) != 1 and sep != _BLANKS:
        wanted = "one character, 'tab' or 'blank'"
        raise TableError(f"the separator must be {wanted}, not {quote(sep)}")
    if decimal is not None and (decimal not in (".", ",") or sep == decimal):
        wanted = "'.' or ',', and not the separator"
        raise TableError(f"the decimal sign is {wanted}: {quote(decimal)}")
    encoding = encoding or _find_encoding(file)
    lines, skip, hint = _first_lines(file, encoding)
    sep, rows = _find_separator(lines, sep or hint)
    header, open_end = _find_header(rows)
    decimal, thousands = _find_signs(rows[1:], sep, decimal)
    comma = ", decimal comma" if decimal == "," else ""
    read_as = f"separator {_NAMES.get(sep, repr(sep))}{comma}, encoding {encoding}"
    file.seek(0)
    try:
        with warnings.catch_warnings():
            # Columns of numbers and text are judged later; an open end is known.
            warnings.simplefilter("ignore")
            table = pd.read_csv(
                file,
                sep=sep,
                decimal=decimal,
                encoding=encoding,
                skiprows=skip,
                header=0,
                names=range(len(header)),  # names may be empty or repeated
                index_col=False if open_end else None,
                na_values=sorted(GAP_MARKS),
                keep_default_na=False,
                skipinitialspace=True,
            )
        if not isinstance(table.index, pd.RangeIndex):
            raise ValueError("more values in a row than names in the first line")
    except UnicodeError:
        wrong = f"the text is not in the encoding {encoding}"
        raise TableError(f"{wrong}; give the right one as encoding") from None
    # pandas' parser names line and fields in its message.
    except (pd.errors.ParserError, ValueError, OverflowError) as problem:
        reason = str(problem).replace("Error tokenizing data. C error: ", "")
        raise TableError(
            f"the rows do not fit the header when read with {read_as} "
            f"({quote(' '.join(reason.split()), 120)[1:-1]})"
        ) from problem
    for place, dtype in table.dtypes.items() if thousands else ():
        if pd.api.types.is_string_dtype(dtype):
            table[place] = _ungroup(table[place], thousands, decimal)
    table.columns = pd.Index(header, dtype=object)
    return table, read_as


def _find_encoding(file: IO[bytes]) -> str:
    """Return the encoding: by its mark, or the first that has all of its bytes."""
    file.seek(0)
    start = file.read(_SAMPLE)
    if start.startswith(codecs.BOM_UTF8):
        return "utf-8-sig"
    if start.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        return "utf-16"
    if b"\0" in start:
        raise TableError(
            "this is not a text file; give a csv, Excel, parquet, ARFF or KEEL file"
        )
    for encoding in ("utf-8", "cp1252"):  # each leaves some bytes undefined
        file.seek(0)
        with suppress(UnicodeDecodeError):
            for _ in codecs.iterdecode(iter(lambda: file.read(1 << 20), b""), encoding):
                pass
            return encoding
    return "latin-1"


def _first_lines(file: IO[bytes], encoding: str) -> tuple[list[str], int, str | None]:
    """Return the lines of a sample, how many come before, and a named separator."""
    file.seek(0)
    try:
        text = file.read(_SAMPLE).decode(encoding, errors="replace")
    except (LookupError, ValueError):
        advice = "try utf-8, cp1252 or utf-16"
        raise TableError(f"there is no encoding {quote(encoding)}; {advice}") from None
    complete = text.rpartition("\n")[0] if len(text) >= _SAMPLE // 4 else ""
    lines = (complete or text).removeprefix("\ufeff").splitlines()
    filled = [place for place, line in enumerate(lines) if line.strip()]
    hint = re.fullmatch(r'"?sep=(.)"?', lines[filled[0]], re.I) if filled else None
    if hint:  # a first line that Excel writes for itself
        del filled[0]
    if not filled:
        raise TableError("the file is empty")
    return lines[filled[0] :], filled[0], hint[1] if hint else None


def _find_separator(lines: list[str], sep: str | None) -> tuple[str, Rows]:
    """Return the separator that fits best, and the rows it makes."""
    rows_of = {each: _rows(lines, each) for each in ([sep] if sep else _SEPARATORS)}
    sep = max(rows_of, key=lambda each: _fit_of(rows_of[each]))
    rows, words = rows_of[sep], _rows(lines, _BLANKS)
    if sep == "," and len(rows[0]) == 1 < len(words[0]):
        same_width = len(set(map(len, words))) == 1
        if same_width and not any('"' in line for line in lines[:_ROWS]):
            return _BLANKS, words
    return sep, rows


def _rows(lines: list[str], sep: str) -> Rows:
    """Return the cells of the first rows, as far as they can be told apart."""
    found: Iterable[list[str]] = map(str.split, lines)
    if sep != _BLANKS:
        kept = [f"{line}\n" for line in lines]  # for cells of several lines
        found = csv.reader(kept, delimiter=sep, skipinitialspace=True)
    filled = (row for row in found if len(row) > 1 or "".join(row).strip())
    rows: Rows = []
    with suppress(csv.Error):  # a cell beyond the reader's limit; the first rows may do
        rows.extend(itertools.islice(filled, _ROWS))
    return rows or [lines[0].split(sep)]


def _fit_of(rows: Rows) -> tuple[float, int]:
    """Return how well a separator explains the rows: equal lengths, many columns."""
    width = len(rows[0])
    equal = sum(width <= len(row) <= width + 1 for row in rows[1:])
    return (round(equal / max(len(rows) - 1, 1), 1) if width > 1 else -1.0, width)


def _find_header(rows: Rows) -> tuple[list[str], bool]:
    """Return the names of columns, and whether every row ends with a separator."""
    header, cells = rows[0], [cell.strip() for cell in rows[0]]
    whole = all(cell.isdigit() for cell in cells) and len(set(cells)) == len(cells)
    if all(_NUMBER.fullmatch(cell) for cell in cells) and not whole:
        raise TableError(
            "the first line holds numbers where the names of the columns are expected; "
            "put a line of names above it"
        )
    wider = [row for row in rows[1:] if len(row) == len(header) + 1]
    often = 2 * len(wider) >= len(rows)
    if often and any(row[-1].strip() for row in wider):  # R writes names of rows
        return ["", *header], False
    return header, often


def _find_signs(rows: Rows, sep: str, decimal: str | None) -> tuple[str, str]:
    """Return the decimal sign, and what separates thousands, if anything does."""
    cells = [cell.strip() for row in rows for cell in row]
    commas = [cell for cell in cells if _COMMA_DECIMAL.fullmatch(cell)]
    points = sum(bool(_POINT_DECIMAL.fullmatch(cell)) for cell in cells)
    thousands = sum(bool(_THOUSANDS.fullmatch(cell)) for cell in cells)
    # "1,234" may be either; where commas separate columns it is hardly a fraction.
    grouped = thousands >= len(commas) and (sep == "," or points > 0)
    decimal = decimal or ("," if len(commas) > points and not grouped else ".")
    if decimal == ",":
        return decimal, "." if any("." in cell for cell in commas) else ""
    return decimal, "," if thousands and grouped else ""


def _ungroup(column: pd.Series, thousands: str, decimal: str) -> pd.Series:
    """Join thousands in numbers; pandas' own option would do it in 24.12.2020 too."""
    group, point = re.escape(thousands), re.escape(decimal)
    pattern = rf"[+-]?(\d{{1,3}}({group}\d{{3}})*|\d+)({point}\d+)?"
    texts = column.str.strip()
    grouped = texts.str.fullmatch(pattern, na=False)
    if grouped.sum() < max(1, 0.9 * column.notna().sum()):
        return column
    plain = texts.str.replace(thousands, "", regex=False)
    column = plain.str.replace(decimal, ".", regex=False).where(grouped, column)
    numbers = pd.to_numeric(column, errors="coerce")
    return column if (numbers.isna() & column.notna()).any() else numbers
