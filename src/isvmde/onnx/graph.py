"""A graph under construction: tensors that nodes compute, written as arithmetic."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np


class Graph:
    """Adds nodes and constants to skl2onnx's container."""

    def __init__(self, scope: Any, container: Any) -> None:
        self._scope, self._container = scope, container

    def node(
        self, kind: str, *inputs: Any, to_output: str | None = None, **attributes: Any
    ) -> Tensor:
        """Add a node; inputs are tensors, or values that become constants."""
        result = to_output or self._scope.get_unique_variable_name(kind.lower())
        names = [self.tensor(value).name for value in inputs]
        name = self._scope.get_unique_operator_name(kind)
        self._container.add_node(kind, names, [result], name=name, **attributes)
        return Tensor(self, result)

    def tensor(self, value: Any) -> Tensor:
        """Return a tensor as it is, of any other value a constant."""
        from onnx import numpy_helper

        if isinstance(value, Tensor):
            return value
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
        return Tensor(self, name)

    def numbers(self, variable: Any) -> Tensor:
        """Return a variable of skl2onnx as a tensor of float64."""
        return Tensor(self, variable.full_name).cast(np.float64)

    def labels(self, order: Tensor, classes: np.ndarray, to_output: str) -> None:
        """Write the class with the largest number of every row."""
        chosen = self.node("ArgMax", order, axis=1, keepdims=0)
        self.node("Gather", as_labels(classes), chosen, axis=0, to_output=to_output)


def _operator(kind: str) -> Callable[[Any, Any], Tensor]:
    """Return the method that adds a node of this kind."""
    return lambda tensor, other: tensor.graph.node(kind, tensor, other)


class Tensor:
    """What a node computes, or a constant; operators add nodes."""

    __array_ufunc__ = None  # an array on the left leaves the operator to this class

    def __init__(self, graph: Graph, name: Any) -> None:
        self.graph, self.name = graph, str(name)

    __add__ = _operator("Add")
    __sub__ = _operator("Sub")
    __mul__ = _operator("Mul")
    __truediv__ = _operator("Div")
    __matmul__ = _operator("MatMul")
    __pow__ = _operator("Pow")
    __ge__ = _operator("GreaterOrEqual")

    def __rsub__(self, other: Any) -> Tensor:
        return self.graph.node("Sub", other, self)

    def cast(self, dtype: Any) -> Tensor:
        """Return the same in another type."""
        return self.graph.node("Cast", self, to=element_type(dtype))

    def where(self, yes: Any, no: Any) -> Tensor:
        """Return ``yes`` where this is true, ``no`` elsewhere."""
        return self.graph.node("Where", self, yes, no)

    def take(self, index: Any, axis: int) -> Tensor:
        """Return some places of an axis, which stays."""
        places = np.atleast_1d(index).astype(np.int64)
        return self.graph.node("Gather", self, places, axis=axis)

    def sum(self, axis: int) -> Tensor:
        """Return the sum along an axis, which stays."""
        return self.graph.node("ReduceSum", self, np.array([axis]), keepdims=1)

    def within(self, low: Any = None, high: Any = None) -> Tensor:
        """Return the nearest numbers between the bounds."""
        raised = self if low is None else self.graph.node("Max", self, low)
        return raised if high is None else self.graph.node("Min", raised, high)

    def confidence(self) -> Tensor:
        """Return k = 1/(1 + exp(-f)) in the form that never overflows."""
        node = self.graph.node
        small = node("Exp", node("Neg", node("Abs", self)))
        return (self >= 0.0).where(1.0, small) / (small + 1.0)


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

    codes = {"f": TensorProto.DOUBLE, "i": TensorProto.INT64, "O": TensorProto.STRING}
    return int(codes[np.dtype(dtype).kind])


def pair_indices(model: Any) -> np.ndarray:
    """Return every pair's (plus, minus) as places in ``classes_``."""
    return np.searchsorted(model.classes_, model.pairs_)
