"""Calibration: logistic regression with a known centre."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.optimize import minimize
from sklearn.linear_model import LogisticRegression

from isvmde.core.leave_one_out.average import (
    LARGEST_MEAN,
    fit_calibration,
    fit_margins,
    to_margin_scale,
)
from isvmde.core.leave_one_out.weighing import PairValues


def decisions(seed, n_pos=8, n_neg=30, noise=1.0):
    """Values g of overlapping classes, those of + first."""
    rng = np.random.default_rng(seed)
    return np.concatenate(
        [rng.normal(0.7, noise, n_pos), rng.normal(-0.4, noise, n_neg)]
    )


def shares(n_pos, weight):
    pos, neg = weight[:n_pos].sum(), weight[n_pos:].sum()
    y = np.where(np.arange(len(weight)) < n_pos, 1.0, -1.0)
    return y, weight * min(pos, neg) / np.where(y > 0, pos, neg)


@pytest.mark.parametrize("seed", range(5))
def test_weak_penalty_is_scikit_learns_logistic_regression(seed):
    g, weight = decisions(seed), np.random.default_rng(seed).integers(1, 4, 38) * 1.0
    y, share = shares(8, weight)
    a, b = fit_calibration(g, 8, weight, 1e-9)
    peer = LogisticRegression(C=1e9, tol=1e-10, max_iter=1000)
    peer.fit(g[:, None], y, sample_weight=share)
    assert_allclose([a, b], [peer.coef_[0, 0], peer.intercept_[0]], atol=1e-4)


@pytest.mark.parametrize("penalty", [0.1, 1.0, 10.0])
@pytest.mark.parametrize("seed", range(3))
def test_the_minimum_is_a_general_minimisers(seed, penalty):
    g, weight = decisions(seed), np.ones(38)
    y, share = shares(8, weight)

    def loss(x):
        fit = np.sum(share * np.logaddexp(0.0, -y * (x[0] * g + x[1])))
        return fit + 0.5 * penalty * ((x[0] - 2) ** 2 + x[1] ** 2)

    expected = minimize(loss, [1.0, 0.0], tol=1e-12).x
    assert_allclose(fit_calibration(g, 8, weight, penalty), expected, atol=1e-5)


def test_a_weight_is_that_many_rows():
    g, weight = decisions(0), np.repeat([2.0, 1.0, 3.0], [8, 20, 10])
    repeated = np.repeat(g, weight.astype(int))
    assert_allclose(
        fit_calibration(g, 8, weight, 1.0),
        fit_calibration(repeated, 16, np.ones(len(repeated)), 1.0),
        rtol=1e-8,
    )


def test_swapping_the_classes_turns_the_shift_round():
    g = decisions(1)
    a, b = fit_calibration(g, 8, np.ones(38), 1.0)
    swapped = np.concatenate([-g[8:], -g[:8]])
    assert_allclose(fit_calibration(swapped, 30, np.ones(38), 1.0), (a, -b), atol=1e-8)


def test_strong_penalty_is_a_plain_svm():
    assert_allclose(
        fit_calibration(decisions(2), 8, np.ones(38), 1e9), (2.0, 0.0), atol=1e-6
    )


def test_decisions_that_are_wrong_are_not_turned_round():
    a, b = fit_calibration(-5 * decisions(3, noise=0.1), 8, np.ones(38), 1.0)
    assert a == 0.0
    assert b == pytest.approx(0.0, abs=1e-9)  # both classes weigh the same


@pytest.mark.parametrize("g", [0.0, 3.8, -3.8, 1e-300])
@pytest.mark.parametrize("n_pos", [1, 3])
def test_extreme_values_give_finite_margins(g, n_pos):
    for values in (np.full(6, g), g * np.array([1, 1, 1, -1, -1, -1])):
        a, b = fit_calibration(values, n_pos, np.ones(6), 1.0)
        assert np.isfinite([a, b]).all()
        assert a >= 0


def test_margin_scale_turns_the_average_of_tanh_back():
    f = np.linspace(-3, 3, 13)
    assert_allclose(to_margin_scale(np.tanh(f)), f, atol=1e-9)
    ends = to_margin_scale(np.array([-1.0, 1.0]))
    assert_allclose(ends, np.arctanh([-LARGEST_MEAN, LARGEST_MEAN]))


def test_calibrated_probabilities_come_true():
    """Where f is the true log odds over four, the scale is found to be four."""
    rng = np.random.default_rng(0)
    g = rng.normal(scale=0.5, size=20_000)
    plus = rng.random(len(g)) < 1 / (1 + np.exp(-4 * g))
    ordered = np.concatenate([g[plus], g[~plus]])
    a, b = fit_calibration(ordered, int(plus.sum()), np.ones(len(g)), 1.0)
    assert a == pytest.approx(4.0, rel=0.05)
    assert b == pytest.approx(0.0, abs=0.1)


def three_pairs():
    """Two pairs of many samples, one whose smaller class has a single one."""
    large = [PairValues(decisions(k, 20, 60), 20, np.ones(80)) for k in range(2)]
    return [*large, PairValues(decisions(9, 1, 60), 1, np.ones(61))]


def test_a_tiny_class_takes_its_calibration_from_the_other_pairs():
    pairs = three_pairs()
    margins = fit_margins(pairs, 8.0)
    alone = np.array([fit_margins([pair], 8.0)[0] for pair in pairs])
    common = margins[:2].mean(axis=0)
    assert np.abs(margins[2] - common).sum() < np.abs(alone[2] - common).sum()
    # with a strong penalty there is one calibration for all
    assert_allclose(np.ptp(fit_margins(pairs, 1e9), axis=0), 0.0, atol=1e-6)


def test_classes_of_one_size_are_not_moved_towards_either():
    even = PairValues(decisions(3, 20, 20), 20, np.ones(40))
    turned = PairValues(
        -np.concatenate([even.values[20:], even.values[:20]]), 20, np.ones(40)
    )
    others = three_pairs()
    one = fit_margins([even, *others], 8.0)[0]
    other = fit_margins([turned, *others], 8.0)[0]
    assert_allclose(one, other[::-1], atol=1e-6)


def test_margins_are_scale_and_shift():
    pair = three_pairs()[0]
    a, b = fit_calibration(*pair, 1e-9)
    weak = fit_margins([pair], 1e-9)[0]
    assert_allclose(weak, [a + b, a - b], atol=1e-5)
