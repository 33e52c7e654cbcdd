"""What decides a benchmark's scores: data, method and settings as hashes, versions."""

from __future__ import annotations

import functools
import hashlib
import inspect
import json
import platform
from collections.abc import Mapping
from importlib import metadata
from typing import Any

import numpy as np
import pandas as pd
from sklearn.utils import Bunch

# What changes how fast or how loud a method is, but not what it computes.
_SPEED = {"n_jobs", "thread_count", "verbose", "callback", "checkpoint"}
_WITHOUT_EFFECT = {"random_state", *_SPEED}


def describe(value: Any) -> Any:
    """Return a JSON-ready description of an estimator or a parameter's value.

    Seeds, threads and verbosity are left out: they do not make it another method. So
    are parameters at their default, so that a later version with one parameter more
    can go on with a run (every row tells the version it was computed with).
    """
    if hasattr(value, "get_params") and not isinstance(value, type):
        defaults = inspect.signature(type(value)).parameters
        changed = {
            name: given
            for name, given in value.get_params(deep=False).items()
            if name not in defaults
            or describe(given) != describe(defaults[name].default)
        }
        return {"class": _qualified_name(type(value)), **_describe_each(changed)}
    if value is None or isinstance(value, (bool, int, float, str)):
        return value
    if isinstance(value, np.generic):
        return describe(value.item())
    if isinstance(value, np.ndarray):
        return [describe(item) for item in value.tolist()]
    if isinstance(value, Mapping):
        return {str(key): describe(item) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [describe(item) for item in value]
    if isinstance(value, type) or hasattr(value, "__qualname__"):
        return _qualified_name(value)
    # Other objects (a splitter, a scorer): their class and public state.
    state = getattr(value, "__dict__", {})
    return {"class": _qualified_name(type(value)), **_describe_each(state)}


def _describe_each(values: Mapping[str, Any]) -> dict[str, Any]:
    """Describe what has an effect on scores."""
    return {
        name: describe(value)
        for name, value in sorted(values.items())
        if name not in _WITHOUT_EFFECT
    }


def hash_data(bunch: Bunch) -> str:
    """Return a hash of a data set's values, target and column types."""
    table = pd.DataFrame(bunch.data).to_csv(index=False)
    target = [str(label) for label in bunch.target]
    columns = [list(map(str, bunch.get(kind, []))) for kind in ("numeric", "nominal")]
    own = bunch.get("preprocessor")
    parts = [table, target, columns] + ([] if own is None else [describe(own)])
    return hash_json(parts)


def _qualified_name(thing: Any) -> str:
    """Return package and name of a class or function, wherever its module lies."""
    return f"{thing.__module__.partition('.')[0]}.{thing.__qualname__}"


def hash_json(value: Any) -> str:
    """Return 16 hex digits of the SHA-256 of a JSON-ready value."""
    text = json.dumps(value, sort_keys=True, default=str)
    return hashlib.sha256(text.encode()).hexdigest()[:16]


_PACKAGES = ("numpy", "scipy", "scikit-learn", "numba", "pandas")


@functools.cache
def environment() -> dict[str, str]:
    """Return versions and CPU; equal environments and seeds give equal scores."""
    from isvmde import __version__
    from isvmde.core.solver.compilation import source_hash

    found = {"isvmde": __version__, "solver": source_hash()}
    found["python"] = platform.python_version()
    for package in _PACKAGES:
        found[package] = metadata.version(package)
    return {**found, "platform": platform.system(), "cpu": _cpu()}


def _cpu() -> str:
    """Return the CPU as the compiler sees it: its name and a hash of its features."""
    from llvmlite import binding

    features = binding.get_host_cpu_features().flatten()
    digest = hashlib.sha256(features.encode()).hexdigest()[:8]
    return f"{platform.machine()} {binding.get_host_cpu_name()} {digest}"
