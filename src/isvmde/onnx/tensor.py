"""Nodes of a graph, written as arithmetic."""

from collections.abc import Callable
from typing import Any

import numpy as np


def _operator(kind: str) -> Callable[["Tensor", Any], "Tensor"]:
    """Return the method that adds a node of this kind."""
    return lambda tensor, other: tensor.node(kind, tensor, other)


class Tensor:
    """What a node of skl2onnx's container computes, or a constant."""

    __array_ufunc__ = None  # an array on the left leaves the operator to this class

    def __init__(self, name: Any, scope: Any, container: Any) -> None:
        self.name, self._scope, self._container = str(name), scope, container

    def node(
        self, kind: str, *inputs: Any, to_output: str | None = None, **attributes: Any
    ) -> "Tensor":
        """Add a node; inputs are tensors, or values that become constants."""
        result = to_output or self._scope.get_unique_variable_name(kind.lower())
        names = [self.constant(value).name for value in inputs]
        name = self._scope.get_unique_operator_name(kind)
        self._container.add_node(kind, names, [result], name=name, **attributes)
        return Tensor(result, self._scope, self._container)

    def constant(self, value: Any) -> "Tensor":
        """Return a value as a constant of the graph, a tensor as it is."""
        from onnx.helper import np_dtype_to_tensor_dtype

        if isinstance(value, Tensor):
            return value
        array = np.asarray(value)
        name = self._scope.get_unique_variable_name("constant")
        kind = np_dtype_to_tensor_dtype(array.dtype)
        values: Any = array.ravel()
        if array.dtype == object:  # older versions of onnx encode ASCII only
            values = [text.encode() for text in values]
        self._container.add_initializer(name, kind, list(array.shape), values)
        return Tensor(name, self._scope, self._container)

    __add__ = _operator("Add")
    __sub__ = _operator("Sub")
    __mul__ = _operator("Mul")
    __truediv__ = _operator("Div")
    __matmul__ = _operator("MatMul")
    __pow__ = _operator("Pow")
    __ge__ = _operator("GreaterOrEqual")

    def __rsub__(self, other: Any) -> "Tensor":
        return self.node("Sub", other, self)

    def take(self, index: int, axis: int) -> "Tensor":
        """Return one place of an axis, which stays."""
        return self.node("Gather", self, np.array([index]), axis=axis)

    def sum(self, axis: int) -> "Tensor":
        """Return the sum along an axis, which stays."""
        return self.node("ReduceSum", self, np.array([axis]), keepdims=1)

    def within(self, low: Any = None, high: Any = None) -> "Tensor":
        """Return the nearest numbers between the bounds."""
        raised = self if low is None else self.node("Max", self, low)
        return raised if high is None else self.node("Min", raised, high)

    def confidence(self) -> "Tensor":
        """Return k = 1/(1 + exp(-f)) in the form that never overflows."""
        small = self.node("Exp", self.node("Neg", self.node("Abs", self)))
        return self.node("Where", self >= 0.0, 1.0, small) / (small + 1.0)
