"""Find out which margins a search chooses: the paper's fitness and leave-one-out.

    python scripts/run_margins.py

Searches the six data sets of development, whole, with free margins and writes every
pair's lambda1 and lambda2 to results/margins.csv.
"""

from __future__ import annotations

import argparse
from pathlib import Path

import joblib
import numpy as np
import pandas as pd
from beyond import DEVELOPMENT, SETTINGS
from measuring import RESULTS

from isvmde import ISVMDEClassifier
from isvmde.datasets import load_dataset, make_preprocessor

SEARCHES = {"fit^a, joint": {}, "leave-one-out, t = 3": SETTINGS["loo, t = 3"]}


def chosen_margins(dataset: str, search: str, seed: int) -> pd.DataFrame:
    """Return the margins that a search chooses for every pair."""
    bunch = load_dataset(dataset)
    X = np.asarray(make_preprocessor(bunch).fit_transform(bunch.data), float)
    model = ISVMDEClassifier(random_state=seed, **SEARCHES[search])
    model.fit(X, bunch.target)
    rows = [
        (dataset, search, plus, minus, chosen["margin_pos"], chosen["margin_neg"])
        for (plus, minus), chosen in model.pair_params_.items()
    ]
    names = ["dataset", "search", "plus", "minus", "lambda1", "lambda2"]
    return pd.DataFrame(rows, columns=names)


def main() -> None:
    """Search and write the file."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--jobs", type=int, default=-1)
    parser.add_argument("--file", type=Path, default=RESULTS / "margins.csv")
    options = parser.parse_args()
    parts = joblib.Parallel(options.jobs)(
        joblib.delayed(chosen_margins)(dataset, search, options.seed)
        for search in SEARCHES
        for dataset in DEVELOPMENT
    )
    table = pd.concat(parts, ignore_index=True)
    table.to_csv(options.file, index=False, lineterminator="\n", float_format="%.6g")
    print(f"{options.file}: {len(table)} pairs")


if __name__ == "__main__":
    main()
