"""Read a table as people have it: csv of any kind, Excel, parquet, ARFF or KEEL."""

from __future__ import annotations

import bz2
import gzip
import io
import lzma
import os
import re
import sys
import warnings
import zipfile
import zlib
from pathlib import Path
from typing import IO, Any

import pandas as pd

from isvmde.datasets.keel import decode, parse_keel

from .cells import GAP_MARKS
from .delimited import read_delimited
from .errors import TableError, quote, some, unique_names

_COMPRESSED: dict[bytes, Any] = {
    b"\x1f\x8b": gzip.open,
    b"BZh": bz2.open,
    b"\xfd7zXZ": lzma.open,
}
_KEEL_SUFFIXES = (".dat", ".keel")
_NO_EXCEL = "this is not an Excel file, or only a part of one"


def read_table(
    path_or_buffer: str | os.PathLike[str] | IO[bytes],
    *,
    sep: str | None = None,
    decimal: str | None = None,
    encoding: str | None = None,
    sheet: str | int | None = None,
) -> pd.DataFrame:
    r"""Read a table from a file, and find out by itself how the file is written.

    The format is known by the file's content: csv (any separator, decimal comma,
    encoding), Excel, parquet, ARFF, KEEL; text may be compressed with gzip, bzip2 or
    xz. Usual marks of a gap (an empty cell, ``NA``, ``?``, ``n/d``, ...) are missing
    values. ``table.attrs["read_as"]`` says in one line what was found.

    Parameters
    ----------
    path_or_buffer : path or binary file
        What to read; "-" is standard input.
    sep : str, optional
        The separator of columns in a text file: one character, "tab" or "blank".
    decimal : {".", ","}, optional
        The decimal sign in a text file.
    encoding : str, optional
        The encoding of a text file.
    sheet : str or int, optional
        The sheet of an Excel file, by name or counted from 1; the first that is not
        empty by default.

    Returns
    -------
    DataFrame
        All columns; text is not interpreted yet, see :class:`TablePreprocessor`.
        ``attrs`` holds ``source`` (the file's name), ``read_as``, and ``target`` where
        the file itself declares which column is the class.

    Raises
    ------
    TableError
        When the file cannot be read; it is a ValueError.

    Warns
    -----
    UserWarning
        When columns had to be renamed because two have the same name.

    Examples
    --------
    >>> import io
    >>> table = read_table(io.BytesIO(b"weight;kind\n80,5;apple\n?;plum\n"))
    >>> table.attrs["read_as"]
    'csv, separator semicolon, decimal comma, encoding utf-8'
    >>> table
       weight   kind
    0    80.5  apple
    1     NaN   plum
    """
    file, source, suffix = _open(path_or_buffer)
    with file:
        table = _read(file, source, suffix, sheet, (sep, decimal, encoding))
    if not len(table):
        raise TableError(f"{source}: there is a header but there are no rows")
    table.columns = pd.Index(_clean_names(list(table.columns), source))
    table.attrs = {"source": source, **table.attrs}
    return table


def _open(
    path_or_buffer: str | os.PathLike[str] | IO[bytes],
) -> tuple[IO[bytes], str, str]:
    """Return an open binary file that can go back, its name and its suffix."""
    if isinstance(path_or_buffer, (str, os.PathLike)):
        if str(path_or_buffer) == "-":
            return io.BytesIO(sys.stdin.buffer.read()), "standard input", ""
        path = Path(path_or_buffer)
        if path.is_dir():
            raise TableError(f"{path} is a folder; give a table's file")
        if not path.is_file():
            raise FileNotFoundError(f"there is no file {path}")
        suffixes = [suffix.lower() for suffix in path.suffixes]
        bare = [each for each in suffixes if each not in (".gz", ".bz2", ".xz")]
        return path.open("rb"), str(path), bare[-1] if bare else ""
    content = path_or_buffer.read()
    if isinstance(content, str):
        content = content.encode()
    name = getattr(path_or_buffer, "name", "the table")
    return io.BytesIO(content), str(name), Path(str(name)).suffix.lower()


def _read(
    file: IO[bytes],
    source: str,
    suffix: str,
    sheet: str | int | None,
    dialect: tuple[str | None, str | None, str | None],
) -> pd.DataFrame:
    """Read an open file; ``attrs`` says how, and which column is declared as class."""
    start = file.read(8)
    for mark, opener in _COMPRESSED.items():
        if start.startswith(mark):
            plain = _decompress(opener, file, source)
            return _read(plain, source, suffix, sheet, dialect)
    file.seek(0)
    if start.startswith(b"PK\x03\x04"):
        return _read_excel(file, source, sheet)
    if sheet is not None:
        raise TableError(f"{source}: only an Excel file has sheets")
    if start.startswith(b"PAR1") or suffix in (".parquet", ".pq"):
        return _read_parquet(file, source)
    if start.startswith(b"\xd0\xcf\x11\xe0"):
        raise TableError(
            f"{source}: this is an Excel file of the old kind (.xls); save it as .xlsx "
            "or csv"
        )
    if suffix in (".xlsx", ".xlsm"):
        raise TableError(f"{source}: {_NO_EXCEL}")
    header = file.read(1 << 16)
    file.seek(0)
    keel = suffix in _KEEL_SUFFIXES
    if re.match(rb"(\xef\xbb\xbf)?\s*(%[^\n]*\s+)*@\s*(relation|attribute)", header, 2):
        named = re.search(rb"(?im)^@(in|out)puts?\b", header)
        if suffix != ".arff" and (keel or named):
            return _read_keel(file, source, header)
        return _read_arff(file, source)
    if (keel or suffix == ".arff") and b"@" in header[:200]:
        return _read_keel(file, source, header)
    table, read_as = read_delimited(file, source, *dialect)
    table.attrs["read_as"] = f"csv, {read_as}"
    return table


def _decompress(opener: Any, file: IO[bytes], source: str) -> IO[bytes]:
    """Return the content of a compressed file, whole: it is read more than once."""
    file.seek(0)
    try:
        with opener(file) as plain:
            return io.BytesIO(plain.read())
    except (OSError, EOFError, lzma.LZMAError, zlib.error):
        raise TableError(
            f"{source}: the compressed file is damaged, or only a part of one"
        ) from None


def _read_excel(file: IO[bytes], source: str, sheet: str | int | None) -> pd.DataFrame:
    """Read a sheet; its first row that is not empty is the header."""
    try:
        import openpyxl  # noqa: F401
    except ImportError:
        raise ImportError(
            "reading Excel files needs openpyxl: install isvmde[excel]"
        ) from None
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # styles and extensions it passes over
            book = pd.ExcelFile(file, engine="openpyxl")
            names = [str(name) for name in book.sheet_names]
            chosen = names if sheet is None else [_choose_sheet(names, sheet, source)]
            for name in chosen:
                cells = book.parse(name, header=None, dtype=object, na_filter=False)
                cells = cells.replace(list(GAP_MARKS), None).dropna(how="all")
                cells = cells.dropna(axis=1, how="all")
                if len(cells):
                    break
    except TableError:
        raise
    # openpyxl fails in many ways on a file that only looks like its own.
    except Exception as problem:
        other = "this is no Excel file that can be read; save it as .xlsx or csv"
        reason = other if zipfile.is_zipfile(file) else _NO_EXCEL
        raise TableError(f"{source}: {reason}") from problem
    if not len(cells):
        raise TableError(f"{source}: the sheet {quote(name)} is empty")
    header = [None if pd.isna(cell) else cell for cell in cells.iloc[0]]
    table = cells.iloc[1:].reset_index(drop=True).infer_objects()
    table.columns = pd.Index(header, dtype=object)
    of = f" of {len(names)}" if len(names) > 1 else ""
    table.attrs["read_as"] = f"Excel, sheet {quote(name)}{of}"
    return table


def _choose_sheet(names: list[str], sheet: str | int, source: str) -> str:
    """Return the sheet's name, given by name or counted from 1."""
    if str(sheet) in names:
        return str(sheet)
    if str(sheet).isdecimal() and 1 <= int(sheet) <= len(names):
        return names[int(sheet) - 1]
    raise TableError(
        f"{source}: there is no sheet {quote(sheet)}; the file has {some(names)}"
    )


def _read_parquet(file: IO[bytes], source: str) -> pd.DataFrame:
    """Read a parquet file; an index that has a name is a column."""
    try:
        import pyarrow  # noqa: F401
    except ImportError:
        raise ImportError(
            "reading parquet files needs pyarrow: pip install pyarrow"
        ) from None
    try:
        table = pd.read_parquet(file)
    except Exception as problem:  # pyarrow has no closed list of errors
        raise TableError(
            f"{source}: this is not a parquet file, or only a part of one"
        ) from problem
    named = any(name is not None for name in table.index.names)
    table = table.reset_index(drop=not named)
    table.attrs = {"read_as": "parquet"}
    return table


def _read_keel(file: IO[bytes], source: str, header: bytes) -> pd.DataFrame:
    """Read a KEEL file with all its attributes; note which it declares as output."""
    bunch, remarks = parse_keel(decode(file.read()), source, target=False)
    for remark in remarks:
        warnings.warn(remark, UserWarning, stacklevel=4)
    declared = re.search(rb"(?im)^@outputs?\s+(.+)$", header)
    output = decode(declared[1]).strip("\r\t '\"").lower() if declared else ""
    bunch.data.attrs["read_as"] = "KEEL"
    for name in bunch.data.columns:
        if name.lower() == output:
            bunch.data.attrs["target"] = name
    return bunch.data


def _read_arff(file: IO[bytes], source: str) -> pd.DataFrame:
    """Read an ARFF file; its nominal values come as bytes."""
    from scipy.io import arff

    try:
        records, meta = arff.loadarff(io.StringIO(decode(file.read())))
        table = pd.DataFrame(records)
        for name in table:
            kind, values = meta[name]
            if kind == "nominal":
                texts = [value.decode() for value in table[name]]
                table[name] = pd.Categorical(
                    [None if each == "?" else each for each in texts],
                    categories=list(dict.fromkeys(map(str, values))),
                )
    except NotImplementedError:
        raise TableError(
            f"{source}: ARFF files with text attributes or sparse rows cannot be read; "
            "save it as csv"
        ) from None
    # scipy documents no closed list of errors.
    except Exception as problem:
        reason = quote(" ".join(str(problem).split()), 120)[1:-1]
        raise TableError(f"{source}: not a readable ARFF file ({reason})") from problem
    table.attrs["read_as"] = "ARFF"
    return table


def _clean_names(names: list[Any], source: str) -> list[str]:
    """Return a name for every column, each another, without blanks around."""
    given = ["" if name is None else " ".join(str(name).split()) for name in names]
    given = [name or f"Unnamed: {place}" for place, name in enumerate(given)]
    clean = unique_names(given)
    renamed: dict[str, str] = {}
    for name, text in zip(given, clean, strict=True):
        if name != text:
            renamed.setdefault(name, text)
    for name, text in list(renamed.items())[:3]:
        warnings.warn(
            f"{source}: more than one column is named {quote(name)}; the second is "
            f"called {quote(text)} here",
            UserWarning,
            stacklevel=3,
        )
    return clean
