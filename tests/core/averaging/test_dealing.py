"""Dealing: even, groups whole, and neither names nor the order of rows matter."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_array_equal

from isvmde.core.averaging.dealing import deal, draw_halves, draw_rows, list_units
from isvmde.core.training_set import training_set

QUICK = settings(max_examples=50)


def distinct_rows(n, seed=0):
    """Rows that are all different, so that each is known again."""
    return np.random.default_rng(seed).permutation(n)[:, None] + 0.5


def table(sizes, group=None, names=None):
    """Return classes of the given sizes, the names of which may be permuted."""
    y = np.repeat(np.arange(len(sizes)), sizes)
    if names is not None:
        y = np.asarray(names)[y]
    n = len(y)
    return training_set(distinct_rows(n), y, np.ones(n), len(sizes), group)


def in_given_order(data, values):
    """Return values of the rows of a training set for the rows that were given."""
    return np.asarray(values)[data.place]


sizes_of_classes = st.lists(st.integers(1, 25), min_size=2, max_size=4)


@QUICK
@given(sizes_of_classes, st.integers(1, 17), st.integers(0, 5))
def test_classes_are_dealt_evenly(sizes, n_parts, seed):
    data = table(sizes)
    part = deal(data, n_parts, seed)
    assert part.min() >= 0
    assert part.max() < n_parts
    for c in range(len(sizes)):
        counts = np.bincount(part[data.rows(c)], minlength=n_parts)
        assert np.ptp(counts) <= 1


@QUICK
@given(sizes_of_classes, st.integers(0, 5), st.integers(1, 6))
def test_groups_are_dealt_whole_and_evenly(sizes, seed, largest):
    n = sum(sizes)
    group = np.random.default_rng(seed).permutation(np.arange(n) // largest)
    data = table(sizes, group)
    part = in_given_order(data, deal(data, 3, seed))
    first = [part[group == code][0] for code in np.unique(group)]
    for code, own in zip(np.unique(group), first, strict=True):
        assert (part[group == code] == own).all()
    # every group counts once, in its smallest class
    units = list_units(data)
    for rank in range(len(sizes)):
        own = np.array(first)[units.class_rank == rank]
        assert np.ptp(np.bincount(own, minlength=3)) <= 1


def test_a_group_of_several_classes_is_dealt_with_its_smallest_one():
    data = table([6, 3], group=np.array([0, 0, 1, 1, 2, 2, 0, 1, 3]))
    units = list_units(data)
    assert units.class_rank.tolist() == [0, 0, 1, 0]
    assert set(units.order[:3].tolist()) == {0, 1, 3}
    assert units.order[3] == 2


@pytest.mark.parametrize("grouped", [False, True])
@pytest.mark.parametrize("names", [[1, 0, 2], [2, 0, 1], [2, 1, 0]], ids=str)
def test_names_of_classes_do_not_matter(grouped, names):
    """Also of two classes of one size, which their rows tell apart."""
    sizes = [9, 9, 4]
    group = np.random.default_rng(1).integers(0, 12, 22) if grouped else None
    one, other = table(sizes, group), table(sizes, group, names)
    for found in (
        [in_given_order(data, deal(data, 5, 3)) for data in (one, other)],
        [drawn_rows(data, 6, (3, 1)) for data in (one, other)],
    ):
        assert_array_equal(*found)


@pytest.mark.parametrize("grouped", [False, True])
def test_nor_does_the_order_of_rows(grouped):
    random = np.random.default_rng(2)
    X, y, weight = distinct_rows(30), np.repeat([0, 1], [22, 8]), np.ones(30)
    group = random.integers(0, 14, 30) if grouped else None
    order = random.permutation(30)
    one = training_set(X, y, weight, 2, group)
    shuffled = None if group is None else group[order]
    other = training_set(X[order], y[order], weight, 2, shuffled)
    dealt = (in_given_order(data, deal(data, 4, 7)) for data in (one, other))
    assert_array_equal(next(dealt)[order], next(dealt))
    drawn = (drawn_rows(data, 10, (7,)) for data in (one, other))
    assert_array_equal(next(drawn)[order], next(drawn))


@pytest.mark.parametrize("names", [[0, 5, 2, 9], [9, 5, 2, 0]], ids=str)
def test_nor_do_names_of_groups(names):
    group = np.repeat([0, 1, 2, 3], [5, 9, 3, 6])
    one = table([15, 8], group)
    other = table([15, 8], np.array(names)[group])
    assert_array_equal(deal(one, 3, 1), deal(other, 3, 1))
    assert_array_equal(draw_rows(one, 4, (1,)), draw_rows(other, 4, (1,)))


def test_other_seeds_deal_otherwise():
    data = table([40, 20])
    assert (deal(data, 3, 0) != deal(data, 3, 1)).any()
    assert (draw_rows(data, 10, (0, 1)) != draw_rows(data, 10, (0, 2))).any()


@QUICK
@given(st.integers(1, 20), st.integers(1, 12), st.integers(0, 9))
def test_every_draw_sees_half_of_the_parts(n_parts, n_draws, seed):
    present = draw_halves(n_parts, n_draws, seed)
    assert present.shape == (n_draws, n_parts)
    half = n_parts // 2
    assert set(present.sum(axis=1).tolist()) <= {half, n_parts - half}
    even = n_draws - n_draws % 2
    assert (present[:even].sum(axis=0) == even // 2).all()
    assert_array_equal(present[1::2], ~present[:even:2])


def test_halves_differ_from_draw_to_draw():
    present = draw_halves(16, 32, 0)
    assert len(np.unique(present, axis=0)) == 32


def drawn_rows(data, quota, seed):
    """Return which of the rows given are drawn."""
    chosen = np.zeros(len(data.X), dtype=bool)
    chosen[draw_rows(data, quota, seed)] = True
    return in_given_order(data, chosen)


@QUICK
@given(sizes_of_classes, st.integers(1, 30), st.integers(0, 5))
def test_the_quota_of_every_class_is_drawn_or_all_it_has(sizes, quota, seed):
    data = table(sizes)
    rows = draw_rows(data, quota, (seed,))
    assert (np.diff(rows) > 0).all()
    assert_array_equal(np.bincount(data.label[rows]), np.minimum(sizes, quota))


@QUICK
@given(sizes_of_classes, st.integers(1, 30), st.integers(0, 5))
def test_groups_are_drawn_whole_until_the_quota_is_reached(sizes, quota, seed):
    n = sum(sizes)
    group = np.random.default_rng(seed).permutation(np.arange(n) // 3)
    data = table(sizes, group)
    rows = draw_rows(data, quota, (seed,))
    drawn = np.isin(np.arange(n), rows)
    counts = np.bincount(data.label[rows], minlength=len(sizes))
    assert (counts >= np.minimum(sizes, quota)).all()
    assert (counts <= 2 * quota).all()
    for code in np.unique(data.group):
        own = data.group == code
        is_cut = len(np.unique(drawn[own])) > 1
        # only where a class would have more than twice the quota
        assert not is_cut or (counts[data.label[own]] == 2 * quota).any()


def test_a_group_of_one_class_exceeds_the_quota_by_less_than_a_group():
    data = table([60, 60], group=np.arange(120) // 4)
    for seed in range(10):
        counts = np.bincount(data.label[draw_rows(data, 18, (seed,))])
        assert (counts == 20).all()


def test_of_a_group_larger_than_twice_the_quota_some_rows_are_drawn():
    data = table([60, 60], group=np.repeat([0, 1, 2], [50, 10, 60]))
    for seed in range(5):
        rows = draw_rows(data, 8, (seed,))
        counts = np.bincount(data.label[rows])
        assert counts[1] == 16
        assert counts[0] in (10, 16)


def test_all_rows_are_drawn_now_and_then():
    """Of ten rows three are drawn: each in three of ten draws."""
    data = table([10, 2])
    drawn = [draw_rows(data, 3, (0, k)) for k in range(1000)]
    counts = np.bincount(np.concatenate(drawn), minlength=12)
    assert (counts[10:] == 1000).all()
    assert (abs(counts[:10] - 300) < 5 * np.sqrt(1000 * 0.3 * 0.7)).all()
