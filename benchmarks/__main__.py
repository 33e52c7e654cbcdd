"""Run all benchmarks, print the tables and write them to benchmarks/RESULTS.md.

Data sets may be named as arguments; then nothing is written.
"""

from __future__ import annotations

import os
import platform
import sys

import numba
import sklearn
from llvmlite import binding
from threadpoolctl import threadpool_limits

from isvmde.datasets import list_datasets

from . import (
    averaged_speed,
    given_speed,
    large_tables,
    middle_speed,
    solver_speed,
    threads,
)


def _versions() -> str:
    """Return what the numbers depend on."""
    return (
        f"Python {platform.python_version()}, scikit-learn {sklearn.__version__}, "
        f"numba {numba.__version__}, {binding.get_host_cpu_name()}, "
        f"{os.cpu_count()} cores, load average {os.getloadavg()[0]:.1f}"
    )


def main(names: list[str]) -> None:
    """Measure, print as it goes, write the report."""
    speed = []
    for name in names or list_datasets().index:
        with threadpool_limits(1):  # one thread also inside scikit-learn
            row = solver_speed.measure(name)
        print(
            f"{name:13s} ours {1e6 * row.ours:8.1f} µs   SVC {1e6 * row.svc:9.0f} µs"
            f"   ratio {row.ratio:6.1f}",
            flush=True,
        )
        speed.append(row)
    averaged = []
    for name in names or list_datasets().index:
        with threadpool_limits(1):
            averaged.append(averaged_speed.measure(name))
        print(f"{name:13s} fit {averaged[-1].fit_ratio:5.1f} times faster", flush=True)
    scaling = [threads.measure_threads(name) for name in (names or threads.DATASETS)]
    report = "\n\n".join(
        [
            "# Speed",
            "Written by `make bench`. " + _versions() + ".",
            "## ISVMClassifierCV against a grid search and a forest",
            "One thread, first training fold; CPU time, best of a few runs in turns. "
            'The grid search is `GridSearchCV(SVC(class_weight="balanced"))` over 20 '
            "settings and three folds.",
            averaged_speed.markdown(averaged),
            "## One thread against scikit-learn's SVC",
            "Random genomes in the ranges of the paper's Table 2 on all pairs of the "
            "first training fold; CPU time of one evaluation (fit and decision values "
            "of one pair), tolerance 1e-3. The ratio is the measure; times vary with "
            "the machine.",
            solver_speed.markdown(speed),
            "## Two threads against one, population of 40",
            "The clock tells the truth on two idle cores only; the bound is twice the "
            "CPU time of one thread over that of two.",
            threads.markdown(scaling),
        ]
    )
    print("\n" + report)
    if not names:
        path = large_tables.PATH
        # what the other programs wrote stays
        text = path.read_text(encoding="utf-8")
        first = middle_speed.TITLE if middle_speed.TITLE in text else given_speed.TITLE
        _, title, rest = text.partition(first)
        path.write_text(f"{report}\n\n{title}{rest}".rstrip() + "\n", encoding="utf-8")


if __name__ == "__main__":
    main(sys.argv[1:])
