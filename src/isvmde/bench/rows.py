"""The finished rows of a benchmark as a table: its columns, export and import."""

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
    table.attrs = {"settings": {}, "planned": {}, "environments": {}} | notes
    return table


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
    from isvmde.bench.store import load_results

    table = source if isinstance(source, pd.DataFrame) else load_results(source)
    notes = {
        key: table.attrs.get(key, {}) for key in ("settings", "planned", "environments")
    }
    path = Path(path)
    with path.open("w", encoding="utf-8", newline="") as file:
        file.write(_HEADER + json.dumps(notes) + "\n")
        # The plan's order is kept by the notes; rows are sorted so that equal runs
        # give equal files whatever order their folds ended in.
        table.sort_values(KEY).to_csv(file, index=False, lineterminator="\n")
    return path


def read_exported(path: Path) -> pd.DataFrame:
    """Read a file written by :func:`export_rows`."""
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
