"""Solve one dual with arbitrary per-sample margins and boxes, from Python."""

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from .compilation import compiled
from .compiled_kernels import LINEAR
from .doors import check_problem
from .problem import MATRIX, Source, Workspace, make_workspace
from .solve import solve


class Samples(NamedTuple):
    """Samples between which a kernel's base is computed when the solver asks for it."""

    features: np.ndarray  # (d, n): a row for every feature
    kind: int  # DOT, DISTANCE or MINIMUM


@dataclass(frozen=True)
class DualSolution:
    """What the solver found for problem (D)."""

    alpha: np.ndarray  # multipliers a_i, 0 <= a_i <= U_i
    b: float
    f: np.ndarray  # decision values on the training samples
    violation: float  # of the KKT conditions, in units of f
    converged: bool  # whether it is at most the tolerance
    steps: int  # SMO steps and pivots taken


@compiled
def _solve_one(
    source: Source, work: Workspace, n: int, tol: float, max_steps: int, warm: int
) -> tuple[int, float, int, float]:
    """Call `solve` without a factor for its own sake."""
    return solve(source, work, n, tol, max_steps, np.int64(-1), warm)


def step_limit(max_iter: int, n: int) -> int:
    """Return the bound on steps for ``n`` samples; -1 means our own."""
    return 10_000 + 100 * n if max_iter < 0 else max_iter


def solve_dual(
    base: np.ndarray | Samples,
    y: np.ndarray,
    margin: np.ndarray,
    U: np.ndarray,
    *,
    kernel: int = LINEAR,
    parameter: float = 0.0,
    tol: float = 1e-3,
    max_iter: int = -1,
    alpha: np.ndarray | None = None,
    work: Workspace | None = None,
) -> DualSolution:
    """Solve max m'a - a'Qa/2, Q_ij = y_i y_j K_ij, y'a = 0, 0 <= a <= U.

    ``base`` is the (n, n) Gram matrix (kernel LINEAR), dot products (POLY) or squared
    distances (RBF, parameter gamma); or the samples to compute them from, of which no
    matrix is kept. ``alpha`` is a feasible start, ``work`` memory to use again.

    Examples
    --------
    >>> import numpy as np
    >>> x = np.array([[0.0], [2.0]])
    >>> solution = solve_dual(x @ x.T, np.array([-1, 1]), np.ones(2), np.full(2, 9.0))
    >>> solution.alpha, solution.b
    (array([0.5, 0.5]), -1.0)
    """
    n = len(y)
    work = make_workspace(n) if work is None else work
    y, margin, U = (np.asarray(values, float) for values in (y, margin, U))
    base, kind = base if isinstance(base, Samples) else (base, MATRIX)
    # one layout, so that one compiled version serves all input
    base = np.require(base, float, ["C", "W"])
    given = (y, margin, U) if alpha is None else (y, margin, U, alpha)
    check_problem(
        base=base, kind=kind, kernel=kernel, n=n, vectors=given, room=len(work.t)
    )
    work.t[:n] = y * margin
    work.lo[:n] = np.where(y > 0, 0.0, -U)
    work.hi[:n] = np.where(y > 0, U, 0.0)
    if alpha is not None:
        work.beta[:n] = y * alpha
    source = Source(base, int(kind), 0, n, 0, 0, int(kernel), float(parameter))
    most, warm = step_limit(max_iter, n), int(alpha is not None)
    steps, violation, _, b = _solve_one(source, work, n, float(tol), most, warm)
    f = work.t[:n] - work.v[:n] + b
    # what left the range of numbers is not solved, whatever ended the steps
    violation = max(float(violation), 0.0) if np.isfinite(f).all() else np.inf
    multipliers = np.abs(work.beta[:n])
    return DualSolution(multipliers, b, f, violation, violation <= tol, int(steps))
