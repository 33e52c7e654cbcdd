"""Fitted classifiers as ONNX graphs, through skl2onnx.

A graph computes in float64 with standard operators; ONNX's own SVM nodes compute in
float32, which is enough to change labels. It needs ``pip install "isvmde[onnx]"``.
"""

from collections.abc import Callable
from functools import cached_property, reduce
from operator import add
from typing import Any

import numpy as np
from scipy.sparse import csr_array

from isvmde.classifiers.averaged import ISVMClassifierCV
from isvmde.classifiers.given import ISVMClassifier
from isvmde.classifiers.searched import ISVMDEClassifier
from isvmde.core.leave_one_out.average import LARGEST_MEAN, SUREST
from isvmde.core.pair_machine import PairSettings
from isvmde.core.pairs import rarity_rank
from isvmde.core.solver import DISTANCE, DOT, LINEAR, MINIMUM, POLY, RBF
from isvmde.core.views import RANKS, WEIGHTED, Views

__all__ = ["register_converters", "to_onnx"]
_FLOAT = np.finfo(np.float64)


def to_onnx(model: Any, X: Any = None) -> Any:
    """Return a fitted classifier, or a pipeline that ends in one, as an ONNX model.

    Parameters
    ----------
    model : ISVMClassifierCV, ISVMClassifier, ISVMDEClassifier or Pipeline
        Fitted.
    X : DataFrame, optional
        Some rows a pipeline was fitted on. Its columns become the graph's inputs:
        numbers as float64, all else as text. Without it there is one, the matrix ``X``.

    Returns
    -------
    onnx.ModelProto
        Its outputs are ``label``, as of ``predict`` (except where classes are level up
        to rounding), and for `ISVMClassifierCV` ``probabilities``, as of
        ``predict_proba``, for the others ``decisions``, as of ``decision_function``.

    Examples
    --------
    >>> from isvmde import ISVMClassifierCV
    >>> from sklearn.datasets import load_iris
    >>> X, y = load_iris(return_X_y=True)
    >>> graph = to_onnx(ISVMClassifierCV(n_settings=8, random_state=0).fit(X, y))
    >>> [output.name for output in graph.graph.output]
    ['label', 'probabilities']
    """
    register_converters()
    from skl2onnx import convert_sklearn
    from skl2onnx.common.data_types import DoubleTensorType, StringTensorType

    if X is None:
        inputs = [("X", DoubleTensorType([None, model.n_features_in_]))]
    else:
        numbers = {name: np.asarray(X[name]).dtype.kind in "iuf" for name in X.columns}
        inputs = [
            (str(name), (DoubleTensorType if number else StringTensorType)([None, 1]))
            for name, number in numbers.items()
        ]
    return convert_sklearn(model, initial_types=inputs, name=type(model).__name__)


def register_converters() -> None:
    """Tell skl2onnx's own functions how to convert the three classifiers.

    Examples
    --------
    >>> register_converters()
    """
    try:
        from skl2onnx import update_registered_converter
    except ImportError as error:
        raise ImportError("ONNX graphs need skl2onnx: install isvmde[onnx]") from error
    for kind in (ISVMClassifier, ISVMDEClassifier, ISVMClassifierCV):
        update_registered_converter(
            kind,
            f"Isvmde{kind.__name__}",
            lambda operator: None,  # the types are set where outputs are declared
            _convert,
            parser=_name_outputs,
        )


def _name_outputs(scope: Any, model: Any, inputs: Any, **_: Any) -> Any:
    """Declare the outputs of the model, with their types."""
    from skl2onnx import get_model_alias
    from skl2onnx.common import data_types as types

    operator = scope.declare_local_operator(get_model_alias(type(model)), model)
    operator.inputs = inputs
    label = type(types.guess_data_type(_as_labels(model.classes_))[0][1])
    averaged, n_classes = isinstance(model, ISVMClassifierCV), len(model.classes_)
    shape = [None, n_classes] if averaged or n_classes > 2 else [None]
    second = "probabilities" if averaged else "decisions"
    for name, kind in (
        ("label", label([None])),
        (second, types.DoubleTensorType(shape)),
    ):
        operator.outputs.append(scope.declare_local_variable(name, kind))
    return operator.outputs


def _operator(kind: str) -> Callable[[Any, Any], "Tensor"]:
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


def _convert(scope: Any, operator: Any, container: Any) -> None:
    """Write a model's graph: decisions or probabilities, and the labels."""
    from onnx import TensorProto

    model = operator.raw_operator
    label, second = (output.full_name for output in operator.outputs)
    given = Tensor(operator.inputs[0].full_name, scope, container)
    X = given.node("Cast", given, to=TensorProto.DOUBLE)
    write = _write_average if isinstance(model, ISVMClassifierCV) else _write_votes
    chosen = X.node("ArgMax", write(X, model, second), axis=1, keepdims=0)
    X.node("Gather", _as_labels(model.classes_), chosen, axis=0, to_output=label)


def _as_labels(classes: np.ndarray) -> np.ndarray:
    """Return classes in a dtype that ONNX has."""
    if classes.dtype.kind in "fiub":
        return classes.astype(np.float64 if classes.dtype.kind == "f" else np.int64)
    return classes.astype(str).astype(object)


def _write_votes(X: Tensor, model: Any, decisions: str) -> Tensor:
    """Write decisions of one machine per pair; return votes, ties to rare classes."""
    node, views = X.node, model._views
    writer = _Machines(X, None if views is None else Views(**views))
    fitted = model.support_vectors_, model._settings, model.dual_coef_, model.intercept_
    columns = [
        writer.decide(rows, PairSettings(**chosen), beta[:, None], np.array([b]))
        for rows, chosen, beta, b in zip(*fitted, strict=True)
    ]
    F = node("Concat", *columns, axis=1)
    n_classes, pairs = len(model.classes_), model._pair_index
    plus, minus = np.eye(n_classes)[pairs.T]
    for_plus = F >= 0.0  # 0 goes to plus
    votes = node("Where", for_plus, 1.0, 0.0) @ (plus - minus) + minus.sum(axis=0)
    rarity = rarity_rank(model.class_count_).astype(float)
    if n_classes > 2:
        # the other class's confidence is 1 - k, as an affine map of k
        weight = 1 / (2 * (n_classes - 1) * n_classes)
        shift = weight * minus.sum(axis=0) + rarity / n_classes
        within = F.confidence() @ (weight * (plus - minus)) + shift
        node("Add", votes, within, to_output=decisions)
    else:  # f or -f, positive for the second class
        score = 0.0 - F
        if pairs[0, 0] == 1:
            score = node("Where", for_plus, F.within(low=_FLOAT.tiny), F)
        node("Reshape", score, np.array([-1]), to_output=decisions)
    return votes * float(n_classes) + rarity


def _write_average(X: Tensor, model: Any, probabilities: str) -> Tensor:
    """Write averaged machines, margins, coupling and prior."""
    machines, settings = model._trained
    writer = _Machines(X, machines.views)
    shape = len(machines.pair), len(machines.rows)
    betas = csr_array((machines.beta, machines.index, machines.start), shape)
    columns, ends = [], machines.kernel_start
    own = map(slice, ends[:-1], ends[1:])
    for s, some in zip(machines.kernel_setting, own, strict=True):
        beta, b = betas[some].toarray().T, machines.intercept[some]
        columns.append(writer.decide(machines.rows, settings[s], beta, b))
    # m = sum_s w_s tanh f_s of every pair
    weight = np.eye(len(model.pairs_))[machines.pair] * machines.weight[:, None]
    mean = X.node("Tanh", X.node("Concat", *columns, axis=1)) @ weight
    m = mean.within(-LARGEST_MEAN, LARGEST_MEAN)
    # log-odds a artanh m + b of every pair; artanh m = log((1 + m) / (1 - m)) / 2
    twice, margins = X.node("Log", (m + 1.0) / (1.0 - m)), model.margins_
    F = twice * (0.25 * margins.sum(axis=1)) + 0.5 * (margins[:, 0] - margins[:, 1])
    r = F.confidence().within(1.0 - SUREST, SUREST)
    p = _write_coupling(r, model._pair_index, len(model.classes_))
    product = p * (model.prior_ / model.prior_.max())
    return X.node("Div", product, product.sum(1), to_output=probabilities)


def _write_coupling(r: Tensor, pairs: np.ndarray, n_classes: int) -> Tensor:
    """Write the class probabilities that fit the pairs' probabilities r of plus."""
    # Wu, Lin and Weng's second method minimises p'Qp under e'p = 1. The solution is
    # proportional to (Q + e e')^-1 e. That matrix is positive definite, so elimination
    # needs no pivoting; it is written out, one step per class, for all rows at once.
    node = r.node
    both = node("Concat", r, 1.0 - r, axis=1)
    place = np.zeros((n_classes, n_classes), dtype=np.int64)
    place[*pairs.T] = np.arange(len(pairs))
    place[*pairs.T[::-1]] = len(pairs) + np.arange(len(pairs))
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


# what a kernel makes of its base
_FUNCTIONS: dict[int, Callable[[Tensor, float], Tensor]] = {
    LINEAR: lambda base, _: base,
    POLY: lambda base, degree: (base + 1.0) ** degree,
    RBF: lambda base, gamma: base.node("Exp", base * -gamma) - 1.0,
}


class _Machines:
    """Writes decisions of machines on new samples X; ranks and bases only once."""

    def __init__(self, X: Tensor, views: Any) -> None:
        self._X, self._views = X, views  # None: kernels see the values
        self._bases: dict[tuple[str, int, int], Tensor] = {}

    def decide(self, rows: np.ndarray, setting: Any, beta: Any, b: Any) -> Tensor:
        """Write K beta + b of machines with the same kernel and support vectors."""
        view, (base, function, parameter) = setting.view, setting.for_solver
        known = self._views.see(rows, view, base) if self._views else rows
        if not len(rows) or (base, function) == (DOT, LINEAR):
            return self._see(view, base) @ (known.T @ beta) + b
        key = view, base, id(rows)
        if key not in self._bases:
            self._bases[key] = _write_base(self._see(view, base), base, known)
        return _FUNCTIONS[function](self._bases[key], parameter) @ beta + b

    def _see(self, view: str, base: int) -> Tensor:
        """Write the new samples in a view."""
        X, views, by_rank = self._X, self._views, view in (RANKS, WEIGHTED[RANKS])
        if by_rank:
            X = self._ranks
        elif base == MINIMUM:
            X = (X - views.origin).within(low=0.0)
        if view in WEIGHTED.values():
            X = X * (views.rank_relevance if by_rank else views.relevance)
        return X

    @cached_property
    def _ranks(self) -> Tensor:
        """X with ranks for values: linear between the knots, constant beyond."""
        # Bisection finds the last knot that is not above x, for all features at once;
        # their knots lie one feature after the other in one array.
        X, values, ranks = self._X, self._views.values, self._views.ranks
        low, high = (np.array([known[end] for known in values]) for end in (0, -1))
        inside = X.within(low, high)
        sizes = np.array([len(known) for known in values])
        end = np.cumsum(sizes)
        last, all_values = X.constant(end - 1), X.constant(np.concatenate(values))
        place = X.constant(end - sizes)
        for power in reversed(range(int(sizes.max() - 1).bit_length())):
            further = (place + 2**power).within(high=last)
            knot = X.node("Gather", all_values, further, axis=0)
            place = X.node("Where", inside >= knot, further, place)
        slopes = [
            np.append(np.minimum(np.diff(rank) / np.diff(known), _FLOAT.max), 0.0)
            for known, rank in zip(values, ranks, strict=True)
        ]
        knot, rank, slope = (
            X.node("Gather", np.concatenate(of_knots), place, axis=0)
            for of_knots in (values, ranks, slopes)
        )
        return (slope * (inside - knot) + rank).within(0.0, 1.0)


def _write_base(X: Tensor, base: int, vectors: np.ndarray) -> Tensor:
    """Write dot products, squared distances or sums of minima with the vectors."""
    if base == DOT:
        return X @ vectors.T
    if base == DISTANCE:
        # |x - s|^2 = |x|^2 - 2 x's + |s|^2 around the vectors' centre, where the
        # three terms are smallest and so is their cancellation
        centre = vectors.mean(axis=0)
        Z, S = X - centre, vectors - centre
        length = (Z * Z) @ np.ones((len(centre), 1))
        return (Z @ (-2 * S.T) + (S**2).sum(axis=1) + length).within(low=0.0)
    # Feature by feature: never (n, vectors, d) numbers. No feature is below zero here,
    # so those that are zero in all vectors add nothing; one of them is enough.
    used = np.flatnonzero(vectors.any(axis=0)).tolist() or [0]
    least = (X.take(j, axis=1).within(high=vectors[None, :, j]) for j in used)
    return reduce(add, least)
