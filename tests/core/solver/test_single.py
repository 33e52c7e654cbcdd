"""The fast solver gives the solution: against SVC, a general QP and `dual.py`."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.svm import SVC

from isvmde.core import dual
from isvmde.core.solver import (
    LINEAR,
    POLY,
    RBF,
    make_workspace,
    solve_dual,
    step_limit,
)
from isvmde.core.solver.single import _solve_one
from tests.core.reference import (
    NAMES,
    Problem,
    assert_optimal,
    general_qp,
    optimal_intercepts,
    two_clouds,
)

KERNELS = [(LINEAR, 0.0), (RBF, 0.5), (RBF, 1e-4), (POLY, 2.0), (POLY, 3.0)]
each_kernel = pytest.mark.parametrize(
    ("kernel", "parameter"), KERNELS, ids=[f"{NAMES[k]}-{p}" for k, p in KERNELS]
)


def quarters(seed, n_pos, n_neg):
    """Samples for SVC: LIBSVM keeps kernel values in single precision, which is exact
    for (1 + x'z)^3 of three features in multiples of 1/4.
    """
    X, y = two_clouds(seed, n_pos, n_neg, features=3)
    return np.clip(np.round(4.0 * X) / 4.0, -1.5, 1.5), y


def per_class(y, positive, negative):
    return np.where(y > 0, positive, negative)


def svc_decision(problem):
    """Decision values of scikit-learn for margins 1."""
    y, U, parameter = problem.y, problem.U, problem.parameter
    options = {
        LINEAR: {},
        RBF: {"gamma": parameter},
        POLY: {"degree": int(parameter), "gamma": 1.0, "coef0": 1.0},
    }[problem.kernel]
    costs = {1.0: U[y > 0][0], -1.0: U[y < 0][0]}
    model = SVC(
        C=1.0, class_weight=costs, kernel=NAMES[problem.kernel], tol=1e-9, **options
    ).fit(problem.X, y)
    return model.decision_function(problem.X)


@each_kernel
@pytest.mark.parametrize(("U_pos", "U_neg"), [(20.0, 3.0), (0.1, 0.4), (5.0, 80.0)])
def test_equals_svc_at_margins_one(kernel, parameter, U_pos, U_neg):
    X, y = quarters(0, 25, 60)
    problem = Problem(X, y, np.ones(85), per_class(y, U_pos, U_neg), kernel, parameter)
    solution = problem.solve(tol=1e-9)
    assert_optimal(problem, solution, 1e-9)
    np.testing.assert_allclose(solution.f, svc_decision(problem), rtol=0, atol=1e-5)


@each_kernel
@pytest.mark.parametrize(
    ("margin_pos", "margin_neg"), [(1.0, 0.3), (0.05, 0.9), (0.0, 1.0)]
)
def test_equals_svc_scaled_and_shifted_at_other_margins(
    kernel, parameter, margin_pos, margin_neg
):
    X, y = quarters(1, 20, 50)
    U_pos, U_neg = 12.0, 4.0
    problem = Problem(
        X,
        y,
        per_class(y, margin_pos, margin_neg),
        per_class(y, U_pos, U_neg),
        kernel,
        parameter,
    )
    solution = problem.solve(tol=1e-9)
    assert_optimal(problem, solution, 1e-9)
    standard = dual.to_c_svc(U_pos, U_neg, margin_pos, margin_neg)
    costs = per_class(y, standard.U_pos, standard.U_neg)
    f_standard = svc_decision(Problem(X, y, np.ones(70), costs, kernel, parameter))
    expected = standard.scale * f_standard + standard.shift
    np.testing.assert_allclose(solution.f, expected, rtol=0, atol=1e-5)


@settings(max_examples=40, deadline=None)
@given(
    seed=st.integers(0, 2**32),
    n_pos=st.integers(1, 10),
    n_neg=st.integers(1, 20),
    kernel=st.sampled_from(KERNELS),
)
def test_equals_a_general_qp_for_any_margins_and_boxes(seed, n_pos, n_neg, kernel):
    rng = np.random.default_rng(seed)
    X, y = two_clouds(seed, n_pos, n_neg)
    margin, U = rng.uniform(0.0, 2.0, len(y)), rng.uniform(0.1, 10.0, len(y))
    problem = Problem(X, y, margin, U, *kernel)
    solution = problem.solve()
    assert_optimal(problem, solution, 1e-10)
    alpha = general_qp(problem)
    value = dual.objective(solution.alpha, y, margin, problem.K)
    expected = dual.objective(alpha, y, margin, problem.K)
    assert value >= expected - 1e-9 * (1.0 + abs(expected))
    # f - b is the same for all solutions; SLSQP's is good to about 1e-5
    np.testing.assert_allclose(
        problem.K @ (y * solution.alpha) - problem.K @ (y * alpha),
        0.0,
        atol=1e-3 if kernel == (POLY, 3.0) else 1e-4,
    )
    lowest, highest = optimal_intercepts(problem, solution.alpha)
    assert lowest - 1e-8 <= solution.b <= highest + 1e-8


HARD = {
    "poly-5, C = 1000, overlap": (POLY, 5.0, 1000.0, 0.5, 4),
    "poly-5, C = 1e5, overlap": (POLY, 5.0, 1e5, 0.5, 2),
    "poly-8, C = 1000, overlap": (POLY, 8.0, 1000.0, 0.5, 3),
    "poly-4, C = 1000, many features": (POLY, 4.0, 1000.0, 0.2, 30),
    "linear, C = 1e5, no signal": (LINEAR, 0.0, 1e5, 0.0, 5),
    "rbf narrow, C = 1e5, no signal": (RBF, 50.0, 1e5, 0.0, 2),
    "rbf wide, C = 1e5, no signal": (RBF, 5e-5, 1e5, 0.0, 3),
}


@pytest.mark.parametrize("seed", [0, 1])
@pytest.mark.parametrize("case", HARD)
def test_hard_cases_converge(case, seed):
    kernel, parameter, C, distance, features = HARD[case]
    X, y = two_clouds(seed, 60, 140, features, distance)
    X = (X - X.min(axis=0)) / np.ptp(X, axis=0)
    problem = Problem(X, y, np.ones(200), per_class(y, C, 0.4 * C), kernel, parameter)
    solution = problem.solve(tol=1e-3)
    assert_optimal(problem, solution, 1e-3)
    assert solution.steps <= 2000  # LIBSVM takes 1e5 to 5e6


@each_kernel
@pytest.mark.parametrize("tol", [1e-1, 1e-3, 1e-6])
def test_tolerance_is_kept(kernel, parameter, tol):
    X, y = two_clouds(5, 40, 80, features=4)
    problem = Problem(X, y, np.ones(120), per_class(y, 30.0, 9.0), kernel, parameter)
    assert_optimal(problem, problem.solve(tol=tol), tol)


@each_kernel
@pytest.mark.parametrize("max_iter", [0, 1, 5, 30])
def test_too_few_steps_are_told_truthfully(kernel, parameter, max_iter):
    X, y = two_clouds(6, 80, 120, features=6, distance=0.2)
    problem = Problem(X, y, np.ones(200), per_class(y, 90.0, 40.0), kernel, parameter)
    solution = problem.solve(tol=1e-6, max_iter=max_iter)
    assert solution.steps <= max_iter
    alpha, U = solution.alpha, problem.U
    assert np.all((alpha >= 0.0) & (alpha <= U))
    assert abs(y @ alpha) <= 1e-12 * U.sum()
    true = dual.kkt_violation(alpha, y, problem.margin, U, problem.K)
    assert solution.violation == pytest.approx(true, rel=1e-9, abs=1e-9)
    assert solution.converged == (solution.violation <= 1e-6)
    if max_iter <= 5:
        assert not solution.converged


def test_own_bound_on_the_steps():
    assert step_limit(7, 100) == 7
    assert step_limit(0, 100) == 0
    assert step_limit(-1, 100) == 20_000


@each_kernel
def test_warm_start_gives_the_cold_solution(kernel, parameter):
    rng = np.random.default_rng(8)
    X, y = two_clouds(8, 30, 50, features=3)
    n = len(y)
    margin, U = rng.uniform(0.2, 1.5, n), rng.uniform(0.5, 20.0, n)
    problem = Problem(X, y, margin, U, kernel, parameter)
    cold = problem.solve()
    assert_optimal(problem, cold, 1e-10)
    # with other margins, and as many multipliers as possible at their bounds
    other = Problem(X, y, margin[::-1], U, kernel, parameter).solve().alpha
    plus = y > 0
    full = np.where(plus, U, U * U[plus].sum() / U[~plus].sum())
    starts = {"itself": cold.alpha, "other": other, "zero": np.zeros(n)}
    if np.all(full <= U):
        starts["full"] = full
    for name, start in starts.items():
        warm = problem.solve(alpha=start)
        assert_optimal(problem, warm, 1e-10)
        np.testing.assert_allclose(warm.f, cold.f, atol=1e-6, err_msg=name)
    assert problem.solve(alpha=cold.alpha).steps == 0
    # the caller's array is read only
    np.testing.assert_array_equal(starts["zero"], 0.0)


def test_memory_used_again_has_no_past():
    work = make_workspace(90)
    problems = []
    for seed, (n_pos, n_neg) in enumerate(
        [(30, 60), (1, 1), (3, 20), (40, 50), (2, 31)]
    ):
        X, y = two_clouds(seed, n_pos, n_neg)
        kernel, parameter = KERNELS[seed]
        U = per_class(y, 10.0, 3.0)
        problems.append(Problem(X, y, np.ones(len(y)), U, kernel, parameter))
    for problem in problems + problems[::-1]:
        again, fresh = problem.solve(work=work), problem.solve()
        np.testing.assert_array_equal(again.alpha, fresh.alpha)
        np.testing.assert_array_equal(again.f, fresh.f)
        assert (again.b, again.steps) == (fresh.b, fresh.steps)


def test_memory_too_small_is_refused():
    X, y = two_clouds(0, 50, 50)
    problem = Problem(X, y, np.ones(100), np.ones(100))
    with pytest.raises(ValueError, match="a workspace for 32 samples is too small"):
        problem.solve(work=make_workspace(20))


def test_results_are_not_overwritten_by_the_next_solve():
    work = make_workspace(40)
    X, y = two_clouds(0, 20, 20)
    first = Problem(X, y, np.ones(40), np.ones(40)).solve(work=work)
    alpha, f = first.alpha.copy(), first.f.copy()
    Problem(-X, y, np.ones(40), np.full(40, 7.0)).solve(work=work)
    np.testing.assert_array_equal(first.alpha, alpha)
    np.testing.assert_array_equal(first.f, f)


def test_any_layout_of_the_input_is_solved_by_one_compiled_version():
    X, y = two_clouds(0, 10, 20)
    K, ones = X @ X.T, np.ones(30)
    expected = solve_dual(K, y, ones, ones)
    versions = len(_solve_one.signatures)
    read_only = K.copy()
    read_only.setflags(write=False)
    for same in (read_only, np.asfortranarray(K.T), np.repeat(K, 2, axis=1)[:, ::2]):
        solution = solve_dual(same, y.astype(int), ones, ones)
        np.testing.assert_array_equal(solution.f, expected.f)
    assert len(_solve_one.signatures) == versions
