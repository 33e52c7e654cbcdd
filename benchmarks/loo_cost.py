"""What leave-one-out values cost: `python -m benchmarks.loo_cost [data sets]`.

Random genomes in the ranges of the paper's Table 2 on all pairs of the first training
fold, each solved twenty times in one table (so that Python's share is small) with and
without leave-one-out values; the fastest of several turns counts.
"""

from __future__ import annotations

import sys
from time import perf_counter

import numpy as np

from .training_sets import load_training_set, random_tasks, rows

DATASETS = ("glass", "ecoli", "dermatology", "cleveland", "balance")
_GENOMES, _COPIES, _TURNS = 10, 20, 3


def ratios(name: str) -> np.ndarray:
    """Return time with leave-one-out values over time without, task by task."""
    data = load_training_set(name)
    tasks = random_tasks(data, _GENOMES, seed=3)
    tables = [rows(tasks, np.full(_COPIES, k)) for k in range(len(tasks))]
    seconds = np.full((2, len(tables)), np.inf)
    for left_out in (False, True):
        with data.solver(left_out=left_out) as solver:
            for _ in range(_TURNS):
                for k, table in enumerate(tables):
                    begin = perf_counter()
                    solver.solve(table)
                    taken = perf_counter() - begin
                    seconds[int(left_out), k] = min(seconds[int(left_out), k], taken)
    return np.asarray(seconds[1] / seconds[0])


def main(names: list[str]) -> None:
    """Print the median and the largest ratio of every data set."""
    everything = []
    for name in names or DATASETS:
        found = ratios(name)
        everything.append(found)
        print(f"{name:12s} median {np.median(found):.2f}, largest {found.max():.2f}")
    print(f"{'all':12s} median {np.median(np.concatenate(everything)):.2f}")


if __name__ == "__main__":
    main(sys.argv[1:])
