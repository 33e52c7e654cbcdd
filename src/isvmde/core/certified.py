"""Solve a dual, and measure again how well where digits may have been lost.

The solver follows the gradient v = t - K beta step by step, and with large kernel
values the rounding adds up. Where that is possible, v is computed anew from the
solution, and the solver goes on from there as long as digits are left for it.
"""

from dataclasses import replace
from typing import Any

import numpy as np

from .dual import intercept_from, violation_from
from .kernels import Kernel, largest_base, some_bases
from .limits import check_products
from .solver import DOT, DualSolution, Samples, solve_dual

_EPS = float(np.finfo(float).eps)
_RISK = 0.05  # share of the tolerance that rounding may take unseen
_ROUNDS = 3
_BLOCK = 4_000_000  # kernel values computed at a time


def solve_certified(
    base: np.ndarray | Samples,
    y: np.ndarray,
    margin: np.ndarray,
    U: np.ndarray,
    *,
    alpha: np.ndarray | None = None,
    **options: Any,
) -> DualSolution:
    """Solve as `solve_dual` does; the violation holds where digits are lost, too."""
    tol, work, largest = options["tol"], options.get("work"), largest_base(base)
    # a function of the base that is given, whatever that is
    kernel = Kernel(DOT, options["kernel"], options["parameter"])
    cost = float(U.max(initial=0.0))
    check_products(largest, kernel.function, kernel.parameter, cost, len(y))
    solution = solve_dual(base, y, margin, U, alpha=alpha, **options)
    steps = solution.steps + len(solution.alpha)
    # about how far rounding may have taken v from the truth
    drift = _EPS * steps * kernel.largest(largest)
    if drift * float(solution.alpha.max(initial=0.0)) <= _RISK * tol:
        return solution
    for _ in range(_ROUNDS):
        f, rounding = _decisions(solution.alpha * y, base, kernel)
        v = y * margin - f
        violation = violation_from(v, solution.alpha, y, U)
        stopped = work is not None and work.stop[0] != 0
        if violation <= tol or rounding > tol or stopped:
            break
        again = solve_dual(base, y, margin, U, alpha=solution.alpha, **options)
        solution = replace(again, steps=again.steps + solution.steps)
    b = intercept_from(v, solution.alpha, y, U)
    return replace(
        solution, b=b, f=f + b, violation=violation, converged=violation <= tol
    )


def _decisions(
    beta: np.ndarray, base: np.ndarray | Samples, kernel: Kernel
) -> tuple[np.ndarray, float]:
    """Return K beta, and how much of it rounding may be."""
    used = np.flatnonzero(beta)
    f, size = np.zeros(len(beta)), 0.0
    rows = max(1, _BLOCK // max(len(used), 1))
    for i in range(0, len(beta), rows):
        K = kernel.from_base(some_bases(base, slice(i, i + rows), used))
        # not through BLAS, whose last digits depend on its threads
        f[i : i + rows] = np.einsum("ij,j->i", K, beta[used])
        sizes = np.einsum("ij,j->i", np.abs(K), np.abs(beta[used]))
        size = max(size, float(sizes.max()))
    return f, _EPS * (2.0 + kernel.growth) * size
