"""Every pair at every setting: solved to the optimum, and without each sample."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from isvmde.core import dual
from isvmde.core.averaging import solving
from isvmde.core.averaging.settings import (
    N_PARTS,
    Setting,
    SettingSpace,
    draw_settings,
)
from isvmde.core.averaging.solving import (
    Assignment,
    by_pair,
    class_ratio,
    solve_settings,
)
from isvmde.core.decomposition.one_vs_one import OneVsOne
from isvmde.core.kernels import base_matrix
from isvmde.core.solver import solve_dual
from isvmde.core.training_set import training_set
from isvmde.core.views import Views


@pytest.fixture
def data(make_blobs):
    given = make_blobs([14, 9, 6], spread=0.7)
    return training_set(given.X, given.y, np.ones(29), 3)


def assign(data, settings, tol=1e-9):
    """Return all pairs at some settings."""
    part = np.arange(len(data.X)) % N_PARTS
    views = Views.of(data.X, data.weight).with_relevance(
        data.X, data.weight, data.class_start, part, N_PARTS
    )
    pairs = OneVsOne(data.class_size, data.class_rank).pairs
    return Assignment(data, views, pairs, settings, tol)


def solve(data, settings, *, tol=1e-9, **options):
    assignment = assign(data, settings, tol)
    solved = solve_settings(assignment, **options)
    return assignment, solved._replace(
        left_out=by_pair(solved.left_out, assignment.rows),
        beta=by_pair(solved.beta, assignment.rows),
    )


def sides(assignment, p, setting):
    """Return y and the costs of the rows of a pair."""
    plus, minus = (assignment.data.n_rows(c) for c in assignment.pairs[p])
    y = np.repeat([1.0, -1.0], [plus, minus])
    factor = getattr(assignment, "plus_factor", np.ones(len(assignment.pairs)))
    return y, np.where(y > 0, setting.C_pos * factor[p], setting.C_neg)


def gram(assignment, p, setting):
    seen = assignment.views.see(assignment.data.X, setting.sight)
    return base_matrix(setting.sight.base, seen[assignment.rows[p]])


def test_the_cost_of_a_rarer_class_is_larger(data):
    assignment = assign(data, [])
    size = data.class_size[assignment.pairs]
    expected = (size[:, 1] / size[:, 0]) ** 0.25
    np.testing.assert_allclose(assignment.plus_factor, expected)


def test_classes_keep_their_shares_of_all_costs_on_other_samples(data):
    """A larger sample must not turn a chosen setting into one for another imbalance."""
    small = assign(data.some_rows(np.r_[0:7, 14:20, 23:28]), [])
    chosen_ratio = class_ratio(small.data, small.pairs)
    large = assign(data, [])._replace(chosen_ratio=chosen_ratio)

    def ratio_of_costs(assignment):
        size = assignment.data.class_size[assignment.pairs]
        return assignment.plus_factor * size[:, 0] / size[:, 1]

    np.testing.assert_allclose(ratio_of_costs(large), ratio_of_costs(small))
    again = small._replace(chosen_ratio=chosen_ratio)
    np.testing.assert_allclose(again.plus_factor, small.plus_factor)


def test_machines_meet_the_optimality_conditions(data):
    """Judged by the plain NumPy form of the dual, for all kernels and views."""
    settings = draw_settings(24, SettingSpace(cost=(0.1, 20.0)), 0)
    assignment, solved = solve(data, settings)
    for p in range(len(assignment.pairs)):
        for s, setting in enumerate(settings):
            y, U = sides(assignment, p, setting)
            K = setting.for_solver.from_base(gram(assignment, p, setting))
            beta = solved.beta[p][s]
            alpha = y * beta
            assert (alpha >= -1e-12).all()
            assert (alpha <= U * (1 + 1e-12)).all()
            assert beta.sum() == pytest.approx(0, abs=1e-7)
            margin = np.ones(len(y))
            assert dual.kkt_violation(alpha, y, margin, U, K) < 1e-6
            f = K @ beta + solved.intercept[s, p]
            free = (alpha > 1e-6 * U) & (alpha < (1 - 1e-6) * U)
            assert_allclose(f[free], y[free], atol=1e-5)


def retrained(assignment, p, setting, leaving):
    """Return the solution of a pair without some rows, a mask."""
    y, U = sides(assignment, p, setting)
    return solve_dual(
        gram(assignment, p, setting),
        y,
        np.ones(len(y)),
        np.where(leaving, 0.0, U),
        kernel=setting.for_solver.function,
        parameter=setting.for_solver.parameter,
        tol=1e-9,
    )


def faces(alpha, U):
    """Say of every sample whether it is at 0, free, or at its bound."""
    return np.where(alpha <= 1e-8 * U, 0, np.where(alpha >= U * (1 - 1e-8), 2, 1))


KERNELS = [
    ("linear", None, None),
    ("rbf", 0.4, None),
    ("poly", None, 3),
    ("min", None, 2),
]


@pytest.mark.parametrize("view", ["values", "ranks", "weighted values"])
@pytest.mark.parametrize(("name", "sigma", "degree"), KERNELS)
def test_decisions_are_those_of_machines_retrained_without_the_sample(
    data, name, sigma, degree, view
):
    """The rule is exact where no other sample changes between free and bound."""
    part = 1 if view == "weighted values" else None
    setting = Setting(name, view, sigma, degree, 5.0, 2.0, part)
    assignment, solved = solve(data, [setting])
    compared = 0
    for p in range(len(assignment.pairs)):
        y, U = sides(assignment, p, setting)
        whole = faces(y * solved.beta[p][0], U)
        for i in range(len(y)):
            leaving = np.arange(len(y)) == i
            without = retrained(assignment, p, setting, leaving)
            stays = (faces(without.alpha, U) == whole)[~leaving].all()
            if stays and (whole[~leaving] == 1).any():
                left_out = solved.left_out[p][0][i]
                assert left_out == pytest.approx(without.f[i], abs=1e-5)
                compared += 1
    assert compared >= 5


@pytest.mark.parametrize(("name", "sigma", "degree"), KERNELS)
def test_groups_leave_together(make_blobs, name, sigma, degree):
    given = make_blobs([14, 9, 6], spread=0.7)
    group = np.random.default_rng(0).permutation(29) // 2
    data = training_set(given.X, given.y, np.ones(29), 3, group)
    setting = Setting(name, "values", sigma, degree, 5.0, 2.0)
    assignment, solved = solve(data, [setting])
    compared = 0
    for p, rows in enumerate(assignment.rows):
        y, U = sides(assignment, p, setting)
        whole, own = faces(y * solved.beta[p][0], U), data.group[rows]
        for code in np.unique(own):
            leaving = own == code
            without = retrained(assignment, p, setting, leaving)
            stays = (faces(without.alpha, U) == whole)[~leaving].all()
            if leaving.sum() > 1 and stays and (whole[~leaving] == 1).any():
                left_out = solved.left_out[p][0][leaving]
                assert_allclose(left_out, without.f[leaving], atol=1e-5)
                compared += 1
    assert compared >= 1


def same_bits(one, other):
    for ours, theirs in zip(one, other, strict=True):
        assert_array_equal(ours, theirs)


def test_bits_do_not_depend_on_threads(data):
    assignment = assign(data, draw_settings(12, SettingSpace(), 1), tol=1e-3)
    same_bits(solve_settings(assignment), solve_settings(assignment, n_threads=2))


def test_nor_on_the_memory_for_matrices(data, monkeypatch):
    assignment = assign(data, draw_settings(12, SettingSpace(), 1), tol=1e-3)
    expected = solve_settings(assignment)
    monkeypatch.setattr(solving, "_MEMORY", 1)  # one matrix at a time
    same_bits(solve_settings(assignment), expected)


def test_nor_on_the_settings_that_are_solved_with_them(data):
    assignment = assign(data, draw_settings(12, SettingSpace(), 1), tol=1e-3)
    whole = solve_settings(assignment)
    for s, setting in enumerate(assignment.settings):
        alone = solve_settings(assignment._replace(settings=[setting]))
        same_bits(alone, [values[s : s + 1] for values in whole])


def test_whoever_listens_hears_of_every_machine(data):
    heard = []
    settings = draw_settings(20, SettingSpace(), 2)
    solve(data, settings, tol=1e-3, on_solved=heard.append)
    assert sum(heard) == 20 * 3
    assert all(count > 0 for count in heard)


def test_what_was_cut_short_says_nothing_of_rows_left_out(data, monkeypatch):
    monkeypatch.setattr(solving, "most_steps", lambda n: 3)
    settings = draw_settings(20, SettingSpace(), 2)
    assignment, solved = solve(data, settings, tol=1e-3)
    cut_short = ~(solved.violation <= assignment.tol)
    assert cut_short.any()
    for p, left_out in enumerate(solved.left_out):
        assert not left_out[cut_short[:, p]].any()
        assert left_out[~cut_short[:, p]].any(axis=1).all()


def test_values_are_split_by_pair():
    rows = [np.array([4, 5]), np.array([1]), np.array([7, 8, 9])]
    values = np.arange(12.0).reshape(2, 6)
    first, second, third = by_pair(values, rows)
    assert_array_equal(first, values[:, :2])
    assert_array_equal(second, values[:, 2:3])
    assert_array_equal(third, values[:, 3:])
