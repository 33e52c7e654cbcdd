"""Every pair at every setting: solved to the optimum, and without each sample."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from isvmde.core import dual
from isvmde.core.kernels import base_matrix
from isvmde.core.leave_one_out.settings import (
    Setting,
    SettingSpace,
    Task,
    by_pair,
    draw_settings,
    solve_settings,
)
from isvmde.core.pairs import make_pairs
from isvmde.core.solver import solve_dual
from isvmde.core.training_set import training_set


@pytest.fixture
def data(make_blobs):
    given = make_blobs([14, 9, 6], spread=0.7)
    return training_set(given.X, given.y, np.ones(29), 3)


def solve(data, settings, *, tol=1e-9, **options):
    pairs = make_pairs(data.class_size)
    task = Task(data, pairs, settings, tol)
    solved = solve_settings(task, **options)
    f, beta = (by_pair(values, task.rows) for values in solved[:2])
    return pairs, solved._replace(f=f, beta=beta)


def gram(data, rows, setting):
    kernel = setting.for_solver
    seen = data.views.see(data.X[rows], setting.view, kernel.base)
    return base_matrix(kernel.base, seen), kernel


def test_machines_meet_the_optimality_conditions(data):
    """Judged by the plain NumPy form of the dual, for all kernels and views."""
    settings = draw_settings(24, SettingSpace(cost=(0.1, 20.0)), 0)
    pairs, solved = solve(data, settings)
    for p, pair in enumerate(pairs):
        rows, n_pos = data.pair_rows(*pair), data.n_rows(pair[0])
        y = np.where(np.arange(len(rows)) < n_pos, 1.0, -1.0)
        for s, setting in enumerate(settings):
            base, kernel = gram(data, rows, setting)
            K = kernel.from_base(base)
            alpha = y * solved.beta[p][s]
            U = np.where(y > 0, setting.C_pos, setting.C_neg)
            assert (alpha >= -1e-12).all()
            assert (alpha <= U * (1 + 1e-12)).all()
            assert solved.beta[p][s].sum() == pytest.approx(0, abs=1e-7)
            margin = np.ones(len(y))
            assert dual.kkt_violation(alpha, y, margin, U, K) < 1e-6
            f = K @ solved.beta[p][s] + solved.intercept[s, p]
            free = (alpha > 1e-6 * U) & (alpha < (1 - 1e-6) * U)
            assert_allclose(f[free], y[free], atol=1e-5)


@pytest.mark.parametrize("view", ["values", "ranks", "weighted values"])
@pytest.mark.parametrize(
    ("name", "sigma", "degree"),
    [("linear", None, None), ("rbf", 0.4, None), ("poly", None, 3), ("min", None, 2)],
)
def test_decisions_are_those_of_machines_retrained_without_the_sample(
    data, name, sigma, degree, view
):
    """The rule is exact where no other sample changes between free and bound."""
    setting = Setting(name, view, sigma, degree, 5.0, 2.0)
    pairs, solved = solve(data, [setting])
    compared = 0
    for p, pair in enumerate(pairs):
        rows, n_pos = data.pair_rows(*pair), data.n_rows(pair[0])
        y = np.where(np.arange(len(rows)) < n_pos, 1.0, -1.0)
        U = np.where(y > 0, 5.0, 2.0)
        base, kernel = gram(data, rows, setting)
        whole = _faces(y * solved.beta[p][0], U)
        for i in range(len(rows)):
            less = U.copy()
            less[i] = 0.0
            without = solve_dual(
                base,
                y,
                np.ones(len(y)),
                less,
                kernel=kernel.function,
                parameter=kernel.parameter,
                tol=1e-9,
            )
            others = np.arange(len(y)) != i
            same = _faces(without.alpha, U)[others] == whole[others]
            if same.all() and (whole[others] == 1).any():
                assert solved.f[p][0][i] == pytest.approx(without.f[i], abs=1e-5)
                compared += 1
    assert compared >= 5


def _faces(alpha, U):
    """Say of every sample whether it is at 0, free, or at its bound."""
    return np.where(alpha <= 1e-8 * U, 0, np.where(alpha >= U * (1 - 1e-8), 2, 1))


def test_bits_do_not_depend_on_threads(data):
    settings = draw_settings(12, SettingSpace(), 1)
    _, one = solve(data, settings, tol=1e-3)
    _, two = solve(data, settings, tol=1e-3, n_threads=2)
    for a, b in zip(one.f + one.beta, two.f + two.beta, strict=True):
        assert_array_equal(a, b)
    assert_array_equal(one.intercept, two.intercept)


def test_whoever_listens_hears_of_every_machine(data):
    heard = []
    settings = draw_settings(20, SettingSpace(), 2)
    solve(data, settings, tol=1e-3, told=heard.append)
    assert sum(heard) == 20 * 3
    assert all(count > 0 for count in heard)
