"""Triangular systems: compiled, they have the bits of sums in one fixed order."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from isvmde.core.solver import LANES, factor, loo
from tests.core.reference import called_from_python

solve_lower = called_from_python(factor.solve_lower)
solve_lower_lanes = called_from_python(loo._solve_lower_lanes)


def packed_factor(m, seed=0):
    """Return a lower triangle, and its rows one after the other."""
    random = np.random.default_rng(seed)
    L = np.tril(random.normal(size=(m, m))) + 3.0 * np.eye(m)
    return L, np.concatenate([L[r, : r + 1] for r in range(m)] or [np.empty(0)])


def plain_solve(L, z):
    """Add every fourth term up apart, then the four sums, then what is left."""
    z = z.copy()
    first = int(np.argmax(z != 0.0)) if z.any() else len(z)
    for r in range(first, len(z)):
        terms = L[r, first:r] * z[first:r]
        whole = len(terms) // 4 * 4
        fours = [0.0] * 4
        for k, term in enumerate(terms[:whole]):
            fours[k % 4] += term
        total = (fours[0] + fours[1]) + (fours[2] + fours[3])
        for term in terms[whole:]:
            total += term
        z[r] = (z[r] - total) / L[r, r]
    return z


@pytest.mark.parametrize("m", [0, 1, 3, 4, 5, 8, 11, 30, 45])
@pytest.mark.parametrize("zeros", [0, 1, 2, 5])
def test_four_rows_at_a_time_have_the_bits_of_one(m, zeros):
    L, rows = packed_factor(m)
    z = np.random.default_rng(m).normal(size=m)
    z[:zeros] = 0.0
    expected = plain_solve(L, z)
    assert_allclose(L @ expected, z, rtol=1e-9, atol=1e-9)
    solve_lower(rows, m, z)
    assert_array_equal(z, expected)


@pytest.mark.parametrize("m", [1, 2, 17])
def test_a_lane_is_a_right_hand_side_of_its_own(m):
    L, rows = packed_factor(m)
    Z = np.random.default_rng(m).normal(size=(m, LANES))
    found = Z.ravel().copy()
    solve_lower_lanes(rows, m, found)
    found = found.reshape(m, LANES)
    assert_allclose(L @ found, Z, rtol=1e-9, atol=1e-9)
    alone = np.repeat(Z[:, :1], LANES, axis=1).ravel()
    solve_lower_lanes(rows, m, alone)
    assert_array_equal(alone.reshape(m, LANES)[:, 0], found[:, 0])
