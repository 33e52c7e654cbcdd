"""Measure i-SVM-LOO with each of its steps left out, on the folds of the results.

    python research/run_ablation.py --repeats 3 --jobs 2

Keeps every finished fold in results/ablation and writes results/ablation.csv; the same
command goes on.
"""

from __future__ import annotations

from fold_by_fold import run
from variants import ABLATION, scores_of

if __name__ == "__main__":
    run(__doc__, "ablation", scores_of(ABLATION))
