"""From average decisions to the margins of every pair, and to probabilities.

The decision of a pair is m = sum_s w_s tanh f_s, brought back to the scale of f by
g = artanh m. P(+ | x) = 1/(1 + exp(-(a g + b))) is fitted to decisions on rows left
out. By `dual.to_c_svc` scaling by a and shifting by b is what margins do: they are
lambda1 = a + b and lambda2 = a - b in the units of g, learned out of sample.
"""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from ..arrays import Floats, Ints
from ..decomposition.coupling import confidence, couple
from .weighing import Judges

SUREST = 0.999  # a pair's probability before coupling is at most this
LARGEST_MEAN = 0.999  # |m|, where artanh is still a number
_MOST_STEPS = 50  # of Newton's method
_sum = np.add.reduce  # np.sum without its wrapping: vectors are short here


class Calibration(NamedTuple):
    """Log odds a g + b of a pair."""

    a: float
    b: float


PLAIN = Calibration(2.0, 0.0)  # of a plain SVM: log odds are 2 artanh of a mean


class PairDecisions(NamedTuple):
    """Decisions g on rows of a pair, those of + first, and the rows' weights."""

    g: Floats
    n_plus: int
    weight: Floats

    @property
    def y(self) -> Floats:
        """1 for the rows of +, -1 for those of -."""
        return np.where(np.arange(len(self.g)) < self.n_plus, 1.0, -1.0)

    @property
    def size(self) -> tuple[float, float]:
        """Summed weights of + and of -."""
        plus, minus = self.weight[: self.n_plus], self.weight[self.n_plus :]
        return float(plus.sum()), float(minus.sum())

    @property
    def is_uneven(self) -> bool:
        """Whether one class is smaller than the other."""
        plus, minus = self.size
        return plus != minus

    @property
    def balanced_weight(self) -> Floats:
        """Weights that give both classes the smaller one's."""
        plus, minus = self.size
        share = np.where(self.y > 0, min(1.0, minus / plus), min(1.0, plus / minus))
        return np.asarray(share * self.weight)


def decisions_by_pair(m: Floats, judges: Judges) -> list[PairDecisions]:
    """Return what is known of every pair, from the mean decisions of its judges."""
    g = to_margin_scale(m)
    end = np.searchsorted(judges.pair, np.arange(judges.n_pairs), side="right")
    decisions, first = [], 0
    for last in end:
        own = slice(first, int(last))
        n_plus = int(judges.is_plus[own].sum())
        decisions.append(PairDecisions(g[own], n_plus, judges.weight[own]))
        first = int(last)
    return decisions


def losses(decisions: Sequence[PairDecisions], margins: Floats) -> Floats:
    """Return the log loss of every decision, (C,), classes counting the same."""
    result = []
    for own, (first, second) in zip(decisions, margins, strict=True):
        a, b = 0.5 * (first + second), 0.5 * (first - second)
        weight = own.balanced_weight / own.balanced_weight.sum()
        result.append(weight * np.logaddexp(0.0, -own.y * (a * own.g + b)))
    return np.concatenate(result)


def to_margin_scale(m: Floats) -> Floats:
    """Return g = artanh m."""
    return np.asarray(np.arctanh(np.clip(m, -LARGEST_MEAN, LARGEST_MEAN)))


def with_margins(m: Floats, margins: Floats) -> Floats:
    """Return a artanh m + b of every pair: its log odds out of sample."""
    scale = 0.5 * (margins[:, 0] + margins[:, 1])
    shift = 0.5 * (margins[:, 0] - margins[:, 1])
    return np.asarray(scale * to_margin_scale(m) + shift)


def coupled(F: Floats, pairs: Ints, n_classes: int) -> Floats:
    """Return class probabilities under equal priors from the pairs' log odds."""
    return couple(np.clip(confidence(F), 1.0 - SUREST, SUREST), pairs, n_classes)


def fit_margins(
    decisions: Sequence[PairDecisions], penalty: float, common: float
) -> Floats:
    """Return the margins a + b and a - b of every pair, (pairs, 2)."""
    # A tiny class says little about its pair's calibration, and too pessimistically:
    # left out, a third of it may be gone. All pairs together know how sharp decisions
    # are and how far they have to be moved towards the smaller class (``common`` keeps
    # that near a plain SVM); ``penalty`` keeps each pair near them.
    uneven = [float(own.is_uneven) for own in decisions]
    of_all = _fit_logistic(
        g=np.concatenate([own.g for own in decisions]),
        y=np.concatenate([own.y for own in decisions]),
        weight=np.concatenate([own.balanced_weight for own in decisions]),
        moved=np.repeat(uneven, [len(own.g) for own in decisions]),
        penalty=common,
        centre=PLAIN,
    )
    a = max(of_all.a, 0.0)
    fitted = [
        fit_calibration(own, penalty, Calibration(a, of_all.b * moves))
        for own, moves in zip(decisions, uneven, strict=True)
    ]
    return np.array([(one.a + one.b, one.a - one.b) for one in fitted])


def fit_calibration(
    own: PairDecisions, penalty: float, centre: Calibration = PLAIN
) -> Calibration:
    """Return (a, b), a >= 0, of one pair: a logistic regression near a centre."""
    ones = np.ones(len(own.g))
    weight = own.balanced_weight
    fitted = _fit_logistic(own.g, own.y, weight, ones, penalty, centre)
    if fitted.a >= 0.0:
        return fitted
    # margins do not turn a decision round
    flat = Calibration(0.0, centre.b)
    return _fit_logistic(0.0 * ones, own.y, weight, ones, penalty, flat)


def _fit_logistic(
    g: Floats,
    y: Floats,
    weight: Floats,
    moved: Floats,
    penalty: float,
    centre: Calibration,
) -> Calibration:
    """Minimise the penalised logistic loss of a g + b moved by Newton's method."""

    def loss(a: float, b: float) -> float:
        fit = float(_sum(weight * np.logaddexp(0.0, -y * (a * g + b * moved))))
        distance = (a - centre.a) ** 2 + (b - centre.b) ** 2
        return fit + 0.5 * penalty * distance

    a, b = centre
    value = loss(a, b)
    for _ in range(_MOST_STEPS):
        p = confidence(a * g + b * moved)
        wrong = weight * (p - 0.5 - 0.5 * y)
        curve = weight * p * (1.0 - p)
        # sums, not BLAS products, whose bits depend on its threads
        slope_a = _sum(wrong * g) + penalty * (a - centre.a)
        slope_b = _sum(wrong * moved) + penalty * (b - centre.b)
        h_aa, h_ab = _sum(curve * g * g) + penalty, _sum(curve * g * moved)
        h_bb = _sum(curve * moved * moved) + penalty
        determinant = h_aa * h_bb - h_ab * h_ab
        step_a = (h_bb * slope_a - h_ab * slope_b) / determinant
        step_b = (h_aa * slope_b - h_ab * slope_a) / determinant
        length = 1.0  # halved until the loss falls, so this is always solved
        while not (new := loss(a - length * step_a, b - length * step_b)) <= value:
            length *= 0.5
            if length <= 1e-10:
                return Calibration(a, b)
        a, b = float(a - length * step_a), float(b - length * step_b)
        gained, value = value - new, new
        if gained <= 1e-12 * (1.0 + abs(value)):
            break
    return Calibration(a, b)
