"""Measure the paper's comparison: all methods on all data sets, at its budgets.

    python research/run_paper.py --repeats 3 --jobs 2

Keeps every finished fold in results/paper and writes results/paper.csv at the end, or
when interrupted; the same command goes on. Repeat 0 of everything comes first. Further
repeats, methods or data sets may be added later.
"""

from __future__ import annotations

from measuring import choose, measure, parse_options

from isvmde.methods import METHODS

if __name__ == "__main__":
    options = parse_options(__doc__, "paper")
    measure(choose(options.methods, METHODS), options)
