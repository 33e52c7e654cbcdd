"""Measure what the choice of the baselines' parameters decides.

    python research/run_selection.py --repeats 3

The points of each baseline's grid are chosen by G-mean (as in results/paper.csv), AvF,
CBA or accuracy over the same inner folds. "test folds" is the optimistic bound: the
point with the best mean over the test folds of a repeat, for every metric its own. All
points are trained on the training part of a fold and scored on its test part. Keeps
every finished fold in results/selection and writes results/selection.csv; the same
command goes on.
"""

from __future__ import annotations

import numpy as np
import pandas as pd
from fold_by_fold import Fold, Rows, run

from isvmde.baselines import GridSearchSVM
from isvmde.methods import METHODS, make_method
from isvmde.metrics import PAPER_METRICS

BASELINES = METHODS[:7]
CRITERIA = {"g_mean": "av_f_beta", "av_f_beta": "g_mean", "cba": "g_mean"}
CRITERIA["accuracy"] = "g_mean"  # what decides between points that are equal
TEST_FOLDS = "test folds"
_SAME = 12  # scores that agree in this many decimals are equal
POINT = ["dataset", "repeat", "method", "point"]


def selection_rows(fold: Fold) -> Rows:
    """Return every grid point's test scores, and which criteria choose it."""
    rows = []
    for method in BASELINES:
        search = make_method(method, random_state=fold.method_seed(method))
        search.fit(fold.X, fold.y)
        inner = search.cv_results_
        chosen = {name: _best(inner, name, tie) for name, tie in CRITERIA.items()}
        outer = _test_scores(search, fold)
        for point in range(len(inner["params"])):
            chosen_by = [name for name, best in chosen.items() if best == point]
            scores = {name: float(outer[name][point]) for name in PAPER_METRICS}
            rows.append(
                {
                    "method": method,
                    "point": point,
                    "chosen_by": " ".join(chosen_by),
                    **scores,
                }
            )
    return rows


def _best(table: dict[str, np.ndarray], criterion: str, tie: str) -> int:
    """Return the point with the best mean score over the inner folds."""
    first, second = (
        np.round(np.nan_to_num(table[f"mean_test_{name}"]), _SAME)
        for name in (criterion, tie)
    )
    return int(np.lexsort((-second, -first))[0])


def _test_scores(search: GridSearchSVM, fold: Fold) -> dict[str, np.ndarray]:
    """Return the scores of all points on the test part, trained on the other."""
    n_train, n_test = len(fold.y), len(fold.y_test)
    split = (np.arange(n_train), n_train + np.arange(n_test))
    once = GridSearchSVM(
        search.estimator, search.param_grid, cv=[split], random_state=0
    )
    once.fit(
        np.concatenate([fold.X, fold.X_test]), np.concatenate([fold.y, fold.y_test])
    )
    return {name: once.cv_results_[f"split0_test_{name}"] for name in PAPER_METRICS}


def summarise(table: pd.DataFrame) -> pd.DataFrame:
    """Return the scores of what every criterion chooses, means over a repeat's folds.

    Only repeats with all their folds count.
    """
    n_folds = table.groupby(["dataset", "repeat"])["fold"].nunique()
    whole = n_folds[n_folds == n_folds.max()].index
    table = table.set_index(["dataset", "repeat"]).loc[whole].reset_index()
    chosen_by = table["chosen_by"].fillna("").str.split()
    parts = []
    for criterion in CRITERIA:
        mine = table[[criterion in names for names in chosen_by]]
        parts.append(mine.groupby(POINT[:3])[list(PAPER_METRICS)].mean())
    means = table.groupby(POINT)[list(PAPER_METRICS)].mean()
    parts.append(means.groupby(level=POINT[:3]).max())
    names = [*CRITERIA, TEST_FOLDS]
    together = pd.concat(dict(zip(names, parts, strict=True)), names=["chosen by"])
    return together.reset_index()


if __name__ == "__main__":
    run(__doc__, "selection", selection_rows, summarise)
