"""A first population of one pair that has seen every part of the ranges."""

from __future__ import annotations

import numpy as np

from .genome import N_GENES, Encoding

_DECADES = 3  # of the costs, below their upper end


def spread_start(
    encoding: Encoding, pop_size: int, rng: np.random.Generator
) -> np.ndarray:
    """Return ``pop_size`` genomes of one pair, (pop_size, 7).

    Every gene is spread evenly over its range (a Latin hypercube). Kernels and degrees
    come in turn, as small populations lose those they begin with once; costs are spread
    on a logarithmic scale, as large ones mostly give one and the same SVM: no sample is
    at its cost.
    """
    lower, upper = encoding.lower[:N_GENES], encoding.upper[:N_GENES]
    places = rng.permuted(np.tile(np.arange(pop_size), (N_GENES, 1)), axis=1).T
    shares = (places + rng.random(places.shape)) / pop_size
    start = lower + shares * (upper - lower)
    if not encoding.ranges.log_scale:
        least = np.maximum(lower[:2], upper[:2] * 10.0**-_DECADES)
        start[:, :2] = least * (upper[:2] / least) ** shares[:, :2]
    kinds = _kinds(encoding)
    for row, k in enumerate(places[:, 4]):
        kernel, degree = kinds[k % len(kinds)]
        start[row, 4] = kernel + 0.5
        if degree:
            start[row, 6] = degree + 0.5
    return np.clip(start, lower, upper)


def _kinds(encoding: Encoding) -> list[tuple[int, int]]:
    """Return different kernels as (place in the range, degree; 0 for no polynomial)."""
    ranges = encoding.ranges
    low, high = ranges.degree
    if "linear" in ranges.kernels:
        low = min(max(low, 2), high)  # degree 1 is the linear kernel
    kinds = []
    for place, name in enumerate(ranges.kernels):
        degrees = range(low, high + 1) if name == "poly" else (0,)
        kinds += [(place, degree) for degree in degrees]
    return kinds
