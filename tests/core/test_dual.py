"""Problem (D) in plain NumPy: derivatives, duality, and the C-SVC behind an i-SVM."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from isvmde.core import dual
from isvmde.core.solver import LINEAR, POLY, RBF
from tests.core.reference import NAMES, Problem, general_qp, two_clouds

KERNELS = [(LINEAR, 0.0), (RBF, 0.8), (POLY, 3.0)]


def overlapping(seed, kernel, parameter):
    rng = np.random.default_rng(seed)
    X, y = two_clouds(seed, 6, 14)
    margin, U = rng.uniform(0.0, 2.0, 20), rng.uniform(0.1, 5.0, 20)
    return Problem(X, y, margin, U, kernel, parameter)


def feasible(problem, rng):
    """Random a with y'a = 0 and 0 <= a <= U."""
    alpha = problem.U * rng.random(len(problem.y))
    plus = problem.y > 0
    sums = alpha[plus].sum(), alpha[~plus].sum()
    alpha[plus] *= min(sums) / sums[0]
    alpha[~plus] *= min(sums) / sums[1]
    return alpha


# x = 0 is -, x = 2 is +: the line f = x - 1 has both margins, |w|^2 = 1 = sum(a).
TWO_POINTS = Problem(
    np.array([[0.0], [2.0]]), np.array([-1.0, 1.0]), np.ones(2), np.full(2, 9.0)
)
HALF = np.array([0.5, 0.5])


def test_two_points_by_hand():
    y, margin, U, K = TWO_POINTS.y, TWO_POINTS.margin, TWO_POINTS.U, TWO_POINTS.K
    assert dual.objective(HALF, y, margin, K) == 0.5
    assert dual.gradient(HALF, y, margin, K).tolist() == [1.0, -1.0]
    assert dual.intercept(HALF, y, margin, U, K) == -1.0
    assert dual.decision(HALF, y, -1.0, K).tolist() == [-1.0, 1.0]
    assert dual.kkt_violation(HALF, y, margin, U, K) == 0.0
    assert dual.duality_gap(HALF, -1.0, y, margin, U, K) == 0.0


def test_two_points_away_from_the_optimum():
    y, margin, U, K = TWO_POINTS.y, TWO_POINTS.margin, TWO_POINTS.U, TWO_POINTS.K
    zero = np.zeros(2)
    # b from + may rise to 1, - allows -1 at most
    assert dual.kkt_violation(zero, y, margin, U, K) == 2.0
    # w = 0, b = 0: both slacks are 1 and cost 9, the dual is 0
    assert dual.duality_gap(zero, 0.0, y, margin, U, K) == 18.0


@pytest.mark.parametrize(("kernel", "parameter"), KERNELS)
def test_gradient_is_the_slope_of_the_objective(kernel, parameter):
    problem = overlapping(0, kernel, parameter)
    alpha = feasible(problem, np.random.default_rng(1))
    arguments = problem.y, problem.margin, problem.K
    step = 1e-5
    slopes = [
        dual.objective(alpha + step * e, *arguments)
        - dual.objective(alpha - step * e, *arguments)
        for e in np.eye(len(alpha))
    ]
    expected = dual.gradient(alpha, *arguments)
    scale = np.abs(problem.K).max() * alpha.sum()
    np.testing.assert_allclose(
        np.array(slopes) / (2 * step), expected, atol=1e-8 * scale
    )


@settings(deadline=None)
@given(
    seed=st.integers(0, 2**32),
    kernel=st.sampled_from(KERNELS),
    b=st.floats(-5.0, 5.0),
)
def test_weak_duality(seed, kernel, b):
    problem = overlapping(seed, *kernel)
    alpha = feasible(problem, np.random.default_rng(seed))
    gap = dual.duality_gap(alpha, b, problem.y, problem.margin, problem.U, problem.K)
    scale = np.abs(problem.K).max() * alpha.sum() ** 2
    assert gap >= -1e-12 * scale


@settings(deadline=None)
@given(seed=st.integers(0, 2**32), kernel=st.sampled_from(KERNELS))
def test_gap_is_bounded_by_the_violation(seed, kernel):
    problem = overlapping(seed, *kernel)
    y, margin, U, K = problem.y, problem.margin, problem.U, problem.K
    alpha = feasible(problem, np.random.default_rng(seed))
    violation = dual.kkt_violation(alpha, y, margin, U, K)
    # the middle of [lowest, highest] is within the violation of what each sample asks
    v = y * dual.gradient(alpha, y, margin, K)
    b = 0.5 * (v.max() + v.min())
    gap = dual.duality_gap(alpha, b, y, margin, U, K)
    assert gap <= 1.0000001 * violation * U.sum()


def test_intercept_without_a_free_sample_is_the_middle():
    # both multipliers at their bound: w = 1/4 * 2 = 1/2, b in [-1 - ..., ...]
    alpha = U = np.full(2, 0.25)
    y, margin, K = TWO_POINTS.y, TWO_POINTS.margin, TWO_POINTS.K
    # - wants b >= -1 - 0 to stay wrong, + wants b <= 1 - w 2 = 0
    assert dual.intercept(alpha, y, margin, U, K) == -0.5
    assert dual.kkt_violation(alpha, y, margin, U, K) == 0.0


@pytest.mark.parametrize(
    ("U", "expected"), [((0.0, 9.0), 1.0), ((9.0, 0.0), -1.0), ((0.0, 0.0), 0.0)]
)
def test_intercept_without_a_cost_satisfies_the_other_class(U, expected):
    y, margin, K = TWO_POINTS.y, TWO_POINTS.margin, TWO_POINTS.K
    zero = np.zeros(2)
    assert dual.intercept(zero, y, margin, np.array(U), K) == expected
    assert dual.kkt_violation(zero, y, margin, np.array(U), K) == 0.0


@pytest.mark.parametrize(("kernel", "parameter"), KERNELS, ids=NAMES.values())
@pytest.mark.parametrize(
    ("margin_pos", "margin_neg"), [(1.0, 0.2), (0.1, 0.9), (0.0, 0.7), (1.0, 1.0)]
)
def test_i_svm_is_a_c_svc_scaled_and_shifted(kernel, parameter, margin_pos, margin_neg):
    X, y = two_clouds(3, 7, 15)
    U_pos, U_neg = 6.0, 2.5
    standard = dual.to_c_svc(U_pos, U_neg, margin_pos, margin_neg)

    def by_qp(m_pos, m_neg, cost_pos, cost_neg):
        problem = Problem(
            X,
            y,
            np.where(y > 0, m_pos, m_neg),
            np.where(y > 0, cost_pos, cost_neg),
            kernel,
            parameter,
        )
        alpha = general_qp(problem)
        margin, U, K = problem.margin, problem.U, problem.K
        # SLSQP meets bounds to about 1e-9
        alpha = np.where(alpha < 1e-6 * U, 0.0, alpha)
        alpha = np.where(alpha > (1 - 1e-6) * U, U, alpha)
        b = dual.intercept(alpha, y, margin, U, K)
        return alpha, dual.decision(alpha, y, b, K)

    alpha, f = by_qp(margin_pos, margin_neg, U_pos, U_neg)
    _, f_standard = by_qp(1.0, 1.0, standard.U_pos, standard.U_neg)
    assert alpha.max() > 0.1  # not the empty solution
    expected = standard.scale * f_standard + standard.shift
    np.testing.assert_allclose(f, expected, atol=1e-4)
