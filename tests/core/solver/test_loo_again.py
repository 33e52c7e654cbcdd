"""Rare rows left out: as if the machine had been trained without them."""

import numpy as np
import pytest
from numpy.testing import assert_array_equal
from sklearn.svm import SVC

from isvmde.core.kernels import base_matrix, make_kernel
from isvmde.core.solver import BatchSolver, Tasks

N_POS, N_NEG = 12, 150


def noise(seed):
    random = np.random.default_rng(seed)
    return random.random((N_POS + N_NEG, 6))


def solve(X, kernel, C_pos, C_neg, *, left_out=True, n_threads=1, weight=None):
    weight = np.ones(len(X)) if weight is None else weight
    task = Tasks(
        start_pos=np.array([0]),
        end_pos=np.array([N_POS]),
        start_neg=np.array([N_POS]),
        end_neg=np.array([len(X)]),
        base=np.array([0]),
        kernel=np.array([kernel.function]),
        parameter=np.array([kernel.parameter]),
        U_pos=np.array([C_pos]),
        U_neg=np.array([C_neg]),
    )
    with BatchSolver(
        base_matrix(kernel.base, X)[None],
        weight,
        tol=1e-6,
        max_steps=100_000,
        left_out=left_out,
        largest_face=len(X),
        n_threads=n_threads,
    ) as solver:
        return solver.solve(task, with_beta=True)


def svc(name, sigma, degree):
    """Return SVC with one of our kernels."""
    if name == "rbf":
        return {"kernel": "rbf", "gamma": 0.5 / sigma**2}
    if name == "poly":
        return {"kernel": "poly", "degree": degree, "gamma": 1.0, "coef0": 1.0}
    return {"kernel": "linear"}


@pytest.mark.parametrize(
    ("name", "sigma", "degree", "C_pos", "C_neg"),
    [
        ("linear", 1.0, 1, 20.0, 1.0),
        ("rbf", 0.5, 1, 10.0, 10.0),
        ("rbf", 2.0, 1, 300.0, 100.0),
        ("poly", 1.0, 3, 5.0, 1.0),
    ],
)
@pytest.mark.parametrize("seed", range(2))
def test_decisions_are_those_of_machines_trained_without_the_row(
    seed, name, sigma, degree, C_pos, C_neg
):
    X = noise(seed)
    y = np.repeat([1, -1], [N_POS, N_NEG])
    found = solve(X, make_kernel(name, sigma, degree), C_pos, C_neg).f[:N_POS]
    retrained = []
    for row in range(N_POS):
        others = np.arange(len(X)) != row
        machine = SVC(
            C=1.0,
            class_weight={1: C_pos, -1: C_neg},
            tol=1e-6,
            **svc(name, sigma, degree),
        )
        machine.fit(X[others], y[others])
        retrained.append(machine.decision_function(X[[row]])[0])
    difference = np.abs(found - retrained)
    assert difference.mean() < 0.05
    assert difference.max() < 0.3  # few steps are taken where f hardly changes


def test_the_solution_and_the_other_rows_stay_as_they_were():
    X, kernel = noise(3), make_kernel("rbf", 0.7)
    plain = solve(X, kernel, 10.0, 1.0, left_out=False)
    left_out = solve(X, kernel, 10.0, 1.0)
    assert_array_equal(left_out.beta, plain.beta)
    assert_array_equal(left_out.intercept, plain.intercept)
    assert (left_out.f[:N_POS] < plain.f[:N_POS]).all()


def test_a_row_that_counts_twice_leaves_once():
    """Its other half vouches for it, so it loses less than one that leaves whole."""
    X, kernel = noise(4), make_kernel("rbf", 0.5)
    weight = np.ones(len(X))
    weight[0] = 2.0
    once = solve(X, kernel, 10.0, 1.0).f[0]
    twice = solve(X, kernel, 10.0, 1.0, weight=weight).f[0]
    assert twice > once


def test_bits_do_not_depend_on_threads():
    X, kernel = noise(5), make_kernel("poly", degree=2)
    one, two = (solve(X, kernel, 30.0, 1.0, n_threads=k) for k in (1, 2))
    assert_array_equal(one.f, two.f)
