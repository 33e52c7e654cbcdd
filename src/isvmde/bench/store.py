"""Results that last: one SQLite file per directory, one transaction per row."""

from __future__ import annotations

import contextlib
import json
import os
import sqlite3
from collections.abc import Iterator
from pathlib import Path
from typing import IO, Any

from isvmde.bench.data_choice import describe_dataset
from isvmde.bench.fingerprint import hash_json
from isvmde.bench.plan import Plan

COLUMNS = {
    "dataset": "str",
    "method": "str",
    "repeat": "int64",
    "fold": "int64",
    "status": "str",  # "done" or "failed"
    "g_mean": "float64",  # scores are fractions; NaN where the fold failed
    "av_f_beta": "float64",
    "cba": "float64",
    "recall": "str",  # JSON: {class: recall, or null where it has no test sample}
    "confusion": "str",  # JSON: counts, true classes down, in recall's order
    "fit_seconds": "float64",
    "predict_seconds": "float64",
    "error": "str",
    "warnings": "str",
    "seed": "int64",
    "config": "str",
    "environment": "str",
}
"""Columns of a results table and their types."""

KEY = ["dataset", "method", "repeat", "fold"]

FILE_NAME = "results.sqlite"
_FORMAT = 1

_SCHEMA = f"""
CREATE TABLE IF NOT EXISTS settings (name TEXT PRIMARY KEY, value TEXT NOT NULL);
CREATE TABLE IF NOT EXISTS planned (
    dataset TEXT, method TEXT, repeats INTEGER, PRIMARY KEY (dataset, method));
CREATE TABLE IF NOT EXISTS datasets (name TEXT PRIMARY KEY, value TEXT NOT NULL);
CREATE TABLE IF NOT EXISTS environments (id TEXT PRIMARY KEY, value TEXT NOT NULL);
CREATE TABLE IF NOT EXISTS rows (
    {", ".join(COLUMNS)}, PRIMARY KEY ({", ".join(KEY)}));
"""


class StoreError(ValueError):
    """The results cannot be written or read; the message says what to do."""


class DirectoryInUseError(StoreError):
    """Another run is writing into the benchmark directory."""


class Store:
    """The results of one benchmark directory, open for writing by this process alone.

    Rows are committed one by one, so whatever ends the process (a crash, a full disk,
    SIGKILL) leaves every finished row behind and nothing half-written.
    """

    def __init__(self, directory: str | Path) -> None:
        self.directory = Path(directory)
        with self._explained(), contextlib.ExitStack() as undo:
            self.directory.mkdir(parents=True, exist_ok=True)
            undo.enter_context(_take_lock(self.directory))
            self._connection = sqlite3.connect(
                self.directory / FILE_NAME, isolation_level=None
            )
            undo.callback(self._connection.close)
            self._connection.execute("PRAGMA journal_mode=WAL")
            self._connection.execute("PRAGMA synchronous=FULL")
            self._connection.executescript(_SCHEMA)
            self._open = undo.pop_all()

    def __enter__(self) -> Store:
        return self

    def __exit__(self, *error: object) -> None:
        self._open.close()

    def register(self, plan: Plan) -> None:
        """Note the plan, or refuse it when the directory's rows contradict it."""
        wanted = {"format": _FORMAT, **plan.settings()}
        pairs = self._select("SELECT name, value FROM settings")
        stored = {name: json.loads(value) for name, value in pairs}
        for name, value in wanted.items():
            if name in stored and stored[name] != value:
                raise StoreError(
                    f"{self.directory} holds results with {name} {stored[name]}, "
                    f"this run has {name} {value}: choose another directory, or the "
                    "same settings to go on with these results"
                )
        hashes = plan.config_hashes()
        for dataset, method, config in self._select(
            "SELECT DISTINCT dataset, method, config FROM rows"
        ):
            if hashes.get((dataset, method), config) != config:
                raise StoreError(
                    f"{self.directory} holds results of {method} on {dataset} made "
                    "from other data or with other parameters: choose another "
                    "directory"
                )
        with self._transaction() as connection:
            connection.executemany(
                "INSERT OR IGNORE INTO settings VALUES (?, ?)",
                [(name, json.dumps(value)) for name, value in wanted.items()],
            )
            connection.executemany(
                "INSERT INTO planned VALUES (?, ?, ?) ON CONFLICT DO UPDATE "
                "SET repeats = max(repeats, excluded.repeats)",
                [(d, m, plan.repeats) for d in plan.datasets for m in plan.methods],
            )
            connection.executemany(
                "INSERT OR REPLACE INTO datasets VALUES (?, ?)",
                [
                    (name, json.dumps(describe_dataset(bunch)))
                    for name, bunch in plan.datasets.items()
                ],
            )

    def finished(self) -> dict[tuple[str, str, int, int], float]:
        """Return the keys of finished rows with the seconds of their fits."""
        query = f"SELECT {', '.join(KEY)}, fit_seconds FROM rows WHERE status = 'done'"
        return {tuple(key): seconds for *key, seconds in self._select(query)}  # type: ignore[misc]

    def write(self, row: dict[str, Any]) -> None:
        """Add one row in one transaction; a failed one may be replaced later."""
        described = row["environment"]
        known_as = hash_json(described)[:8]
        values = [
            known_as if column == "environment" else row.get(column)
            for column in COLUMNS
        ]
        with self._transaction() as connection:
            connection.execute(
                "INSERT OR IGNORE INTO environments VALUES (?, ?)",
                (known_as, json.dumps(described)),
            )
            connection.execute(
                f"INSERT INTO rows VALUES ({', '.join('?' * len(COLUMNS))}) "
                "ON CONFLICT DO UPDATE SET "
                + ", ".join(f"{c} = excluded.{c}" for c in COLUMNS if c not in KEY)
                + " WHERE rows.status = 'failed'",
                values,
            )

    def _select(self, query: str) -> list[tuple]:
        """Run a query."""
        with self._explained():
            return self._connection.execute(query).fetchall()

    @contextlib.contextmanager
    def _transaction(self) -> Iterator[sqlite3.Connection]:
        """Commit all of the block or nothing."""
        with self._explained():
            self._connection.execute("BEGIN IMMEDIATE")
            try:
                yield self._connection
                self._connection.execute("COMMIT")
            except BaseException:
                if self._connection.in_transaction:
                    self._connection.execute("ROLLBACK")
                raise

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
        _lock(file)
    except OSError as error:
        file.seek(0)
        holder = file.read().strip() or "unknown"
        file.close()
        raise DirectoryInUseError(
            f"another run (process {holder}) is writing into {directory}: wait for it "
            "to end or choose another directory"
        ) from error
    file.truncate(0)
    file.write(str(os.getpid()))
    file.flush()
    return file


def _lock(file: IO[str]) -> None:
    """Lock the file or raise OSError at once."""
    if os.name == "nt":  # pragma: no cover
        import msvcrt

        # Locked far beyond the text, so that a refused run can read who holds it.
        file.seek(1 << 20)
        msvcrt.locking(file.fileno(), msvcrt.LK_NBLCK, 1)  # type: ignore[attr-defined]
    else:
        import fcntl

        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
