"""How far rounding can move decisions: a graph adds up in another order than Python.

A decision is a sum over support vectors. Where its terms are much larger than the sum,
which happens on columns of very different size, the digits that are left differ with
the order of the additions, and no graph can promise the labels of Python.
"""

from typing import Any

import numpy as np

from isvmde.core.arrays import Floats
from isvmde.core.kernels import Kernel, cross_base
from isvmde.core.solver import DISTANCE

MOST_ERROR = 1e-7  # of a decision, which is about 1 at the margins
_REACH = 2.0  # new rows may be so many times as large as the training rows
_MOST_NAMED = 3
_NEAR_LARGEST = 0.01  # columns of this share of the largest value matter as well


def rounding_error(kernel: Kernel, rows: Floats, beta: Floats) -> Floats:
    """Return how far rounding may move machines' decisions on rows up to `_REACH`.

    ``rows`` (V, d) are the support vectors as the kernel sees them, ``beta`` (V,
    machines) their multipliers. The error is a small multiple of what is returned.
    """
    terms = np.ones(len(rows))  # no value of rbf is larger
    if kernel.base != DISTANCE:
        size = np.abs(rows)
        largest_row = _REACH * size.max(axis=0, initial=0.0, keepdims=True)
        with np.errstate(over="ignore"):
            base = cross_base(kernel.base, largest_row, size)[0]
            terms = kernel.growth * np.abs(kernel.from_base(base))
    return np.asarray(np.finfo(np.float64).eps * (terms @ np.abs(beta)))


def check_rounding(model: Any, rows: Floats, error: float) -> None:
    """Refuse a model whose decisions rounding may move too far; name the columns."""
    if error <= MOST_ERROR:
        return
    size = np.abs(rows).max(axis=0, initial=0.0)
    order = np.argsort(-size, kind="stable")[:_MOST_NAMED]
    names = getattr(model, "feature_names_in_", None)
    listed = ", ".join(
        f"{j if names is None else names[j]} (up to {size[j]:.3g})"
        for j in order
        if size[j] >= _NEAR_LARGEST * size[order[0]]
    )
    raise ValueError(
        "The model cannot be exported: a graph rounds differently, which can move "
        f"its decisions by {error:.1g}. Its largest columns are {listed}: scale the "
        "columns to [0, 1] in front of the classifier, for example with MinMaxScaler, "
        "and fit it again."
    )
