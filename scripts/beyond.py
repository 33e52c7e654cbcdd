"""What was tried on the way from the paper's fitness to i-SVM-DE-LOO."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

from sklearn.base import BaseEstimator

from isvmde import ISVMDEClassifier
from isvmde.methods import make_method

# Every choice is settled on these; the other nine are run once, with what came out.
DEVELOPMENT = ("glass", "automobile", "zoo", "hcv", "ecoli", "cleveland")
SEED = 100  # of the folds of development: not those of results/paper.csv

# What came out; a setting says in what it differs from it.
_OUTCOME = make_method("i-SVM-DE-LOO").get_params()
for _name in ("random_state", "n_jobs"):
    del _OUTCOME[_name]
_ONE = {**_OUTCOME, "pop_size": 40, "max_iter": 20, "n_models": 1}
_FREE = {"margin_range": (0.0, 1.0)}
_OWN = {**_ONE, **_FREE, "ranks": False}
_SHARED = {**_OWN, "max_iter": 100}

# Every search solves 800 to 1,000 SVMs a pair, the shared ones and the votes, whose
# genomes are longer or whose pairs are tied, 2,000 to 4,000.
SETTINGS: dict[str, dict[str, Any]] = {
    "loo, t = 1": {**_OWN, "temperature": 1.0},
    "loo, t = 3": _OWN,
    "one kernel for all pairs": {**_SHARED, "share": "kernel"},
    "one setting for all pairs": {**_SHARED, "share": "all", "max_iter": 50},
    "votes": {**_SHARED, "fitness": "loo-vote"},
    "margins fixed": {**_ONE, "ranks": False},
    "ranks only": {**_ONE, "ranks": True},
    "ranks or values": _ONE,
    "best 5 of 200": {**_OUTCOME, "n_models": 5},
    "best 20 of 200": {**_OUTCOME, "n_models": 20},
    "best 40 of 200": _OUTCOME,
    "best 20, margins free": {**_OUTCOME, **_FREE, "n_models": 20},
    "best 20, values only": {**_OUTCOME, "ranks": False, "n_models": 20},
}
REFERENCES = ("SVM", "Cost-SVM", "i-SVM-DE-AVE")


def _searched(settings: dict[str, Any], random_state: int) -> BaseEstimator:
    """Return a search with one of the settings."""
    return ISVMDEClassifier(random_state=random_state, **settings)


def _reference(name: str, random_state: int) -> BaseEstimator:
    """Return one of the paper's methods, at its budget."""
    return make_method(name, random_state=random_state)


TRIED: dict[str, Callable[[int], BaseEstimator]] = {
    **{name: partial(_reference, name) for name in REFERENCES},
    **{name: partial(_searched, settings) for name, settings in SETTINGS.items()},
}
