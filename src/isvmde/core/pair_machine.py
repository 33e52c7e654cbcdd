"""One binary machine, trained and deciding: the i-SVM's and the baselines'."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from .certified import solve_certified
from .dual import defines_svm, to_c_svc
from .kernels import Kernel, base_for_solver, make_kernel
from .limits import bounded_rows, check_values
from .solver import SUPPORT, make_workspace
from .views import RANKS, VALUES

_BLOCK = 4_000_000  # kernel values computed at a time when deciding


@dataclass(frozen=True)
class PairMachine:
    """f(x) = sum_i beta_i K(x_i, x) + b over the support vectors x_i of one pair."""

    support: np.ndarray  # which of the rows trained on
    beta: np.ndarray  # y_i a_i
    b: float
    n_support: float  # summed weight of the support vectors
    violation: float
    converged: bool
    steps: int


def is_support(beta: np.ndarray, U: np.ndarray) -> np.ndarray:
    """Tell which rows are support vectors, by multipliers y_i a_i and boxes."""
    a = np.abs(beta)
    return np.asarray(a > SUPPORT * np.minimum(U, a.max(initial=0.0)))


def decide(
    kernel: Kernel, vectors: np.ndarray, beta: np.ndarray, b: float, X: np.ndarray
) -> np.ndarray:
    """Return f for the rows of X, in blocks that bound the memory."""
    if len(beta) == 0:
        return np.full(len(X), b)
    largest = float(np.abs(vectors).max(initial=0.0))
    X = bounded_rows(X, kernel, largest, float(np.abs(beta).sum()))
    rows = max(1, _BLOCK // len(beta))
    parts = [
        kernel.between(X[i : i + rows], vectors) @ beta + b
        for i in range(0, len(X), rows)
    ]
    return np.concatenate(parts) if parts else np.zeros(0)


@dataclass(frozen=True)
class PairSettings:
    """The i-SVM of one pair: costs C*C_pos, C*C_neg, margins, kernel."""

    C: float = 1.0
    C_pos: float = 1.0
    C_neg: float = 1.0
    margin_pos: float = 1.0
    margin_neg: float = 1.0
    kernel: str = "rbf"
    sigma: float = 1.0
    degree: int = 3
    ranks: bool = False  # whether the kernel sees the features' ranks

    def to_dict(self) -> dict[str, Any]:
        """Return the settings by name."""
        return dict(vars(self))

    @property
    def constraints(self) -> tuple[float, float, float, float]:
        """Costs and margins of the two classes."""
        costs = self.C * self.C_pos, self.C * self.C_neg
        return (*costs, self.margin_pos, self.margin_neg)

    @property
    def for_solver(self) -> Kernel:
        """The kernel as the solver takes it."""
        return make_kernel(self.kernel, self.sigma, self.degree)

    @property
    def view(self) -> str:
        """What the kernel sees of the features."""
        return RANKS if self.ranks else VALUES


def train_isvm(
    X: np.ndarray,
    n_pos: int,
    weight: np.ndarray,
    cost_factor: np.ndarray,
    settings: PairSettings,
    *,
    tol: float,
    max_iter: int,
    stop: np.ndarray | None = None,
) -> PairMachine:
    """Train the i-SVM of a pair whose + samples are the first ``n_pos`` rows of X.

    X holds the rows as the kernel sees them. ``weight`` counts samples,
    ``cost_factor`` multiplies their costs beyond that (class weights). The flag
    ``stop`` ends it.
    """
    if not defines_svm(*settings.constraints):
        # w = 0 is optimal; f = c says nothing but which margin is larger
        shift = 0.5 * (settings.margin_pos - settings.margin_neg)
        none = np.zeros(0)
        return PairMachine(none.astype(int), none, shift, 0.0, 0.0, True, 0)
    standard = to_c_svc(*settings.constraints)
    n = len(X)
    y = np.where(np.arange(n) < n_pos, 1.0, -1.0)
    # the same products in the same order as the batch solver: the same bits
    with np.errstate(over="ignore"):  # refused below
        U = np.where(y > 0, standard.U_pos, standard.U_neg) * (weight * cost_factor)
    kernel = settings.for_solver
    check_values(X)
    solution = solve_certified(
        base_for_solver(kernel.base, X),
        y,
        np.ones(n),
        U,
        kernel=kernel.function,
        parameter=kernel.parameter,
        tol=tol,
        max_iter=max_iter,
        work=make_workspace(n, stop),
    )
    beta = y * solution.alpha
    support = np.flatnonzero(is_support(beta, U))
    return PairMachine(
        support,
        standard.scale * beta[support],
        standard.scale * solution.b + standard.shift,
        float(weight[support].sum()),
        standard.scale * solution.violation,
        solution.converged,
        solution.steps,
    )
