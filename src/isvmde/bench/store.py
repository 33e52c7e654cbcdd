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
from isvmde.bench.results import Results
from isvmde.writing import write_file

FILE_NAME = "results.sqlite"
LOCK_NAME = "run.lock"
_FORMAT = 1
_PATIENCE = 60.0  # seconds until another program has to give the file back
_HEADER = "# isvmde results "
_NOTES = ("settings", "planned", "datasets", "environments")  # of its first line

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
                self.directory / FILE_NAME,
                timeout=_PATIENCE,
                isolation_level="IMMEDIATE",
            )
            undo.callback(self._connection.close)
            _refuse_programs(self._connection)
            self._connection.execute("PRAGMA synchronous=EXTRA")
            self._connection.executescript(_SCHEMA)
            self._open = undo.pop_all()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        self._open.close()

    def register(self, plan: Plan) -> None:
        """Note the plan, or refuse it when the directory's rows contradict it."""
        wanted = {"format": _FORMAT} | plan.settings
        kept = dict(self._select("SELECT name, value FROM settings"))
        for name in (wanted | kept) if kept else ():
            value = json.loads(kept.get(name, "null"))
            if value != wanted.get(name):
                raise StoreError(
                    f"{self.directory} holds results with {name} {value}, but this run "
                    f"has {name} {wanted.get(name)}: choose another directory, or use "
                    "the same settings to continue these results"
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
        described = {
            name: describe_dataset(bunch) for name, bunch in plan.datasets.items()
        }
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

    def take_over(self, results: Results) -> None:
        """Put in rows that were stored elsewhere, so that a run goes on from them."""
        rows = results.rows[list(COLUMNS)].astype(object)
        rows = rows.where(rows.notna(), None)
        planned = [
            (dataset, method, repeats)
            for dataset, methods in results.planned.items()
            for method, repeats in methods.items()
        ]
        notes = {
            "settings": results.settings,
            "datasets": results.datasets,
            "environments": results.environments,
        }
        with self._explained(), self._connection as connection:
            for table, described in notes.items():
                connection.executemany(
                    f"INSERT OR IGNORE INTO {table} VALUES (?, ?)",
                    [(name, json.dumps(value)) for name, value in described.items()],
                )
            connection.executemany(_PLANNED, planned)
            connection.executemany(_ROW, rows.to_numpy().tolist())

    def finished(self) -> set[tuple[Any, ...]]:
        """Return the keys of finished rows."""
        query = f"SELECT {', '.join(KEY)} FROM rows WHERE status = 'done'"
        return set(self._select(query))

    def write(self, row: dict[str, Any]) -> None:
        """Add one row in one transaction; a failed one may be replaced later."""
        known_as = hash_json(row["environment"])[:8]
        described = (known_as, json.dumps(row["environment"]))
        row = row | {"environment": known_as}
        with self._explained(), self._connection as connection:
            connection.execute(
                "INSERT OR IGNORE INTO environments VALUES (?, ?)", described
            )
            connection.execute(_ROW, [row.get(column) for column in COLUMNS])

    def _select(self, query: str) -> list[tuple[Any, ...]]:
        """Run a query."""
        with self._explained():
            return self._connection.execute(query).fetchall()

    @contextlib.contextmanager
    def _explained(self) -> Iterator[None]:
        """Turn the errors of the file system and of SQLite into one sentence."""
        try:
            yield
        except (OSError, sqlite3.Error) as error:
            advice = "check its space and permissions"
            code = getattr(error, "sqlite_errorcode", None)
            if code in (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED):
                advice = f"close the program that has {FILE_NAME} open"
            raise StoreError(
                f"cannot write results into {self.directory} ({reason(error)}): "
                f"{advice}, then start the same command again; finished folds are kept"
            ) from error


def store_files(directory: Path) -> list[Path]:
    """Return the files of a benchmark directory that a run writes."""
    return [directory / FILE_NAME, directory / LOCK_NAME]


def reason(error: BaseException) -> str:
    """Return the system's own words for an error."""
    return getattr(error, "strerror", None) or str(error)


def _take_lock(directory: Path) -> IO[str]:
    """Hold the directory until the file is closed; the lock dies with its process."""
    file = (directory / LOCK_NAME).open("a+")
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


def load_results(path: str | Path) -> Results:
    """Return what a benchmark has measured so far.

    Parameters
    ----------
    path : path
        A benchmark directory or a CSV file written by :func:`export_rows`.

    Returns
    -------
    Results
        Its ``rows`` are a table with one row per data set, method, repeat and fold, in
        the plan's order. Scores are fractions in [0, 1]; failed folds have NaN and an
        `error`.

    Examples
    --------
    >>> import tempfile
    >>> from sklearn.dummy import DummyClassifier
    >>> from isvmde.bench import run_benchmark
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     _ = run_benchmark(["zoo"], {"dummy": DummyClassifier()}, store=folder)
    ...     rows = load_results(folder).rows
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
    except (KeyError, TypeError, ValueError) as error:
        raise StoreError(
            f"{file} is damaged ({type(error).__name__}: {error})"
        ) from error


def export_rows(source: str | Path | Results, path: str | Path) -> Path:
    """Write the results of a benchmark to one compact CSV file, and return its path.

    The first line is a comment with all that is not in the rows; numbers are written so
    that reading gives the same doubles.

    Parameters
    ----------
    source : path or Results
        A benchmark directory, an exported file or what :func:`load_results` returned.
    path : path
        The file to write.

    Examples
    --------
    >>> import tempfile
    >>> from sklearn.dummy import DummyClassifier
    >>> from isvmde.bench import load_results, run_benchmark
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     results = run_benchmark(["zoo"], {"dummy": DummyClassifier()}, store=folder)
    ...     again = load_results(export_rows(folder, folder + "/rows.csv"))
    >>> again.rows["g_mean"].equals(results.rows["g_mean"])
    True
    """
    results = source if isinstance(source, Results) else load_results(source)
    notes = {
        "settings": results.settings,
        "planned": results.planned,
        "datasets": results.datasets,
        "environments": results.environments,
    }
    # The plan's order is kept by the notes; rows are sorted so that equal runs give
    # equal files whatever order their folds ended in.
    body = results.rows.sort_values(KEY).to_csv(index=False, lineterminator="\n")
    path = Path(path)
    write_file(path, f"{_HEADER}{json.dumps(notes)}\n{body}")
    return path


def is_exported(path: str | Path) -> bool:
    """Whether a file begins as one that :func:`export_rows` wrote."""
    with open(path, "rb") as file:
        return file.read(len(_HEADER)) == _HEADER.encode()


def _read_exported(path: Path) -> Results:
    """Read a file written by :func:`export_rows`."""
    header, _, body = path.read_text("utf-8", errors="replace").partition("\n")
    if not header.startswith(_HEADER):
        raise ValueError(
            f"{path} is not an exported results file: its first line must start with "
            f"{_HEADER.strip()!r}"
        )
    try:
        notes = json.loads(header.removeprefix(_HEADER))
        for part in _NOTES:
            if not isinstance(notes.get(part), dict):
                raise ValueError(f"its first line lacks the {part}")
        cells = pd.read_csv(io.StringIO(body), dtype=object, keep_default_na=False)
        return Results.from_records(
            cells.where(cells != "", None),
            settings=notes["settings"],
            planned=notes["planned"],
            datasets=notes["datasets"],
            environments=notes["environments"],
        )
    except (AttributeError, TypeError, ValueError) as error:
        raise ValueError(f"{path} is damaged: {error}") from error


def _refuse_programs(connection: sqlite3.Connection) -> None:
    """Refuse a file that computes: a view may never end, a trigger may delete rows."""
    strange = connection.execute(
        "SELECT name FROM sqlite_master WHERE type IN ('view', 'trigger') "
        "OR sql LIKE 'CREATE VIRTUAL%'"
    ).fetchall()
    if strange:
        raise sqlite3.DatabaseError(
            "it holds a view, a trigger or a virtual table, which isvmde never makes"
        )


def _read(connection: sqlite3.Connection) -> Results:
    """Return the results that an open file holds."""
    _refuse_programs(connection)
    planned: dict[str, dict[str, int]] = {}
    for dataset, method, repeats in connection.execute(
        "SELECT dataset, method, repeats FROM planned ORDER BY rowid"
    ):
        planned.setdefault(dataset, {})[method] = repeats
    datasets = _read_notes(connection, "datasets")
    rows = connection.execute(f"SELECT {', '.join(COLUMNS)} FROM rows")
    return Results.from_records(
        rows.fetchall(),
        settings=_read_notes(connection, "settings"),
        planned=planned,
        datasets={name: datasets[name] for name in planned},
        environments=_read_notes(connection, "environments"),
    )


def _read_notes(connection: sqlite3.Connection, table: str) -> dict[str, Any]:
    """Return a table of names and values in JSON."""
    found = connection.execute(f"SELECT * FROM {table} ORDER BY 1")
    return {name: json.loads(value) for name, value in found}
