"""Wider margins: the same SVM, bit for bit, inside the ranges."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal

from isvmde.core.search.genome import Encoding, Ranges
from isvmde.core.search.pairwise import widest_margins

RANGES = [
    Ranges(),
    Ranges(C=37.3, margin=(0.1, 3.0), cost=(0.01, 2.0)),
    Ranges(C=1.0, cost=(0.2, 0.4), margin=(0.0, 0.9)),
]


def draw(encoding, seed, n=200):
    rng = np.random.default_rng(seed)
    return rng.uniform(encoding.lower, encoding.upper, (n, 7))


@pytest.mark.parametrize("ranges", RANGES, ids=str)
@given(seed=st.integers(0, 2**32 - 1))
def test_same_keys_inside_the_ranges_never_narrower(ranges, seed):
    encoding = Encoding(ranges, 1)
    genes = draw(encoding, seed)
    old = encoding.decode(genes)
    wide = widest_margins(encoding, genes, old)
    new = encoding.decode(wide)
    assert new.key.tobytes() == old.key.tobytes()
    assert ((wide >= encoding.lower) & (wide <= encoding.upper)).all()
    assert (new.scale >= old.scale).all()
    assert (np.abs(new.shift) <= np.abs(old.shift) + 1e-6 * ranges.margin[1]).all()
    assert_array_equal(wide[:, 4:], genes[:, 4:])


@pytest.mark.parametrize("ranges", RANGES, ids=str)
def test_nearly_all_margins_end_at_a_limit(ranges):
    """Either both margins or the larger cost are at their upper end."""
    encoding = Encoding(ranges, 1)
    genes = draw(encoding, 0, 2000)
    new = encoding.decode(widest_margins(encoding, genes, encoding.decode(genes)))
    margin = np.isclose(new.scale, ranges.margin[1], rtol=1e-6)
    cost = np.isclose(new.genes[:, :2].max(axis=1), ranges.cost[1], rtol=1e-8)
    assert (margin | cost).mean() > 0.95


def test_an_example():
    """Margins 0.4 and 0.6 with costs 0.1 and 0.4: all times two, then a shift of 0."""
    encoding = Encoding(Ranges(), 1)
    genes = np.array([[0.1, 0.4, 0.4, 0.6, 0.0, 1.0, 2.0]])
    wide = widest_margins(encoding, genes, encoding.decode(genes))
    assert_allclose(wide, [[0.2, 0.8, 1.0, 1.0, 0.0, 1.0, 2.0]], rtol=2e-6)
    assert 0.5e-6 < wide[0, 2] - wide[0, 3] < 2e-6  # f = 0 is no tie
    genes[0, :4] = 0.2, 0.8, 0.4, 0.6  # the larger cost allows a factor of 1.25
    wide = widest_margins(encoding, genes, encoding.decode(genes))
    assert_allclose(wide[0, :4], [0.25, 1.0, 0.525, 0.725], rtol=1e-12)


def test_nothing_to_widen_is_left_alone():
    encoding = Encoding(Ranges(), 1)
    genes = np.array(
        [
            [0.3, 0.3, 1.0, 1.0, 0.5, 1.0, 2.0],  # widest margins
            [1.0, 0.3, 0.5, 0.2, 0.5, 1.0, 2.0],  # highest cost
            [0.3, 0.3, 0.0, 0.0, 0.5, 1.0, 2.0],  # no margin
            [0.0, 0.3, 0.5, 0.5, 0.5, 1.0, 2.0],  # no cost
        ]
    )
    assert_array_equal(widest_margins(encoding, genes, encoding.decode(genes)), genes)


def test_populations_of_pairs():
    """Leading axes are those of the genes, cell by cell."""
    encoding = Encoding(Ranges(), 3)
    genes = draw(Encoding(Ranges(), 1), 1, 12).reshape(4, 3, 7)
    wide = widest_margins(encoding, genes, encoding.decode(genes))
    for k, p in np.ndindex(4, 3):
        cell = genes[k, p]
        alone = widest_margins(encoding, cell[None], encoding.decode(cell[None]))[0]
        assert_array_equal(wide[k, p], alone)
