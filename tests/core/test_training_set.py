"""The canonical form: weights are counts, the order of rows does not matter."""

from itertools import permutations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from numpy.testing import assert_array_equal

from isvmde.core.training_set import canonical_form, training_set


def table(draw_weight):
    """Rows, classes, weights, groups (or none), and an order to shuffle them into."""
    return st.integers(1, 12).flatmap(
        lambda n: st.tuples(
            hnp.arrays(float, (n, 2), elements=st.sampled_from([-1.0, -0.0, 0.0, 0.5])),
            hnp.arrays(int, n, elements=st.integers(0, 2)),
            hnp.arrays(float, n, elements=draw_weight),
            st.none() | hnp.arrays(int, n, elements=st.integers(0, 3)),
            st.permutations(range(n)),
        )
    )


def chosen(group, rows):
    """Return the groups of some rows, if there are groups."""
    return None if group is None else group[rows]


counts = st.integers(0, 3).map(float)
fractions = st.sampled_from([0.1, 0.2, 0.3, 0.7, 1e-9, 1e9])


@given(table(counts))
def test_a_weight_is_that_many_rows(given_table):
    X, y, weight, group, _ = given_table
    many = np.repeat(np.arange(len(y)), weight.astype(int))
    ours = canonical_form(X, y, weight, group)
    theirs = canonical_form(X[many], y[many], np.ones(len(many)), chosen(group, many))
    for one, other in zip(ours[:4], theirs[:4], strict=True):
        assert_array_equal(one, other)
    assert_array_equal(ours.place[many], theirs.place)


@given(table(fractions))
def test_the_order_of_rows_does_not_matter_to_the_last_bit(given_table):
    X, y, weight, group, order = given_table
    order = np.array(order)
    ours = canonical_form(X, y, weight, group)
    shuffled = canonical_form(X[order], y[order], weight[order], chosen(group, order))
    for one, other in zip(ours[:4], shuffled[:4], strict=True):
        assert one.tobytes() == other.tobytes()
    assert_array_equal(ours.place[order], shuffled.place)


@given(table(counts))
def test_rows_are_distinct_sorted_and_keep_the_total(given_table):
    X, y, weight, group, _ = given_table
    rows = canonical_form(X, y, weight, group)
    seen = list(zip(rows.y.tolist(), *rows.X.T.tolist(), rows.group, strict=True))
    assert seen == sorted(set(seen))
    assert rows.weight.sum() == weight.sum()
    assert (rows.weight > 0).all()
    counted = weight > 0
    assert ((rows.place >= 0) == counted).all()
    assert_array_equal(rows.X[rows.place[counted]], X[counted])
    assert_array_equal(rows.y[rows.place[counted]], y[counted])
    codes = np.zeros(len(y), int) if group is None else group
    assert_array_equal(rows.group[rows.place[counted]], codes[counted])


def test_zero_and_minus_zero_are_the_same_value():
    rows = canonical_form(np.array([[0.0], [-0.0]]), np.array([0, 0]), np.ones(2))
    assert rows.weight.tolist() == [2.0]
    assert not np.signbit(rows.X).any()


def test_the_same_row_in_two_classes_stays_two_rows():
    rows = canonical_form(
        np.array([[1.0], [1.0]]), np.array([1, 0]), np.array([3.0, 2.0])
    )
    assert rows.y.tolist() == [0, 1]
    assert rows.weight.tolist() == [2.0, 3.0]


def test_the_same_row_of_two_patients_stays_two_rows():
    X, y = np.ones((4, 1)), np.zeros(4, int)
    rows = canonical_form(X, y, np.ones(4), np.array([7, 3, 7, 3]))
    assert rows.weight.tolist() == [2.0, 2.0]
    assert rows.group.tolist() == [3, 7]
    assert rows.place.tolist() == [1, 0, 1, 0]


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


# Ranks of classes


def ranks_by_name(X, y, weight, names):
    """Return the rank of every class, by the class it is before it gets a name."""
    names = np.asarray(names)
    data = training_set(X, names[y], weight, len(names))
    return data.class_rank[names].tolist()


@pytest.mark.parametrize("names", list(permutations(range(4))), ids=str)
def test_the_rank_of_a_class_does_not_depend_on_its_name(names):
    """Two classes of four have one size: their rows tell them apart."""
    y = np.repeat(np.arange(4), [6, 3, 6, 1])
    X = np.random.default_rng(0).random((16, 2))
    rank = ranks_by_name(X, y, np.ones(16), names)
    assert rank == ranks_by_name(X, y, np.ones(16), range(4))
    assert sorted(rank) == [0, 1, 2, 3]
    assert rank[3] == 0
    assert rank[1] == 1


@given(st.permutations(range(12)))
def test_nor_on_the_order_of_its_rows(order):
    order = np.array(order)
    y, weight = np.repeat([0, 1, 2], 4), np.tile([1.0, 2.0], 6)
    X = np.random.default_rng(1).random((12, 1))
    found = ranks_by_name(X[order], y[order], weight[order], range(3))
    assert found == ranks_by_name(X, y, weight, range(3))


def test_a_weight_counts_for_the_rank():
    X, y = np.arange(5.0)[:, None], np.array([0, 0, 0, 1, 1])
    assert ranks_by_name(X, y, np.array([1.0, 1, 1, 2, 2]), (0, 1)) == [0, 1]
    assert ranks_by_name(X, y, np.ones(5), (0, 1)) == [1, 0]
    # of one summed weight, the class of fewer distinct rows is the rarer one
    assert ranks_by_name(X, y, np.array([1.0, 1, 1, 1, 2]), (0, 1)) == [1, 0]


def test_which_of_two_equal_classes_is_first_is_not_always_the_same():
    y = np.repeat([0, 1], 4)
    firsts = {
        ranks_by_name(np.random.default_rng(k).random((8, 1)), y, np.ones(8), (0, 1))[0]
        for k in range(20)
    }
    assert firsts == {0, 1}


# Some rows


def test_some_rows_are_a_training_set_of_their_own():
    random = np.random.default_rng(0)
    X, y = random.random((30, 2)), np.repeat([0, 1, 2], [15, 10, 5])
    weight, group = random.integers(1, 4, 30) * 1.0, random.integers(0, 9, 30)
    data = training_set(X, y, weight, 3, group)
    rows = np.flatnonzero(random.random(30) < 0.4)
    some = data.some_rows(rows)
    assert_array_equal(some.X, data.X[rows])
    assert_array_equal(some.label, data.label[rows])
    assert_array_equal(some.weight, data.weight[rows])
    assert_array_equal(some.group, data.group[rows])
    assert_array_equal(X[some.first_given], some.X)
    direct = training_set(some.X, some.label, some.weight, 3, some.group)
    for name in ("X", "weight", "class_start", "class_size", "group"):
        assert_array_equal(getattr(some, name), getattr(direct, name))
    whole = data.some_rows(np.arange(30))
    assert_array_equal(whole.class_start, data.class_start)


def test_some_rows_may_lack_a_class():
    data = training_set(np.arange(4.0)[:, None], np.array([0, 0, 1, 2]), np.ones(4), 3)
    some = data.some_rows(np.array([1, 3]))
    assert some.class_size.tolist() == [1.0, 0.0, 1.0]
    assert some.class_start.tolist() == [0, 1, 1, 2]
    assert some.group is None
