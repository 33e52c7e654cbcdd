"""A benchmark's rows as a table: read from its directory, exported, read again."""

from __future__ import annotations

import contextlib
import io
import json
import sqlite3
from pathlib import Path

import numpy as np
import pandas as pd

from isvmde.bench.store import COLUMNS, FILE_NAME, KEY, StoreError, reason

NOTES = ("settings", "planned", "datasets", "environments")
"""What ``attrs`` of a results table holds."""

_HEADER = "# isvmde results "


def load_results(path: str | Path) -> pd.DataFrame:
    """Return the rows of a benchmark, one per data set, method, repeat and fold.

    Scores are fractions in [0, 1]; failed folds have NaN and an `error`. The table's
    ``attrs`` hold the run's `settings`, what was `planned` ({data set: {method:
    repeats}}) and the `environments` rows refer to.

    Parameters
    ----------
    path : path
        A benchmark directory or a CSV file written by :func:`export_rows`.

    Returns
    -------
    DataFrame
        Sorted by data set and method in the plan's order, then repeat and fold.

    Examples
    --------
    >>> import tempfile
    >>> from sklearn.dummy import DummyClassifier
    >>> from isvmde.bench import run_benchmark
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     _ = run_benchmark(["zoo"], {"dummy": DummyClassifier()}, store=folder)
    ...     rows = load_results(folder)
    >>> rows[["dataset", "method", "fold", "status"]].head(2)
      dataset method  fold status
    0     zoo  dummy     0   done
    1     zoo  dummy     1   done
    """
    path = Path(path)
    if path.is_file():
        return _in_plan_order(_read_exported(path))
    file = path / FILE_NAME
    if not file.is_file():
        raise FileNotFoundError(
            f"there are no results in {path}: give a directory that "
            "`isvmde benchmark --out` has written, or an exported CSV file"
        )
    try:
        with contextlib.closing(_open_for_reading(file)) as connection:
            return _in_plan_order(_read(connection))
    except sqlite3.Error as error:
        raise StoreError(f"{file} cannot be read ({reason(error)})") from error


def export_rows(source: str | Path | pd.DataFrame, path: str | Path) -> Path:
    """Write the rows of a benchmark to one compact CSV file.

    The first line is a comment with the run's settings, its plan and the environments
    rows refer to; numbers are written so that reading gives the same doubles.

    Parameters
    ----------
    source : path or DataFrame
        A benchmark directory, an exported file or the table of :func:`load_results`.
    path : path
        The file to write.

    Returns
    -------
    Path
        The file written.

    Examples
    --------
    >>> import tempfile
    >>> from sklearn.dummy import DummyClassifier
    >>> from isvmde.bench import load_results, run_benchmark
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     rows = run_benchmark(["zoo"], {"dummy": DummyClassifier()}, store=folder)
    ...     again = load_results(export_rows(folder, folder + "/rows.csv"))
    >>> again["g_mean"].equals(rows["g_mean"])
    True
    """
    table = source if isinstance(source, pd.DataFrame) else load_results(source)
    notes = {key: table.attrs.get(key, {}) for key in NOTES}
    # The plan's order is kept by the notes; rows are sorted so that equal runs give
    # equal files whatever order their folds ended in.
    body = table.sort_values(KEY).to_csv(index=False, lineterminator="\n")
    path = Path(path)
    path.write_bytes(f"{_HEADER}{json.dumps(notes)}\n{body}".encode())
    return path


def make_results(records: list[dict], notes: dict) -> pd.DataFrame:
    """Return rows as a DataFrame with the types of the store; notes go to ``attrs``."""
    table = pd.DataFrame(records, columns=list(COLUMNS))
    for column, kind in COLUMNS.items():
        if kind == "str":
            table[column] = table[column].astype(object)
            table[column] = table[column].where(table[column].notna(), None)
        else:
            table[column] = table[column].astype(np.dtype(kind))
    table.attrs = {key: {} for key in NOTES} | notes
    return table


def _read_exported(path: Path) -> pd.DataFrame:
    """Read a file written by :func:`export_rows`."""
    header, _, body = path.read_text(encoding="utf-8").partition("\n")
    if not header.startswith(_HEADER):
        raise ValueError(
            f"{path} is no exported results file: its first line must start with "
            f"{_HEADER.strip()!r}"
        )
    try:
        notes = json.loads(header.removeprefix(_HEADER))
        cells = pd.read_csv(io.StringIO(body), dtype=object, keep_default_na=False)
        return make_results(cells.where(cells != "", None).to_dict("records"), notes)
    except (ValueError, TypeError) as error:
        raise ValueError(f"{path} is damaged: {error}") from error


def _open_for_reading(file: Path) -> sqlite3.Connection:
    """Open the file so that a running benchmark and a read-only disk both work."""
    address = file.resolve().as_uri()
    try:
        # Opened for writing, SQLite clears its log away when the last reader leaves.
        connection = sqlite3.connect(f"{address}?mode=rw", uri=True)
        connection.execute("SELECT 1 FROM rows LIMIT 1")
    except sqlite3.OperationalError:
        # In a directory that cannot be written, SQLite cannot join the log of a
        # writer; there is no writer either.
        connection.close()
        connection = sqlite3.connect(f"{address}?mode=ro&immutable=1", uri=True)
    return connection


def _read(connection: sqlite3.Connection) -> pd.DataFrame:
    """Return rows and notes of an open file."""

    def noted(table: str) -> dict:
        pairs = connection.execute(f"SELECT * FROM {table} ORDER BY 1")
        return {name: json.loads(value) for name, value in pairs}

    planned: dict[str, dict[str, int]] = {}
    for dataset, method, repeats in connection.execute(
        "SELECT dataset, method, repeats FROM planned ORDER BY rowid"
    ):
        planned.setdefault(dataset, {})[method] = repeats
    notes = {name: noted(name) for name in ("settings", "environments")}
    with contextlib.suppress(sqlite3.OperationalError):  # older files have no such
        found = noted("datasets")
        notes["datasets"] = {name: found[name] for name in planned if name in found}
    rows = connection.execute(f"SELECT {', '.join(COLUMNS)} FROM rows")
    records = [dict(zip(COLUMNS, row, strict=True)) for row in rows]
    return make_results(records, {**notes, "planned": planned})


def _in_plan_order(table: pd.DataFrame) -> pd.DataFrame:
    """Sort rows by the order in which data sets and methods were planned."""
    planned = table.attrs["planned"]
    methods = dict.fromkeys(name for methods in planned.values() for name in methods)
    ranks = {
        column: {name: i for i, name in enumerate(names)}
        for column, names in (("dataset", planned), ("method", methods))
    }

    def by_plan(column: pd.Series) -> pd.Series:
        return column.map(ranks[column.name]) if column.name in ranks else column

    return table.sort_values(KEY, key=by_plan, ignore_index=True)
