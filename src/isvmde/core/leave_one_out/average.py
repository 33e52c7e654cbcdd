"""From solved settings to one model: weights, margins, and what it says unseen.

The decision of a pair is m = sum_s w_s tanh f_s, brought back to the scale of f by
g = artanh m. P(+ | x) = 1/(1 + exp(-(a g + b))) is fitted to leave-one-out decisions.
By `dual.to_c_svc` scaling by a and shifting by b is what margins do: they are
lambda1 = a + b and lambda2 = a - b in the units of g, learned out of sample.
"""

from dataclasses import dataclass

import numpy as np

from ..arrays import Floats
from ..pairs import confidence, couple
from . import weighing
from .machines import Machines, keep_machines
from .settings import Solved, Task, by_pair
from .weighing import PairValues, Tuning, judge, loo_error, pair_values

SUREST = 0.999  # a pair's probability before coupling is at most this
LARGEST_MEAN = 0.999  # |m|, where artanh is still a number
Point = tuple[float, float]
PLAIN = (2.0, 0.0)  # (a, b) of a plain SVM: log odds are 2 artanh of a mean
_sum = np.add.reduce  # np.sum without its wrapping: vectors are short here


@dataclass(frozen=True)
class Average:
    """The averaged machines of all pairs."""

    error: np.ndarray  # (settings, pairs) leave-one-out errors
    violation: np.ndarray  # (settings, pairs) of the optimality conditions
    weights: np.ndarray  # (settings, pairs), zero for machines that were not kept
    machines: Machines  # those that were
    margins: np.ndarray  # (pairs, 2) lambda1 and lambda2
    unseen: np.ndarray  # (rows, classes) leave-one-out probabilities, equal priors


def make_average(task: Task, solved: Solved, tuning: Tuning, n_threads: int) -> Average:
    """Weigh and calibrate the machines of all pairs."""
    data, pairs, settings, *_ = task
    f = by_pair(solved.f, task.rows)
    error = judge(pair_values(data, pairs, f), loo_error, tuning.temperature)
    smaller = data.class_size[pairs].min(axis=1)
    opinion = weighing.shrunk(error, smaller, tuning.shrinkage)
    weights = weighing.setting_weights(opinion, tuning.width, tuning.dropped)
    machines = keep_machines(task, solved, weights, task.rows)
    m = np.zeros((len(data.X), len(pairs)))
    for c in range(data.n_classes):
        # most rows are of frequent classes, most pairs are not: each asks its own
        third = (pairs != c).all(axis=1)
        if third.any():
            others, at = machines.kept(third[machines.pair]), data.rows(c)
            m[at] = others.decide(data.X[at], settings, len(pairs), n_threads)
    for p, rows in enumerate(task.rows):
        m[rows, p] = np.einsum("s,sn->n", weights[:, p], np.tanh(f[p]))
    own = [to_margin_scale(m[rows, p]) for p, rows in enumerate(task.rows)]
    margins = fit_margins(pair_values(data, pairs, own), tuning.penalty, tuning.common)
    unseen = coupled(with_margins(m, margins), pairs, data.n_classes)
    return Average(error, solved.violation, weights, machines, margins, unseen)


def with_margins(m: np.ndarray, margins: np.ndarray) -> np.ndarray:
    """Return a artanh m + b of every pair: its log odds out of sample."""
    scale = 0.5 * (margins[:, 0] + margins[:, 1])
    shift = 0.5 * (margins[:, 0] - margins[:, 1])
    return np.asarray(scale * to_margin_scale(m) + shift)


def coupled(F: np.ndarray, pairs: np.ndarray, n_classes: int) -> np.ndarray:
    """Return class probabilities under equal priors from the pairs' log odds."""
    return couple(np.clip(confidence(F), 1.0 - SUREST, SUREST), pairs, n_classes)


def to_margin_scale(m: np.ndarray) -> np.ndarray:
    """Return g = artanh m."""
    return np.arctanh(np.clip(m, -LARGEST_MEAN, LARGEST_MEAN))


def _balanced(n_pos: int, weight: np.ndarray) -> np.ndarray:
    """Return labels, and weights that give both classes the smaller one's, (2, n)."""
    label = np.where(np.arange(len(weight)) < n_pos, 1.0, -1.0)
    pos, neg = weight[:n_pos].sum(), weight[n_pos:].sum()
    share = np.where(label > 0, min(1.0, neg / pos), min(1.0, pos / neg))
    return np.stack([label, share * weight])


def fit_margins(pairs: list[PairValues], penalty: float, common: float = 1.0) -> Floats:
    """Return the margins a + b and a - b of every pair."""
    # A tiny class says little about its pair's calibration, and too pessimistically:
    # left out, a third of it may be gone. All pairs together know how sharp decisions
    # are and how far they have to be moved towards the smaller class (``common`` keeps
    # that near a plain SVM); ``penalty`` keeps each pair near them.
    uneven = [float(w[:n].sum() != w[n:].sum()) for _, n, w in pairs]
    g = np.concatenate([pair.values for pair in pairs])
    known = np.hstack([_balanced(pair.n_pos, pair.weight) for pair in pairs])
    h = np.repeat(uneven, [len(pair.weight) for pair in pairs])
    a, b = _logistic(g, known, h, common, PLAIN)
    a = max(a, 0.0)
    fitted = [
        fit_calibration(*pair, penalty, (a, b * moved))
        for pair, moved in zip(pairs, uneven, strict=True)
    ]
    return np.array([(a + b, a - b) for a, b in fitted])


def fit_calibration(
    g: np.ndarray, n_pos: int, weight: np.ndarray, penalty: float, centre: Point = PLAIN
) -> Point:
    """Return (a, b), a >= 0, of one pair: a logistic regression near a centre."""
    known, ones = _balanced(n_pos, weight), np.ones(len(g))
    a, b = _logistic(g, known, ones, penalty, centre)
    if a < 0.0:  # margins do not turn a decision round
        a, b = _logistic(0.0 * ones, known, ones, penalty, (0.0, centre[1]))
    return a, b


def _logistic(
    g: np.ndarray, known: np.ndarray, h: np.ndarray, penalty: float, centre: Point
) -> Point:
    """Minimise the penalised logistic loss of a g + b h by Newton's method."""
    y, share = known

    def loss(a: float, b: float) -> float:
        fit = float(_sum(share * np.logaddexp(0.0, -y * (a * g + b * h))))
        distance = (a - centre[0]) ** 2 + (b - centre[1]) ** 2
        return fit + 0.5 * penalty * distance

    a, b = centre
    value = loss(a, b)
    for _ in range(50):
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
        length = 1.0  # halved until the loss falls, so this is always solved
        while not (new := loss(a - length * step_a, b - length * step_b)) <= value:
            length *= 0.5
            if length <= 1e-10:
                return a, b
        a, b = float(a - length * step_a), float(b - length * step_b)
        gained, value = value - new, new
        if gained <= 1e-12 * (1.0 + abs(value)):
            break
    return a, b
