"""A graph under construction: nodes and constants under fresh names."""

from __future__ import annotations

from typing import Any

import numpy as np


class Graph:
    """Adds nodes and constants to skl2onnx's container."""

    def __init__(self, scope: Any, container: Any) -> None:
        self._scope, self._container = scope, container

    def node(
        self, kind: str, *inputs: str, to_output: str | None = None, **attributes: Any
    ) -> str:
        """Add a node; return the name of its result."""
        result = to_output or self._scope.get_unique_variable_name(kind.lower())
        name = self._scope.get_unique_operator_name(kind)
        self._container.add_node(kind, list(inputs), [result], name=name, **attributes)
        return str(result)

    def constant(self, value: Any) -> str:
        """Add a constant; return its name."""
        from onnx import numpy_helper

        array = np.asarray(value)
        name = self._scope.get_unique_variable_name("constant")
        content = (
            [text.encode() for text in array.ravel().tolist()]
            if array.dtype == object
            else numpy_helper.from_array(array)
        )
        self._container.add_initializer(
            name, element_type(array.dtype), list(array.shape), content
        )
        return str(name)

    def affine(self, X: str, weight: np.ndarray, shift: np.ndarray) -> str:
        """Add X @ weight + shift."""
        product = self.node("MatMul", X, self.constant(weight))
        return self.node("Add", product, self.constant(shift))

    def take(self, X: str, index: Any, axis: int) -> str:
        """Add X at some places of an axis, which stays."""
        places = self.constant(np.atleast_1d(index).astype(np.int64))
        return self.node("Gather", X, places, axis=axis)

    def sum(self, X: str, axis: int, *, keep: bool) -> str:
        """Add the sum along an axis."""
        along = self.constant(np.array([axis]))
        return self.node("ReduceSum", X, along, keepdims=int(keep))

    def within(self, X: str, low: Any = None, high: Any = None) -> str:
        """Add X, moved to the nearest number between the bounds."""
        if low is not None:
            X = self.node("Max", X, self.constant(low))
        return X if high is None else self.node("Min", X, self.constant(high))


def confidence(graph: Graph, F: str) -> str:
    """Write k = 1/(1 + exp(-f)) in the form that never overflows."""
    small = graph.node("Exp", graph.node("Neg", graph.node("Abs", F)))
    one = graph.constant(1.0)
    positive = graph.node("GreaterOrEqual", F, graph.constant(0.0))
    above = graph.node("Where", positive, one, small)
    return graph.node("Div", above, graph.node("Add", small, one))


def as_labels(classes: np.ndarray) -> np.ndarray:
    """Return classes in a dtype that ONNX has."""
    kind = classes.dtype.kind
    if kind in "iub":
        return classes.astype(np.int64)
    if kind == "f":
        return classes.astype(np.float64)
    return np.array([str(label) for label in classes], dtype=object)


def element_type(dtype: Any) -> int:
    """Return ONNX's code of float64, int64 or text."""
    from onnx import TensorProto

    codes = {
        "f": TensorProto.DOUBLE,
        "i": TensorProto.INT64,
        "O": TensorProto.STRING,
    }
    return int(codes[np.dtype(dtype).kind])


def pair_indices(model: Any) -> np.ndarray:
    """Return every pair's (plus, minus) as places in ``classes_``."""
    return np.searchsorted(model.classes_, model.pairs_)
