"""Kernels, compiled: what a feature adds to a base, and the functions of a base.

`core/kernels.py` says which base and which function a kernel has.
"""

import numpy as np

from .compilation import compiled, compiled_inline
from .exponential import expm1_general, expm1_row

LINEAR, RBF, POLY = 0, 1, 2  # a kernel's function of its base
DOT, DISTANCE, MINIMUM = 0, 1, 2  # what a kernel is a function of: its base
LANES = 16  # new samples that are compared with a row at a time
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


@compiled
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


@compiled
def sums_of_minima(features: np.ndarray, out: np.ndarray) -> None:
    """Write sum_j min(x_j, z_j) for all pairs of columns, exactly symmetric."""
    for i in range(features.shape[1]):
        base_row(features, MINIMUM, i, np.int64(0), out[i, : i + 1])
        for k in range(i):
            out[k, i] = out[i, k]


@compiled_inline
def lanes_of(row: int) -> slice:
    """Return where the lanes of a training row lie."""
    return slice(row * LANES, (row + 1) * LANES)


@compiled
def _add_rows(kind: int, rows: np.ndarray, lanes: np.ndarray, out: np.ndarray) -> None:
    """Write the bases of one kind; a feature that is 0 in a row adds nothing.

    Four features at a time: sums are read and written a quarter as often, and added
    up in the same order.
    """
    d = rows.shape[1]
    for i in range(rows.shape[0]):
        own, row = out[lanes_of(i)], rows[i]
        for q in range(LANES):
            own[q] = 0.0
        j = 0
        while j + 4 <= d:
            x, y, z, w = row[j], row[j + 1], row[j + 2], row[j + 3]
            a, b, c, e = lanes[j], lanes[j + 1], lanes[j + 2], lanes[j + 3]
            if kind == DISTANCE or x != 0.0 or y != 0.0 or z != 0.0 or w != 0.0:
                for q in range(LANES):
                    total = own[q] + base_term(kind, x, a[q])
                    total += base_term(kind, y, b[q])
                    total += base_term(kind, z, c[q])
                    own[q] = total + base_term(kind, w, e[q])
            j += 4
        while j < d:
            for q in range(LANES):
                own[q] += base_term(kind, row[j], lanes[j, q])
            j += 1


@compiled
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


@compiled_inline
def has_zero_diagonal(function: int) -> bool:
    """Tell whether the kernel of every sample with itself is written as 0."""
    return function == RBF


@compiled
def kernel_values(
    function: int, parameter: float, base: np.ndarray, out: np.ndarray, as_row: bool
) -> None:
    """Write the kernel as a function of the base, in loops that vectorise.

    ``as_row`` is faster; without it the bits of an entry do not depend on the others.
    """
    if function == RBF:
        # K - 1 instead of K: sum(beta) = 0, so the constant changes nothing, and
        # wide kernels (sigma = 100) keep all their digits.
        if as_row:
            expm1_row(base, -parameter, out)
        else:
            expm1_general(base, -parameter, out)
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
