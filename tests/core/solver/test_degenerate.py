"""Degenerate input has a defined finite answer within the bound on the work."""

import numpy as np
import pytest

from isvmde.core.solver import LINEAR, POLY, RBF, solve_dual, step_limit
from tests.core.reference import Problem, assert_optimal, two_clouds

KERNELS = {"linear": (LINEAR, 0.0), "rbf": (RBF, 0.5), "poly": (POLY, 3.0)}
each_kernel = pytest.mark.parametrize("kernel", KERNELS.values(), ids=KERNELS)
TOL = 1e-6


def solved(X, y, U, kernel, margin=1.0, tol=TOL):
    """Solve, judge, and return the solution."""
    n = len(y)
    U, margin = np.broadcast_to(U, n).astype(float), np.full(n, margin)
    problem = Problem(np.asarray(X, float), np.asarray(y, float), margin, U, *kernel)
    solution = problem.solve(tol=tol)
    assert solution.steps <= step_limit(-1, n)
    assert_optimal(problem, solution, tol)
    return solution


@each_kernel
@pytest.mark.parametrize(("U_pos", "U_neg", "f"), [(0, 5, -1), (5, 0, 1), (0, 0, 0)])
def test_no_cost_of_a_class_satisfies_the_other(kernel, U_pos, U_neg, f):
    X, y = two_clouds(0, 10, 30)
    solution = solved(X, y, np.where(y > 0, U_pos, U_neg), kernel)
    np.testing.assert_array_equal(solution.alpha, 0.0)
    np.testing.assert_array_equal(solution.f, f)
    assert solution.violation == 0.0


@each_kernel
def test_margins_zero_give_the_zero_function(kernel):
    X, y = two_clouds(0, 10, 30)
    solution = solved(X, y, 10.0, kernel, margin=0.0)
    np.testing.assert_array_equal(solution.f, 0.0)


@each_kernel
def test_all_points_identical(kernel):
    # the class with more cost wins: f = -1, + pays 2 a sample
    y = np.repeat([1.0, -1.0], [7, 20])
    solution = solved(np.full((27, 3), 0.3), y, 5.0, kernel)
    np.testing.assert_allclose(solution.f, -1.0, atol=1e-6)
    # as much cost on both sides: any b in [-1, 1] is optimal, the middle is taken
    y = np.repeat([1.0, -1.0], [9, 9])
    solution = solved(np.full((18, 3), 0.3), y, 5.0, kernel)
    np.testing.assert_allclose(solution.f, 0.0, atol=1e-6)


@each_kernel
def test_each_class_is_one_point(kernel):
    X = np.repeat([[0.0, 1.0], [1.0, 0.0]], [30, 70], axis=0)
    solution = solved(X, np.repeat([1.0, -1.0], [30, 70]), 100.0, kernel)
    np.testing.assert_allclose(np.abs(solution.f), 1.0, atol=TOL)


@each_kernel
def test_one_sample_a_class(kernel):
    solution = solved([[0.0, 1.0], [1.0, 0.5]], [1, -1], 1000.0, kernel)
    np.testing.assert_allclose(solution.f, [1.0, -1.0], atol=TOL)


@each_kernel
def test_one_sample_a_class_at_the_same_place(kernel):
    solution = solved([[0.5, 1.0], [0.5, 1.0]], [1, -1], [3.0, 3.0], kernel)
    np.testing.assert_allclose(solution.f, 0.0, atol=TOL)


@each_kernel
@pytest.mark.parametrize("C", [1.0, 1000.0])
def test_one_against_five_hundred(kernel, C):
    X, y = two_clouds(1, 1, 500)
    solution = solved(X, y, np.where(y > 0, C, 0.3 * C), kernel, tol=1e-3)
    assert solution.alpha[0] > 0.0


@pytest.mark.parametrize("C", [2.0, 1000.0])
def test_narrowest_kernel_is_the_identity(C):
    # sigma = 1e-3: K = I on distinct points, so a_i = 1 - y_i b
    X, y = two_clouds(2, 10, 40)
    solution = solved(X, y, C, (RBF, 0.5 / 1e-3**2))
    b = (10 - 40) / 50
    np.testing.assert_allclose(solution.alpha, 1.0 - y * b, atol=TOL)
    np.testing.assert_allclose(solution.b, b, atol=TOL)


@pytest.mark.parametrize("C", [1.0, 1e6])
def test_widest_kernel_keeps_its_digits(C):
    # sigma = 1e6: 1 - K is about 1e-12, so w is 0 and the larger class decides
    X, y = two_clouds(3, 10, 40)
    solution = solved(X, y, C, (RBF, 0.5 / 1e6**2))
    np.testing.assert_allclose(solution.f, -1.0, atol=1e-4)


def test_widest_kernel_is_linear_for_huge_costs():
    # exp(-g d2) = 1 - g d2 + ..., so costs U / 2g give the linear kernel's f
    X, y = two_clouds(3, 10, 40)
    gamma = 0.5 / 1e3**2
    wide = solved(X, y, 2.0 / (2.0 * gamma), (RBF, gamma))
    linear = solved(X, y, 2.0, (LINEAR, 0.0))
    np.testing.assert_allclose(wide.f, linear.f, atol=1e-4)


@each_kernel
@pytest.mark.parametrize("C", [1.0, 1000.0])
def test_duplicates_with_conflicting_labels(kernel, C):
    rng = np.random.default_rng(4)
    X = np.repeat(rng.integers(0, 3, size=(12, 2)) / 2.0, 5, axis=0)
    y = np.where(rng.random(60) < 0.4, 1.0, -1.0)
    solved(X, y, np.where(y > 0, C, 0.7 * C), kernel)


@each_kernel
def test_constant_columns_only(kernel):
    X = np.column_stack([np.full(40, 5.0), np.zeros(40)])
    solution = solved(X, np.repeat([1.0, -1.0], 20), 3.0, kernel)
    assert np.ptp(solution.f) <= TOL


@each_kernel
def test_a_constant_column_beside_others(kernel):
    X, y = two_clouds(5, 15, 40)
    solved(np.column_stack([X, np.ones(55)]), y, 50.0, kernel)


@pytest.mark.parametrize("features", [1, 2])
@pytest.mark.parametrize("C", [1e-3, 1.0, 1e4])
def test_linear_kernel_with_far_more_free_samples_than_features(features, C):
    # every sample of a class on its margin: all may be free, the rank is `features`
    n = 150
    rng = np.random.default_rng(6)
    X = rng.normal(size=(n, features))
    y = np.repeat([1.0, -1.0], n // 2)
    X[:, 0] = y
    solution = solved(X, y, rng.uniform(0.5, 1.0, n) * C, (LINEAR, 0.0))
    if C >= 1.0:
        np.testing.assert_allclose(solution.f, y, atol=TOL)


def test_warm_start_with_all_samples_free_and_rank_one():
    n = 200
    y = np.repeat([1.0, -1.0], n // 2)
    X = np.column_stack([y + np.linspace(0.0, 0.5, n), np.zeros(n)])
    problem = Problem(X, y, np.ones(n), np.full(n, 2.0))
    solution = problem.solve(tol=TOL, alpha=np.ones(n))
    assert_optimal(problem, solution, TOL)
    np.testing.assert_allclose(solution.f, problem.solve(tol=TOL).f, atol=1e-5)


def test_boxes_of_very_different_size():
    rng = np.random.default_rng(7)
    X, y = two_clouds(7, 20, 60)
    solved(X, y, 10.0 ** rng.uniform(-8, 5, 80), (RBF, 1.0))


def test_no_free_sample_takes_the_middle_of_the_interval():
    # all multipliers at 0 or U: rounding must not leave one of 1e-15 "free"
    X, y = two_clouds(0, 25, 60, features=3)
    X = np.clip(np.round(4.0 * X) / 4.0, -1.5, 1.5)
    U = np.where(y > 0, 20.0, 3.0)  # 9 times 20 is 60 times 3
    solution = solved(X, y, U, (RBF, 1e-4), tol=1e-9)
    assert set(solution.alpha) == {0.0, 3.0, 20.0}
    v = solution.b + y - solution.f  # the b that would put each sample on its margin
    may_rise = np.where(y > 0, solution.alpha < U, solution.alpha > 0)
    middle = 0.5 * (v[may_rise].max() + v[~may_rise].min())
    assert solution.b == pytest.approx(middle, abs=1e-12)


@pytest.mark.filterwarnings("ignore:.*(overflow|invalid):RuntimeWarning")
@pytest.mark.parametrize("box", [1.0, 1e308, np.inf])
@pytest.mark.parametrize("size", [1.0, 1e60, 1e155])
def test_what_overflows_is_not_called_solved(size, box):
    X, y = two_clouds(8, 15, 25)
    solution = solve_dual(
        size * X @ X.T, y, np.ones(40), np.full(40, box), kernel=POLY, parameter=5.0
    )
    assert solution.steps <= step_limit(-1, 40)
    assert solution.converged == (size == 1.0)
    assert (solution.violation <= 1e-3) == solution.converged
    assert np.isfinite(solution.f).all() or np.isinf(solution.violation)
