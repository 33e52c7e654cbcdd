"""Leave-one-out decision values from one solved dual (Vapnik & Chapelle's span rule).

Without sample p, the free samples F take over its multiplier. As long as the free and
the bounded samples stay what they are,

    f_loo(x_p) = f(x_p) - y_p a_p S_p^2,

where S_p is the distance of phi(x_p) from the affine span of F (without p). With K~
centred at the face's reference, S_p^2 = 1 / (K~^-1)_pp for p in F and
K~_pp - k~_p' K~^-1 k~_p for p at its bound: all from the factor the solver ends with.

With m free samples that takes m^3/3 multiplications. Where many hundreds are free
(narrow kernels, which remember rather than learn), S_p is bounded instead: no setting
looks better than it is.
"""

import numpy as np

from .compilation import compiled_part
from .compiled_kernels import lanes_of
from .face import touch_free
from .factor import centred
from .instructions import fast_min
from .lanes import LANES, load_lanes, store_lanes
from .problem import Source, Workspace, gram_row


@compiled_part
def _released(work: Workspace, weight: np.ndarray, unit: float, p: int) -> float:
    """Return the multiplier that leaves with one unit of ``p``, of weight w.

    Only what the other w - 1 units cannot hold has to be taken over. With an infinite
    ``unit`` the row leaves whole.
    """
    box = work.hi[p] - work.lo[p]
    stays = max(weight[p] - unit, 0.0)
    return abs(work.beta[p]) - stays * (box / weight[p])


@compiled_part
def _span_alone(source: Source, work: Workspace, n: int, p: int) -> float:
    """Return S_p^2 if none else is free: of p and who asks most to take over."""
    best, chosen = -1e300, -1
    rises = work.t[p] > 0.0  # p's multiplier is positive, so another one must rise
    for k in range(n):
        gain = work.v[k] if rises else -work.v[k]
        may = work.beta[k] < work.hi[k] if rises else work.beta[k] > work.lo[k]
        if k != p and may and gain > best:
            best, chosen = gain, k
    if chosen < 0:
        return 0.0
    # np.int64: for a number that may be a literal numba would compile it once more
    start = gram_row(source, work, n, np.int64(chosen))
    return work.diagonal[p] + work.diagonal[chosen] - 2.0 * work.gram[start + p]


@compiled_part
def _spans_of_face(work: Workspace, m: int) -> float:
    """Write 1/(K~^-1)_rr of the factor's samples into work.x; return 1'K~^-1 1.

    The rows of L^-1 are computed into work.inverse, four at a time: each earlier row
    is read a quarter as often. There is room for the last four, if m is less.
    """
    factor, inverse, x = work.factor, work.inverse, work.x
    total = 0.0
    for c in range(m):
        x[c] = 0.0
    for first in range(0, m, 4):
        if work.stop[0] != 0:
            break
        s_a = first * (first + 1) // 2
        s_b, s_c, s_d = s_a + first + 1, s_a + 2 * first + 3, s_a + 3 * first + 6
        for k in range(s_a, s_d + first + 4):
            inverse[k] = 0.0
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
        for r in range(first, min(first + 4, m)):
            start = r * (r + 1) // 2
            own = inverse[start : start + r + 1]
            for k in range(first, r):
                weight = factor[start + k]
                row = inverse[k * (k + 1) // 2 : k * (k + 1) // 2 + k + 1]
                for e in range(k + 1):
                    own[e] -= weight * row[e]
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


@compiled_part
def _solve_lower_lanes(factor: np.ndarray, m: int, Z: np.ndarray) -> None:
    """Solve L z = z in place for a right-hand side in every lane of ``Z``."""
    start = 0
    for r in range(m):
        own = load_lanes(Z[lanes_of(r)])
        for k in range(r):
            own = own - factor[start + k] * load_lanes(Z[lanes_of(k)])
        store_lanes(Z[lanes_of(r)], own / factor[start + r])
        start += r + 1


@compiled_part
def _spans_of_bounded(
    source: Source, work: Workspace, n: int, face: int, reference: int, count: int
) -> None:
    """Write S_p^2 of the first ``count`` touched samples p into work.before.

    As many at a time as there are lanes, in the memory of the inverse, which is not
    needed any more. It has room for them: a face of m < n samples needs LANES m
    numbers, and there are n (n + 1) / 2, n being at least 32.
    """
    Z = work.inverse[: LANES * max(face, 1)]
    for first in range(0, count, LANES):
        if work.stop[0] != 0:
            break
        for lane in range(LANES):
            p = work.touched[min(first + lane, count - 1)]
            work.before[p] = centred(source, work, n, face, reference, p)
            for r in range(face):
                Z[LANES * r + lane] = work.z[r]
        _solve_lower_lanes(work.factor, face, Z)
        for lane in range(min(LANES, count - first)):
            total = 0.0
            for r in range(face):
                total += Z[LANES * r + lane] * Z[LANES * r + lane]
            work.before[work.touched[first + lane]] -= total


@compiled_part
def spans_of_basis(work: Workspace, n: int, face: int) -> None:
    """Write S_p^2 of the factor's samples and the reference into work.before.

    All others get -1: not known yet. work.inverse holds L^-1 afterwards.
    """
    for p in range(n):
        work.before[p] = -1.0
    if face > 0:
        work.before[work.face[face]] = 1.0 / _spans_of_face(work, face)
        for r in range(face):
            work.before[work.face[r]] = work.x[r]


@compiled_part
def spans_of_others(
    source: Source, work: Workspace, n: int, face: int, weight: np.ndarray, unit: float
) -> None:
    """Write S_p^2 of all samples that matter and are not known into work.before."""
    reference = work.face[face] if face >= 0 else np.int64(-1)
    bounded = np.int64(0)
    for p in range(n):
        if work.before[p] >= 0.0 or _released(work, weight, unit, p) <= 0.0:
            continue
        if p == reference or face < 0:
            work.before[p] = _span_alone(source, work, n, p)
        else:
            work.touched[bounded] = p
            bounded += 1
    if bounded > 0:
        _spans_of_bounded(source, work, n, face, reference, bounded)


@compiled_part
def bound_spans(source: Source, work: Workspace, n: int, count: int) -> None:
    """Write an upper bound of S_p^2 of every sample into work.before.

    |phi_p - phi_q|^2 for the nearest of the ``count`` free samples, or the squared
    distance from the mean of the others.
    """
    row_sum, nearest = work.x, work.before
    for p in range(n):
        row_sum[p], nearest[p] = 0.0, 1e300
        work.z[p] = 0.0  # marks the free samples
    for q in range(count):
        if work.stop[0] != 0:
            break
        k = work.touched[q]
        work.z[k] = 1.0
        start = gram_row(source, work, n, k)
        row, own = work.gram[start : start + n], work.diagonal[k]
        for p in range(n):
            row_sum[p] += row[p]
            distance = work.diagonal[p] + own - 2.0 * row[p]
            nearest[p] = fast_min(nearest[p], 1e300 if p == k else distance)
    total = 0.0
    for q in range(count):
        total += row_sum[work.touched[q]]
    for p in range(n):
        own = work.diagonal[p]
        others, sum_p, sum_all = float(count), row_sum[p], total
        if work.z[p] > 0.0:
            others -= 1.0
            sum_all -= 2.0 * sum_p - own
            sum_p -= own
        if others > 0.0:
            mean = own - 2.0 * sum_p / others + sum_all / (others * others)
            nearest[p] = fast_min(nearest[p], mean)


@compiled_part
def subtract_spans(
    work: Workspace, n: int, weight: np.ndarray, unit: float, out: np.ndarray
) -> None:
    """Subtract y_p a_p S_p^2 from f of every sample; work.before holds S_p^2."""
    for p in range(n):
        released = _released(work, weight, unit, p)
        if released > 0.0:
            out[p] -= work.t[p] * released * max(work.before[p], 0.0)


@compiled_part
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
    free = touch_free(work, n) if face < 0 else 0
    if free > 1:
        bound_spans(source, work, n, free)
    else:
        spans_of_basis(work, n, face)
        spans_of_others(source, work, n, face, weight, unit)
    for p in range(n):
        out[p] = work.t[p] - work.v[p] + b
    subtract_spans(work, n, weight, unit, out)
