"""From averaged decisions to probabilities: where the i-SVM's margins return.

The decision of a pair is m = sum_s w_s tanh f_s, brought back to the scale of f by
g = artanh m. P(+ | x) = 1/(1 + exp(-(a g + b))) is fitted to leave-one-out decisions.
By `dual.to_c_svc` scaling by a and shifting by b is what margins do: they are
lambda1 = a + b and lambda2 = a - b in the units of g, learned out of sample.
"""

from __future__ import annotations

import numpy as np

from ..pairs import confidence

LARGEST_MEAN = 0.999  # |m|, where artanh is still a number
PLAIN_SCALE = 2.0  # a of a pair that says nothing: log odds are 2 artanh of a mean
_STEPS = 50


def to_margin_scale(m: np.ndarray) -> np.ndarray:
    """Return g = artanh m."""
    return np.arctanh(np.clip(m, -LARGEST_MEAN, LARGEST_MEAN))


def fit_calibration(
    g: np.ndarray, n_pos: int, weight: np.ndarray, penalty: float
) -> tuple[float, float]:
    """Return (a, b) of one pair, a >= 0, from leave-one-out values ``g``.

    Logistic regression with both classes at the weight of the smaller one, and with
    penalty/2 ((a - 2)^2 + b^2), which keeps tiny classes near a plain SVM.

    Examples
    --------
    >>> import numpy as np
    >>> a, b = fit_calibration(np.array([2.0, 2.0, -2.0, -2.0]), 2, np.ones(4), 1.0)
    >>> round(a, 2), round(abs(b), 2)
    (2.03, 0.0)
    """
    y = np.where(np.arange(len(g)) < n_pos, 1.0, -1.0)
    pos, neg = weight[:n_pos].sum(), weight[n_pos:].sum()
    share = weight * (min(pos, neg) / np.where(y > 0, pos, neg))
    a, b = _logistic(g, y, share, penalty, PLAIN_SCALE)
    if a < 0.0:  # margins do not turn a decision round
        _, b = _logistic(np.zeros_like(g), y, share, penalty, 0.0)
        a = 0.0
    return a, b


def _logistic(
    g: np.ndarray, y: np.ndarray, share: np.ndarray, penalty: float, centre: float
) -> tuple[float, float]:
    """Minimise the penalised logistic loss over (a, b) by Newton's method.

    Steps are halved until the loss falls, so the convex problem is always solved.
    """

    def loss(a: float, b: float) -> float:
        fit = float(np.sum(share * np.logaddexp(0.0, -y * (a * g + b))))
        return fit + 0.5 * penalty * ((a - centre) ** 2 + b * b)

    a, b = centre, 0.0
    value = loss(a, b)
    for _ in range(_STEPS):
        p = confidence(a * g + b)
        wrong = share * (p - 0.5 - 0.5 * y)
        curve = share * p * (1.0 - p)
        # sums, not BLAS products, whose bits depend on its threads
        slope_a = np.sum(wrong * g) + penalty * (a - centre)
        slope_b = np.sum(wrong) + penalty * b
        h_aa, h_ab = np.sum(curve * g * g) + penalty, np.sum(curve * g)
        h_bb = np.sum(curve) + penalty
        determinant = h_aa * h_bb - h_ab * h_ab
        step_a = (h_bb * slope_a - h_ab * slope_b) / determinant
        step_b = (h_aa * slope_b - h_ab * slope_a) / determinant
        length = 1.0
        while length > 1e-10:
            new = loss(a - length * step_a, b - length * step_b)
            if new <= value:
                break
            length *= 0.5
        else:
            break
        a, b = float(a - length * step_a), float(b - length * step_b)
        gained, value = value - new, new
        if gained <= 1e-12 * (1.0 + abs(value)):
            break
    return a, b
