"""Whether the machines of an `ISVMClassifierCV` in a file fit together.

Compiled code follows their indices without looking, so they are looked at here.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

_KERNELS = ("linear", "rbf", "poly", "min")
_HIGHEST_DEGREE = 1000
# R rows, d features, Q kernels, K machines, V support vectors
_MACHINES = {
    "rows": ("f", "Rd"),
    "given": ("i", "R"),
    "label": ("i", "R"),
    "kernel_setting": ("i", "Q"),
    "setting": ("i", "K"),
    "pair": ("i", "K"),
    "weight": ("f", "K"),
    "intercept": ("f", "K"),
    "index": ("i", "V"),
    "beta": ("f", "V"),
}
_VIEWS = {"origin": "d", "relevance": "d", "rank_relevance": "d"}
# S settings, P pairs, M classes, N rows given
_ATTRIBUTES = {
    "weights_": "SP",
    "loo_error_": "SP",
    "margins_": "P2",
    "prior_": "M",
    "loo_proba_": "NM",
    "_given_label": "N",
    "_given_weight": "N",
    "class_count_": "M",
}


def fits_together(state: Mapping[str, Any], size: dict[str, int]) -> bool:
    """Tell whether fitted attributes can be what training leaves.

    ``size`` knows the classes M, the pairs P and the features d.
    """
    settings, machines = state.get("settings_"), state.get("_machines")
    if not isinstance(settings, list) or not all(map(_is_setting, settings)):
        return False
    size = {letter: size[letter] for letter in "MPd"}
    size |= {"S": len(settings), "2": 2}
    for name, shape in _ATTRIBUTES.items():
        if not _is_array(state.get(name), "fi", shape, size):
            return False
    inner = (state["_given_label"] >= -1) & (state["_given_label"] < size["M"])
    if not isinstance(machines, dict) or not inner.all():
        return False
    if not all(
        _is_array(machines.get(name), kind, shape, size)
        for name, (kind, shape) in _MACHINES.items()
    ):
        return False
    return (
        size["R"] > 0
        and _are_places(machines["label"], size["M"])
        and _are_places(machines["kernel_setting"], size["S"])
        and _are_places(machines["setting"], size["S"])
        and _are_places(machines["pair"], size["P"])
        and _are_places(machines["index"], size["R"])
        and _are_steps(machines.get("kernel_start"), size["Q"], size["K"])
        and _are_steps(machines.get("start"), size["K"], size["V"])
        and _are_views(machines.get("views"), size)
    )


def _is_setting(value: Any) -> bool:
    """Tell whether a value is a kernel with its parameters and costs."""
    if not isinstance(value, dict) or value.get("kernel") not in _KERNELS:
        return False
    given = value.get("view"), value.get("sigma", 1.0), value.get("degree", 1)
    view, sigma, degree = given
    return (
        isinstance(view, str)
        and isinstance(sigma, float)
        and isinstance(degree, int)
        and 1 <= degree <= _HIGHEST_DEGREE
        and all(isinstance(value.get(cost), float) for cost in ("C_pos", "C_neg"))
        and value.keys() <= {"kernel", "view", "sigma", "degree", "C_pos", "C_neg"}
    )


def _is_array(value: Any, kinds: str, shape: str, size: dict[str, int]) -> bool:
    """Tell whether a value is a finite array; learns the sizes it does not know."""
    return (
        isinstance(value, np.ndarray)
        and value.ndim == len(shape)
        and value.dtype.kind in kinds
        and value.dtype.itemsize == 8
        and all(
            size.setdefault(letter, n) == n
            for letter, n in zip(shape, value.shape, strict=True)
        )
        and bool(np.isfinite(value).all())
    )


def _are_places(value: np.ndarray, end: int) -> bool:
    """Tell whether all indices lie below ``end``."""
    return bool(((value >= 0) & (value < end)).all())


def _are_steps(value: Any, n: int, end: int) -> bool:
    """Tell whether n + 1 numbers go up from 0 to ``end``."""
    return (
        _is_array(value, "i", "n", {"n": n + 1})
        and value[0] == 0
        and value[-1] == end
        and bool((np.diff(value) >= 0).all())
    )


def _are_views(views: Any, size: dict[str, int]) -> bool:
    """Tell whether every feature has its knots, its origin and its relevance."""
    if not isinstance(views, dict) or views.keys() != {*_VIEWS, "values", "ranks"}:
        return False
    if not all(_is_array(views[name], "f", _VIEWS[name], size) for name in _VIEWS):
        return False
    knots = views["values"], views["ranks"]
    if not all(isinstance(k, list) and len(k) == size["d"] for k in knots):
        return False
    for known, rank in zip(*knots, strict=True):
        own: dict[str, int] = {}
        if not _is_array(known, "f", "k", own) or not _is_array(rank, "f", "k", own):
            return False
        if own["k"] == 0 or not (np.diff(known) > 0).all():
            return False
    return True
