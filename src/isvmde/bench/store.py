"""Results that last: one SQLite file per directory, one transaction per row."""

import contextlib
import io
import json
import os
import sqlite3
from collections.abc import Iterator
from pathlib import Path
from typing import IO, Any, Self

import pandas as pd

from isvmde.bench.data_choice import describe_dataset
from isvmde.bench.fold import COLUMNS, KEY
from isvmde.bench.plan import Plan, hash_json

FILE_NAME = "results.sqlite"
NOTES = ("settings", "planned", "datasets", "environments")
"""What ``attrs`` of a results table holds."""

_FORMAT = 1
_HEADER = "# isvmde results "

_SCHEMA = f"""
CREATE TABLE IF NOT EXISTS settings (name TEXT PRIMARY KEY, value TEXT NOT NULL);
CREATE TABLE IF NOT EXISTS planned (
    dataset TEXT, method TEXT, repeats INTEGER, PRIMARY KEY (dataset, method));
CREATE TABLE IF NOT EXISTS datasets (name TEXT PRIMARY KEY, value TEXT NOT NULL);
CREATE TABLE IF NOT EXISTS environments (id TEXT PRIMARY KEY, value TEXT NOT NULL);
CREATE TABLE IF NOT EXISTS rows (
    {", ".join(COLUMNS)}, PRIMARY KEY ({", ".join(KEY)}));
"""
_PLANNED = """
INSERT INTO planned VALUES (?, ?, ?)
ON CONFLICT DO UPDATE SET repeats = max(repeats, excluded.repeats)
"""
_ROW = f"""
INSERT INTO rows VALUES ({", ".join("?" * len(COLUMNS))}) ON CONFLICT DO UPDATE
SET {", ".join(f"{c} = excluded.{c}" for c in COLUMNS if c not in KEY)}
WHERE rows.status = 'failed'
"""


class StoreError(ValueError):
    """The results cannot be written or read; the message says what to do."""


class Store:
    """One benchmark directory, held by this process; every row written is kept."""

    def __init__(self, directory: str | Path) -> None:
        self.directory = Path(directory)
        with self._explained(), contextlib.ExitStack() as undo:
            self.directory.mkdir(parents=True, exist_ok=True)
            undo.enter_context(_take_lock(self.directory))
            self._connection = sqlite3.connect(
                self.directory / FILE_NAME, isolation_level="IMMEDIATE"
            )
            undo.callback(self._connection.close)
            self._connection.execute("PRAGMA synchronous=EXTRA")
            self._connection.executescript(_SCHEMA)
            self._open = undo.pop_all()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        self._open.close()

    def register(self, plan: Plan) -> None:
        """Note the plan, or refuse it when the directory's rows contradict it."""
        wanted = {"format": _FORMAT, **plan.settings}
        for name, value in self._select("SELECT name, value FROM settings"):
            if json.loads(value) != wanted.get(name):
                raise StoreError(
                    f"{self.directory} holds results with {name} {json.loads(value)}, "
                    f"this run has {name} {wanted.get(name)}: choose another "
                    "directory, or the same settings to go on with these results"
                )
        for dataset, method, config in self._select(
            "SELECT DISTINCT dataset, method, config FROM rows"
        ):
            if plan.config_hashes.get((dataset, method), config) != config:
                raise StoreError(
                    f"{self.directory} holds results of {method} on {dataset} made "
                    "from other data or with other parameters: choose another "
                    "directory"
                )
        described = {name: describe_dataset(one) for name, one in plan.datasets.items()}
        with self._explained(), self._connection as connection:
            for table, notes in (("settings", wanted), ("datasets", described)):
                connection.executemany(
                    f"INSERT OR REPLACE INTO {table} VALUES (?, ?)",
                    [(name, json.dumps(value)) for name, value in notes.items()],
                )
            connection.executemany(
                _PLANNED,
                [(d, m, plan.repeats) for d in plan.datasets for m in plan.methods],
            )

    def finished(self) -> set[tuple]:
        """Return the keys of finished rows."""
        query = f"SELECT {', '.join(KEY)} FROM rows WHERE status = 'done'"
        return set(self._select(query))

    def write(self, row: dict[str, Any]) -> None:
        """Add one row in one transaction; a failed one may be replaced later."""
        known_as = hash_json(row["environment"])[:8]
        described = (known_as, json.dumps(row["environment"]))
        row = {**row, "environment": known_as}
        with self._explained(), self._connection as connection:
            connection.execute(
                "INSERT OR IGNORE INTO environments VALUES (?, ?)", described
            )
            connection.execute(_ROW, [row.get(column) for column in COLUMNS])

    def _select(self, query: str) -> list[tuple]:
        """Run a query."""
        with self._explained():
            return self._connection.execute(query).fetchall()

    @contextlib.contextmanager
    def _explained(self) -> Iterator[None]:
        """Turn the errors of the file system and of SQLite into one sentence."""
        try:
            yield
        except (OSError, sqlite3.Error) as error:
            raise StoreError(
                f"cannot write results into {self.directory} ({reason(error)}): "
                "check its space and permissions, then start the same command again; "
                "finished folds are kept"
            ) from error


def reason(error: BaseException) -> str:
    """Return the system's own words for an error."""
    return getattr(error, "strerror", None) or str(error)


def _take_lock(directory: Path) -> IO[str]:
    """Hold the directory until the file is closed; the lock dies with its process."""
    file = (directory / "run.lock").open("a+")
    try:
        if os.name == "nt":  # pragma: no cover
            import msvcrt

            # Locked far beyond the text, so that a refused run can read who holds it.
            file.seek(1 << 20)
            msvcrt.locking(file.fileno(), msvcrt.LK_NBLCK, 1)  # type: ignore[attr-defined]
        else:
            import fcntl

            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError as error:
        with file:
            file.seek(0)
            holder = file.read().strip() or "unknown"
        raise StoreError(
            f"another run (process {holder}) is writing into {directory}: wait for it "
            "to end or choose another directory"
        ) from error
    file.truncate(0)
    file.write(str(os.getpid()))
    file.flush()
    return file


def load_results(path: str | Path) -> pd.DataFrame:
    """Return the rows of a benchmark, one per data set, method, repeat and fold.

    Parameters
    ----------
    path : path
        A benchmark directory or a CSV file written by :func:`export_rows`.

    Returns
    -------
    DataFrame
        In the plan's order. Scores are fractions in [0, 1]; failed folds have NaN and
        an `error`. ``attrs`` hold the run's `settings`, what was `planned` ({data set:
        {method: repeats}}), the `datasets` and the `environments` rows refer to.

    Examples
    --------
    >>> import tempfile
    >>> from sklearn.dummy import DummyClassifier
    >>> from isvmde.bench import run_benchmark
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     _ = run_benchmark(["zoo"], {"dummy": DummyClassifier()}, store=folder)
    ...     rows = load_results(folder)
    >>> rows.loc[0, ["dataset", "method", "status"]].tolist()
    ['zoo', 'dummy', 'done']
    """
    path = Path(path)
    if path.is_file():
        return _read_exported(path)
    file = path / FILE_NAME
    if not file.is_file():
        raise FileNotFoundError(
            f"there are no results in {path}: give a directory that "
            "`isvmde benchmark --out` has written, or an exported CSV file"
        )
    try:
        with contextlib.closing(sqlite3.connect(file)) as connection:
            return _read(connection)
    except sqlite3.Error as error:
        raise StoreError(f"{file} cannot be read ({reason(error)})") from error


def export_rows(source: str | Path | pd.DataFrame, path: str | Path) -> Path:
    """Write the rows of a benchmark to one compact CSV file, and return its path.

    The first line is a comment with what ``attrs`` hold; numbers are written so that
    reading gives the same doubles.

    Parameters
    ----------
    source : path or DataFrame
        A benchmark directory, an exported file or the table of :func:`load_results`.
    path : path
        The file to write.

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


def make_results(records: Any, notes: dict[str, Any]) -> pd.DataFrame:
    """Return rows as a DataFrame with the types of the store, in the plan's order."""
    table = pd.DataFrame(records, columns=list(COLUMNS)).astype(COLUMNS)
    texts = table.select_dtypes("object")
    table[texts.columns] = texts.where(texts.notna(), None)
    table.attrs.update({key: {} for key in NOTES}, **notes)
    names = dict(zip(KEY, planned_names(table), strict=False))

    def by_plan(column: pd.Series) -> pd.Series:
        order = {name: i for i, name in enumerate(names.get(str(column.name), ()))}
        return column.map(order) if order else column

    return table.sort_values(KEY, key=by_plan, ignore_index=True)


def planned_names(rows: pd.DataFrame) -> tuple[list[str], list[str]]:
    """Return data sets and methods in the order they were planned."""
    planned = rows.attrs["planned"]
    methods = dict.fromkeys(name for methods in planned.values() for name in methods)
    return list(planned), list(methods)


def _read_exported(path: Path) -> pd.DataFrame:
    """Read a file written by :func:`export_rows`."""
    header, _, body = path.read_text("utf-8", errors="replace").partition("\n")
    if not header.startswith(_HEADER):
        raise ValueError(
            f"{path} is no exported results file: its first line must start with "
            f"{_HEADER.strip()!r}"
        )
    try:
        notes = json.loads(header.removeprefix(_HEADER))
        for part in ("settings", "planned", "datasets", "environments"):
            if not isinstance(notes.get(part), dict):
                raise ValueError(f"its first line does not tell the {part}")
        cells = pd.read_csv(io.StringIO(body), dtype=object, keep_default_na=False)
        return make_results(cells.where(cells != "", None), notes)
    except (AttributeError, TypeError, ValueError) as error:
        raise ValueError(f"{path} is damaged: {error}") from error


def _read(connection: sqlite3.Connection) -> pd.DataFrame:
    """Return rows and notes of an open file."""
    notes: dict[str, dict] = {
        table: {
            name: json.loads(value)
            for name, value in connection.execute(f"SELECT * FROM {table} ORDER BY 1")
        }
        for table in ("settings", "environments", "datasets")
    }
    planned = notes["planned"] = {}
    for dataset, method, repeats in connection.execute(
        "SELECT dataset, method, repeats FROM planned ORDER BY rowid"
    ):
        planned.setdefault(dataset, {})[method] = repeats
    notes["datasets"] = {name: notes["datasets"][name] for name in planned}
    rows = connection.execute(f"SELECT {', '.join(COLUMNS)} FROM rows")
    return make_results(rows.fetchall(), notes)
