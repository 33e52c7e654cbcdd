"""Classifiers with one machine per pair: decisions, votes, scores, labels."""

from __future__ import annotations

from typing import Any

import numpy as np

from isvmde.classifiers.pair_machines import PairMachines
from isvmde.core.pair_machine import PairSettings
from isvmde.core.pairs import rarity_rank
from isvmde.core.solver import DOT, LINEAR
from isvmde.core.views import Views

from .graph import Graph, Tensor, pair_indices
from .kernels import SeenFeatures, kernel_values, write_base


def convert_votes(scope: Any, operator: Any, container: Any) -> None:
    """Write a model's graph: a decision per pair, votes, scores, labels."""
    model = operator.raw_operator
    label, decisions = (output.full_name for output in operator.outputs)
    graph = Graph(scope, container)
    F = _decisions(graph.numbers(operator.inputs[0]), model)
    n_classes, pairs = len(model.classes_), pair_indices(model)
    plus, minus = np.eye(n_classes)[pairs[:, 0]], np.eye(n_classes)[pairs[:, 1]]
    for_plus = F >= 0.0  # 0 goes to plus
    votes = for_plus.cast(np.float64) @ (plus - minus) + minus.sum(axis=0)
    rarity = rarity_rank(model.class_count_).astype(float)
    graph.labels(votes * float(n_classes) + rarity, model.classes_, label)
    if n_classes > 2:
        # the other class's confidence is 1 - k, as an affine map of k
        weight = 1 / (2 * (n_classes - 1) * n_classes)
        within = F.confidence() @ (weight * (plus - minus)) + (
            weight * minus.sum(axis=0) + rarity / n_classes
        )
        graph.node("Add", votes, within, to_output=decisions)
        return
    # of two classes: f or -f, positive for the second class
    score = 0.0 - F
    if pairs[0, 0] == 1:
        score = for_plus.where(F.within(low=np.finfo(np.float64).tiny), F)
    graph.node("Reshape", score, np.array([-1], dtype=np.int64), to_output=decisions)


def _decisions(X: Tensor, model: PairMachines) -> Tensor:
    """Write every pair's decision f."""
    views = None if model._views is None else Views(**model._views)
    features = SeenFeatures(X, views)
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
            f = seen @ (known.T @ beta)[:, None]
        else:
            f = (
                kernel_values(kernel, write_base(seen, kernel.base, known))
                @ (beta[:, None])
            )
        columns.append(f + np.array([b]))
    return X.graph.node("Concat", *columns, axis=1)
