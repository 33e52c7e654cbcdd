"""Leave rare rows out by going on from the solution, where the span rule is too rough.

The span rule assumes that all other samples stay free, or bounded, as they are. One of
a few rare samples carries a large share of the multipliers of its side: when it leaves,
many samples of the other side go to their bounds or come from them. The rule then says
too little of what is lost where a kernel remembers its samples, and too much where most
multipliers are bounded. So such a sample's multiplier is handed over step by step, and
some more steps bring the others near their new optimum.
"""

import numpy as np

from .compilation import compiled_part
from .instructions import fast_max
from .problem import Source, Workspace, gram_row, padded
from .smo import update
from .solve import alternate

_MOST_RARE = 40  # rows of a side that are few
_FREQUENT = 3.0  # times as many rows of the other side
_TOLERANCE = 0.1  # violation at which f is known well enough
_NOTHING = 1e300


@compiled_part
def are_rare(source: Source) -> bool:
    """Tell whether the + samples are few beside the others."""
    n_pos = source.end_1 - source.start_1
    n_neg = source.end_2 - source.start_2
    return n_pos <= _MOST_RARE and n_neg >= _FREQUENT * n_pos


@compiled_part
def _highest_that_may_rise(work: Workspace, n: int) -> int:
    """Return the sample with the largest v of those below their upper bounds, or -1."""
    best, chosen = -_NOTHING, -1
    for k in range(n):
        if work.beta[k] < work.hi[k] and work.v[k] > best:
            best, chosen = work.v[k], k
    return chosen


@compiled_part
def _hand_over(source: Source, work: Workspace, n: int, p: int) -> bool:
    """Give the multiplier of a + sample to others; tell whether they can take it."""
    size = padded(n)
    work.hi[p] = 0.0  # it may only fall
    while work.beta[p] > 0.0 and work.stop[0] == 0:
        k = _highest_that_may_rise(work, n)
        if k < 0:
            return False
        start = gram_row(source, work, n, np.int64(k))
        row_k = work.gram[start : start + size]
        start = gram_row(source, work, n, np.int64(p))
        row_p = work.gram[start : start + size]
        room = work.hi[k] - work.beta[k]
        step = min(work.beta[p], room)
        work.beta[k] = work.hi[k] if step == room else work.beta[k] + step
        work.beta[p] = 0.0 if step == work.beta[p] else work.beta[p] - step
        update(work, n, step, row_k, row_p)
    return True


@compiled_part
def _intercept_near(work: Workspace, n: int, p: int) -> float:
    """Return the mean of v over free samples, else the middle of its interval."""
    total, count = 0.0, 0
    highest, lowest = -_NOTHING, _NOTHING
    for k in range(n):
        if k == p:
            continue
        may_rise = work.beta[k] < work.hi[k]
        may_fall = work.beta[k] > work.lo[k]
        if may_rise and may_fall:
            total += work.v[k]
            count += 1
        if may_rise:
            highest = fast_max(highest, work.v[k])
        if may_fall:
            lowest = min(lowest, work.v[k])
    if count > 0:
        return total / count
    return 0.5 * (highest + lowest)


@compiled_part
def leave_rare_out(
    source: Source,
    work: Workspace,
    n: int,
    weight: np.ndarray,
    unit: float,
    kept: np.ndarray,
    out: np.ndarray,
) -> None:
    """Write f_loo of the + samples that leave whole, in place of the span rule's.

    ``work`` holds the solution, and its beta and v again afterwards; meanwhile they are
    ``kept``, an array of twice their size.
    """
    n_pos = source.end_1 - source.start_1
    size = padded(n)
    beta, v = kept[:size], kept[size : 2 * size]
    for k in range(size):
        beta[k], v[k] = work.beta[k], work.v[k]
    most = 200 + 2 * n
    for p in range(n_pos):
        if beta[p] <= 0.0 or weight[p] > unit or work.stop[0] != 0:
            continue
        bound = work.hi[p]
        if n_pos > 1 and _hand_over(source, work, n, p):
            alternate(source, work, n, _TOLERANCE, most, np.int64(0))
            out[p] = work.t[p] - work.v[p] + _intercept_near(work, n, p)
        work.hi[p] = bound
        for k in range(size):
            work.beta[k], work.v[k] = beta[k], v[k]
