"""Leave-one-out decision values from one solved dual (Vapnik & Chapelle's span rule).

Without sample p, the free samples F take over its multiplier. As long as the free and
the bounded samples stay what they are,

    f_loo(x_p) = f(x_p) - y_p a_p S_p^2,

where S_p is the distance of phi(x_p) from the affine span of F (without p). With K~
centred at the face's reference, S_p^2 = 1 / (K~^-1)_pp for p in F and
K~_pp - k~_p' K~^-1 k~_p for p at its bound: all from the factor the solver ends with.
"""

from __future__ import annotations

import numpy as np

from .compilation import compiled
from .factor import centred, solve_lower
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
def _spans_of_face(work: Workspace, m: int) -> float:
    """Write 1/(K~^-1)_rr of the factor's samples into work.x; return 1'K~^-1 1.

    The rows of L^-1 are computed one after another into work.inverse.
    """
    factor, inverse, x = work.factor, work.inverse, work.x
    total = 0.0
    for c in range(m):
        x[c] = 0.0
    for r in range(m):
        start = r * (r + 1) // 2
        own = inverse[start : start + r + 1]
        for c in range(r + 1):
            own[c] = 0.0
        for k in range(r):
            weight = factor[start + k]
            row = inverse[k * (k + 1) // 2 : k * (k + 1) // 2 + k + 1]
            for c in range(k + 1):
                own[c] -= weight * row[c]
        own[r] = 1.0
        pivot = factor[start + r]
        row_sum = 0.0
        for c in range(r + 1):
            own[c] /= pivot
            row_sum += own[c]
            x[c] += own[c] * own[c]
        total += row_sum * row_sum
    for c in range(m):
        x[c] = 1.0 / x[c]
    return total


@compiled
def leave_one_out(
    source: Source,
    work: Workspace,
    n: int,
    face: int,
    weight: np.ndarray,
    b: float,
    out: np.ndarray,
) -> None:
    """Write f_loo of every sample; ``face`` is the size `solve` returned.

    Of a row of weight w one unit leaves: only what the other w - 1 units cannot hold
    has to be taken over.
    """
    for p in range(n):
        out[p] = work.t[p] - work.v[p] + b
    reference = work.face[face] if face >= 0 else -1
    # score marks who is in the factor: its place, -1 for the others
    for k in range(padded(n)):
        work.score[k] = -1.0
    for r in range(max(face, 0)):
        work.score[work.face[r]] = float(r)
    total = _spans_of_face(work, face) if face > 0 else 0.0
    for p in range(n):
        beta = work.beta[p]
        if beta == 0.0:
            continue
        unit = (work.hi[p] - work.lo[p]) / weight[p]
        released = abs(beta) - (weight[p] - 1.0) * unit
        if released <= 0.0:
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
            span = centred(source, work, n, face, reference, p)
            solve_lower(work.factor, face, work.z)
            for r in range(face):
                span -= work.z[r] * work.z[r]
        span = max(span, 0.0)
        out[p] -= released * span if beta > 0.0 else -released * span
