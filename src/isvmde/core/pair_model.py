"""One trained i-SVM: a pair of classes, its settings, its support vectors."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from .dual import defines_svm, to_c_svc
from .kernels import (
    KERNELS,
    dot_products,
    gram,
    kernel_parameter,
    squared_distances,
)
from .solver import LINEAR, RBF, solve_dual

_SUPPORT = 1e-8  # a_i > 1e-8 min(U_i, largest a) makes a support vector
_BLOCK = 4_000_000  # Gram entries computed at a time when predicting


@dataclass(frozen=True)
class PairSettings:
    """The i-SVM of one pair: costs C*C_pos, C*C_neg, margins, kernel.

    ``ranks`` says that the kernel sees the features' ranks. Whoever trains or asks the
    machine then gives it ranks: nothing here looks at it.
    """

    C: float = 1.0
    C_pos: float = 1.0
    C_neg: float = 1.0
    margin_pos: float = 1.0
    margin_neg: float = 1.0
    kernel: str = "rbf"
    sigma: float = 1.0
    degree: int = 3
    ranks: bool = False

    def to_dict(self) -> dict[str, Any]:
        """Return the settings by name."""
        return asdict(self)

    @property
    def is_degenerate(self) -> bool:
        """Whether the settings define no SVM: no margin, or a class without cost."""
        return not defines_svm(
            self.C * self.C_pos, self.C * self.C_neg, self.margin_pos, self.margin_neg
        )

    @property
    def solver_kernel(self) -> tuple[int, float]:
        """Kernel code and parameter; 1 + x'z has the solution of x'z."""
        if self.kernel == "poly" and self.degree == 1:
            return LINEAR, 0.0
        parameter = kernel_parameter(self.kernel, self.sigma, self.degree)
        return KERNELS[self.kernel], parameter


@dataclass(frozen=True)
class PairModel:
    """f(x) = sum_i beta_i K(x_i, x) + b over the support vectors x_i of one pair."""

    support: np.ndarray  # rows of the training set
    beta: np.ndarray  # y_i a_i
    b: float
    n_support: int  # summed weight of the support vectors
    violation: float
    converged: bool
    steps: int


# (X, y, U, settings, tol, max_iter) -> (beta, b, violation, converged, steps)
LargeSolver = Callable[..., tuple[np.ndarray, float, float, bool, int]]


def fit_pair(
    X: np.ndarray,
    n_pos: int,
    weight: np.ndarray,
    cost_factor: np.ndarray,
    settings: PairSettings,
    *,
    tol: float,
    max_iter: int,
    largest: int,
    solve_large: LargeSolver,
) -> PairModel:
    """Train the i-SVM of a pair whose + samples are the first ``n_pos`` rows of X.

    ``weight`` counts samples, ``cost_factor`` multiplies their costs beyond that
    (class weights). Pairs of more than ``largest`` rows go through ``solve_large``.
    """
    n = len(X)
    y = np.where(np.arange(n) < n_pos, 1.0, -1.0)
    if settings.is_degenerate:
        # w = 0 is optimal; f = c says nothing but which margin is larger
        shift = 0.5 * (settings.margin_pos - settings.margin_neg)
        none = np.zeros(0)
        return PairModel(none.astype(int), none, shift, 0, 0.0, True, 0)
    standard = to_c_svc(
        settings.C * settings.C_pos,
        settings.C * settings.C_neg,
        settings.margin_pos,
        settings.margin_neg,
    )
    # the same products in the same order as the batch solver: the same bits
    U = np.where(y > 0, standard.U_pos, standard.U_neg) * (weight * cost_factor)
    if n > largest:
        beta, b, violation, converged, steps = solve_large(
            X, y, U, settings, tol, max_iter
        )
    else:
        kernel, parameter = settings.solver_kernel
        base = squared_distances(X) if kernel == RBF else dot_products(X)
        solution = solve_dual(
            base,
            y,
            np.ones(n),
            U,
            kernel=kernel,
            parameter=parameter,
            tol=tol,
            max_iter=max_iter,
        )
        beta, b = y * solution.alpha, solution.b
        violation, converged = solution.violation, solution.converged
        steps = solution.steps
    support = np.flatnonzero(is_support(beta, U))
    return PairModel(
        support,
        standard.scale * beta[support],
        standard.scale * b + standard.shift,
        round(float(weight[support].sum())),
        standard.scale * violation,
        converged,
        steps,
    )


def is_support(beta: np.ndarray, U: np.ndarray) -> np.ndarray:
    """Tell which rows are support vectors, by multipliers y_i a_i and boxes."""
    a = np.abs(beta)
    return np.asarray(a > _SUPPORT * np.minimum(U, a.max()))


def pair_decision(
    settings: PairSettings,
    support_vectors: np.ndarray,
    beta: np.ndarray,
    b: float,
    X: np.ndarray,
) -> np.ndarray:
    """Return f(x) for the rows of X, in blocks that bound the memory."""
    if len(beta) == 0:
        return np.full(len(X), b)
    if settings.kernel == "linear":
        return np.asarray(X @ (support_vectors.T @ beta) + b)
    parameter = kernel_parameter(settings.kernel, settings.sigma, settings.degree)
    rows = max(1, _BLOCK // len(beta))
    parts = [
        gram(settings.kernel, parameter, X[i : i + rows], support_vectors) @ beta + b
        for i in range(0, len(X), rows)
    ]
    return np.concatenate(parts) if parts else np.zeros(0)
