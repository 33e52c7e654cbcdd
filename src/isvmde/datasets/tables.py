"""Read a user's own table: csv, parquet, ARFF or KEEL."""

from __future__ import annotations

import os
from collections.abc import Iterable
from pathlib import Path
from typing import Literal

import numpy as np
import pandas as pd
from sklearn.utils import Bunch

from .columns import as_nominal, split_by_dtype
from .keel import read_keel

_READERS = {
    ".csv": "csv",
    ".tsv": "tsv",
    ".tab": "tsv",
    ".parquet": "parquet",
    ".pq": "parquet",
    ".arff": "arff",
    ".dat": "keel",
    ".keel": "keel",
}


class TableFormatError(ValueError):
    """A table that cannot be read; the message names the file and the reason.

    Examples
    --------
    >>> raise TableFormatError("my.csv: no rows")
    Traceback (most recent call last):
    isvmde.datasets.tables.TableFormatError: my.csv: no rows
    """


def read_table(
    path: str | os.PathLike[str],
    *,
    target: str | Literal[False] | None = None,
    nominal: Iterable[str] = (),
) -> Bunch:
    r"""Read a table of your own in the form of the built-in data sets.

    Parameters
    ----------
    path : path
        A ``.csv``, ``.tsv``, ``.parquet``, ``.arff`` or KEEL (``.dat``, ``.keel``)
        file; csv and tsv may be compressed (``.csv.gz``).
    target : str, False or None
        The column with the classes; None takes the last one (KEEL: the declared
        output), False says that there is none, as in data to predict.
    nominal : iterable of str
        Columns of numbers that are codes, not quantities. Beside them, columns of
        text, categories and truth values are nominal.

    Returns
    -------
    bunch : sklearn.utils.Bunch
        ``data`` (DataFrame: numeric columns as float64, nominal ones as categories),
        ``target`` (array or None), ``numeric`` and ``nominal`` (lists of columns),
        ``name``, ``target_name``, ``source``.

    Raises
    ------
    TableFormatError, KeelFormatError
        When the file cannot be read; both are ValueErrors.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = pathlib.Path(folder, "fruit.csv")
    ...     _ = path.write_text("weight,colour,kind\n80,red,apple\n9,blue,plum\n")
    ...     fruit = read_table(path, target="kind")
    >>> fruit.numeric, fruit.nominal, fruit.target.tolist()
    (['weight'], ['colour'], ['apple', 'plum'])
    """
    path = Path(path)
    kind = _kind(path)
    if not path.is_file():
        raise FileNotFoundError(f"There is no file {path}.")
    if kind == "keel":
        bunch = read_keel(path, target=target)
    else:
        table = _read_frame(path, kind)
        bunch = _to_bunch(path, table, target)
    codes = list(nominal)
    for name in codes:
        if name not in bunch.data:
            raise TableFormatError(
                f"{path}: there is no column {name!r} to be nominal."
            )
        if name in bunch.numeric:
            bunch.data[name] = as_nominal(bunch.data[name])
    bunch.numeric = [name for name in bunch.numeric if name not in codes]
    bunch.nominal = [name for name in bunch.data if name not in bunch.numeric]
    bunch.source = str(path)
    return bunch


def _kind(path: Path) -> str:
    """Return the format, judged by the suffix."""
    suffixes = [suffix.lower() for suffix in path.suffixes]
    for suffix in reversed(suffixes[-2:]):
        kind = _READERS.get(suffix)
        plain = suffix == suffixes[-1]
        if kind and (plain or kind in ("csv", "tsv")):
            return kind
    raise TableFormatError(
        f"{path}: the suffix tells no known format; use one of {', '.join(_READERS)}."
    )


def _read_frame(path: Path, kind: str) -> pd.DataFrame:
    """Read a file with pandas or scipy; whatever they raise becomes our error."""
    try:
        if kind == "parquet":
            return pd.read_parquet(path)
        if kind == "arff":
            return _read_arff(path)
        # All rows before the types are decided, or a long column may get two.
        return pd.read_csv(path, sep="," if kind == "csv" else "\t", low_memory=False)
    except ImportError:
        raise ImportError(
            "Reading parquet files needs pyarrow: pip install pyarrow."
        ) from None
    # The parsers document no closed list of errors, and scipy's has many.
    except Exception as problem:
        reason = " ".join(str(problem).split())[:200] or type(problem).__name__
        raise TableFormatError(
            f"{path}: not a readable {kind} file ({reason})."
        ) from problem


def _read_arff(path: Path) -> pd.DataFrame:
    """Read an ARFF file; its nominal values come as bytes."""
    from scipy.io import arff

    with path.open(encoding="utf-8-sig") as file:
        records, meta = arff.loadarff(file)
    table = pd.DataFrame(records)
    for name in table:
        kind, values = meta[name]
        if kind == "nominal":
            texts = [value.decode() for value in table[name]]
            # scipy keeps "?" for a missing nominal value, and strips no quotes.
            declared = [str(value) for value in values]
            table[name] = pd.Categorical(
                [None if text == "?" else text for text in texts], categories=declared
            )
    return table


def _to_bunch(
    path: Path, table: pd.DataFrame, target: str | Literal[False] | None
) -> Bunch:
    """Part the table into columns and classes."""
    table.columns = [str(name) for name in table.columns]
    if not table.columns.is_unique:
        raise TableFormatError(f"{path}: two columns have the same name.")
    if not len(table):
        raise TableFormatError(f"{path}: no rows.")
    if target is None:
        target = table.columns[-1]
    if target is not False and target not in table:
        raise TableFormatError(
            f"{path}: there is no column {target!r}; it has "
            f"{', '.join(table.columns)[:300]}."
        )
    data = table if target is False else table.drop(columns=target)
    if not data.shape[1]:
        raise TableFormatError(f"{path}: no columns beside the class.")
    try:
        numeric, nominal = split_by_dtype(data)
    except ValueError as problem:
        raise TableFormatError(f"{path}: {problem}") from None
    columns = {
        name: data[name].astype(np.float64)
        if name in numeric
        else data[name]
        if isinstance(data[name].dtype, pd.CategoricalDtype)
        else as_nominal(data[name])
        for name in data
    }
    return Bunch(
        data=pd.DataFrame(columns).reset_index(drop=True),
        target=None if target is False else _labels(path, table[target]),
        numeric=numeric,
        nominal=nominal,
        name=path.name.split(".")[0],
        target_name=None if target is False else target,
    )


def _labels(path: Path, column: pd.Series) -> np.ndarray:
    """Return the classes as an array of numbers or text."""
    missing = int(column.isna().sum())
    if missing:
        raise TableFormatError(
            f"{path}: {missing} rows have no class in column {column.name!r}; "
            "drop them or name another column."
        )
    if pd.api.types.is_numeric_dtype(column.dtype):
        return column.to_numpy()
    return np.array([str(value) for value in column], dtype=np.str_)
