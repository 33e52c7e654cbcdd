"""Bags: what is drawn follows from the work that is allowed, and nothing jumps."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_array_equal

from isvmde.core.averaging.bags import (
    Budget,
    affordable_rows,
    plan_bags,
    plan_larger_bags,
)
from isvmde.core.averaging.settings import SettingSpace, draw_settings
from isvmde.core.decomposition.one_vs_one import make_pairs
from isvmde.core.training_set import training_set

sizes_of_classes = st.lists(st.integers(1, 60), min_size=2, max_size=4).map(np.array)


def work_of(n_rows, pairs, quota):
    """Return squared rows, summed over pairs, over the root of their number."""
    total = 0
    for plus, minus in pairs.tolist():
        rows = min(n_rows[plus], quota) + min(n_rows[minus], quota)
        total += int(rows) ** 2
    return total / len(pairs) ** 0.5


@settings(max_examples=80)
@given(sizes_of_classes, st.floats(1, 40_000))
def test_the_quota_is_the_largest_that_is_affordable(n_rows, work):
    pairs = make_pairs(n_rows)
    quota = affordable_rows(n_rows, pairs, work)
    assert 1 <= quota <= n_rows.max()
    assert quota == 1 or work_of(n_rows, pairs, quota) <= work
    assert quota == n_rows.max() or work_of(n_rows, pairs, quota + 1) > work


@settings(max_examples=50)
@given(sizes_of_classes, st.floats(1, 40_000), st.floats(1, 4))
def test_more_work_is_more_rows(n_rows, work, factor):
    pairs = make_pairs(n_rows)
    few = affordable_rows(n_rows, pairs, work)
    assert few <= affordable_rows(n_rows, pairs, factor * work)


@settings(max_examples=50)
@given(sizes_of_classes, st.floats(1, 40_000), st.integers(1, 500))
def test_a_larger_class_never_gets_more_of_the_others(n_rows, work, more):
    pairs = make_pairs(n_rows)
    larger = n_rows.copy()
    larger[np.argmax(n_rows)] += more
    before = np.minimum(n_rows, affordable_rows(n_rows, pairs, work))
    after = np.minimum(larger, affordable_rows(larger, pairs, work))
    others = np.arange(len(n_rows)) != np.argmax(n_rows)
    assert (after <= before)[others].all()


def test_a_million_rows_are_planned_at_once():
    n_rows = np.array([10**6, 2_000, 30])
    quota = affordable_rows(n_rows, make_pairs(n_rows), 3e6)
    assert work_of(n_rows, make_pairs(n_rows), quota) <= 3e6


def table(sizes, group=None):
    n = sum(sizes)
    X = np.random.default_rng(0).random((n, 2))
    y = np.repeat(np.arange(len(sizes)), sizes)
    return training_set(X, y, np.ones(n), len(sizes), group)


def plan(data, budget, n_settings=48, seed=0):
    drawn = draw_settings(n_settings, SettingSpace(), 0)
    return drawn, plan_bags(data, make_pairs(data.class_size), drawn, budget, seed)


def test_what_the_budget_allows_is_one_bag_of_all_rows():
    data = table([60, 20, 5])
    exactly = work_of(np.array([60, 20, 5]), make_pairs(data.class_size), 60)
    drawn, whole = plan(data, Budget(work=exactly))
    assert whole.is_whole
    (bag,) = whole.bags
    for rows in (bag.rows, whole.judges):
        assert_array_equal(rows, np.arange(85))
    assert_array_equal(bag.settings, np.arange(len(drawn)))
    assert not plan(data, Budget(work=exactly - 1))[1].is_whole


@pytest.mark.parametrize("settings_per_bag", [1, 3, 4, 1000])
def test_every_setting_is_in_one_bag_with_its_like(settings_per_bag):
    data = table([60, 20, 5])
    budget = Budget(work=1_500.0, settings_per_bag=settings_per_bag)
    drawn, drawn_from = plan(data, budget)
    placed = np.concatenate([bag.settings for bag in drawn_from.bags])
    assert_array_equal(np.sort(placed), np.arange(len(drawn)))
    for bag in drawn_from.bags:
        assert 1 <= len(bag.settings) <= settings_per_bag
        assert (np.diff(bag.settings) > 0).all()
        assert len({drawn[s].sight for s in bag.settings}) == 1


def test_samples_differ_and_rare_classes_are_whole():
    data = table([300, 80, 5])
    _, drawn_from = plan(data, Budget(work=20_000.0))
    quota = affordable_rows(
        np.array([300, 80, 5]), make_pairs(data.class_size), 20_000.0
    )
    assert 5 < quota < 80
    samples = [bag.rows for bag in drawn_from.bags] + [drawn_from.judges]
    for rows in samples:
        assert_array_equal(np.bincount(data.label[rows]), [quota, quota, 5])
    assert len({rows.tobytes() for rows in samples}) == len(samples)


@pytest.mark.parametrize("sizes", [[200, 200], [350, 50], [150, 120, 90, 10]], ids=str)
@pytest.mark.parametrize("extra", [1, 5, 20])
def test_a_table_just_above_the_budget_gets_nearly_all_its_rows(sizes, extra):
    """No cliff: beyond the budget by a few rows, a few rows are missing."""
    n_rows = np.array(sizes)
    allowed = work_of(n_rows, make_pairs(n_rows), n_rows.max())
    larger = [sizes[0] + extra, *sizes[1:]]
    data = table(larger)
    _, drawn_from = plan(data, Budget(work=allowed))
    assert not drawn_from.is_whole
    for bag in drawn_from.bags:
        missing = len(data.X) - len(bag.rows)
        # of classes of one size none may keep more than the quota
        assert 1 <= missing <= len(sizes) * extra


def test_other_seeds_draw_other_samples():
    data = table([300, 80, 5])
    one, same, other = (
        plan(data, Budget(work=20_000.0), seed=seed)[1].judges for seed in (0, 0, 1)
    )
    assert_array_equal(one, same)
    assert (one != other).any()


def test_bags_hold_groups_whole():
    group = np.arange(385) // 5
    data = table([300, 80, 5], group)
    _, drawn_from = plan(data, Budget(work=20_000.0))
    for rows in [bag.rows for bag in drawn_from.bags] + [drawn_from.judges]:
        inside = np.isin(data.group, data.group[rows])
        assert inside.sum() == len(rows)


# Trained again

TWICE = Budget(first_work=1_600.0, second_work=12_000.0, least_rows=40)


def plan_twice(data, budget=TWICE, seed=0):
    """Return the plans of both times; every fifth setting is chosen."""
    drawn, first = plan(data, budget, seed=seed)
    pairs, chosen = make_pairs(data.class_size), drawn[::5]
    again = plan_larger_bags(data, pairs, chosen, first.judges, budget, seed)
    return first, again, chosen


def quota_of(data, work):
    return affordable_rows(np.diff(data.class_start), make_pairs(data.class_size), work)


@pytest.mark.parametrize(
    ("sizes", "budget", "expected"),
    [
        ([90, 40], TWICE, True),  # 20 rows of each class choose
        ([90, 39], replace(TWICE, least_rows=39), False),  # less than twice as many
        ([90, 40], replace(TWICE, growth=2.1), False),
        ([90, 40], replace(TWICE, least_rows=41), False),  # too few of one class
        ([90, 60], Budget(first_work=150.0**2, least_rows=40), False),  # affordable
    ],
)
def test_what_is_large_and_has_no_rare_class_is_trained_twice(sizes, budget, expected):
    data = table(sizes)
    assert plan(data, budget)[1].only_chooses is expected


@pytest.mark.parametrize("size", [1, 3, 7])
@pytest.mark.parametrize("seed", range(3))
def test_rows_that_chose_settings_do_not_judge_them(size, seed):
    """Nor does any row of their groups; and something is left of every class."""
    random = np.random.default_rng(seed)
    group = None if size == 1 else random.permutation(np.arange(250)) // size
    data = table([110, 80, 60], group)
    first, again, _ = plan_twice(data, seed=seed)
    assert first.only_chooses
    assert not again.only_chooses
    assert not np.isin(again.judges, first.judges).any()
    if group is not None:
        assert not np.isin(data.group[again.judges], data.group[first.judges]).any()
    for judges in (first.judges, again.judges):
        assert (np.diff(judges) > 0).all()
        assert (np.bincount(data.label[judges], minlength=3) >= 10).all()


@settings(max_examples=40)
@given(sizes_of_classes, st.floats(1, 2_000))
def test_most_rows_of_every_class_are_left_to_judge(sizes, first_work):
    data = table(sizes)
    budget = Budget(first_work=first_work, second_work=20_000.0, least_rows=2)
    first, again, _ = plan_twice(data, budget)
    if first.only_chooses:
        n_rows = np.diff(data.class_start)
        choose = np.bincount(data.label[first.judges], minlength=len(sizes))
        assert (2 * choose <= n_rows).all()
        judge = np.bincount(data.label[again.judges], minlength=len(sizes))
        assert (judge >= np.minimum(choose, n_rows - choose)).all()


def test_the_second_time_there_are_more_rows():
    data = table([110, 80, 60])
    first, again, chosen = plan_twice(data)
    few, many = quota_of(data, 1_600.0), quota_of(data, 12_000.0)
    assert few < many < 60
    for own, quota in ((first, few), (again, many)):
        for bag in own.bags:
            assert (np.bincount(data.label[bag.rows]) == quota).all()
    placed = np.concatenate([bag.settings for bag in again.bags])
    assert_array_equal(np.sort(placed), np.arange(len(chosen)))


def test_a_second_budget_for_everything_is_one_bag_and_new_judges():
    data = table([110, 80, 60])
    budget = Budget(first_work=2_000.0, second_work=1e9, least_rows=40)
    first, again, _ = plan_twice(data, budget)
    assert again.is_whole
    assert_array_equal(again.bags[0].rows, np.arange(250))
    assert len(again.judges) == 250 - len(first.judges)


@pytest.mark.parametrize("n_groups", [1, 2, 30])
def test_a_class_in_one_group_cannot_both_choose_and_judge(n_groups):
    group = np.arange(250)
    group[190:] = 1000 + np.arange(60) % n_groups
    data = table([110, 80, 60], group)
    _, found = plan(data, TWICE)
    assert found.only_chooses == (n_groups > 1)
    assert found.is_whole == (n_groups == 1)
