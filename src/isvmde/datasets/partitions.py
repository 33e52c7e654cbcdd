"""Find KEEL's partition of a data set in the data home."""

from __future__ import annotations

import os
import re
from pathlib import Path

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from .catalogue import get_info
from .home import get_data_home
from .keel_folds import align_parts, find_fold_files, join_parts
from .load import load_dataset


def load_partition(
    name: str, partition: str, data_home: str | os.PathLike[str] | None
) -> NDArray[np.intp]:
    """Return the number (from 1) of the test part every row of a data set is in."""
    match = re.fullmatch(r"keel([1-9]\d?)(imb)?", partition)
    if match is None:
        raise ValueError(
            f"There is no partition {partition!r}; choose keel5, keel10 or keel5imb."
        )
    if name == "hcv":
        raise ValueError(
            "KEEL has no partition of 'hcv', which is UCI's; use PaperKFold."
        )
    home = get_data_home(data_home)
    table = home / "folds" / f"{name}.csv"
    others: list[str] = []
    if table.exists():
        columns = _read_table(table, get_info(name).n_rows)
        if partition in columns:
            return columns[partition]
        others = list(columns)
    places = [home / "folds" / partition]
    # Shuttle and thyroid are samples that only the imbalanced collection has; files
    # of the others lying beside the data are taken for the standard collection's.
    if (get_info(name).download is not None) == (match[2] is not None):
        places.append(home)
    for place in places:
        paths = find_fold_files(name, int(match[1]), place)
        if paths is not None:
            return align_parts(load_dataset(name, data_home=home), *join_parts(paths))
    hint = f"; it has {', '.join(others)}" if others else ""
    raise FileNotFoundError(
        f"KEEL's partition {partition!r} of {name!r} is not in {home}{hint}: put "
        f"{name}-{match[1]}-1tst.dat and so on into {places[0]}, from "
        "https://sci2s.ugr.es/keel/datasets.php."
    )


def _read_table(path: Path, n_rows: int) -> dict[str, NDArray[np.intp]]:
    """Read and check ``folds/NAME.csv``."""
    try:
        table = pd.read_csv(path)
    except ValueError as problem:
        raise ValueError(f"{path} is not a readable csv file: {problem}") from None
    if len(table) != n_rows:
        raise ValueError(f"{path} has {len(table)} rows, the data set has {n_rows}.")
    columns = {}
    for name in table:
        part = table[name].to_numpy()
        if part.dtype.kind not in "iu" or part.min() != 1 or part.max() < 2:
            raise ValueError(f"{path}: column {name!r} does not number parts from 1.")
        if len(np.unique(part)) != part.max():
            raise ValueError(f"{path}: column {name!r} has empty parts.")
        columns[str(name)] = part.astype(np.intp)
    return columns
