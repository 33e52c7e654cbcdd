"""Newton steps on the free samples: the exact optimum of the current face.

Samples strictly between their bounds form the face F. One of them, the reference,
absorbs sum(beta) = 0, so the others see the kernel centred at it,

    K~(x, z) = K(x, z) - K(x, ref) - K(ref, z) + K(ref, ref),

and the step solves K~ delta = v - v_ref. The Cholesky factor of K~ is updated as
samples enter (`_enter`) and leave (`drop`) instead of being computed anew. Where K~
is singular (linear kernel with more free samples than features, duplicates) the
dependent sample moves along its null direction until something meets a bound.
"""

import math
from typing import Any

import numpy as np

from .compilation import compiled_inline, compiled_part
from .factor import centred, drop, solve_lower, solve_upper
from .instructions import fast_max
from .problem import BLOCK, Source, Workspace, gram_row, padded
from .smo import place_of

_DEPENDENT = 1e-12  # pivot^2 / K~_pp below which a sample depends on the face


@compiled_inline
def _room(beta: float, lo: float, hi: float, direction: float) -> float:
    """Return how far one may go before a bound is met."""
    if direction > 0.0:
        return (hi - beta) / direction
    if direction < 0.0:
        return (lo - beta) / direction
    return 1e300


@compiled_inline
def _move(work: Workspace, k: int, step: float, direction: float, meets: bool) -> None:
    """Move beta_k, exactly onto its bound where it meets it."""
    if meets:
        work.beta[k] = work.hi[k] if direction > 0.0 else work.lo[k]
    else:
        value = work.beta[k] + step * direction
        work.beta[k] = min(max(value, work.lo[k]), work.hi[k])


@compiled_part
def _step(
    work: Workspace, m: int, reference: int, p: int, longest: float
) -> tuple[int, float]:
    """Go along work.x; return who met its bound first, and how far it went.

    The first m entries of x are the face's, x[m] is p's if p >= 0; the reference
    takes what makes the sum zero. Who met its bound is a position: 0..m-1 in the face,
    m for the reference, m + 1 for p, -1 if the whole step ``longest`` was possible.
    """
    beta, lo, hi, x, face = work.beta, work.lo, work.hi, work.x, work.face
    total, step, blocker = 0.0, longest, -1
    if p >= 0:
        total = x[m]
        room = _room(beta[p], lo[p], hi[p], x[m])
        if room < step:
            step, blocker = room, m + 1
    for r in range(m):
        k = face[r]
        total += x[r]
        room = _room(beta[k], lo[k], hi[k], x[r])
        if room < step:
            step, blocker = room, r
    room = _room(beta[reference], lo[reference], hi[reference], -total)
    if room < step:
        step, blocker = room, m
    for r in range(m):
        _move(work, face[r], step, x[r], blocker == r)
    _move(work, reference, step, -total, blocker == m)
    if p >= 0:
        _move(work, p, step, x[m], blocker == m + 1)
    return blocker, step


@compiled_part
def _enter(
    source: Source, work: Workspace, n: int, m: int, reference: int, p: int
) -> int:
    """Add free sample ``p`` to the factor; its size, -1 if the reference is lost."""
    factor, z, difference = work.factor, work.z, work.difference
    while True:
        own = centred(source, work, n, m, reference, p)
        solve_lower(factor, m, z)
        pivot = own
        for r in range(m):
            pivot -= z[r] * z[r]
        if pivot > _DEPENDENT * own and pivot > 0.0:
            start = m * (m + 1) // 2
            for r in range(m):
                factor[start + r] = z[r]
            factor[start + m] = math.sqrt(pivot)
            work.face[m] = p
            difference[m] = work.v[p] - work.v[reference]
            return m + 1
        # K~_p is a combination of the face's: v does not change along e_p - weights
        solve_upper(factor, m, z)
        slope = work.v[p] - work.v[reference]
        scale = abs(slope)
        for r in range(m):
            slope -= z[r] * difference[r]
            scale += abs(z[r] * difference[r])
        if abs(slope) <= 1e-13 * scale + 1e-15:
            return m  # consistent with the face: optimal when the face is
        sign = 1.0 if slope > 0.0 else -1.0
        for r in range(m):
            work.x[r] = -sign * z[r]
        work.x[m] = sign
        blocker, _ = _step(work, m, reference, p, 1e300)
        if blocker == m + 1 or blocker < 0:  # a step of 1e300 meets no bound: keep out
            return m
        if blocker == m:
            return -1
        drop(work, m, blocker)
        m -= 1


@compiled_part
def _descend(work: Workspace, m: int, reference: int) -> int:
    """Take Newton steps to the optimum; its size, -1 if the reference is lost."""
    difference, x, z = work.difference, work.x, work.z
    while m > 0 and work.stop[0] == 0:
        for r in range(m):
            z[r] = difference[r]
        solve_lower(work.factor, m, z)
        solve_upper(work.factor, m, z)
        for r in range(m):
            x[r] = z[r]
        blocker, step = _step(work, m, reference, np.int64(-1), 1.0)
        for r in range(m):
            difference[r] *= 1.0 - step
        if blocker < 0:
            return m
        if blocker == m:
            return -1
        drop(work, m, blocker)
        m -= 1
    return m


@compiled_part
def follow(source: Source, work: Workspace, n: int, count: int) -> None:
    """Subtract K (beta - before) from v for the first ``count`` touched samples.

    Four Gram rows at a time: v is read and written a quarter as often.
    """
    v = work.v
    size = padded(n)
    moved = 0
    for q in range(count):
        i = work.touched[q]
        change = work.beta[i] - work.before[q]
        if change != 0.0:
            work.moved[moved] = i
            work.before[moved] = change
            moved += 1
    q = 0
    while q + 4 <= moved:
        a, b = work.before[q], work.before[q + 1]
        c, d = work.before[q + 2], work.before[q + 3]
        start = gram_row(source, work, n, work.moved[q])
        row_a = work.gram[start : start + size]
        start = gram_row(source, work, n, work.moved[q + 1])
        row_b = work.gram[start : start + size]
        start = gram_row(source, work, n, work.moved[q + 2])
        row_c = work.gram[start : start + size]
        start = gram_row(source, work, n, work.moved[q + 3])
        row_d = work.gram[start : start + size]
        for k in range(size):
            v[k] -= (a * row_a[k] + b * row_b[k]) + (c * row_c[k] + d * row_d[k])
        q += 4
    while q < moved:
        a = work.before[q]
        start = gram_row(source, work, n, work.moved[q])
        row_a = work.gram[start : start + size]
        for k in range(size):
            v[k] -= a * row_a[k]
        q += 1


@compiled_part
def _restart(work: Workspace, count: int) -> int:
    """List the free touched samples, that with most room first; return their number.

    It is the reference: the one that is least likely to meet a bound.
    """
    beta, lo, hi, touched = work.beta, work.lo, work.hi, work.touched
    free, best, widest = 0, 0, 0.0
    for q in range(count):
        k = touched[q]
        room = min(beta[k] - lo[k], hi[k] - beta[k])
        if room > 0.0:
            touched[free] = k
            if room > widest:
                best, widest = free, room
            free += 1
    if free > 0:
        touched[0], touched[best] = touched[best], touched[0]
    return free


@compiled_part
def newton(source: Source, work: Workspace, n: int, count: int) -> int:
    """Move to the optimum of a face, shrinking it where bounds are met.

    The face is what is free among the first ``count`` samples of work.touched.
    Returns the size m of its factor; ``work.face[:m]`` lists the samples and
    ``work.face[m]`` the reference. -1 if none is free.
    """
    beta, lo, hi, touched = work.beta, work.lo, work.hi, work.touched
    while True:  # a round ends the phase or loses its reference
        count = _restart(work, count)
        if count == 0:
            return -1
        for q in range(count):
            work.before[q] = beta[touched[q]]
        reference = touched[0]
        # no literal 0, for which numba would compile `_enter` once more
        m: Any = np.int64(0)
        for q in range(1, count):
            p = touched[q]
            # an earlier one's null move may have brought p to a bound
            if beta[p] > lo[p] and beta[p] < hi[p] and work.stop[0] == 0:
                m = _enter(source, work, n, m, reference, p)
                if m < 0:
                    break
        if m >= 0:
            m = _descend(work, m, reference)
        follow(source, work, n, count)
        if m >= 0:
            work.face[m] = reference
            return m


@compiled_part
def touch_free(work: Workspace, n: int) -> int:
    """List all free samples in work.touched; return their number."""
    beta, lo, hi, touched = work.beta, work.lo, work.hi, work.touched
    count = 0
    for k in range(n):
        if beta[k] > lo[k] and beta[k] < hi[k]:
            touched[count] = k
            count += 1
    return count


@compiled_part
def _violator(
    work: Workspace, n: int, reference: int, row: np.ndarray, tol: float
) -> int:
    """Return the sample at a bound that promises most when freed, -1 if none."""
    beta, lo, hi, v, score = work.beta, work.lo, work.hi, work.v, work.score
    diagonal = work.diagonal
    level, own = v[reference], diagonal[reference]
    best, best_block = 0.0, 0
    for block in range(padded(n) // BLOCK):
        best_here = 0.0
        for q in range(BLOCK):
            k = block * BLOCK + q
            excess = v[k] - level
            wrong = ((excess > tol) & (beta[k] < hi[k])) | (
                (excess < -tol) & (beta[k] > lo[k])
            )
            curvature = fast_max(own + diagonal[k] - 2.0 * row[k], 1e-12)
            gain = excess * excess / curvature if wrong else 0.0
            score[k] = gain
            best_here = fast_max(best_here, gain)
        if best_here > best:
            best, best_block = best_here, block
    if best <= 0.0:
        return -1
    return place_of(score, best, np.int64(best_block))


@compiled_part
def _contains(face: np.ndarray, m: int, p: int) -> bool:
    """Tell whether ``p`` is among the first ``m`` samples of the face."""
    for r in range(m):  # noqa: SIM110 (compiled)
        if face[r] == p:
            return True
    return False


@compiled_part
def pivot(
    source: Source, work: Workspace, n: int, m: int, tol: float, most: int
) -> tuple[int, int]:
    """Free one violating sample after another, each time up to the face's optimum.

    Starts from and returns a face as `newton` does, and the number of pivots. The
    objective rises strictly with each pivot.
    """
    width = padded(n)
    for count in range(most):
        reference = work.face[m]
        start = gram_row(source, work, n, reference)
        row = work.gram[start : start + width]
        p = _violator(work, n, reference, row, tol)
        # one of the face again: rounding (or a K that is no kernel) has the last word
        if p < 0 or work.stop[0] != 0 or _contains(work.face, m, p):
            return m, count
        for r in range(m + 1):
            k = work.face[r]
            work.touched[r] = k
            work.before[r] = work.beta[k]
            work.difference[r] = 0.0  # the face is optimal
        work.touched[m + 1] = p
        work.before[m + 1] = work.beta[p]
        size = _enter(source, work, n, m, reference, p)
        if size >= 0:
            size = _descend(work, size, reference)
        follow(source, work, n, m + 2)
        if size < 0:
            size = newton(source, work, n, m + 2)
            if size < 0:
                return size, count + 1
        else:
            work.face[size] = reference
        m = size
    return m, most
