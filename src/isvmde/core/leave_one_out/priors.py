"""Which class probabilities a prediction assumes, and how a metric chooses them."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from scipy.stats import gmean

POWERS = (0.0, 0.2, 0.4, 0.6, 0.8, 1.0)
ENOUGH = 20  # samples of the rarest class that make a compromise safe
_AFFORDED = 0.01  # of G-mean, for a better AvF
_FINE_POWERS = np.linspace(0.0, 1.0, 21)
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
    proba: np.ndarray,
    label: np.ndarray,
    weight: np.ndarray,
    class_size: np.ndarray,
    seed: int,
) -> np.ndarray:
    """Return the prior with the best AvF of those that cost little of G-mean.

    Balanced where AvF gains less than two standard errors by it, and where a class has
    fewer than `ENOUGH` samples, one of which would decide.
    """
    n_classes = len(class_size)
    priors = [power_prior(class_size, power) for power in _FINE_POWERS]
    if class_size.min() < ENOUGH:
        return priors[0]
    guess = [np.argmax(proba * prior, axis=1) for prior in priors]
    right, predicted = np.empty((2, len(priors), n_classes))
    for k, own in enumerate(guess):
        right[k] = np.bincount(label, weight * (own == label), n_classes)
        predicted[k] = np.bincount(own, weight, n_classes)
    g_mean = gmean(right / class_size, axis=1)
    av_f = _av_f(right, class_size, predicted)
    cheap = g_mean >= g_mean.max() - _AFFORDED
    best = int(np.argmax(np.where(cheap, av_f, -1.0)))
    if best == 0:
        return priors[0]
    # Bayesian bootstrap: the exponential weights of k equal samples sum to Gamma(k)
    shape = (n_classes,) * 3
    alike = np.ravel_multi_index((label, guess[0], guess[best]), shape)
    cell, place = np.unique(alike, return_inverse=True)
    size = np.bincount(place, weight)
    drawn = np.random.default_rng(seed).gamma(size, size=(_DRAWS, len(size)))
    each = np.arange(n_classes)
    true, before, after = (k[:, None] == each for k in np.unravel_index(cell, shape))
    gain = _av_f(drawn @ (true & after), drawn @ true, drawn @ after)
    gain -= _av_f(drawn @ (true & before), drawn @ true, drawn @ before)
    sure = av_f[best] - av_f[0] > 2.0 * np.std(gain)
    return priors[best if sure else 0]


def _av_f(right: np.ndarray, true: np.ndarray, predicted: np.ndarray) -> np.ndarray:
    """Return the mean over classes, on the last axis, of F1."""
    return np.asarray(np.mean(2.0 * right / (true + predicted), axis=-1))


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
