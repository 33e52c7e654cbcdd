"""Read a table: csv of any kind, Excel, parquet, ARFF or KEEL."""

import bz2
import gzip
import io
import lzma
import os
import re
import sys
import zlib
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any

import pandas as pd

from isvmde.caller import warn_caller
from isvmde.datasets.keel import KeelFile, KeelFormatError

from .delimited import Dialect, read_delimited
from .errors import TableError, TableWarning, some, unique_names
from .excel import NO_EXCEL, read_excel
from .notation import DecimalSigns
from .text_columns import NOTHING_EXPECTED

_OPENERS: Any = {b"\x1f\x8b": gzip.open, b"BZh": bz2.open, b"\xfd7zXZ": lzma.open}
_DECLARED = re.compile(rb"(\xef\xbb\xbf)?\s*(%[^\n]*\s+)*@(relation|attribute)", re.I)


def read_table(
    path_or_buffer: str | os.PathLike[str] | IO[bytes],
    *,
    sep: str | None = None,
    decimal: str | None = None,
    thousands: str | None = None,
    encoding: str | None = None,
    sheet: str | int | None = None,
    text: Iterable[str | int] = (),
    decimal_signs: Mapping[str, Any] | None = None,
) -> pd.DataFrame:
    r"""Read a table from a file, and work out how the file is written.

    The format is recognised by the file's content: csv (any separator, decimal comma,
    encoding), Excel, parquet, ARFF, KEEL; text may be compressed with gzip, bzip2 or
    xz. Numbers may have a decimal comma and separated thousands: each column is read
    as all of its cells suggest, or else like the other columns, and a warning says
    where doubt remains. In columns of numbers, usual marks of a gap (an empty cell,
    ``NA``, ``?``, ``n/d``, ...) are missing values. Codes such as ``007`` stay text. A
    file that cannot be read is refused with a :class:`TableError`.

    Parameters
    ----------
    path_or_buffer : path or binary file
        What to read; "-" is standard input.
    sep, decimal, thousands, encoding : str, optional
        Of a text file, the separator of columns (one character, "tab" or "blank"), the
        decimal sign ("." or ","), what separates thousands (",", ".", "blank", "'" or
        "none") and the encoding.
    sheet : str or int, optional
        The sheet of an Excel file, by name or counted from 1; the first that is not
        empty by default.
    text : list of str or int, default=()
        Columns of a text file or a sheet that stay as they are written, by name or by
        place, counted from 0 or from the end: ids, and the classes.
    decimal_signs : dict, optional
        What to expect where the cells of a column leave open whether "1,230" is 1230 or
        1.23: ``attrs["decimal_signs"]`` of the table that a model was trained on.

    Returns
    -------
    DataFrame
        All columns; text is not interpreted yet, see :class:`TablePreprocessor`. Of two
        columns of one name the second is renamed, with a warning. ``attrs`` holds
        ``source`` (the file), ``read_as`` and, if declared, the class as ``target``; of
        text files and sheets also ``decimal_signs``, for reading new rows.

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
            request = _Request(
                Dialect(sep, decimal, thousands, encoding),
                sheet,
                tuple(text),
                NOTHING_EXPECTED
                if decimal_signs is None
                else DecimalSigns.from_record(decimal_signs),
            )
            table = _read(file, source, request)
        if not len(table):
            raise TableError("there is a header but there are no rows")
    except KeelFormatError as problem:  # which names the file and the line
        raise TableError(str(problem)) from None
    except TableError as problem:
        raise TableError(f"{source}: {problem}") from problem
    table.columns = pd.Index(_clean_names(list(table.columns), source))
    table.attrs = {"source": source} | table.attrs
    return table


@dataclass(frozen=True)
class _Request:
    """What a person said about a file."""

    dialect: Dialect
    sheet: str | int | None
    text: tuple[str | int, ...]
    decimal_signs: DecimalSigns

    def text_places(self, header: list[Any]) -> set[int]:
        """Return the places of the columns that stay text."""
        names = {_folded(name) for name in self.text if isinstance(name, str)}
        places = {i % len(header) for i in self.text if isinstance(i, int)}
        return places | {i for i, name in enumerate(header) if _folded(name) in names}


def _folded(name: Any) -> str:
    """Return a name as columns are found by: without capitals and blanks around it."""
    return " ".join(str(name).split()).lower()


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


def _read(file: IO[bytes], source: str, request: _Request) -> pd.DataFrame:
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
            return _read(plain, source, request)
    if start.startswith(b"PK\x03\x04"):
        return read_excel(
            file, request.sheet, request.text_places, request.decimal_signs
        )
    if request.sheet is not None:
        raise TableError("only an Excel file has sheets")
    if start.startswith(b"PAR1") or suffix in (".parquet", ".pq"):
        return _read_parquet(file)
    if start.startswith(b"\xd0\xcf\x11\xe0"):
        raise TableError("an old Excel file (.xls); save it as .xlsx or csv")
    if suffix in (".xlsx", ".xlsm"):
        raise TableError(NO_EXCEL)
    declares = suffix in (".dat", ".keel", ".arff") and b"@" in start[:200]
    if declares or _DECLARED.match(start):
        return _read_keel(file, source, suffix)
    return read_delimited(
        file, request.dialect, request.text_places, request.decimal_signs
    )


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
    """Return a different name for every column, without blanks around."""
    words = ("" if name is None else " ".join(str(name).split()) for name in names)
    given = [name or f"Unnamed: {place}" for place, name in enumerate(words)]
    twice = [name for name, count in Counter(given).items() if count > 1]
    if twice:
        warn_caller(
            f"{source}: more than one column is named {some(twice)}; all but the first "
            "have a number behind the name here",
            TableWarning,
        )
    return unique_names(given)
