"""Sheets of Excel files, read as tables."""

import os
import warnings
from collections.abc import Callable
from typing import IO, Any

import pandas as pd

from .cells import GAP_MARKS, as_written
from .errors import TableError, quote, some
from .notation import DecimalSigns
from .text_columns import read_numbers_of_file
from .titles import count_titles, warn_of_titles

NO_EXCEL = "this is not an Excel file, or only a part of one; save it as .xlsx or csv"


def read_excel(
    file: IO[bytes],
    sheet: str | int | None,
    text: Callable[[list[Any]], set[int]],
    expected: DecimalSigns,
) -> pd.DataFrame:
    """Read a sheet; its first row that is not empty is the header.

    ``text`` says of a list of names which places hold columns that stay text.
    """
    book = _open_book(file)
    names = [str(name) for name in book.sheet_names]
    chosen = names if sheet is None else [_chosen_sheet(names, sheet)]
    for name in chosen:
        cells = _cells(book, name)
        if len(cells):
            break
    if not len(cells):
        raise TableError(f"the sheet {quote(name)} is empty")
    shown_cells = cells.head(100).astype("str").where(cells.head(100).notna(), "")
    titles = count_titles(shown_cells.to_numpy().tolist())
    if titles:
        warn_of_titles(shown_cells.to_numpy().tolist()[:titles])
        cells = cells.iloc[titles:].dropna(axis=1, how="all")
    header = [None if pd.isna(cell) else cell for cell in cells.iloc[0]]
    rows = cells.iloc[1:].reset_index(drop=True)
    stays_text = text(header)
    columns = {
        place: _typed(rows.iloc[:, place], place in stays_text)
        for place in range(len(header))
    }
    texts = {
        place: column
        for place, column in columns.items()
        if place not in stays_text and pd.api.types.is_string_dtype(column.dtype)
    }
    shown = {i: " ".join(str(name).split()) for i, name in enumerate(header)}
    found = read_numbers_of_file(texts, shown, [], expected=expected)
    columns |= found.columns
    table = pd.DataFrame(columns)
    table.columns = pd.Index(header, dtype=object)
    of = f" of {len(names)}" if len(names) > 1 else ""
    table.attrs["read_as"] = f"Excel, sheet {quote(name)}{of}"
    table.attrs["decimal_signs"] = found.decimal_signs.to_record()
    return table


def sheets_with_column(path: str | os.PathLike[str], column: str) -> list[str]:
    """Return the names of the sheets of a file that have a column of this name."""
    with open(path, "rb") as file:
        book = _open_book(file)
        return [
            str(name)
            for name in book.sheet_names
            if len(cells := _cells(book, str(name)))
            and column in [" ".join(str(cell).split()) for cell in cells.iloc[0]]
        ]


def _open_book(file: IO[bytes]) -> Any:
    """Open an Excel file, or refuse what only looks like one."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # styles and extensions it passes over
            return pd.ExcelFile(file, engine="openpyxl")
    except ImportError:
        raise
    except Exception as problem:  # openpyxl has no closed list of errors
        raise TableError(NO_EXCEL) from problem


def _chosen_sheet(names: list[str], sheet: str | int) -> str:
    """Return the sheet of a name, or of a number counted from 1."""
    by_name = {str(number): name for number, name in enumerate(names, start=1)}
    by_name |= {name: name for name in names}
    if str(sheet) not in by_name:
        absent = f"there is no sheet {quote(sheet)}"
        raise TableError(f"{absent}; the file has {some(names)}")
    return by_name[str(sheet)]


def _cells(book: Any, name: str) -> pd.DataFrame:
    """Return the cells of a sheet without empty rows and columns."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            cells = book.parse(name, header=None, dtype=object, na_filter=False)
    except Exception as problem:
        raise TableError(NO_EXCEL) from problem
    filled: pd.DataFrame = cells.mask(cells == "").dropna(how="all")
    return filled.dropna(axis=1, how="all")


def _typed(column: pd.Series, stays_text: bool) -> pd.Series:
    """Return a column of cells as numbers, points in time or text."""
    if stays_text:
        return as_written(column)
    without_marks = column.mask(column.isin(GAP_MARKS))
    typed = without_marks.infer_objects()
    if typed.dtype == object or pd.api.types.is_string_dtype(typed.dtype):
        return as_written(column)  # text keeps its marks, which may be classes
    return typed
