"""Measure samplers before the SVM and Crammer and Singer's machine.

    python research/run_company.py --repeats 3

The folds of the paper's methods. Keeps every finished fold in results/company and
writes results/company.csv; the same command goes on. Needs imbalanced-learn.
"""

from __future__ import annotations

from company import COMPANY
from measuring import choose, measure, parse_options

if __name__ == "__main__":
    options = parse_options(__doc__, "company")
    chosen = choose(options.methods, COMPANY)
    methods = {name: COMPANY[name] for name in chosen}
    measure(methods, options, packages=["imbalanced-learn"])
