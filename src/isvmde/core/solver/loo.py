"""Leave-one-out decision values from one solved dual (Vapnik & Chapelle's span rule).

Without sample p, the free samples F take over its multiplier. As long as the free and
the bounded samples stay what they are,

    f_loo(x_p) = f(x_p) - y_p a_p S_p^2,

where S_p is the distance of phi(x_p) from the affine span of F (without p). With K~
centred at the face's reference, S_p^2 = 1 / (K~^-1)_pp for p in F and
K~_pp - k~_p' K~^-1 k~_p for p at its bound: all from the factor the solver ends with.

With m free samples that takes m^3/3 multiplications. Where many hundreds are free
(narrow kernels, which remember rather than learn), S_p is bounded instead by the
distance from the nearest free sample and from the mean of all: no setting looks better
than it is.
"""

from __future__ import annotations

import numpy as np

from .compilation import compiled
from .extremum import fast_min
from .face import touch_free
from .factor import centred
from .problem import Source, Workspace, gram_row, padded


@compiled
def _substitute(work: Workspace, n: int, p: int) -> int:
    """Return who takes over from p when no other sample is free.

    The first bounded sample that would move: the one that asks for it most.
    """
    best, chosen = -1e300, -1
    rises = work.t[p] > 0.0  # p's multiplier is positive, so another one must rise
    for k in range(n):
        if k == p:
            continue
        if rises and work.beta[k] < work.hi[k] and work.v[k] > best:
            best, chosen = work.v[k], k
        if not rises and work.beta[k] > work.lo[k] and -work.v[k] > best:
            best, chosen = -work.v[k], k
    return chosen


@compiled
def _subtract_row(
    factor: np.ndarray, start: int, inverse: np.ndarray, k: int, own: np.ndarray
) -> None:
    """Subtract factor[start + k] times row k of the inverse."""
    weight = factor[start + k]
    row = inverse[k * (k + 1) // 2 : k * (k + 1) // 2 + k + 1]
    for c in range(k + 1):
        own[c] -= weight * row[c]


@compiled
def _spans_of_face(work: Workspace, m: int) -> float:
    """Write 1/(K~^-1)_rr of the factor's samples into work.x; return 1'K~^-1 1.

    The rows of L^-1 are computed into work.inverse, four at a time: each earlier row
    is read a quarter as often.
    """
    factor, inverse, x = work.factor, work.inverse, work.x
    total = 0.0
    for c in range(m):
        x[c] = 0.0
    for first in range(0, m, 4):
        if work.stop[0] != 0:
            break
        last = min(first + 4, m)
        for k in range(first * (first + 1) // 2, last * (last + 1) // 2):
            inverse[k] = 0.0
        if last == first + 4:
            s_a = first * (first + 1) // 2
            s_b, s_c, s_d = s_a + first + 1, s_a + 2 * first + 3, s_a + 3 * first + 6
            own_a, own_b = inverse[s_a : s_a + first], inverse[s_b : s_b + first]
            own_c, own_d = inverse[s_c : s_c + first], inverse[s_d : s_d + first]
            for k in range(first):
                a, b = factor[s_a + k], factor[s_b + k]
                c, d = factor[s_c + k], factor[s_d + k]
                row = inverse[k * (k + 1) // 2 : k * (k + 1) // 2 + k + 1]
                for e in range(k + 1):
                    value = row[e]
                    own_a[e] -= a * value
                    own_b[e] -= b * value
                    own_c[e] -= c * value
                    own_d[e] -= d * value
        for r in range(first, last):
            start = r * (r + 1) // 2
            own = inverse[start : start + r + 1]
            for k in range(first if last == first + 4 else 0, r):
                _subtract_row(factor, start, inverse, k, own)
            own[r] = 1.0
            pivot = factor[start + r]
            row_sum = 0.0
            for e in range(r + 1):
                own[e] /= pivot
                row_sum += own[e]
                x[e] += own[e] * own[e]
            total += row_sum * row_sum
    for c in range(m):
        x[c] = 1.0 / x[c]
    return total


@compiled
def _solve_lower_four(factor: np.ndarray, m: int, Z: np.ndarray) -> None:
    """Solve L z = z in place for four right-hand sides, interleaved in ``Z``."""
    start = 0
    for r in range(m):
        a, b, c, d = Z[4 * r], Z[4 * r + 1], Z[4 * r + 2], Z[4 * r + 3]
        for k in range(r):
            weight = factor[start + k]
            a -= weight * Z[4 * k]
            b -= weight * Z[4 * k + 1]
            c -= weight * Z[4 * k + 2]
            d -= weight * Z[4 * k + 3]
        pivot = factor[start + r]
        Z[4 * r], Z[4 * r + 1] = a / pivot, b / pivot
        Z[4 * r + 2], Z[4 * r + 3] = c / pivot, d / pivot
        start += r + 1


@compiled
def _spans_of_bounded(
    source: Source, work: Workspace, n: int, face: int, reference: int, count: int
) -> None:
    """Write S_p^2 of the first ``count`` samples of work.touched into work.before.

    Four at a time. The inverse is not needed any more, so its memory holds the
    right-hand sides.
    """
    for first in range(0, count, 4):
        if work.stop[0] != 0:
            break
        Z = work.inverse[: 4 * max(face, 1)]
        for lane in range(4):
            p = work.touched[min(first + lane, count - 1)]
            own = centred(source, work, n, face, reference, p)
            for r in range(face):
                Z[4 * r + lane] = work.z[r]
            if first + lane < count:
                work.before[first + lane] = own
        _solve_lower_four(work.factor, face, Z)
        for lane in range(min(4, count - first)):
            total = 0.0
            for r in range(face):
                total += Z[4 * r + lane] * Z[4 * r + lane]
            work.before[first + lane] -= total


@compiled
def _bound_spans(source: Source, work: Workspace, n: int, count: int) -> None:
    """Write an upper bound of S_p^2 of every sample into work.z.

    The free samples are the first ``count`` of work.touched. |phi_p - phi_q|^2 for the
    nearest of them, or the squared distance from the mean of the others.
    """
    row_sum, nearest = work.x, work.z
    for p in range(n):
        row_sum[p], nearest[p] = 0.0, 1e300
        work.score[p] = 0.0  # marks the free samples
    total = 0.0
    for q in range(count):
        if work.stop[0] != 0:
            break
        k = work.touched[q]
        work.score[k] = 1.0
        start = gram_row(source, work, n, k)
        row = work.gram[start : start + n]
        own = work.diagonal[k]
        for p in range(n):
            row_sum[p] += row[p]
            distance = work.diagonal[p] + own - 2.0 * row[p]
            nearest[p] = fast_min(nearest[p], 1e300 if p == k else distance)
    for q in range(count):
        total += row_sum[work.touched[q]]
    for p in range(n):
        own = work.diagonal[p]
        others, sum_p, sum_all = float(count), row_sum[p], total
        if work.score[p] > 0.0:
            others -= 1.0
            sum_all -= 2.0 * sum_p - own
            sum_p -= own
        if others > 0.0:
            mean = own - 2.0 * sum_p / others + sum_all / (others * others)
            nearest[p] = fast_min(nearest[p], mean)


@compiled
def _released(work: Workspace, weight: np.ndarray, unit: float, p: int) -> float:
    """Return the multiplier that leaves with one unit of sample ``p``.

    Of a row of weight w one unit leaves: only what the others cannot hold has to be
    taken over.
    """
    box = work.hi[p] - work.lo[p]
    return abs(work.beta[p]) - (weight[p] - unit) * (box / weight[p])


@compiled
def leave_one_out(
    source: Source,
    work: Workspace,
    n: int,
    face: int,
    weight: np.ndarray,
    unit: float,
    b: float,
    out: np.ndarray,
) -> None:
    """Write f_loo of every sample; ``face`` is the size of the factor, -1 for none."""
    for p in range(n):
        out[p] = work.t[p] - work.v[p] + b
    free = touch_free(work, n) if face < 0 else 0
    if free > 1:
        _bound_spans(source, work, n, free)
        for p in range(n):
            released = _released(work, weight, unit, p)
            if work.beta[p] != 0.0 and released > 0.0:
                out[p] -= work.t[p] * released * max(work.z[p], 0.0)
        return
    reference = work.face[face] if face >= 0 else np.int64(-1)
    # score marks who is in the factor: its place, -1 for the others
    for k in range(padded(n)):
        work.score[k] = -1.0
    for r in range(max(face, 0)):
        work.score[work.face[r]] = float(r)
    total = _spans_of_face(work, face) if face > 0 else 0.0
    bounded = 0
    for p in range(n):
        released = _released(work, weight, unit, p)
        if work.beta[p] == 0.0 or released <= 0.0:
            continue
        if work.score[p] >= 0.0:
            span = work.x[int(work.score[p])]
        elif p == reference and face > 0:
            span = 1.0 / total
        elif p == reference or face < 0:
            q = _substitute(work, n, p)
            span = 0.0
            if q >= 0:  # |phi(x_p) - phi(x_q)|^2
                start = gram_row(source, work, n, q)
                span = work.diagonal[p] + work.diagonal[q] - 2.0 * work.gram[start + p]
        else:
            work.touched[bounded] = p
            bounded += 1
            continue
        out[p] -= work.t[p] * released * max(span, 0.0)
    if bounded > 0:
        _spans_of_bounded(source, work, n, face, reference, bounded)
    for q in range(bounded):
        p = work.touched[q]
        released = _released(work, weight, unit, p)
        out[p] -= work.t[p] * released * max(work.before[q], 0.0)
