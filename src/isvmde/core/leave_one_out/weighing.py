"""From leave-one-out decisions to the weights of the settings, pair by pair."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from ..training_set import TrainingSet


@dataclass(frozen=True)
class Tuning:
    """The numbers of the method; results are flat around all of them."""

    temperature: float = 3.0  # sharpness t of the error 1/(1 + exp(t y f))
    shrinkage: float = 10.0  # kappa: samples that the other pairs' opinion counts as
    width: float = 0.02  # tau: difference of error that makes a weight smaller by e
    penalty: float = 8.0  # on a pair's distance from the calibration of all pairs
    common: float = 1.0  # on the distance of that from a plain SVM's
    dropped: float = 0.02  # summed weight of the machines that a pair can do without


class PairValues(NamedTuple):
    """Values of a pair's own rows, those of + first on the last axis; their weights."""

    values: np.ndarray
    n_pos: int
    weight: np.ndarray


def pair_values(
    data: TrainingSet, pairs: np.ndarray, values: Sequence[np.ndarray]
) -> list[PairValues]:
    """Return the values of every pair with what is known of its rows."""
    sizes = [data.n_rows(plus) for plus, _ in pairs]
    weights = [data.weight[data.pair_rows(*pair)] for pair in pairs]
    return list(map(PairValues, values, sizes, weights))


def judge(
    known: Sequence[PairValues], error: Callable[..., np.ndarray], *options: float
) -> np.ndarray:
    """Return the error of every setting in every pair from values (settings, rows)."""
    return np.stack([error(*one, *options) for one in known], axis=1)


def loo_error(
    f: np.ndarray, n_pos: int, weight: np.ndarray, temperature: float
) -> np.ndarray:
    """Return of every setting the mean over classes of that of 1/(1 + exp(t y f))."""
    y = np.where(np.arange(f.shape[1]) < n_pos, 1.0, -1.0)
    # 1/(1 + exp(z)) = (1 - tanh(z/2))/2, which never overflows
    wrong = 0.5 - 0.5 * np.tanh((0.5 * temperature) * y * f)
    pos, neg = weight[:n_pos], weight[n_pos:]
    share = np.concatenate([pos / pos.sum(), neg / neg.sum()])
    return 0.5 * np.einsum("sn,n->s", wrong, share)


def ranking_error(f: np.ndarray, n_pos: int, weight: np.ndarray) -> np.ndarray:
    """Return of every setting one less the area under the ROC curve of f."""
    error = np.empty(len(f))
    for s, values in enumerate(f):
        order = np.argsort(values[n_pos:], kind="stable")
        minus = values[n_pos:][order]
        below = np.append(0.0, np.cumsum(weight[n_pos:][order]))
        first = np.searchsorted(minus, values[:n_pos], side="left")
        last = np.searchsorted(minus, values[:n_pos], side="right")
        won = np.einsum("i,i->", weight[:n_pos], 0.5 * (below[first] + below[last]))
        error[s] = 1.0 - won / (below[-1] * weight[:n_pos].sum())
    return error


def shrunk(error: np.ndarray, size: np.ndarray, kappa: float) -> np.ndarray:
    """Return errors (settings, pairs), moved towards what the other pairs say."""
    # A class of few samples hardly says which setting is good. With e the error less
    # its mean over settings: e~ = (n_p e + kappa mean_p e) / (n_p + kappa).
    e = error - error.mean(axis=0)
    opinion = (e * size).sum(axis=1, keepdims=True) / size.sum()
    return np.asarray((size * e + kappa * opinion) / (size + kappa))


def setting_weights(error: np.ndarray, tau: float, dropped: float) -> np.ndarray:
    """Return weights (settings, pairs) ~ exp(-error / tau), the smallest made zero."""
    weight = np.exp((error.min(axis=0) - error) / tau)
    weight /= weight.sum(axis=0)
    order = np.argsort(-error, axis=0, kind="stable")  # ties in weight go by error
    ascending = np.take_along_axis(weight, order, axis=0)
    ascending[np.cumsum(ascending, axis=0) <= dropped] = 0.0
    np.put_along_axis(weight, order, ascending, axis=0)
    return np.asarray(weight / weight.sum(axis=0))
