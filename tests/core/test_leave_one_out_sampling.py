"""Samples of large tables: what is drawn, and what becomes of it."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from isvmde import ISVMClassifierCV
from isvmde.core.leave_one_out.sampling import Sampling, draw_rows, part_of
from isvmde.core.pairs import make_pairs
from isvmde.core.training_set import training_set
from isvmde.metrics import g_mean_score

SMALL = Sampling(largest=0, first_rows=60, promoted=4, last_rows=120, knots=50)


def noisy_table(n=400, n_classes=3, seed=0):
    random = np.random.default_rng(seed)
    share = 0.3 ** np.arange(n_classes)
    y = random.choice(n_classes, size=n, p=share / share.sum())
    y[:n_classes] = np.arange(n_classes)
    X = random.random((n, 4))
    X[:, 0] += 0.6 * y
    return X, y


@pytest.fixture
def sampled(monkeypatch):
    """A model that takes every table for a large one."""
    monkeypatch.setattr(ISVMClassifierCV, "_sampling", SMALL)
    return ISVMClassifierCV(n_settings=16, cost_range=(0.1, 50.0), random_state=3)


def test_a_sample_keeps_rare_classes_whole():
    X, y = noisy_table(900)
    data = training_set(X, y, np.ones(len(y)), 3)
    rows = draw_rows(data, 300, np.random.default_rng(0))
    part = part_of(data, rows, data.views)
    sizes, whole = np.diff(part.class_start), np.diff(data.class_start)
    assert len(rows) <= 300
    assert sizes[2] == whole[2] < 100
    assert sizes[0] == sizes[1] < whole[1]
    assert_array_equal(part.X, data.X[rows])
    assert_array_equal(part.class_size, sizes)


def test_samples_of_all_rows_give_the_whole_model(monkeypatch):
    X, y = noisy_table(150)
    model = ISVMClassifierCV(n_settings=12, cost_range=(0.1, 50.0), random_state=1)
    whole = model.fit(X, y)
    expected = {
        name: getattr(whole, name)
        for name in ("loo_error_", "weights_", "margins_", "loo_proba_", "n_support_")
    }
    proba = whole.predict_proba(X + 0.01)
    everything = Sampling(0, 10_000, 12, 10_000, 10_000)
    monkeypatch.setattr(ISVMClassifierCV, "_sampling", everything)
    model.fit(X, y)
    for name, value in expected.items():
        assert_allclose(getattr(model, name), value, atol=1e-7, err_msg=name)
    assert_allclose(model.predict_proba(X + 0.01), proba, atol=1e-7)


def test_bits_depend_on_the_seed_alone(sampled):
    X, y = noisy_table()
    one = sampled.fit(X, y).loo_proba_
    assert_array_equal(sampled.set_params(n_jobs=3).fit(X, y).loo_proba_, one)
    shuffled = np.random.default_rng(0).permutation(len(y))
    assert_array_equal(sampled.fit(X[shuffled], y[shuffled]).loo_proba_, one[shuffled])
    assert (sampled.set_params(random_state=4).fit(X, y).loo_proba_ != one).any()


def test_few_machines_are_kept_and_few_rows(sampled):
    X, y = noisy_table()
    sampled.fit(X, y)
    assert ((sampled.weights_ > 0).any(axis=1)).sum() <= 4
    assert_allclose(sampled.weights_.sum(axis=0), 1.0)
    machines = sampled._machines
    assert np.diff(machines["kernel_rows"]).max() <= 120
    assert all(len(known) <= 50 for known in machines["views"]["values"])
    assert (sampled.n_support_ <= sampled.class_count_.sum()).all()


def test_what_it_says_of_its_own_rows_is_honest(sampled):
    random = np.random.default_rng(5)
    X, y = random.random((600, 5)), np.repeat([0, 1], 300)
    unseen = sampled.fit(X, y).loo_proba_
    assert g_mean_score(y, np.argmax(unseen, axis=1)) < 0.6
    assert 0.45 < unseen[np.arange(600), y].mean() < 0.55


def test_weights_count_rows(sampled):
    X, y = noisy_table(300)
    weight = np.arange(300) % 3
    many = np.repeat(np.arange(300), weight)
    once = sampled.fit(X, y, sample_weight=weight).predict_proba(X)
    assert_array_equal(sampled.fit(X[many], y[many]).predict_proba(X), once)


def test_explanations_name_a_row_once(sampled):
    X, y = noisy_table()
    explained = sampled.fit(X, y).explain(X[:3])
    for one in explained:
        assert one.support["row"].is_unique
        assert sum(one.proba.values()) == pytest.approx(1.0)


def test_small_tables_are_solved_whole():
    X, y = noisy_table(1000)
    data = training_set(X, y, np.ones(len(y)), 3)
    assert not Sampling().applies_to(data, make_pairs(data.class_size))
    large = training_set(*noisy_table(6000), np.ones(6000), 3)
    assert Sampling().applies_to(large, make_pairs(large.class_size))
