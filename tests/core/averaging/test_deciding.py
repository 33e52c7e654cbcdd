"""Deciders: what is looked at once serves all choices of machines and weights."""

import numpy as np
import pytest
from numpy.testing import assert_array_equal

from isvmde.core.averaging import deciding
from isvmde.core.averaging.deciding import make_decider


@pytest.fixture(scope="module")
def trained_table(make_table, train):
    return train(make_table([20, 11, 5, 1]))


@pytest.fixture(scope="module")
def decider(trained_table):
    (bag,), table = trained_table.bags, trained_table.table
    return make_decider(bag.machines, table.settings, len(table.pairs), 1)


@pytest.fixture(scope="module")
def seen(decider):
    return decider.look(np.random.default_rng(1).normal(0.5, 0.6, size=(37, 3)))


def rebuilt(decider, machines):
    """Return what machines decide with a decider of their own."""
    own = make_decider(
        machines.without_idle_rows(), decider.settings, decider.n_columns, 1
    )
    X = np.random.default_rng(1).normal(0.5, 0.6, size=(37, 3))
    return own.decide(own.look(X))


def some_weights(decider, seed=0):
    random = np.random.default_rng(seed)
    shape = len(decider.settings), decider.n_columns
    return np.where(random.random(shape) < 0.4, random.random(shape), 0.0)


@pytest.mark.parametrize("seed", range(3))
def test_some_machines_decide_as_if_they_were_alone(decider, seen, seed):
    keep = np.random.default_rng(seed).random(len(decider.machines.pair)) < 0.3
    expected = rebuilt(decider, decider.machines.some(keep))
    assert_array_equal(decider.some(keep).decide(seen), expected)


@pytest.mark.parametrize("seed", range(3))
def test_other_weights_decide_as_machines_made_with_them(decider, seen, seed):
    weights = some_weights(decider, seed)
    expected = rebuilt(decider, decider.machines.with_weights(weights))
    assert_array_equal(decider.with_weights(weights).decide(seen), expected)


def test_choices_leave_the_first_decider_as_it_was(decider, seen):
    before = decider.decide(seen)
    decider.with_weights(some_weights(decider)).decide(seen)
    decider.some(decider.machines.pair == 0).decide(seen)
    assert_array_equal(decider.decide(seen), before)


def test_rows_that_are_looked_at_can_be_parted(decider, seen):
    whole = decider.decide(seen)
    odd = np.arange(37) % 2 == 1
    assert_array_equal(decider.decide(seen[:, odd]), whole[odd])


def test_no_weight_at_all_decides_nothing(decider, seen):
    nothing = np.zeros((len(decider.settings), decider.n_columns))
    assert not decider.with_weights(nothing).decide(seen).any()
    assert (
        not decider.some(np.zeros(len(decider.machines.pair), bool)).decide(seen).any()
    )


def test_every_setting_alone_adds_up_to_their_mean(decider, trained_table, seen):
    machines, n_settings = decider.machines, len(decider.settings)
    n_pairs, weights = decider.n_columns, some_weights(decider)
    each = make_decider(
        machines.each_setting(np.arange(n_settings), n_pairs),
        decider.settings,
        n_settings * n_pairs,
        1,
    )
    alone = each.decide(seen).reshape(-1, n_settings, n_pairs)
    mean = np.einsum("nsp,sp->np", alone, weights)
    found = decider.with_weights(weights).decide(seen)
    np.testing.assert_allclose(found, mean, atol=1e-12)


@pytest.mark.parametrize("n", [0, 1, 37, 64, 100])
def test_blocks_hold_every_row_once(decider, monkeypatch, n):
    monkeypatch.setattr(deciding, "_NUMBERS_AT_ONCE", 500)
    blocks = decider.blocks(n)
    rows = np.arange(n)
    assert_array_equal(np.concatenate([rows[:0], *(rows[b] for b in blocks)]), rows)
    assert all(len(rows[b]) <= max(16, 500 // decider.known[:, 0].size) for b in blocks)


def test_decisions_do_not_depend_on_blocks(decider, monkeypatch):
    X = np.random.default_rng(3).normal(0.5, 0.6, size=(100, 3))
    whole = decider.decide(decider.look(X))
    monkeypatch.setattr(deciding, "_NUMBERS_AT_ONCE", 500)
    assert len(decider.blocks(100)) > 3
    assert_array_equal(decider.decide_rows(X), whole)
