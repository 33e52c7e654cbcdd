"""Kernels and what they see, as nodes of a graph."""

from __future__ import annotations

import numpy as np

from isvmde.core.kernels import Kernel
from isvmde.core.solver import DOT, LINEAR, MINIMUM, POLY
from isvmde.core.views import RANKS, WEIGHTED, Views

from .graph import Tensor

_LARGEST = float(np.finfo(np.float64).max)


class SeenFeatures:
    """New samples as kernels see them; each view is written into the graph once."""

    def __init__(self, X: Tensor, views: Views | None) -> None:
        self._X, self._views = X, views
        self._seen: dict[tuple[str, bool], Tensor] = {}

    def see(self, view: str, base: int) -> Tensor:
        """Return the new samples in a view."""
        by_rank = view in (RANKS, WEIGHTED[RANKS])
        key = view, base == MINIMUM and not by_rank
        if key not in self._seen:
            self._seen[key] = self._write(*key)
        return self._seen[key]

    def _write(self, view: str, shift: bool) -> Tensor:
        """Write values, shifted values or ranks, weighted or not."""
        views = self._views
        if views is None:
            return self._X
        if view in WEIGHTED.values():
            by_rank = view == WEIGHTED[RANKS]
            plain = RANKS if by_rank else "values"
            weights = views.rank_relevance if by_rank else views.relevance
            return self.see(plain, MINIMUM if shift else DOT) * weights
        if view == RANKS:
            return _ranks(self._X, list(views.values), list(views.ranks))
        return (self._X - views.origin).within(low=0.0) if shift else self._X

    def rows(self, rows: np.ndarray, view: str, base: int) -> np.ndarray:
        """Return training rows in a view."""
        return rows if self._views is None else self._views.see(rows, view, base)


def _ranks(X: Tensor, values: list[np.ndarray], ranks: list[np.ndarray]) -> Tensor:
    """Write X with ranks for values: linear between the knots, constant beyond.

    The last knot that is not above x is found by bisection, for all features at once;
    their knots lie one feature after the other in one array.
    """
    graph = X.graph
    low, high = (np.array([known[end] for known in values]) for end in (0, -1))
    inside = X.within(low, high)
    sizes = np.array([len(known) for known in values])
    end = np.cumsum(sizes)
    last, all_values = graph.tensor(end - 1), graph.tensor(np.concatenate(values))
    place = graph.tensor(end - sizes)
    for power in reversed(range(int(sizes.max() - 1).bit_length())):
        further = (place + 2**power).within(high=last)
        knot = graph.node("Gather", all_values, further, axis=0)
        place = (inside >= knot).where(further, place)
    slopes = [
        np.append(np.minimum(np.diff(rank) / np.diff(known), _LARGEST), 0.0)
        for known, rank in zip(values, ranks, strict=True)
    ]
    knot, rank, slope = (
        graph.node("Gather", np.concatenate(of_knots), place, axis=0)
        for of_knots in (values, ranks, slopes)
    )
    return (slope * (inside - knot) + rank).within(0.0, 1.0)


def write_base(X: Tensor, base: int, vectors: np.ndarray) -> Tensor:
    """Write dot products, squared distances or sums of minima with the vectors."""
    if base == DOT:
        return X @ vectors.T
    if base == MINIMUM:
        return _sums_of_minima(X, vectors)
    # |x - s|^2 = |x|^2 - 2 x's + |s|^2 around the vectors' centre, where the
    # three terms are smallest and so is their cancellation
    centre = vectors.mean(axis=0)
    Z, S = X - centre, vectors - centre
    length = (Z * Z) @ np.ones((len(centre), 1))
    return (Z @ (-2 * S.T) + (S**2).sum(axis=1) + length).within(low=0.0)


def _sums_of_minima(X: Tensor, vectors: np.ndarray) -> Tensor:
    """Write sum_j min(x_j, s_j), feature by feature: never (n, vectors, d) numbers.

    No feature is below zero here, so those that are zero in all vectors add nothing.
    """
    used = np.flatnonzero(vectors.any(axis=0))
    if not len(used):
        return X @ np.zeros((vectors.shape[1], len(vectors)))
    total, *rest = (X.take(j, axis=1).within(high=vectors[None, :, j]) for j in used)
    for least in rest:
        total = total + least
    return total


def kernel_values(kernel: Kernel, base: Tensor) -> Tensor:
    """Write the kernel as a function of its base; K - 1 for rbf."""
    if kernel.function == LINEAR:
        return base
    if kernel.function == POLY:
        return (base + 1.0) ** kernel.parameter
    return base.graph.node("Exp", base * -kernel.parameter) - 1.0
