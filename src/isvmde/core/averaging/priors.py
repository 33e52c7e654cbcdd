"""Which class probabilities a prediction assumes, and how a metric chooses them."""

from collections.abc import Callable

import numpy as np
from scipy.stats import gmean

from ..arrays import Floats
from ..training_set import TrainingSet

POWERS = (0.0, 0.2, 0.4, 0.6, 0.8, 1.0)
_FINE_POWERS = np.linspace(0.0, 1.0, 21)
_ENOUGH = 20  # samples of the rarest class that make a compromise safe
_AFFORDED = 0.01  # of G-mean, for a better AvF
_DRAWS = 200
_DRAWN = 2_000_000  # random numbers at most: large tables need fewer draws

# (indices of the true classes, of the predicted ones, weights of samples) -> score
Metric = Callable[[np.ndarray, np.ndarray, np.ndarray], float]


def power_prior(class_size: np.ndarray, power: float) -> np.ndarray:
    """Return (n_c / n)^power, normalised: 0 is balanced, 1 the training set's."""
    prior = (class_size / class_size.max()) ** power
    return np.asarray(prior / prior.sum())


def under_prior(proba: np.ndarray, prior: np.ndarray) -> np.ndarray:
    """Return class probabilities under a prior, given those under equal priors."""
    product = proba * (prior / prior.max())
    return np.asarray(product / product.sum(axis=1, keepdims=True))


def compromise_prior(proba: np.ndarray, data: TrainingSet, seed: int) -> np.ndarray:
    """Return the prior with the best AvF of those that cost little of G-mean."""
    # Judged by leave-one-out probabilities under equal priors. Balanced where AvF gains
    # less than two standard errors, and where one sample of a class would decide.
    label, weight, size = data.label, data.weight, data.class_size
    n_classes = len(size)
    priors = [power_prior(size, power) for power in _FINE_POWERS]
    if size.min() < _ENOUGH:
        return priors[0]
    guess = [np.argmax(proba * prior, axis=1) for prior in priors]
    right, predicted = np.empty((2, len(priors), n_classes))
    for k, own in enumerate(guess):
        right[k] = np.bincount(label, weight * (own == label), n_classes)
        predicted[k] = np.bincount(own, weight, n_classes)
    g_mean = gmean(right / size, axis=1)
    av_f = _av_f(right, size, predicted)
    cheap = g_mean >= g_mean.max() - _AFFORDED
    best = int(np.argmax(np.where(cheap, av_f, -1.0)))
    if best == 0:
        return priors[0]
    # Bayesian bootstrap: the exponential weights of k equal samples sum to Gamma(k)
    shape = (n_classes,) * 3
    alike = np.ravel_multi_index((label, guess[0], guess[best]), shape)
    cell, place = np.unique(alike, return_inverse=True)
    count = np.bincount(place, weight)
    drawn = np.random.default_rng(seed).gamma(count, size=(_DRAWS, len(count)))
    each = np.arange(n_classes)
    true, before, after = (k[:, None] == each for k in np.unravel_index(cell, shape))
    gain = _av_f(drawn @ (true & after), drawn @ true, drawn @ after)
    gain -= _av_f(drawn @ (true & before), drawn @ true, drawn @ before)
    sure = av_f[best] - av_f[0] > 2.0 * np.std(gain)
    return priors[best if sure else 0]


def _av_f(right: np.ndarray, true: np.ndarray, predicted: np.ndarray) -> np.ndarray:
    """Return the mean over classes, on the last axis, of F1."""
    return np.asarray(np.mean(2.0 * right / (true + predicted), axis=-1))


def choose_prior(proba: Floats, data: TrainingSet, metric: Metric, seed: int) -> Floats:
    """Return the prior between balanced and training under which ``metric`` is best."""
    # Balanced is left only for a gain of two standard errors, by a Bayesian bootstrap
    # over the samples: with less, tiny classes are lost to noise.
    label, weight = data.label, data.weight
    priors = [power_prior(data.class_size, power) for power in POWERS]
    guess = [np.argmax(under_prior(proba, prior), axis=1) for prior in priors]
    score = [metric(label, own, weight) for own in guess]
    best = int(np.argmax(score))
    if best == 0:
        return priors[0]
    random, gains = np.random.default_rng(seed), []
    for _ in range(int(np.clip(_DRAWN // len(label), 20, _DRAWS))):
        drawn = random.exponential(size=len(label)) * weight
        gains.append(metric(label, guess[best], drawn) - metric(label, guess[0], drawn))
    sure = score[best] - score[0] > 2.0 * np.std(gains)
    return priors[best if sure else 0]
