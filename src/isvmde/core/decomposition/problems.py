"""What a decomposition is: binary problems, and what becomes of their decisions.

Classes are indices 0..M-1. A decomposition lists its binary problems for given class
sizes. Each has a + side and a - side, and + is the side of smaller summed weight. Its
machine decides f >= 0 for + and f < 0 for -. Everything else of this library speaks of
problems: which classes they hold, and how many problems there are, is known only here.
"""

from dataclasses import dataclass
from typing import NamedTuple, Protocol

import numpy as np
from numpy.typing import ArrayLike

from ..arrays import Floats, Ints


class BinaryProblem(NamedTuple):
    """The classes on the two sides of a binary problem."""

    plus: tuple[int, ...]
    minus: tuple[int, ...]

    @property
    def classes(self) -> tuple[int, ...]:
        """All its classes, those of + first."""
        return self.plus + self.minus

    @property
    def is_pair(self) -> bool:
        """Whether it tells one class from one other."""
        return len(self.plus) == 1 == len(self.minus)


class Decisions(Protocol):
    """Decisions f of every binary problem on n rows, computed when they are asked for.

    Who asks for a few of them only, as a decision graph does, pays for these alone.
    """

    @property
    def n_rows(self) -> int:
        """How many rows there are."""

    def of_problem(self, problem: int, rows: Ints) -> Floats:
        """Return f of one problem on some of the rows."""

    def of_all(self) -> Floats:
        """Return f of all problems on all rows, (n, problems)."""


@dataclass(frozen=True, eq=False)
class KnownDecisions:
    """Decisions that have been computed already, (n, problems)."""

    f: Floats

    @property
    def n_rows(self) -> int:
        """How many rows there are."""
        return len(self.f)

    def of_problem(self, problem: int, rows: Ints) -> Floats:
        """Return f of one problem on some of the rows."""
        return np.asarray(self.f[rows, problem])

    def of_all(self) -> Floats:
        """Return f of all problems on all rows, (n, problems)."""
        return self.f


class Decomposition(Protocol):
    """How a problem of M classes becomes binary ones, and their decisions a class.

    For every row, the class of the largest score, the class of the largest probability
    and the prediction are the same.
    """

    @property
    def class_size(self) -> Floats:
        """Summed weights of the classes, (M,)."""

    @property
    def problems(self) -> tuple[BinaryProblem, ...]:
        """The binary problems, in the order of the columns of their decisions."""

    def predict(self, decisions: Decisions) -> Ints:
        """Return the index of every row's class, (n,)."""

    def scores(self, decisions: Decisions) -> Floats:
        """Return scores (n, M); for two classes (n,), positive for the second."""

    def probabilities(self, decisions: Decisions) -> Floats:
        """Return probabilities of the classes, (n, M); rows sum to 1."""


def check_class_size(class_size: ArrayLike) -> Floats:
    """Return the sizes of two classes or more."""
    size = np.asarray(class_size, dtype=np.float64)
    if size.ndim != 1 or size.size < 2:
        raise ValueError(
            f"class_size has shape {size.shape}: give the sizes of two classes or more."
        )
    return size
