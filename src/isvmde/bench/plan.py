"""What a benchmark consists of: data sets, methods, repeats, folds and seeds."""

from __future__ import annotations

import hashlib
import inspect
import json
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from sklearn.base import BaseEstimator
from sklearn.utils import Bunch

MethodFactory = Callable[[int], BaseEstimator]
"""Takes ``random_state`` and returns an estimator that is ready to fit."""

# What changes how fast or how loud a method is, but not what it computes.
_WITHOUT_EFFECT = {"random_state", "n_jobs", "verbose", "callback", "checkpoint"}


def derive_seed(*parts: object) -> int:
    """Return a 31-bit seed that depends on `parts` alone, in every process alike.

    Examples
    --------
    >>> derive_seed(0, "glass", 1) == derive_seed(0, "glass", 1)
    True
    >>> derive_seed(0, "glass", 1) == derive_seed(0, "glass", 2)
    False
    """
    text = json.dumps([str(part) for part in parts])
    digest = hashlib.sha256(text.encode()).digest()
    return int.from_bytes(digest[:4], "big") >> 1


@dataclass(frozen=True)
class Task:
    """One fold of one repeat of one method on one data set."""

    dataset: str
    method: str
    repeat: int
    fold: int
    fold_seed: int
    method_seed: int

    @property
    def key(self) -> tuple[str, str, int, int]:
        """What identifies the task among the rows of a store."""
        return (self.dataset, self.method, self.repeat, self.fold)


@dataclass(frozen=True)
class Plan:
    """The tasks of a benchmark and the configuration they run under.

    Parameters
    ----------
    datasets : dict of str to Bunch
        Each with `data` (DataFrame), `target`, and the column lists `numeric` and
        `nominal`.
    methods : dict of str to callable or None
        Factories called with `random_state`; None stands for the built-in method of
        that name.
    folds, repeats, seed : int
        Size of the cross-validation and the seed everything is derived from.
    budget : {"paper", "quick"}
        Handed to :func:`isvmde.methods.make_method`.
    """

    datasets: Mapping[str, Bunch]
    methods: Mapping[str, MethodFactory | None]
    folds: int = 5
    repeats: int = 1
    seed: int = 0
    budget: str = "paper"

    def __post_init__(self) -> None:
        for name, least in (("folds", 2), ("repeats", 1), ("seed", 0)):
            value = getattr(self, name)
            if not isinstance(value, (int, np.integer)) or value < least:
                raise ValueError(
                    f"{name} must be a whole number of at least {least}, got {value!r}"
                )
        if not self.datasets or not self.methods:
            raise ValueError("a benchmark needs at least one data set and one method")

    def tasks(self) -> list[Task]:
        """Return every task; folds see (seed, data set, repeat) alone."""
        return [
            Task(
                dataset,
                method,
                repeat,
                fold,
                derive_seed(self.seed, dataset, repeat),
                derive_seed(self.seed, dataset, method, repeat, fold),
            )
            for repeat in range(self.repeats)
            for dataset in self.datasets
            for method in self.methods
            for fold in range(self.folds)
        ]

    def settings(self) -> dict[str, Any]:
        """Return what all rows of one store must have in common."""
        return {"folds": self.folds, "seed": self.seed, "budget": self.budget}

    def build(self, method: str, random_state: int) -> BaseEstimator:
        """Return the estimator of `method`, ready to fit with one thread."""
        return build_method(method, self.methods[method], self.budget, random_state)

    def config_hashes(self) -> dict[tuple[str, str], str]:
        """Return, per (data set, method), the hash of all that decides its scores."""
        data = {name: hash_data(bunch) for name, bunch in self.datasets.items()}
        built = {name: describe(self.build(name, 0)) for name in self.methods}
        return {
            (d, m): _hash_json([self.settings(), data[d], built[m]])
            for d in self.datasets
            for m in self.methods
        }


def build_method(
    name: str, factory: MethodFactory | None, budget: str, random_state: int
) -> BaseEstimator:
    """Return the estimator called `name`, from its factory or the built-in table."""
    if factory is not None:
        return factory(random_state)
    from isvmde.methods import make_method

    return make_method(name, budget=budget, random_state=random_state, n_jobs=1)


def make_plan(
    datasets: Iterable[str] | Mapping[str, Bunch | None],
    methods: Iterable[str] | Mapping[str, MethodFactory | None],
    *,
    folds: int = 5,
    repeats: int = 1,
    seed: int = 0,
    budget: str = "paper",
) -> Plan:
    """Check the names, load the data sets and return the plan."""
    if budget not in ("paper", "quick"):
        raise ValueError(f"budget must be 'paper' or 'quick', got {budget!r}")
    table = _resolve_methods(methods)
    plan = Plan(_resolve_datasets(datasets), table, folds, repeats, seed, budget)
    for name, bunch in plan.datasets.items():
        _check_dataset(name, bunch, folds)
    return plan


def _resolve_datasets(
    datasets: Iterable[str] | Mapping[str, Bunch | None],
) -> dict[str, Bunch]:
    """Load what is given by name."""
    given = (
        dict(datasets)
        if isinstance(datasets, Mapping)
        else dict.fromkeys([datasets] if isinstance(datasets, str) else datasets)
    )
    from isvmde.datasets import load_dataset

    return {
        name: bunch if bunch is not None else load_dataset(name)
        for name, bunch in given.items()
    }


def _check_dataset(name: str, bunch: Bunch, folds: int) -> None:
    """Refuse, before any work, data that every fold would fail on."""
    from isvmde.datasets import PaperKFold

    target = np.asarray(bunch.target)
    if len(target) != len(bunch.data):
        raise ValueError(
            f"data set {name}: {len(bunch.data)} rows of data, {len(target)} classes"
        )
    if len(np.unique(target)) < 2:
        raise ValueError(f"data set {name}: at least 2 classes are needed")
    if pd.DataFrame(bunch.data).isna().any(axis=None):
        raise ValueError(f"data set {name}: drop the rows with missing values first")
    try:
        next(PaperKFold(folds).split(bunch.data, target))
    except ValueError as error:
        raise ValueError(f"data set {name}: {error}") from error


def _resolve_methods(
    methods: Iterable[str] | Mapping[str, MethodFactory | None],
) -> dict[str, MethodFactory | None]:
    """Refuse names that are neither built in nor given with a factory."""
    given = (
        dict(methods)
        if isinstance(methods, Mapping)
        else dict.fromkeys([methods] if isinstance(methods, str) else methods)
    )
    if any(factory is None for factory in given.values()):
        from isvmde.methods import METHODS

        for name, factory in given.items():
            if factory is None and name not in METHODS:
                raise ValueError(
                    f"there is no method {name!r}; choose among {', '.join(METHODS)}"
                )
    return given


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
    return {
        "class": _qualified_name(type(value)),
        **_describe_each(state),
    }


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
    return _hash_json([table, target, columns])


def _qualified_name(thing: Any) -> str:
    """Return package and name of a class or function, wherever its module lies."""
    return f"{thing.__module__.partition('.')[0]}.{thing.__qualname__}"


def _hash_json(value: Any) -> str:
    """Return 16 hex digits of the SHA-256 of a JSON-ready value."""
    text = json.dumps(value, sort_keys=True, default=str)
    return hashlib.sha256(text.encode()).hexdigest()[:16]
