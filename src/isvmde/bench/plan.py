"""What a benchmark consists of: data sets, methods, repeats, folds and seeds."""

import functools
import hashlib
import inspect
import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pandas as pd
from sklearn.utils import Bunch

from isvmde.bench.data_choice import name_datasets
from isvmde.bench.dealing import Dealing, choose_dealing
from isvmde.method_choice import MethodFactory, name_methods

# What does not make it another method: its seed, how fast it is and how loud.
_WITHOUT_EFFECT = {"random_state", "n_jobs", "thread_count", "verbose", "callback"}
_WITHOUT_EFFECT |= {"checkpoint"}


def derive_seed(*parts: object) -> int:
    """Return a 31-bit seed that depends on `parts` alone, in every process alike."""
    text = json.dumps([str(part) for part in parts])
    digest = hashlib.sha256(text.encode()).digest()
    return int.from_bytes(digest[:4], "big") >> 1


@dataclass(frozen=True)
class FoldTask:
    """One fold of one repeat of one method on one data set, with all it needs."""

    dataset: str
    method: str
    repeat: int
    fold: int
    fold_seed: int
    seed: int  # of the method
    dealing: Dealing
    config: str  # hash of all that decides the scores
    bunch: Bunch = field(compare=False, repr=False)
    factory: MethodFactory = field(compare=False, repr=False)

    @property
    def key(self) -> tuple[str, str, int, int]:
        """What identifies the task among the rows of a store."""
        return (self.dataset, self.method, self.repeat, self.fold)


@dataclass
class Plan:
    """The tasks of a benchmark and the configuration they run under."""

    datasets: Any  # by name, once checked
    methods: Any
    folds: Any = 5  # a number, the name of a dealing, or a splitter
    repeats: int = 1
    seed: int = 0
    budget: str = "paper"
    groups: Any = None  # the column of groups, of all data sets or by name

    def __post_init__(self) -> None:
        self.dealing = choose_dealing(self.folds)
        for name, least in {"repeats": 1, "seed": 0}.items():
            value = getattr(self, name)
            if not isinstance(value, (int, np.integer)) or value < least:
                raise ValueError(
                    f"{name} must be a whole number of at least {least}, got {value!r}"
                )
        if self.budget not in ("paper", "quick"):
            raise ValueError(f"budget must be 'paper' or 'quick', got {self.budget!r}")
        # Each worker process is one thread.
        self.methods = name_methods(self.methods, budget=self.budget, n_jobs=1)
        self.datasets = name_datasets(self.datasets, groups=self.groups)
        if not self.datasets or not self.methods:
            raise ValueError("a benchmark needs at least one data set and one method")
        for name, bunch in self.datasets.items():
            try:  # what every fold would fail on is found at the start
                if len(np.unique(np.asarray(bunch.target))) < 2:
                    raise ValueError("at least 2 classes are needed")
                self.dealing.check(name, bunch)
            except ValueError as error:
                raise ValueError(f"data set {name}: {error}") from error

    @property
    def settings(self) -> dict[str, Any]:
        """What all rows of one store must have in common."""
        settings: dict[str, Any] = {"folds": self.dealing.n_folds}
        if self.dealing.name:
            settings["dealing"] = self.dealing.name
        return settings | {"seed": self.seed, "budget": self.budget}

    def tasks(self) -> list[FoldTask]:
        """Return every task; folds see (seed, data set, repeat) alone."""
        return [
            FoldTask(
                dataset=dataset,
                method=method,
                repeat=repeat,
                fold=fold,
                fold_seed=derive_seed(self.seed, dataset, repeat),
                seed=derive_seed(self.seed, dataset, method, repeat, fold),
                dealing=self.dealing,
                config=self.config_hashes[dataset, method],
                bunch=bunch,
                factory=factory,
            )
            for repeat in range(self.repeats)
            for dataset, bunch in self.datasets.items()
            for method, factory in self.methods.items()
            for fold in range(self.dealing.n_folds)
        ]

    @functools.cached_property
    def config_hashes(self) -> dict[tuple[str, str], str]:
        """The hash of all that decides the scores, per (data set, method)."""
        data = {name: hash_data(bunch) for name, bunch in self.datasets.items()}
        built = {}
        for name, make in self.methods.items():
            try:  # one that cannot be made is found at the start
                built[name] = describe(make(random_state=0))
            except (ValueError, ImportError):
                raise
            except Exception as error:
                problem = f"the method {name!r} cannot be made: {error}"
                raise ValueError(problem) from error
        return {
            (d, m): hash_json([self.settings, data[d], built[m]])
            for d in self.datasets
            for m in self.methods
        }


def describe(value: Any) -> Any:
    """Return a JSON-ready description of an estimator or a parameter's value."""
    if value is None or isinstance(value, (bool, int, float, str)):
        return value
    if isinstance(value, (np.generic, np.ndarray)):
        return describe(value.tolist())
    if isinstance(value, Mapping):
        return {str(key): describe(item) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [describe(item) for item in value]
    if isinstance(value, type) or hasattr(value, "__qualname__"):
        return _qualified_name(value)
    # Other objects (a splitter, a scorer): their class and public state.
    state = getattr(value, "__dict__", {})
    if hasattr(value, "get_params"):
        # Without those at their default: a later version that has one more can go on.
        defaults = inspect.signature(type(value)).parameters
        state = {
            name: given
            for name, given in value.get_params(deep=False).items()
            if name not in defaults
            or describe(given) != describe(defaults[name].default)
        }
    described = {
        name: describe(item)
        for name, item in sorted(state.items())
        if name not in _WITHOUT_EFFECT
    }
    return {"class": _qualified_name(type(value))} | described


def hash_data(bunch: Bunch) -> str:
    """Return a hash of a data set's values, target and column types."""
    table = pd.DataFrame(bunch.data).to_csv(index=False)
    target = [str(label) for label in bunch.target]
    columns = [list(map(str, bunch.get(kind, []))) for kind in ("numeric", "nominal")]
    parts: list[Any] = [table, target, columns]
    if bunch.get("preprocessor") is not None:
        parts.append(describe(bunch.preprocessor))
    if "groups" in bunch:
        parts.append({"groups": list(map(str, bunch.groups))})
    return hash_json(parts)


def _qualified_name(thing: Any) -> str:
    """Return package and name of a class or function, wherever its module lies."""
    return f"{thing.__module__.partition('.')[0]}.{thing.__qualname__}"


def hash_json(value: Any) -> str:
    """Return 16 hex digits of the SHA-256 of a JSON-ready value."""
    text = json.dumps(value, sort_keys=True, default=str)
    return hashlib.sha256(text.encode()).hexdigest()[:16]
