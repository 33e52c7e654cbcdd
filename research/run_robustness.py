"""Measure i-SVM-LOO with its numbers halved and doubled, on the folds of the results.

    python research/run_robustness.py --repeats 3 --jobs 2

Keeps every finished fold in results/robustness and writes results/robustness.csv; the
same command goes on.
"""

from __future__ import annotations

from fold_by_fold import run
from variants import ROBUSTNESS, scores_of

if __name__ == "__main__":
    run(__doc__, "robustness", scores_of(ROBUSTNESS))
