"""From solved settings to one model: weights, margins, and what it says unseen."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from ..pairs import confidence, couple
from ..training_set import TrainingSet
from .calibration import PairValues, fit_margins, to_margin_scale
from .machines import Machines, keep_machines
from .settings import Setting
from .solving import SolvedSettings
from .tuning import Tuning
from .weighing import judge, loo_error, setting_weights, shrunk

SUREST = 0.999  # a pair's probability before coupling is at most this


@dataclass(frozen=True)
class Average:
    """The averaged machines of all pairs.

    Attributes
    ----------
    error : (settings, pairs) leave-one-out errors
    weights : (settings, pairs), zero for machines that were not kept
    machines : those that were
    margins : (pairs, 2) lambda1 and lambda2
    unseen : (rows, classes) leave-one-out probabilities under equal priors
    """

    error: np.ndarray
    weights: np.ndarray
    machines: Machines
    margins: np.ndarray
    unseen: np.ndarray


def make_average(
    data: TrainingSet,
    pairs: np.ndarray,
    settings: Sequence[Setting],
    solved: SolvedSettings,
    tuning: Tuning,
    n_threads: int,
) -> Average:
    """Weigh and calibrate the machines of all pairs."""
    error = judge(data, pairs, solved.f, loo_error, tuning.temperature)
    smaller = data.class_size[pairs].min(axis=1)
    weights = setting_weights(
        shrunk(error, smaller, tuning.shrinkage), tuning.width, tuning.dropped
    )
    machines = keep_machines(data, pairs, settings, solved, weights)
    g = _third_classes(data, pairs, settings, machines, n_threads)
    for p, pair in enumerate(pairs):
        mean = np.einsum("s,sn->n", weights[:, p], np.tanh(solved.f[p]))
        g[data.pair_rows(*pair), p] = to_margin_scale(mean)
    own = [g[data.pair_rows(*pair), p] for p, pair in enumerate(pairs)]
    margins = margins_of(data, pairs, own, tuning)
    unseen = coupled(with_margins(g, margins), pairs, data.n_classes)
    return Average(error, weights, machines, margins, unseen)


def margins_of(
    data: TrainingSet, pairs: np.ndarray, g: Sequence[np.ndarray], tuning: Tuning
) -> np.ndarray:
    """Return the margins of every pair from the decisions g of its own rows."""
    values = [
        PairValues(own, data.n_rows(pair[0]), data.weight[data.pair_rows(*pair)])
        for own, pair in zip(g, pairs, strict=True)
    ]
    return fit_margins(values, tuning.penalty, tuning.common)


def _third_classes(
    data: TrainingSet,
    pairs: np.ndarray,
    settings: Sequence[Setting],
    machines: Machines,
    n_threads: int,
) -> np.ndarray:
    """Return g of every row for pairs that were not trained on it, zero elsewhere."""
    g = np.zeros((len(data.X), len(pairs)))
    for c in range(data.n_classes):
        third = (pairs != c).all(axis=1)
        if third.any():
            X = data.X[data.rows(c)]
            # most rows are of frequent classes, most pairs are not
            own = machines.of_pairs(third)
            m = own.decide(X, settings, len(pairs), n_threads=n_threads)
            g[data.rows(c)] = to_margin_scale(m)
    return g


def with_margins(g: np.ndarray, margins: np.ndarray) -> np.ndarray:
    """Return a g + b of every pair: its log odds out of sample."""
    scale = 0.5 * (margins[:, 0] + margins[:, 1])
    shift = 0.5 * (margins[:, 0] - margins[:, 1])
    return np.asarray(scale * g + shift)


def coupled(F: np.ndarray, pairs: np.ndarray, n_classes: int) -> np.ndarray:
    """Return class probabilities under equal priors from the pairs' log odds."""
    return couple(np.clip(confidence(F), 1.0 - SUREST, SUREST), pairs, n_classes)
