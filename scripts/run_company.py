"""Measure what a practitioner would use instead, on the folds of the paper's methods.

    python scripts/run_company.py --repeats 3 --jobs 2

Keeps every finished fold in results/company and writes results/company.csv; the same
command goes on. Needs imbalanced-learn.
"""

from __future__ import annotations

from company import COMPANY
from measuring import choose, measure, parse_options

if __name__ == "__main__":
    options = parse_options(__doc__, "company")
    methods = {name: COMPANY[name] for name in choose(options.methods, COMPANY)}
    measure(methods, options, packages=["imbalanced-learn"])
