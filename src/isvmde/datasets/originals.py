"""Read and check the files that KEEL and UCI publish for shuttle, thyroid and hcv."""

from __future__ import annotations

import hashlib
import io
from pathlib import Path

import numpy as np
import pandas as pd
from sklearn.utils import Bunch

from .catalogue import DatasetInfo, Download
from .columns import as_nominal, shortest
from .keel import decode, parse_keel
from .keel_folds import find_fold_files, join_parts


def load_original(info: DatasetInfo, home: Path) -> Bunch | None:
    """Read a data set from its file or KEEL's fold files; None when there is none."""
    wanted = info.download
    assert wanted is not None, "only sets that are not shipped have an original"
    path = home / wanted.filename
    if path.exists():
        return load_file(wanted, path)
    parts = find_fold_files(info.name, 5, home) if path.suffix == ".dat" else None
    if parts is None:
        return None
    bunch = join_parts(parts)[0]
    if fingerprint(bunch) != wanted.fingerprint:
        raise ValueError(
            f"{parts[0]} and its sister files do not hold the data set {info.name!r} "
            f"of KEEL's imbalanced collection; get it from {wanted.page}."
        )
    return _tidy(wanted, bunch)


def load_file(wanted: Download, path: Path) -> Bunch:
    """Read one file; the error says what to do when it is not the expected one."""
    try:
        return parse_checked(wanted, path.read_bytes())
    except ValueError as problem:
        raise ValueError(
            f"{path} is damaged or another file than the expected one ({problem}): "
            "move it away and run `isvmde datasets --download`, or get it from "
            f"{wanted.page}."
        ) from problem


def parse_checked(wanted: Download, content: bytes) -> Bunch:
    """Read the contents of a file, or raise a ValueError that says what is wrong."""
    found = hashlib.sha256(content).hexdigest()
    reason = "other values"
    try:
        if wanted.filename.endswith(".csv"):
            bunch = _parse_hcv(content)
        else:
            bunch = parse_keel(decode(content), wanted.filename)[0]
        # The same contents with other line endings are as good.
        if found == wanted.sha256 or fingerprint(bunch) == wanted.fingerprint:
            return _tidy(wanted, bunch)
    except (ValueError, TypeError, KeyError) as problem:
        reason = " ".join(str(problem).split())[:200]
    raise ValueError(
        f"{reason}; SHA-256 {found[:12]}..., expected {wanted.sha256[:12]}..."
    )


def fingerprint(bunch: Bunch) -> str:
    """Return a SHA-256 of the contents, whatever the order and spelling of the rows."""
    columns = [
        [shortest(value) for value in bunch.data[name].tolist()] for name in bunch.data
    ]
    rows = sorted(zip(*columns, bunch.target.tolist(), strict=True))
    lines = [tuple(bunch.data.columns), *rows]
    text = "\n".join("\t".join(map(str, line)) for line in lines)
    return hashlib.sha256(text.encode()).hexdigest()


def _parse_hcv(content: bytes) -> Bunch:
    """Read UCI's csv: a running number, the class, age, sex and ten blood values."""
    table = pd.read_csv(io.BytesIO(content))
    if len(table.columns) < 3 or "Category" not in table or "Sex" not in table:
        raise ValueError("the columns are not those of the HCV data")
    data = table.drop(columns=[table.columns[0], "Category"])
    numeric = [str(name) for name in data if name != "Sex"]
    data[numeric] = data[numeric].astype(np.float64)
    data["Sex"] = as_nominal(data["Sex"])
    return Bunch(
        data=data,
        target=table["Category"].to_numpy(dtype=str),
        numeric=numeric,
        nominal=["Sex"],
        target_name="Category",
    )


def _tidy(wanted: Download, bunch: Bunch) -> Bunch:
    """Leave out rows with missing values and type the columns of codes as nominal."""
    complete = bunch.data.notna().all(axis=1).to_numpy()
    bunch.data = bunch.data[complete].reset_index(drop=True)
    bunch.target = bunch.target[complete]
    for name in wanted.nominal:
        bunch.data[name] = as_nominal(bunch.data[name])
    bunch.numeric = [name for name in bunch.numeric if name not in wanted.nominal]
    bunch.nominal = [name for name in bunch.data if name not in bunch.numeric]
    return bunch
