"""`ISVMClassifierCV`: averaged machines, margins, coupling, prior, labels."""

from __future__ import annotations

from typing import Any

import numpy as np

from isvmde.classifiers.averaged import ISVMClassifierCV
from isvmde.core.leave_one_out.average import SUREST
from isvmde.core.leave_one_out.calibration import LARGEST_MEAN

from .graph import Graph, Tensor, pair_indices
from .kernels import SeenFeatures, kernel_values, write_base


def convert_average(scope: Any, operator: Any, container: Any) -> None:
    """Write a model's graph: mean decisions, probabilities, labels."""
    model = operator.raw_operator
    label, probabilities = (output.full_name for output in operator.outputs)
    graph = Graph(scope, container)
    mean = _mean_decisions(graph.numbers(operator.inputs[0]), model)
    # log-odds a artanh m + b of every pair; artanh m = log((1 + m) / (1 - m)) / 2
    m, margins = mean.within(-LARGEST_MEAN, LARGEST_MEAN), model.margins_
    twice = graph.node("Log", (m + 1.0) / (1.0 - m))
    F = twice * (0.25 * margins.sum(axis=1)) + 0.5 * (margins[:, 0] - margins[:, 1])
    r = F.confidence().within(1.0 - SUREST, SUREST)
    p = write_coupling(r, pair_indices(model), len(model.classes_))
    product = p * (model.prior_ / model.prior_.max())
    proba = graph.node("Div", product, product.sum(1), to_output=probabilities)
    graph.labels(proba, model.classes_, label)


def _mean_decisions(X: Tensor, model: ISVMClassifierCV) -> Tensor:
    """Write m = sum_s w_s tanh f_s of every pair, (n, pairs)."""
    machines, settings = model._trained
    features = SeenFeatures(X, machines.views)
    bases: dict[tuple[str, int], Tensor] = {}
    columns = []
    for q, s in enumerate(machines.kernel_setting):
        kernel, view = settings[s].for_solver, settings[s].view
        if (view, kernel.base) not in bases:
            known = features.rows(machines.rows, view, kernel.base)
            seen = features.see(view, kernel.base)
            bases[view, kernel.base] = write_base(seen, kernel.base, known)
        K = kernel_values(kernel, bases[view, kernel.base])
        own = range(machines.kernel_start[q], machines.kernel_start[q + 1])
        beta = np.zeros((len(machines.rows), len(own)))
        for column, k in enumerate(own):
            support = slice(machines.start[k], machines.start[k + 1])
            beta[machines.index[support], column] = machines.beta[support]
        columns.append(K @ beta + machines.intercept[own.start : own.stop])
    f = X.graph.node("Concat", *columns, axis=1)
    weight = np.zeros((len(machines.pair), len(model.pairs_)))
    weight[np.arange(len(weight)), machines.pair] = machines.weight
    return X.graph.node("Tanh", f) @ weight


def write_coupling(r: Tensor, pairs: np.ndarray, n_classes: int) -> Tensor:
    """Write the class probabilities that fit the pairs' probabilities r of plus.

    Wu, Lin and Weng's second method minimises p'Qp under e'p = 1. The solution is
    proportional to (Q + e e')^-1 e. That matrix is positive definite, so elimination
    needs no pivoting; it is written out, one step per class, for all rows at once.
    """
    node = r.graph.node
    both = node("Concat", r, 1.0 - r, axis=1)
    place = np.zeros((n_classes, n_classes), dtype=np.int64)
    place[pairs[:, 0], pairs[:, 1]] = np.arange(len(pairs))
    place[pairs[:, 1], pairs[:, 0]] = len(pairs) + np.arange(len(pairs))
    eye = np.eye(n_classes)
    # R_ij: class i against class j, zero for i = j
    R = node("Gather", both, place, axis=1) * (1.0 - eye)
    other = node("Transpose", R, perm=[0, 2, 1])
    A = (other * other).sum(2) * eye - R * other + 1.0
    # the right side e is one more column: any of ones, made of a column of A
    A = node("Concat", A, A.take(0, axis=2) * 0.0 + 1.0, axis=2)
    for k in range(n_classes):
        row = A.take(k, axis=1)
        A = A - (A.take(k, axis=2) - eye[:, [k]]) / row.take(k, axis=2) * row
    p = node("Gather", A, np.array(n_classes), axis=2).within(low=0.0)
    return p / p.sum(1)
