"""Measure what a practitioner would use instead, on the folds of the paper's methods.

    python research/run_competitors.py --repeats 3 --jobs 2

Keeps every finished fold in results/competitors and writes results/competitors.csv; the
same command goes on. Needs the packages of the group `dev`: imbalanced-learn, CatBoost,
XGBoost and LightGBM.
"""

from __future__ import annotations

from measuring import choose, measure, parse_options

from isvmde.competitors import COMPETITORS

PACKAGES = ("imbalanced-learn", "catboost", "xgboost", "lightgbm")

if __name__ == "__main__":
    options = parse_options(__doc__, "competitors")
    measure(choose(options.methods, COMPETITORS), options, packages=PACKAGES)
