"""What a benchmark consists of: data sets, methods, repeats, folds and seeds."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn.utils import Bunch

from isvmde.bench.data_choice import check_dataset, name_datasets
from isvmde.bench.fingerprint import describe, hash_data, hash_json
from isvmde.method_choice import MethodFactory, name_methods


def derive_seed(*parts: object) -> int:
    """Return a 31-bit seed that depends on `parts` alone, in every process alike."""
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
    """The tasks of a benchmark and the configuration they run under."""

    # Each with `data` (DataFrame), `target`, and what makes numbers of its columns.
    datasets: Mapping[str, Bunch]
    methods: Mapping[str, MethodFactory]  # called with `random_state=`
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

    def config_hashes(self) -> dict[tuple[str, str], str]:
        """Return, per (data set, method), the hash of all that decides its scores."""
        data = {name: hash_data(bunch) for name, bunch in self.datasets.items()}
        built = {name: describe(self._build(name)) for name in self.methods}
        return {
            (d, m): hash_json([self.settings(), data[d], built[m]])
            for d in self.datasets
            for m in self.methods
        }

    def _build(self, method: str) -> Any:
        """Make a method once, so that one that cannot be made is found at the start."""
        try:
            return self.methods[method](random_state=0)
        except (ValueError, ImportError):
            raise
        except Exception as error:
            raise ValueError(
                f"the method {method!r} cannot be made: {error}"
            ) from error


def make_plan(
    datasets: Any,
    methods: Any,
    *,
    folds: int = 5,
    repeats: int = 1,
    seed: int = 0,
    budget: str = "paper",
) -> Plan:
    """Check the names, load the data sets and return the plan."""
    if budget not in ("paper", "quick"):
        raise ValueError(f"budget must be 'paper' or 'quick', got {budget!r}")
    # Each worker process is one thread.
    named = name_methods(methods, budget=budget, n_jobs=1)
    plan = Plan(name_datasets(datasets), named, folds, repeats, seed, budget)
    for name, bunch in plan.datasets.items():
        check_dataset(name, bunch, folds)
    return plan
