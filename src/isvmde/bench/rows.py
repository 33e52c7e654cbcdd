"""The finished rows of a benchmark as a table: its columns, and its form as CSV."""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path

import numpy as np
import pandas as pd

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

NOTES = ("settings", "planned", "datasets", "environments")
"""What ``attrs`` of a results table holds."""

_HEADER = "# isvmde results "


def make_results(records: list[dict], notes: dict) -> pd.DataFrame:
    """Return rows as a DataFrame with the types above; `notes` go to ``.attrs``."""
    table = pd.DataFrame(records, columns=list(COLUMNS))
    for column, kind in COLUMNS.items():
        if kind == "str":
            table[column] = table[column].astype(object)
            table[column] = table[column].where(table[column].notna(), None)
        else:
            table[column] = table[column].astype(np.dtype(kind))
    table.attrs = {key: {} for key in NOTES} | notes
    return table


def write_exported(table: pd.DataFrame, path: Path) -> None:
    """Write a table of rows to one CSV file whose first line holds its notes."""
    notes = {key: table.attrs.get(key, {}) for key in NOTES}
    with path.open("w", encoding="utf-8", newline="") as file:
        file.write(_HEADER + json.dumps(notes) + "\n")
        # The plan's order is kept by the notes; rows are sorted so that equal runs
        # give equal files whatever order their folds ended in.
        table.sort_values(KEY).to_csv(file, index=False, lineterminator="\n")


def read_exported(path: Path) -> pd.DataFrame:
    """Read a file written by :func:`write_exported`."""
    text = path.read_text(encoding="utf-8")
    header, _, body = text.partition("\n")
    if not header.startswith(_HEADER):
        raise ValueError(
            f"{path} is no exported results file: its first line must start with "
            f"{_HEADER.strip()!r}"
        )
    try:
        notes = json.loads(header.removeprefix(_HEADER))
        records = [
            {column: cell or None for column, cell in record.items()}
            for record in csv.DictReader(io.StringIO(body), strict=True)
        ]
        return make_results(records, notes)
    except (ValueError, TypeError, csv.Error) as error:
        raise ValueError(f"{path} is damaged: {error}") from error
