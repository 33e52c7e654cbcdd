"""From a fitted model to an ONNX model: inputs, outputs, converters."""

from __future__ import annotations

from typing import Any

import numpy as np

from isvmde.classifiers.averaged import ISVMClassifierCV
from isvmde.classifiers.given import ISVMClassifier
from isvmde.classifiers.searched import ISVMDEClassifier

from .averaged import convert_average
from .graph import as_labels
from .votes import convert_votes

_MISSING = (
    'Exporting to ONNX needs skl2onnx; install it with pip install "isvmde[onnx]".'
)


def to_onnx(model: Any, X: Any = None) -> Any:
    """Return a fitted classifier, or a pipeline that ends in one, as an ONNX model.

    Parameters
    ----------
    model : ISVMClassifierCV, ISVMClassifier, ISVMDEClassifier or Pipeline
        Fitted.
    X : DataFrame, optional
        Some rows of the table a pipeline was fitted on. Its columns become the inputs
        of the graph: numbers as float64, everything else as text. Without it the only
        input is the float64 matrix ``X``.

    Returns
    -------
    onnx.ModelProto
        The first output is ``label``, as of ``predict``. The second is
        ``probabilities``, as of ``predict_proba``, for `ISVMClassifierCV`, and
        ``decisions``, as of ``decision_function``, for the other two. Labels are
        equal, except where two classes or the sides of a pair are level up to
        rounding.

    Examples
    --------
    >>> from isvmde import ISVMClassifierCV
    >>> from isvmde.onnx import to_onnx
    >>> from sklearn.datasets import load_iris
    >>> X, y = load_iris(return_X_y=True)
    >>> graph = to_onnx(ISVMClassifierCV(n_settings=8, random_state=0).fit(X, y))
    >>> [output.name for output in graph.graph.output]
    ['label', 'probabilities']
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
        numbers = [np.asarray(X[name]).dtype.kind in "iuf" for name in X.columns]
        kinds = [DoubleTensorType if each else StringTensorType for each in numbers]
        inputs = [
            (str(name), kind([None, 1]))
            for name, kind in zip(X.columns, kinds, strict=True)
        ]
    return convert_sklearn(model, initial_types=inputs, name=type(model).__name__)


def register_converters() -> None:
    """Tell skl2onnx how to convert the three classifiers.

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
    for kind, convert in (
        (ISVMClassifier, convert_votes),
        (ISVMDEClassifier, convert_votes),
        (ISVMClassifierCV, convert_average),
    ):
        update_registered_converter(
            kind,
            f"Isvmde{kind.__name__}",
            lambda operator: None,  # the types are set where outputs are declared
            convert,
            parser=_name_outputs,
        )


def _name_outputs(
    scope: Any, model: Any, inputs: Any, custom_parsers: Any = None
) -> Any:
    """Declare the outputs of the model, with their types."""
    from skl2onnx import get_model_alias
    from skl2onnx.common.data_types import (
        DoubleTensorType,
        Int64TensorType,
        StringTensorType,
    )

    operator = scope.declare_local_operator(get_model_alias(type(model)), model)
    operator.inputs = inputs
    by_kind = {"i": Int64TensorType, "f": DoubleTensorType, "O": StringTensorType}
    label = by_kind[as_labels(model.classes_).dtype.kind]([None])
    averaged = isinstance(model, ISVMClassifierCV)
    one_column = len(model.classes_) == 2 and not averaged
    numbers = DoubleTensorType([None] if one_column else [None, len(model.classes_)])
    second = "probabilities" if averaged else "decisions"
    for name, kind in (("label", label), (second, numbers)):
        operator.outputs.append(scope.declare_local_variable(name, kind))
    return operator.outputs
