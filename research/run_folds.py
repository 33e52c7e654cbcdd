"""Measure the nine methods on folds that are dealt in other ways than the paper's.

    python research/run_folds.py stratified keel dob-scv --repeats 1

Dealings are "stratified" (scikit-learn's), "keel" (the repository's own partitions) and
"dob-scv" (neighbours to different folds); all of them if none is named. Keeps every
finished fold in results/folds-NAME and writes results/folds-NAME.csv; the same command
goes on. KEEL has no partition of hcv, and always the same ones.
"""

from __future__ import annotations

from copy import copy

from measuring import choose, measure, parse_options

from isvmde.methods import METHODS

DEALINGS = ("stratified", "keel", "dob-scv")
NINE = METHODS[:9]
NOT_IN_KEEL = "hcv"

if __name__ == "__main__":
    given = parse_options(__doc__, "folds", groups=DEALINGS)
    for dealing in given.groups:
        options = copy(given)
        options.folds = dealing
        options.out = given.out.with_name(f"{given.out.name}-{dealing}")
        options.file = given.file.with_name(f"{given.file.stem}-{dealing}.csv")
        if dealing == "keel":
            options.repeats = 1
            options.datasets = [name for name in given.datasets if name != NOT_IN_KEEL]
        measure(choose(given.methods, NINE), options)
