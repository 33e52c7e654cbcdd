"""Export fitted classifiers to ONNX, through skl2onnx.

The graph computes in float64 with standard operators (matrix products, powers,
exponentials, comparisons, look-ups); ONNX's own SVM nodes compute in float32, which is
enough to change labels. It needs ``pip install "isvmde[onnx]"``.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from isvmde.classifiers.given import ISVMClassifier
from isvmde.classifiers.pair_machines import PairMachines
from isvmde.classifiers.searched import ISVMDEClassifier
from isvmde.core.kernels import Kernel
from isvmde.core.pair_machine import PairSettings
from isvmde.core.pairs import _rarity_rank
from isvmde.core.solver import DOT, LINEAR, MINIMUM, POLY
from isvmde.core.views import RANKS, Views

__all__ = ["register_converters", "to_onnx"]

_LARGEST = float(np.finfo(np.float64).max)
_MISSING = (
    'Exporting to ONNX needs skl2onnx; install it with pip install "isvmde[onnx]".'
)


def to_onnx(model: Any, X: Any = None) -> Any:
    """Return a fitted classifier, or a pipeline that ends in one, as an ONNX model.

    Parameters
    ----------
    model : ISVMClassifier, ISVMDEClassifier or Pipeline
        Fitted.
    X : DataFrame, optional
        Some rows of the table a pipeline was fitted on. Its columns become the inputs
        of the graph: numbers as float64, everything else as text. Without it the only
        input is the float64 matrix ``X``.

    Returns
    -------
    onnx.ModelProto
        With the outputs ``label`` and ``decisions``, as of ``predict`` and
        ``decision_function``. Labels are those of ``predict``, except where a pair's
        decision value is zero up to rounding.

    Examples
    --------
    >>> from isvmde import ISVMClassifier
    >>> from isvmde.onnx import to_onnx
    >>> from sklearn.datasets import load_iris
    >>> X, y = load_iris(return_X_y=True)
    >>> graph = to_onnx(ISVMClassifier().fit(X, y))
    >>> [output.name for output in graph.graph.output]
    ['label', 'decisions']
    """
    try:
        from skl2onnx import convert_sklearn
        from skl2onnx.common.data_types import DoubleTensorType, StringTensorType
    except ImportError as error:
        raise ImportError(_MISSING) from error
    register_converters()
    if X is None:
        inputs = [("X", DoubleTensorType([None, model.n_features_in_]))]
    else:
        inputs = [
            (
                str(name),
                DoubleTensorType([None, 1])
                if np.issubdtype(np.asarray(X[name]).dtype, np.number)
                else StringTensorType([None, 1]),
            )
            for name in X.columns
        ]
    return convert_sklearn(model, initial_types=inputs, name=type(model).__name__)


def register_converters() -> None:
    """Tell skl2onnx how to convert the two classifiers.

    `to_onnx` does so itself; call this to use skl2onnx's own functions.

    Examples
    --------
    >>> from isvmde.onnx import register_converters
    >>> register_converters()
    """
    try:
        from skl2onnx import update_registered_converter
    except ImportError as error:
        raise ImportError(_MISSING) from error
    for kind in (ISVMClassifier, ISVMDEClassifier):
        update_registered_converter(
            kind, f"Isvmde{kind.__name__}", _set_types, _convert, parser=_name_outputs
        )


def _name_outputs(
    scope: Any, model: PairMachines, inputs: Any, custom_parsers: Any = None
) -> Any:
    """Declare a label and the decisions as outputs of the model."""
    from skl2onnx import get_model_alias

    operator = scope.declare_local_operator(get_model_alias(type(model)), model)
    operator.inputs = inputs
    for name, kind in zip(("label", "decisions"), _output_types(model), strict=True):
        operator.outputs.append(scope.declare_local_variable(name, kind))
    return operator.outputs


def _output_types(model: PairMachines) -> tuple[Any, Any]:
    """Return the types of label and decisions in a graph."""
    from skl2onnx.common.data_types import (
        DoubleTensorType,
        Int64TensorType,
        StringTensorType,
    )

    by_kind = {"i": Int64TensorType, "f": DoubleTensorType, "O": StringTensorType}
    n_classes = len(model.classes_)
    label = by_kind[_as_labels(model.classes_).dtype.kind]([None])
    return label, DoubleTensorType([None] if n_classes == 2 else [None, n_classes])


def _set_types(operator: Any) -> None:
    """Tell skl2onnx the types of the two outputs."""
    types = _output_types(operator.raw_operator)
    for output, kind in zip(operator.outputs, types, strict=True):
        output.type = kind


def _convert(scope: Any, operator: Any, container: Any) -> None:
    """Write a model's graph: a decision per pair, votes, scores, labels."""
    model = operator.raw_operator
    label, decisions = (output.full_name for output in operator.outputs)
    graph = _Graph(scope, container)
    X = graph.node("Cast", operator.inputs[0].full_name, to=_element_type(np.float64))
    F = _decisions(graph, X, model)
    n_classes, pairs = len(model.classes_), model._pair_index
    plus, minus = np.eye(n_classes)[pairs[:, 0]], np.eye(n_classes)[pairs[:, 1]]
    zero = graph.constant(0.0)
    for_plus = graph.node("GreaterOrEqual", F, zero)  # f = 0 goes to plus
    vote = graph.node("Cast", for_plus, to=_element_type(np.float64))
    votes = graph.affine(vote, plus - minus, minus.sum(axis=0))
    rarity = _rarity_rank(model.class_count_).astype(float)
    order = graph.node("Mul", votes, graph.constant(float(n_classes)))
    order = graph.node("Add", order, graph.constant(rarity))
    chosen = graph.node("ArgMax", order, axis=1, keepdims=0)
    classes = graph.constant(_as_labels(model.classes_))
    graph.node("Gather", classes, chosen, to_output=label, axis=0)
    if n_classes == 2:
        _binary_scores(graph, F, for_plus, bool(pairs[0, 0] == 1), decisions)
    else:
        k = _confidence(graph, F, for_plus)
        # the other class's confidence is 1 - k, as an affine map of k
        weight = 1 / (2 * (n_classes - 1) * n_classes)
        within = graph.affine(
            k, weight * (plus - minus), weight * minus.sum(axis=0) + rarity / n_classes
        )
        graph.node("Add", votes, within, to_output=decisions)


def _decisions(graph: _Graph, X: str, model: PairMachines) -> str:
    """Write every pair's decision f."""
    views = None if model._views is None else Views(**model._views)
    seen: dict[tuple[str, bool], str] = {}
    columns = []
    for settings, vectors, beta, b in zip(
        (PairSettings(**chosen) for chosen in model._settings),
        model.support_vectors_,
        model.dual_coef_,
        model.intercept_.tolist(),
        strict=True,
    ):
        kernel, known = settings.for_solver, X
        if views is not None:
            vectors = views.see(vectors, settings.view, kernel.base)
            key = settings.view, kernel.base == MINIMUM
            if key not in seen:
                seen[key] = _seen(graph, X, views, *key)
            known = seen[key]
        columns.append(_pair_decision(graph, known, kernel, vectors, beta, b))
    return graph.node("Concat", *columns, axis=1)


def _seen(graph: _Graph, X: str, views: Views, view: str, shift: bool) -> str:
    """Write X as a kernel sees it: values, shifted values or ranks."""
    if view == RANKS:
        return _ranks(graph, X, list(views.values), list(views.ranks))
    if not shift:
        return X
    moved = graph.node("Sub", X, graph.constant(views.origin))
    return graph.node("Max", moved, graph.constant(0.0))


def _ranks(
    graph: _Graph, X: str, values: list[np.ndarray], ranks: list[np.ndarray]
) -> str:
    """Write X with ranks for values: linear between the knots, constant beyond.

    The last knot that is not above x is found by bisection, for all features at once;
    their knots lie one feature after the other in one array.
    """
    low = np.array([known[0] for known in values])
    high = np.array([known[-1] for known in values])
    inside = graph.node("Max", X, graph.constant(low))
    inside = graph.node("Min", inside, graph.constant(high))
    sizes = np.array([len(known) for known in values])
    end = np.cumsum(sizes)
    last = graph.constant(end - 1)
    all_values = graph.constant(np.concatenate(values))
    place = graph.constant(end - sizes)
    for power in reversed(range(int(sizes.max() - 1).bit_length())):
        further = graph.node("Add", place, graph.constant(np.array(2**power)))
        further = graph.node("Min", further, last)
        knot = graph.node("Gather", all_values, further, axis=0)
        reached = graph.node("GreaterOrEqual", inside, knot)
        place = graph.node("Where", reached, further, place)
    slopes = [
        np.append(np.minimum(np.diff(rank) / np.diff(known), _LARGEST), 0.0)
        for known, rank in zip(values, ranks, strict=True)
    ]
    knot, rank, slope = (
        graph.node("Gather", graph.constant(np.concatenate(of_knots)), place, axis=0)
        for of_knots in (values, ranks, slopes)
    )
    rise = graph.node("Mul", slope, graph.node("Sub", inside, knot))
    return graph.node("Add", rise, rank)


def _pair_decision(
    graph: _Graph,
    X: str,
    kernel: Kernel,
    vectors: np.ndarray,
    beta: np.ndarray,
    b: float,
) -> str:
    """Write f(x) = sum_i beta_i K(x_i, x) + b of one pair, a column."""
    if len(beta) == 0:
        return graph.affine(X, np.zeros((vectors.shape[1], 1)), np.array([b]))
    if kernel.base == DOT and kernel.function == LINEAR:
        return graph.affine(X, (vectors.T @ beta)[:, None], np.array([b]))
    gram = _kernel_values(graph, kernel, _base(graph, X, kernel.base, vectors))
    return graph.affine(gram, beta[:, None], np.array([b]))


def _base(graph: _Graph, X: str, base: int, vectors: np.ndarray) -> str:
    """Write dot products, squared distances or sums of minima with the vectors."""
    if base == DOT:
        return graph.node("MatMul", X, graph.constant(vectors.T))
    if base == MINIMUM:
        axis = graph.constant(np.array([1], dtype=np.int64))
        wide = graph.node("Unsqueeze", X, axis)  # (n, 1, d)
        least = graph.node("Min", wide, graph.constant(vectors[None]))
        last = graph.constant(np.array([2], dtype=np.int64))
        return graph.node("ReduceSum", least, last, keepdims=0)
    # |x - s|^2 = |x|^2 - 2 x's + |s|^2 around the vectors' centre, where the
    # three terms are smallest and so is their cancellation
    centre = vectors.mean(axis=0)
    Z, S = graph.node("Sub", X, graph.constant(centre)), vectors - centre
    square = graph.node("Mul", Z, Z)
    length = graph.node("MatMul", square, graph.constant(np.ones((len(centre), 1))))
    distance = graph.affine(Z, -2 * S.T, (S**2).sum(axis=1))
    distance = graph.node("Add", distance, length)
    return graph.node("Max", distance, graph.constant(0.0))


def _kernel_values(graph: _Graph, kernel: Kernel, base: str) -> str:
    """Write the kernel as a function of its base; K - 1 for rbf."""
    if kernel.function == LINEAR:
        return base
    if kernel.function == POLY:
        inner = graph.node("Add", base, graph.constant(1.0))
        return graph.node("Pow", inner, graph.constant(kernel.parameter))
    scaled = graph.node("Mul", base, graph.constant(-kernel.parameter))
    return graph.node("Sub", graph.node("Exp", scaled), graph.constant(1.0))


def _confidence(graph: _Graph, F: str, for_plus: str) -> str:
    """Write k = 1/(1 + exp(-f)) in the form that never overflows."""
    small = graph.node("Exp", graph.node("Neg", graph.node("Abs", F)))
    one = graph.constant(1.0)
    return graph.node(
        "Div", graph.node("Where", for_plus, one, small), graph.node("Add", small, one)
    )


def _binary_scores(
    graph: _Graph, F: str, for_plus: str, second_is_plus: bool, output: str
) -> None:
    """Write the score of two classes: f or -f, positive for the second class."""
    if second_is_plus:
        least = graph.constant(np.finfo(np.float64).tiny)
        raised = graph.node("Max", F, least)
        score = graph.node("Where", for_plus, raised, F)
    else:
        score = graph.node("Sub", graph.constant(0.0), F)
    shape = graph.constant(np.array([-1], dtype=np.int64))
    graph.node("Reshape", score, shape, to_output=output)


def _as_labels(classes: np.ndarray) -> np.ndarray:
    """Return classes in a dtype that ONNX has."""
    kind = classes.dtype.kind
    if kind in "iub":
        return classes.astype(np.int64)
    if kind == "f":
        return classes.astype(np.float64)
    return np.array([str(label) for label in classes], dtype=object)


def _element_type(dtype: Any) -> int:
    """Return ONNX's code of float64, int64 or text."""
    from onnx import TensorProto

    codes = {
        "f": TensorProto.DOUBLE,
        "i": TensorProto.INT64,
        "O": TensorProto.STRING,
    }
    return int(codes[np.dtype(dtype).kind])


class _Graph:
    """Adds nodes and constants to skl2onnx's container under fresh names."""

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
        array = np.asarray(value)
        name = self._scope.get_unique_variable_name("constant")
        content = array.ravel().tolist()
        if array.dtype == object:
            content = [text.encode() for text in content]
        self._container.add_initializer(
            name, _element_type(array.dtype), list(array.shape), content
        )
        return str(name)

    def affine(self, X: str, weight: np.ndarray, shift: np.ndarray) -> str:
        """Add X @ weight + shift."""
        product = self.node("MatMul", X, self.constant(weight))
        return self.node("Add", product, self.constant(shift))
