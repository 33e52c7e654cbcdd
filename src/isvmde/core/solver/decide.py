"""Decisions of many machines on new samples, sixteen samples at a time.

Machines of one set of settings share their kernel over all pairs of classes, so
kernel values between a new sample and the training rows are computed once per kernel
and not once per machine. Every sample has a lane of its own: its result does not
depend on the others of its block, to the last bit.
"""

from __future__ import annotations

import numpy as np

from .compilation import compiled, compiled_inline
from .exponential import expm1_general
from .extremum import fast_min
from .problem import DISTANCE, DOT, MINIMUM, POLY, RBF

LANES = 16


@compiled
def sums_of_minima(X: np.ndarray, columns: np.ndarray, out: np.ndarray) -> None:
    """Write sum_j min(x_j, z_j) for all pairs of rows of X, exactly symmetric.

    ``columns`` is X transposed, so that the inner loop goes along memory.
    """
    n, d = X.shape
    for i in range(n):
        row = out[i, : i + 1]
        for k in range(i + 1):
            row[k] = 0.0
        for j in range(d):
            value, column = X[i, j], columns[j, : i + 1]
            for k in range(i + 1):
                row[k] += fast_min(value, column[k])
        for k in range(i):
            out[k, i] = row[k]


@compiled_inline
def _term(kind: int, value: float, lane: float) -> float:
    """Return what one feature adds to a base."""
    if kind == DOT:
        return value * lane
    if kind == DISTANCE:
        return (value - lane) * (value - lane)
    return value if value < lane else lane  # in this loop faster than fast_min


@compiled
def _add_rows(kind: int, rows: np.ndarray, lanes: np.ndarray, out: np.ndarray) -> None:
    """Write the bases of one kind; a feature that is 0 in a row adds nothing.

    Four features at a time: sums are read and written a quarter as often, and added
    up in the same order.
    """
    d = rows.shape[1]
    for i in range(rows.shape[0]):
        own, row = out[i * LANES : (i + 1) * LANES], rows[i]
        for q in range(LANES):
            own[q] = 0.0
        j = 0
        while j + 4 <= d:
            x, y, z, w = row[j], row[j + 1], row[j + 2], row[j + 3]
            a, b, c, e = lanes[j], lanes[j + 1], lanes[j + 2], lanes[j + 3]
            if kind == DISTANCE or x != 0.0 or y != 0.0 or z != 0.0 or w != 0.0:
                for q in range(LANES):
                    total = own[q] + _term(kind, x, a[q])
                    total += _term(kind, y, b[q])
                    total += _term(kind, z, c[q])
                    own[q] = total + _term(kind, w, e[q])
            j += 4
        while j < d:
            for q in range(LANES):
                own[q] += _term(kind, row[j], lanes[j, q])
            j += 1


@compiled
def _bases(kind: int, rows: np.ndarray, lanes: np.ndarray, out: np.ndarray) -> None:
    """Write dot products, squared distances or sums of minima with every row.

    ``lanes`` holds the features of the block's samples, (d, LANES); ``out`` has one
    block of LANES per row. Features are not below zero where minima are summed.
    """
    if kind == DOT:
        _add_rows(DOT, rows, lanes, out)
    elif kind == DISTANCE:
        _add_rows(DISTANCE, rows, lanes, out)
    else:
        _add_rows(MINIMUM, rows, lanes, out)


@compiled
def _kernel_values(
    kernel: int, parameter: float, base: np.ndarray, out: np.ndarray
) -> None:
    """Write the kernel as a function of its base; K - 1 for rbf."""
    if kernel == RBF:
        expm1_general(base, -parameter, out)
        return
    for k in range(base.shape[0]):
        out[k] = base[k]
    if kernel == POLY:
        for k in range(base.shape[0]):
            out[k] = 1.0 + base[k]
        for _ in range(int(parameter) - 1):
            for k in range(base.shape[0]):
                out[k] *= 1.0 + base[k]


@compiled
def _weighted_sum(
    index: np.ndarray,
    beta: np.ndarray,
    b: float,
    first: int,
    values: np.ndarray,
    f: np.ndarray,
) -> None:
    """Write sum_i beta_i K_i + b of every lane; four support vectors at a time.

    ``values`` begins with the row ``first``.
    """
    for q in range(LANES):
        f[q] = b
    k = 0
    while k + 4 <= index.shape[0]:
        a, b1, c, d = beta[k], beta[k + 1], beta[k + 2], beta[k + 3]
        start = (index[k] - first) * LANES
        row_a = values[start : start + LANES]
        start = (index[k + 1] - first) * LANES
        row_b = values[start : start + LANES]
        start = (index[k + 2] - first) * LANES
        row_c = values[start : start + LANES]
        start = (index[k + 3] - first) * LANES
        row_d = values[start : start + LANES]
        for q in range(LANES):
            f[q] += (a * row_a[q] + b1 * row_b[q]) + (c * row_c[q] + d * row_d[q])
        k += 4
    while k < index.shape[0]:
        start = (index[k] - first) * LANES
        row_a = values[start : start + LANES]
        for q in range(LANES):
            f[q] += beta[k] * row_a[q]
        k += 1


@compiled
def mean_decisions(
    X: np.ndarray,
    rows: np.ndarray,
    kernel_view: np.ndarray,
    kernel_base: np.ndarray,
    kernel_code: np.ndarray,
    kernel_parameter: np.ndarray,
    kernel_rows: np.ndarray,
    machine_start: np.ndarray,
    pair: np.ndarray,
    weight: np.ndarray,
    intercept: np.ndarray,
    support_start: np.ndarray,
    index: np.ndarray,
    beta: np.ndarray,
    stop: np.ndarray,
    scratch: np.ndarray,
    lanes: np.ndarray,
    out: np.ndarray,
) -> None:
    """Add weight * tanh f of every machine to ``out`` (samples, pairs).

    ``X`` and ``rows`` hold the new samples and the training rows in every view,
    (views, n, d). Machines are sorted by kernel, kernels by view and base; kernel k
    has the machines machine_start[k] to machine_start[k + 1], machine j the support
    vectors support_start[j] to support_start[j + 1]. They are among the training rows
    kernel_rows[k, 0] to kernel_rows[k, 1].
    """
    n, d = X.shape[1], X.shape[2]
    f, t = scratch[:LANES], scratch[LANES : 2 * LANES]
    for first in range(0, n, LANES):
        if stop[0] != 0:
            return
        count = min(LANES, n - first)
        view, kind = np.int64(-1), np.int64(-1)
        begin_row, end_row = np.int64(-1), np.int64(-1)
        for k in range(kernel_code.shape[0]):
            size = (kernel_rows[k, 1] - kernel_rows[k, 0]) * LANES
            base = scratch[2 * LANES : 2 * LANES + size]
            values = scratch[2 * LANES + size : 2 * LANES + 2 * size]
            if (
                kernel_view[k] != view
                or kernel_base[k] != kind
                or kernel_rows[k, 0] != begin_row
                or kernel_rows[k, 1] != end_row
            ):
                if kernel_view[k] != view:
                    for q in range(LANES):
                        sample = first + min(q, count - 1)
                        for j in range(d):
                            lanes[j, q] = X[kernel_view[k], sample, j]
                view, kind = kernel_view[k], kernel_base[k]
                begin_row, end_row = kernel_rows[k, 0], kernel_rows[k, 1]
                _bases(kind, rows[view, begin_row:end_row], lanes, base)
            _kernel_values(kernel_code[k], kernel_parameter[k], base, values)
            for machine in range(machine_start[k], machine_start[k + 1]):
                p = pair[machine]
                begin, end = support_start[machine], support_start[machine + 1]
                _weighted_sum(
                    index[begin:end],
                    beta[begin:end],
                    intercept[machine],
                    begin_row,
                    values,
                    f,
                )
                # tanh |f| = -e / (2 + e), e = exp(-2 |f|) - 1
                for q in range(LANES):
                    t[q] = abs(f[q])
                expm1_general(t, -2.0, t)
                for q in range(count):
                    size_of_f = -t[q] / (2.0 + t[q])
                    part = weight[machine] * size_of_f
                    out[first + q, p] += part if f[q] >= 0.0 else -part
