"""One thread: a fit of `ISVMClassifier` beside one of scikit-learn's SVC.

Both get the same tables and the same SVMs at the same tolerance, 1e-3, and are
fitted in turns. Seconds are CPU time, so that a busy machine does not decide.
`python -m benchmarks.given_speed [most rows]` prints the table; without a limit on the
rows it also writes it to benchmarks/RESULTS.md.
"""

from __future__ import annotations

import math
import sys
from dataclasses import dataclass
from itertools import product
from time import process_time
from typing import Any

import numpy as np
from sklearn.datasets import make_classification
from sklearn.preprocessing import minmax_scale
from sklearn.svm import SVC
from threadpoolctl import threadpool_limits

from isvmde import ISVMClassifier

from . import large_tables

TITLE = "# ISVMClassifier against one SVC"
ROWS = (300, 1_000, 4_000, 8_000, 16_000)
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

    @property
    def ratio(self) -> float:
        """How many times faster ours is."""
        return self.svc / self.ours


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


def measure(rows: int, classes: int, C: float, sigma: float) -> SpeedRow:
    """Time both on one table, in turns."""
    X, y = make_table(rows, classes)
    ours = ISVMClassifier(C=C, sigma=sigma)
    svc = SVC(C=C, gamma=0.5 / sigma**2)
    seconds: list[tuple[float, float]] = []
    while not seconds or (len(seconds) < _TURNS and max(seconds[0]) < _QUICK):
        seconds.append((_timed(ours, X, y), _timed(svc, X, y)))
    return SpeedRow(rows, classes, C, sigma, *np.min(seconds, axis=0))


def _timed(model: Any, X: np.ndarray, y: np.ndarray) -> float:
    """Return the seconds a fit takes."""
    begin = process_time()
    model.fit(X, y)
    return process_time() - begin


def markdown(measured: list[SpeedRow]) -> str:
    """Return the table, with the geometric mean of the ratios."""
    lines = [
        "| rows | classes | C | sigma | ours, ms | SVC, ms | ratio |",
        "|---:|---:|---:|---:|---:|---:|---:|",
    ]
    lines += [_line(row) for row in measured]
    mean = math.exp(sum(math.log(row.ratio) for row in measured) / len(measured))
    lowest = min(row.ratio for row in measured)
    lines += [
        "",
        f"Geometric mean of the ratios: **{mean:.2f}**; lowest: {lowest:.2f}.",
    ]
    return "\n".join(lines)


def _line(row: SpeedRow) -> str:
    """Return one line of the table."""
    return (
        f"| {row.rows:,} | {row.classes} | {row.C:g} | {row.sigma:g} "
        f"| {1e3 * row.ours:.1f} | {1e3 * row.svc:.1f} | {row.ratio:.2f} |"
    )


def main(arguments: list[str]) -> None:
    """Measure, print as it goes, write the section of the report."""
    most = int(arguments[0]) if arguments else max(ROWS)
    ISVMClassifier().fit(*make_table(100, 2))  # what is compiled is loaded
    measured = []
    cells = product((n for n in ROWS if n <= most), CLASSES, COSTS, WIDTHS)
    for cell in cells:
        with threadpool_limits(1):
            measured.append(measure(*cell))
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
