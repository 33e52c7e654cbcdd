"""Problems (D) to solve, and a slow general solver to compare with."""

from __future__ import annotations

import warnings
from dataclasses import dataclass

import numpy as np
from scipy.optimize import minimize

from isvmde.core import dual
from isvmde.core.kernels import dot_products, squared_distances
from isvmde.core.solver import LINEAR, POLY, RBF, DualSolution, solve_dual
from isvmde.core.solver.compilation import compiled


def called_from_python(part):
    """Return a part of compiled code as Python may call it."""
    return compiled(part.py_func)


NAMES = {LINEAR: "linear", RBF: "rbf", POLY: "poly"}


@dataclass(frozen=True)
class Problem:
    """Samples with labels, margins, boxes and a kernel."""

    X: np.ndarray
    y: np.ndarray
    margin: np.ndarray
    U: np.ndarray
    kernel: int = LINEAR
    parameter: float = 0.0

    @property
    def base(self) -> np.ndarray:
        """What the solver makes Gram rows of."""
        if self.kernel == RBF:
            return squared_distances(self.X)
        return dot_products(self.X)

    @property
    def K(self) -> np.ndarray:
        """The Gram matrix, in plain NumPy."""
        if self.kernel == RBF:
            return np.exp(-self.parameter * self.base)
        if self.kernel == POLY:
            return (1.0 + self.base) ** int(self.parameter)
        return self.base

    def solve(self, tol: float = 1e-10, **options) -> DualSolution:
        """Solve with the fast solver."""
        return solve_dual(
            self.base,
            self.y,
            self.margin,
            self.U,
            kernel=self.kernel,
            parameter=self.parameter,
            tol=tol,
            **options,
        )


def two_clouds(
    seed: int, n_pos: int, n_neg: int, features: int = 2, distance: float = 1.0
) -> tuple[np.ndarray, np.ndarray]:
    """Return samples in about [-1, 1] and labels; classes overlap, + comes first."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n_pos + n_neg, features)) / 2.0
    X[:n_pos] += distance / 2.0
    return X, np.repeat([1.0, -1.0], [n_pos, n_neg])


def assert_optimal(problem: Problem, solution: DualSolution, tol: float) -> None:
    """Judge a solution by `dual.py`: feasible, KKT within tol, gap as small."""
    alpha, y, U, K = solution.alpha, problem.y, problem.U, problem.K
    arguments = (alpha, y, problem.margin, U, K)
    # rounding of v: the terms of its sum are of this size
    size = np.abs(problem.margin).max() + np.abs(K) @ alpha
    rounding = 1e-12 * float(size.max())
    assert np.all(np.isfinite(alpha))
    assert np.isfinite(solution.b)
    assert np.all(alpha >= 0.0)
    assert np.all(alpha <= U)
    assert abs(y @ alpha) <= 1e-12 * max(U.sum(), 1e-300)
    assert solution.converged
    assert solution.violation <= tol
    assert dual.kkt_violation(*arguments) <= tol + rounding
    np.testing.assert_allclose(
        solution.f, dual.decision(alpha, y, solution.b, K), atol=10 * rounding, rtol=0
    )
    np.testing.assert_allclose(
        solution.b, dual.intercept(*arguments), atol=tol + rounding, rtol=0
    )
    # every sample's share of the gap is at most its box times its KKT violation
    gap = dual.duality_gap(alpha, solution.b, y, problem.margin, U, K)
    assert -rounding * U.sum() <= gap <= (tol + rounding) * U.sum()


def general_qp(problem: Problem) -> np.ndarray:
    """Return multipliers by SciPy's SLSQP, for problems of at most thirty samples."""
    y, U, K, margin = problem.y, problem.U, problem.K, problem.margin
    Q = np.outer(y, y) * K
    scale = float(U.max())  # in units of the largest box
    largest = max(scale * scale * np.abs(Q).max(), scale * margin.max())
    with warnings.catch_warnings():
        # older SciPy tells when a step leaves its bounds by a rounding
        warnings.filterwarnings("ignore", "Values in x were outside bounds")
        result = minimize(
            lambda a: (0.5 * a @ Q @ a * scale**2 - scale * margin @ a) / largest,
            np.zeros(len(y)),
            jac=lambda a: (Q @ a * scale**2 - scale * margin) / largest,
            bounds=[(0.0, u / scale) for u in U],
            constraints={"type": "eq", "fun": lambda a: y @ a, "jac": lambda a: y},
            method="SLSQP",
            options={"ftol": 1e-16, "maxiter": 1000},
        )
    return np.clip(scale * result.x, 0.0, U)


def optimal_intercepts(problem: Problem, alpha: np.ndarray) -> tuple[float, float]:
    """Return the interval of b that minimises the primal for the w of ``alpha``.

    The hinge losses are piecewise linear in b, with corners y_i m_i - w.phi_i.
    """
    y, margin = problem.y, problem.margin
    g = problem.K @ (y * alpha)
    corners = np.sort(y * margin - g)
    slack = np.maximum(margin - y * (g + corners[:, None]), 0.0)
    loss = slack @ problem.U
    best = corners[loss <= loss.min() + 1e-7 * (1.0 + loss.min())]
    return float(best.min()), float(best.max())


def without_group(
    problem: Problem, alpha: np.ndarray, f: np.ndarray, group: np.ndarray
) -> np.ndarray:
    """Return f of the group's rows if the free rows outside take over its multipliers.

    Those are moved by ``change``, whose sum is what leaves, and b by ``shift``, so that
    f of the free rows stays what it is.
    """
    K, beta = problem.K, problem.y * alpha
    free = (alpha > 0.0) & (alpha < problem.U) & ~group
    n_free = int(free.sum())
    system = np.zeros((n_free + 1, n_free + 1))
    system[:n_free, :n_free] = K[np.ix_(free, free)]
    system[:n_free, n_free] = system[n_free, :n_free] = 1.0
    leaves = np.append(K[np.ix_(free, group)] @ beta[group], beta[group].sum())
    solution = np.linalg.lstsq(system, leaves, rcond=1e-13)[0]
    change, shift = solution[:n_free], solution[n_free]
    arrives = K[np.ix_(group, free)] @ change + shift
    return np.asarray(f[group] - K[np.ix_(group, group)] @ beta[group] + arrives)
