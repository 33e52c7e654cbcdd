"""What the machines decide together: compiled, plain, in any batch, in any thread."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from isvmde.core.leave_one_out.average import (
    coupled,
    make_average,
    with_margins,
)
from isvmde.core.leave_one_out.settings import (
    SettingSpace,
    Task,
    by_pair,
    draw_settings,
    solve_settings,
)
from isvmde.core.leave_one_out.weighing import Tuning
from isvmde.core.pairs import make_pairs
from isvmde.core.solver import compiled_kernels, decide
from isvmde.core.training_set import training_set


class Fitted:
    """A training set, its pairs, settings and average."""

    def __init__(self, data, n_settings=30):
        self.data = training_set(data.X, data.y, np.ones(len(data.y)), data.y.max() + 1)
        self.pairs = make_pairs(self.data.class_size)
        space = SettingSpace(cost=(0.1, 50.0))
        self.settings = draw_settings(n_settings, space, 0)
        task = Task(self.data, self.pairs, self.settings, 1e-6)
        self.solved = solve_settings(task)
        self.f, self.beta = (by_pair(x, task.rows) for x in self.solved[:2])
        self.average = make_average(task, self.solved, Tuning(), 1)

    def decide(self, X, n_threads=1):
        machines = self.average.machines
        return machines.decide(X, self.settings, len(self.pairs), n_threads)


@pytest.fixture(scope="module")
def fitted(make_blobs):
    return Fitted(make_blobs([20, 11, 5, 1]))


@pytest.fixture(scope="module")
def new():
    return np.random.default_rng(1).normal(0.5, 0.6, size=(37, 3))


def plain_average(fitted, X):
    """Return sum_s w_s tanh f_s from all solutions, in NumPy."""
    out = np.zeros((len(X), len(fitted.pairs)))
    for p, pair in enumerate(fitted.pairs):
        rows = fitted.data.X[fitted.data.pair_rows(*pair)]
        for s, setting in enumerate(fitted.settings):
            kernel = setting.for_solver
            known, seen = (
                fitted.data.views.see(values, setting.view, kernel.base)
                for values in (rows, X)
            )
            f = kernel.between(seen, known) @ fitted.beta[p][s]
            f += fitted.solved.intercept[s, p]
            out[:, p] += fitted.average.weights[s, p] * np.tanh(f)
    return out


def test_compiled_decisions_are_the_plain_average(fitted, new):
    for X in (new, fitted.data.X):
        assert_allclose(fitted.decide(X), plain_average(fitted, X), atol=1e-6)


def test_plain_python_finds_the_same(fitted, new, monkeypatch):
    expected = fitted.decide(new[:18])

    def expm1(x, factor, out):
        out[:] = np.expm1(factor * np.asarray(x))

    for module, name in (
        (compiled_kernels, "_add_rows"),
        (compiled_kernels, "base_term"),
        (compiled_kernels, "lanes_of"),
        (decide, "kernel_values"),
        (decide, "lane_bases"),
        (decide, "lanes_of"),
        (decide, "_weighted_sum"),
    ):
        monkeypatch.setattr(module, name, getattr(module, name).py_func)
    for module in (compiled_kernels, decide):
        monkeypatch.setattr(module, "expm1_general", expm1)
    monkeypatch.setattr(
        "isvmde.core.leave_one_out.machines.mean_decisions",
        decide.mean_decisions.py_func,
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
    machines = fitted.average.machines
    some = machines.kept(wanted[machines.pair])
    assert set(some.pair) == {0, 3, 4}
    assert len(some.rows) <= len(machines.rows)
    decided = some.decide(new, fitted.settings, 6, 1)
    assert_array_equal(decided, fitted.decide(new) * wanted)


def test_machines_without_weight_are_not_kept(fitted):
    machines, weights = fitted.average.machines, fitted.average.weights
    assert len(machines.pair) == (weights > 0).sum() < weights.size
    assert_array_equal(machines.weight, weights[machines.setting, machines.pair])
    assert_array_equal(np.unique(machines.index), np.arange(len(machines.rows)))


def test_rows_know_where_they_came_from(fitted, make_blobs):
    data, machines = make_blobs([20, 11, 5, 1]), fitted.average.machines
    assert_array_equal(data.X[machines.given], machines.rows)
    assert_array_equal(data.y[machines.given], machines.label)


def test_unseen_probabilities_by_hand(fitted):
    """Leave-one-out decisions in a row's own pairs, plain ones in the others."""
    data, pairs, average = fitted.data, fitted.pairs, fitted.average
    m = plain_average(fitted, data.X)
    for p, pair in enumerate(pairs):
        left_out = average.weights[:, p] @ np.tanh(fitted.f[p])
        m[data.pair_rows(*pair), p] = left_out
    F = with_margins(m, average.margins)
    assert_allclose(average.unseen, coupled(F, pairs, 4), atol=1e-6)


def test_margins_are_scale_and_shift():
    margins = np.array([[3.0, 1.0]])  # a = 2, b = 1
    m = np.tanh([[0.0], [1.5]])
    assert_allclose(with_margins(m, margins), [[1.0], [4.0]])


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
