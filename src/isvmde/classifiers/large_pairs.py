"""Pairs too large for a matrix of all distances: SVC, or SMO with a row cache."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
from sklearn.exceptions import ConvergenceWarning
from sklearn.svm import SVC

from isvmde.core.background import run_in_background
from isvmde.core.kernels import Kernel
from isvmde.core.solver import LINEAR, MINIMUM, RBF, solve_with_cache

# Above this many distinct rows a pair no longer fits comfortably: the solver keeps
# about 2.5 n^2 doubles, 320 MB at 4,000 rows.
LARGEST_PAIR = 4_000
_MOST_ITERATIONS = 1_000_000


def solve_with_svc(
    X: np.ndarray,
    y: np.ndarray,
    U: np.ndarray,
    kernel: Kernel,
    tol: float,
    max_iter: int,
    deadline: float | None = None,
) -> tuple[np.ndarray, float, float, bool, int]:
    """Solve a C-SVC with boxes ``U``; return (beta, b, violation, converged, steps).

    The result is that of the compiled solver within the tolerance; the memory is
    LIBSVM's row cache instead of n x n. After ``deadline`` (of `time.monotonic`) it
    raises `Stopped`.
    """
    free = np.array([(U[y > 0] > 0).any(), (U[y < 0] > 0).any()])
    if not free.all():  # a class without cost: all goes to the other, if it has any
        return np.zeros(len(X)), float(free @ [1.0, -1.0]), 0.0, True, 0
    most = _MOST_ITERATIONS if max_iter < 0 else max_iter
    if kernel.base == MINIMUM:  # SVC would keep all its values
        return _solve_here(X, y, U, kernel, tol, most, deadline)
    named: dict[str, Any]
    if kernel.function == RBF:
        named = {"kernel": "rbf", "gamma": kernel.parameter}
    elif kernel.function == LINEAR:
        named = {"kernel": "linear"}
    else:
        named = {
            "kernel": "poly",
            "degree": int(kernel.parameter),
            "gamma": 1.0,
            "coef0": 1.0,
        }
    svc = SVC(
        C=1.0,
        **named,
        tol=tol,
        max_iter=most,
        cache_size=200,
    )
    # LIBSVM reads the rows where they are and cannot be told to stop. Without numbers
    # in them no pair of samples violates a condition any more, and it ends.
    rows = np.array(X, order="C")

    def fit() -> np.ndarray:
        svc.fit(rows, y, sample_weight=U)
        return np.asarray(svc.decision_function(rows))

    # Here, not in `fit`: a thread left alone must not touch the filters any more.
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        f = run_in_background(fit, deadline, give_up=lambda: rows.fill(np.nan))
    beta = np.zeros(len(X))
    beta[svc.support_] = svc.dual_coef_[0]
    b = float(svc.intercept_[0])
    v = y - (f - b)
    rising = np.where(y > 0, beta < U, beta < 0)
    falling = np.where(y > 0, beta > 0, beta > -U)
    violation = max(float(v[rising].max() - v[falling].min()), 0.0)
    # fit_status_ is 1 where the iterations ended first
    return beta, b, violation, svc.fit_status_ == 0, int(np.sum(svc.n_iter_))


def _solve_here(
    X: np.ndarray,
    y: np.ndarray,
    U: np.ndarray,
    kernel: Kernel,
    tol: float,
    max_steps: int,
    deadline: float | None,
) -> tuple[np.ndarray, float, float, bool, int]:
    """Solve with our own SMO and a row cache."""
    stop = np.zeros(1, np.int64)
    solution = run_in_background(
        lambda: solve_with_cache(
            X,
            y,
            U,
            base=kernel.base,
            kernel=kernel.function,
            parameter=kernel.parameter,
            tol=tol,
            max_steps=max_steps,
            stop=stop,
        ),
        deadline,
        give_up=lambda: stop.fill(1),
    )
    beta = y * solution.alpha
    return beta, solution.b, solution.violation, solution.converged, solution.steps
