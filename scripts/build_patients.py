"""Make the hospital's table of the documentation: invented, and as messy as real ones.

python scripts/build_patients.py docs/data
"""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
import pandas as pd

CLASSES = {"healthy": 150, "hepatitis": 40, "fibrosis": 16, "cirrhosis": 4}
NOTES = (
    "patient reports fatigue, café au lait spots since spring",
    "follow-up after six weeks, no complaints",
    "referred by GP because of raised values",
    "came with daughter; history of jaundice",
)


def make_patients(sizes: dict[str, int], seed: int, first_id: int) -> pd.DataFrame:
    """Return a table of text cells, as it would be exported in central Europe."""
    rng = np.random.default_rng(seed)
    diagnosis = rng.permutation(np.repeat(list(sizes), list(sizes.values())))
    stage = pd.Series(diagnosis).map({name: i for i, name in enumerate(CLASSES)})
    n = len(diagnosis)
    days = pd.to_datetime("2023-01-02") + pd.to_timedelta(rng.integers(0, 700, n), "D")
    table = pd.DataFrame(
        {
            "": np.arange(n).astype(str),
            "patient_id": [f"P{first_id + i:05d}" for i in rng.permutation(n)],
            "admission_date": days.strftime("%d.%m.%Y"),
            "age": (35 + 6 * stage + rng.normal(0, 11, n)).round().astype(int),
            "sex": rng.choice(["f", "m"], n),
            "ward": rng.choice(["A1", "A2", "B1"], n),
            "ALT": np.exp(3.1 + 0.45 * stage + rng.normal(0, 0.35, n)).round(1),
            "AST": np.exp(3.2 + 0.5 * stage + rng.normal(0, 0.35, n)).round(1),
            "albumin": (44 - 2.8 * stage + rng.normal(0, 3, n)).round(1),
            "bilirubin": np.exp(2.0 + 0.35 * stage + rng.normal(0, 0.5, n)).round(1),
            "elastography": np.exp(1.5 + 0.5 * stage + rng.normal(0, 0.2, n)).round(1),
            "hospital": "St. Mary",
            "notes": [f"{rng.choice(NOTES)} ({i})" for i in range(n)],
            "diagnosis": diagnosis,
        }
    ).astype(str)
    for name in ("ALT", "AST", "albumin", "bilirubin", "elastography"):
        table[name] = table[name].str.replace(".", ",")
    # Elastography is done where disease is suspected: its gaps tell something.
    table.loc[(stage == 0) & (rng.random(n) < 0.7), "elastography"] = ""
    table.loc[rng.random(n) < 0.06, "albumin"] = "n/d"
    table.loc[rng.random(n) < 0.04, "bilirubin"] = "?"
    table.loc[rng.random(n) < 0.03, "ward"] = ""
    table.loc[rng.choice(n, 2, replace=False), "ALT"] = ["haemolytic", "<10,0"]
    return table


def main() -> None:
    """Write the training table, with two rows not diagnosed yet, and rows for later.

    ``new.csv`` has ten rows without a diagnosis, ``checkups.csv`` those of a season of
    check-ups, where few people are ill, with the diagnosis that was made afterwards.
    """
    folder = Path(sys.argv[1])
    patients = make_patients(CLASSES, seed=7, first_id=10400)
    open_cases = patients.index[patients["diagnosis"] == "healthy"][[10, 60]]
    patients.loc[open_cases, "diagnosis"] = ""
    new_sizes = {"healthy": 5, "hepatitis": 2, "fibrosis": 1, "cirrhosis": 2}
    new = make_patients(new_sizes, seed=33, first_id=20000).drop(columns="diagnosis")
    new.loc[4, "ward"] = "C7"
    checkup_sizes = {"healthy": 370, "hepatitis": 20, "fibrosis": 8, "cirrhosis": 2}
    checkups = make_patients(checkup_sizes, seed=57, first_id=30000)
    tables = {"patients.csv": patients, "new.csv": new, "checkups.csv": checkups}
    for name, table in tables.items():
        table.to_csv(folder / name, sep=";", index=False, encoding="cp1252")


if __name__ == "__main__":
    main()
