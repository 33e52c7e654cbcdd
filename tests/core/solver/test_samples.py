"""Gram rows from samples, in bounded memory: the solutions of whole matrices."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from isvmde.core.kernels import base_matrix, make_kernel
from isvmde.core.solver import DOT, LINEAR, Samples, make_workspace, problem, solve_dual
from isvmde.core.solver.compilation import compiled
from tests.core.reference import called_from_python

begin = called_from_python(problem.begin)
KERNELS = [
    make_kernel("linear"),
    make_kernel("rbf", sigma=0.5),
    make_kernel("rbf", sigma=0.05),
    make_kernel("poly", degree=3),
    make_kernel("poly", degree=7),
    make_kernel("min", degree=1),
    make_kernel("min", degree=4),
]
ROW = 8 * 96  # bytes of a padded row


def table(n=90):
    random = np.random.default_rng(0)
    X = random.random((n, 3))
    y = np.where(X[:, 0] + 0.3 * random.normal(size=n) > 0.6, 1.0, -1.0)
    return X, y, np.where(y > 0, 5.0, 2.0)


def solved(base, kernel, y, U, **options):
    ones, options = np.ones(len(y)), {"tol": 1e-6, **options}
    function, parameter = kernel.function, kernel.parameter
    return solve_dual(base, y, ones, U, kernel=function, parameter=parameter, **options)


@pytest.mark.parametrize("n_bytes", [0, 20 * ROW, 10**8])
@pytest.mark.parametrize("kernel", KERNELS, ids=str)
def test_the_solution_is_that_of_the_whole_matrix(kernel, n_bytes):
    X, y, U = table()
    samples = Samples(np.ascontiguousarray(X.T), kernel.base)
    work = make_workspace(len(X), n_bytes=n_bytes)
    assert len(work.gram) <= max(n_bytes, 8 * ROW) // 8
    found = solved(samples, kernel, y, U, work=work)
    expected = solved(base_matrix(kernel.base, X), kernel, y, U)
    assert found.converged
    if kernel.base == DOT:  # einsum adds in an order of its own
        assert_allclose(found.f, expected.f, atol=1e-5)
    else:
        assert_array_equal(found.f, expected.f)
        assert_array_equal(found.alpha, expected.alpha)


@pytest.mark.parametrize("kernel", KERNELS, ids=str)
def test_faces_larger_than_their_room_are_left_to_steps(kernel, monkeypatch):
    X, y, U = table()
    base = base_matrix(kernel.base, X)
    expected = solved(base, kernel, y, U)
    monkeypatch.setattr(problem, "_LARGEST_FACE", 4)
    work = make_workspace(len(X))
    assert len(work.factor) == 10
    found = solved(base, kernel, y, U, work=work, max_iter=10**6)
    assert found.converged
    assert_allclose(found.f, expected.f, atol=1e-4)


def test_a_flag_and_a_bound_end_it():
    X, y, U = table()
    kernel, samples = KERNELS[0], Samples(np.ascontiguousarray(X.T), DOT)
    assert solved(samples, kernel, y, U, tol=1e-9, max_iter=3).steps == 3
    work = make_workspace(len(X), np.ones(1, np.int64))
    stopped = solved(samples, kernel, y, U, work=work)
    assert stopped.steps == 0
    assert not stopped.converged


@compiled
def gram_row(source, work, n, i):
    """The inlined function, which only compiled code can call."""
    return problem.gram_row(source, work, n, i)


def test_recent_rows_are_not_given_away():
    """The solver looks at four rows at a time."""
    X, _, _ = table()
    n = len(X)
    work = make_workspace(n, n_bytes=0)
    features = np.ascontiguousarray(X.T)
    source = problem.Source(features, DOT, 0, n, 0, 0, LINEAR, 0.0)
    begin(source, work, n)
    asked = []
    for i in np.random.default_rng(1).integers(0, n, 500):
        gram_row(source, work, n, i)
        asked = [*asked[-3:], i]
        for k in asked:
            start = work.place[k]
            assert start >= 0
            assert_allclose(work.gram[start : start + n], X @ X[k])
