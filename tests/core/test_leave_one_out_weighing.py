"""From leave-one-out decisions to weights, by hand and by law."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.metrics import roc_auc_score

from isvmde import ISVMClassifierCV
from isvmde.core.leave_one_out import settings as drawn
from isvmde.core.leave_one_out.weighing import (
    loo_error,
    ranking_error,
    setting_weights,
    shrunk,
)

errors = arrays(float, (6, 3), elements=st.floats(0, 1))


def test_error_by_hand():
    """Two of + and one of -, each class counting one half."""
    f = np.array([[1.0, -1.0, -2.0]])
    wrong = [1 / (1 + np.exp(3 * z)) for z in (1.0, -1.0, 2.0)]
    expected = 0.5 * ((wrong[0] + wrong[1]) / 2 + wrong[2])
    assert_allclose(loo_error(f, 2, np.ones(3), 3.0), [expected])


def test_the_ranking_error_is_one_less_the_area_under_the_roc_curve():
    random = np.random.default_rng(0)
    f, weight = random.integers(0, 6, size=(3, 30)) * 1.0, random.integers(1, 4, 30)
    truth = np.arange(30) < 12
    area = [roc_auc_score(truth, row, sample_weight=weight) for row in f]
    assert_allclose(ranking_error(f, 12, weight * 1.0), 1.0 - np.array(area))


def test_a_weight_is_that_many_rows_for_the_error():
    f = np.array([[1.0, -1.0, -2.0, 0.3]])
    repeated = np.repeat(f, [3, 1, 2, 1], axis=1)
    assert_allclose(
        loo_error(f, 2, np.array([3.0, 1.0, 2.0, 1.0]), 3.0),
        loo_error(repeated, 4, np.ones(7), 3.0),
    )


def test_huge_decisions_do_not_overflow():
    f = np.array([[1e300, -1e300], [-1e300, 1e300]])
    assert_array_equal(loo_error(f, 1, np.ones(2), 3.0), [0.0, 1.0])


@given(errors)
def test_without_shrinkage_every_pair_speaks_for_itself(error):
    e = error - error.mean(axis=0)
    assert_allclose(shrunk(error, np.array([1.0, 5.0, 9.0]), 0.0), e, atol=1e-12)


@given(errors)
def test_with_endless_shrinkage_all_pairs_say_the_same(error):
    size = np.array([1.0, 5.0, 9.0])
    e = error - error.mean(axis=0)
    opinion = (e @ size) / size.sum()
    found = shrunk(error, size, 1e12)
    assert_allclose(found, np.tile(opinion[:, None], 3), atol=1e-9)


def test_shrinkage_by_hand():
    error = np.array([[0.1, 0.3], [0.3, 0.1]])  # the pairs contradict each other
    found = shrunk(error, np.array([30.0, 10.0]), 10.0)
    opinion = (30 * -0.1 + 10 * 0.1) / 40
    expected = [(30 * -0.1 + 10 * opinion) / 40, (10 * 0.1 + 10 * opinion) / 20]
    assert_allclose(found[0], expected)
    assert_allclose(found[1], -found[0])


@given(errors)
def test_a_single_pair_is_not_shrunk(error):
    one = error[:, :1]
    assert_allclose(
        shrunk(one, np.array([4.0]), 10.0), one - one.mean(axis=0), atol=1e-12
    )


@given(errors, st.floats(0, 0.3))
def test_weights_add_up_to_one_and_fall_with_the_error(error, dropped):
    weight = setting_weights(error, 0.02, dropped)
    assert_allclose(weight.sum(axis=0), 1.0)
    assert (weight >= 0).all()
    for e, w in zip(error.T, weight.T, strict=True):
        worse = e[:, None] > e
        assert (w[:, None] <= w + 1e-12)[worse].all()


@given(errors, st.floats(0, 0.3))
def test_at_most_the_given_weight_is_dropped(error, dropped):
    full, kept = (
        setting_weights(error, 0.05, 0.0),
        setting_weights(error, 0.05, dropped),
    )
    lost = np.where(kept == 0.0, full, 0.0).sum(axis=0)
    assert (lost <= dropped + 1e-12).all()
    same = kept > 0
    share = (kept / np.where(same, full, 1.0))[same]
    assert (share >= 1.0 - 1e-12).all()  # what is left is scaled up


@pytest.mark.parametrize("n", [1, 5])
def test_equal_errors_have_equal_weights(n):
    assert_allclose(setting_weights(np.full((n, 2), 0.3), 0.02, 0.02), 1 / n)


def test_one_width_of_error_is_the_factor_e():
    weight = setting_weights(np.array([[0.10], [0.12]]), 0.02, 0.0)
    assert weight[0, 0] / weight[1, 0] == pytest.approx(np.e)


def test_machines_that_were_cut_short_get_no_weight(monkeypatch):
    random = np.random.default_rng(0)
    X = random.random((80, 3))
    y = (X[:, 0] + 0.2 * random.normal(size=80) > 0.6).astype(int)
    model = ISVMClassifierCV(n_settings=24, random_state=0)
    assert model.fit(X, y).n_cut_short_ == 0
    monkeypatch.setattr(drawn, "most_steps", lambda n: 45)
    model.fit(X, y)
    assert 0 < model.n_cut_short_ < 24
    assert (model.kkt_violation_ <= model.tol).all()
    assert ((model.weights_ > 0).sum(axis=0) <= 24 - model.n_cut_short_).all()
