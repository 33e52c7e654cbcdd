"""One binary machine, trained and deciding: the i-SVM's and the baselines'."""

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any, Self

import numpy as np

from .arrays import Bools, Floats, Ints
from .certified import solve_certified
from .dual import defines_svm, scale_and_shift, to_c_svc
from .kernels import Kernel, base_for_solver, make_kernel
from .limits import bounded_rows, check_values
from .solver import SUPPORT, make_workspace
from .views import RANKS, VALUES, Sight

_BLOCK = 4_000_000  # kernel values computed at a time when deciding


@dataclass(frozen=True)
class BinaryMachine:
    """f(x) = sum_i beta_i K(x_i, x) + b over its support vectors x_i."""

    support: Ints  # which of the rows trained on
    beta: Floats  # y_i a_i
    b: float
    n_support: float  # summed weight of the support vectors
    violation: float
    converged: bool
    steps: int


def is_support(beta: Floats, U: Floats, largest: Floats | None = None) -> Bools:
    """Tell which rows are support vectors, by multipliers y_i a_i and boxes.

    ``largest`` is the largest a_i of every row's machine, where there are several.
    """
    a = np.abs(beta)
    if largest is None:
        largest = a.max(initial=0.0)
    return np.asarray(a > SUPPORT * np.minimum(U, largest))


def decide(
    kernel: Kernel, vectors: Floats, beta: Floats, b: float, X: Floats
) -> Floats:
    """Return f for the rows of X, in blocks that bound the memory."""
    if len(beta) == 0:
        return np.full(len(X), b)
    largest = float(np.abs(vectors).max(initial=0.0))
    X = bounded_rows(X, kernel, largest, float(np.abs(beta).sum()))
    rows = max(1, _BLOCK // len(beta))
    # Not through BLAS: the last digits of a row would depend on the rows beside it.
    parts = [
        np.einsum("ij,j->i", kernel.between(X[i : i + rows], vectors), beta) + b
        for i in range(0, len(X), rows)
    ]
    return np.concatenate(parts) if parts else np.zeros(0)


@dataclass(frozen=True)
class ISVMSettings:
    """The i-SVM of a binary problem: costs C*C_pos and C*C_neg, margins, kernel."""

    C: float = 1.0
    C_pos: float = 1.0
    C_neg: float = 1.0
    margin_pos: float = 1.0
    margin_neg: float = 1.0
    kernel: str = "rbf"
    sigma: float = 1.0
    degree: int = 3
    ranks: bool = False  # whether the kernel sees the features' ranks

    @classmethod
    def from_dict(cls, settings: Mapping[str, Any]) -> Self:
        """Return settings from what `to_dict` made."""
        return cls(**settings)

    def to_dict(self) -> dict[str, Any]:
        """Return the settings by name."""
        return asdict(self)

    @property
    def U_pos(self) -> float:
        """Cost of a sample of +."""
        return self.C * self.C_pos

    @property
    def U_neg(self) -> float:
        """Cost of a sample of -."""
        return self.C * self.C_neg

    @property
    def defines_svm(self) -> bool:
        """Whether there is an SVM at all."""
        return bool(
            defines_svm(self.U_pos, self.U_neg, self.margin_pos, self.margin_neg)
        )

    @property
    def for_solver(self) -> Kernel:
        """The kernel as the solver takes it."""
        return make_kernel(self.kernel, self.sigma, self.degree)

    @property
    def view(self) -> str:
        """What the kernel sees of the features."""
        return RANKS if self.ranks else VALUES

    @property
    def sight(self) -> Sight:
        """What the kernel sees of the features."""
        return Sight(self.view, self.for_solver.base)


def train_isvm(
    X: Floats,
    n_pos: int,
    weight: Floats,
    cost_factor: Floats,
    settings: ISVMSettings,
    *,
    tol: float,
    max_iter: int,
    stop: Ints | None = None,
) -> BinaryMachine:
    """Train an i-SVM, the + samples of which are the first ``n_pos`` rows of X.

    X holds the rows as the kernel sees them. ``weight`` counts samples,
    ``cost_factor`` multiplies their costs beyond that (class weights). The flag
    ``stop`` ends it.
    """
    margin_pos, margin_neg = settings.margin_pos, settings.margin_neg
    if not settings.defines_svm:
        # w = 0 is optimal; f = c says nothing but which margin is larger
        return _constant_machine(scale_and_shift(margin_pos, margin_neg).shift)
    standard = to_c_svc(settings.U_pos, settings.U_neg, margin_pos, margin_neg)
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
        kernel=kernel,
        tol=tol,
        max_iter=max_iter,
        work=make_workspace(n, stop),
    )
    beta = y * solution.alpha
    support = np.flatnonzero(is_support(beta, U))
    return BinaryMachine(
        support=support,
        beta=standard.scale * beta[support],
        b=standard.scale * solution.b + standard.shift,
        n_support=float(weight[support].sum()),
        violation=standard.scale * solution.violation,
        converged=solution.converged,
        steps=solution.steps,
    )


def _constant_machine(b: float) -> BinaryMachine:
    """Return the machine that says b of every row."""
    return BinaryMachine(
        support=np.zeros(0, dtype=np.intp),
        beta=np.zeros(0),
        b=b,
        n_support=0.0,
        violation=0.0,
        converged=True,
        steps=0,
    )
