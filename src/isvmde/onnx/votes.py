"""Classifiers with one machine per pair: decisions, votes, scores, labels."""

from __future__ import annotations

from typing import Any

import numpy as np

from isvmde.classifiers.pair_machines import PairMachines
from isvmde.core.pair_machine import PairSettings
from isvmde.core.pairs import rarity_rank
from isvmde.core.solver import DOT, LINEAR
from isvmde.core.views import Views

from .graph import Graph, as_labels, confidence, element_type, pair_indices
from .kernels import SeenFeatures, write_base, write_decisions


def convert_votes(scope: Any, operator: Any, container: Any) -> None:
    """Write a model's graph: a decision per pair, votes, scores, labels."""
    model = operator.raw_operator
    label, decisions = (output.full_name for output in operator.outputs)
    graph = Graph(scope, container)
    X = graph.node("Cast", operator.inputs[0].full_name, to=element_type(np.float64))
    F = _decisions(graph, X, model)
    n_classes, pairs = len(model.classes_), pair_indices(model)
    plus, minus = np.eye(n_classes)[pairs[:, 0]], np.eye(n_classes)[pairs[:, 1]]
    for_plus = graph.node("GreaterOrEqual", F, graph.constant(0.0))  # 0 goes to plus
    vote = graph.node("Cast", for_plus, to=element_type(np.float64))
    votes = graph.affine(vote, plus - minus, minus.sum(axis=0))
    rarity = rarity_rank(model.class_count_).astype(float)
    order = graph.node("Mul", votes, graph.constant(float(n_classes)))
    order = graph.node("Add", order, graph.constant(rarity))
    chosen = graph.node("ArgMax", order, axis=1, keepdims=0)
    classes = graph.constant(as_labels(model.classes_))
    graph.node("Gather", classes, chosen, to_output=label, axis=0)
    if n_classes == 2:
        _binary_scores(graph, F, for_plus, bool(pairs[0, 0] == 1), decisions)
    else:
        k = confidence(graph, F)
        # the other class's confidence is 1 - k, as an affine map of k
        weight = 1 / (2 * (n_classes - 1) * n_classes)
        within = graph.affine(
            k, weight * (plus - minus), weight * minus.sum(axis=0) + rarity / n_classes
        )
        graph.node("Add", votes, within, to_output=decisions)


def _decisions(graph: Graph, X: str, model: PairMachines) -> str:
    """Write every pair's decision f."""
    views = None if model._views is None else Views(**model._views)
    features = SeenFeatures(graph, X, views)
    columns = []
    for chosen, vectors, beta, b in zip(
        model.pair_params_.values(),
        model.support_vectors_,
        model.dual_coef_,
        model.intercept_,
        strict=True,
    ):
        settings = PairSettings(**chosen)
        kernel, view = settings.for_solver, settings.view
        seen = features.see(view, kernel.base)
        known = features.rows(vectors, view, kernel.base)
        if len(beta) == 0 or (kernel.base == DOT and kernel.function == LINEAR):
            columns.append(graph.affine(seen, (known.T @ beta)[:, None], np.array([b])))
            continue
        base = write_base(graph, seen, kernel.base, known)
        columns.append(
            write_decisions(graph, kernel, base, beta[:, None], np.array([b]))
        )
    return graph.node("Concat", *columns, axis=1)


def _binary_scores(
    graph: Graph, F: str, for_plus: str, second_is_plus: bool, output: str
) -> None:
    """Write the score of two classes: f or -f, positive for the second class."""
    if second_is_plus:
        raised = graph.within(F, low=np.finfo(np.float64).tiny)
        score = graph.node("Where", for_plus, raised, F)
    else:
        score = graph.node("Sub", graph.constant(0.0), F)
    shape = graph.constant(np.array([-1], dtype=np.int64))
    graph.node("Reshape", score, shape, to_output=output)
