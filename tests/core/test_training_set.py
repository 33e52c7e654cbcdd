"""The canonical form: weights are counts, the order of rows does not matter."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from numpy.testing import assert_array_equal

from isvmde.core.training_set import canonical_form, training_set


def table(draw_weight):
    return st.integers(1, 12).flatmap(
        lambda n: st.tuples(
            hnp.arrays(float, (n, 2), elements=st.sampled_from([-1.0, -0.0, 0.0, 0.5])),
            hnp.arrays(int, n, elements=st.integers(0, 2)),
            hnp.arrays(float, n, elements=draw_weight),
            st.permutations(range(n)),
        )
    )


counts = st.integers(0, 3).map(float)
fractions = st.sampled_from([0.1, 0.2, 0.3, 0.7, 1e-9, 1e9])


@given(table(counts))
def test_a_weight_is_that_many_rows(given_table):
    X, y, weight, _ = given_table
    repeat = weight.astype(int)
    repeated = canonical_form(
        np.repeat(X, repeat, axis=0), np.repeat(y, repeat), np.ones(repeat.sum())
    )
    for ours, theirs in zip(
        canonical_form(X, y, weight)[:3], repeated[:3], strict=True
    ):
        assert_array_equal(ours, theirs)


@given(table(fractions))
def test_the_order_of_rows_does_not_matter_to_the_last_bit(given_table):
    X, y, weight, order = given_table
    order = np.array(order)
    shuffled = canonical_form(X[order], y[order], weight[order])
    ours = canonical_form(X, y, weight)
    for one, other in zip(ours[:3], shuffled[:3], strict=True):
        assert one.tobytes() == other.tobytes()
    assert_array_equal(ours[3][order], shuffled[3])


@given(table(counts))
def test_rows_are_distinct_sorted_and_keep_the_total(given_table):
    X, y, weight, _ = given_table
    rows, labels, summed, place = canonical_form(X, y, weight)
    seen = list(zip(labels.tolist(), *rows.T.tolist(), strict=True))
    assert seen == sorted(set(seen))
    assert summed.sum() == weight.sum()
    assert (summed > 0).all()
    counted = weight > 0
    assert ((place >= 0) == counted).all()
    assert_array_equal(rows[place[counted]], X[counted])
    assert_array_equal(labels[place[counted]], y[counted])


def test_zero_and_minus_zero_are_the_same_value():
    rows, _, weight, _ = canonical_form(
        np.array([[0.0], [-0.0]]), np.array([0, 0]), np.ones(2)
    )
    assert weight.tolist() == [2.0]
    assert not np.signbit(rows).any()


def test_the_same_row_in_two_classes_stays_two_rows():
    _, labels, weight, _ = canonical_form(
        np.array([[1.0], [1.0]]), np.array([1, 0]), np.array([3.0, 2.0])
    )
    assert labels.tolist() == [0, 1]
    assert weight.tolist() == [2.0, 3.0]


def test_the_input_is_left_as_it_was():
    X = np.array([[2.0], [1.0]])
    X.flags.writeable = False
    canonical_form(X, np.array([0, 0]), np.ones(2))
    assert X.tolist() == [[2.0], [1.0]]


def test_training_set_knows_its_classes():
    data = training_set(
        np.array([[3.0], [1.0], [1.0], [2.0]]),
        np.array([2, 0, 0, 0]),
        np.array([1.0, 1.0, 1.0, 4.0]),
        3,
    )
    assert data.n_classes == 3
    assert data.class_start.tolist() == [0, 2, 2, 3]
    assert data.class_size.tolist() == [6.0, 0.0, 1.0]
    assert data.X[data.rows(0)].tolist() == [[1.0], [2.0]]
    assert data.weight[data.rows(2)].tolist() == [1.0]
