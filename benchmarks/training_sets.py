"""The first training fold of each data set, and random genomes for its pairs."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from isvmde.core.decomposition.one_vs_one import make_pairs
from isvmde.core.dual import to_c_svc
from isvmde.core.kernels import dot_products, squared_distances
from isvmde.core.solver import POLY, RBF, BatchSolver, Tasks, step_limit
from isvmde.datasets import (
    PaperKFold,
    load_dataset,
    make_preprocessor,
)

C = 1000.0  # Table 2 of the paper
TOL = 1e-3


@dataclass(frozen=True)
class TrainingSet:
    """A training fold: as scikit-learn takes it, and merged and sorted for us."""

    name: str
    X: np.ndarray
    y: np.ndarray
    dot: np.ndarray
    squared_distance: np.ndarray
    weight: np.ndarray
    start: np.ndarray  # of each class, and the end of the last
    pairs: np.ndarray

    def solver(self, **options: Any) -> BatchSolver:
        """Return a batch solver over the fold, at the search's tolerance."""
        return BatchSolver(
            np.stack([self.dot, self.squared_distance]),
            self.weight,
            tol=TOL,
            max_steps=step_limit(-1, len(self.weight)),
            **options,
        )


def load_training_set(name: str) -> TrainingSet:
    """Return the first of the paper's five training folds, preprocessed."""
    bunch = load_dataset(name)
    folds = PaperKFold(5, random_state=0).split(bunch.data, bunch.target)
    train, _ = next(iter(folds))
    X = make_preprocessor(bunch).fit_transform(bunch.data.iloc[train])
    X = np.ascontiguousarray(X, dtype=float)
    _, y = np.unique(bunch.target[train], return_inverse=True)
    merged, count = np.unique(np.column_stack([y, X]), axis=0, return_counts=True)
    return TrainingSet(
        name,
        X,
        y,
        dot_products(merged[:, 1:]),
        squared_distances(merged[:, 1:]),
        count.astype(float),
        np.searchsorted(merged[:, 0], np.arange(y.max() + 2)),
        make_pairs(np.bincount(y)),
    )


def random_tasks(data: TrainingSet, genomes: int, seed: int) -> Tasks:
    """Return the tasks of random genomes in the ranges of Table 2, pair by pair."""
    rng = np.random.default_rng(seed)
    plus, minus = np.tile(data.pairs, (genomes, 1)).T
    n = len(plus)
    cost_pos, cost_neg, margin_pos, margin_neg = rng.random((4, n))
    kernel = rng.integers(0, 3, n)
    sigma = np.maximum(rng.uniform(0.0, 100.0, n), 1e-3)
    degree = rng.integers(1, 6, n)
    standard = to_c_svc(C * cost_pos, C * cost_neg, margin_pos, margin_neg)
    return Tasks(
        data.start[plus],
        data.start[plus + 1],
        data.start[minus],
        data.start[minus + 1],
        kernel == RBF,
        kernel,
        np.select([kernel == RBF, kernel == POLY], [0.5 / sigma**2, degree], 0.0),
        np.asarray(standard.U_pos),
        np.asarray(standard.U_neg),
    )


def rows(tasks: Tasks, chosen: slice | np.ndarray) -> Tasks:
    """Return some of the tasks."""
    return Tasks(*(column[chosen] for column in vars(tasks).values()))
