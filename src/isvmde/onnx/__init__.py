"""Fitted classifiers as ONNX graphs, through skl2onnx.

A graph computes in float64 with standard operators; ONNX's own SVM nodes compute in
float32, which is enough to change labels. It needs ``pip install "isvmde[onnx]"``.
"""

from collections.abc import Callable, Sequence
from functools import cached_property, reduce
from operator import add
from typing import Any

import numpy as np
from scipy.sparse import csr_array

from isvmde.classifiers.averaged import ISVMClassifierCV
from isvmde.classifiers.given import ISVMClassifier
from isvmde.classifiers.searched import ISVMDEClassifier
from isvmde.core.averaging.calibration import LARGEST_MEAN, SUREST
from isvmde.core.dual import scale_and_shift
from isvmde.core.limits import largest_new_value
from isvmde.core.solver import DISTANCE, DOT, LINEAR, MINIMUM, POLY, RBF
from isvmde.core.views import RANKS, WEIGHTED, Sight

from .classes import write_classes
from .rounding import check_rounding, rounding_error
from .tensor import Tensor

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

    Raises
    ------
    ValueError
        If rounding alone could change what such a model decides, because it saw columns
        of very different or very large values; the message names them.

    Notes
    -----
    A graph computes in float64, in another order than Python. For rows in the range of
    the training rows probabilities differ by less than 1e-6.

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


def _convert(scope: Any, operator: Any, container: Any) -> None:
    """Write a model's graph: decisions or probabilities, and the labels."""
    from onnx import TensorProto

    model = operator.raw_operator
    label, second = (output.full_name for output in operator.outputs)
    given = Tensor(operator.inputs[0].full_name, scope, container)
    X = given.node("Cast", given, to=TensorProto.DOUBLE)
    write = _write_average if isinstance(model, ISVMClassifierCV) else _write_decisions
    chosen = X.node("ArgMax", write(X, model, second), axis=1, keepdims=0)
    X.node("Gather", _as_labels(model.classes_), chosen, axis=0, to_output=label)


def _as_labels(classes: np.ndarray) -> np.ndarray:
    """Return classes in a dtype that ONNX has."""
    if classes.dtype.kind in "fiub":
        return classes.astype(np.float64 if classes.dtype.kind == "f" else np.int64)
    return classes.astype(str).astype(object)


def _write_decisions(X: Tensor, model: Any, decisions: str) -> Tensor:
    """Write decisions of the machines; return what is largest for the prediction."""
    vectors = model.support_vectors_
    rows, place = np.unique(np.concatenate(vectors), axis=0, return_inverse=True)
    ends = np.cumsum([len(own) for own in vectors])
    places = np.split(place.ravel(), ends[:-1])
    views, settings = model._views_of_features, model._settings_of_machines
    total = max(np.abs(beta).sum() for beta in model.dual_coef_)
    writer = _Machines(X, views, rows, _largest_value(settings, rows, total))
    columns = [
        writer.decide(setting, beta[:, None], np.array([b]), own)
        for setting, beta, b, own in zip(
            settings, model.dual_coef_, model.intercept_, places, strict=True
        )
    ]
    check_rounding(model, rows, float(np.max(writer.errors)))
    F = X.node("Concat", *columns, axis=1)
    return write_classes(F, model._decomposition, decisions)


def _write_average(X: Tensor, model: Any, probabilities: str) -> Tensor:
    """Write averaged machines, margins, coupling and prior."""
    machines, _ = model._trained
    f = _write_averaged_machines(X, model)
    # m = sum_s w_s tanh f_s of every pair
    weight = np.eye(len(model.pairs_))[machines.pair] * machines.weight[:, None]
    m = X.node("Tanh", f) @ weight
    r = _write_confidence(m, model.margins_)
    p = _write_coupling(r, model._pair_index, len(model.classes_))
    product = p * (model.prior_ / model.prior_.max())
    return X.node("Div", product, product.sum(1), to_output=probabilities)


def _write_averaged_machines(X: Tensor, model: Any) -> Tensor:
    """Write the decisions f of all machines of an average, kernel after kernel."""
    machines, settings = model._trained
    kernels = [settings[s] for s in machines.kernel_setting]
    largest = _largest_value(kernels, machines.rows, np.abs(machines.beta).sum())
    writer = _Machines(X, machines.views, machines.rows, largest)
    shape = len(machines.pair), len(machines.rows)
    betas = csr_array((machines.beta, machines.index, machines.start), shape)
    columns, ends = [], machines.kernel_start
    for q, setting in enumerate(kernels):
        some = slice(ends[q], ends[q + 1])
        first, last = machines.kernel_rows[q].tolist()
        needed = slice(first, last)
        beta, b = betas[some, needed].toarray().T, machines.intercept[some]
        columns.append(writer.decide(setting, beta, b, needed=needed))
    error = np.bincount(
        machines.pair, machines.weight * np.concatenate(writer.errors), minlength=1
    )
    check_rounding(model, machines.rows, float(error.max()))
    return X.node("Concat", *columns, axis=1)


def _write_confidence(mean: Tensor, margins: np.ndarray) -> Tensor:
    """Write the probability of plus of every pair, from its mean decision."""
    m = mean.within(-LARGEST_MEAN, LARGEST_MEAN)
    # log-odds a artanh m + b of every pair; artanh m = log((1 + m) / (1 - m)) / 2
    twice = m.node("Log", (m + 1.0) / (1.0 - m))
    scale, shift = scale_and_shift(margins[:, 0], margins[:, 1])
    log_odds = twice * (0.5 * scale) + shift
    return log_odds.confidence().within(1.0 - SUREST, SUREST)


def _write_coupling(r: Tensor, pairs: np.ndarray, n_classes: int) -> Tensor:
    """Write the class probabilities that fit the pairs' probabilities r of plus."""
    # Wu, Lin and Weng's second method minimises p'Qp under e'p = 1. The solution is
    # proportional to (Q + e e')^-1 e. That matrix is positive definite, so elimination
    # needs no pivoting; it is written out, one step per class, for all rows at once.
    node = r.node
    both = node("Concat", r, 1.0 - r, axis=1)
    place = np.zeros((n_classes, n_classes), dtype=np.int64)
    plus, minus = pairs[:, 0], pairs[:, 1]
    place[plus, minus] = np.arange(len(pairs))
    place[minus, plus] = len(pairs) + np.arange(len(pairs))
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
    """Writes decisions of machines on new samples X; ranks and bases only once.

    ``rows`` are the support vectors of all machines; ``largest`` is the value at which
    new samples are cut off for kernels that grow without bound.
    """

    def __init__(self, X: Tensor, views: Any, rows: np.ndarray, largest: float) -> None:
        self._X, self._views = X, views  # None: kernels see the values
        self._rows, self._largest = rows, largest
        self._bases: dict[tuple[Sight, int, int], Tensor] = {}
        self.errors: list[np.ndarray] = []  # that rounding makes, per machine

    def decide(
        self,
        setting: Any,
        beta: Any,
        b: Any,
        own: np.ndarray | None = None,
        needed: slice = slice(None),
    ) -> Tensor:
        """Write K beta + b of machines with the same kernel and support vectors.

        ``needed`` is where among all rows their support vectors are, and ``own`` are
        the places of these in there; by default they are all.
        """
        sight, kernel = setting.sight, setting.for_solver
        base, function, parameter = kernel
        known = self._rows
        if self._views:
            known = self._views.see(self._rows, sight)
        first, last, _ = needed.indices(len(known))
        known = known[first:last]
        vectors = known if own is None else known[own]
        self.errors.append(rounding_error(kernel, vectors, beta))
        if not len(vectors) or (base, function) == (DOT, LINEAR):
            linear: Tensor = self._see(sight) @ (vectors.T @ beta) + b
            return linear
        key = sight, first, last
        if key not in self._bases:
            self._bases[key] = _write_base(self._see(sight), base, known)
        values = self._bases[key]
        if own is not None:
            values = values.node("Gather", values, own, axis=1)
        decisions: Tensor = _FUNCTIONS[function](values, parameter) @ beta + b
        return decisions

    def _see(self, sight: Sight) -> Tensor:
        """Write the new samples as a kernel sees them."""
        X, views, by_rank = self._X, self._views, sight.view in (RANKS, WEIGHTED[RANKS])
        if by_rank:
            X = self._ranks
        elif sight.base == MINIMUM:
            X = (X - views.origin).within(0.0, self._largest)
        elif sight.base == DOT:
            X = X.within(-self._largest, self._largest)
        if sight.view in WEIGHTED.values():
            relevance = views.rank_relevance if by_rank else views.relevance
            X = X * relevance[sight.part]
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
    # Feature by feature: never (n, vectors, d) numbers. Squared distances as well: in
    # |x|^2 - 2 x's + |s|^2 a large column would take the digits of the small ones.
    columns = range(vectors.shape[1])
    if base == DISTANCE:
        apart = [X.take(j, axis=1) - vectors[None, :, j] for j in columns]
        return reduce(add, (each * each for each in apart))
    # No feature is below zero here, so those that are zero in all vectors add nothing;
    # one of them is enough.
    used = [j for j in columns if vectors[:, j].any()] or [0]
    least = (X.take(j, axis=1).within(high=vectors[None, :, j]) for j in used)
    return reduce(add, least)


def _largest_value(settings: Sequence[Any], rows: np.ndarray, total: float) -> float:
    """Return the value from which on new samples are cut off, as Python does it."""
    largest = float(np.abs(rows).max(initial=1.0))
    kernels = {setting.for_solver for setting in settings}
    bounds = [
        largest_new_value(kernel, rows.shape[1], largest, float(total))
        for kernel in kernels
    ]
    return min(min(bounds), float(_FLOAT.max))
