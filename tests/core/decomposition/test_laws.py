"""What holds for every decomposition."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from isvmde.core.decomposition import (
    DECOMPOSITIONS,
    KnownDecisions,
    make_decomposition,
)

VALUES = st.one_of(
    st.sampled_from([0.0, -0.0, 1.0, -1.0, 1e-300, -1e-300, 800.0, -800.0]),
    st.floats(-50, 50),
)


@st.composite
def decided(draw, least=2):
    """A decomposition of classes, some of equal sizes, and decisions on a few rows."""
    sizes = st.sampled_from([1.0, 2.5, 40.0])
    class_size = draw(hnp.arrays(float, st.integers(least, 6), elements=sizes))
    name = draw(st.sampled_from(sorted(DECOMPOSITIONS)))
    decomposition = make_decomposition(name, class_size)
    shape = draw(st.integers(1, 4)), len(decomposition.problems)
    return decomposition, draw(hnp.arrays(float, shape, elements=VALUES))


@given(decided())
def test_the_prediction_has_the_largest_score_and_probability(case):
    decomposition, F = case
    decisions = KnownDecisions(F)
    predicted = decomposition.predict(decisions)
    probabilities = decomposition.probabilities(decisions)
    np.testing.assert_array_equal(probabilities.argmax(axis=1), predicted)
    np.testing.assert_allclose(probabilities.sum(axis=1), 1.0, atol=1e-13)
    assert (probabilities >= 0).all()
    scores = decomposition.scores(decisions)
    if len(decomposition.class_size) == 2:
        np.testing.assert_array_equal((scores > 0).astype(int), predicted)
    else:
        np.testing.assert_array_equal(scores.argmax(axis=1), predicted)


@given(decided())
def test_a_row_does_not_depend_on_the_others(case):
    decomposition, F = case
    together = KnownDecisions(F)
    for i in range(len(F)):
        alone = KnownDecisions(F[i : i + 1])
        for answer in (
            decomposition.predict,
            decomposition.scores,
            decomposition.probabilities,
        ):
            np.testing.assert_array_equal(answer(alone)[0], answer(together)[i])


@given(decided(least=3))
def test_every_class_is_in_a_problem_and_the_smaller_side_is_plus(case):
    decomposition, _ = case
    size = decomposition.class_size
    known = set()
    for problem in decomposition.problems:
        plus, minus = list(problem.plus), list(problem.minus)
        assert not set(plus) & set(minus)
        assert size[plus].sum() <= size[minus].sum()
        known |= set(problem.classes)
    assert known == set(range(len(size)))


@given(
    hnp.arrays(float, 2, elements=st.sampled_from([1.0, 40.0])),
    hnp.arrays(float, (3, 1), elements=VALUES),
)
def test_two_classes_are_one_pair_whatever_the_decomposition(class_size, F):
    decisions = KnownDecisions(F)
    all_three = [make_decomposition(name, class_size) for name in DECOMPOSITIONS]
    first = all_three[0]
    for other in all_three[1:]:
        assert other.problems == first.problems
        np.testing.assert_array_equal(
            other.predict(decisions), first.predict(decisions)
        )
        np.testing.assert_array_equal(other.scores(decisions), first.scores(decisions))


@pytest.mark.parametrize("name", DECOMPOSITIONS)
def test_no_rows_give_no_answers(name):
    decomposition = make_decomposition(name, np.array([3.0, 2.0, 1.0]))
    nothing = KnownDecisions(np.zeros((0, 3)))
    assert decomposition.predict(nothing).shape == (0,)
    assert decomposition.scores(nothing).shape == (0, 3)
    assert decomposition.probabilities(nothing).shape == (0, 3)


@pytest.mark.parametrize("name", DECOMPOSITIONS)
def test_one_class_is_refused(name):
    with pytest.raises(ValueError, match="two classes or more"):
        make_decomposition(name, np.array([7.0]))
