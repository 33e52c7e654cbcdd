"""One model of all bags: by hand, and what its rows may know."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from isvmde.core.averaging.average import lay_out, make_average
from isvmde.core.averaging.bags import Budget
from isvmde.core.averaging.calibration import (
    coupled,
    decisions_by_pair,
    fit_margins,
    with_margins,
)
from isvmde.core.averaging.deciding import make_decider
from isvmde.core.averaging.settings import N_PARTS, SettingDraw, SettingSpace
from isvmde.core.averaging.weighing import (
    N_BLOCKS,
    Tuning,
    list_judges,
)
from isvmde.core.decomposition.one_vs_one import OneVsOne
from isvmde.core.training_set import training_set

SMALL = Budget(work=5_000.0)
WHOLE = Budget()


@pytest.fixture(scope="module", params=[WHOLE, SMALL], ids=["whole", "sampled"])
def averaged(request, make_table, solve_here):
    """Return a table and its average."""
    table = make_table([60, 30, 8], n_settings=24, budget=request.param, tol=1e-4)
    return table, make_average(table, solve_here, Tuning(), 1)


def test_shapes_and_shares(averaged):
    table, average = averaged
    n_settings, n_pairs = len(table.settings), len(table.pairs)
    for values in (average.error, average.weights, average.violation):
        assert values.shape == (n_settings, n_pairs)
        assert np.isfinite(values).all()
    assert_allclose(average.weights.sum(axis=0), 1.0)
    assert ((average.error > 0) & (average.error < 1)).all()
    assert average.margins.shape == (n_pairs, 2)
    assert_allclose(average.unseen.sum(axis=1), 1.0)
    assert average.unseen.shape == (98, 3)


def test_machines_are_those_of_positive_weight(averaged):
    _, average = averaged
    machines = average.machines
    found = np.zeros_like(average.weights)
    found[machines.setting, machines.pair] = machines.weight
    assert_array_equal(found, average.weights)
    assert len(machines.pair) == (average.weights > 0).sum()
    assert_array_equal(np.unique(machines.index), np.arange(len(machines.rows)))


def test_little_weight_is_dropped(make_table, solve_here):
    table = make_table([60, 30, 8], n_settings=24, tol=1e-4)
    kept = []
    for dropped in (0.0, 0.1, 0.5):
        average = make_average(table, solve_here, Tuning(dropped=dropped), 1)
        kept.append((average.weights > 0).sum())
        assert_allclose(average.weights.sum(axis=0), 1.0)
        assert len(average.machines.pair) == kept[-1]
    assert kept[0] == 24 * 3
    assert kept[0] > kept[1] > kept[2] >= 3


def test_equal_weights_of_all_machines_by_hand(make_table, train, solve_here):
    """Endless width: the mean of what may be told, calibrated, and coupled."""
    table = make_table([20, 11, 5], n_settings=12)
    tuning = Tuning(width=1e12, dropped=0.0)
    average = make_average(table, solve_here, tuning, 1)
    assert_allclose(average.weights, 1 / 12)
    (bag,), data, pairs = train(table).bags, table.data, table.pairs
    everything = np.arange(len(data.X))
    each = bag.machines.each_setting(np.arange(12), 3)
    decider = make_decider(each, table.settings, 12 * 3, 1)
    plain = decider.decide(decider.look(data.X)).reshape(-1, 12, 3)
    t = np.moveaxis(plain, 1, 0).copy()
    for p, rows in enumerate(bag.pair_rows):
        t[:, rows, p] = bag.left_out[p]
    common = table.setting_part < 0
    m = np.empty((len(data.X), 3))
    for i, part in enumerate(table.part):
        own = table.setting_part == part
        assert own.any()
        share = (~common).sum() / 12
        m[i] = t[common, i].sum(axis=0) / 12 + share * t[own, i].mean(axis=0)
    judges = list_judges(data, pairs, everything, table.part, table.block)
    decisions = decisions_by_pair(m[judges.row, judges.pair], judges)
    margins = fit_margins(decisions, tuning.penalty, tuning.common)
    assert_allclose(average.margins, margins, atol=1e-6)
    expected = coupled(with_margins(m, margins), pairs, 3)
    assert_allclose(average.unseen, expected, atol=1e-6)


def test_parts_and_blocks_are_dealt_apart():
    """A block holds rows of all parts: what is told of them differs in both."""
    X, y = np.random.default_rng(0).random((960, 1)), np.repeat([0, 1], 480)
    data = training_set(X, y, np.ones(960), 2)
    draw = SettingDraw(4, SettingSpace(), 0)
    pairs = OneVsOne(data.class_size, data.class_rank).pairs
    table = lay_out(data, pairs, draw, 1e-3, WHOLE, 0)
    counts = np.zeros((N_PARTS, N_BLOCKS))
    np.add.at(counts, (table.part, table.block), 1)
    assert (counts > 0).all()
    assert np.abs(counts - 20).max() < 5 * np.sqrt(20)


def test_relevance_is_not_computed_where_no_kernel_asks_for_it(make_table):
    table = make_table([20, 10])
    plain = SettingDraw(6, SettingSpace(kernels=("rbf",)), 0)
    data, pairs = table.data, table.pairs
    assert len(table.views.relevance) == N_PARTS
    without = lay_out(data, pairs, plain, 1e-3, WHOLE, 0)
    assert len(without.views.relevance) == 0


@pytest.mark.parametrize("n", [1, 2, 3])
@pytest.mark.parametrize("seed", range(4))
def test_parts_without_rows_have_a_relevance_all_the_same(solve_here, n, seed):
    """The fewest rows there can be: some part is empty."""
    X = np.random.default_rng(seed).random((2 * n, 2))
    data = training_set(X, np.repeat([0, 1], n), np.ones(2 * n), 2)
    draw = SettingDraw(9, SettingSpace(), seed)
    pairs = OneVsOne(data.class_size, data.class_rank).pairs
    table = lay_out(data, pairs, draw, 1e-3, WHOLE, seed)
    assert table.views.relevance.shape == table.views.rank_relevance.shape == (3, 2)
    average = make_average(table, solve_here, Tuning(), 1)
    assert np.isfinite(average.unseen).all()
    assert np.isfinite(average.margins).all()


def test_the_solver_is_asked_for_all_bags_at_once(make_table, solve_here):
    """So that they can be solved side by side."""
    table = make_table([60, 30, 8], n_settings=12, budget=SMALL)
    asked = []

    def solve(assignments):
        asked.append(len(assignments))
        return solve_here(assignments)

    make_average(table, solve, Tuning(), 1)
    assert asked == [len(table.plan.bags)]
    for bag in table.plan.bags:
        assignment = table.assignment(bag)
        assert_array_equal(assignment.data.X, table.data.X[bag.rows])
        assert assignment.settings == [table.settings[s] for s in bag.settings]
        assert assignment.views is table.views


# Two stages

TWICE = Budget(first_work=2_000.0, second_work=12_000.0, n_chosen=5, least_rows=40)


@pytest.fixture(scope="module", params=[1, 3], ids=["rows", "groups"])
def trained_twice(request, make_table, solve_here):
    """Return a table, what was asked of the solver, and the average."""
    size = request.param
    table = make_table(
        [80, 60, 50],
        n_settings=24,
        budget=TWICE,
        group=None if size == 1 else lambda n: np.arange(n) // size,
        tol=1e-4,
    )
    asked = []

    def solve(assignments):
        asked.append(assignments)
        return solve_here(assignments)

    return table, asked, make_average(table, solve, Tuning(), 1)


def test_weights_of_two_stages_are_zero_but_for_the_chosen(trained_twice):
    table, asked, average = trained_twice
    used = np.flatnonzero((average.weights > 0).any(axis=1))
    again = {setting for assignment in asked[1] for setting in assignment.settings}
    assert len(again) == 5
    assert {table.settings[s] for s in used} <= again
    assert average.weights.shape == (24, 3)
    assert_allclose(average.weights.sum(axis=0), 1.0)
    for values in (average.error, average.violation, average.unseen, average.margins):
        assert np.isfinite(values).all()


def test_the_second_stage_is_trained_on_more_rows(trained_twice):
    table, asked, _ = trained_twice
    assert len(asked) == 2
    first, second = (np.mean([len(one.data.X) for one in own]) for own in asked)
    assert first < 0.7 * second
    every = [setting for assignment in asked[0] for setting in assignment.settings]
    assert len(every) == len(table.settings)


def test_machines_of_two_stages_are_numbered_as_all_settings(trained_twice):
    _, _, average = trained_twice
    machines = average.machines
    found = np.zeros_like(average.weights)
    found[machines.setting, machines.pair] = machines.weight
    assert_array_equal(found, average.weights)
    assert set(machines.kernel_setting) <= set(machines.setting)
    assert_array_equal(np.unique(machines.index), np.arange(len(machines.rows)))


def test_rows_of_two_stages_are_told_what_is_near_the_truth(trained_twice):
    table, _, average = trained_twice
    right = np.argmax(average.unseen, axis=1) == table.data.label
    assert right.mean() > 0.45
    assert not average.reliability.is_linear


@pytest.mark.parametrize("seed", range(3))
def test_noise_is_known_to_be_guessing(solve_here, seed):
    X = np.random.default_rng(seed).normal(size=(60, 40))
    data = training_set(X, np.repeat([0, 1], 30), np.ones(60), 2)
    pairs = OneVsOne(data.class_size, data.class_rank).pairs
    draw = SettingDraw(24, SettingSpace(), seed)
    table = lay_out(data, pairs, draw, 1e-3, WHOLE, seed)
    average = make_average(table, solve_here, Tuning(), 1)
    assert average.reliability.is_guessing
