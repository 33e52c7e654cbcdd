"""A first population of one pair that has seen every part of the ranges."""

from __future__ import annotations

import numpy as np

from isvmde.core.solver import POLY

from .genome import COSTS, DEGREE, KERNEL, N_GENES, Encoding

_DECADES = 3  # of the costs, below their upper end


def spread_start(
    encoding: Encoding, pop_size: int, rng: np.random.Generator
) -> np.ndarray:
    """Return ``pop_size`` genomes of one pair, (pop_size, 7).

    Every gene is spread evenly over its range (a Latin hypercube). Kernels come in
    turn, as a small population can hardly get back one it lacks, polynomials twice as
    often for their degrees. Costs are spread on a logarithmic scale, as large ones
    mostly give one and the same SVM: no sample is at its cost.
    """
    lower, upper = encoding.pair_lower, encoding.pair_upper
    places = rng.permuted(np.tile(np.arange(pop_size), (N_GENES, 1)), axis=1).T
    shares = (places + rng.random(places.shape)) / pop_size
    start = lower + shares * (upper - lower)
    least = np.maximum(lower[COSTS], upper[COSTS] * 10.0**-_DECADES)
    start[:, COSTS] = least * (upper[COSTS] / least) ** shares[:, COSTS]
    degrees = _degrees(encoding)
    kernels = [
        (place, code == POLY)
        for place, code in enumerate(encoding.ranges.kernel_codes)
        for _ in range(2 if code == POLY and len(degrees) > 1 else 1)
    ]
    n_poly = 0
    for row in np.argsort(places[:, KERNEL]):
        place, is_poly = kernels[places[row, KERNEL] % len(kernels)]
        start[row, KERNEL] = place + 0.5
        if is_poly:
            start[row, DEGREE] = degrees[n_poly % len(degrees)] + 0.5
            n_poly += 1
    return np.clip(start, lower, upper)


def _degrees(encoding: Encoding) -> np.ndarray:
    """Return the degrees of polynomials, without 1 if the linear kernel is there."""
    low, high = encoding.ranges.degree
    if "linear" in encoding.ranges.kernels:
        low = min(max(low, 2), high)
    return np.arange(low, high + 1)
