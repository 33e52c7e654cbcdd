"""The paper's fifteen data sets (its Table 1): sizes, origin, attribution."""

from __future__ import annotations

import csv
from dataclasses import dataclass, field
from importlib import resources

DATA = resources.files(__package__) / "data"
"""Where the files of the data sets are."""


@dataclass(frozen=True)
class DatasetInfo:
    """One row of Table 1, and where the data come from."""

    name: str
    n_numeric: int
    n_nominal: int
    class_counts: dict[str, int] = field(repr=False)  # in Table 1's order
    source: str = field(repr=False)
    citation: str = field(repr=False)


def _read_catalogue() -> dict[str, DatasetInfo]:
    """Read the catalogue; classes and their sizes are written ``a: 3; b: 2``."""
    text = (DATA / "catalogue.csv").read_text("utf-8")
    found = {}
    for row in csv.DictReader(text.splitlines()):
        classes = [each.rpartition(": ") for each in row["class_counts"].split("; ")]
        found[row["name"]] = DatasetInfo(
            name=row["name"],
            n_numeric=int(row["n_numeric"]),
            n_nominal=int(row["n_nominal"]),
            class_counts={label: int(n) for label, _, n in classes},
            source=row["source"],
            citation=row["citation"],
        )
    return found


CATALOGUE = _read_catalogue()
