"""A spread start: every kernel, every degree, every order of magnitude of a cost."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from isvmde.core.search.genome import COSTS, DEGREE, KERNEL, Encoding, Ranges
from isvmde.core.search.pairwise import spread_start


def start(n=30, seed=0, **ranges):
    encoding = Encoding(Ranges(**ranges), 3)
    return encoding, spread_start(encoding, n, np.random.default_rng(seed))


def kinds(encoding, genes):
    """Kernel and degree, the degree of polynomials only."""
    poly = encoding.ranges.kernels.index("poly")
    kernel, degree = np.floor(genes[:, [KERNEL, DEGREE]]).astype(int).T
    return list(zip(kernel, np.where(kernel == poly, degree, 0), strict=True))


def test_half_are_polynomials_all_degrees_alike():
    found = kinds(*start(24))
    expected = {(0, 0): 6, (1, 0): 6, (2, 2): 3, (2, 3): 3, (2, 4): 3, (2, 5): 3}
    assert {kind: found.count(kind) for kind in found} == expected


@pytest.mark.parametrize(
    ("kernels", "degree", "expected"),
    [
        (("poly",), (1, 3), {(0, 1), (0, 2), (0, 3)}),
        (("linear", "poly"), (1, 1), {(0, 0), (1, 1)}),
        (("poly", "linear"), (1, 2), {(0, 2), (1, 0)}),
        (("poly",), (3, 3), {(0, 3)}),
    ],
)
def test_kinds_that_there_are(kernels, degree, expected):
    assert set(kinds(*start(kernels=kernels, degree=degree))) == expected


def test_costs_have_every_order_of_magnitude():
    _, genes = start()
    for cost in genes[:, COSTS].T:
        decades, counts = np.unique(np.floor(np.log10(cost)), return_counts=True)
        assert decades.tolist() == [-3, -2, -1]
        assert counts.tolist() == [10, 10, 10]


def test_other_genes_are_a_latin_hypercube():
    encoding, genes = start()
    lower, upper = encoding.lower[:7], encoding.upper[:7]
    for j in (2, 3, 5):
        share = (genes[:, j] - lower[j]) / (upper[j] - lower[j])
        assert sorted(np.floor(30 * share)) == list(range(30))


def ends(low, high):
    """Two numbers in order."""
    pair = st.tuples(st.floats(low, high), st.floats(low, high))
    return pair.map(lambda two: tuple(sorted(two))).filter(lambda two: two[1] > 1e-9)


@given(
    n=st.integers(1, 12),
    seed=st.integers(0, 2**32 - 1),
    ranges=st.fixed_dictionaries(
        {
            "cost": ends(0.0, 10.0),
            "margin": ends(0.0, 10.0),
            "sigma": ends(0.0, 1e3),
            "degree": st.tuples(st.integers(1, 3), st.integers(3, 9)),
            "kernels": st.permutations(["linear", "rbf", "poly"]).map(tuple),
        }
    ),
)
def test_inside_the_ranges(n, seed, ranges):
    encoding, genes = start(n, seed, **ranges)
    assert genes.shape == (n, 7)
    assert ((genes >= encoding.lower[:7]) & (genes <= encoding.upper[:7])).all()
