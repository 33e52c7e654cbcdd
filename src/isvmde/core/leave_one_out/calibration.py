"""From averaged decisions to probabilities: where the i-SVM's margins return.

The decision of a pair is m = sum_s w_s tanh f_s, brought back to the scale of f by
g = artanh m. P(+ | x) = 1/(1 + exp(-(a g + b))) is fitted to leave-one-out decisions.
By `dual.to_c_svc` scaling by a and shifting by b is what margins do: they are
lambda1 = a + b and lambda2 = a - b in the units of g, learned out of sample.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from ..pairs import confidence

LARGEST_MEAN = 0.999  # |m|, where artanh is still a number
PLAIN_SCALE = 2.0  # a of a pair that says nothing: log odds are 2 artanh of a mean
_STEPS = 50
_sum = np.add.reduce  # np.sum without its wrapping: vectors are short here


def to_margin_scale(m: np.ndarray) -> np.ndarray:
    """Return g = artanh m."""
    return np.arctanh(np.clip(m, -LARGEST_MEAN, LARGEST_MEAN))


class PairValues(NamedTuple):
    """Leave-one-out g of a pair's own rows, those of + first, and their weights."""

    g: np.ndarray
    n_pos: int
    weight: np.ndarray

    @property
    def label(self) -> np.ndarray:
        """1 for + and -1 for - rows."""
        return np.where(np.arange(len(self.g)) < self.n_pos, 1.0, -1.0)

    @property
    def sizes(self) -> tuple[float, float]:
        """Summed weights of + and -."""
        return float(self.weight[: self.n_pos].sum()), float(
            self.weight[self.n_pos :].sum()
        )

    @property
    def share(self) -> np.ndarray:
        """Weights of the rows, both classes adding up to the smaller one's."""
        pos, neg = self.sizes
        return np.where(self.label > 0, min(1.0, neg / pos), min(1.0, pos / neg)) * (
            self.weight
        )


def fit_margins(
    pairs: Sequence[PairValues], penalty: float, common: float = 1.0
) -> np.ndarray:
    """Return the margins a + b and a - b of every pair.

    A tiny class says little about its pair's calibration, and what it says is too
    pessimistic: left out, a third of its samples may be gone. All pairs together know
    how sharp decisions are, and how far they have to be moved towards the smaller
    class (``common`` keeps that near a plain SVM); each pair is fitted with a penalty
    on the distance from it.
    """
    uneven = [float(len(set(pair.sizes)) == 2) for pair in pairs]
    a, b = _logistic(
        np.concatenate([pair.g for pair in pairs]),
        np.concatenate([pair.label for pair in pairs]),
        np.concatenate([pair.share for pair in pairs]),
        common,
        (PLAIN_SCALE, 0.0),
        np.repeat(uneven, [len(pair.g) for pair in pairs]),
    )
    a = max(a, 0.0)
    fitted = [
        fit_calibration(*pair, penalty, (a, b * moved))
        for pair, moved in zip(pairs, uneven, strict=True)
    ]
    return np.array([(a + b, a - b) for a, b in fitted])


def fit_calibration(
    g: np.ndarray,
    n_pos: int,
    weight: np.ndarray,
    penalty: float,
    centre: tuple[float, float] = (PLAIN_SCALE, 0.0),
) -> tuple[float, float]:
    """Return (a, b) of one pair, a >= 0, from leave-one-out values ``g``.

    Logistic regression with both classes at the weight of the smaller one, and with
    penalty/2 times the squared distance from ``centre``.

    Examples
    --------
    >>> import numpy as np
    >>> a, b = fit_calibration(np.array([2.0, 2.0, -2.0, -2.0]), 2, np.ones(4), 1.0)
    >>> round(a, 2), round(abs(b), 2)
    (2.11, 0.0)
    """
    pair = PairValues(g, n_pos, weight)
    label, share, ones = pair.label, pair.share, np.ones(len(g))
    a, b = _logistic(g, label, share, penalty, centre, ones)
    if a < 0.0:  # margins do not turn a decision round
        flat = (0.0, centre[1])
        _, b = _logistic(np.zeros_like(g), label, share, penalty, flat, ones)
        a = 0.0
    return a, b


def _logistic(
    g: np.ndarray,
    y: np.ndarray,
    share: np.ndarray,
    penalty: float,
    centre: tuple[float, float],
    h: np.ndarray,
) -> tuple[float, float]:
    """Minimise the penalised logistic loss of a g + b h over (a, b) by Newton's method.

    Steps are halved until the loss falls, so the convex problem is always solved.
    """

    def loss(a: float, b: float) -> float:
        fit = float(_sum(share * np.logaddexp(0.0, -y * (a * g + b * h))))
        distance = (a - centre[0]) ** 2 + (b - centre[1]) ** 2
        return fit + 0.5 * penalty * distance

    a, b = centre
    value = loss(a, b)
    for _ in range(_STEPS):
        p = confidence(a * g + b * h)
        wrong = share * (p - 0.5 - 0.5 * y)
        curve = share * p * (1.0 - p)
        # sums, not BLAS products, whose bits depend on its threads
        slope_a = _sum(wrong * g) + penalty * (a - centre[0])
        slope_b = _sum(wrong * h) + penalty * (b - centre[1])
        h_aa, h_ab = _sum(curve * g * g) + penalty, _sum(curve * g * h)
        h_bb = _sum(curve * h * h) + penalty
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
