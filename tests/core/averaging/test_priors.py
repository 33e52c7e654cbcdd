"""Priors: Bayes' rule, and when a metric may change one."""

from types import SimpleNamespace

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.metrics import accuracy_score

from isvmde.core.averaging.priors import (
    POWERS,
    choose_prior,
    compromise_prior,
    power_prior,
    under_prior,
)
from isvmde.metrics import av_f_beta_score, g_mean_score

SIZE = np.array([80.0, 15.0, 5.0])


def rows_of(label, weight=None, size=SIZE):
    """Return what a prior needs to know of a training set."""
    weight = np.ones(len(label)) if weight is None else weight
    return SimpleNamespace(label=label, weight=weight, class_size=np.array(size))


def accuracy(truth, guess, weight):
    return accuracy_score(truth, guess, sample_weight=weight)


def test_powers_go_from_balanced_to_the_training_sets():
    assert_allclose(power_prior(SIZE, 0.0), 1 / 3)
    assert_allclose(power_prior(SIZE, 1.0), SIZE / 100)
    ratio = power_prior(SIZE, 0.4)
    assert ratio[0] / ratio[2] == pytest.approx(16**0.4)


def test_bayes_rule():
    """P(x | c) = p_c / (sum of p) under equal priors; then the rule by hand."""
    likelihood = np.array([[0.2, 0.6, 0.1], [0.4, 0.1, 0.1]])
    equal = likelihood / likelihood.sum(axis=1, keepdims=True)
    prior = SIZE / 100
    expected = likelihood * prior
    expected /= expected.sum(axis=1, keepdims=True)
    assert_allclose(under_prior(equal, prior), expected)
    assert_allclose(under_prior(equal, np.full(3, 1 / 3)), equal)


def mean_recall(truth, guess, weight):
    right = np.bincount(truth, weights=weight * (guess == truth), minlength=3)
    return np.mean(right / np.bincount(truth, weights=weight + 0.0 * truth))


def test_noise_keeps_the_balanced_prior():
    """Mean recall of probabilities without content: no prior is surely better.

    Two standard errors of the best of five are exceeded now and then; without the
    rule the balanced prior would be left in most cases.
    """
    size = np.array([400.0, 200.0, 100.0])
    label = np.repeat([0, 1, 2], size.astype(int))
    left = tempted = 0
    for seed in range(30):
        proba = np.random.default_rng(seed).dirichlet(np.ones(3), size=700)
        chosen = choose_prior(proba, rows_of(label, size=size), mean_recall, seed)
        left += not np.allclose(chosen, 1 / 3)
        scores = [
            mean_recall(label, np.argmax(under_prior(proba, prior), axis=1), 1.0)
            for prior in (power_prior(size, power) for power in POWERS)
        ]
        tempted += np.argmax(scores) > 0
    assert tempted > 15
    assert left <= 4


def test_a_clear_gain_leaves_the_balanced_prior():
    """Accuracy of probabilities without content: the largest class always."""
    label = np.repeat([0, 1, 2], [80, 15, 5])
    proba = np.random.default_rng(0).dirichlet(np.full(3, 9.0), size=100)
    chosen = choose_prior(proba, rows_of(label), accuracy, 0)
    assert chosen[0] > 0.5
    assert any(np.allclose(chosen, power_prior(SIZE, power)) for power in POWERS)


def test_a_gain_below_two_standard_errors_changes_nothing():
    """One sample of 30 is gained: less than two standard errors."""
    label = np.repeat([0, 1], [20, 10])
    proba = np.where(label[:, None] == [0, 1], 0.9, 0.1)
    proba[0] = [0.45, 0.55]
    size = np.array([20.0, 10.0])
    right = accuracy(label, np.argmax(under_prior(proba, size / 30), axis=1), None)
    assert right == 1.0  # the training set's prior would be better
    chosen = choose_prior(proba, rows_of(label, size=size), accuracy, 0)
    assert_array_equal(chosen, [0.5, 0.5])


def test_the_same_seed_chooses_the_same_prior():
    rng = np.random.default_rng(3)
    label = np.repeat([0, 1, 2], [80, 15, 5])
    proba = rng.dirichlet(np.ones(3), size=100)
    chosen = [choose_prior(proba, rows_of(label), accuracy, 7) for _ in range(2)]
    assert_array_equal(*chosen)


def held_out_table(n):
    """Return probabilities under equal priors that overlap, their classes and sizes."""
    random = np.random.default_rng(1)
    size = np.array([0.80, 0.15, 0.05]) * n
    label = np.repeat([0, 1, 2], size.astype(int))
    centre = np.array([[0.0, 0.0], [1.8, 0.0], [0.0, 1.8]])
    x = centre[label] + random.normal(size=(n, 2))
    near = np.exp(-0.5 * ((x[:, None] - centre) ** 2).sum(axis=2))
    return near / near.sum(axis=1, keepdims=True), label, np.ones(n), size


def test_a_compromise_costs_little_and_gains_much():
    proba, label, weight, size = held_out_table(20_000)
    prior = compromise_prior(proba, rows_of(label, weight, size), 0)
    assert prior[0] > prior[1] > prior[2]
    before = np.argmax(proba, axis=1)
    after = np.argmax(under_prior(proba, prior), axis=1)
    assert g_mean_score(label, after) > g_mean_score(label, before) - 0.0101
    assert av_f_beta_score(label, after) > av_f_beta_score(label, before) + 0.02


def test_a_compromise_for_a_tiny_class_is_balanced():
    proba, label, weight, size = held_out_table(300)  # 15 samples of the rarest class
    assert_allclose(compromise_prior(proba, rows_of(label, weight, size), 0), 1 / 3)
    assert compromise_prior(proba, rows_of(label, 2 * weight, 2 * size), 0)[0] > 0.34


@pytest.mark.parametrize(("n_gained", "left"), [(1, False), (3, False), (12, True)])
def test_a_compromise_needs_a_gain_of_two_standard_errors(n_gained, left):
    """The first samples are right under the training set's prior alone."""
    label = np.repeat([0, 1], [60, 30])
    proba = np.where(label[:, None] == [0, 1], 0.9, 0.1)
    proba[:n_gained] = [0.45, 0.55]
    prior = compromise_prior(proba, rows_of(label, size=[60.0, 30.0]), 0)
    assert (prior[0] > 0.5) == left


def test_a_weight_is_a_count_in_a_compromise():
    proba, label, weight, size = held_out_table(600)
    both, *rows = (np.concatenate([part, part]) for part in (proba, label, weight))
    assert_array_equal(
        compromise_prior(both, rows_of(*rows, 2 * size), 3),
        compromise_prior(proba, rows_of(label, 2 * weight, 2 * size), 3),
    )
