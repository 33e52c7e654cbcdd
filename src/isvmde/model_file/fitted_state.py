"""Whether what a file gave to an estimator of this library can be a fitted state.

`ISVMClassifierCV` decides in compiled code that does not check where its indices
point, so they are checked here, once, before anything is decided.
"""

import json
from collections.abc import Iterator
from typing import Any

import numpy as np
from sklearn.base import BaseEstimator

from isvmde.core.kernels import KERNELS, LARGEST_DEGREE
from isvmde.core.leave_one_out.machines import Machines
from isvmde.core.views import VIEWS, Views
from isvmde.tables import TablePreprocessor

from .contents import ModelFileError

_MOST_JOBS, _MOST_FEATURES = 256, 1_000_000
_PLAIN = (str, int, float, type(None))
# Kinds of numbers, shape, and of indices what they point into, by letters: M classes,
# P pairs, Q machines of a classifier that holds one per pair or class, S settings,
# d features, N rows given; R rows, K machines, T support vectors and B kernels of an
# average; * any number. "Q:" is a list of Q arrays.
_FORMS = {
    "f M": "class_count_ prior_",
    "i P2 M": "_pair_index",
    "biufSUO P2": "pairs_",
    "f Q": "intercept_ kkt_violation_",
    "if Q": "n_support_",
    "f Q3": "_kernels",
    "f Q:*d": "support_vectors_",
    "f Q:*": "dual_coef_",
    "f SP": "loo_error_ weights_",
    "f P2": "margins_",
    "f NM": "loo_proba_",
    "i N": "_given_label",
    "f N": "_given_weight",
    "f d": "origin relevance rank_relevance",
    "f d:*": "values ranks",
    "f Rd": "rows",
    "i R N": "given",
    "i R M": "label",
    "i B S": "kernel_setting",
    "i B2": "kernel_rows",
    "i *": "kernel_start start",
    "i K S": "setting",
    "i K P": "pair",
    "f K": "weight intercept",
    "i T R": "index",
    "f T": "beta",
}
_ARRAYS = {name: form for form in _FORMS for name in _FORMS[form].split()}
Sizes = dict[str, int]


def check_fitted(model: Any) -> None:
    """Refuse a model with an estimator of ours whose attributes do not fit together."""
    for estimator in _estimators(model, set()):
        try:
            state = vars(estimator)
            _expect(abs(int(state.get("n_jobs") or 1)) <= _MOST_JOBS)
            _expect(state.get("n_features_in_", 1) <= _MOST_FEATURES)
            if isinstance(estimator, TablePreprocessor):  # its plan can be shown
                plan = estimator.plan_
                _expect(json.loads(json.dumps(plan)) == plan)
                _expect(all(one.get("gaps_tell", 0) in (0, 1) for one in plan.values()))
                repr(estimator.columns_)
                estimator.get_feature_names_out()
            elif type(estimator).__module__.startswith("isvmde."):
                _check_classifier(estimator)
        except Exception as error:
            damage = f"is damaged: its {type(estimator).__name__} is not"
            raise ModelFileError(f"{damage} as training leaves it") from error


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


def _check_classifier(classifier: Any) -> None:
    """Look at the attributes of a classifier."""
    params = classifier.get_params(deep=False)  # raises where one is missing
    state = {name: v for name, v in vars(classifier).items() if name not in params}
    if "classes_" not in state:
        return  # not fitted, as the estimator that a grid search was given
    classes = state["classes_"]
    _expect(isinstance(classes, np.ndarray) and classes.ndim == 1)
    _expect(len(classes) >= 2 and len(np.unique(classes)) == len(classes))
    _expect(isinstance(state["n_features_in_"], int))
    pairs = len(classes) * (len(classes) - 1) // 2
    size = {"M": len(classes), "P": pairs, "2": 2, "3": 3, "d": state["n_features_in_"]}
    _expect_arrays(state, size)
    if "_given_label" in state:  # -1 is a row that was left out
        _expect((state["_given_label"] >= -1) & (state["_given_label"] < len(classes)))
    if state.get("_views") is not None:
        _check_views(state["_views"], size)
    if "_settings" in state:
        _check_settings(state["_settings"], pairs)
        _expect(len(classifier.pair_params_) == pairs)
    if "_machines" in state:
        _expect(state.keys() >= {"prior_", "margins_", "weights_", "loo_proba_"})
        _check_settings(state["settings_"], size["S"])
        _check_machines(state["_machines"], size)


def _check_settings(settings: Any, count: int) -> None:
    """Look at the kernels and costs of pairs, or of averaged machines."""
    _expect(isinstance(settings, list) and len(settings) == count)
    for chosen in settings:
        _expect(all(isinstance(value, _PLAIN) for value in chosen.values()))
        _expect(chosen["kernel"] in KERNELS and chosen.get("view", VIEWS[0]) in VIEWS)
        _expect(chosen.get("sigma", 1.0) > 0 and chosen["C_pos"] >= 0)
        _expect(1 <= chosen.get("degree", 1) <= LARGEST_DEGREE and "C_neg" in chosen)


def _check_machines(machines: dict[str, Any], size: Sizes) -> None:
    """Look at the machines of an average: every index points into its array."""
    _expect(vars(Machines(**machines)).keys() <= {*_ARRAYS, "views"})
    _expect_arrays(machines, size)
    _check_views(machines["views"], size)
    arrays = [value for value in machines.values() if isinstance(value, np.ndarray)]
    _expect(all(a.dtype.itemsize == 8 and a.flags.c_contiguous for a in arrays))
    for name, steps, end in (("kernel_start", "B", "K"), ("start", "K", "T")):
        start = machines[name]
        _expect(len(start) == size[steps] + 1 and (np.diff(start) >= 0).all())
        _expect(start[0] == 0 and start[-1] == size[end])
    first, stop = machines["kernel_rows"].T
    _expect((first >= 0) & (first <= stop) & (stop <= size["R"]))
    kernel = np.repeat(np.arange(size["B"]), np.diff(machines["kernel_start"]))
    kernel = np.repeat(kernel, np.diff(machines["start"]))
    index = machines["index"]
    _expect((index >= first[kernel]) & (index < stop[kernel]))


def _check_views(views: Any, size: Sizes) -> None:
    """Look at what kernels see of the features."""
    _expect(vars(Views(**views)).keys() <= _ARRAYS.keys())
    _expect_arrays(views, size)
    for known, rank in zip(views["values"], views["ranks"], strict=True):
        _expect(0 < len(known) == len(rank) and (np.diff(known) > 0).all())


def _expect_arrays(found: Any, size: Sizes) -> None:
    """Expect arrays as the table says; sizes not yet known become known."""
    for name in [name for name in _ARRAYS if name in found]:
        kinds, form, *within = _ARRAYS[name].split()
        count, is_list, shape = form.rpartition(":")
        arrays = found[name] if is_list else [found[name]]
        sizes = [(count, len(arrays))] if is_list else []
        for array in arrays:
            _expect(isinstance(array, np.ndarray) and array.dtype.kind in kinds)
            _expect(array.dtype.kind != "f" or np.isfinite(array).all())
            _expect(all(((array >= 0) & (array < size[end])).all() for end in within))
            sizes += zip(shape, array.shape, strict=True)
        _expect(all(n == size.setdefault(of, n) for of, n in sizes if of != "*"))


def _expect(as_trained: Any) -> None:
    """Refuse what no training leaves behind."""
    if not np.all(as_trained):
        raise ValueError
