"""One-vs-rest: signs, the largest decision, and probabilities that never tie."""

import numpy as np
from scipy.special import expit

from isvmde.core.decomposition import KnownDecisions, OneVsRest


def test_the_rest_is_plus_where_it_is_smaller():
    decomposition = OneVsRest(np.array([6.0, 2.0, 3.0]))
    assert decomposition.problems == (((1, 2), (0,)), ((1,), (0, 2)), ((2,), (0, 1)))


def test_a_class_as_large_as_the_rest_is_plus():
    assert OneVsRest(np.array([5.0, 2.0, 3.0])).problems[0] == ((0,), (1, 2))


def test_a_class_of_a_huge_weight_does_not_hide_the_others():
    size = np.array([1e300, 1.0, 2.0, 1.5])
    assert OneVsRest(size).class_is_plus.tolist() == [False, True, True, True]


def test_the_largest_decision_wins_and_ties_go_to_the_first_class():
    decomposition = OneVsRest(np.array([60.0, 2.0, 3.0]))
    F = np.array([[-1.0, 0.5, 0.7], [1.0, -2.0, -3.0], [-0.5, 0.5, 0.5]])
    decisions = KnownDecisions(F)
    np.testing.assert_array_equal(decomposition.scores(decisions), F * [-1, 1, 1])
    assert decomposition.predict(decisions).tolist() == [0, 0, 0]
    assert decomposition.predict(KnownDecisions(-F)).tolist() == [1, 2, 0]


def test_probabilities_are_confidences_scaled_to_sum_one():
    F = np.array([[0.3, -1.2, 2.0], [-3.0, -4.0, -2.5]])
    decomposition = OneVsRest(np.array([3.0, 3.0, 3.0]))
    confidence = expit(F)
    np.testing.assert_allclose(
        decomposition.probabilities(KnownDecisions(F)),
        confidence / confidence.sum(axis=1, keepdims=True),
        rtol=1e-12,
    )


def test_decisions_that_are_all_sure_keep_the_largest_on_top():
    decomposition = OneVsRest(np.array([3.0, 3.0, 3.0]))
    sure = KnownDecisions(np.array([[800.0, 900.0, 850.0], [-800.0, -900.0, -850.0]]))
    assert decomposition.probabilities(sure).argmax(axis=1).tolist() == [1, 0]
