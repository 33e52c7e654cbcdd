"""A decision graph: machines of pairs, asked along a path of M - 1 of them.

The classes stand in a list, from the rarest to the most frequent. The machine of the
first and the last class of the list decides which of the two leaves it, until one class
is left: M - 1 decisions per row, and one-vs-one asks M (M - 1) / 2.

Platt, Cristianini, Shawe-Taylor: Large margin DAGs for multiclass classification. Adv.
Neural Inf. Process. Syst. 12 (2000) 547-553.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np

from ..arrays import Floats, Ints
from .coupling import confidence, couple_probabilities
from .one_vs_one import make_pairs, problems_of_pairs, rarity_rank
from .problems import BinaryProblem, Decisions


class Node(NamedTuple):
    """A node of the graph: the classes from ``begin`` to ``end`` of the list."""

    begin: int
    end: int
    problem: int  # that tells the class at ``begin`` from the one at ``end``
    begin_is_plus: bool


@dataclass(frozen=True, eq=False)
class DecisionDag:
    """A machine for every pair of classes, of which a row is shown to M - 1.

    Examples
    --------
    >>> import numpy as np
    >>> from isvmde.core.decomposition import DecisionDag, KnownDecisions
    >>> decomposition = DecisionDag(np.array([30.0, 20.0, 10.0]))
    >>> decomposition.order  # 2 against 0 first, then 1 against the one that is left
    array([2, 1, 0])
    >>> decisions = KnownDecisions(np.array([[0.5, -0.5, 1.0]]))
    >>> decomposition.predict(decisions), decomposition.scores(decisions).round(2)
    (array([1]), array([[1.38, 2.62, 0.38]]))
    """

    class_size: Floats

    @cached_property
    def pairs(self) -> Ints:
        """The pairs of classes as rows (plus, minus)."""
        return make_pairs(self.class_size)

    @cached_property
    def problems(self) -> tuple[BinaryProblem, ...]:
        """The pairs, in the order (0, 1), (0, 2), ..."""
        return problems_of_pairs(self.pairs)

    @cached_property
    def order(self) -> Ints:
        """The classes, from the rarest to the most frequent."""
        return np.argsort(-rarity_rank(self.class_size))

    def levels(self) -> Iterator[list[Node]]:
        """Yield the nodes of every level, the root first; those in the list's order."""
        problem_of = {
            frozenset(problem.classes): p for p, problem in enumerate(self.problems)
        }
        n_classes = len(self.order)
        for n_gone in range(n_classes - 1):
            level = []
            for begin in range(n_gone + 1):
                end = begin + n_classes - 1 - n_gone
                pair = int(self.order[begin]), int(self.order[end])
                problem = problem_of[frozenset(pair)]
                begin_is_plus = self.problems[problem].plus == pair[:1]
                level.append(Node(begin, end, problem, begin_is_plus))
            yield level

    def predict(self, decisions: Decisions) -> Ints:
        """Return the class that is left, (n,)."""
        return np.asarray(np.argmax(self.scores(decisions), axis=1))

    def scores(self, decisions: Decisions) -> Floats:
        """Return when each class left the list, (n, M): 0 is first, M - 1 has stayed.

        The confidence in the class at its last decision is added. It is at most 1/2
        for a class that left and at least 1/2 for the one that stayed.
        """
        n_rows, n_classes = decisions.n_rows, len(self.order)
        scores = np.zeros((n_rows, n_classes))
        begin_of_row = np.zeros(n_rows, dtype=np.intp)
        for n_gone, level in enumerate(self.levels()):
            # backwards: a row that goes on to the next ``begin`` is not met again
            for node in reversed(level):
                rows = np.flatnonzero(begin_of_row == node.begin)
                f = decisions.of_problem(node.problem, rows)
                begin_stays = (f >= 0) == node.begin_is_plus  # f = 0 goes to plus
                begin, end = self.order[node.begin], self.order[node.end]
                loser = np.where(begin_stays, end, begin)
                winner = np.where(begin_stays, begin, end)
                scores[rows, loser] = n_gone + confidence(-np.abs(f))
                scores[rows, winner] = n_gone + 1 + confidence(np.abs(f))
                begin_of_row[rows[~begin_stays]] += 1
        return scores

    def probabilities(self, decisions: Decisions) -> Floats:
        """Return the pairs' probabilities, coupled; the class that is left has most."""
        chosen = self.predict(decisions)
        F = decisions.of_all()
        return couple_probabilities(F, self.pairs, len(self.class_size), chosen)
