"""Problem (D) in plain NumPy: the mathematics, and the judge of the fast solver.

    max_a  m'a - a'Qa/2    s.t.  y'a = 0,  0 <= a <= U,   Q_ij = y_i y_j K_ij     (D)

    primal  |w|^2/2 + sum U_i xi_i,   y_i (w.phi_i + b) >= m_i - xi_i,  xi_i >= 0
    f(x) = sum_i a_i y_i K(x_i, x) + b

Every SVM of this library is a choice of margins m, boxes U and Gram matrix K. i-SVM
has m = lambda1 on + and lambda2 on -, and because y'a = 0 that is only a scale and a
shift of a C-SVC (`to_c_svc`).
"""

from typing import Generic, NamedTuple, TypeVar

import numpy as np
from numpy.typing import ArrayLike

DEGENERATE = 1e-6  # margins or costs below this define no SVM


def objective(
    alpha: np.ndarray, y: np.ndarray, margin: np.ndarray, K: np.ndarray
) -> float:
    """Return the dual objective m'a - a'Qa/2."""
    beta = y * alpha
    return float(margin @ alpha - 0.5 * beta @ K @ beta)


def gradient(
    alpha: np.ndarray, y: np.ndarray, margin: np.ndarray, K: np.ndarray
) -> np.ndarray:
    """Return m - Qa."""
    return np.asarray(margin - y * (K @ (y * alpha)))


def decision(alpha: np.ndarray, y: np.ndarray, b: float, K: np.ndarray) -> np.ndarray:
    """Return f on the training samples."""
    return np.asarray(K @ (y * alpha) + b)


def _interval(
    v: np.ndarray, alpha: np.ndarray, y: np.ndarray, U: np.ndarray
) -> tuple[float, float]:
    """Return (max over I_up, min over I_low) of v = y (m - Qa)."""
    up = np.where(y > 0, alpha < U, alpha > 0)
    low = np.where(y > 0, alpha > 0, alpha < U)
    return (
        float(v[up].max()) if up.any() else -np.inf,
        float(v[low].min()) if low.any() else np.inf,
    )


def violation_from(
    v: np.ndarray, alpha: np.ndarray, y: np.ndarray, U: np.ndarray
) -> float:
    """Return the violation of the KKT conditions, given v = y (m - Qa)."""
    highest, lowest = _interval(v, alpha, y, U)
    return max(highest - lowest, 0.0)


def intercept_from(
    v: np.ndarray, alpha: np.ndarray, y: np.ndarray, U: np.ndarray
) -> float:
    """Return the intercept, given v = y (m - Qa)."""
    free = (alpha > 0) & (alpha < U)
    if free.any():
        return float(v[free].mean())
    highest, lowest = _interval(v, alpha, y, U)
    if np.isinf(highest) and np.isinf(lowest):
        return 0.0
    if np.isinf(highest) or np.isinf(lowest):
        return lowest if np.isinf(highest) else highest
    return 0.5 * (highest + lowest)


def kkt_violation(
    alpha: np.ndarray, y: np.ndarray, margin: np.ndarray, U: np.ndarray, K: np.ndarray
) -> float:
    """Return how far the KKT conditions are missed, in units of f; 0 at the optimum.

    LIBSVM's stopping quantity: the largest gain in b that one sample asks for minus
    the smallest that another allows.
    """
    return violation_from(y * gradient(alpha, y, margin, K), alpha, y, U)


def intercept(
    alpha: np.ndarray, y: np.ndarray, margin: np.ndarray, U: np.ndarray, K: np.ndarray
) -> float:
    """Mean over free support vectors, else the middle of the allowed interval."""
    return intercept_from(y * gradient(alpha, y, margin, K), alpha, y, U)


def duality_gap(
    alpha: np.ndarray,
    b: float,
    y: np.ndarray,
    margin: np.ndarray,
    U: np.ndarray,
    K: np.ndarray,
) -> float:
    """Return primal minus dual objective: 0 exactly at the optimum, else positive."""
    beta = y * alpha
    slack = np.maximum(margin - y * decision(alpha, y, b, K), 0.0)
    primal = 0.5 * beta @ K @ beta + U @ slack
    return float(primal - objective(alpha, y, margin, K))


Number = TypeVar("Number", float, np.ndarray)


class CSVC(NamedTuple, Generic[Number]):
    """The C-SVC behind an i-SVM: f = scale * f_std + shift."""

    U_pos: Number
    U_neg: Number
    scale: Number
    shift: Number


class ScaleAndShift(NamedTuple, Generic[Number]):
    """What margins do to a decision: f = scale * f_std + shift."""

    scale: Number  # A
    shift: Number  # c


def scale_and_shift(margin_pos: Number, margin_neg: Number) -> ScaleAndShift[Number]:
    """Return A = (lambda1 + lambda2)/2 and c = (lambda1 - lambda2)/2: f = A f_std + c.

    Examples
    --------
    >>> scale_and_shift(1.0, 0.5)
    ScaleAndShift(scale=0.75, shift=0.25)
    """
    return ScaleAndShift(
        scale=0.5 * (margin_pos + margin_neg), shift=0.5 * (margin_pos - margin_neg)
    )


def to_c_svc(
    U_pos: Number, U_neg: Number, margin_pos: Number, margin_neg: Number
) -> CSVC[Number]:
    """Return costs of the standard SVM whose solution gives the i-SVM's.

    For feasible a the two classes' multipliers have the same sum, so the linear term
    of (D) is A sum(a): a = A a_std solves it with the costs U/A, and f = A f_std + c,
    see `scale_and_shift`.

    Examples
    --------
    >>> to_c_svc(10.0, 5.0, 1.0, 0.5)
    CSVC(U_pos=13.333333333333334, U_neg=6.666666666666667, scale=0.75, shift=0.25)
    """
    scale, shift = scale_and_shift(margin_pos, margin_neg)
    return CSVC(U_pos=U_pos / scale, U_neg=U_neg / scale, scale=scale, shift=shift)


def defines_svm(
    U_pos: ArrayLike, U_neg: ArrayLike, margin_pos: ArrayLike, margin_neg: ArrayLike
) -> np.ndarray:
    """Tell whether there is an SVM at all: a margin, and a cost of either class."""
    scale = scale_and_shift(np.asarray(margin_pos), np.asarray(margin_neg)).scale
    costs = np.minimum(U_pos, U_neg)
    return np.asarray((scale >= DEGENERATE) & (costs >= DEGENERATE))
