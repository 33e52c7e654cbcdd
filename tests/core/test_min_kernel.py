"""The min kernel: a kernel for any features, and the same sums everywhere."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from numpy.testing import assert_allclose, assert_array_equal
from scipy.spatial.distance import cdist

from isvmde.core.kernels import (
    base_matrix,
    cross_base,
    make_kernel,
    shift_origin,
    shifted,
)
from isvmde.core.solver import DISTANCE, LANES, MINIMUM, compiled_kernels
from isvmde.core.training_set import training_set
from isvmde.core.views import VIEWS, Sight, Views


def sums_in_numpy(X, Z):
    return np.minimum(X[:, None, :], Z[None, :, :]).sum(axis=2)


@pytest.mark.parametrize("shape", [(1, 1), (7, 3), (16, 2), (40, 13)])
def test_compiled_sums_are_numpys(shape, monkeypatch):
    X = np.random.default_rng(0).normal(size=shape)
    found = base_matrix(MINIMUM, X)
    assert_allclose(found, sums_in_numpy(X, X), rtol=1e-13, atol=1e-13)
    assert_array_equal(found, found.T)
    plain = np.empty_like(found)
    for name in ("lane_bases", "_add_rows", "lane_terms", "lanes_of"):
        part = getattr(compiled_kernels, name)  # in plain Python as well
        monkeypatch.setattr(compiled_kernels, name, part.py_func)
    compiled_kernels.bases_of_all.py_func(
        MINIMUM, X, np.empty((shape[1], LANES)), np.empty(shape[0] * LANES), plain
    )
    assert_array_equal(plain, found)


@pytest.mark.parametrize("shape", [(1, 1), (16, 2), (45, 13)])
def test_distances_have_scipys_bits(shape):
    X = np.random.default_rng(1).normal(size=shape)
    expected = cdist(X, X, "sqeuclidean")
    assert_array_equal(base_matrix(DISTANCE, X), expected)


def test_sums_between_samples_in_blocks(monkeypatch):
    rng = np.random.default_rng(1)
    X, Z = rng.random((9, 4)), rng.random((5, 4))
    whole = cross_base(MINIMUM, X, Z)
    assert_allclose(whole, sums_in_numpy(X, Z), rtol=1e-14)
    monkeypatch.setattr("isvmde.core.kernels._BLOCK", 41)  # two rows at a time
    assert_array_equal(cross_base(MINIMUM, X, Z), whole)


@given(
    arrays(float, (8, 3), elements=st.floats(-5, 5)),
    arrays(float, (5, 3), elements=st.floats(-50, 50)),
    st.integers(1, 5),
)
def test_gram_matrix_stays_positive_semidefinite(train, new, degree):
    """Also for negative features and for samples beyond the training range."""
    X = shifted(np.concatenate([train, new]), shift_origin(train))
    K = make_kernel("min", degree=degree).between(X, X)
    eigenvalues = np.linalg.eigvalsh(K)
    assert eigenvalues[0] >= -1e-12 * max(1.0, eigenvalues[-1])


@pytest.mark.parametrize("view", VIEWS)
def test_gram_matrix_of_every_view(make_blobs, view):
    data = make_blobs([12, 7, 5])
    known = training_set(3 * data.X - 2, data.y, np.ones(24), 3)
    new = np.random.default_rng(0).normal(scale=9.0, size=(20, 3))
    views = Views.of(known.X, known.weight)
    part = np.arange(len(known.X)) % 2
    views = views.with_relevance(known.X, known.weight, known.class_start, part, 2)
    rows = views.see(np.concatenate([known.X, new]), Sight(view, MINIMUM, 1))
    assert (rows >= 0).all()
    eigenvalues = np.linalg.eigvalsh(make_kernel("min", degree=3).between(rows, rows))
    assert eigenvalues[0] >= -1e-12 * eigenvalues[-1]


def test_without_the_shift_it_is_no_kernel():
    """min(x, z) of negative numbers: why features are shifted."""
    X = np.array([[-1.0], [-2.0]])
    assert np.linalg.eigvalsh(base_matrix(MINIMUM, X))[0] < -0.1


def test_it_is_the_length_that_two_intervals_share():
    kernel = make_kernel("min", degree=2)
    K = kernel.between(np.array([[0.5, 2.0]]), np.array([[1.0, 1.5]]))
    assert K[0, 0] == pytest.approx((1 + 0.5 + 1.5) ** 2)


def test_above_the_training_range_nothing_changes():
    train = np.array([[0.0, -1.0], [1.0, 3.0]])
    origin = shift_origin(train)
    high = np.array([[5.0, 9.0], [500.0, 900.0], [1.0, 3.0]])
    low = np.array([[-5.0, -9.0], [-500.0, -900.0], [0.0, -1.0]])
    for rows in (high, low):
        base = cross_base(MINIMUM, shifted(rows, origin), shifted(train, origin))
        assert_array_equal(base, np.repeat(base[-1:], 3, axis=0))
