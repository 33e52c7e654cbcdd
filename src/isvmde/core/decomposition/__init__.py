"""How a problem of many classes becomes binary ones, and their decisions a class."""

from collections.abc import Callable

from ..arrays import Floats
from .coupling import confidence
from .dag import DecisionDag
from .one_vs_one import OneVsOne
from .one_vs_rest import OneVsRest
from .problems import (
    BinaryProblem,
    Decisions,
    Decomposition,
    KnownDecisions,
    check_class_size,
)

__all__ = [
    "DECOMPOSITIONS",
    "BinaryProblem",
    "DecisionDag",
    "Decisions",
    "Decomposition",
    "KnownDecisions",
    "OneVsOne",
    "OneVsRest",
    "confidence",
    "make_decomposition",
]

DECOMPOSITIONS: dict[str, Callable[[Floats], Decomposition]] = {
    "one-vs-one": OneVsOne,
    "one-vs-rest": OneVsRest,
    "dag": DecisionDag,
}


def make_decomposition(name: str, class_size: Floats) -> Decomposition:
    """Return a decomposition for these class sizes; two classes are always one pair.

    Examples
    --------
    >>> import numpy as np
    >>> from isvmde.core.decomposition import make_decomposition
    >>> len(make_decomposition("one-vs-rest", np.array([30.0, 20.0, 10.0])).problems)
    3
    """
    size = check_class_size(class_size)
    if len(size) == 2:
        return OneVsOne(size)
    return DECOMPOSITIONS[name](size)
