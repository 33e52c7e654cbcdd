"""`ISVMClassifierCV`: averaged machines, margins, coupling, prior, labels."""

from __future__ import annotations

from typing import Any

import numpy as np

from isvmde.classifiers.averaged import ISVMClassifierCV
from isvmde.core.leave_one_out.average import SUREST
from isvmde.core.leave_one_out.calibration import LARGEST_MEAN
from isvmde.core.leave_one_out.machines import Machines

from .graph import Graph, as_labels, confidence, element_type, pair_indices
from .kernels import SeenFeatures, write_decisions


def convert_average(scope: Any, operator: Any, container: Any) -> None:
    """Write a model's graph: mean decisions, probabilities, labels."""
    model = operator.raw_operator
    label, probabilities = (output.full_name for output in operator.outputs)
    graph = Graph(scope, container)
    X = graph.node("Cast", operator.inputs[0].full_name, to=element_type(np.float64))
    F = _log_odds(graph, _mean_decisions(graph, X, model), model.margins_)
    r = graph.within(confidence(graph, F), 1.0 - SUREST, SUREST)
    p = write_coupling(graph, r, pair_indices(model), len(model.classes_))
    product = graph.node("Mul", p, graph.constant(model.prior_ / model.prior_.max()))
    total = graph.sum(product, 1, keep=True)
    proba = graph.node("Div", product, total, to_output=probabilities)
    chosen = graph.node("ArgMax", proba, axis=1, keepdims=0)
    classes = graph.constant(as_labels(model.classes_))
    graph.node("Gather", classes, chosen, to_output=label, axis=0)


def _mean_decisions(graph: Graph, X: str, model: ISVMClassifierCV) -> str:
    """Write m = sum_s w_s tanh f_s of every pair, (n, pairs)."""
    machines, settings = model._trained
    features = SeenFeatures(graph, X, machines.views)
    columns = []
    for q, s in enumerate(machines.kernel_setting):
        own = slice(machines.kernel_start[q], machines.kernel_start[q + 1])
        kernel = settings[s].for_solver
        base = features.base_with(machines.rows, settings[s].view, kernel.base)
        columns.append(
            write_decisions(
                graph,
                kernel,
                base,
                _multipliers(machines, own),
                machines.intercept[own],
            )
        )
    f = graph.node("Concat", *columns, axis=1)
    weight = np.zeros((len(machines.pair), len(model.pairs_)))
    weight[np.arange(len(weight)), machines.pair] = machines.weight
    return graph.node("MatMul", graph.node("Tanh", f), graph.constant(weight))


def _multipliers(machines: Machines, own: slice) -> np.ndarray:
    """Return the multipliers of some machines, (rows, machines)."""
    beta = np.zeros((len(machines.rows), own.stop - own.start))
    for column, k in enumerate(range(own.start, own.stop)):
        support = slice(machines.start[k], machines.start[k + 1])
        beta[machines.index[support], column] = machines.beta[support]
    return beta


def _log_odds(graph: Graph, m: str, margins: np.ndarray) -> str:
    """Write a artanh m + b of every pair; artanh m = log((1 + m) / (1 - m)) / 2."""
    m = graph.within(m, -LARGEST_MEAN, LARGEST_MEAN)
    one = graph.constant(1.0)
    odds = graph.node("Div", graph.node("Add", one, m), graph.node("Sub", one, m))
    twice = graph.node("Log", odds)
    scaled = graph.node("Mul", twice, graph.constant(0.25 * margins.sum(axis=1)))
    shift = 0.5 * (margins[:, 0] - margins[:, 1])
    return graph.node("Add", scaled, graph.constant(shift))


def write_coupling(graph: Graph, r: str, pairs: np.ndarray, n_classes: int) -> str:
    """Write the class probabilities that fit the pairs' probabilities r of plus.

    Wu, Lin and Weng's second method minimises p'Qp under e'p = 1. The solution is
    proportional to (Q + e e')^-1 e. That matrix is positive definite, so elimination
    needs no pivoting; it is written out, one step per class, for all rows at once.
    """
    both = graph.node("Concat", r, graph.node("Sub", graph.constant(1.0), r), axis=1)
    place = np.zeros((n_classes, n_classes), dtype=np.int64)
    place[pairs[:, 0], pairs[:, 1]] = np.arange(len(pairs))
    place[pairs[:, 1], pairs[:, 0]] = len(pairs) + np.arange(len(pairs))
    eye = np.eye(n_classes)
    # R_ij: class i against class j, zero for i = j
    R = graph.node("Gather", both, graph.constant(place), axis=1)
    R = graph.node("Mul", R, graph.constant(1.0 - eye))
    other = graph.node("Transpose", R, perm=[0, 2, 1])
    square = graph.sum(graph.node("Mul", other, other), 2, keep=True)
    diagonal = graph.node("Mul", square, graph.constant(eye))
    A = graph.node("Sub", diagonal, graph.node("Mul", R, other))
    A = graph.node("Add", A, graph.constant(1.0))
    # the right side e is one more column: any of ones, made of a column of A
    first = graph.node("Mul", graph.take(A, 0, axis=2), graph.constant(0.0))
    A = graph.node("Concat", A, graph.node("Add", first, graph.constant(1.0)), axis=2)
    for k in range(n_classes):
        row = graph.take(A, k, axis=1)
        factor = graph.node(
            "Sub", graph.take(A, k, axis=2), graph.constant(eye[:, [k]])
        )
        factor = graph.node("Div", factor, graph.take(row, k, axis=2))
        A = graph.node("Sub", A, graph.node("Mul", factor, row))
    last = graph.constant(np.array(n_classes))
    p = graph.within(graph.node("Gather", A, last, axis=2), low=0.0)
    return graph.node("Div", p, graph.sum(p, 1, keep=True))
