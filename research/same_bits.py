"""Compute rows of results/paper.csv again and compare them bit for bit.

    python research/same_bits.py --jobs 2
    python research/same_bits.py --methods SVM,i-SVM-LOO --datasets zoo --repeats 1

Exits with 1 if a score differs. Another CPU may turn decisions that are zero but for
rounding, so run it where results/paper.csv was measured (its first line says where).
"""

import argparse
import sys
import tempfile

from measuring import RESULTS, choose

from isvmde.bench import load_results, run_benchmark
from isvmde.datasets.catalogue import PAPER_DATASETS
from isvmde.methods import METHODS

KEY = ["dataset", "method", "repeat", "fold"]
SCORES = ["g_mean", "av_f_beta", "cba"]


def main() -> int:
    """Compare, print what differs, and return the exit code."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--methods", help="some of the methods, by commas [all]")
    parser.add_argument("--datasets", help="some of the data sets, by commas [all]")
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--jobs", type=int, default=1)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        results = run_benchmark(
            choose(options.datasets, PAPER_DATASETS),
            choose(options.methods, METHODS),
            store=folder,
            repeats=options.repeats,
            n_jobs=options.jobs,
        )
    measured = load_results(RESULTS / "paper.csv").rows[KEY + SCORES]
    both = results.rows[KEY + SCORES].merge(
        measured, on=KEY, suffixes=("", "_measured")
    )
    then = both[[f"{name}_measured" for name in SCORES]].to_numpy()
    differs = (both[SCORES].to_numpy() != then).any(axis=1)
    print(f"{len(both)} rows compared, {differs.sum()} differ")
    if differs.any():
        print(both[differs].to_string(index=False))
    return int(differs.any() or len(both) < len(results.rows))


if __name__ == "__main__":
    sys.exit(main())
