"""Sequential minimal optimisation: cheap steps on two samples at a time.

Working-set selection by second-order information (Fan, Chen & Lin 2005). Loops over
the samples go block by block: the value of a maximum comes from vector instructions,
and only the winning block is searched for its place.
"""

import numpy as np

from .compilation import compiled_part
from .instructions import fast_max, fast_min
from .problem import BLOCK, Source, Workspace, gram_row, padded

_NOTHING = 1e300  # stands for "no sample" in maxima and minima
_FLAT = 1e-12  # curvature below this counts as this (as in LIBSVM)


@compiled_part
def extremes(work: Workspace, n: int) -> tuple[float, float]:
    """Return max v over samples that may rise, min v over those that may fall.

    Their difference is the KKT violation (the gap of LIBSVM's stopping rule).
    """
    beta, lo, hi, v = work.beta, work.lo, work.hi, work.v
    highest, lowest = -_NOTHING, _NOTHING
    for k in range(padded(n)):
        highest = fast_max(highest, v[k] if beta[k] < hi[k] else -_NOTHING)
        lowest = fast_min(lowest, v[k] if beta[k] > lo[k] else _NOTHING)
    return highest, lowest


@compiled_part
def place_of(values: np.ndarray, value: float, block: int) -> int:
    """Return the first place in the block that holds ``value``."""
    for k in range(block * BLOCK, (block + 1) * BLOCK):
        if values[k] == value:
            return k
    return block * BLOCK


@compiled_part
def partner(work: Workspace, n: int, i: int, row_i: np.ndarray) -> int:
    """Return the falling sample that promises the largest gain with ``i``."""
    beta, lo, v, score = work.beta, work.lo, work.v, work.score
    diagonal = work.diagonal
    v_i, d_i = v[i], diagonal[i]
    best, best_block = -1.0, 0
    for block in range(padded(n) // BLOCK):
        best_here = -1.0
        for q in range(BLOCK):
            k = block * BLOCK + q
            distance = fast_max(v_i - v[k], 0.0)
            curvature = fast_max(d_i + diagonal[k] - 2.0 * row_i[k], _FLAT)
            gain = distance * distance / curvature if beta[k] > lo[k] else -1.0
            score[k] = gain
            best_here = fast_max(best_here, gain)
        if best_here > best:
            best, best_block = best_here, block
    # np.int64: for a number that may be a literal numba would compile it once more
    return place_of(score, best, np.int64(best_block))


@compiled_part
def update(
    work: Workspace, n: int, step: float, row_i: np.ndarray, row_j: np.ndarray
) -> tuple[float, float, int]:
    """Follow a step in v; return its new extremes and the first rising maximum."""
    beta, lo, hi, v = work.beta, work.lo, work.hi, work.v
    highest, lowest, best_block = -_NOTHING, _NOTHING, 0
    for block in range(padded(n) // BLOCK):
        highest_here, lowest_here = -_NOTHING, _NOTHING
        for q in range(BLOCK):
            k = block * BLOCK + q
            value = v[k] - step * (row_i[k] - row_j[k])
            v[k] = value
            highest_here = fast_max(
                highest_here, value if beta[k] < hi[k] else -_NOTHING
            )
            lowest_here = fast_min(lowest_here, value if beta[k] > lo[k] else _NOTHING)
        lowest = min(lowest, lowest_here)
        if highest_here > highest:
            highest, best_block = highest_here, block
    i = best_block * BLOCK
    while not (v[i] == highest and beta[i] < hi[i]) and i < n - 1:
        i += 1
    return highest, lowest, i


@compiled_part
def smo(
    source: Source, work: Workspace, n: int, tol: float, max_steps: int
) -> tuple[int, float]:
    """Take steps until the violation is at most ``tol``; return (steps, violation)."""
    beta, lo, hi, v = work.beta, work.lo, work.hi, work.v
    size = padded(n)
    start = gram_row(source, work, n, np.int64(0))
    row_i = work.gram[start : start + size]
    highest, lowest, i = update(work, n, 0.0, row_i, row_i)
    steps = 0
    while highest - lowest > tol and steps < max_steps and work.stop[0] == 0:
        start = gram_row(source, work, n, i)
        row_i = work.gram[start : start + size]
        j = partner(work, n, i, row_i)
        start = gram_row(source, work, n, j)
        row_j = work.gram[start : start + size]
        curvature = max(work.diagonal[i] + work.diagonal[j] - 2.0 * row_i[j], _FLAT)
        step = (v[i] - v[j]) / curvature
        room_i, room_j = hi[i] - beta[i], beta[j] - lo[j]
        step = min(step, room_i, room_j)
        # bounds are met exactly, so that "free" can be asked by comparison
        beta[i] = hi[i] if step == room_i else beta[i] + step
        beta[j] = lo[j] if step == room_j else beta[j] - step
        highest, lowest, i = update(work, n, step, row_i, row_j)
        steps += 1
    return steps, highest - lowest
