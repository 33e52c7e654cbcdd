"""Solve one dual of many samples: SMO with a bounded number of Gram rows in memory.

For pairs whose Gram matrix does not fit. Rows are computed from the samples when a
step needs them; of those in memory the one that was used longest ago makes room.
"""

from __future__ import annotations

import numpy as np

from .compilation import compiled
from .decide import DISTANCE, DOT
from .exponential import expm1_general
from .extremum import smaller
from .problem import BLOCK, POLY, RBF, Workspace, make_workspace
from .single import DualSolution
from .smo import partner, update
from .solve import intercept

_FLAT = 1e-12  # curvature below this counts as this
_BYTES = 200 * 2**20  # of Gram rows in memory


@compiled
def _cached_row(
    X: np.ndarray,
    base: int,
    kernel: int,
    parameter: float,
    i: int,
    clock: np.ndarray,
    place: np.ndarray,
    owner: np.ndarray,
    used: np.ndarray,
    rows: np.ndarray,
) -> int:
    """Return where ``rows`` holds row ``i`` of the Gram matrix; ``X`` is (d, n)."""
    clock[0] += 1
    if place[i] >= 0:
        used[place[i]] = clock[0]
        return place[i]
    slot = 0
    for k in range(owner.shape[0]):
        if owner[k] < 0:
            slot = k
            break
        if used[k] < used[slot]:
            slot = k
    if owner[slot] >= 0:
        place[owner[slot]] = -1
    owner[slot], place[i], used[slot] = i, slot, clock[0]
    out = rows[slot, : X.shape[1]]
    out[:] = 0.0
    for j in range(X.shape[0]):
        value, column = X[j, i], X[j]
        if base == DOT:
            for k in range(out.shape[0]):
                out[k] += value * column[k]
        elif base == DISTANCE:
            for k in range(out.shape[0]):
                out[k] += (value - column[k]) * (value - column[k])
        else:
            for k in range(out.shape[0]):
                out[k] += smaller(value, column[k])
    if kernel == RBF:
        expm1_general(out, -parameter, out)
    elif kernel == POLY:
        for k in range(out.shape[0]):
            one = 1.0 + out[k]
            value = one
            for _ in range(int(parameter) - 1):
                value *= one
            out[k] = value
    return slot


@compiled
def _steps(
    X: np.ndarray,
    base: int,
    kernel: int,
    parameter: float,
    work: Workspace,
    tol: float,
    max_steps: int,
    clock: np.ndarray,
    place: np.ndarray,
    owner: np.ndarray,
    used: np.ndarray,
    rows: np.ndarray,
) -> tuple[int, float]:
    """Take steps until the violation is at most ``tol``; return (steps, violation)."""
    n = X.shape[1]
    beta, lo, hi, v = work.beta, work.lo, work.hi, work.v
    highest, lowest, i = update(work, n, 0.0, rows[0], rows[0])
    steps = 0
    while highest - lowest > tol and steps < max_steps and work.stop[0] == 0:
        at = _cached_row(X, base, kernel, parameter, i, clock, place, owner, used, rows)
        row_i = rows[at]
        j = partner(work, n, i, row_i)
        at = _cached_row(X, base, kernel, parameter, j, clock, place, owner, used, rows)
        row_j = rows[at]
        curvature = max(work.diagonal[i] + work.diagonal[j] - 2.0 * row_i[j], _FLAT)
        room_i, room_j = hi[i] - beta[i], beta[j] - lo[j]
        step = min((v[i] - v[j]) / curvature, room_i, room_j)
        beta[i] = hi[i] if step == room_i else beta[i] + step
        beta[j] = lo[j] if step == room_j else beta[j] - step
        highest, lowest, i = update(work, n, step, row_i, row_j)
        steps += 1
    return steps, highest - lowest


def solve_with_cache(
    X: np.ndarray,
    y: np.ndarray,
    U: np.ndarray,
    *,
    base: int,
    kernel: int,
    parameter: float,
    tol: float,
    max_steps: int,
    stop: np.ndarray | None = None,
    n_bytes: int = _BYTES,
) -> DualSolution:
    """Solve the dual of `solve_dual` with margins 1 and Gram rows on demand.

    ``base`` says what the kernel is a function of; ``stop`` is a flag that ends it.

    Examples
    --------
    >>> import numpy as np
    >>> x, y = np.array([[0.0], [2.0]]), np.array([-1.0, 1.0])
    >>> options = {"base": 0, "kernel": 0, "parameter": 0.0}
    >>> solution = solve_with_cache(
    ...     x, y, np.full(2, 9.0), **options, tol=1e-3, max_steps=100
    ... )
    >>> solution.alpha, solution.b
    (array([0.5, 0.5]), -1.0)
    """
    n = len(X)
    size = (max(n, 2) + BLOCK - 1) // BLOCK * BLOCK
    names = ("diagonal", "t", "lo", "hi", "beta", "v", "score")
    work = make_workspace(2)._replace(
        **{name: np.zeros(size) for name in names},
        stop=np.zeros(1, np.int64) if stop is None else stop,
    )
    work.t[:n] = work.v[:n] = y
    work.lo[:n], work.hi[:n] = np.where(y > 0, 0.0, -U), np.where(y > 0, U, 0.0)
    if kernel != RBF:  # K - 1 is zero there
        own = np.einsum("ij,ij->i", X, X) if base == DOT else X.sum(axis=1)
        work.diagonal[:n] = (1.0 + own) ** int(parameter) if kernel == POLY else own
    capacity = int(np.clip(n_bytes // (8 * size), 2, n))
    steps, violation = _steps(
        np.ascontiguousarray(X.T, dtype=float),
        int(base),
        int(kernel),
        float(parameter),
        work,
        float(tol),
        int(max_steps),
        np.zeros(1, np.int64),
        np.full(n, -1),
        np.full(capacity, -1),
        np.zeros(capacity, np.int64),
        np.zeros((capacity, size)),
    )
    b = float(intercept(work, n))
    violation = max(float(violation), 0.0)
    return DualSolution(
        np.abs(work.beta[:n]),
        b,
        work.t[:n] - work.v[:n] + b,
        violation,
        violation <= tol,
        int(steps),
    )
