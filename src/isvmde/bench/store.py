"""Results that last: one SQLite file per directory, one transaction per row."""

from __future__ import annotations

import contextlib
import json
import sqlite3
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from isvmde.bench.data_choice import describe_dataset
from isvmde.bench.environment import environment_id
from isvmde.bench.lock import StoreError, take_lock
from isvmde.bench.plan import Plan
from isvmde.bench.rows import COLUMNS, KEY

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


class Store:
    """The results of one benchmark directory, open for writing by this process alone.

    Rows are committed one by one, so whatever ends the process (a crash, a full disk,
    SIGKILL) leaves every finished row behind and nothing half-written.

    Parameters
    ----------
    directory : path
        The benchmark directory; made when missing.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder, Store(folder) as store:
    ...     store.finished()
    {}
    """

    def __init__(self, directory: str | Path) -> None:
        self.directory = Path(directory)
        with self._explained(), contextlib.ExitStack() as undo:
            self.directory.mkdir(parents=True, exist_ok=True)
            undo.enter_context(take_lock(self.directory))
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
        self.close()

    def close(self) -> None:
        """Close the file; the rows are already in it."""
        self._open.close()

    def register(self, plan: Plan) -> None:
        """Note the plan, or refuse it when the directory's rows contradict it."""
        wanted = {"format": _FORMAT, **plan.settings()}
        stored = self.settings()
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

    def settings(self) -> dict[str, Any]:
        """Return what all rows have in common."""
        pairs = self._select("SELECT name, value FROM settings")
        return {name: json.loads(value) for name, value in pairs}

    def finished(self) -> dict[tuple[str, str, int, int], float]:
        """Return the keys of finished rows with the seconds of their fits."""
        query = f"SELECT {', '.join(KEY)}, fit_seconds FROM rows WHERE status = 'done'"
        return {tuple(key): seconds for *key, seconds in self._select(query)}  # type: ignore[misc]

    def write(self, row: dict[str, Any]) -> None:
        """Add one row in one transaction; a failed one may be replaced later."""
        described = row["environment"]
        known_as = environment_id(described)
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
