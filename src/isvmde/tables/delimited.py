"""Text files of columns: which encoding, separator and decimal sign they use."""

import codecs
import csv
import itertools
import re
import warnings
from collections.abc import Callable, Iterable
from contextlib import suppress
from dataclasses import dataclass
from typing import IO

import numpy as np
import pandas as pd

from .errors import TableError, quote
from .notation import DecimalSigns
from .text_columns import (
    NumbersFound,
    TextColumn,
    read_numbers_of_file,
    stated_format,
)
from .titles import count_titles, warn_of_titles

_SAMPLE = 1 << 18  # bytes that decide on the separator
_ROWS = 500  # rows that do
_BLANKS = r"\s+"
_SEPARATORS = (",", ";", "\t", "|")
_NAMES = {",": "comma", ";": "semicolon", "\t": "tab", "|": "bar", _BLANKS: "blanks"}
_SPOKEN = {"tab": "\t", "\\t": "\t", "blank": _BLANKS, " ": _BLANKS}
_THOUSANDS = (",", ".", "blank", "'", "none")
_NUMBER = re.compile(r"[+-]?(\d+([.,]\d*)?|[.,]\d+)(e[+-]?\d+)?", re.IGNORECASE)

_CELLS_AT_ONCE = 50_000  # of which the text is held, beside the numbers read
Rows = list[list[str]]


@dataclass(frozen=True)
class Dialect:
    """How a text file is written, as far as a person says it.

    Parameters
    ----------
    sep : str, optional
        The separator of columns: one character, "tab" or "blank".
    decimal, thousands : str, optional
        The decimal sign, and what separates thousands: ",", ".", "blank", "'" or
        "none".
    encoding : str, optional
        The encoding of the text.
    """

    sep: str | None = None
    decimal: str | None = None
    thousands: str | None = None
    encoding: str | None = None


@dataclass(frozen=True)
class _Layout:
    """Where the columns of a file are."""

    sep: str
    encoding: str
    skip: int  # lines before the header
    header: list[str]
    open_end: bool  # every row ends with a separator


def read_delimited(
    file: IO[bytes],
    dialect: Dialect,
    text: Callable[[list[str]], set[int]],
    expected: DecimalSigns,
) -> pd.DataFrame:
    """Return the table of an open file, with how it was read in its ``attrs``.

    ``text`` says of a list of names which places hold columns that stay text.
    """
    sep = _checked_separator(dialect.sep)
    _check_signs(dialect, sep)
    layout = _find_layout(file, sep, dialect.encoding)
    stated = stated_format(dialect.decimal, dialect.thousands)
    stays_text = text(layout.header)
    read_as = f"separator {_NAMES.get(layout.sep, repr(layout.sep))}"
    encoding = f"encoding {layout.encoding}"
    point_is_decimal = stated is None or "." in stated.decimal
    columns = [
        TextColumn(stays_text=place in stays_text, point_is_decimal=point_is_decimal)
        for place in range(len(layout.header))
    ]
    try:
        with warnings.catch_warnings():
            # Columns of numbers and text are judged later; an open end is known.
            warnings.simplefilter("ignore")
            _read_pieces(file, layout, columns)
            mixed = [place for place, each in enumerate(columns) if each.is_mixed]
            if mixed:
                columns = [
                    TextColumn(stays_text=True) if place in mixed else column
                    for place, column in enumerate(columns)
                ]
                _read_pieces(file, layout, columns, mixed)
    except UnicodeError:
        wrong = f"the text is not in the encoding {layout.encoding}"
        raise TableError(f"{wrong}; give the right one as encoding") from None
    # pandas' parser names line and fields in its message.
    except (pd.errors.ParserError, ValueError, OverflowError) as problem:
        reason = str(problem).replace("Error tokenizing data. C error: ", "")
        raise TableError(
            f"the rows do not fit the header when read with {read_as}, {encoding} "
            f"({quote(' '.join(reason.split()), 120)[1:-1]})"
        ) from problem
    are_text = [
        place
        for place, column in enumerate(columns)
        if column.is_text and place not in stays_text
    ]
    series = [column.joined() for column in columns]
    texts = {place: series[place] for place in are_text}
    names = {i: " ".join(name.split()) for i, name in enumerate(layout.header)}
    fractions = [names[i] for i, column in enumerate(columns) if column.has_fractions]
    found = read_numbers_of_file(
        texts, names, fractions, layout.sep, stated, expected=expected
    )
    for place, column in found.columns.items():
        series[place] = column
    table = pd.DataFrame(dict(enumerate(series)), copy=False)
    table.columns = pd.Index(layout.header, dtype=object)
    table.attrs["read_as"] = ", ".join(["csv", read_as, *_describe(found), encoding])
    table.attrs["decimal_signs"] = found.decimal_signs.to_record()
    return table


def _describe(found: NumbersFound) -> list[str]:
    """Return what is unusual about the numbers of a file, in a few words."""
    comma = ["decimal comma"] if found.has_decimal_comma else []
    names = {",": "comma", ".": "point"}
    groups = [f"thousands {names[found.thousands]}"] if found.thousands else []
    return comma + groups


def _checked_separator(sep: str | None) -> str | None:
    """Return the separator that a person named, or refuse it."""
    sep = _SPOKEN.get(sep or "", sep)
    if sep is not None and len(sep) != 1 and sep != _BLANKS:
        wanted = "one character, 'tab' or 'blank'"
        raise TableError(f"the separator must be {wanted}, not {quote(sep)}")
    return sep


def _check_signs(dialect: Dialect, sep: str | None) -> None:
    """Refuse signs that cannot stand in numbers."""
    decimal, thousands = dialect.decimal, dialect.thousands
    if decimal is not None and (decimal not in (".", ",") or sep == decimal):
        wanted = "'.' or ',', and not the separator"
        raise TableError(f"the decimal sign is {wanted}: {quote(decimal)}")
    if thousands is not None and (thousands not in _THOUSANDS or thousands == decimal):
        wanted = f"{', '.join(map(repr, _THOUSANDS[:-1]))} or 'none'"
        raise TableError(
            f"thousands are separated by {wanted}, and not by the decimal sign: "
            f"{quote(thousands)}"
        )


def _find_layout(file: IO[bytes], sep: str | None, encoding: str | None) -> _Layout:
    """Return where the columns of a file are."""
    encoding = encoding or _find_encoding(file)
    lines, skip, hint = _first_lines(file, encoding)
    n_titles = _find_titles(lines, sep or hint)
    lines, skip = lines[n_titles:], skip + n_titles
    sep, rows = _find_separator(lines, sep or hint)
    header, open_end = _find_header(rows)
    return _Layout(sep, encoding, skip, header, open_end)


def _read_pieces(
    file: IO[bytes],
    layout: _Layout,
    columns: list[TextColumn],
    places: list[int] | None = None,
) -> None:
    """Give the cells of a file to its columns, or to some of them, piece by piece."""
    file.seek(0)
    width = len(layout.header)
    pieces = pd.read_csv(
        file,
        sep=layout.sep,
        encoding=layout.encoding,
        skiprows=layout.skip,
        header=0,
        names=range(width),  # names may be empty or repeated
        index_col=False if layout.open_end else None,
        dtype=object,
        na_values=[],
        keep_default_na=False,
        skipinitialspace=True,
        chunksize=max(1000, _CELLS_AT_ONCE // width),
    )
    rows = 0
    with pieces:
        for piece in pieces:
            if not isinstance(piece.index, pd.RangeIndex):
                raise ValueError("more values in a row than names in the first line")
            for place in range(width) if places is None else places:
                columns[place].add(piece[place].to_numpy(object))
            rows += len(piece)
    if not rows:  # an empty file has empty columns
        for column in columns:
            column.add(np.empty(0, object))


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


def _find_titles(lines: list[str], sep: str | None) -> int:
    """Return how many lines stand above the names of the columns, and say so.

    There are none where a separator explains all of the rows.
    """
    rows_of = {each: _rows(lines, each) for each in ([sep] if sep else _SEPARATORS)}
    titles = {each: count_titles(rows) for each, rows in rows_of.items()}
    fits = {each: _fit_of(rows[titles[each] :]) for each, rows in rows_of.items()}
    if any(fits[each] >= (0.9, 2) for each in rows_of if not titles[each]):
        return 0
    sep = max(rows_of, key=fits.__getitem__)
    if not titles[sep] or fits[sep] < (0.9, 2):
        return 0
    filled = [i for i, line in enumerate(lines) if line.strip() or sep in line]
    above = filled[: titles[sep]]
    warn_of_titles([[lines[place].strip(" ,;|\t")] for place in above])
    return filled[titles[sep]]


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
