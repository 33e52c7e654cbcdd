"""Whether what a file gave to an estimator of this library can be a fitted state."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from sklearn.base import BaseEstimator

from isvmde.classifiers.averaged import ISVMClassifierCV
from isvmde.tables import TablePreprocessor

from .averaged_state import fits_together
from .contents import ModelFileError

_MOST_JOBS = 256
# M classes, P pairs, Q machines, d features, 2 sides: kind of numbers and shape
_ARRAYS = {
    "class_count_": ("f", "M"),
    "_pair_index": ("i", "P2"),
    "pairs_": ("", "P2"),
    "intercept_": ("f", "Q"),
    "kkt_violation_": ("f", "Q"),
    "n_support_": ("if", "Q"),
    "_kernels": ("f", "Q3"),
}
_ARRAYS_OF_MACHINES = {"support_vectors_": ("f", "kd"), "dual_coef_": ("f", "k")}


def check_fitted(model: Any) -> None:
    """Refuse a model with an estimator of ours whose attributes do not fit together."""
    for estimator in _estimators(model, set()):
        jobs = vars(estimator).get("n_jobs")
        _check(jobs is None or abs(int(jobs)) <= _MOST_JOBS, estimator)
        if isinstance(estimator, TablePreprocessor):
            _check_preprocessor(estimator)
        elif type(estimator).__module__.startswith("isvmde."):
            _check_estimator(estimator)


def _estimators(value: Any, seen: set[int]) -> Iterator[BaseEstimator]:
    """Go through all estimators that a value holds."""
    if id(value) in seen:
        return
    if isinstance(value, BaseEstimator):
        seen.add(id(value))
        yield value
        yield from _estimators(vars(value), seen)
    elif isinstance(value, dict):
        seen.add(id(value))
        for item in value.values():
            yield from _estimators(item, seen)
    elif isinstance(value, (list, tuple)):
        seen.add(id(value))
        for item in value:
            yield from _estimators(item, seen)


def _check_estimator(estimator: Any) -> None:
    """Refuse attributes of the wrong kind or shape."""
    state = vars(estimator)
    estimator.get_params(deep=False)  # raises where one is missing
    if "classes_" not in state:
        return  # not fitted, as the estimator that a grid search was given
    classes = state["classes_"]
    _check(isinstance(classes, np.ndarray) and classes.ndim == 1, estimator)
    _check(len(classes) >= 2 and len(np.unique(classes)) == len(classes), estimator)
    _check(isinstance(state.get("n_features_in_"), int), estimator)
    pairs = len(classes) * (len(classes) - 1) // 2
    machines = np.shape(state["intercept_"])[:1] if "intercept_" in state else (pairs,)
    size = {"M": len(classes), "P": pairs, "Q": machines[0], "2": 2, "3": 3}
    size["d"] = state["n_features_in_"]
    for name, (kind, shape) in _ARRAYS.items():
        if name in state:
            _check(_is_array(state[name], kind, shape, dict(size)), estimator)
    for name, (kind, shape) in _ARRAYS_OF_MACHINES.items():
        listed = state.get(name)
        if listed is None:
            continue
        _check(isinstance(listed, list) and len(listed) == size["Q"], estimator)
        for array in listed:
            _check(_is_array(array, kind, shape, dict(size)), estimator)
    if isinstance(estimator, ISVMClassifierCV):
        _check(fits_together(state, size), estimator)
    if hasattr(estimator, "pair_params_"):
        chosen = list(estimator.pair_params_.values())
        plain = (str, int, float, type(None))
        _check(len(chosen) == pairs, estimator)
        for settings in chosen:
            _check(all(isinstance(v, plain) for v in settings.values()), estimator)
            _check(settings.keys() == chosen[0].keys(), estimator)


def _check_preprocessor(preprocessor: TablePreprocessor) -> None:
    """Refuse a plan of columns that cannot be shown."""
    plain = (str, int, float, type(None))
    for name, plan in preprocessor.plan_.items():
        _check(isinstance(name, str) and isinstance(plan, dict), preprocessor)
        for value in plan.values():
            single = value if isinstance(value, list) else [value]
            _check(all(isinstance(item, plain) for item in single), preprocessor)
    repr(preprocessor.columns_)
    preprocessor.get_feature_names_out()


def _is_array(value: Any, kinds: str, shape: str, size: dict[str, int]) -> bool:
    """Tell whether a value is an array of one of these kinds and of this shape."""
    if not isinstance(value, np.ndarray) or value.ndim != len(shape):
        return False
    if kinds and value.dtype.kind not in kinds:
        return False
    return all(
        size.setdefault(letter, n) == n
        for letter, n in zip(shape, value.shape, strict=True)
    )


def _check(allowed: bool, estimator: Any) -> None:
    """Refuse a file with an estimator that no training makes."""
    if not allowed:
        raise ModelFileError(
            f"is damaged: its {type(estimator).__name__} is not as training leaves it"
        )
