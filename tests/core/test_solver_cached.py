"""SMO with a row cache finds what the solver with a whole matrix finds."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

from isvmde import ISVMClassifier
from isvmde.classifiers import pair_machines
from isvmde.core.kernels import base_matrix, make_kernel
from isvmde.core.solver import solve_dual, solve_with_cache

KERNELS = [
    make_kernel("linear"),
    make_kernel("rbf", sigma=0.5),
    make_kernel("poly", degree=3),
    make_kernel("min", degree=1),
    make_kernel("min", degree=4),
]


def problem(n=90):
    random = np.random.default_rng(0)
    X = random.random((n, 3))
    y = np.where(X[:, 0] + 0.3 * random.normal(size=n) > 0.6, 1.0, -1.0)
    return X, y, np.where(y > 0, 5.0, 2.0)


@pytest.mark.parametrize("n_bytes", [0, 8 * 96 * 20, 10**8])
@pytest.mark.parametrize("kernel", KERNELS)
def test_the_optimum_is_that_of_the_whole_matrix(kernel, n_bytes):
    X, y, U = problem()
    expected = solve_dual(
        base_matrix(kernel.base, X),
        y,
        np.ones(len(y)),
        U,
        kernel=kernel.function,
        parameter=kernel.parameter,
        tol=1e-6,
    )
    found = solve_with_cache(
        X,
        y,
        U,
        base=kernel.base,
        kernel=kernel.function,
        parameter=kernel.parameter,
        tol=1e-6,
        max_steps=10**6,
        n_bytes=n_bytes,
    )
    assert found.converged
    assert_allclose(found.f, expected.f, atol=1e-4)


def test_a_flag_and_a_bound_end_it():
    X, y, U = problem()
    options = {"base": 0, "kernel": 0, "parameter": 0.0, "tol": 1e-9}
    assert solve_with_cache(X, y, U, **options, max_steps=3).steps == 3
    stopped = solve_with_cache(X, y, U, **options, max_steps=9, stop=np.ones(1, int))
    assert stopped.steps == 0
    assert not stopped.converged


def test_a_large_pair_with_the_min_kernel_is_solved_in_little_memory(monkeypatch):
    X, y, _ = problem(200)
    model = ISVMClassifier(kernel="min", degree=2, C=10.0, tol=1e-5)
    expected = model.fit(X, y).pair_decision_function(X)
    monkeypatch.setattr(pair_machines, "LARGEST_PAIR", 50)
    monkeypatch.setattr("isvmde.classifiers.large_pairs.SVC", None)
    assert_allclose(model.fit(X, y).pair_decision_function(X), expected, atol=1e-3)
