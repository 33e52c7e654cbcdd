"""Which class probabilities a prediction assumes, and how a metric chooses them."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from scipy.stats import gmean

POWERS = (0.0, 0.2, 0.4, 0.6, 0.8, 1.0)
ENOUGH = 20  # samples of the rarest class that make a compromise safe
_AFFORDED = 0.01  # of G-mean, for a better AvF
_FINE_POWERS = np.linspace(0.0, 1.0, 11)
_DRAWS = 200
_DRAWN = 2_000_000  # random numbers at most: large tables need fewer draws

# (indices of the true classes, of the predicted ones, weights of samples) -> score
Metric = Callable[[np.ndarray, np.ndarray, np.ndarray], float]


def power_prior(class_size: np.ndarray, power: float) -> np.ndarray:
    """Return (n_c / n)^power, normalised: 0 is balanced, 1 the training set's.

    Examples
    --------
    >>> import numpy as np
    >>> power_prior(np.array([30.0, 10.0]), 1.0), power_prior(np.array([9.0, 1.0]), 0.0)
    (array([0.75, 0.25]), array([0.5, 0.5]))
    """
    prior = (class_size / class_size.max()) ** power
    return np.asarray(prior / prior.sum())


def under_prior(proba: np.ndarray, prior: np.ndarray) -> np.ndarray:
    """Return class probabilities under a prior, given those under equal priors."""
    product = proba * (prior / prior.max())
    return np.asarray(product / product.sum(axis=1, keepdims=True))


def compromise_prior(
    proba: np.ndarray, label: np.ndarray, weight: np.ndarray, class_size: np.ndarray
) -> np.ndarray:
    """Return the prior with the best AvF of those that cost little of G-mean.

    Balanced if a class has fewer than `ENOUGH` samples: one of them would decide.
    """
    priors = [power_prior(class_size, power) for power in _FINE_POWERS]
    if class_size.min() < ENOUGH:
        return priors[0]
    n_classes = len(class_size)
    g_mean, av_f = np.empty((2, len(priors)))
    for k, prior in enumerate(priors):
        cell = label * n_classes + np.argmax(proba * prior, axis=1)
        count = np.bincount(cell, weight, n_classes**2).reshape(n_classes, n_classes)
        right, predicted = np.diagonal(count), count.sum(axis=0)
        g_mean[k] = gmean(right / class_size)
        av_f[k] = np.mean(2.0 * right / (class_size + predicted))
    cheap = g_mean >= g_mean.max() - _AFFORDED
    return priors[int(np.argmax(np.where(cheap, av_f, -1.0)))]


def choose_prior(
    proba: np.ndarray,
    label: np.ndarray,
    weight: np.ndarray,
    class_size: np.ndarray,
    metric: Metric,
    seed: int,
) -> np.ndarray:
    """Return the prior between balanced and training under which ``metric`` is best.

    Judged by leave-one-out probabilities under equal priors. The balanced prior is
    left only for a gain of two standard errors, which come from a Bayesian bootstrap
    over the samples; with less, tiny classes are lost to noise.
    """
    random = np.random.default_rng(seed)
    predicted = [
        np.argmax(under_prior(proba, power_prior(class_size, power)), axis=1)
        for power in POWERS
    ]
    score = np.array([metric(label, guess, weight) for guess in predicted])
    best = int(np.argmax(score))
    if best == 0:
        return power_prior(class_size, 0.0)
    n_draws = int(np.clip(_DRAWN // len(label), 20, _DRAWS))
    gains = []
    for _ in range(n_draws):
        drawn = random.exponential(size=len(label)) * weight
        gains.append(
            metric(label, predicted[best], drawn) - metric(label, predicted[0], drawn)
        )
    sure = score[best] - score[0] > 2.0 * np.std(gains)
    return power_prior(class_size, POWERS[best] if sure else 0.0)
