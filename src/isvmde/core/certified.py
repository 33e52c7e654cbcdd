"""Solve a dual, and measure again how well where digits may have been lost.

The solver follows the gradient v = t - K beta step by step, and with large kernel
values the rounding adds up. Where that is possible, v is computed anew from the
solution, and the solver goes on from there as long as digits are left for it.
"""

from dataclasses import replace

import numpy as np

from .arrays import Floats
from .dual import intercept_from, violation_from
from .kernels import Kernel, largest_base, some_bases
from .limits import check_products
from .solver import DualSolution, Samples, solve_dual
from .solver.problem import Workspace

_EPS = float(np.finfo(float).eps)
_RISK = 0.05  # share of the tolerance that rounding may take unseen
_ROUNDS = 3
_BLOCK = 4_000_000  # kernel values computed at a time


def solve_certified(
    base: Floats | Samples,
    y: Floats,
    margin: Floats,
    U: Floats,
    *,
    kernel: Kernel,
    tol: float,
    max_iter: int,
    work: Workspace,
    alpha: Floats | None = None,
) -> DualSolution:
    """Solve as `solve_dual` does; the violation holds where digits are lost, too.

    ``kernel`` is a function of the base that is given, whatever that is.
    """

    def solve_from(start: Floats | None) -> DualSolution:
        return solve_dual(
            base,
            y,
            margin,
            U,
            kernel=kernel.function,
            parameter=kernel.parameter,
            tol=tol,
            max_iter=max_iter,
            alpha=start,
            work=work,
        )

    largest = largest_base(base)
    check_products(
        largest,
        kernel.function,
        kernel.parameter,
        cost=float(U.max(initial=0.0)),
        n=len(y),
    )
    solution = solve_from(alpha)
    steps = solution.steps + len(solution.alpha)
    # about how far rounding may have taken v from the truth
    drift = _EPS * steps * kernel.largest(largest)
    if drift * float(solution.alpha.max(initial=0.0)) <= _RISK * tol:
        return solution
    for _ in range(_ROUNDS):
        f, rounding = _decisions(solution.alpha * y, base, kernel)
        v = y * margin - f
        violation = violation_from(v, solution.alpha, y, U)
        stopped = work.stop[0] != 0
        if violation <= tol or rounding > tol or stopped:
            break
        again = solve_from(solution.alpha)
        solution = replace(again, steps=again.steps + solution.steps)
    b = intercept_from(v, solution.alpha, y, U)
    return replace(
        solution, b=b, f=f + b, violation=violation, converged=violation <= tol
    )


def _decisions(
    beta: Floats, base: Floats | Samples, kernel: Kernel
) -> tuple[Floats, float]:
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
