"""From decisions on rows left out to weights, by hand and by law."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from numpy.testing import assert_allclose, assert_array_equal

from isvmde.core.averaging import weighing
from isvmde.core.averaging.dealing import draw_halves
from isvmde.core.averaging.weighing import (
    N_BLOCKS,
    N_DRAWS,
    Tuning,
    average_decisions,
    balanced_errors,
    draw_weights,
    errors_of,
    for_parts,
    list_judges,
    shrunk,
    softmin,
    sum_by_block,
    without_smallest,
)
from isvmde.core.decomposition.one_vs_one import make_pairs
from isvmde.core.training_set import training_set

SEEDS = st.integers(0, 10_000)
FEW = settings(max_examples=30)
errors = arrays(float, (6, 3), elements=st.floats(0, 1))
PARTS = np.array([-1, 0, 1, -1, 2, 0])  # of six settings


def make_judges(sizes=(12, 7, 3), rows=None, seed=0):
    """Return rows that judge, with random weights, parts and blocks."""
    random = np.random.default_rng(seed)
    n = sum(sizes)
    data = training_set(
        random.permutation(n)[:, None] + 0.5,
        np.repeat(np.arange(len(sizes)), sizes),
        random.integers(1, 4, n).astype(float),
        len(sizes),
    )
    part, block = random.integers(0, 3, n), random.integers(0, N_BLOCKS, n)
    pairs = make_pairs(data.class_size)
    rows = np.arange(n) if rows is None else rows
    return data, pairs, list_judges(data, pairs, rows, part, block)


# Who judges


def test_rows_judge_in_every_pair_of_their_class():
    data, pairs, judges = make_judges(rows=np.array([0, 3, 13, 20]))
    expected = [
        (row, p, sign)
        for p, pair in enumerate(pairs.tolist())
        for sign, c in zip((True, False), pair, strict=True)
        for row in (0, 3, 13, 20)
        if data.label[row] == c
    ]
    found = zip(
        judges.row.tolist(), judges.pair.tolist(), judges.is_plus.tolist(), strict=True
    )
    assert list(found) == expected
    assert_array_equal(judges.weight, data.weight[judges.row])
    _, _, everything = make_judges()
    known = dict(zip(everything.row, everything.part, strict=True))
    assert judges.part.tolist() == [known[row] for row in judges.row]
    known = dict(zip(everything.row, everything.block, strict=True))
    assert judges.block.tolist() == [known[row] for row in judges.row]


# Errors


def test_error_by_hand():
    _, _, judges = make_judges((2, 1))
    f = np.array([[1.0, -1.0, -2.0]])
    y = np.where(judges.is_plus, 1.0, -1.0)
    expected = 1 / (1 + np.exp(2.5 * y * f))
    assert_allclose(errors_of(np.tanh(f), judges, 2.5), expected, rtol=1e-6)


def test_the_surest_decisions_do_not_overflow():
    _, _, judges = make_judges((1, 1))
    error = errors_of(np.array([[1.0, -1.0], [-1.0, 1.0], [0.0, 0.0]]), judges, 1e3)
    assert_array_equal(error, [[0.0, 0.0], [1.0, 1.0], [0.5, 0.5]])


def plain_sums(error, judges, setting_part):
    """Return the four sums of `BlockErrors` by loops over judges and settings."""
    n_settings, shape = len(error), (judges.n_pairs, 2, N_BLOCKS)
    of_all, weight = np.zeros(shape), np.zeros(shape)
    beyond, known = np.zeros((n_settings, *shape)), np.zeros((n_settings, *shape))
    for c in range(len(judges.row)):
        cell = judges.pair[c], 0 if judges.is_plus[c] else 1, judges.block[c]
        who = [s for s in range(n_settings) if setting_part[s] in (-1, judges.part[c])]
        mean = sum(error[s, c] for s in who) / max(len(who), 1)
        of_all[cell] += judges.weight[c] * mean
        weight[cell] += judges.weight[c]
        for s in who:
            beyond[(s, *cell)] += judges.weight[c] * (error[s, c] - mean)
            known[(s, *cell)] += judges.weight[c]
    return of_all, weight, beyond, known


def plain_errors(sums, present):
    """Return the class-balanced error of every setting and pair in one draw."""
    of_all, weight, beyond, known = sums
    n_settings, n_pairs = beyond.shape[:2]
    shown = [k for k in range(N_BLOCKS) if present[k]]
    error = np.zeros((n_settings, n_pairs))
    for s in range(n_settings):
        for p in range(n_pairs):
            whole = [sum(weight[p, side, k] for k in shown) for side in range(2)]
            if 0.0 in whole:  # nothing can be said of a side that nobody judges
                error[s, p] = 0.5
                continue
            for side in range(2):
                mean = sum(of_all[p, side, k] for k in shown) / whole[side]
                error[s, p] += 0.5 * mean
                judged = sum(known[s, p, side, k] for k in shown)
                if judged > 0:
                    more = sum(beyond[s, p, side, k] for k in shown) / judged
                    error[s, p] += 0.5 * more
    return error


@pytest.mark.parametrize("setting_part", [PARTS, np.full(6, -1), np.zeros(6, int)])
@pytest.mark.parametrize("seed", range(2))
def test_sums_and_errors_are_those_of_plain_loops(seed, setting_part):
    _, _, judges = make_judges(seed=seed)
    random = np.random.default_rng(seed)
    error = random.random((6, len(judges.row)))
    sums = sum_by_block(error, judges, setting_part)
    expected = plain_sums(error, judges, setting_part)
    for ours, theirs in zip(sums, expected, strict=True):
        assert_allclose(ours, theirs, atol=1e-12)
    present = random.random((4, N_BLOCKS)) < 0.3
    found = balanced_errors(sums, present)
    for k in range(4):
        assert_allclose(found[k], plain_errors(expected, present[k]), atol=1e-12)


def test_where_all_judge_all_the_error_is_the_mean_of_two_classes():
    _, _, judges = make_judges()
    error = np.random.default_rng(0).random((6, len(judges.row)))
    sums = sum_by_block(error, judges, np.full(6, -1))
    found = balanced_errors(sums, np.ones((1, N_BLOCKS), dtype=bool))[0]
    for p in range(3):
        sides = [(judges.pair == p) & (judges.is_plus == plus) for plus in (0, 1)]
        recall = [
            np.average(error[:, side], weights=judges.weight[side], axis=1)
            for side in sides
        ]
        assert_allclose(found[:, p], np.mean(recall, axis=0))


def test_a_part_of_hard_rows_does_not_speak_against_its_settings():
    """Settings that are wrong alike on the same rows have the same error."""
    _, _, judges = make_judges((60, 60))
    hard = np.where(judges.part == 0, 0.9, 0.1)
    error = np.tile(hard, (6, 1))
    sums = sum_by_block(error, judges, PARTS)
    found = balanced_errors(sums, np.ones((1, N_BLOCKS), dtype=bool))[0]
    assert_allclose(found, np.tile(found[:1], (6, 1)))


def test_a_weight_is_that_many_rows():
    _, _, judges = make_judges()
    error = np.random.default_rng(0).random((6, len(judges.row)))
    counts = judges.weight.astype(int)
    repeated = judges._replace(
        **{
            name: np.repeat(getattr(judges, name), counts)
            for name in ("row", "pair", "is_plus", "part", "block")
        },
        weight=np.ones(counts.sum()),
    )
    ours = sum_by_block(error, judges, PARTS)
    theirs = sum_by_block(np.repeat(error, counts, axis=1), repeated, PARTS)
    for one, other in zip(ours, theirs, strict=True):
        assert_allclose(one, other, atol=1e-12)


# Shrinking, weighing, dropping


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


@given(arrays(float, (3, 6, 2), elements=st.floats(0, 1)))
def test_draws_do_not_listen_to_each_other(drawn):
    size = np.array([3.0, 8.0])
    for one, weights, e in zip(
        drawn, softmin(drawn, 0.1), shrunk(drawn, size, 5.0), strict=True
    ):
        assert_allclose(softmin(one, 0.1), weights, atol=1e-12)
        assert_allclose(shrunk(one, size, 5.0), e, atol=1e-12)


@given(errors)
def test_weights_add_up_to_one_and_fall_with_the_error(error):
    weight = softmin(error, 0.02)
    assert_allclose(weight.sum(axis=0), 1.0)
    for e, w in zip(error.T, weight.T, strict=True):
        worse = e[:, None] > e
        assert (w[:, None] <= w + 1e-12)[worse].all()


def test_one_width_of_error_is_the_factor_e():
    weight = softmin(np.array([[0.10], [0.12]]), 0.02)
    assert weight[0, 0] / weight[1, 0] == pytest.approx(np.e)


@given(errors, st.floats(0, 0.4))
def test_at_most_the_given_weight_is_dropped(error, dropped):
    full = softmin(error, 0.05)
    kept = without_smallest(full, dropped)
    assert_allclose(kept.sum(axis=0), 1.0)
    lost = np.where(kept == 0.0, full, 0.0).sum(axis=0)
    assert (lost <= dropped + 1e-12).all()
    same = kept > 0
    share = (kept / np.where(same, full, 1.0))[same]
    assert (share >= 1.0 - 1e-12).all()  # what is left is scaled up
    # nothing that was dropped is heavier than what was kept
    heaviest_lost = np.where(same, 0.0, full).max(axis=0)
    assert (heaviest_lost <= np.where(same, full, 1.0).min(axis=0)).all()


@pytest.mark.parametrize("n", [1, 5])
def test_equal_weights_stay_equal_where_none_is_dropped(n):
    assert_allclose(without_smallest(np.full((n, 2), 1 / n), 0.0), 1 / n)


# Draws


def drawn_weights(error, judges, setting_part, tuning=None):
    sums = sum_by_block(error, judges, setting_part)
    present = draw_halves(N_BLOCKS, N_DRAWS, 0)
    size = sums.weight.sum(axis=2).min(axis=1)
    tuning = Tuning() if tuning is None else tuning
    usable = np.ones((len(error), judges.n_pairs), dtype=bool)
    return draw_weights(sums, present, size, usable, tuning)


@FEW
@given(SEEDS)
def test_weights_of_a_part_do_not_know_the_other_parts_of_restricted_settings(seed):
    """Decisions of a setting on rows that its relevance knows are never looked at."""
    _, _, judges = make_judges(seed=seed)
    random = np.random.default_rng(seed)
    error = random.random((6, len(judges.row)))
    hidden = (PARTS[:, None] >= 0) & (PARTS[:, None] != judges.part)
    other = np.where(hidden, random.random(error.shape), error)
    one, two = (drawn_weights(values, judges, PARTS) for values in (error, other))
    assert_array_equal(one.of_all, two.of_all)
    assert_array_equal(one.without_block, two.without_block)


@FEW
@given(SEEDS)
def test_all_weights_are_shares(seed):
    _, _, judges = make_judges(seed=seed)
    error = np.random.default_rng(seed).random((6, len(judges.row)))
    found = drawn_weights(error, judges, PARTS)
    assert_allclose(found.of_all.sum(axis=0), 1.0)
    assert_allclose(found.without_block.sum(axis=1), 1.0)
    # every block is absent from half of the draws, present in the others
    assert_allclose(
        found.without_block.mean(axis=0).sum(axis=0), found.of_all.sum(axis=0)
    )


def test_draws_average_what_is_better_by_chance():
    """One lucky row in a class of three: no setting wins all the weight."""
    random = np.random.default_rng(0)
    heaviest_once, heaviest_drawn = [], []
    for seed in range(5):
        _, _, judges = make_judges((40, 3), seed=seed)
        error = (random.random((40, len(judges.row))) < 0.5).astype(float)
        common = np.full(40, -1)
        drawn = drawn_weights(error, judges, common)
        sums = sum_by_block(error, judges, common)
        everything = np.ones((1, N_BLOCKS), dtype=bool)
        once = softmin(balanced_errors(sums, everything)[0], Tuning().width)
        heaviest_once.append(once.max())
        heaviest_drawn.append(drawn.of_all.max())
    assert np.mean(heaviest_drawn) < np.mean(heaviest_once)


def test_what_is_better_everywhere_wins():
    _, _, judges = make_judges((40, 30))
    error = np.full((6, len(judges.row)), 0.5)
    error[3] = 0.1
    found = drawn_weights(error, judges, PARTS)
    assert (found.of_all[3] > 0.9).all()


# Who is told by whom


@given(errors, st.lists(st.integers(-1, 2), min_size=6, max_size=6).map(np.array))
def test_both_shares_are_kept_in_every_part(error, setting_part):
    weight = softmin(error, 0.1)
    told = for_parts(weight, setting_part, 3)
    assert told.shape == (3, *weight.shape)
    common = setting_part < 0
    for part in range(3):
        others = ~common & (setting_part != part)
        assert not told[part][others].any()
        own = setting_part == part
        if own.any():
            assert_allclose(told[part].sum(axis=0), 1.0)
            for kind in (common, ~common):
                share = weight[kind].sum(axis=0)
                assert_allclose(told[part][kind].sum(axis=0), share, atol=1e-12)
        elif common.any():  # nobody stands in for the others
            assert_allclose(told[part].sum(axis=0), 1.0)
        else:
            assert not told[part].any()


@given(errors)
def test_without_weighted_settings_all_parts_are_told_the_same(error):
    weight = softmin(error, 0.1)
    for told in for_parts(weight, np.full(6, -1), 3):
        assert_allclose(told, weight)


def test_shares_of_a_part_by_hand():
    weight = np.array([[0.4], [0.3], [0.2], [0.1]])
    told = for_parts(weight, np.array([-1, 0, 1, 1]), 3)
    assert_allclose(told[0, :, 0], [0.4, 0.6, 0.0, 0.0])
    assert_allclose(told[1, :, 0], [0.4, 0.0, 0.4, 0.2])
    assert_allclose(told[2, :, 0], [1.0, 0.0, 0.0, 0.0])  # none of its own


def test_decisions_are_averaged_with_the_weights_of_who_is_told(monkeypatch):
    _, _, judges = make_judges()
    random = np.random.default_rng(0)
    t = random.uniform(-1, 1, (6, len(judges.row)))
    weight = random.random((3, N_BLOCKS, 6, judges.n_pairs))
    expected = [
        sum(
            weight[judges.part[c], judges.block[c], s, judges.pair[c]] * t[s, c]
            for s in range(6)
        )
        for c in range(len(judges.row))
    ]
    whole = average_decisions(t, judges, weight)
    assert_allclose(whole, expected)
    monkeypatch.setattr(weighing, "_CHUNK", 5)
    assert_array_equal(average_decisions(t, judges, weight), whole)
