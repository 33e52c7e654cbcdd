"""Measure where the searches leave the margins, and what fixing them does to fitness.

    python research/run_margins.py --jobs 2

The first fold of each data set's first repeat, seeds as in results/paper.csv: the joint
search of AVE and of MAX, AVE's with both margins fixed at 1, and the pairwise search.
Keeps every finished fold in results/margins and writes results/margins.csv; the same
command goes on.
"""

from __future__ import annotations

import numpy as np
from fold_by_fold import Fold, Rows, run
from measured import AVE, MAX

from isvmde import ISVMDEClassifier

FIXED, PAIRWISE = f"{AVE}, margins 1", f"{AVE}, pairwise"
SEARCHES = {
    AVE: ISVMDEClassifier(),
    MAX: ISVMDEClassifier(fitness="max"),
    FIXED: ISVMDEClassifier(margin_range=(1, 1)),
    PAIRWISE: ISVMDEClassifier(search="pairwise"),
}
NEAR_BOUND = 0.95


def margin_rows(fold: Fold) -> Rows:
    """Return a row per search: its margins, and the fitness that it reaches."""
    rows = []
    for name, paper in SEARCHES.items():
        seed = fold.method_seed(MAX if name == MAX else AVE)
        model = paper.set_params(random_state=seed).fit(fold.X, fold.y)
        chosen = model.pair_params_.values()
        margins = np.array([[one["margin_pos"], one["margin_neg"]] for one in chosen])
        rows.append(
            {
                "search": name,
                "mean_margin": float(margins.mean()),
                "near_bound": float((margins > NEAR_BOUND).mean()),
                "fitness": model.fitness_,
            }
        )
    return rows


if __name__ == "__main__":
    run(__doc__, "margins", margin_rows, repeats=1, first_folds=1)
