"""Decisions of many machines on new samples, sixteen samples at a time.

Machines of one set of settings share their kernel over all pairs of classes, so
kernel values between a new sample and the training rows are computed once per kernel
and not once per machine. Every sample has a lane of its own: its result does not
depend on the others of its block, to the last bit.
"""

import numpy as np

from .compilation import compiled
from .compiled_kernels import LANES, kernel_values, lane_bases, lanes_of
from .exponential import expm1_general


@compiled
def _weighted_sum(
    index: np.ndarray, beta: np.ndarray, low: int, values: np.ndarray, f: np.ndarray
) -> None:
    """Add sum_i beta_i K_i to every lane, four at a time; the first row is ``low``."""
    k = 0
    while k + 4 <= index.shape[0]:
        x, y, z, w = beta[k], beta[k + 1], beta[k + 2], beta[k + 3]
        row_x = values[lanes_of(index[k] - low)]
        row_y = values[lanes_of(index[k + 1] - low)]
        row_z = values[lanes_of(index[k + 2] - low)]
        row_w = values[lanes_of(index[k + 3] - low)]
        for q in range(LANES):
            f[q] += (x * row_x[q] + y * row_y[q]) + (z * row_z[q] + w * row_w[q])
        k += 4
    while k < index.shape[0]:
        row_x = values[lanes_of(index[k] - low)]
        for q in range(LANES):
            f[q] += beta[k] * row_x[q]
        k += 1


@compiled
def mean_decisions(
    X: np.ndarray,
    rows: np.ndarray,
    table: tuple[np.ndarray, ...],
    scratch: np.ndarray,
    lanes: np.ndarray,
    out: np.ndarray,
) -> None:
    """Add weight * tanh f of every machine to ``out`` (samples, pairs).

    ``X`` and ``rows`` hold the new samples and the training rows in every view,
    (views, n, d). Machines are sorted by kernel, kernels by view and base; kernel k
    has the machines first[k] to first[k + 1], machine j the support vectors start[j]
    to start[j + 1], which are among the rows needed[k, 0] to needed[k, 1].
    """
    view, kind, function, parameter, needed, first = table[:6]
    pair, weight, intercept, start, index, beta, stop = table[6:]
    n, d = X.shape[1], X.shape[2]
    f, t = scratch[:LANES], scratch[LANES : 2 * LANES]
    for begin in range(0, n, LANES):
        if stop[0] != 0:
            return
        count = min(LANES, n - begin)
        for k in range(function.shape[0]):
            low, high = needed[k, 0], needed[k, 1]
            size = (high - low) * LANES
            base = scratch[2 * LANES : 2 * LANES + size]
            values = scratch[2 * LANES + size : 2 * LANES + 2 * size]
            is_new = k == 0 or view[k] != view[k - 1]
            if is_new:
                for q in range(LANES):
                    sample = begin + min(q, count - 1)
                    for j in range(d):
                        lanes[j, q] = X[view[k], sample, j]
            is_new = is_new or kind[k] != kind[k - 1]
            if is_new or low != needed[k - 1, 0] or high != needed[k - 1, 1]:
                lane_bases(kind[k], rows[view[k], low:high], lanes, base)
            kernel_values(function[k], parameter[k], base, values, False)
            for j in range(first[k], first[k + 1]):
                own, end = start[j], start[j + 1]
                for q in range(LANES):
                    f[q] = intercept[j]
                _weighted_sum(index[own:end], beta[own:end], low, values, f)
                # tanh |f| = -e / (2 + e), e = exp(-2 |f|) - 1
                for q in range(LANES):
                    t[q] = abs(f[q])
                expm1_general(t, -2.0, t)
                for q in range(count):
                    part = weight[j] * (-t[q] / (2.0 + t[q]))
                    out[begin + q, pair[j]] += part if f[q] >= 0.0 else -part
