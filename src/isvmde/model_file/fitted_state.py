"""Whether what a file gave to an estimator of this library can be a fitted state.

`ISVMClassifierCV` decides in compiled code that does not check where its indices
point, so they are checked here, once, before anything is decided.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from sklearn.base import BaseEstimator

from isvmde.core.kernels import KERNELS, LARGEST_DEGREE
from isvmde.core.views import VIEWS
from isvmde.tables import TablePreprocessor

from .contents import ModelFileError

_MOST_JOBS = 256
_PLAIN = (str, int, float, type(None))
Sizes = dict[str, int]
# kind of numbers and shape by letters: M classes, P pairs, Q machines of a classifier
# that holds one per pair or class, S settings, d features, N rows given
_ARRAYS = {
    "class_count_": ("f", "M"),
    "_pair_index": ("i", "P2"),
    "pairs_": ("", "P2"),
    "intercept_": ("f", "Q"),
    "kkt_violation_": ("f", "Q"),
    "n_support_": ("if", "Q"),
    "_kernels": ("f", "Q3"),
    "loo_error_": ("f", "SP"),
    "weights_": ("f", "SP"),
    "margins_": ("f", "P2"),
    "prior_": ("f", "M"),
    "loo_proba_": ("f", "NM"),
    "_given_label": ("i", "N"),
    "_given_weight": ("f", "N"),
}
_LISTS_OF_ARRAYS = {"support_vectors_": ("f", "kd"), "dual_coef_": ("f", "k")}
# R rows, K machines, T support vectors, B kernels, and one more of some
_MACHINES = {
    "rows": ("f", "Rd"),
    "given": ("i", "R"),
    "label": ("i", "R"),
    "kernel_setting": ("i", "B"),
    "kernel_rows": ("i", "B2"),
    "kernel_start": ("i", "b"),
    "setting": ("i", "K"),
    "pair": ("i", "K"),
    "weight": ("f", "K"),
    "intercept": ("f", "K"),
    "start": ("i", "t"),
    "index": ("i", "T"),
    "beta": ("f", "T"),
}
_VIEWS = {"origin": ("f", "d"), "relevance": ("f", "d"), "rank_relevance": ("f", "d")}


class _Unlike(Exception):
    """An attribute is not as training leaves it."""


def check_fitted(model: Any) -> None:
    """Refuse a model with an estimator of ours whose attributes do not fit together."""
    for estimator in _estimators(model, set()):
        try:
            jobs = vars(estimator).get("n_jobs")
            _expect(jobs is None or abs(int(jobs)) <= _MOST_JOBS)
            if isinstance(estimator, TablePreprocessor):
                _check_preprocessor(estimator)
            elif type(estimator).__module__.startswith("isvmde."):
                _check_estimator(estimator)
        except Exception as error:
            name = type(estimator).__name__
            raise ModelFileError(
                f"is damaged: its {name} is not as training leaves it"
            ) from error


def _estimators(value: Any, seen: set[int]) -> Iterator[BaseEstimator]:
    """Go through all estimators that a value holds."""
    if id(value) in seen or not isinstance(value, (BaseEstimator, dict, list, tuple)):
        return
    seen.add(id(value))
    inner = value
    if isinstance(value, BaseEstimator):
        yield value
        inner = vars(value)
    for item in inner.values() if isinstance(inner, dict) else inner:
        yield from _estimators(item, seen)


def _check_estimator(estimator: Any) -> None:
    """Look at the attributes of a classifier."""
    state = vars(estimator)
    estimator.get_params(deep=False)  # raises where one is missing
    if "classes_" not in state:
        return  # not fitted, as the estimator that a grid search was given
    classes = state["classes_"]
    _expect(isinstance(classes, np.ndarray) and classes.ndim == 1)
    _expect(len(classes) >= 2 and len(np.unique(classes)) == len(classes))
    _expect(isinstance(state["n_features_in_"], int))
    pairs = len(classes) * (len(classes) - 1) // 2
    size = {"M": len(classes), "P": pairs, "2": 2, "3": 3, "d": state["n_features_in_"]}
    for name, (kind, shape) in _ARRAYS.items():
        if name in state:
            _expect_array(state[name], kind, shape, size)
    for name, (kind, shape) in _LISTS_OF_ARRAYS.items():
        _expect(len(state.get(name, ())) == (size.get("Q", 0) if name in state else 0))
        for array in state.get(name, ()):
            _expect_array(array, kind, shape, dict(size))
    if "_pair_index" in state:
        _expect_range(state["_pair_index"], 0, len(classes))
    if "_given_label" in state:
        _expect_range(state["_given_label"], -1, len(classes))
    if state.get("_views") is not None:
        _check_views(state["_views"], size)
    if "_settings" in state:
        _check_settings(state["_settings"], pairs)
        _expect(len(estimator.pair_params_) == pairs)
    if "_machines" in state:
        _expect(state.keys() >= {"prior_", "margins_", "weights_", "loo_proba_"})
        _check_settings(state["settings_"], size["S"])
        _check_machines(state["_machines"], size)


def _check_settings(settings: Any, count: int) -> None:
    """Look at the kernels and costs of pairs, or of averaged machines."""
    _expect(isinstance(settings, list) and len(settings) == count)
    for chosen in settings:
        _expect(all(isinstance(value, _PLAIN) for value in chosen.values()))
        _expect(chosen["kernel"] in KERNELS)
        _expect(chosen.get("view", VIEWS[0]) in VIEWS)
        _expect(chosen.get("sigma", 1.0) > 0 and chosen["C_pos"] >= 0)
        _expect(1 <= chosen.get("degree", 1) <= LARGEST_DEGREE)
        _expect(chosen.keys() >= {"C_pos", "C_neg"})


def _check_machines(machines: Any, size: Sizes) -> None:
    """Look at the machines of an average: every index points into its array."""
    size = dict(size)
    _expect(machines.keys() == {*_MACHINES, "views"})
    for name, (kind, shape) in _MACHINES.items():
        _expect_array(machines[name], kind, shape, size)
        _expect(machines[name].dtype.itemsize == 8)
        _expect(machines[name].flags.c_contiguous)
        _expect(np.isfinite(machines[name]).all())
    _check_views(machines["views"], size)
    _expect_range(machines["given"], 0, size["N"])
    _expect_range(machines["label"], 0, size["M"])
    _expect_range(machines["kernel_setting"], 0, size["S"])
    _expect_range(machines["setting"], 0, size["S"])
    _expect_range(machines["pair"], 0, size["P"])
    _expect_steps(machines["kernel_start"], size["B"], size["K"])
    _expect_steps(machines["start"], size["K"], size["T"])
    first, end = machines["kernel_rows"].T
    _expect((first >= 0).all() and (first <= end).all() and (end <= size["R"]).all())
    kernel = np.repeat(np.arange(size["B"]), np.diff(machines["kernel_start"]))
    kernel = np.repeat(kernel, np.diff(machines["start"]))
    index = machines["index"]
    _expect((index >= first[kernel]).all() and (index < end[kernel]).all())


def _check_views(views: Any, size: Sizes) -> None:
    """Look at what kernels see of the features."""
    for name, (kind, shape) in _VIEWS.items():
        _expect_array(views[name], kind, shape, size)
    _expect(len(views["values"]) == len(views["ranks"]) == size["d"])
    for known, rank in zip(views["values"], views["ranks"], strict=True):
        inner = dict(size)
        _expect_array(known, "f", "v", inner)
        _expect((np.diff(known) > 0).all())
        _expect_array(rank, "f", "v", inner)
        _expect(len(known) > 0)


def _check_preprocessor(preprocessor: TablePreprocessor) -> None:
    """Look at a plan of columns: it can be shown."""
    for name, plan in preprocessor.plan_.items():
        _expect(isinstance(name, str) and isinstance(plan, dict))
        for value in plan.values():
            single = value if isinstance(value, list) else [value]
            _expect(all(isinstance(item, _PLAIN) for item in single))
    repr(preprocessor.columns_)
    preprocessor.get_feature_names_out()


def _expect_array(value: Any, kinds: str, shape: str, size: Sizes) -> None:
    """Expect an array of one of these kinds; sizes not yet known become known."""
    _expect(isinstance(value, np.ndarray) and value.ndim == len(shape))
    _expect(not kinds or value.dtype.kind in kinds)
    _expect(value.dtype.kind != "f" or np.isfinite(value).all())
    for letter, n in zip(shape, value.shape, strict=True):
        _expect(size.setdefault(letter, n) == n)


def _expect_range(index: np.ndarray, least: int, end: int) -> None:
    """Expect least <= index < end."""
    _expect(bool(((index >= least) & (index < end)).all()))


def _expect_steps(start: np.ndarray, count: int, end: int) -> None:
    """Expect count steps from 0 to end, none of them back."""
    _expect(len(start) == count + 1 and start[0] == 0 and start[-1] == end)
    _expect(bool((np.diff(start) >= 0).all()))


def _expect(as_trained: Any) -> None:
    """Refuse what no training leaves behind."""
    if not as_trained:
        raise _Unlike
