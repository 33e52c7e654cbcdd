"""From leave-one-out decisions to the weights of the settings, pair by pair."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from ..training_set import TrainingSet


def judge(
    data: TrainingSet,
    pairs: np.ndarray,
    f: Sequence[np.ndarray],
    error: Callable[..., np.ndarray],
    *options: float,
) -> np.ndarray:
    """Return the error of every setting in every pair; ``f[p]`` is (settings, rows)."""
    columns = [
        error(own, data.n_rows(pair[0]), data.weight[data.pair_rows(*pair)], *options)
        for own, pair in zip(f, pairs, strict=True)
    ]
    return np.stack(columns, axis=1)


def loo_error(
    f: np.ndarray, n_pos: int, weight: np.ndarray, temperature: float
) -> np.ndarray:
    """Return the class-balanced error of every setting of one pair.

    Mean over the two classes of the mean of 1/(1 + exp(t y f)); ``f`` is (settings,
    rows), the rows of + first.

    Examples
    --------
    >>> import numpy as np
    >>> loo_error(np.array([[0.0, 0.0], [9.0, 0.0]]), 1, np.ones(2), 1.0).round(2)
    array([0.5 , 0.25])
    """
    y = np.where(np.arange(f.shape[1]) < n_pos, 1.0, -1.0)
    # 1/(1 + exp(z)) = (1 - tanh(z/2))/2, which never overflows
    wrong = 0.5 - 0.5 * np.tanh((0.5 * temperature) * y * f)
    pos, neg = weight[:n_pos], weight[n_pos:]
    share = np.concatenate([pos / pos.sum(), neg / neg.sum()])
    return 0.5 * np.einsum("sn,n->s", wrong, share)


def ranking_error(f: np.ndarray, n_pos: int, weight: np.ndarray) -> np.ndarray:
    """Return of every setting how often f is larger for a row of - than for one of +.

    One less the area under the ROC curve; ``f`` is (settings, rows), + first. Scale
    and shift of f do not matter.

    Examples
    --------
    >>> import numpy as np
    >>> ranking_error(np.array([[3.0, 1.0, 2.0], [5.0, 5.0, 5.0]]), 2, np.ones(3))
    array([0.5, 0.5])
    """
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
    """Return errors (settings, pairs), moved towards what the other pairs say.

    A class of one to ten samples says nearly nothing about which setting is good; the
    other pairs do. With e the error less its mean over the settings and n_p the size
    of the smaller class, e~ = (n_p e + kappa mean_p e) / (n_p + kappa).
    """
    e = error - error.mean(axis=0)
    opinion = (e * size).sum(axis=1, keepdims=True) / size.sum()
    return np.asarray((size * e + kappa * opinion) / (size + kappa))


def setting_weights(error: np.ndarray, tau: float, dropped: float) -> np.ndarray:
    """Return weights (settings, pairs), proportional to exp(-error / tau).

    The smallest weights of a pair, together at most ``dropped``, become zero; those
    of the other machines add up to one.

    Examples
    --------
    >>> import numpy as np
    >>> setting_weights(np.array([[0.1], [0.1], [0.9]]), 0.02, 0.02).ravel()
    array([0.5, 0.5, 0. ])
    """
    weight = np.exp((error.min(axis=0) - error) / tau)
    weight /= weight.sum(axis=0)
    order = np.argsort(-error, axis=0, kind="stable")  # ties in weight go by error
    ascending = np.take_along_axis(weight, order, axis=0)
    small = np.zeros(weight.shape, dtype=bool)
    np.put_along_axis(small, order, np.cumsum(ascending, axis=0) <= dropped, axis=0)
    weight[small] = 0.0
    return np.asarray(weight / weight.sum(axis=0))


def silence(
    decisions: list[np.ndarray], violation: np.ndarray, tol: float
) -> list[np.ndarray]:
    """Return leave-one-out decisions, zero for machines that were cut short.

    The solver's bound on steps keeps one machine from taking more than its share of a
    fit. What it ends with is no optimum, so its leave-one-out values mean nothing: it
    counts as a coin and gets no weight where others were solved.

    Examples
    --------
    >>> import numpy as np
    >>> silence([np.array([[1.0, -1.0], [3.0, 3.0]])], np.array([[0.0], [9.0]]), 1e-3)
    [array([[ 1., -1.],
           [ 0.,  0.]])]
    """
    unfinished = ~(violation <= tol)
    return (
        [np.where(unfinished[:, p, None], 0.0, f) for p, f in enumerate(decisions)]
        if unfinished.any()
        else decisions
    )
