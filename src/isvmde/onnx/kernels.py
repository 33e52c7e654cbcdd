"""Kernels and what they see, as nodes of a graph."""

from __future__ import annotations

import numpy as np

from isvmde.core.kernels import Kernel
from isvmde.core.solver import DOT, LINEAR, MINIMUM, POLY
from isvmde.core.views import RANKS, WEIGHTED, Views

from .graph import Graph

_LARGEST = float(np.finfo(np.float64).max)


class SeenFeatures:
    """New samples as kernels see them; each view is written into the graph once."""

    def __init__(self, graph: Graph, X: str, views: Views | None) -> None:
        self._graph, self._X, self._views = graph, X, views
        self._seen: dict[tuple[str, bool], str] = {}
        self._bases: dict[tuple[str, int], str] = {}

    def see(self, view: str, base: int) -> str:
        """Return the new samples in a view."""
        by_rank = view in (RANKS, WEIGHTED[RANKS])
        key = view, base == MINIMUM and not by_rank
        if key not in self._seen:
            self._seen[key] = self._write(*key)
        return self._seen[key]

    def _write(self, view: str, shift: bool) -> str:
        """Write values, shifted values or ranks, weighted or not."""
        graph, views = self._graph, self._views
        if views is None:
            return self._X
        if view in WEIGHTED.values():
            by_rank = view == WEIGHTED[RANKS]
            plain = RANKS if by_rank else "values"
            weights = views.rank_relevance if by_rank else views.relevance
            seen = self.see(plain, MINIMUM if shift else DOT)
            return graph.node("Mul", seen, graph.constant(weights))
        if view == RANKS:
            return _ranks(graph, self._X, list(views.values), list(views.ranks))
        if not shift:
            return self._X
        moved = graph.node("Sub", self._X, graph.constant(views.origin))
        return graph.within(moved, low=0.0)

    def rows(self, rows: np.ndarray, view: str, base: int) -> np.ndarray:
        """Return training rows in a view."""
        return rows if self._views is None else self._views.see(rows, view, base)

    def base_with(self, rows: np.ndarray, view: str, base: int) -> str:
        """Return the base with the training rows ``rows``, always the same ones."""
        key = view, base
        if key not in self._bases:
            X, known = self.see(view, base), self.rows(rows, view, base)
            self._bases[key] = write_base(self._graph, X, base, known)
        return self._bases[key]


def _ranks(
    graph: Graph, X: str, values: list[np.ndarray], ranks: list[np.ndarray]
) -> str:
    """Write X with ranks for values: linear between the knots, constant beyond.

    The last knot that is not above x is found by bisection, for all features at once;
    their knots lie one feature after the other in one array.
    """
    low = np.array([known[0] for known in values])
    high = np.array([known[-1] for known in values])
    inside = graph.within(X, low, high)
    sizes = np.array([len(known) for known in values])
    end = np.cumsum(sizes)
    last = graph.constant(end - 1)
    all_values = graph.constant(np.concatenate(values))
    place = graph.constant(end - sizes)
    for power in reversed(range(int(sizes.max() - 1).bit_length())):
        further = graph.node("Add", place, graph.constant(np.array(2**power)))
        further = graph.node("Min", further, last)
        knot = graph.node("Gather", all_values, further, axis=0)
        reached = graph.node("GreaterOrEqual", inside, knot)
        place = graph.node("Where", reached, further, place)
    slopes = [
        np.append(np.minimum(np.diff(rank) / np.diff(known), _LARGEST), 0.0)
        for known, rank in zip(values, ranks, strict=True)
    ]
    knot, rank, slope = (
        graph.node("Gather", graph.constant(np.concatenate(of_knots)), place, axis=0)
        for of_knots in (values, ranks, slopes)
    )
    rise = graph.node("Mul", slope, graph.node("Sub", inside, knot))
    return graph.within(graph.node("Add", rise, rank), 0.0, 1.0)


def write_base(graph: Graph, X: str, base: int, vectors: np.ndarray) -> str:
    """Write dot products, squared distances or sums of minima with the vectors."""
    if base == DOT:
        return graph.node("MatMul", X, graph.constant(vectors.T))
    if base == MINIMUM:
        return _sums_of_minima(graph, X, vectors)
    # |x - s|^2 = |x|^2 - 2 x's + |s|^2 around the vectors' centre, where the
    # three terms are smallest and so is their cancellation
    centre = vectors.mean(axis=0)
    Z, S = graph.node("Sub", X, graph.constant(centre)), vectors - centre
    square = graph.node("Mul", Z, Z)
    length = graph.node("MatMul", square, graph.constant(np.ones((len(centre), 1))))
    distance = graph.affine(Z, -2 * S.T, (S**2).sum(axis=1))
    return graph.within(graph.node("Add", distance, length), low=0.0)


def _sums_of_minima(graph: Graph, X: str, vectors: np.ndarray) -> str:
    """Write sum_j min(x_j, s_j), feature by feature: never (n, vectors, d) numbers.

    No feature is below zero here, so those that are zero in all vectors add nothing.
    """
    total = None
    for j, column in enumerate(vectors.T):
        if not column.any():
            continue
        x = graph.take(X, j, axis=1)
        least = graph.node("Min", x, graph.constant(column[None]))
        total = least if total is None else graph.node("Add", total, least)
    if total is None:
        nothing = np.zeros((vectors.shape[1], len(vectors)))
        return graph.node("MatMul", X, graph.constant(nothing))
    return total


def write_decisions(
    graph: Graph, kernel: Kernel, base: str, beta: np.ndarray, b: np.ndarray
) -> str:
    """Write f = sum_i beta_i K_i + b of machines that share a kernel, a column each."""
    return graph.affine(_kernel_values(graph, kernel, base), beta, b)


def _kernel_values(graph: Graph, kernel: Kernel, base: str) -> str:
    """Write the kernel as a function of its base; K - 1 for rbf."""
    if kernel.function == LINEAR:
        return base
    if kernel.function == POLY:
        inner = graph.node("Add", base, graph.constant(1.0))
        return graph.node("Pow", inner, graph.constant(kernel.parameter))
    scaled = graph.node("Mul", base, graph.constant(-kernel.parameter))
    return graph.node("Sub", graph.node("Exp", scaled), graph.constant(1.0))
