"""How the cost of `ISVMClassifierCV` grows with rows, classes and columns.

    python -m benchmarks.growth [--quick]

fits, each in a process of its own with one thread, tables of 500 to 200,000 rows, 2 to
50 classes and 5 to 2,000 columns, and measures CPU time and peak memory. It writes
benchmarks/growth.csv, the figure docs/img/growth.svg and the part of docs/speed.md
between its two marks. `--quick` measures a few small tables and writes nothing. An
exponent of 1 means: twice as many rows take twice as long.
"""

from __future__ import annotations

import json
import os
import resource
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from time import process_time
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.figure import Figure

ROOT = Path(__file__).resolve().parents[1]
TABLE = Path(__file__).with_name("growth.csv")
FIGURE = ROOT / "docs" / "img" / "growth.svg"
PAGE = ROOT / "docs" / "speed.md"
MARKS = "<!-- growth: begin -->", "<!-- growth: end -->"
PREDICTED = 1_000
_SEED = 53  # never used for a choice
_THREADS = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS")


@dataclass(frozen=True)
class Size:
    """Size of a table."""

    rows: int = 2_000
    classes: int = 3
    columns: int = 20


@dataclass(frozen=True)
class Direction:
    """In what a table grows, and up to which value the slope is read off."""

    name: str
    values: tuple[int, ...]
    sampled_from: int | None = None  # where the slope is another one

    def size(self, value: int) -> Size:
        """Return the size of the table, all else as usual."""
        return Size(**{self.name: value})


# From about 4,000 rows on, classes are sampled.
DIRECTIONS = (
    Direction("rows", (500, 1_000, 2_000, 4_000, 20_000, 60_000, 200_000), 4_000),
    Direction("classes", (2, 3, 5, 10, 20, 50)),
    Direction("columns", (5, 20, 100, 500, 2_000)),
)
QUICK = (Direction("rows", (200, 400)), Direction("classes", (2, 4)))


def make_table(size: Size) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return X, y and new rows: overlapping clouds, as many points in each class."""
    rng = np.random.default_rng(_SEED)
    n_informative = min(size.columns, 10)
    centres = rng.normal(size=(size.classes, n_informative))
    y = rng.integers(size.classes, size=size.rows + PREDICTED)
    X = rng.normal(size=(len(y), size.columns))
    X[:, :n_informative] += 1.5 * centres[y]
    X = (X - X.min(axis=0)) / (X.max(axis=0) - X.min(axis=0))
    return X[: size.rows], y[: size.rows], X[size.rows :]


def measure_here(size: Size) -> dict[str, float]:
    """Fit and predict in this process; seconds of CPU, and MB beside the table's."""
    from isvmde import ISVMClassifierCV, warm_up

    warm_up()
    X, y, X_new = make_table(size)
    before = _peak()
    model = ISVMClassifierCV(random_state=0)
    start = process_time()
    model.fit(X, y)
    fit = process_time() - start
    memory = _peak() - before
    start = process_time()
    model.predict(X_new)
    return {"fit": fit, "predict": process_time() - start, "memory": memory}


def _peak() -> float:
    """Return the peak of this process's memory in MB."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def measure(size: Size) -> dict[str, float]:
    """Do so in a process of its own."""
    sizes = [str(size.rows), str(size.classes), str(size.columns)]
    done = subprocess.run(
        [sys.executable, "-m", "benchmarks.growth", "--measure", *sizes],
        capture_output=True,
        text=True,
        check=True,
        cwd=ROOT,
        env={**os.environ, **dict.fromkeys(_THREADS, "1")},
    )
    return json.loads(done.stdout.splitlines()[-1])


def measure_all(directions: tuple[Direction, ...]) -> pd.DataFrame:
    """Return a row for every table; print as it goes."""
    rows: list[dict[str, Any]] = []
    for direction in directions:
        for value in direction.values:
            found = measure(direction.size(value))
            rows.append({"direction": direction.name, "value": value, **found})
            print(
                f"{value:8,} {direction.name:8s} fit {found['fit']:7.2f} s   predict "
                f"{found['predict']:6.3f} s   {found['memory']:6.0f} MB",
                flush=True,
            )
    return pd.DataFrame(rows)


def exponent(values: np.ndarray, costs: np.ndarray) -> float:
    """Return the slope of a straight line through the logarithms.

    >>> exponent(np.array([1.0, 2.0, 4.0]), np.array([3.0, 12.0, 48.0]))
    2.0
    """
    slope = np.polyfit(np.log(values), np.log(np.maximum(costs, 1e-3)), 1)[0]
    return round(float(slope), 6) + 0.0  # not minus zero


def slopes(measured: pd.DataFrame, direction: Direction) -> list[tuple[str, str]]:
    """Return the exponents of a direction in words, a range of values each."""
    found = measured[measured["direction"] == direction.name]
    value, limit = found["value"].to_numpy(float), direction.sampled_from
    parts = {f"{value.min():,.0f} to {value.max():,.0f}": np.ones(len(value), bool)}
    if limit is not None:
        parts = {
            f"{value.min():,.0f} to {limit:,}": value <= limit,
            f"{limit:,} to {value.max():,.0f}": value >= limit,
        }
    lines = []
    for words, inside in parts.items():
        powers = [
            f"{exponent(value[inside], found[cost].to_numpy(float)[inside]):.1f}"
            for cost in ("fit", "predict", "memory")
        ]
        lines.append((f"{direction.name}, {words}", " | ".join(powers)))
    return lines


def markdown(measured: pd.DataFrame) -> str:
    """Return the page's two tables."""
    lines = [
        "| what grows | exponent of a fit's time | of a prediction's | of the memory |",
        "|---|---:|---:|---:|",
    ]
    for direction in DIRECTIONS:
        lines += [f"| {words} | {own} |" for words, own in slopes(measured, direction)]
    lines += [
        "",
        "| table | fit, s | predict 1,000 rows, s | memory, MB |",
        "|---|---:|---:|---:|",
    ]
    for row in measured.itertuples():
        lines.append(
            f"| {row.value:,} {row.direction} | {row.fit:.2f} | {row.predict:.3f} "
            f"| {row.memory:.0f} |"
        )
    return "\n".join(lines)


def draw(measured: pd.DataFrame) -> Figure:
    """Draw time and memory against rows, classes and columns."""
    figure = Figure(figsize=(8.4, 4.6), layout="constrained")
    axes = figure.subplots(2, len(DIRECTIONS), sharex="col", sharey="row")
    units = {"fit": ("CPU seconds", "fit"), "memory": ("MB", "memory")}
    for k, direction in enumerate(DIRECTIONS):
        found = measured[measured["direction"] == direction.name]
        for axis, (cost, (unit, label)) in zip(axes[:, k], units.items(), strict=True):
            axis.loglog(found["value"], found[cost], marker="o", label=label)
            if cost == "fit":
                axis.loglog(
                    found["value"],
                    found["predict"],
                    marker="s",
                    linestyle="--",
                    label=f"predict {PREDICTED:,}",
                )
            if direction.sampled_from is not None:
                axis.axvline(direction.sampled_from, color="0.7", linewidth=0.8)
            if k == 0:
                axis.set_ylabel(unit)
                axis.legend(fontsize=8)
        axes[-1, k].set_xlabel(direction.name)
    return figure


def write(measured: pd.DataFrame) -> None:
    """Write the numbers, the figure and the page's part."""
    from isvmde.bench.figures import to_bytes

    measured.to_csv(TABLE, index=False, float_format="%.4g")
    FIGURE.write_bytes(to_bytes(draw(measured), "svg"))
    text = PAGE.read_text(encoding="utf-8")
    before, _, rest = text.partition(MARKS[0])
    after = rest.partition(MARKS[1])[2]
    part = f"{MARKS[0]}\n{markdown(measured)}\n{MARKS[1]}"
    PAGE.write_text(before + part + after, encoding="utf-8")


def main(arguments: list[str]) -> None:
    """Measure one table here, or all of them and write."""
    if arguments[:1] == ["--measure"]:
        print(json.dumps(measure_here(Size(*map(int, arguments[1:])))))
        return
    quick = arguments == ["--quick"]
    measured = measure_all(QUICK if quick else DIRECTIONS)
    if not quick:
        write(measured)
        print("\n" + markdown(measured))


if __name__ == "__main__":
    main(sys.argv[1:])
