"""What the machines decide together: compiled, plain, in any batch, in any thread."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from isvmde.core.averaging.bags import Budget
from isvmde.core.averaging.deciding import make_decider
from isvmde.core.averaging.machines import Machines, joined
from isvmde.core.solver import compiled_kernels, decide


def decisions_on(machines, settings, n_columns, X, n_threads=1):
    """Return what machines decide on new rows, (n, columns)."""
    decider = make_decider(machines, settings, n_columns, n_threads)
    return decider.decide(decider.look(X))


class Fitted:
    """A table, its solved bag, and machines with random weights, some of them zero."""

    def __init__(self, trained, in_numpy):
        self.table, (self.bag,) = trained.table, trained.bags
        (self.assignment,), (self.solved,) = trained.assignments, trained.solved
        self.settings, self.n_pairs = self.table.settings, len(self.table.pairs)
        random = np.random.default_rng(0)
        shape = len(self.settings), self.n_pairs
        self.weights = np.where(random.random(shape) < 0.5, random.random(shape), 0.0)
        self.machines = self.bag.machines.with_weights(self.weights)
        self.in_numpy = in_numpy

    def decide(self, X, n_threads=1):
        return decisions_on(self.machines, self.settings, self.n_pairs, X, n_threads)

    def each(self, X):
        """Return tanh f of all settings in NumPy, (settings, n, pairs)."""
        solved = self.solved
        f = self.in_numpy(self.assignment, solved.beta, solved.intercept, X)
        return np.tanh(f)


@pytest.fixture(scope="module")
def fitted(make_table, train, in_numpy):
    return Fitted(train(make_table([20, 11, 5, 1])), in_numpy)


@pytest.fixture(scope="module")
def new():
    return np.random.default_rng(1).normal(0.5, 0.6, size=(37, 3))


def test_compiled_decisions_are_the_plain_average(fitted, new):
    for X in (new, fitted.table.data.X):
        expected = np.einsum("sp,snp->np", fitted.weights, fitted.each(X))
        assert_allclose(fitted.decide(X), expected, atol=1e-6)


def test_plain_python_finds_the_same(fitted, new, monkeypatch):
    expected = fitted.decide(new[:18])

    plain_decisions = decide.mean_decisions.py_func
    for module in (compiled_kernels, decide):
        for name, value in list(vars(module).items()):
            if hasattr(value, "py_func"):
                monkeypatch.setattr(module, name, value.py_func)
    monkeypatch.setattr(
        "isvmde.core.averaging.deciding.mean_decisions", plain_decisions
    )
    assert_allclose(fitted.decide(new[:18]), expected, atol=1e-12)


@pytest.mark.parametrize("size", [1, 5, 16, 17, 36])
def test_a_row_does_not_depend_on_its_batch(fitted, new, size):
    whole = fitted.decide(new)
    parts = [fitted.decide(new[k : k + size]) for k in range(0, len(new), size)]
    assert_array_equal(np.concatenate(parts), whole)


def test_nor_on_threads(fitted):
    X = np.random.default_rng(2).random((300, 3))
    assert_array_equal(fitted.decide(X, n_threads=3), fitted.decide(X))


def test_no_rows_give_no_decisions(fitted):
    assert fitted.decide(np.zeros((0, 3))).shape == (0, 6)


def test_only_wanted_pairs_are_decided(fitted, new):
    wanted = np.array([True, False, False, True, True, False])
    some = fitted.machines.some(wanted[fitted.machines.pair])
    assert set(some.pair) == {0, 3, 4}
    expected = fitted.decide(new) * wanted
    assert_array_equal(decisions_on(some, fitted.settings, 6, new), expected)


def test_rows_that_support_nothing_can_go(fitted, new):
    some = fitted.machines.some(fitted.machines.pair == 5)  # of two small classes
    fewer = some.without_idle_rows()
    assert len(fewer.rows) < len(some.rows) == len(fitted.machines.rows)
    assert_array_equal(np.unique(fewer.index), np.arange(len(fewer.rows)))
    expected = decisions_on(some, fitted.settings, 6, new)
    assert_array_equal(decisions_on(fewer, fitted.settings, 6, new), expected)


def test_no_machine_at_all_decides_nothing(fitted, new):
    none = fitted.machines.some(np.zeros(len(fitted.machines.pair), dtype=bool))
    assert len(none.pair) == len(none.kernel_setting) == 0
    assert not decisions_on(none, fitted.settings, 6, new).any()


def test_machines_without_weight_are_not_kept(fitted):
    machines, weights = fitted.machines, fitted.weights
    assert len(machines.pair) == (weights > 0).sum() < weights.size
    assert_array_equal(machines.weight, weights[machines.setting, machines.pair])
    assert_array_equal(np.unique(machines.index), np.arange(len(machines.rows)))


def test_rows_know_where_they_came_from(fitted, make_blobs):
    given, machines = make_blobs([20, 11, 5, 1]), fitted.bag.machines
    assert_array_equal(given.X[machines.given], machines.rows)
    assert_array_equal(given.y[machines.given], machines.label)


def test_each_setting_alone(fitted, new):
    chosen = np.array([2, 3, 7, 29])
    machines = fitted.bag.machines
    machines = machines.some(np.isin(machines.setting, chosen))
    decided = decisions_on(
        machines.each_setting(chosen, 6), fitted.settings, 4 * 6, new
    )
    decided = decided.reshape(37, 4, 6)
    expected = fitted.each(new)[chosen].transpose(1, 0, 2)
    assert_allclose(decided, expected, atol=1e-6)


def test_each_setting_is_zero_in_pairs_without_machine(fitted, new):
    machines = fitted.bag.machines
    n_settings = len(fitted.settings)
    each = machines.each_setting(np.arange(n_settings), 6)
    n_columns = n_settings * 6
    decided = decisions_on(
        each.some(machines.pair % 2 == 0), fitted.settings, n_columns, new
    )
    whole = decisions_on(each, fitted.settings, n_columns, new)
    has_machine = np.tile(np.arange(6) % 2 == 0, n_settings)
    assert_array_equal(decided, whole * has_machine)


def test_settings_get_other_numbers_and_decide_the_same(fitted, new):
    machines, n_settings = fitted.machines, len(fitted.settings)
    places = np.arange(n_settings) * 3 + 5
    spread = [fitted.settings[0]] * (3 * n_settings + 5)
    for place, setting in zip(places, fitted.settings, strict=True):
        spread[place] = setting
    again = machines.renumbered(places)
    decided = decisions_on(again, spread, fitted.n_pairs, new)
    assert_array_equal(decided, fitted.decide(new))
    assert_array_equal(again.setting, machines.setting * 3 + 5)


def test_a_file_gives_the_same_machines_back(fitted, new):
    again = Machines.from_dict(fitted.machines.to_dict())
    decided = decisions_on(again, fitted.settings, fitted.n_pairs, new)
    assert_array_equal(decided, fitted.decide(new))


@pytest.fixture(scope="module")
def bagged(make_table, train):
    """Bags of a table that is larger than its budget."""
    return train(make_table([60, 30, 8], budget=Budget(work=5_000.0)))


def test_joined_machines_decide_what_their_parts_do(bagged, new):
    table = bagged.table
    n_pairs = len(table.pairs)
    parts = [bag.machines for bag in bagged.bags]
    assert len(parts) > 5
    decided = decisions_on(joined(parts), table.settings, n_pairs, new)
    alone = [decisions_on(part, table.settings, n_pairs, new) for part in parts]
    assert_allclose(decided, np.sum(alone, axis=0), atol=1e-9)
    first = decisions_on(joined(parts[:1]), table.settings, n_pairs, new)
    assert_array_equal(first, alone[0])


def test_joined_machines_can_be_parted_again(bagged, new):
    table, parts = bagged.table, [bag.machines for bag in bagged.bags]
    whole = joined(parts)
    for bag, part in zip(bagged.bags[:3], parts, strict=False):
        own = whole.some(np.isin(whole.setting, bag.settings))
        own = own.without_idle_rows()
        assert_array_equal(
            decisions_on(own, table.settings, 3, new),
            decisions_on(part, table.settings, 3, new),
        )
        assert len(own.rows) <= len(part.rows)


def test_joined_machines_know_where_their_rows_came_from(bagged, make_blobs):
    given = make_blobs([60, 30, 8])
    whole = joined([bag.machines for bag in bagged.bags])
    assert_array_equal(given.X[whole.given], whole.rows)
    assert_array_equal(given.y[whole.given], whole.label)
    # rows of a kernel are those of its bag
    for bag in bagged.bags:
        own = np.isin(whole.kernel_setting, bag.settings)
        for first, last in whole.kernel_rows[own]:
            known = bagged.table.data.X[bag.rows]
            assert_array_equal(whole.rows[first:last], known)


def test_machines_whose_arrays_do_not_fit_are_refused(fitted):
    broken = fitted.machines.to_dict()
    broken["index"] = broken["index"] + len(fitted.machines.rows)
    with pytest.raises(ValueError, match="row"):
        Machines.from_dict(broken).check(fitted.n_pairs)
