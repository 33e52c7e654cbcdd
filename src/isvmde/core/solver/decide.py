"""Decisions of many machines on new samples, sixteen samples at a time.

Machines of one set of settings share their kernel over all pairs of classes, so
kernel values between a new sample and the training rows are computed once per kernel
and not once per machine. Every sample has a lane of its own: its result does not
depend on the others of its block, to the last bit.
"""

from typing import Any, NamedTuple

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


class KernelTable(NamedTuple):
    """Distinct kernels, sorted by view and base."""

    of_view: np.ndarray  # (Q,) what each sees
    base: np.ndarray  # (Q,) DOT, DISTANCE or MINIMUM
    function: np.ndarray  # (Q,) LINEAR, RBF or POLY
    parameter: np.ndarray  # (Q,)
    rows: np.ndarray  # (Q, 2) the first of the rows that its base is for, and the end
    needed: np.ndarray  # (S,) rows that support its machines, counted from that first
    first_needed: np.ndarray  # (Q + 1,) its own are those from [q] to [q + 1]
    first_machine: np.ndarray  # (Q + 1,)


class MachineTable(NamedTuple):
    """Machines, sorted by kernel."""

    column: np.ndarray  # (K,) of the decisions that it adds to
    weight: np.ndarray  # (K,)
    intercept: np.ndarray  # (K,)
    start: np.ndarray  # (K + 1,) its support vectors are those from [k] to [k + 1]
    support: np.ndarray  # (T,) support vectors, as places among the kernel's needed
    beta: np.ndarray  # (T,) their multipliers


@compiled_part
def _weighted_sum(
    index: np.ndarray, beta: np.ndarray, values: np.ndarray, b: float
) -> Any:
    """Return b + sum_i beta_i K_i of every lane, four at a time."""
    total = in_all_lanes(b)
    k = 0
    while k + 4 <= index.shape[0]:
        x, y, z, w = beta[k], beta[k + 1], beta[k + 2], beta[k + 3]
        row_x = load_lanes(values[lanes_of(index[k])])
        row_y = load_lanes(values[lanes_of(index[k + 1])])
        row_z = load_lanes(values[lanes_of(index[k + 2])])
        row_w = load_lanes(values[lanes_of(index[k + 3])])
        total = total + ((x * row_x + y * row_y) + (z * row_z + w * row_w))
        k += 4
    while k < index.shape[0]:
        total = total + beta[k] * load_lanes(values[lanes_of(index[k])])
        k += 1
    return total


@compiled
def mean_decisions(
    X: np.ndarray,
    known: np.ndarray,
    kernels: KernelTable,
    machines: MachineTable,
    scratch: np.ndarray,
    lanes: np.ndarray,
    stop: np.ndarray,
    out: np.ndarray,
) -> None:
    """Add weight * tanh f of every machine to ``out`` (samples, columns).

    ``X`` (views, n, d) holds the new samples and ``known`` (views, R, d) the training
    rows. ``scratch`` has 2 LANES (Q + 1) numbers, where Q is the most rows that a
    kernel needs, and ``lanes`` is (d, LANES).
    """
    n, d = X.shape[1], X.shape[2]
    t = scratch[:LANES]
    for begin in range(0, n, LANES):
        if stop[0] != 0:
            return
        count = min(LANES, n - begin)
        for k in range(kernels.function.shape[0]):
            view, kind = kernels.of_view[k], kernels.base[k]
            low, high = kernels.rows[k, 0], kernels.rows[k, 1]
            size = (high - low) * LANES
            base = scratch[2 * LANES : 2 * LANES + size]
            values = scratch[2 * LANES + size : 2 * LANES + 2 * size]
            is_new = k == 0 or view != kernels.of_view[k - 1]
            if is_new:
                for q in range(LANES):
                    sample = begin + min(q, count - 1)
                    for j in range(d):
                        lanes[j, q] = X[view, sample, j]
            is_new = is_new or kind != kernels.base[k - 1]
            is_new = is_new or low != kernels.rows[k - 1, 0]
            is_new = is_new or high != kernels.rows[k - 1, 1]
            if is_new:
                lane_bases(kind, known[view, low:high], lanes, base)
            function, parameter = kernels.function[k], kernels.parameter[k]
            begin_needed, end_needed = (
                kernels.first_needed[k],
                kernels.first_needed[k + 1],
            )
            needed = kernels.needed[begin_needed:end_needed]
            lane_values(function, parameter, base, needed, values)
            for j in range(kernels.first_machine[k], kernels.first_machine[k + 1]):
                own, end = machines.start[j], machines.start[j + 1]
                total = _weighted_sum(
                    machines.support[own:end],
                    machines.beta[own:end],
                    values,
                    machines.intercept[j],
                )
                # tanh |f| = -e / (2 + e), e = exp(-2 |f|) - 1
                e = expm1_lanes(-1.0 * with_sign(2.0 * total, total))
                part = machines.weight[j] * (-1.0 * e / (2.0 + e))
                store_lanes(t, with_sign(part, total))
                column = machines.column[j]
                for q in range(count):
                    out[begin + q, column] += t[q]
