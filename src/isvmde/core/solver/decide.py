"""Decisions of many machines on new samples, sixteen samples at a time.

Machines of one set of settings share their kernel over all pairs of classes, so
kernel values between a new sample and the training rows are computed once per kernel
and not once per machine. Every sample has a lane of its own: its result does not
depend on the others of its block, to the last bit.
"""

from typing import Any

import numpy as np

from .compilation import compiled, compiled_part
from .compiled_kernels import lane_bases, lane_values, lanes_of
from .lanes import (
    LANES,
    expm1_lanes,
    in_all_lanes,
    load_lanes,
    store_lanes,
    with_sign,
)


@compiled_part
def _weighted_sum(
    index: np.ndarray, beta: np.ndarray, low: int, values: np.ndarray, b: float
) -> Any:
    """Return b + sum_i beta_i K_i of every lane, four at a time; row 0 is ``low``."""
    total = in_all_lanes(b)
    k = 0
    while k + 4 <= index.shape[0]:
        x, y, z, w = beta[k], beta[k + 1], beta[k + 2], beta[k + 3]
        row_x = load_lanes(values[lanes_of(index[k] - low)])
        row_y = load_lanes(values[lanes_of(index[k + 1] - low)])
        row_z = load_lanes(values[lanes_of(index[k + 2] - low)])
        row_w = load_lanes(values[lanes_of(index[k + 3] - low)])
        total = total + ((x * row_x + y * row_y) + (z * row_z + w * row_w))
        k += 4
    while k < index.shape[0]:
        total = total + beta[k] * load_lanes(values[lanes_of(index[k] - low)])
        k += 1
    return total


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
    t = scratch[:LANES]
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
            lane_values(function[k], parameter[k], base, values, high - low)
            for j in range(first[k], first[k + 1]):
                own, end = start[j], start[j + 1]
                total = _weighted_sum(
                    index[own:end], beta[own:end], low, values, intercept[j]
                )
                # tanh |f| = -e / (2 + e), e = exp(-2 |f|) - 1
                e = expm1_lanes(-1.0 * with_sign(2.0 * total, total))
                part = weight[j] * (-1.0 * e / (2.0 + e))
                store_lanes(t, with_sign(part, total))
                column = pair[j]
                for q in range(count):
                    out[begin + q, column] += t[q]
