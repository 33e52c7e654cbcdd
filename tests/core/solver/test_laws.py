"""Laws of problem (D), on small problems full of ties, duplicates and empty boxes."""

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from isvmde.core.solver import LINEAR, POLY, RBF, step_limit
from tests.core.reference import Problem, assert_optimal, optimal_intercepts

TOL = 1e-8


@st.composite
def problems(draw):
    """Two classes on a coarse grid with margins and boxes from a few values."""
    n_pos, n_neg = draw(st.integers(1, 8)), draw(st.integers(1, 12))
    n = n_pos + n_neg
    features = draw(st.integers(1, 3))
    grid = st.sampled_from([-1.0, -0.5, 0.0, 0.25, 1.0])
    margins = st.sampled_from([0.0, 0.3, 1.0, 2.0])
    boxes = st.sampled_from([0.0, 0.1, 0.3, 1.0, 7.0, 1000.0])
    return Problem(
        draw(hnp.arrays(float, (n, features), elements=grid)),
        np.repeat([1.0, -1.0], [n_pos, n_neg]),
        draw(hnp.arrays(float, n, elements=margins)),
        draw(hnp.arrays(float, n, elements=boxes)),
        *draw(
            st.sampled_from(
                [(LINEAR, 0.0), (RBF, 0.5), (RBF, 1e-4), (RBF, 5e5)]
                + [(POLY, degree) for degree in (1.0, 2.0, 3.0, 5.0)]
            )
        ),
    )


def solved(problem):
    """Return f of the optimum, after a check that no other b is better."""
    solution = problem.solve(tol=TOL)
    assert solution.steps <= step_limit(-1, len(problem.y))
    assert_optimal(problem, solution, TOL)
    lowest, highest = optimal_intercepts(problem, solution.alpha)
    assert lowest - 1e-5 <= solution.b <= highest + 1e-5
    return solution.f


def assert_same(f, expected):
    """Compare decision values; optima of (D) within TOL leave about this much open."""
    slack = 1e-5 * (1.0 + np.abs(expected).max())
    np.testing.assert_allclose(f, expected, rtol=0, atol=slack)


laws = settings(max_examples=150, deadline=None)


@laws
@given(problems())
def test_swapping_the_classes_changes_the_sign(problem):
    p = problem
    swapped = Problem(p.X, -p.y, p.margin, p.U, p.kernel, p.parameter)
    assert_same(-solved(swapped), solved(p))


@laws
@given(problems(), st.data())
def test_a_row_twice_is_a_box_twice_as_large(problem, data):
    p = problem
    i = data.draw(st.integers(0, len(p.y) - 1))
    twice = np.append(np.arange(len(p.y)), i)
    repeated = Problem(
        p.X[twice], p.y[twice], p.margin[twice], p.U[twice], p.kernel, p.parameter
    )
    U = p.U.copy()
    U[i] *= 2.0
    doubled = Problem(p.X, p.y, p.margin, U, p.kernel, p.parameter)
    f = solved(doubled)
    assert_same(solved(repeated), np.append(f, f[i]))


@laws
@given(problems(), st.sampled_from([1e-3, 0.5, 3.0, 100.0]))
def test_margins_and_boxes_scale_the_decision(problem, scale):
    p = problem
    scaled = Problem(p.X, p.y, scale * p.margin, scale * p.U, p.kernel, p.parameter)
    assert_same(solved(scaled) / scale, solved(p))


@laws
@given(problems(), st.data())
def test_the_order_of_rows_does_not_matter(problem, data):
    p = problem
    order = np.array(data.draw(st.permutations(range(len(p.y)))))
    permuted = Problem(
        p.X[order], p.y[order], p.margin[order], p.U[order], p.kernel, p.parameter
    )
    assert_same(solved(permuted), solved(p)[order])


@laws
@given(problems())
def test_a_sample_without_a_box_has_no_influence(problem):
    p = problem
    kept = p.U > 0.0
    if not np.any(kept & (p.y > 0)) or not np.any(kept & (p.y < 0)):
        return
    without = Problem(
        p.X[kept], p.y[kept], p.margin[kept], p.U[kept], p.kernel, p.parameter
    )
    assert_same(solved(p)[kept], solved(without))
