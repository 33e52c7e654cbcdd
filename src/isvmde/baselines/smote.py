"""SMOTE: synthetic samples between a sample and one of its neighbours.

A synthetic sample is ``(1 - gap) * a + gap * b`` with b one of the nearest neighbours
of a in its own class. Only the triple (sample, neighbour, gap) is drawn here; what is
interpolated, rows or images in a kernel's space, is the method's business.

Chawla, Bowyer, Hall, Kegelmeyer: SMOTE: synthetic minority over-sampling technique.
J. Artif. Intell. Res. 16 (2002) 321-357.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from isvmde.classifiers.checks import check_whole
from isvmde.core.training_set import TrainingSet

from .binary_problem import Draws
from .ovo_svm import OVOSVM

_MOST_SAMPLES = 1_000_000  # that weights may stand for where each is drawn from


@dataclass(kw_only=True, eq=False, repr=False)
class OversamplingSVM(OVOSVM):
    """A baseline that draws synthetic samples, from every sample in the same way."""

    _structure: ClassVar[tuple[str, ...]] = ("k_neighbors",)

    k_neighbors: int = 5
    random_state: Any = None

    def _check_parameters(self) -> None:
        super()._check_parameters()
        check_whole("k_neighbors", self.k_neighbors, 1)

    def _check_counts(self, weight: np.ndarray) -> None:
        if (weight % 1).any() or weight.sum() > _MOST_SAMPLES:
            raise ValueError(
                f"{type(self).__name__} draws synthetic samples from one sample after "
                "the other, so sample_weight must hold whole numbers, with a sum of at "
                f"most {_MOST_SAMPLES:,}."
            )

    def _draw(
        self,
        data: TrainingSet,
        c: int,
        squared_distance: np.ndarray,
        count: int,
        rng: np.random.RandomState,
    ) -> Draws:
        """Draw triples for class ``c``, given the distances of its rows."""
        return draw_for_class(
            squared_distance, data.weight[data.rows(c)], count, self.k_neighbors, rng
        )


def nearest_neighbours(squared_distance: np.ndarray, k: int) -> np.ndarray:
    """Return the (n, min(k, n-1)) nearest others of each sample, nearest first."""
    n = len(squared_distance)
    if n == 1:  # its own neighbour: what is drawn from it are duplicates
        return np.zeros((1, 1), dtype=np.intp)
    others = squared_distance.copy()
    np.fill_diagonal(others, np.inf)  # duplicates of a sample are neighbours, it is not
    return np.argsort(others, axis=1, kind="stable")[:, : min(k, n - 1)]


def draw(neighbours: np.ndarray, count: int, rng: np.random.RandomState) -> Draws:
    """Draw triples: the samples in turn from a shuffled list, all else uniformly."""
    n, k = neighbours.shape
    sample = np.resize(rng.permutation(n), count)
    neighbour = neighbours[sample, rng.randint(k, size=count)]
    return Draws(sample, neighbour, rng.uniform(size=count))


def interpolate(X: np.ndarray, draws: Draws) -> np.ndarray:
    """Return the synthetic rows a + gap (b - a)."""
    a, b = X[draws.sample], X[draws.neighbour]
    return np.asarray(a + draws.gap[:, None] * (b - a))


def draw_for_class(
    squared_distance: np.ndarray,
    weight: np.ndarray,
    count: int,
    k: int,
    rng: np.random.RandomState,
) -> Draws:
    """Draw for rows that occur ``weight`` times each, as if they were not merged."""
    row = np.repeat(np.arange(len(weight)), np.asarray(weight, dtype=np.intp))
    neighbours = nearest_neighbours(squared_distance[np.ix_(row, row)], k)
    sample, neighbour, gap = draw(neighbours, count, rng)
    return Draws(row[sample], row[neighbour], gap)
