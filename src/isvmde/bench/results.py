"""Read the rows of a benchmark, from its directory or an exported file; export them."""

from __future__ import annotations

import contextlib
import json
import sqlite3
from pathlib import Path

import pandas as pd

from isvmde.bench.lock import StoreError
from isvmde.bench.rows import COLUMNS, KEY, make_results, read_exported, write_exported
from isvmde.bench.store import FILE_NAME, reason


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
    >>> def most_frequent(random_state):
    ...     return DummyClassifier()
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     _ = run_benchmark(["zoo"], {"dummy": most_frequent}, store=folder)
    ...     rows = load_results(folder)
    >>> rows[["dataset", "method", "fold", "status"]].head(2)
      dataset method  fold status
    0     zoo  dummy     0   done
    1     zoo  dummy     1   done
    """
    path = Path(path)
    if path.is_file():
        return _in_plan_order(read_exported(path))
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
    >>> def most_frequent(random_state):
    ...     return DummyClassifier()
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     rows = run_benchmark(["zoo"], {"dummy": most_frequent}, store=folder)
    ...     again = load_results(export_rows(folder, folder + "/rows.csv"))
    >>> again["g_mean"].equals(rows["g_mean"])
    True
    """
    table = source if isinstance(source, pd.DataFrame) else load_results(source)
    path = Path(path)
    write_exported(table, path)
    return path


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
    rows = connection.execute(f"SELECT {', '.join(COLUMNS)} FROM rows").fetchall()
    planned: dict[str, dict[str, int]] = {}
    for dataset, method, repeats in connection.execute(
        "SELECT dataset, method, repeats FROM planned ORDER BY rowid"
    ):
        planned.setdefault(dataset, {})[method] = repeats
    notes = {
        "settings": {
            n: json.loads(v) for n, v in connection.execute("SELECT * FROM settings")
        },
        "planned": planned,
        "datasets": _described(connection, planned),
        "environments": {
            i: json.loads(v)
            for i, v in connection.execute("SELECT * FROM environments ORDER BY id")
        },
    }
    return make_results([dict(zip(COLUMNS, row, strict=True)) for row in rows], notes)


def _described(connection: sqlite3.Connection, planned: dict) -> dict:
    """Return what is known of each data set; files of older versions say nothing."""
    try:
        found = dict(connection.execute("SELECT name, value FROM datasets").fetchall())
    except sqlite3.OperationalError:
        return {}
    return {name: json.loads(found[name]) for name in planned if name in found}


def _in_plan_order(table: pd.DataFrame) -> pd.DataFrame:
    """Sort rows by the order in which data sets and methods were planned."""
    planned = table.attrs["planned"]
    datasets = {name: i for i, name in enumerate(planned)}
    names = dict.fromkeys(name for methods in planned.values() for name in methods)
    methods = {name: i for i, name in enumerate(names)}
    ranks = {"dataset": datasets, "method": methods}

    def by_plan(column: pd.Series) -> pd.Series:
        return column.map(ranks[column.name]) if column.name in ranks else column

    return table.sort_values(KEY, key=by_plan, ignore_index=True)
