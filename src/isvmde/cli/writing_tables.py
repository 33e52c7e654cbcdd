"""Tables that commands write: csv, tab-separated text, Excel."""

import contextlib
import csv
import zipfile
from pathlib import Path
from typing import Any

import pandas as pd

from isvmde.writing import replacing

_SEPARATORS = {".tsv": "\t", ".tab": "\t"}
_TABLES = {".xls", ".xlsm", ".xlsb", ".ods", ".parquet", ".pq", ".feather", ".json"}
_STATISTICS = {".arff", ".dat", ".sav", ".dta"}
_COMPRESSED = {".gz", ".bz2", ".xz", ".zip", ".zst"}
_OTHER_FORMATS = _TABLES | _STATISTICS | _COMPRESSED
_MOST_ROWS = 1_048_576  # of an Excel sheet, its header among them


def check_format(path: Path) -> None:
    """Refuse a file whose name says that it is of a kind which cannot be written."""
    if path.suffix.lower() in _OTHER_FORMATS:
        raise ValueError(
            f"-o {path}: no {path.suffix} file can be written; end the name in .csv, "
            ".tsv or .xlsx"
        )


def write_table(table: pd.DataFrame, path: Path) -> None:
    """Write a table in the format that the file's name says, csv by default."""
    with replacing(path) as partial:
        if path.suffix.lower() == ".xlsx":
            _write_excel(table, partial)
        else:
            sep = _SEPARATORS.get(path.suffix.lower(), ",")
            table.to_csv(partial, index=False, sep=sep)


def column_names(path: Path) -> list[str]:
    """Return the names in the first line of a file that `write_table` may have made."""
    if zipfile.is_zipfile(path):
        return _names_in_excel(path)
    with (
        contextlib.suppress(OSError, UnicodeDecodeError, csv.Error),
        open(path, encoding="utf-8") as file,
    ):
        sep = _SEPARATORS.get(path.suffix.lower(), ",")
        first = file.readline(1_000_000).strip()
        return next(csv.reader([first], delimiter=sep), [])
    return []


def _names_in_excel(path: Path) -> list[str]:
    """Return the names in the first row of an Excel file."""
    try:
        return [str(name) for name in pd.read_excel(path, nrows=0).columns]
    except Exception:  # a zip file of another kind, or no openpyxl
        return []


def _write_excel(table: pd.DataFrame, path: Path) -> None:
    """Write one sheet, in which texts stay texts, whatever they begin with."""
    if len(table) >= _MOST_ROWS:
        raise ValueError(
            f"an Excel sheet has room for {_MOST_ROWS - 1} rows, and these are "
            f"{len(table)}: end the name in .csv"
        )
    try:
        from openpyxl import Workbook
        from openpyxl.cell import WriteOnlyCell
        from openpyxl.cell.cell import ILLEGAL_CHARACTERS_RE
    except ImportError as error:
        raise ImportError(
            "Excel files need openpyxl: install isvmde[excel], or end the name in .csv"
        ) from error
    book = Workbook(write_only=True)
    sheet = book.create_sheet("predictions")

    def cell(value: Any) -> Any:
        if not isinstance(value, str):
            return None if pd.isna(value) else value
        text = WriteOnlyCell(sheet, ILLEGAL_CHARACTERS_RE.sub("\ufffd", value))
        text.data_type = "s"  # else "=1+1" would be a formula
        return text

    sheet.append([cell(str(name)) for name in table.columns])
    columns = [table[name].tolist() for name in table.columns]
    for row in zip(*columns, strict=True):
        sheet.append([cell(value) for value in row])
    book.save(path)
