"""Text files of columns: which encoding, separator and decimal sign they use."""

from __future__ import annotations

import codecs
import csv
import io
import re
import warnings
from collections import Counter
from dataclasses import dataclass
from typing import IO

import pandas as pd

from .cells import GAP_MARKS
from .errors import TableError, quote

_SAMPLE = 1 << 18  # bytes that decide on separator and decimal sign
_SEPARATORS = (",", ";", "\t", "|")
_NAMES = {",": "comma", ";": "semicolon", "\t": "tab", "|": "bar", r"\s+": "blanks"}
_SPOKEN = {"tab": "\t", "\\t": "\t", "blank": r"\s+", " ": r"\s+"}
_COMMA_DECIMAL = re.compile(r"[+-]?\d+(\.\d{3})*,\d+(e[+-]?\d+)?", re.IGNORECASE)
_POINT_DECIMAL = re.compile(r"[+-]?\d*\.\d+(e[+-]?\d+)?", re.IGNORECASE)
_THOUSANDS = re.compile(r"[+-]?\d{1,3}(,\d{3})+(\.\d+)?")
_NUMBER = re.compile(r"[+-]?(\d+([.,]\d*)?|[.,]\d+)(e[+-]?\d+)?", re.IGNORECASE)


@dataclass
class Dialect:
    """How a text file writes its table."""

    encoding: str
    sep: str
    header: list[str]
    decimal: str = "."
    thousands: str | None = None
    skip: int = 0  # lines before the header
    row_names: bool = False  # one value more per row than names, at the front
    open_end: bool = False  # one separator more per row, at the end

    def __str__(self) -> str:
        """Return the line that tells a person what was found."""
        parts = [f"separator {_NAMES.get(self.sep, repr(self.sep))}"]
        if self.decimal == ",":
            parts.append("decimal comma")
        parts.append(f"encoding {self.encoding}")
        return ", ".join(parts)


def read_delimited(
    file: IO[bytes],
    source: str,
    sep: str | None = None,
    decimal: str | None = None,
    encoding: str | None = None,
) -> tuple[pd.DataFrame, str]:
    """Return the table of an open file and how it was read, in a few words."""
    if sep is not None:
        sep = _SPOKEN.get(sep, sep)
        if len(sep) != 1 and sep != r"\s+":
            raise TableError(
                f"the separator must be one character, 'tab' or 'blank', not "
                f"{quote(sep)}"
            )
    if decimal not in (None, ".", ","):
        raise TableError(f"the decimal sign must be '.' or ',', not {quote(decimal)}")
    if decimal is not None and sep == decimal:
        raise TableError(f"{quote(sep)} cannot both separate columns and be decimal")
    dialect = _find_dialect(file, source, sep, decimal, encoding)
    file.seek(0)
    try:
        return _ungroup(_parse(file, dialect), dialect), str(dialect)
    except UnicodeError:
        raise TableError(
            f"{source}: the text is not in the encoding {dialect.encoding}; name the "
            "right one with encoding="
        ) from None
    except pd.errors.EmptyDataError:
        raise TableError(f"{source}: the file is empty") from None
    # pandas' parser names line and fields in its message.
    except (pd.errors.ParserError, ValueError, OverflowError) as problem:
        reason = str(problem).replace("Error tokenizing data. C error: ", "")
        raise TableError(
            f"{source}: the rows do not fit the header when read with {dialect} "
            f"({quote(' '.join(reason.split()), 120)[1:-1]})"
        ) from problem


def _parse(file: IO[bytes], dialect: Dialect) -> pd.DataFrame:
    """Read a file whose dialect is known; names may be empty or repeated."""
    header = ["", *dialect.header] if dialect.row_names else dialect.header
    with warnings.catch_warnings():
        # Columns of numbers and text are judged later; the open end is known.
        warnings.simplefilter("ignore", pd.errors.DtypeWarning)
        warnings.simplefilter("ignore", pd.errors.ParserWarning)
        table = pd.read_csv(
            file,
            sep=dialect.sep,
            decimal=dialect.decimal,
            encoding=dialect.encoding,
            skiprows=dialect.skip,
            header=0,
            names=range(len(header)),
            index_col=False if dialect.open_end else None,
            na_values=sorted(GAP_MARKS),
            keep_default_na=False,
            skipinitialspace=True,
        )
    if not isinstance(table.index, pd.RangeIndex):
        raise ValueError("more values in a row than names in the first line")
    table.columns = pd.Index(header, dtype=object)
    return table


def _ungroup(table: pd.DataFrame, dialect: Dialect) -> pd.DataFrame:
    """Take the separators of thousands out of columns of numbers.

    pandas' own option would also take the points out of 24.12.2020.
    """
    if dialect.thousands is None:
        return table
    group, point = re.escape(dialect.thousands), re.escape(dialect.decimal)
    pattern = rf"[+-]?\d{{1,3}}({group}\d{{3}})*({point}\d+)?|[+-]?\d+({point}\d+)?"
    for name, dtype in table.dtypes.items():
        if not pd.api.types.is_string_dtype(dtype):
            continue
        present = table[name].dropna().astype(str).str.strip()
        grouped = present.str.fullmatch(pattern)
        if len(present) and grouped.mean() >= 0.9:
            plain = present.str.replace(dialect.thousands, "", regex=False)
            plain = plain.str.replace(dialect.decimal, ".", regex=False)
            column = table[name].astype(object)
            column.loc[present.index[grouped]] = plain[grouped]
            numbers = pd.to_numeric(column, errors="coerce")
            lost = numbers.isna() & column.notna()
            table[name] = column if lost.any() else numbers
    return table


def _find_dialect(
    file: IO[bytes],
    source: str,
    sep: str | None,
    decimal: str | None,
    encoding: str | None,
) -> Dialect:
    """Find out what was not given."""
    encoding = _check_encoding(encoding) if encoding else _find_encoding(file, source)
    file.seek(0)
    text = file.read(_SAMPLE).decode(encoding, errors="replace")
    if not text.strip("\ufeff \t\r\n"):
        raise TableError(f"{source}: the file is empty")
    complete = text.rpartition("\n")[0] if len(text) >= _SAMPLE // 4 else ""
    lines = (complete or text).removeprefix("\ufeff").splitlines()
    first = next(i for i, line in enumerate(lines) if line.strip())
    hint = re.fullmatch(r'"?sep=(.)"?', lines[first].strip("\r\n"), re.IGNORECASE)
    skip = first
    if hint:  # a first line that Excel writes for itself
        sep = sep or hint[1]
        skip += 1
    rows_of = {
        each: _rows(lines[skip:], each) for each in ((sep,) if sep else _SEPARATORS)
    }
    sep = sep or max(_SEPARATORS, key=lambda each: _fit_of(rows_of[each]))
    rows = rows_of[sep]
    if sep == "," and len(rows[0]) == 1 and _blanks_part(lines[skip:]):
        sep = r"\s+"
        rows = [line.split() for line in lines[skip:] if line.strip()]
    dialect = Dialect(encoding, sep, rows[0], skip=skip)
    _find_numbers(dialect, rows, decimal)
    width = Counter(map(len, rows[1:])).most_common(1)
    if width and width[0][0] == len(rows[0]) + 1:
        longer = [row for row in rows[1:] if len(row) == width[0][0]]
        dialect.open_end = all(not row[-1].strip() for row in longer)
        dialect.row_names = not dialect.open_end
    _check_header(rows[0], source)
    return dialect


def _check_encoding(encoding: str) -> str:
    """Refuse an encoding that Python does not know."""
    try:
        name = codecs.lookup(encoding).name
        b"a".decode(name)
    except (LookupError, UnicodeError, ValueError):
        if encoding.lower().startswith("utf-16") or encoding.lower() == "utf16":
            return encoding
        raise TableError(
            f"there is no encoding {quote(encoding)}; try utf-8, cp1252 or utf-16"
        ) from None
    return encoding


def _find_encoding(file: IO[bytes], source: str) -> str:
    """Return the encoding: by its mark, or the first that has all of its bytes."""
    file.seek(0)
    start = file.read(4)
    if start.startswith(codecs.BOM_UTF8):
        return "utf-8-sig"
    if start.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        return "utf-16"
    if b"\0" in start + file.read(_SAMPLE):
        raise TableError(
            f"{source}: this is not a text file; give a csv, Excel, parquet, ARFF or "
            "KEEL file"
        )
    for encoding in ("utf-8", "cp1252"):  # each leaves some bytes undefined
        file.seek(0)
        decoder = codecs.getincrementaldecoder(encoding)()
        try:
            while chunk := file.read(1 << 20):
                decoder.decode(chunk)
            decoder.decode(b"", final=True)
        except UnicodeDecodeError:
            continue
        return encoding
    return "latin-1"


def _rows(lines: list[str], sep: str) -> list[list[str]]:
    """Return the cells of the first rows, as far as they can be told apart."""
    if len(sep) != 1:
        return [re.split(sep, line.strip()) for line in lines if line.strip()]
    text = io.StringIO("\n".join(lines))
    rows = []
    try:
        for row in csv.reader(text, delimiter=sep, skipinitialspace=True):
            if len(row) > 1 or "".join(row).strip():
                rows.append(row)
            if len(rows) == 500:
                break
    except csv.Error:  # a cell beyond the reader's limit; the first rows may do
        pass
    return rows or [lines[0].split(sep)]


def _fit_of(rows: list[list[str]]) -> tuple[float, int]:
    """Return how well a separator explains the rows: equal lengths, many columns."""
    width = len(rows[0])
    if width < 2:
        return (-1.0, 0)
    equal = sum(width <= len(row) <= width + 1 for row in rows[1:])
    return (round(equal / max(len(rows) - 1, 1), 1), width)


def _blanks_part(lines: list[str]) -> bool:
    """Whether blanks separate the columns: every row has the same number of words."""
    widths = {len(line.split()) for line in lines[:500] if line.strip()}
    return len(widths) == 1 and widths.pop() > 1 and '"' not in "".join(lines[:500])


def _find_numbers(dialect: Dialect, rows: list[list[str]], decimal: str | None) -> None:
    """Settle decimal sign and thousands separator."""
    cells = [cell.strip() for row in rows[1:] for cell in row]
    commas = [cell for cell in cells if _COMMA_DECIMAL.fullmatch(cell)]
    points = sum(bool(_POINT_DECIMAL.fullmatch(cell)) for cell in cells)
    thousands = [cell for cell in cells if _THOUSANDS.fullmatch(cell)]
    # "1,234" may be either; where commas separate columns it is hardly a fraction.
    grouped = len(thousands) >= len(commas) and (dialect.sep == "," or points > 0)
    dialect.decimal = decimal or ("," if len(commas) > points and not grouped else ".")
    if dialect.decimal == "," and any("." in cell for cell in commas):
        dialect.thousands = "."
    if dialect.decimal == "." and thousands and grouped:
        dialect.thousands = ","


def _check_header(header: list[str], source: str) -> None:
    """Refuse a first line that is data: numbers, some of them fractions or repeated."""
    cells = [cell.strip() for cell in header]
    if all(_NUMBER.fullmatch(cell) for cell in cells):
        fractions = any(not cell.isdigit() for cell in cells)
        if fractions or len(set(cells)) < len(cells):
            raise TableError(
                f"{source}: the first line holds numbers where the names of the "
                "columns are expected; put a line of names above it"
            )
