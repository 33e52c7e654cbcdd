"""One-vs-one: pairs, votes, ties, scores and coupled probabilities."""

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from scipy.optimize import minimize

from isvmde.core.decomposition.one_vs_one import (
    binary_decision,
    confidence,
    couple_probabilities,
    make_pairs,
    predict_index,
    vote_counts,
    vote_scores,
)


@st.composite
def problems(draw, max_classes=6, values=None):
    """Class sizes with ties, their pairs, and decision values with zeros and ties."""
    n_classes = draw(st.integers(2, max_classes))
    sizes = draw(
        hnp.arrays(float, n_classes, elements=st.sampled_from([1.0, 2.5, 40.0]))
    )
    pairs = make_pairs(sizes)
    if values is None:
        values = st.one_of(
            st.sampled_from([0.0, -0.0, 1.0, -1.0, 1e-300, -1e-300, 800.0, -800.0]),
            st.floats(-50, 50),
        )
    n = draw(st.integers(1, 4))
    return sizes, pairs, draw(hnp.arrays(float, (n, len(pairs)), elements=values))


def test_pairs_are_lexicographic_with_the_smaller_class_as_plus():
    pairs = make_pairs([5, 3, 5, 4.5])
    expected = [[1, 0], [0, 2], [3, 0], [1, 2], [1, 3], [3, 2]]
    assert pairs.tolist() == expected


def test_one_class_makes_no_pair():
    with pytest.raises(ValueError, match="two classes or more"):
        make_pairs([7])


def test_votes_by_hand():
    pairs = make_pairs([30, 20, 10])  # (1,0), (2,0), (2,1)
    F = [[1.0, 1.0, 1.0], [-1.0, -1.0, -1.0], [0.0, -0.0, -1e-300], [-1.0, 1.0, -1.0]]
    votes = vote_counts(F, pairs, 3)
    assert votes.tolist() == [[0, 1, 2], [2, 1, 0], [0, 2, 1], [1, 1, 1]]
    # The cycle of the last row goes to the rarest class.
    assert predict_index(F, pairs, [30, 20, 10]).tolist() == [2, 0, 1, 2]


@pytest.mark.parametrize(
    ("sizes", "winner"),
    [
        ([30, 20, 10], 2),
        ([10, 20, 30], 0),
        ([20, 10, 30], 1),
        ([10, 10, 30], 0),
        ([30, 10, 10], 1),
        ([10, 10, 10], 0),
    ],
)
@pytest.mark.parametrize("strength", [1e-9, 1.0, 1e3])
def test_three_way_tie_goes_to_fewest_samples_then_lowest_index(
    sizes, winner, strength
):
    pairs = make_pairs(sizes)
    cycle = {(0, 1): 0, (1, 2): 1, (0, 2): 2}  # 0 beats 1 beats 2 beats 0
    signs = [1 if cycle[min(p, q), max(p, q)] == p else -1 for p, q in pairs]
    # The confidence of one of the pairs is huge: it must not decide.
    for loud in range(3):
        f = np.array(signs) * np.where(np.arange(3) == loud, 1e6, strength)
        assert vote_counts([f], pairs, 3).tolist() == [[1, 1, 1]]
        assert predict_index([f], pairs, sizes).tolist() == [winner]
        assert np.argmax(vote_scores([f], pairs, sizes)) == winner


def test_tie_between_two_of_four_classes():
    sizes = [9, 9, 5, 1]
    pairs = make_pairs(sizes)  # (0,1) (2,0) (3,0) (2,1) (3,1) (3,2)
    F = [[1.0, -9.0, 1.0, 1.0, -1.0, -9.0]]
    # 0 beats 1 and 2; 3 beats 0 only; 2 beats 1 and 3; 1 beats 3.
    assert vote_counts(F, pairs, 4).tolist() == [[2, 1, 2, 1]]
    assert predict_index(F, pairs, sizes).tolist() == [2]


@given(problems())
@settings(deadline=None)
def test_votes_add_up_and_scores_and_prediction_agree(problem):
    sizes, pairs, F = problem
    n_classes = len(sizes)
    votes = vote_counts(F, pairs, n_classes)
    assert np.all(votes.sum(axis=1) == len(pairs))
    predicted = predict_index(F, pairs, sizes)
    scores = vote_scores(F, pairs, sizes)
    np.testing.assert_array_equal(np.argmax(scores, axis=1), predicted)
    np.testing.assert_array_equal(np.floor(scores), votes)
    for row, winner, score in zip(votes, predicted, scores, strict=True):
        rule = [(-row[c], sizes[c], c) for c in range(n_classes)]
        order = sorted(range(n_classes), key=rule.__getitem__)
        assert winner == order[0]
        assert np.all(np.diff(score[order]) < 0)


def test_scores_of_many_classes_stay_exact():
    rng = np.random.default_rng(0)
    sizes = rng.integers(1, 4, size=60)
    pairs = make_pairs(sizes)
    F = rng.choice([-1e3, -1.0, 0.0, 1.0, 1e3], size=(50, len(pairs)))
    scores = vote_scores(F, pairs, sizes)
    np.testing.assert_array_equal(scores.argmax(axis=1), predict_index(F, pairs, sizes))


def test_confidence_orders_samples_with_equal_votes():
    sizes = [3, 2, 1]
    pairs = make_pairs(sizes)
    F = np.array([[0.1, 0.2, 0.3], [0.1, 0.2, 0.4], [0.1, 0.3, 0.4]])
    assert np.all(np.diff(vote_scores(F, pairs, sizes)[:, 2]) > 0)


@given(problems())
@settings(deadline=None)
def test_a_row_does_not_depend_on_the_others(problem):
    sizes, pairs, F = problem
    predicted = predict_index(F, pairs, sizes)
    scores = vote_scores(F, pairs, sizes)
    p = couple_probabilities(F, pairs, len(sizes), predicted)
    for i in range(len(F)):
        row = F[i : i + 1]
        np.testing.assert_array_equal(vote_scores(row, pairs, sizes)[0], scores[i])
        alone = couple_probabilities(row, pairs, len(sizes), predicted[i : i + 1])
        np.testing.assert_array_equal(alone[0], p[i])


@pytest.mark.parametrize("sizes", [[1, 2], [2, 1], [3, 3]])
def test_two_classes_sign_is_the_prediction(sizes):
    pairs = make_pairs(sizes)
    tiny = np.nextafter(0.0, 1.0)
    F = np.array([[-5.0], [-tiny], [-0.0], [0.0], [tiny], [1e-310], [1e-300], [5.0]])
    score = binary_decision(F, pairs)
    predicted = predict_index(F, pairs, sizes)
    np.testing.assert_array_equal((score > 0).astype(int), predicted)
    np.testing.assert_allclose(np.abs(score), np.abs(F[:, 0]), atol=3e-308)
    steps = np.diff(score)
    assert np.all(steps >= 0) if pairs[0, 0] == 1 else np.all(steps <= 0)


def test_confidence_is_a_sigmoid_without_overflow():
    f = np.array([-1e308, -800.0, -2.0, 0.0, 2.0, 800.0, 1e308])
    k = confidence(f)
    np.testing.assert_allclose(k[2:5], 1 / (1 + np.exp(-f[2:5])), rtol=1e-15)
    assert k[[0, -1]].tolist() == [0.0, 1.0]
    np.testing.assert_allclose(k + confidence(-f), 1.0, atol=1e-15)


def decisions_of(p, pairs):
    """Pair decisions of exactly consistent confidences r_pq = p_p / (p_p + p_q)."""
    return np.log(p[:, pairs[:, 0]] / p[:, pairs[:, 1]])


@pytest.mark.parametrize("n_classes", [2, 3, 7, 20])
def test_consistent_confidences_give_the_probabilities_back(n_classes):
    rng = np.random.default_rng(n_classes)
    p = rng.dirichlet(np.full(n_classes, 0.5), size=30) + 1e-6
    p /= p.sum(axis=1, keepdims=True)
    pairs = make_pairs(rng.integers(1, 9, size=n_classes))
    coupled = couple_probabilities(
        decisions_of(p, pairs), pairs, n_classes, p.argmax(axis=1)
    )
    np.testing.assert_allclose(coupled, p, atol=1e-13)


def couple_naively(f, pairs, n_classes):
    """Minimise Wu, Lin and Weng's second objective for one sample, by SLSQP."""
    r = np.zeros((n_classes, n_classes))
    for j, (plus, minus) in enumerate(pairs):
        r[plus, minus] = 1 / (1 + np.exp(-f[j]))
        r[minus, plus] = 1 - r[plus, minus]

    def objective(p):
        return 100 * sum(
            (r[b, a] * p[a] - r[a, b] * p[b]) ** 2
            for a in range(n_classes)
            for b in range(n_classes)
            if a != b
        )

    return nearest(objective, np.full(n_classes, 1 / n_classes))


def nearest(objective, start, *inequalities):
    """Minimise an objective over the simplex under further inequalities."""
    found = minimize(
        objective,
        start,
        method="SLSQP",
        bounds=[(0, 1)] * len(start),
        constraints=[{"type": "eq", "fun": lambda p: p.sum() - 1}, *inequalities],
        options={"ftol": 1e-15, "maxiter": 500},
    )
    return found.x


@pytest.mark.parametrize("n_classes", [3, 4, 6])
def test_coupling_equals_a_general_solver(n_classes):
    rng = np.random.default_rng(10 + n_classes)
    pairs = make_pairs(rng.integers(1, 9, size=n_classes))
    F = rng.normal(scale=3, size=(6, len(pairs)))
    expected = np.array([couple_naively(f, pairs, n_classes) for f in F])
    coupled = couple_probabilities(F, pairs, n_classes, expected.argmax(axis=1))
    np.testing.assert_allclose(coupled, expected, atol=2e-6)


@pytest.mark.parametrize("seed", range(6))
def test_change_for_the_predicted_class_is_the_least(seed):
    rng = np.random.default_rng(seed)
    n_classes = int(rng.integers(2, 6))
    p = rng.dirichlet(np.ones(n_classes), size=1)
    pairs = make_pairs(np.ones(n_classes))
    chosen = int(rng.integers(n_classes))
    changed = couple_probabilities(decisions_of(p, pairs), pairs, n_classes, [chosen])[
        0
    ]
    largest = {"type": "ineq", "fun": lambda q: q[chosen] - np.delete(q, chosen)}
    expected = nearest(lambda q: 100 * ((q - p[0]) ** 2).sum(), p[0], largest)
    np.testing.assert_allclose(changed, expected, atol=1e-6)


def test_least_change_by_hand():
    p = np.array([[0.5, 0.3, 0.2, 1e-9]])
    p /= p.sum()
    pairs = make_pairs([1, 1, 1, 1])
    F = decisions_of(p, pairs)
    # Class 2 must rise: level with 0 alone at 0.35 (above 0.3, so 1 stays).
    lifted = couple_probabilities(F, pairs, 4, [2])
    np.testing.assert_allclose(lifted, [[0.35, 0.3, 0.35, 0.0]], atol=1e-8)
    # Class 3 needs 0 and 1 and 2: means 0.25, 0.267, 0.25: level at 0.267.
    lifted = couple_probabilities(F, pairs, 4, [3])
    np.testing.assert_allclose(lifted, [[0.8 / 3, 0.8 / 3, 0.2, 0.8 / 3]], atol=1e-8)


@given(problems(max_classes=8), st.integers(0, 7))
@example((np.ones(3), make_pairs(np.ones(3)), np.zeros((1, 3))), 2)
@settings(deadline=None)
def test_probabilities_are_valid_and_argmax_is_the_chosen_class(problem, chosen):
    sizes, pairs, F = problem
    n_classes = len(sizes)
    for predicted in (
        predict_index(F, pairs, sizes),
        np.full(len(F), chosen % n_classes),
    ):
        p = couple_probabilities(F, pairs, n_classes, predicted)
        assert np.all(p >= 0)
        np.testing.assert_allclose(p.sum(axis=1), 1.0, atol=1e-13)
        np.testing.assert_array_equal(p.argmax(axis=1), predicted)


def test_saturated_confidences_leave_no_negative_probability():
    F = np.array([[-1.0, 40.0, 800.0]])  # the bare solution has a -5e-18
    p = couple_probabilities(F, make_pairs([1, 1, 1]), 3, [1])
    assert 0.0 <= p[0, 2] < 1e-16
    np.testing.assert_allclose(p[0, 1], confidence(1.0), atol=1e-15)


def test_coupling_in_blocks_and_of_nothing():
    n_classes = 40
    pairs = make_pairs(np.arange(1, n_classes + 1))
    F = np.random.default_rng(0).normal(size=(700, len(pairs)))  # more than one block
    predicted = predict_index(F, pairs, np.arange(1, n_classes + 1))
    p = couple_probabilities(F, pairs, n_classes, predicted)
    last = couple_probabilities(F[-1:], pairs, n_classes, predicted[-1:])
    np.testing.assert_array_equal(p[-1:], last)
    assert couple_probabilities(F[:0], pairs, n_classes, []).shape == (0, n_classes)
