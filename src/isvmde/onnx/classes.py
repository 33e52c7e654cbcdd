"""From the decisions of binary machines to scores of the classes, as a graph."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike

from isvmde.core.decomposition import (
    DecisionDag,
    Decomposition,
    OneVsOne,
    OneVsRest,
)
from isvmde.core.decomposition.dag import Node
from isvmde.core.decomposition.one_vs_one import rarity_rank

from .tensor import Tensor

_TINY = np.finfo(np.float64).tiny


def write_classes(F: Tensor, decomposition: Decomposition, decisions: str) -> Tensor:
    """Write ``decision_function``; return what is largest for the predicted class."""
    if isinstance(decomposition, OneVsOne):
        return _write_votes(F, decomposition, decisions)
    if isinstance(decomposition, OneVsRest):
        toward = np.where(decomposition.class_is_plus, 1.0, -1.0)
        return F.node("Mul", F, toward, to_output=decisions)
    if isinstance(decomposition, DecisionDag):
        return _write_path(F, decomposition, decisions)
    raise TypeError(f"{decomposition!r} cannot be written as a graph yet.")


def _write_votes(F: Tensor, decomposition: OneVsOne, decisions: str) -> Tensor:
    """Write votes of the pairs; ties go to rare classes."""
    node, pairs = F.node, decomposition.pairs
    n_classes = len(decomposition.class_size)
    plus, minus = np.eye(n_classes)[pairs.T]
    for_plus = F >= 0.0  # 0 goes to plus
    votes: Tensor = node("Where", for_plus, 1.0, 0.0) @ (plus - minus) + minus.sum(
        axis=0
    )
    rarity = rarity_rank(decomposition.class_size).astype(float)
    if n_classes > 2:
        # the other class's confidence is 1 - k, as an affine map of k
        weight = 1 / (2 * (n_classes - 1) * n_classes)
        shift = weight * minus.sum(axis=0) + rarity / n_classes
        within = F.confidence() @ (weight * (plus - minus)) + shift
        node("Add", votes, within, to_output=decisions)
    else:  # f or -f, positive for the second class
        score = 0.0 - F
        if pairs[0, 0] == 1:
            score = node("Where", for_plus, F.within(low=_TINY), F)
        node("Reshape", score, np.array([-1]), to_output=decisions)
    order: Tensor = votes * float(n_classes) + rarity
    return order


def _write_path(F: Tensor, decomposition: DecisionDag, decisions: str) -> Tensor:
    """Write the path of every row through the graph, level by level."""
    node, order = F.node, decomposition.order
    n_classes = len(order)
    begin = F.constant(np.array([[0]]))  # where in the list a row's classes begin
    scores = F.constant(0.0)
    for n_gone, level in enumerate(decomposition.levels()):
        f = _decisions_of_level(F, level, begin)
        begin_is_plus = _at([float(each.begin_is_plus) for each in level], begin)
        begin_goes = node("Xor", f >= 0.0, begin_is_plus >= 0.5)  # f = 0 goes to plus
        first = _at([order[each.begin] for each in level], begin)
        last = _at([order[each.end] for each in level], begin)
        loser = node("Where", begin_goes, first, last)
        size = node("Abs", f)
        lost = node("Neg", size).confidence() + float(n_gone)
        scores = node("Where", _is_class(loser, n_classes), lost, scores)
        begin = node("Where", begin_goes, begin + 1, begin)
    winner = _at(order, begin)  # one class is left
    stayed = size.confidence() + float(n_classes - 1)
    is_winner = _is_class(winner, n_classes)
    return node("Where", is_winner, stayed, scores, to_output=decisions)


def _decisions_of_level(F: Tensor, level: Sequence[Node], begin: Tensor) -> Tensor:
    """Write f of the node that every row has reached, (n, 1)."""
    if len(level) == 1:  # the root
        return F.take(level[0].problem, axis=1)
    problem = _at([node.problem for node in level], begin)
    return F.node("GatherElements", F, problem, axis=1)


def _at(values: ArrayLike, place: Tensor) -> Tensor:
    """Write the values at places."""
    return place.node("Gather", np.asarray(values), place, axis=0)


def _is_class(chosen: Tensor, n_classes: int) -> Tensor:
    """Write which class every row's is, (n, M)."""
    return chosen.node("Equal", chosen, np.arange(n_classes))
