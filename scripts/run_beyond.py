"""Measure what was tried beyond the paper, on the six data sets of development.

    python scripts/run_beyond.py --repeats 3 --jobs 2

Keeps every finished fold in results/beyond and writes results/beyond.csv; the same
command goes on. The folds are not those of results/paper.csv. What came out of it is
the method i-SVM-DE-LOO, which `scripts/run_paper.py` measures on all data sets.
"""

from __future__ import annotations

from beyond import DEVELOPMENT, SEED, TRIED
from measuring import choose, measure, parse_options

if __name__ == "__main__":
    options = parse_options(__doc__, "beyond", datasets=DEVELOPMENT, seed=SEED)
    measure({name: TRIED[name] for name in choose(options.methods, TRIED)}, options)
