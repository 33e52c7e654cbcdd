"""SMOTE's draws: which sample, which neighbour, how far between the two.

A synthetic sample is ``(1 - gap) * a + gap * b`` with b one of the nearest neighbours
of a in its own class. Only the triple (sample, neighbour, gap) is drawn here; what is
interpolated, rows or images in a kernel's space, is the method's business.

Chawla, Bowyer, Hall, Kegelmeyer: SMOTE: synthetic minority over-sampling technique.
J. Artif. Intell. Res. 16 (2002) 321-357.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np


class Draws(NamedTuple):
    """Triples that define synthetic samples; indices count within the class."""

    sample: np.ndarray
    neighbour: np.ndarray
    gap: np.ndarray  # in [0, 1)


def nearest_neighbours(squared_distance: np.ndarray, k: int) -> np.ndarray:
    """Return the (n, min(k, n-1)) nearest others of each sample, nearest first.

    A lone sample is its own neighbour: what is drawn from it are duplicates.

    Examples
    --------
    >>> import numpy as np
    >>> x = np.array([0.0, 1.0, 3.0])
    >>> nearest_neighbours((x[:, None] - x) ** 2, 5).tolist()
    [[1, 2], [0, 2], [1, 0]]
    """
    n = len(squared_distance)
    if n == 1:
        return np.zeros((1, 1), dtype=np.intp)
    others = squared_distance.copy()
    np.fill_diagonal(others, np.inf)  # duplicates of a sample are neighbours, it is not
    return np.argsort(others, axis=1, kind="stable")[:, : min(k, n - 1)]


def draw(neighbours: np.ndarray, count: int, rng: np.random.RandomState) -> Draws:
    """Draw ``count`` triples.

    The samples are taken in turn from a shuffled list, so that each is used equally
    often up to one; neighbour and gap are uniform, one gap a synthetic sample.
    """
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
    """Draw triples for a class whose rows occur ``weight`` times each.

    A row that occurs twice is two samples: each the other's nearest neighbour, as if
    the rows had not been merged.
    """
    row = np.repeat(np.arange(len(weight)), np.asarray(weight, dtype=np.intp))
    neighbours = nearest_neighbours(squared_distance[np.ix_(row, row)], k)
    sample, neighbour, gap = draw(neighbours, count, rng)
    return Draws(row[sample], row[neighbour], gap)
