"""Read a table: csv of any kind, Excel, parquet, ARFF or KEEL; find its classes."""

import bz2
import gzip
import io
import lzma
import os
import re
import sys
import warnings
import zlib
from collections import Counter
from pathlib import Path
from typing import IO, Any

import numpy as np
import pandas as pd

from isvmde.datasets.keel import KeelFile, KeelFormatError

from .cells import GAP_MARKS, class_labels
from .delimited import Dialect, read_delimited
from .errors import TableError, find_column, quote, some, unique_names

_OPENERS: Any = {b"\x1f\x8b": gzip.open, b"BZh": bz2.open, b"\xfd7zXZ": lzma.open}
_DECLARED = re.compile(rb"(\xef\xbb\xbf)?\s*(%[^\n]*\s+)*@(relation|attribute)", re.I)
_NO_EXCEL = "this is not an Excel file, or only a part of one; save it as .xlsx or csv"


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
    values. A file that cannot be read is refused with a :class:`TableError`.

    Parameters
    ----------
    path_or_buffer : path or binary file
        What to read; "-" is standard input.
    sep, decimal, encoding : str, optional
        Of a text file, the separator of columns (one character, "tab" or "blank"), the
        decimal sign ("." or ",") and the encoding.
    sheet : str or int, optional
        The sheet of an Excel file, by name or counted from 1; the first that is not
        empty by default.

    Returns
    -------
    DataFrame
        All columns; text is not interpreted yet, see :class:`TablePreprocessor`. Of two
        columns of one name the second is renamed, with a warning. ``attrs`` holds
        ``source`` (the file), ``read_as`` and, if declared, the class as ``target``.

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
    file, source = _open(path_or_buffer)
    try:
        with file:
            table = _read(file, source, sheet, (sep, decimal, encoding))
        if not len(table):
            raise TableError("there is a header but there are no rows")
    except KeelFormatError as problem:  # which names the file and the line
        raise TableError(str(problem)) from None
    except TableError as problem:
        raise TableError(f"{source}: {problem}") from problem
    table.columns = pd.Index(_clean_names(list(table.columns), source))
    table.attrs = {"source": source, **table.attrs}
    return table


def split_target(
    table: pd.DataFrame, target: str | None = None
) -> tuple[pd.DataFrame, np.ndarray]:
    """Part a table into its features and the classes to learn.

    Rows without a class are left out, with a warning; no class is lost. A column with
    fewer than two classes, or with measurements, is refused with a :class:`TableError`.

    Parameters
    ----------
    table : DataFrame
        As :func:`read_table` returns it.
    target : str, optional
        The column with the classes; by default the one the file declares, or the last.

    Returns
    -------
    X : DataFrame
        The other columns; its index counts the rows of ``table`` from 0.
    y : ndarray
        The classes: whole numbers, or text.

    Examples
    --------
    >>> import pandas as pd
    >>> table = pd.DataFrame({"size": [1, 2, 8], "kind": ["plum", "plum", "apple"]})
    >>> X, y = split_target(table, "kind")
    >>> list(X), y.tolist()
    (['size'], ['plum', 'plum', 'apple'])
    """
    source = table.attrs.get("source", "the table")
    if target is None:
        target = table.attrs.get("target", table.columns[-1])
    name = find_column(table, target, source)
    if f"{name} (2)" in table:
        raise TableError(
            f"{source}: more than one column is named {quote(name)}; rename one, so "
            "that it is clear which one holds the classes"
        )
    if table.shape[1] < 2:
        alone = f"{source}: there is no column beside {quote(name)}"
        raise TableError(f"{alone}; check the separator, or the sheet")
    table = table.reset_index(drop=True)
    labels = class_labels(table[name])
    known = labels.notna().to_numpy()
    _check_classes(labels[known], name, source)
    if not known.all():
        warnings.warn(
            f"{source}: {int((~known).sum())} of {len(known)} rows have no class in "
            f"column {quote(name)} (empty, or a mark such as NA) and are left out",
            stacklevel=2,
        )
    X = table.drop(columns=name)
    y = labels[known].to_numpy(np.int64 if labels.dtype == "Int64" else np.str_)
    return (X if known.all() else X[known]), y


def _open(path_or_buffer: Any) -> tuple[IO[bytes], str]:
    """Return an open binary file that can go back, and its name."""
    if hasattr(path_or_buffer, "read"):
        name = str(getattr(path_or_buffer, "name", "the table"))
        return io.BytesIO(path_or_buffer.read()), name
    if str(path_or_buffer) == "-":
        return io.BytesIO(sys.stdin.buffer.read()), "standard input"
    path = Path(path_or_buffer)
    if path.is_dir():
        raise TableError(f"{path} is a folder; give a table's file")
    if not path.is_file():
        raise FileNotFoundError(f"there is no file {path}")
    return path.open("rb"), str(path)


def _read(file: IO[bytes], source: str, sheet: Any, dialect: Dialect) -> pd.DataFrame:
    """Read an open file; ``attrs`` says how, and which column is declared as class."""
    suffix = Path(re.sub(r"\.(gz|bz2|xz)$", "", source.lower())).suffix
    start = file.read(1 << 16)
    file.seek(0)
    for mark, opener in _OPENERS.items():
        if start.startswith(mark):
            try:
                with opener(file) as packed:  # whole: it is read more than once
                    plain = io.BytesIO(packed.read())
            except (OSError, EOFError, lzma.LZMAError, zlib.error):
                damage = "the compressed file is damaged, or only a part of one"
                raise TableError(damage) from None
            return _read(plain, source, sheet, dialect)
    if start.startswith(b"PK\x03\x04"):
        return _read_excel(file, sheet)
    if sheet is not None:
        raise TableError("only an Excel file has sheets")
    if start.startswith(b"PAR1") or suffix in (".parquet", ".pq"):
        return _read_parquet(file)
    if start.startswith(b"\xd0\xcf\x11\xe0"):
        raise TableError(
            "an Excel file of the old kind (.xls); save it as .xlsx or csv"
        )
    if suffix in (".xlsx", ".xlsm"):
        raise TableError(_NO_EXCEL)
    declares = suffix in (".dat", ".keel", ".arff") and b"@" in start[:200]
    if declares or _DECLARED.match(start):
        return _read_keel(file, source, suffix)
    table, read_as = read_delimited(file, dialect)
    table.attrs["read_as"] = f"csv, {read_as}"
    return table


def _read_excel(file: IO[bytes], sheet: Any) -> pd.DataFrame:
    """Read a sheet; its first row that is not empty is the header."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # styles and extensions it passes over
            book = pd.ExcelFile(file, engine="openpyxl")
            names = chosen = [str(name) for name in book.sheet_names]
            if sheet is not None:
                by_name = {str(i): name for i, name in enumerate(names, start=1)}
                by_name |= {name: name for name in names}
                if str(sheet) not in by_name:
                    absent = f"there is no sheet {quote(sheet)}"
                    raise TableError(f"{absent}; the file has {some(names)}")
                chosen = [by_name[str(sheet)]]
            for name in chosen:
                cells = book.parse(name, header=None, dtype=object, na_filter=False)
                cells = cells.replace(list(GAP_MARKS), None).dropna(how="all")
                cells = cells.dropna(axis=1, how="all")
                if len(cells):
                    break
    except (TableError, ImportError):
        raise
    # openpyxl fails in many ways on a file that only looks like its own.
    except Exception as problem:
        raise TableError(_NO_EXCEL) from problem
    if not len(cells):
        raise TableError(f"the sheet {quote(name)} is empty")
    table = cells.iloc[1:].reset_index(drop=True).infer_objects()
    header = [None if pd.isna(cell) else cell for cell in cells.iloc[0]]
    table.columns = pd.Index(header, dtype=object)
    of = f" of {len(names)}" if len(names) > 1 else ""
    table.attrs["read_as"] = f"Excel, sheet {quote(name)}{of}"
    return table


def _read_parquet(file: IO[bytes]) -> pd.DataFrame:
    """Read a parquet file; an index that has a name is a column."""
    try:
        table = pd.read_parquet(file, engine="pyarrow")
    except ImportError:
        raise
    except Exception as problem:  # pyarrow has no closed list of errors
        damage = "this is not a parquet file, or only a part of one"
        raise TableError(damage) from problem
    named = any(name is not None for name in table.index.names)
    table = table.reset_index(drop=not named)
    table.attrs = {"read_as": "parquet"}
    return table


def _read_keel(file: IO[bytes], source: str, suffix: str) -> pd.DataFrame:
    """Read a KEEL or ARFF file; note which attribute it declares as output."""
    keel = KeelFile(file.read(), source)
    columns = {name: keel.column(name) for name in keel.attributes}
    table = pd.DataFrame(columns).reset_index(drop=True)
    is_keel = keel.roles or suffix in (".dat", ".keel")
    table.attrs["read_as"] = "KEEL" if is_keel else "ARFF"
    outputs = keel.roles.get("outputs", [])
    if len(outputs) == 1:
        table.attrs["target"] = outputs[0]
    return table


def _clean_names(names: list[Any], source: str) -> list[str]:
    """Return a name for every column, each another, without blanks around."""
    words = ("" if name is None else " ".join(str(name).split()) for name in names)
    given = [name or f"Unnamed: {place}" for place, name in enumerate(words)]
    twice = [name for name, count in Counter(given).items() if count > 1]
    if twice:
        warnings.warn(
            f"{source}: more than one column is named {some(twice)}; all but the first "
            "have a number behind the name here",
            stacklevel=3,
        )
    return unique_names(given)


def _check_classes(labels: pd.Series, name: str, source: str) -> None:
    """Refuse a column that does not hold classes."""
    column = f"{source}: column {quote(name)}"
    counts = labels.value_counts()
    n, distinct = len(labels), len(counts)
    if distinct < 2:
        only = f"only one class, {quote(counts.index[0])}" if distinct else "no class"
        raise TableError(f"{column} holds {only}; at least two are needed")
    numbers = pd.to_numeric(labels, errors="coerce").notna().all()
    few_rows = n / distinct < 20 or labels.dtype.kind not in "iu"
    many = distinct > 50 and distinct > n / 4
    if many or (numbers and distinct > 20 and few_rows):
        what, like = ("numbers", "measurements") if numbers else ("values", "names")
        advice = ", or write the classes as text" if numbers else ""
        raise TableError(
            f"{column} has {distinct} different {what} in {n} rows, which look like "
            f"{like} and not like classes; name another column{advice}"
        )
    texts = pd.Series(counts.index.astype(str))
    for _, same in texts.groupby(texts.str.lower().str.split().str.join(" ")):
        if len(same) > 1:
            warnings.warn(
                f"{column} has classes that differ only in capitals or blanks, and "
                f"they are taken as different: {some(same)}",
                stacklevel=3,
            )
