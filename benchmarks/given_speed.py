"""A fit of `ISVMClassifier` beside one of scikit-learn's SVC, and one of Intel's.

All get the same tables and the same SVMs at the same tolerance, 1e-3, and are fitted
in turns. Intel's is the SVC of scikit-learn-intelex, where that is installed.

    python -m benchmarks.given_speed [--rows 20000] [--threads 2]

prints the table; without options it also writes it to benchmarks/RESULTS.md. Seconds
of one thread are CPU time, so that a busy machine does not decide; those of more are
the clock's, and true on idle cores only.
"""

from __future__ import annotations

import argparse
import math
import sys
from collections.abc import Callable
from dataclasses import dataclass
from itertools import product
from time import perf_counter, process_time
from typing import Any

import numpy as np
from sklearn.datasets import make_classification
from sklearn.preprocessing import minmax_scale
from sklearn.svm import SVC
from threadpoolctl import threadpool_limits

from isvmde import ISVMClassifier

from . import large_tables
from .averaged_speed import geometric_mean

TITLE = "# ISVMClassifier against one SVC"
ROWS = (300, 1_000, 4_000, 8_000, 20_000)
CLASSES = (2, 5)
COSTS = (1.0, 30.0, 1_000.0)
WIDTHS = (0.3, 1.0)
_QUICK = 1.0  # seconds of CPU below which both are timed more than once
_TURNS = 5


@dataclass(frozen=True)
class SpeedRow:
    """What was measured on one table with one setting; seconds."""

    rows: int
    classes: int
    C: float
    sigma: float
    ours: float
    svc: float
    intel: float | None  # None where it is not installed

    @property
    def ratio(self) -> float:
        """How many times faster than SVC ours is."""
        return self.svc / self.ours

    @property
    def intel_ratio(self) -> float:
        """How many times faster than Intel's ours is; not a number without it."""
        return math.nan if self.intel is None else self.intel / self.ours


def make_table(rows: int, classes: int) -> tuple[np.ndarray, np.ndarray]:
    """Return a table of ten features between 0 and 1, with classes that overlap."""
    X, y = make_classification(
        rows,
        10,
        n_informative=6,
        n_redundant=2,
        n_classes=classes,
        n_clusters_per_class=2,
        flip_y=0.02,
        random_state=rows + classes,
    )
    return minmax_scale(X), y


def intel_svc(threads: int) -> type[Any] | None:
    """Return Intel's SVC, which then takes so many threads; None without it."""
    try:
        from daal4py import daalinit
        from sklearnex.svm import SVC as IntelSVC
    except ImportError:
        return None
    daalinit(threads)
    return IntelSVC


def measure(
    rows: int, classes: int, C: float, sigma: float, threads: int = 1
) -> SpeedRow:
    """Time all on one table, in turns."""
    X, y = make_table(rows, classes)
    settings = {"C": C, "gamma": 0.5 / sigma**2}
    models: list[Any] = [
        ISVMClassifier(C=C, sigma=sigma, n_jobs=threads),
        SVC(**settings),
    ]
    intel = intel_svc(threads)
    if intel is not None:
        models.append(intel(**settings))
    clock = process_time if threads == 1 else perf_counter
    turns: list[list[float]] = []
    while not turns or (len(turns) < _TURNS and max(turns[0]) < _QUICK):
        turns.append([_timed(model, X, y, clock) for model in models])
    seconds = [min(own) for own in zip(*turns, strict=True)]
    return SpeedRow(
        rows=rows,
        classes=classes,
        C=C,
        sigma=sigma,
        ours=seconds[0],
        svc=seconds[1],
        intel=seconds[2] if intel is not None else None,
    )


def _timed(
    model: Any, X: np.ndarray, y: np.ndarray, clock: Callable[[], float]
) -> float:
    """Return the seconds a fit takes."""
    begin = clock()
    model.fit(X, y)
    return clock() - begin


def markdown(measured: list[SpeedRow]) -> str:
    """Return the table, with the geometric means of the ratios."""
    lines = [
        "| rows | classes | C | sigma | ours, ms | SVC, ms | ratio "
        "| Intel's, ms | ratio |",
        "|---:|---:|---:|---:|---:|---:|---:|---:|---:|",
    ]
    lines += [_line(row) for row in measured]
    lines += ["", _summary("SVC", [row.ratio for row in measured])]
    compared = [row for row in measured if row.intel is not None]
    if compared:
        lines += ["", _summary("Intel's", [row.intel_ratio for row in compared])]
        largest = max(row.rows for row in compared)
        ratios = [row.intel_ratio for row in compared if row.rows == largest]
        lines += ["", _summary(f"Intel's, {largest:,} rows", ratios)]
    return "\n".join(lines)


def _summary(peer: str, ratios: list[float]) -> str:
    """Return a sentence on how many times faster than the peer ours is."""
    return (
        f"Geometric mean of the ratios to {peer}: **{geometric_mean(ratios):.2f}**; "
        f"lowest: {min(ratios):.2f}."
    )


def _line(row: SpeedRow) -> str:
    """Return one line of the table."""
    intel = "- | -"
    if row.intel is not None:
        intel = f"{1e3 * row.intel:.1f} | {row.intel_ratio:.2f}"
    return (
        f"| {row.rows:,} | {row.classes} | {row.C:g} | {row.sigma:g} "
        f"| {1e3 * row.ours:.1f} | {1e3 * row.svc:.1f} | {row.ratio:.2f} | {intel} |"
    )


def main(arguments: list[str]) -> None:
    """Measure, print as it goes, write the section of the report."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.given_speed")
    parser.add_argument("--rows", type=int, nargs="+", default=ROWS)
    parser.add_argument("--threads", type=int, default=1)
    options = parser.parse_args(arguments)
    ISVMClassifier().fit(*make_table(100, 2))  # what is compiled is loaded
    measured = []
    for rows, classes, C, sigma in product(options.rows, CLASSES, COSTS, WIDTHS):
        with threadpool_limits(options.threads):
            measured.append(measure(rows, classes, C, sigma, options.threads))
        print(_line(measured[-1]), flush=True)
    report = (
        f"{TITLE}\n\nWritten by `python -m benchmarks.given_speed`. One fit of each, "
        "rbf kernel, one thread, CPU time; ten features between 0 and 1.\n\n"
        + markdown(measured)
    )
    print("\n" + report)
    if not arguments:
        path = large_tables.PATH
        before, _, after = path.read_text(encoding="utf-8").partition(
            large_tables.TITLE
        )
        before = before.partition(TITLE)[0].rstrip()
        text = f"{before}\n\n{report}\n\n{large_tables.TITLE}{after}"
        path.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main(sys.argv[1:])
