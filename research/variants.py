"""Variants of i-SVM-LOO on one fold: a step left out, or one of its numbers changed.

Variants that differ only in what is done with the solved machines share the solving.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from typing import Any

import numpy as np
from fold_by_fold import Fold, Rows

import isvmde.classifiers.spreading as spreading
from isvmde import ISVMClassifierCV
from isvmde.core.averaging.solving import Assignment
from isvmde.core.averaging.weighing import Tuning
from isvmde.metrics import PAPER_METRICS

METHOD = "i-SVM-LOO"


class Voting(ISVMClassifierCV):
    """Each calibrated pair votes; ties go to the rarer class."""

    def predict(self, X: Any) -> np.ndarray:
        """Return the class with the most votes."""
        first = np.asarray(self.pair_decision_function(X)) > 0
        votes = np.zeros((len(first), len(self.classes_)))
        for (plus, minus), won in zip(self.pairs_, first.T, strict=True):
            votes[:, self.classes_ == plus] += won[:, None]
            votes[:, self.classes_ == minus] += ~won[:, None]
        rarer = 0.5 * self.class_count_.max() / (self.class_count_ + 1)
        rarer = rarer / (2 * rarer.max() + 1)  # below one vote
        return np.asarray(self.classes_[np.argmax(votes + rarer, axis=1)])


# name: (parameters of the classifier, changes of its numbers, class)
Variant = tuple[dict[str, Any], dict[str, float], type[ISVMClassifierCV]]
NO_MIN = {"kernels": ("linear", "rbf", "poly"), "views": ("values", "ranks")}

ABLATION: dict[str, Variant] = {
    "all steps": ({}, {}, ISVMClassifierCV),
    "without the min kernel": (NO_MIN, {}, ISVMClassifierCV),
    "without weighted features": (
        {"views": ("values", "ranks")},
        {},
        ISVMClassifierCV,
    ),
    "without ranks": ({"views": ("values", "weighted")}, {}, ISVMClassifierCV),
    "no shrinking towards the other pairs": ({}, {"shrinkage": 0.0}, ISVMClassifierCV),
    "the best setting only": ({}, {"width": 1e-6}, ISVMClassifierCV),
    "all settings alike": ({}, {"width": 1e6}, ISVMClassifierCV),
    "no calibration": ({}, {"penalty": 1e9, "common": 1e9}, ISVMClassifierCV),
    "one calibration for all pairs": ({}, {"penalty": 1e9}, ISVMClassifierCV),
    "every pair calibrated alone": (
        {},
        {"penalty": 1.0, "common": 1e9},
        ISVMClassifierCV,
    ),
    "votes instead of coupling": ({}, {}, Voting),
    "equal priors": ({"prior": "balanced"}, {}, ISVMClassifierCV),
    "prior of the training set": ({"prior": "training"}, {}, ISVMClassifierCV),
    "prior tuned for AvF": ({"scoring": "av_f"}, {}, ISVMClassifierCV),
    "prior tuned for CBA": ({"scoring": "cba"}, {}, ISVMClassifierCV),
}

_NUMBERS = {"shrinkage": "kappa", "width": "tau", "penalty": "penalty"}
ROBUSTNESS: dict[str, Variant] = {
    "as it is": ({}, {}, ISVMClassifierCV),
    "48 settings": ({"n_settings": 48}, {}, ISVMClassifierCV),
    "192 settings": ({"n_settings": 192}, {}, ISVMClassifierCV),
    **{
        f"{symbol} {word}": (
            {},
            {name: factor * getattr(Tuning(), name)},
            ISVMClassifierCV,
        )
        for name, symbol in _NUMBERS.items()
        for word, factor in (("halved", 0.5), ("doubled", 2.0))
    },
}


def scores_of(variants: dict[str, Variant]) -> Callable[[Fold], Rows]:
    """Return the measurement that scores every variant on a fold."""

    def compute(fold: Fold) -> Rows:
        rows = []
        with sharing_solutions():
            for name, (parameters, changes, cls) in variants.items():
                model = cls(random_state=fold.method_seed(METHOD), **parameters)
                model._tuning = replace(cls._tuning, **changes)
                predicted = model.fit(fold.X, fold.y).predict(fold.X_test)
                scores = {
                    metric.key: metric.score(fold.y_test, predicted)
                    for metric in PAPER_METRICS.values()
                }
                rows.append({"variant": name, **scores})
        return rows

    return compute


@contextmanager
def sharing_solutions() -> Iterator[None]:
    """Solve the same pairs at the same settings once."""
    solve = spreading.Solver.solve
    known: list[tuple[Any, Any]] = []

    def remember(solver: Any, assignments: Sequence[Assignment]) -> Any:
        asked = [(own.settings, own.data.X.tobytes()) for own in assignments]
        for before, solutions in known:
            if asked == before:
                return solutions
        solutions = solve(solver, assignments)
        known.append((asked, solutions))
        return solutions

    spreading.Solver.solve = remember  # type: ignore[method-assign]
    try:
        yield
    finally:
        spreading.Solver.solve = solve  # type: ignore[method-assign]
