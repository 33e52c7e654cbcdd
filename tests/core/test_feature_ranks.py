"""Ranks of features: what does not matter, and what an independent ranking says."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from numpy.testing import assert_allclose, assert_array_equal
from scipy.stats import rankdata
from sklearn.preprocessing import QuantileTransformer

from isvmde.core.solver import DOT
from isvmde.core.training_set import training_set
from isvmde.core.views import Sight, Views, rank_knots, to_ranks

COUNTS = st.integers(1, 3).map(float)
VALUES = st.sampled_from([-7.0, -1.5, 0.0, 0.25, 1.0, 3.0, 40.0])


@st.composite
def tables(draw, weights=COUNTS):
    """Rows with many ties, weights and an order to shuffle them into."""
    n = draw(st.integers(1, 15))
    X = draw(hnp.arrays(float, (n, 2), elements=VALUES))
    weight = draw(hnp.arrays(float, n, elements=weights))
    return X, weight, np.array(draw(st.permutations(range(n))))


def ranked(X, weight):
    return to_ranks(X, *rank_knots(X, weight))


def assert_same_bits(ours, theirs):
    for one, other in zip(ours, theirs, strict=True):
        for a, b in zip(one, other, strict=True):
            assert a.tobytes() == b.tobytes()


INCREASING = [np.exp, np.arctan, lambda x: x**3 + x, lambda x: -np.exp(-x)]


@pytest.mark.parametrize("change", INCREASING, ids=["exp", "arctan", "cubic", "tail"])
@given(table=tables())
def test_a_strictly_increasing_map_changes_no_bit(change, table):
    X, weight, _ = table
    changed = change(X)
    assert len(np.unique(changed)) == len(np.unique(X))  # strictly, in floats as well
    assert ranked(changed, weight).tobytes() == ranked(X, weight).tobytes()


@given(tables())
def test_a_weight_is_that_many_rows(table):
    X, weight, _ = table
    repeated = np.repeat(X, weight.astype(int), axis=0)
    assert_same_bits(
        rank_knots(X, weight), rank_knots(repeated, np.ones(len(repeated)))
    )


@given(tables(st.sampled_from([0.1, 0.2, 0.3, 0.7, 1e-9, 1e9])))
def test_the_order_of_rows_changes_no_bit(table):
    X, weight, order = table
    assert_same_bits(rank_knots(X, weight), rank_knots(X[order], weight[order]))


@given(tables())
def test_ranks_are_scipys_mean_ranks_scaled(table):
    X, weight, _ = table
    repeated = np.repeat(X, weight.astype(int), axis=0)
    mean_rank = rankdata(repeated, method="average", axis=0)
    low, high = mean_rank.min(axis=0), mean_rank.max(axis=0)
    expected = (mean_rank - low) / np.where(high > low, high - low, 1.0)
    assert_allclose(
        ranked(repeated, np.ones(len(repeated))), expected, rtol=0, atol=1e-15
    )


def test_without_ties_ranks_are_scikit_learns_quantiles():
    rng = np.random.default_rng(0)
    X = np.exp(rng.normal(size=(40, 3)))
    new = np.exp(rng.normal(size=(500, 3)))  # between the knots and beyond them
    theirs = QuantileTransformer(n_quantiles=40).fit(X)
    knots = rank_knots(X, np.ones(40))
    for rows in (X, new):
        assert_allclose(to_ranks(rows, *knots), theirs.transform(rows), atol=1e-7)


@given(hnp.arrays(float, 12, elements=st.sampled_from([0.0, 1.0])))
def test_binary_columns_stay_as_they_are(column):
    column[:2] = 0.0, 1.0
    assert_array_equal(ranked(column[:, None], np.ones(12))[:, 0], column)


def test_a_constant_column_has_rank_zero_everywhere():
    knots = rank_knots(np.full((5, 1), 3.5), np.arange(1.0, 6.0))
    assert_array_equal(
        to_ranks(np.array([[3.5], [-9.0], [9.0]]), *knots), np.zeros((3, 1))
    )


@given(tables(), hnp.arrays(float, (6, 2), elements=st.floats(-100, 100)))
def test_new_values_are_clipped_and_keep_their_order(table, new):
    X, weight, _ = table
    knots = rank_knots(X, weight)
    ranks = to_ranks(new, *knots)
    assert ((ranks >= 0) & (ranks <= 1 + 1e-15)).all()
    for column, known, rank in zip(new.T, X.T, ranks.T, strict=True):
        assert (rank[column <= known.min()] == 0).all()
        if known.min() < known.max():
            assert (rank[column >= known.max()] == 1).all()
        assert (np.diff(rank[np.argsort(column)]) >= -1e-15).all()


def test_every_feature_has_its_own_knots():
    X = np.array([[1.0, 5.0], [2.0, 5.0], [4.0, 6.0]])
    values, ranks = rank_knots(X, np.array([1.0, 2.0, 1.0]))
    assert_array_equal(values[0], [1.0, 2.0, 4.0])
    assert_array_equal(values[1], [5.0, 6.0])
    assert_array_equal(ranks[0], [0.0, 0.5, 1.0])
    assert_array_equal(to_ranks(np.array([[3.0, 5.5]]), values, ranks), [[0.75, 0.5]])


def test_a_training_set_gives_kernels_what_they_see(three):
    data = training_set(three.X, three.y, np.ones(len(three.y)), 3)
    views = Views.of(data.X, data.weight)
    assert views.see(data.X, Sight("values", DOT)) is data.X
    seen = views.see(data.X, Sight("ranks", DOT))
    assert seen.flags["C_CONTIGUOUS"]
    # classes do not matter to ranks: all rows count
    assert_array_equal(seen, ranked(data.X, data.weight))
    assert_array_equal(seen.min(axis=0), np.zeros(3))
    assert_array_equal(seen.max(axis=0), np.ones(3))


def test_ranks_stay_ranks_between_values_that_nearly_meet():
    known = 1e-300 * np.array([1.0, 1.000000001, 2.0])
    between = np.array([[1e-300 * 1.0000000005]])
    found = to_ranks(between, [known], [np.array([0.0, 0.5, 1.0])])
    assert 0.0 <= found[0, 0] <= 1.0
