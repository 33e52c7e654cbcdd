"""Solve one dual problem: SMO finds the face, Newton steps and pivots finish on it.

SMO alone needs up to millions of steps for degree-5 polynomials at C = 1000, because
its steps see two samples at a time. Here it only has to say roughly *which* samples
are free; then the optimum of that face is computed and wrong samples are exchanged
one by one.
"""

import numpy as np

from .compilation import compiled_part
from .face import follow, newton, pivot, touch_free
from .problem import Source, Workspace, begin
from .smo import extremes, smo

_ROUGH = 0.05  # violation at which SMO hands over to Newton
_MOST_PER_PIVOT = 40.0  # SMO steps a pivot may cost before SMO takes over again


@compiled_part
def _newton_cost(n: int, free: int) -> float:
    """Return about how many SMO steps a Newton phase over ``free`` samples costs."""
    factor = 0.25 * free * free * free / 6.0
    return (factor + 0.3 * n * free) / (150.0 + 0.7 * n)


@compiled_part
def _pivot_cost(n: int, size: int) -> float:
    """Return about how many SMO steps one pivot on a face of ``size`` costs."""
    return (500.0 + 1.5 * size * size + 0.3 * n * size) / (150.0 + 0.7 * n)


@compiled_part
def solve(
    source: Source,
    work: Workspace,
    n: int,
    tol: float,
    max_steps: int,
    largest_face: int,
    warm: int,
) -> tuple[int, float, int, float]:
    """Solve the problem in ``work`` (t, lo, hi); from its feasible beta if warm is 1.

    Returns (steps, violation, face, b): SMO steps and pivots taken, KKT violation
    reached, size of the final face's factor (-1 if there is none), intercept. A factor
    is made for its own sake for up to ``largest_face`` free samples.
    """
    begin(source, work, n)
    beta, v, t = work.beta, work.v, work.t
    touched, before = work.touched, work.before
    for k in range(n):
        v[k] = t[k]
        touched[k] = k
        before[k] = 0.0
        if warm == 0:
            beta[k] = 0.0
    if warm != 0:
        follow(source, work, n, n)
    steps, violation, face = alternate(source, work, n, tol, max_steps, largest_face)
    return steps, violation, face, _intercept(work, n)


@compiled_part
def alternate(
    source: Source,
    work: Workspace,
    n: int,
    tol: float,
    max_steps: int,
    largest_face: int,
) -> tuple[int, float, int]:
    """Take at most ``max_steps`` steps; return (steps, violation, face) of `solve`.

    A Newton phase comes only after as many SMO steps as it costs itself (narrow kernels
    with a thousand free samples are SMO's, all others Newton's) and for as many free
    samples as there is room for.
    """
    room = work.face.shape[0] - 1
    first = min(10 + n // 3, max_steps)
    steps, violation = smo(source, work, n, max(tol, _ROUGH), first)
    spent = steps  # SMO steps since the last Newton phase
    while True:
        free = touch_free(work, n)
        finished = violation <= tol or steps >= max_steps
        if work.stop[0] != 0:
            return steps, violation, -1
        while not finished and (free > room or spent < _newton_cost(n, free)):
            more = min(max(spent, first), max_steps - steps)
            taken, violation = smo(source, work, n, tol, more)
            spent += max(taken, 1)
            steps += max(taken, 1)
            free = touch_free(work, n)
            finished = violation <= tol or steps >= max_steps or work.stop[0] != 0
        if finished and free > min(largest_face, room):
            face = -1
        else:
            face = newton(source, work, n, free)
            if face >= 0:
                # while pivots are cheap they end it; else SMO brings in the others
                most = 10 + n if _pivot_cost(n, face) < _MOST_PER_PIVOT else 3
                most = min(most, max(max_steps - steps, 0))
                if n > room:  # each may add one sample to the face
                    most = min(most, room - face)
                face, pivots = pivot(source, work, n, face, 0.4 * tol, most)
                steps += pivots
            highest, lowest = extremes(work, n)
            violation = highest - lowest
        if violation <= tol or steps >= max_steps:
            if _settle(work, n):
                face = -1
            return steps, violation, face
        burst = min(5 + n // 50, max_steps - steps)
        spent, violation = smo(source, work, n, 0.5 * tol, burst)
        steps += max(spent, 1)


@compiled_part
def _settle(work: Workspace, n: int) -> bool:
    """Move samples onto bounds that only rounding keeps them from, if none is free.

    At a vertex (equal costs, all multipliers at 0 or U) a remainder of 1e-15 would
    make a sample "free" and fix the intercept at one end of its interval.
    """
    beta, lo, hi = work.beta, work.lo, work.hi
    total = 0.0
    for k in range(n):
        total += abs(beta[k])
    rounding = 1e-14 * total
    between = False
    for k in range(n):
        room = min(beta[k] - lo[k], hi[k] - beta[k])
        if room > rounding:
            return False
        if room > 0.0:
            between = True
    if between:
        for k in range(n):
            beta[k] = lo[k] if beta[k] - lo[k] < hi[k] - beta[k] else hi[k]
    return between


@compiled_part
def _intercept(work: Workspace, n: int) -> float:
    """Mean of v over the free samples, else the middle of its interval (LIBSVM)."""
    total, count = 0.0, 0
    for k in range(n):
        if work.beta[k] > work.lo[k] and work.beta[k] < work.hi[k]:
            total += work.v[k]
            count += 1
    if count > 0:
        return total / count
    highest, lowest = extremes(work, n)
    if highest < -1e299 and lowest > 1e299:
        return 0.0
    if highest < -1e299:
        return lowest
    if lowest > 1e299:
        return highest
    return 0.5 * (highest + lowest)


@compiled_part
def set_two_class(
    work: Workspace, n_pos: int, n: int, weight: np.ndarray, U_pos: float, U_neg: float
) -> None:
    """Write t, lo, hi of a pair with margins 1 and per-class costs."""
    for k in range(n):
        if k < n_pos:
            work.t[k], work.lo[k], work.hi[k] = 1.0, 0.0, U_pos * weight[k]
        else:
            work.t[k], work.lo[k], work.hi[k] = -1.0, -U_neg * weight[k], 0.0
