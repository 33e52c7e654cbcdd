"""One-vs-rest: every class against all others, and the largest decision wins."""

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from scipy.special import softmax

from ..arrays import Bools, Floats, Ints
from .coupling import make_largest
from .problems import BinaryProblem, Decisions


@dataclass(frozen=True, eq=False)
class OneVsRest:
    """A machine for every class against the rest; there are three classes or more.

    Examples
    --------
    >>> import numpy as np
    >>> from isvmde.core.decomposition import KnownDecisions, OneVsRest
    >>> decomposition = OneVsRest(np.array([40.0, 20.0, 10.0]))
    >>> decomposition.problems[0]  # the rest has fewer samples than class 0
    BinaryProblem(plus=(1, 2), minus=(0,))
    >>> decisions = KnownDecisions(np.array([[0.5, -0.5, -0.7]]))
    >>> decomposition.predict(decisions), decomposition.scores(decisions)
    (array([0]), array([[-0.5, -0.5, -0.7]]))
    """

    class_size: Floats

    @cached_property
    def class_is_plus(self) -> Bools:
        """Whether the class itself is the + side of its problem, (M,)."""
        # not the sum of all less the class: that may have a huge weight
        classes = range(len(self.class_size))
        rest = [np.delete(self.class_size, c).sum() for c in classes]
        return np.asarray(self.class_size <= rest)

    @cached_property
    def problems(self) -> tuple[BinaryProblem, ...]:
        """A problem for every class, in their order."""
        problems = []
        for c, is_plus in enumerate(self.class_is_plus):
            rest = tuple(k for k in range(len(self.class_size)) if k != c)
            sides = ((c,), rest) if is_plus else (rest, (c,))
            problems.append(BinaryProblem(plus=sides[0], minus=sides[1]))
        return tuple(problems)

    def predict(self, decisions: Decisions) -> Ints:
        """Return the class of the largest decision, (n,)."""
        return np.asarray(np.argmax(self.scores(decisions), axis=1))

    def scores(self, decisions: Decisions) -> Floats:
        """Return f of every problem, positive for the class itself, (n, M)."""
        F = decisions.of_all()
        return np.where(self.class_is_plus, F, -F)

    def probabilities(self, decisions: Decisions) -> Floats:
        """Return 1/(1 + exp(-f)) of every class, scaled to sum 1."""
        toward = self.scores(decisions)
        # in logarithms: never 0/0
        share = np.asarray(softmax(-np.logaddexp(0.0, -toward), axis=1))
        return make_largest(share, np.argmax(toward, axis=1))
