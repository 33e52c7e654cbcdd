"""On what a row was computed: versions and the CPU, as far as results depend on it."""

from __future__ import annotations

import functools
import hashlib
import json
import platform
from importlib import metadata

_PACKAGES = ("numpy", "scipy", "scikit-learn", "numba", "pandas")


@functools.cache
def environment() -> dict[str, str]:
    """Return versions and CPU of this process.

    Two rows with equal environments and equal seeds have equal scores.

    Examples
    --------
    >>> sorted(environment())[:3]
    ['cpu', 'isvmde', 'numba']
    """
    from isvmde import __version__
    from isvmde.core.solver.compilation import source_hash

    found = {"isvmde": __version__, "solver": source_hash()}
    found["python"] = platform.python_version()
    for package in _PACKAGES:
        found[package] = metadata.version(package)
    return {**found, "platform": platform.system(), "cpu": _cpu()}


def environment_id(described: dict[str, str]) -> str:
    """Return the short name under which rows refer to an environment."""
    text = json.dumps(described, sort_keys=True)
    return hashlib.sha256(text.encode()).hexdigest()[:8]


def _cpu() -> str:
    """Return the CPU as the compiler sees it: its name and a hash of its features."""
    from llvmlite import binding

    features = binding.get_host_cpu_features().flatten()
    digest = hashlib.sha256(features.encode()).hexdigest()[:8]
    return f"{platform.machine()} {binding.get_host_cpu_name()} {digest}"
