"""Kernels, compiled: what a feature adds to a base, and the functions of a base.

`core/kernels.py` says which base and which function a kernel has.
"""

from typing import Any

import numpy as np

from .compilation import compiled, compiled_inline, compiled_part
from .exponential import expm1_row
from .lanes import (
    LANES,
    expm1_lanes,
    in_all_lanes,
    lesser,
    load_lanes,
    store_lanes,
)

LINEAR, RBF, POLY = 0, 1, 2  # a kernel's function of its base
FUNCTIONS = (LINEAR, RBF, POLY)
DOT, DISTANCE, MINIMUM = 0, 1, 2  # what a kernel is a function of: its base
BASES = (DOT, DISTANCE, MINIMUM)
_STRIP = 256  # samples whose bases are computed at a time, so that they stay in cache


@compiled_inline
def base_term(kind: int, x: float, z: float) -> float:
    """Return what one feature adds to a base."""
    if kind == DOT:
        return x * z
    if kind == DISTANCE:
        return (x - z) * (x - z)
    return x if x < z else z


@compiled_inline
def _add_feature(kind: int, x: float, column: np.ndarray, out: np.ndarray) -> None:
    """Add what one feature contributes to the bases of a sample with the others."""
    # A loop for each kind is a tenth faster than one for all.
    if kind == DISTANCE:
        for k in range(out.shape[0]):
            out[k] += base_term(DISTANCE, x, column[k])
    elif kind == DOT:
        for k in range(out.shape[0]):
            out[k] += base_term(DOT, x, column[k])
    else:
        for k in range(out.shape[0]):
            out[k] += base_term(MINIMUM, x, column[k])


@compiled_part
def base_row(
    features: np.ndarray, kind: int, r: int, start: int, out: np.ndarray
) -> None:
    """Write the base between sample ``r`` and those from ``start`` on.

    Feature after feature, as SciPy adds up distances: the same bits as its matrix.
    """
    n = out.shape[0]
    for first in range(0, n, _STRIP):
        strip = out[first : min(first + _STRIP, n)]
        for k in range(strip.shape[0]):
            strip[k] = 0.0
        begin, end = start + first, start + first + strip.shape[0]
        for j in range(features.shape[0]):
            _add_feature(kind, features[j, r], features[j, begin:end], strip)


@compiled_inline
def lanes_of(row: int) -> slice:
    """Return where the lanes of a training row lie."""
    return slice(row * LANES, (row + 1) * LANES)


@compiled_inline
def lane_terms(kind: int, x: float, lanes: np.ndarray) -> Any:
    """Return what one feature adds to the bases with all lanes."""
    z = load_lanes(lanes)
    if kind == DOT:
        return z * x
    if kind == DISTANCE:
        difference = x - z
        return difference * difference
    return lesser(in_all_lanes(x), z)


@compiled_part
def _add_rows(kind: int, rows: np.ndarray, lanes: np.ndarray, out: np.ndarray) -> None:
    """Write the bases of one kind, feature after feature.

    Four rows at a time: a sum need not wait for the one before it.
    """
    n, d = rows.shape
    i = 0
    while i + 4 <= n:
        a, b, c, e = rows[i], rows[i + 1], rows[i + 2], rows[i + 3]
        sum_a, sum_b = in_all_lanes(0.0), in_all_lanes(0.0)
        sum_c, sum_e = in_all_lanes(0.0), in_all_lanes(0.0)
        for j in range(d):
            sum_a = sum_a + lane_terms(kind, a[j], lanes[j])
            sum_b = sum_b + lane_terms(kind, b[j], lanes[j])
            sum_c = sum_c + lane_terms(kind, c[j], lanes[j])
            sum_e = sum_e + lane_terms(kind, e[j], lanes[j])
        store_lanes(out[lanes_of(i)], sum_a)
        store_lanes(out[lanes_of(i + 1)], sum_b)
        store_lanes(out[lanes_of(i + 2)], sum_c)
        store_lanes(out[lanes_of(i + 3)], sum_e)
        i += 4
    while i < n:
        total = in_all_lanes(0.0)
        for j in range(d):
            total = total + lane_terms(kind, rows[i, j], lanes[j])
        store_lanes(out[lanes_of(i)], total)
        i += 1


@compiled_part
def lane_bases(kind: int, rows: np.ndarray, lanes: np.ndarray, out: np.ndarray) -> None:
    """Write the base between every row and every lane of (d, LANES) features.

    A loop for each kind is faster. Features are not below zero where minima are summed.
    """
    if kind == DOT:
        _add_rows(DOT, rows, lanes, out)
    elif kind == DISTANCE:
        _add_rows(DISTANCE, rows, lanes, out)
    else:
        _add_rows(MINIMUM, rows, lanes, out)


@compiled
def bases_of_all(
    kind: int, rows: np.ndarray, lanes: np.ndarray, scratch: np.ndarray, out: np.ndarray
) -> None:
    """Write the base of all pairs of rows, exactly symmetric.

    ``lanes`` is (d, LANES), and ``scratch`` has LANES numbers for every row. The same
    bits as `base_row`: feature after feature.
    """
    n, d = rows.shape
    for first in range(0, n, LANES):
        count = min(LANES, n - first)
        for j in range(d):
            for q in range(LANES):
                lanes[j, q] = rows[first + min(q, count - 1), j]
        lane_bases(kind, rows, lanes, scratch)
        for i in range(n):
            for q in range(count):
                out[i, first + q] = scratch[i * LANES + q]


@compiled_inline
def _power_of_lanes(base: Any, degree: int) -> Any:
    """Return (1 + base)^degree, multiplied in the order of `kernel_values`."""
    factor = base + 1.0
    power = factor
    if degree >= 4:
        square = factor * factor
        power = square * square
        degree -= 3
    for _ in range(degree - 1):
        power = power * factor
    return power


@compiled_part
def lane_values(
    function: int, parameter: float, base: np.ndarray, rows: np.ndarray, out: np.ndarray
) -> None:
    """Write the kernel between some rows and lanes as a function of the base.

    ``base`` holds all rows and ``out`` those that ``rows`` names, in their order. A
    lane's bits do not depend on the others, whatever they hold.
    """
    for i in range(rows.shape[0]):
        own = load_lanes(base[lanes_of(rows[i])])
        if function == RBF:
            own = expm1_lanes(-parameter * own)
        elif function == POLY:
            own = _power_of_lanes(own, int(parameter))
        store_lanes(out[lanes_of(i)], own)


@compiled_inline
def has_zero_diagonal(function: int) -> bool:
    """Tell whether the kernel of every sample with itself is written as 0."""
    return function == RBF


@compiled_part
def kernel_values(
    function: int, parameter: float, base: np.ndarray, out: np.ndarray
) -> None:
    """Write the kernel as a function of the base, in loops that vectorise."""
    if function == RBF:
        # K - 1 instead of K: sum(beta) = 0, so the constant changes nothing, and
        # wide kernels (sigma = 100) keep all their digits.
        expm1_row(base, -parameter, out)
        return
    power = function == POLY
    for k in range(out.shape[0]):
        out[k] = base[k] + 1.0 if power else base[k]
    degree = int(parameter) if power else 1
    if degree >= 4:
        for k in range(out.shape[0]):
            square = out[k] * out[k]
            out[k] = square * square
        degree -= 3
    for _ in range(degree - 1):
        for k in range(out.shape[0]):
            out[k] *= base[k] + 1.0
