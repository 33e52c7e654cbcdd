"""Calibration: logistic regression with a known centre."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy.optimize import minimize
from sklearn.linear_model import LogisticRegression

from isvmde.core.averaging.calibration import (
    LARGEST_MEAN,
    PLAIN,
    Calibration,
    PairDecisions,
    coupled,
    decisions_by_pair,
    fit_calibration,
    fit_margins,
    to_margin_scale,
    with_margins,
)
from isvmde.core.averaging.weighing import Judges
from isvmde.core.decomposition.one_vs_one import make_pairs

COMMON = 1.0  # on the distance of all pairs' calibration from a plain SVM's


def decisions(seed, n_plus=8, n_minus=30, noise=1.0):
    """Values g of overlapping classes, those of + first, each once."""
    rng = np.random.default_rng(seed)
    g = np.concatenate(
        [rng.normal(0.7, noise, n_plus), rng.normal(-0.4, noise, n_minus)]
    )
    return PairDecisions(g, n_plus, np.ones(len(g)))


def turned(own):
    """Return the same with the classes exchanged."""
    order = np.roll(np.arange(len(own.g)), -own.n_plus)
    return PairDecisions(-own.g[order], len(own.g) - own.n_plus, own.weight[order])


def shares(n_plus, weight):
    plus, minus = weight[:n_plus].sum(), weight[n_plus:].sum()
    y = np.where(np.arange(len(weight)) < n_plus, 1.0, -1.0)
    return y, weight * min(plus, minus) / np.where(y > 0, plus, minus)


@pytest.mark.parametrize("seed", range(5))
def test_weak_penalty_is_scikit_learns_logistic_regression(seed):
    weight = np.random.default_rng(seed).integers(1, 4, 38) * 1.0
    own = decisions(seed)._replace(weight=weight)
    y, share = shares(8, weight)
    a, b = fit_calibration(own, 1e-9)
    peer = LogisticRegression(C=1e9, tol=1e-10, max_iter=1000)
    peer.fit(own.g[:, None], y, sample_weight=share)
    assert_allclose([a, b], [peer.coef_[0, 0], peer.intercept_[0]], atol=1e-4)


@pytest.mark.parametrize("penalty", [0.1, 1.0, 10.0])
@pytest.mark.parametrize("centre", [PLAIN, Calibration(0.7, -1.2)], ids=["plain", "b"])
@pytest.mark.parametrize("seed", range(3))
def test_the_minimum_is_a_general_minimisers(seed, centre, penalty):
    own = decisions(seed)
    y, share = shares(8, own.weight)

    def loss(x):
        fit = np.sum(share * np.logaddexp(0.0, -y * (x[0] * own.g + x[1])))
        return fit + 0.5 * penalty * ((x[0] - centre.a) ** 2 + (x[1] - centre.b) ** 2)

    expected = minimize(loss, [1.0, 0.0], tol=1e-12).x
    assert_allclose(fit_calibration(own, penalty, centre), expected, atol=1e-5)


def test_a_weight_is_that_many_rows():
    weight = np.repeat([2.0, 1.0, 3.0], [8, 20, 10])
    own = decisions(0)._replace(weight=weight)
    repeated = np.repeat(own.g, weight.astype(int))
    many = PairDecisions(repeated, 16, np.ones(len(repeated)))
    assert_allclose(fit_calibration(own, 1.0), fit_calibration(many, 1.0), rtol=1e-8)
    assert own.size == many.size
    assert own.is_uneven


def test_swapping_the_classes_turns_the_shift_round():
    own = decisions(1)
    a, b = fit_calibration(own, 1.0)
    assert_allclose(fit_calibration(turned(own), 1.0), (a, -b), atol=1e-8)


def test_strong_penalty_is_the_centre():
    assert_allclose(fit_calibration(decisions(2), 1e9), PLAIN, atol=1e-6)
    centre = Calibration(3.0, -0.5)
    assert_allclose(fit_calibration(decisions(2), 1e9, centre), centre, atol=1e-6)


def test_decisions_that_are_wrong_are_not_turned_round():
    right = decisions(3, noise=0.1)
    a, b = fit_calibration(right._replace(g=-5 * right.g), 1.0)
    assert a == 0.0
    assert b == pytest.approx(0.0, abs=1e-9)  # both classes weigh the same


@pytest.mark.parametrize("g", [0.0, 3.8, -3.8, 1e-300])
@pytest.mark.parametrize("n_plus", [1, 3])
def test_extreme_values_give_finite_margins(g, n_plus):
    for values in (np.full(6, g), g * np.array([1, 1, 1, -1, -1, -1])):
        own = PairDecisions(values, n_plus, np.ones(6))
        a, b = fit_calibration(own, 1.0)
        assert np.isfinite([a, b]).all()
        assert a >= 0
        assert np.isfinite(fit_margins([own, own], 8.0, COMMON)).all()


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
    a, b = fit_calibration(
        PairDecisions(ordered, int(plus.sum()), np.ones(len(g))), 1.0
    )
    assert a == pytest.approx(4.0, rel=0.05)
    assert b == pytest.approx(0.0, abs=0.1)


def three_pairs():
    """Two pairs of many samples, one whose smaller class has a single one."""
    return [*(decisions(k, 20, 60) for k in range(2)), decisions(9, 1, 60)]


def test_a_tiny_class_takes_its_calibration_from_the_other_pairs():
    pairs = three_pairs()
    margins = fit_margins(pairs, 8.0, COMMON)
    alone = np.array([fit_margins([pair], 8.0, COMMON)[0] for pair in pairs])
    common = margins[:2].mean(axis=0)
    assert np.abs(margins[2] - common).sum() < np.abs(alone[2] - common).sum()
    # with a strong penalty there is one calibration for all
    one_for_all = fit_margins(pairs, 1e9, COMMON)
    assert_allclose(np.ptp(one_for_all, axis=0), 0.0, atol=1e-6)


def test_a_strong_common_penalty_keeps_all_pairs_near_a_plain_svm():
    margins = fit_margins(three_pairs(), 1e9, 1e9)
    assert_allclose(margins, PLAIN.a, atol=1e-6)


def test_the_common_calibration_is_a_general_minimisers():
    """Pairs of one size take its scale alone: no class is the smaller one."""
    pairs = [*three_pairs(), decisions(5, 25, 25)]

    def loss(x):
        total = 0.5 * 2.5 * ((x[0] - 2) ** 2 + x[1] ** 2)
        for own in pairs:
            y, share = shares(own.n_plus, own.weight)
            moved = x[1] * (own.n_plus != len(own.g) - own.n_plus)
            total += np.sum(share * np.logaddexp(0.0, -y * (x[0] * own.g + moved)))
        return total

    a, b = minimize(loss, [1.0, 0.0], tol=1e-12).x
    found = fit_margins(pairs, 1e9, 2.5)
    assert_allclose(found[:3], np.tile([a + b, a - b], (3, 1)), atol=1e-5)
    assert_allclose(found[3], [a, a], atol=1e-5)


def test_classes_of_one_size_are_not_moved_towards_either():
    even = decisions(3, 20, 20)
    others = three_pairs()
    one = fit_margins([even, *others], 8.0, COMMON)[0]
    other = fit_margins([turned(even), *others], 8.0, COMMON)[0]
    assert_allclose(one, other[::-1], atol=1e-6)


def test_margins_are_scale_and_shift():
    pair = three_pairs()[0]
    a, b = fit_calibration(pair, 1e-9)
    weak = fit_margins([pair], 1e-9, COMMON)[0]
    assert_allclose(weak, [a + b, a - b], atol=1e-5)
    margins = np.array([[3.0, 1.0]])  # a = 2, b = 1
    m = np.tanh([[0.0], [1.5]])
    assert_allclose(with_margins(m, margins), [[1.0], [4.0]])


def test_decisions_of_judges_are_parted_by_pair():
    judges = Judges(
        row=np.array([0, 5, 6, 0, 2, 3]),
        pair=np.array([0, 0, 0, 2, 2, 2]),  # the second pair has none
        is_plus=np.array([True, False, False, True, True, False]),
        weight=np.array([1.0, 2.0, 1.0, 1.0, 1.0, 4.0]),
        part=np.zeros(6, int),
        block=np.zeros(6, int),
        n_pairs=3,
    )
    m = np.array([0.1, -0.2, 0.3, 0.4, -0.5, 1.0])
    first, second, third = decisions_by_pair(m, judges)
    assert (first.n_plus, second.n_plus, third.n_plus) == (1, 0, 2)
    assert_allclose(first.g, np.arctanh([0.1, -0.2, 0.3]))
    assert_allclose(third.g, np.arctanh([0.4, -0.5, LARGEST_MEAN]))
    assert_array_equal(third.weight, [1.0, 1.0, 4.0])
    assert_array_equal(third.y, [1.0, 1.0, -1.0])
    assert len(second.g) == 0


@pytest.mark.parametrize("seed", range(3))
def test_coupling_gives_known_probabilities_back(seed):
    """Pairs that agree with class probabilities are coupled into them."""
    rng = np.random.default_rng(seed)
    p = rng.dirichlet(np.full(5, 2.0), size=9)
    pairs = make_pairs(np.arange(5))
    log_odds = np.log(p[:, pairs[:, 0]] / p[:, pairs[:, 1]])
    sure = (np.abs(log_odds) > 6.9).any(axis=1)  # these are clipped
    assert_allclose(coupled(log_odds, pairs, 5)[~sure], p[~sure], atol=1e-9)
    assert not sure.all()


def test_pairs_are_never_quite_sure():
    proba = coupled(np.array([[1e9]]), np.array([[0, 1]]), 2)
    assert_allclose(proba, [[0.999, 0.001]], rtol=1e-6)
