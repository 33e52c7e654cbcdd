"""Laws that hold for every kernel of the table, so that a new one is tested at once."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.metrics.pairwise import linear_kernel, polynomial_kernel, rbf_kernel

from isvmde.core.kernels import (
    KERNELS,
    PAPER_KERNELS,
    base_matrix,
    cross_base,
    largest_base,
    log10_largest,
    make_kernel,
    paper_bases,
)
from isvmde.core.solver import LANES, Samples, compiled_kernels
from tests.core.reference import called_from_python

base_row = called_from_python(compiled_kernels.base_row)
kernel_values = called_from_python(compiled_kernels.kernel_values)
lane_bases = called_from_python(compiled_kernels.lane_bases)
lane_values = called_from_python(compiled_kernels.lane_values)

CASES = [
    pytest.param(name, sigma, degree, id=f"{name}-{sigma}-{degree}")
    for name in KERNELS
    for sigma, degree in ((0.3, 1), (2.0, 3), (90.0, 6))
]


@pytest.fixture
def X():
    rng = np.random.default_rng(5)
    return rng.random((LANES, 7)) * (rng.random((LANES, 7)) > 0.3)


@pytest.mark.parametrize(("name", "sigma", "degree"), CASES)
def test_compiled_values_are_those_of_numpy(X, name, sigma, degree):
    kernel = make_kernel(name, sigma, degree)
    base = cross_base(kernel.base, X, X).ravel()
    out = np.empty_like(base)
    kernel_values(kernel.function, kernel.parameter, base, out)
    assert_allclose(out, kernel.from_base(base), rtol=1e-14)
    out[:] = np.nan
    every_row, some_rows = np.arange(len(X)), np.array([1, 4, 5])
    lane_values(kernel.function, kernel.parameter, base, every_row, out)
    assert_allclose(out, kernel.from_base(base), rtol=1e-14)
    some = np.empty(len(some_rows) * LANES)
    lane_values(kernel.function, kernel.parameter, base, some_rows, some)
    assert_array_equal(some, out.reshape(len(X), LANES)[some_rows].ravel())


@pytest.mark.parametrize("name", KERNELS)
def test_a_base_is_the_same_wherever_it_is_computed(X, name):
    kind = make_kernel(name).base
    expected = base_matrix(kind, X)
    assert_array_equal(expected, expected.T)
    assert_allclose(cross_base(kind, X, X), expected, rtol=1e-14)
    features, row = np.ascontiguousarray(X.T), np.empty(len(X))
    lanes = np.empty(len(X) * LANES)
    lane_bases(kind, X, features, lanes)
    assert_allclose(lanes.reshape(len(X), LANES), expected, rtol=1e-14)
    for r in range(len(X)):
        base_row(features, kind, r, 0, row)
        assert_allclose(row, expected[r], rtol=1e-14)


@pytest.mark.parametrize(("name", "sigma", "degree"), CASES)
def test_no_value_is_larger_than_the_bound(X, name, sigma, degree):
    kernel = make_kernel(name, sigma, degree)
    X = 10.0 * X
    bases = base_matrix(kernel.base, X), Samples(np.ascontiguousarray(X.T), kernel.base)
    for base in bases:
        most = largest_base(base)
        bound = kernel.largest(most)
        assert np.abs(kernel.between(X, X)).max() <= bound * (1 + 1e-12)
        log10 = log10_largest(kernel.function, kernel.parameter, most)
        assert log10 == pytest.approx(max(np.log10(bound), 0.0))


@pytest.mark.parametrize(("name", "sigma", "degree"), CASES)
def test_a_kernel_grows_with_that_power_of_its_base(name, sigma, degree):
    kernel = make_kernel(name, sigma, degree)
    # so far away that what a kernel adds to the power is lost
    far = np.abs(kernel.from_base(np.array([1e14, 1e15])))
    ratio = max(far[1] / far[0], 1.0)  # bounded kernels may fall
    assert ratio == pytest.approx(10.0**kernel.growth, rel=1e-6)


@pytest.mark.parametrize(("sigma", "degree"), [(0.3, 1), (2.0, 3), (90.0, 6)])
def test_values_are_those_of_scikit_learn(X, sigma, degree):
    Z, gamma = X[::2] + 0.1, 0.5 / sigma**2
    ours = {name: make_kernel(name, sigma, degree).between(X, Z) for name in KERNELS}
    constant = 1.0 if degree == 1 else 0.0  # which a degree of 1 is written without
    assert_allclose(ours["linear"], linear_kernel(X, Z))
    assert_allclose(ours["rbf"] + 1.0, rbf_kernel(X, Z, gamma=gamma))
    powers = polynomial_kernel(X, Z, degree=degree, gamma=1.0, coef0=1.0)
    assert_allclose(ours["poly"] + constant, powers)
    minima = np.minimum(X[:, None], Z[None]).sum(axis=2)
    assert_allclose(ours["min"] + constant, (1.0 + minima) ** degree)


def test_bases_of_the_paper_are_those_of_the_table():
    functions = np.array(list(PAPER_KERNELS.values()), dtype=float)
    expected = [make_kernel(name).base for name in PAPER_KERNELS]
    assert_array_equal(paper_bases(functions), expected)


@pytest.mark.parametrize("name", KERNELS)
def test_the_layout_of_a_table_does_not_change_its_bases(name):
    """A table of pandas lies in memory column by column."""
    rng = np.random.default_rng(3)
    X, Z = rng.random((40, 37)), rng.random((9, 37))
    kind = make_kernel(name).base
    by_rows = cross_base(kind, X, Z)
    assert_array_equal(cross_base(kind, np.asfortranarray(X), Z), by_rows)
    assert_array_equal(cross_base(kind, X, np.asfortranarray(Z)), by_rows)
