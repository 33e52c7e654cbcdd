"""Cases are measured one by one, and their rows kept."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Protocol

import pandas as pd
from joblib import Parallel, delayed

from .fitting import compile_first


class Case(Protocol):
    """A table and a seed; both together are the key of a row."""

    @property
    def table(self) -> str:
        """Return the name of the table."""

    @property
    def seed(self) -> int:
        """Return the seed of the table."""


class Row(Case, Protocol):
    """A dataclass of numbers, which become the columns of a csv file."""


def measure_all(
    cases: Sequence[Case],
    measure: Callable[[Case], Row],
    path: Path | None,
    n_jobs: int,
) -> pd.DataFrame:
    """Measure the cases that a csv file does not hold yet; return the rows of all."""
    known = pd.DataFrame()
    if path is not None and path.exists():
        known = pd.read_csv(path)
    done = set(_keys(known))
    missing = [case for case in cases if (case.table, case.seed) not in done]
    rows = [known]
    for row in _measured(missing, measure, n_jobs):
        line = pd.DataFrame([row])
        rows.append(line)
        print(f"{row.table}, seed {row.seed}", file=sys.stderr, flush=True)
        if path is not None:
            line.to_csv(path, mode="a", header=not path.exists(), index=False)
    found = pd.concat(rows, ignore_index=True)
    place = {key: k for k, key in enumerate(_keys(found))}
    return found.loc[[place[case.table, case.seed] for case in cases]]


def _keys(rows: pd.DataFrame) -> list[tuple[str, int]]:
    """Return the table and the seed of every row."""
    if rows.empty:
        return []
    return list(zip(rows["table"], rows["seed"], strict=True))


def _measured(
    cases: Sequence[Case], measure: Callable[[Case], Row], n_jobs: int
) -> Iterator[Row]:
    """Yield rows as they come."""
    if cases:
        compile_first()
        parallel = Parallel(n_jobs, return_as="generator_unordered")
        yield from parallel(delayed(measure)(case) for case in cases)
