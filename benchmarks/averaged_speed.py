"""One thread: ISVMClassifierCV against a grid search over a balanced SVC, and a forest.

Fits: `GridSearchCV(SVC(class_weight="balanced"))` over 20 settings and three folds, as
many people begin. Predictions: 1,000 rows (the test rows, repeated) beside a random
forest of 300 trees. Seconds are CPU time, the best of a few runs in turns, so that a
busy machine does not decide.
"""

from __future__ import annotations

import math
import warnings
from collections.abc import Callable
from dataclasses import dataclass
from time import process_time
from typing import Any

import numpy as np
from sklearn.ensemble import RandomForestClassifier
from sklearn.model_selection import GridSearchCV
from sklearn.svm import SVC

from isvmde import ISVMClassifierCV
from isvmde.datasets import load_dataset, make_preprocessor
from isvmde.model_selection import PaperKFold

GRID = {"C": [0.1, 1.0, 10.0, 100.0, 1000.0], "gamma": [0.01, 0.1, 1.0, 10.0]}
_ROWS = 1000


@dataclass(frozen=True)
class AveragedRow:
    """What was measured on one data set; seconds."""

    name: str
    samples: int
    classes: int
    fit: float
    grid: float
    predict: float
    forest: float

    @property
    def fit_ratio(self) -> float:
        """How many times faster our fit is than the grid search."""
        return self.grid / self.fit

    @property
    def predict_ratio(self) -> float:
        """How many times as long as the forest our prediction takes."""
        return self.predict / self.forest


def measure(name: str) -> AveragedRow:
    """Time fits and predictions on the first training fold of a data set."""
    bunch = load_dataset(name)
    folds = PaperKFold(5, random_state=0).split(bunch.data, bunch.target)
    train, test = next(iter(folds))
    scale = make_preprocessor(bunch).fit(bunch.data.iloc[train])
    X = np.ascontiguousarray(scale.transform(bunch.data.iloc[train]), dtype=float)
    y = np.asarray(bunch.target)[train]
    new = np.asarray(scale.transform(bunch.data.iloc[test]), dtype=float)
    new = np.resize(new, (_ROWS, new.shape[1]))
    ours = ISVMClassifierCV(random_state=0)
    grid = GridSearchCV(
        SVC(class_weight="balanced"), GRID, cv=3, scoring="balanced_accuracy"
    )
    forest = RandomForestClassifier(300, random_state=0).fit(X, y)
    ours.fit(X, y).predict(new)  # compiles
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # classes of two samples in three folds
        fit, searched = seconds_in_turns(
            3, lambda: ours.fit(X, y), lambda: grid.fit(X, y)
        )
    predict, voted = seconds_in_turns(
        5, lambda: ours.predict(new), lambda: forest.predict(new)
    )
    n_classes = len(np.unique(y))
    return AveragedRow(name, len(y), n_classes, fit, searched, predict, voted)


def seconds_in_turns(runs: int, *calls: Callable[[], Any]) -> list[float]:
    """Return the fewest seconds of each call."""
    best = [math.inf] * len(calls)
    for _ in range(runs):
        for k, call in enumerate(calls):
            begin = process_time()
            call()
            best[k] = min(best[k], process_time() - begin)
    return best


def markdown(measured: list[AveragedRow]) -> str:
    """Return the table, with the geometric means of the ratios."""
    lines = [
        "| data set | samples | classes | fit, ms | grid of 20, ms | times faster "
        "| predict 1,000, ms | forest of 300, ms | times the forest |",
        "|---|---:|---:|---:|---:|---:|---:|---:|---:|",
    ]
    lines += [
        f"| {row.name} | {row.samples} | {row.classes} | {1e3 * row.fit:.0f} "
        f"| {1e3 * row.grid:.0f} | {row.fit_ratio:.1f} | {1e3 * row.predict:.0f} "
        f"| {1e3 * row.forest:.0f} | {row.predict_ratio:.2f} |"
        for row in measured
    ]
    lowest = min(measured, key=lambda row: row.fit_ratio)
    faster = geometric_mean([row.fit_ratio for row in measured])
    longer = geometric_mean([row.predict_ratio for row in measured])
    lines += [
        "",
        f"Geometric means: a fit is **{faster:.1f}** times faster than the grid search "
        f"(lowest {lowest.fit_ratio:.1f}, {lowest.name}), a prediction takes "
        f"**{longer:.2f}** times as long as the forest's.",
    ]
    return "\n".join(lines)


def geometric_mean(values: list[float]) -> float:
    """Return the geometric mean."""
    return math.exp(sum(map(math.log, values)) / len(values))


if __name__ == "__main__":
    from isvmde.datasets import list_datasets

    print(markdown([measure(name) for name in list_datasets().index]))
