"""Samples of large tables: what is drawn, and what becomes of it."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from isvmde import ISVMClassifierCV
from isvmde.core.leave_one_out.sampling import (
    SampledTable,
    Sampling,
    member_weights,
    part_of,
    rows_per_class,
)
from isvmde.core.leave_one_out.settings import (
    Setting,
    SettingSpace,
    Task,
    draw_settings,
    solve_settings,
    with_wide_kernels,
)
from isvmde.core.leave_one_out.weighing import Tuning, ranking_error
from isvmde.core.pairs import make_pairs
from isvmde.core.training_set import training_set
from isvmde.metrics import g_mean_score

SMALL = Sampling(
    largest=0, first_rows=60, promoted=4, last_rows=120, enlarged_work=4e4, knots=50
)


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
    table = sample_of(data, make_pairs(data.class_size), last_rows=300)
    rows = table.draw(table.quota)
    part = part_of(data, rows)
    sizes, whole = np.diff(part.class_start), np.diff(data.class_start)
    assert len(rows) <= 300
    assert sizes[2] == whole[2] < 100
    assert sizes[0] == sizes[1] < whole[1]
    assert_array_equal(part.X, data.X[rows])
    assert_array_equal(part.class_size, sizes)


def test_as_many_rows_of_every_class_as_fit():
    sizes = np.array([1000, 300, 10])
    assert rows_per_class(sizes, 210) == 100
    assert rows_per_class(sizes, 5_000) == 1000
    assert rows_per_class(sizes, 1) == 1


def test_a_member_with_less_than_half_its_share_is_left_out():
    error = np.array([[0.10], [0.10], [0.14]])
    assert_array_equal(member_weights(error, Tuning()), [[0.5], [0.5], [0.0]])


def test_samples_of_all_rows_say_what_the_whole_model_says(monkeypatch):
    X, y = noisy_table(200)
    new, _ = noisy_table(300, seed=1)
    model = ISVMClassifierCV(n_settings=24, cost_range=(0.1, 50.0), random_state=1)
    whole = model.fit(X, y).predict_proba(new)
    everything = Sampling(0, 10_000, 12, 10_000, knots=10_000)
    monkeypatch.setattr(ISVMClassifierCV, "_sampling", everything)
    sampled = model.fit(X, y).predict_proba(new)
    assert (np.argmax(sampled, axis=1) == np.argmax(whole, axis=1)).mean() > 0.9
    assert np.abs(sampled - whole).mean() < 0.06


def sample_of(data, pairs, **options):
    """Return what trains machines on samples, in this thread."""
    sampling = Sampling(**{"last_rows": 240, "pool": 5_000, **options})

    def run(tasks):
        return [solve_settings(task) for task in tasks]

    return SampledTable(Task(data, pairs, [], 1e-3), sampling, 0, 1, run)


def two_arcs(n, seed=0):
    """Return two classes, 10 to 1, along a wave that many rows make out better."""
    random = np.random.default_rng(seed)
    X = random.random((n, 2))
    y = (X[:, 1] > 0.5 + 0.3 * np.sin(12 * X[:, 0]) + 0.1 * random.normal(size=n)) * 1
    keep = (y == 0) | (random.random(n) < 0.1)
    return X[keep], y[keep]


def test_enlarged_machines_see_more_rows_and_are_better():
    X, y = two_arcs(12_000)
    new, truth = two_arcs(6_000, seed=1)
    data = training_set(X, y, np.ones(len(y)), 2)
    pairs = make_pairs(data.class_size)
    table = sample_of(data, pairs, enlarged_work=1.5e6)
    setting = Setting("rbf", "values", 0.15, None, 10.0, 10.0)
    (member,) = table.train([setting])
    (larger,) = table.enlarge([member])
    sizes = [np.diff(data.class_start)[c] for c in pairs[0]]
    assert len(member.rows[0]) == 240
    assert 900 < len(larger.rows[0]) <= 1_225 + 600 < sum(sizes)
    error = []
    for one in (member, larger):
        t = one.machines.decide(new, [setting], 1, 1)[:, 0]
        order = np.argsort(truth != pairs[0][0], kind="stable")
        n_pos = int((truth == pairs[0][0]).sum())
        error.append(ranking_error(t[None, order], n_pos, np.ones(len(t)))[0])
    assert error[1] < error[0] - 0.002


def test_rows_left_out_are_judged_by_leave_one_out_and_others_by_the_machine():
    X, y = noisy_table(600, 2)
    data = training_set(X, y, np.ones(len(y)), 2)
    pairs = make_pairs(data.class_size)
    table = sample_of(data, pairs)
    (member,) = table.train([Setting("poly", "ranks", None, 2, 1.0, 1.0)])
    rows = np.arange(len(data.X))
    told = table.unseen(member, rows)[:, 0]
    plain = member.machines.decide(data.X, [member.setting], 1, 1)[:, 0]
    other = np.setdiff1d(rows, member.rows[0])
    assert_array_equal(told[other], plain[other])
    assert_array_equal(told[member.rows[0]], np.tanh(member.left_out[0]))
    assert (told != plain).any()
    some = np.sort(np.random.default_rng(0).choice(rows, 50, replace=False))
    assert_array_equal(table.unseen(member, some)[:, 0], told[some])
    moved = member.with_margins(np.array([2.0]), np.array([0.5]))
    assert_allclose(
        np.arctanh(table.unseen(moved, some)[:, 0]),
        2.0 * np.arctanh(told[some]) + 0.5,
        atol=1e-6,
    )


def test_widths_follow_the_spread_of_the_rows():
    X, y = noisy_table(500)
    data = training_set(X, y, np.ones(len(y)), 3)
    space = SettingSpace(views=("values",), sigma=(0.01, 1000.0))
    drawn = draw_settings(24, space, 0)
    spread = np.sqrt(0.5 * X.var(axis=0).sum())
    found = with_wide_kernels(drawn, space, data)
    assert found[:20] == drawn[:20]
    assert {setting.kernel for setting in found[20:]} == {"rbf"}
    assert_allclose([s.sigma for s in found[20:]], spread * np.array([1, 1, 1.7, 1.7]))
    without = SettingSpace(kernels=("min",))
    assert with_wide_kernels(drawn, without, data) == drawn
    narrow = SettingSpace(sigma=(0.1, 0.2), cost=(0.1, 1.0))
    for setting in with_wide_kernels(drawn, narrow, data)[20:]:
        assert setting.sigma <= 0.2
        assert setting.C_pos == setting.C_neg == 1.0


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
    assert np.diff(machines["kernel_rows"]).max() <= 3 * 115
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
