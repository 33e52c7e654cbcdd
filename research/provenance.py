"""Where the rows of every file come from: version, solver, processor, repeats."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, NamedTuple

import pandas as pd

# Files that the pages on the paper are made of; a file may be missing.
FILES = (
    *("paper", "ideas", "curves", "selection", "counting", "coding"),
    *("folds-stratified", "folds-keel", "folds-dob-scv", "company", "competitors"),
    *("checks", "margins"),
)


class Source(NamedTuple):
    """A file of rows, and what computed them."""

    name: str
    versions: tuple[str, ...]  # of isvmde
    description: str


def describe(results: Path) -> list[Source]:
    """Describe the files that there are."""
    paths = (results / f"{name}.csv" for name in FILES)
    return [_describe(path) for path in paths if path.is_file()]


def check_versions(sources: list[Source]) -> None:
    """Refuse to make a page of rows that different versions computed."""
    versions = {version for source in sources for version in source.versions}
    if len(versions) > 1:
        files = "; ".join(f"{s.name} ({', '.join(s.versions)})" for s in sources)
        raise SystemExit(
            f"these rows are of {len(versions)} versions, too many for one page: "
            f"{files}. Measure the older ones again."
        )


def _describe(path: Path) -> Source:
    """Describe one file by its first line."""
    with path.open(encoding="utf-8") as stream:
        header = stream.readline()
        table = pd.read_csv(stream, usecols=lambda name: name in _COUNTED)
    notes = json.loads(header[header.index("{") :])
    found = notes["environments"]
    environments = list(found.values()) if isinstance(found, dict) else found
    repeats = table["repeat"].nunique() if "repeat" in table else _repeats(notes)
    parts = [f"{table['dataset'].nunique()} data sets"] if "dataset" in table else []
    parts += [f"{repeats} repeats"] if repeats > 1 else ["one repeat"]
    parts += [_words(environment) for environment in environments]
    return Source(
        name=path.name,
        versions=tuple(sorted({e["isvmde"] for e in environments})),
        description="; ".join(parts),
    )


_COUNTED = ("dataset", "repeat")


def _repeats(notes: dict[str, Any]) -> int:
    """Return the repeats that the notes of a file name."""
    return int(notes["settings"].get("repeats", 1))


def _words(environment: dict[str, str]) -> str:
    """Return versions and processor."""
    names = ("isvmde", "solver", "python", "numpy", "scipy", "scikit-learn", "numba")
    versions = ", ".join(f"{name} {environment[name]}" for name in names)
    return f"{versions}, {environment['platform']}, {environment['cpu']}"
