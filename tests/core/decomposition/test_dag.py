"""The decision graph: a loop written by hand, and who is asked how often."""

from collections import Counter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from isvmde.core.decomposition import DecisionDag, KnownDecisions, OneVsOne


class CountedDecisions:
    """Decisions that know how often each row was asked for."""

    def __init__(self, F):
        self.F, self.n_rows, self.asked = F, len(F), Counter()

    def of_problem(self, problem, rows):
        self.asked.update(rows.tolist())
        return self.F[rows, problem]


def platt(f, class_size, problems):
    """Return the class of one row: Platt, Cristianini & Shawe-Taylor's list."""
    left = sorted(range(len(class_size)), key=lambda c: (class_size[c], c))
    while len(left) > 1:
        pair = {left[0], left[-1]}
        (p,) = [p for p, problem in enumerate(problems) if set(problem.classes) == pair]
        winner = problems[p].plus[0] if f[p] >= 0 else problems[p].minus[0]
        left.remove((pair - {winner}).pop())
    return left[0]


@given(st.integers(3, 7), st.integers(0, 10_000))
def test_equals_a_loop_over_a_list(n_classes, seed):
    rng = np.random.default_rng(seed)
    class_size = rng.integers(1, 4, n_classes).astype(float)
    decomposition = DecisionDag(class_size)
    F = rng.choice([-2.0, -1.0, 0.0, 1.0, 2.0], (8, len(decomposition.problems)))
    by_hand = [platt(f, class_size, decomposition.problems) for f in F]
    assert decomposition.predict(KnownDecisions(F)).tolist() == by_hand


@pytest.mark.parametrize("n_classes", [3, 4, 9])
def test_every_row_is_asked_for_once_less_than_there_are_classes(n_classes):
    rng = np.random.default_rng(n_classes)
    decomposition = DecisionDag(rng.integers(1, 50, n_classes).astype(float))
    decisions = CountedDecisions(rng.normal(size=(20, len(decomposition.problems))))
    decomposition.predict(decisions)
    assert decisions.asked == dict.fromkeys(range(20), n_classes - 1)


def test_scores_say_when_a_class_left_the_list():
    decomposition = DecisionDag(np.array([30.0, 20.0, 10.0, 5.0]))
    assert decomposition.order.tolist() == [3, 2, 1, 0]
    F = np.ones((1, 6))  # + is the rarer class of every pair, so the rarest stays
    scores = decomposition.scores(KnownDecisions(F))
    assert np.floor(scores).tolist() == [[0, 1, 2, 3]]


@given(st.integers(3, 6), st.integers(0, 10_000))
def test_a_class_that_wins_all_its_pairs_is_chosen_as_by_votes(n_classes, seed):
    rng = np.random.default_rng(seed)
    class_size = rng.integers(1, 4, n_classes).astype(float)
    votes, graph = OneVsOne(class_size), DecisionDag(class_size)
    F = rng.normal(size=(1, len(graph.problems)))
    best = int(rng.integers(n_classes))
    for p, problem in enumerate(graph.problems):
        if best in problem.classes:
            F[0, p] = abs(F[0, p]) * (1.0 if problem.plus == (best,) else -1.0)
    decisions = KnownDecisions(F)
    assert votes.predict(decisions) == graph.predict(decisions) == [best]
    np.testing.assert_allclose(
        graph.probabilities(decisions), votes.probabilities(decisions)
    )
