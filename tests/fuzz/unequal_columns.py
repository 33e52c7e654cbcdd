"""Graphs beside their models: `python tests/fuzz/unequal_columns.py 1000 --seed 0`.

Every classifier is fitted on columns whose values reach from 1e-6 to 1e6, exported to
ONNX, and asked about training rows, rows between and beyond them, and rows far away. A
finding is a probability that differs by more than 1e-6, another label without a tie, or
anything that is not a number. What the export refuses is counted.
"""

import argparse
import sys
import warnings
from collections import Counter
from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np

from isvmde import ISVMClassifier, ISVMClassifierCV, ISVMDEClassifier
from isvmde.onnx import to_onnx

KERNELS = ("linear", "rbf", "poly", "min")
ALLOWED = 1e-6  # difference of two probabilities
LEVEL = 1e-6  # a lead, or a share of a decision's largest, below which classes tie
Rng = np.random.Generator


class Comparison(NamedTuple):
    """A graph beside its model, on all rows."""

    model: str
    columns: str
    refused: bool = False
    n_rows: int = 0
    n_labels: int = 0  # that differ without a tie
    n_ties: int = 0  # labels that differ in a tie
    difference: float = 0.0  # of probabilities, or decisions as shares of the largest
    finite: bool = True

    @property
    def kind(self) -> str:
        """What came of it."""
        if self.refused:
            return "refused"
        equal = not self.n_labels and self.difference <= ALLOWED and self.finite
        return "equal" if equal else "finding"


def draw_rows(rng: Rng) -> tuple[np.ndarray, np.ndarray, str]:
    """Return a table, its classes, and what its columns are like."""
    n_classes, d = int(rng.integers(2, 6)), int(rng.integers(1, 9))
    sizes = rng.integers(3, 25, size=n_classes)
    y = np.repeat(np.arange(n_classes), sizes)
    X = rng.normal(size=(len(y), d)) + rng.normal(size=(n_classes, d))[y]
    if rng.random() < 0.3:
        X = np.round(X)
    kind = str(rng.choice(["any size", "one size", "usual", "far from zero"]))
    if kind == "any size":
        X = X * 10.0 ** rng.uniform(-6, 6, size=d)
    elif kind == "one size":
        X = X * 10.0 ** rng.uniform(-6, 6)
    elif kind == "far from zero":
        X = (X + 10.0 ** rng.uniform(0, 4, size=d)) * 10.0 ** rng.uniform(-6, 2, size=d)
    return X, y, kind


def draw_model(rng: Rng) -> Any:
    """Return a classifier with random parameters."""
    seed = int(rng.integers(1000))
    which = int(rng.integers(5))
    kernel = str(rng.choice(KERNELS))
    if which == 0:
        return ISVMDEClassifier(pop_size=5, max_iter=1, random_state=seed)
    if which == 1:
        return ISVMClassifier(
            kernel=kernel,
            C=10.0 ** rng.uniform(-2, 3),
            sigma=10.0 ** rng.uniform(-1.5, 1.5),
            degree=int(rng.integers(1, 5)),
            ranks=bool(rng.random() < 0.3),
            decomposition=str(rng.choice(["one-vs-one", "one-vs-rest", "dag"])),
        )
    kernels = [kernel] if which == 2 else list(KERNELS)
    views = ["values"] if which == 3 else ["values", "ranks", "weighted"]
    prior = str(rng.choice(["balanced", "training", "auto"]))
    return ISVMClassifierCV(
        n_settings=24, kernels=kernels, views=views, prior=prior, random_state=seed
    )


def new_rows(X: np.ndarray, rng: Rng) -> np.ndarray:
    """Return training rows, rows between and beyond them, and rows twice as large."""
    between = X[rng.permutation(len(X))] * rng.uniform(-0.2, 1.2, (len(X), 1))
    mixed = rng.permuted(X, axis=0)  # every column by itself
    return np.vstack([X, between, mixed, 2.0 * mixed[:6], -X[:6], 0.0 * X[:1]])


def run_graph(graph: Any, X: np.ndarray) -> list[np.ndarray]:
    """Return what a graph makes of rows."""
    import onnxruntime

    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = 1
    options.log_severity_level = 3
    session = onnxruntime.InferenceSession(
        graph.SerializeToString(), options, providers=["CPUExecutionProvider"]
    )
    return list(session.run(None, {"X": X}))


def compare(case: int, seed: int) -> Comparison:
    """Fit a model, export it, and ask both about the same rows."""
    rng = np.random.default_rng([seed, case])
    X, y, columns = draw_rows(rng)
    model = draw_model(rng)
    name = type(model).__name__
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        model.fit(X, y)
    try:
        graph = to_onnx(model)
    except ValueError as error:
        if "scale the columns" not in str(error):
            raise
        return Comparison(name, columns, refused=True)
    rows = new_rows(X, rng)
    label, second = run_graph(graph, rows)
    _, endless = run_graph(graph, 1e150 * X)
    wrong = label != model.predict(rows)
    if isinstance(model, ISVMClassifierCV):
        expected = model.predict_proba(rows)
        is_tie = _lead(expected) <= LEVEL
        difference = np.abs(second - expected)
    else:
        expected = model.decision_function(rows)
        is_tie = _is_level(expected, model.pair_decision_function(rows))
        difference = np.abs(second - expected) / np.maximum(np.abs(expected), 1.0)
        difference = difference[~is_tie]  # votes jump
    return Comparison(
        model=name,
        columns=columns,
        n_rows=len(rows),
        n_labels=int((wrong & ~is_tie).sum()),
        n_ties=int((wrong & is_tie).sum()),
        difference=float(difference.max(initial=0.0)),
        finite=bool(np.isfinite(second).all() and np.isfinite(endless).all()),
    )


def _lead(scores: np.ndarray) -> np.ndarray:
    """Return how far the largest score of every row is ahead of the next."""
    first, second = np.sort(scores, axis=1)[:, :-3:-1].T
    return np.asarray(first - second)


def _is_level(scores: np.ndarray, f: np.ndarray) -> np.ndarray:
    """Tell on which rows machines, or the scores of classes, leave the label open."""
    size = np.maximum(np.abs(f).max(axis=0), 1.0)
    is_level = (np.abs(f) <= LEVEL * size).any(axis=1)
    if scores.ndim == 2:
        is_level |= _lead(scores) <= LEVEL
    return np.asarray(is_level)


def compare_all(cases: range, seed: int) -> Iterator[Comparison]:
    """Yield what came of every case; print what should not have."""
    for case in cases:
        comparison = compare(case, seed)
        if comparison.kind == "finding":
            print(f"case {case}: {comparison}\n", flush=True)
        yield comparison


def markdown(found: list[Comparison]) -> str:
    """Return a table of what was tried and what came of it."""
    kinds = ("equal", "refused", "finding")
    counts: Counter[tuple[str, str]] = Counter()
    for one in found:
        for what in (one.model, one.columns, "all"):
            counts[what, one.kind] += 1
    lines = ["| | models | equal | refused | findings |", "|---|---:|---:|---:|---:|"]
    for what in sorted({what for what, _ in counts}):
        row = [counts[what, kind] for kind in kinds]
        lines.append(f"| {what} | {sum(row)} | " + " | ".join(map(str, row)) + " |")
    return "\n".join(lines)


def main() -> int:
    """Compare, print every finding and a table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("count", type=int, nargs="?", default=1000)
    parser.add_argument("--seed", type=int, default=0)
    given = parser.parse_args()
    found = list(compare_all(range(given.count), given.seed))
    averaged = [one for one in found if one.model == "ISVMClassifierCV"]
    print(markdown(found))
    print(
        f"\n{sum(one.n_rows for one in found)} rows; labels that differ in a tie: "
        f"{sum(one.n_ties for one in found)}; the largest difference of probabilities: "
        f"{max(one.difference for one in averaged):.1g}"
    )
    return int(any(one.kind == "finding" for one in found))


if __name__ == "__main__":
    sys.exit(main())
