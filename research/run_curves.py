"""Measure fitness against test score over the generations of a search.

    python research/run_curves.py --repeats 1 --jobs 2

Five data sets; AVE and MAX; joint, pairwise and random search. Keeps every finished
fold in results/curves and writes the means over folds and repeats to
results/curves.csv; the same command goes on.
"""

from __future__ import annotations

import pandas as pd
from curves import curve_rows
from fold_by_fold import run

DATASETS = ("glass", "zoo", "newthyroid", "hayes-roth", "ecoli")
SCORES = ["best_fitness", "g_mean", "av_f_beta", "cba"]
GROUP = ["dataset", "fitness", "search", "generation"]


def summarise(table: pd.DataFrame) -> pd.DataFrame:
    """Return the mean over folds and repeats, and the deviation over repeats."""
    per_repeat = table.groupby([*GROUP, "repeat"])[[*SCORES, "n_svms"]].mean()
    grouped = per_repeat.groupby(level=GROUP)
    means = grouped.mean()
    for score in SCORES:
        means[f"{score}_sd"] = grouped[score].std()
    means["n_folds"] = table.groupby(GROUP).size()
    return means.reset_index()


if __name__ == "__main__":
    run(__doc__, "curves", curve_rows, summarise, datasets=DATASETS, repeats=1)
