"""The nine methods of the paper by their published names, and ours, ready to fit."""

from __future__ import annotations

from typing import Any

from sklearn.base import BaseEstimator

from isvmde import ISVMClassifierCV, ISVMDEClassifier
from isvmde.baselines import (
    NBSVM,
    OVOSVM,
    PPSVM,
    SDCSVM,
    WKSMOTESVM,
    CostSVM,
    GridSearchSVM,
    StaticSMOTESVM,
)

__all__ = ["METHODS", "make_method"]

# In the order of the paper's columns.
_BASELINES: dict[str, type] = {
    "SVM": OVOSVM,
    "Static-SMOTE": StaticSMOTESVM,
    "Cost-SVM": CostSVM,
    "SDC": SDCSVM,
    "WK-SMOTE": WKSMOTESVM,
    "PPSVM": PPSVM,
    "NBSVM": NBSVM,
}
_FITNESS = {"i-SVM-DE-MAX": "max", "i-SVM-DE-AVE": "ave"}

_OURS = "i-SVM-LOO"

METHODS: tuple[str, ...] = (*_BASELINES, *_FITNESS, _OURS)

# Table 2 of the paper; multiples and a stand for its sets K and P.
_SIGMA = {
    "paper": [0.1, 0.5, 1.0, 5.0, 10.0, 50.0, 100.0],
    "quick": [0.5, 1.0, 5.0],
}
_COSTS: dict[str, dict[str, dict[str, list[Any]]]] = {
    "paper": {
        "SVM": {"C": [10, 100, 1000]},
        "Static-SMOTE": {"C": [10, 100, 1000]},
        "Cost-SVM": {
            "C": [10, 100, 1000],
            "multiple_pos": [1 / 4, 1 / 3, 1 / 2, 1.0, 2.0, 3.0, 4.0],
        },
        "SDC": {"C": [10, 100, 1000]},
        "WK-SMOTE": {"C": [10, 100, 1000], "costs": ["equal", "balanced"]},
        "PPSVM": {"C": [10, 100, 1000], "gamma": [0.025, 0.05, 0.075, 0.1]},
        "NBSVM": {"C": [1, 10, 100], "a": [0.01, 0.1, 1.0, 2.0, 5.0]},
    },
    "quick": {
        "SVM": {"C": [10, 1000]},
        "Static-SMOTE": {"C": [10, 1000]},
        "Cost-SVM": {"C": [10, 1000], "multiple_pos": [1 / 2, 1.0, 2.0]},
        "SDC": {"C": [10, 1000]},
        "WK-SMOTE": {"C": [10, 1000], "costs": ["equal", "balanced"]},
        "PPSVM": {"C": [10, 1000], "gamma": [0.05, 0.1]},
        "NBSVM": {"C": [1, 100], "a": [0.1, 1.0, 5.0]},
    },
}
_SEARCH: dict[str, dict[str, Any]] = {
    "paper": {"search": "joint", "pop_size": 40, "max_iter": 200},
    # One search per pair gets further with few SVMs than the joint search.
    "quick": {"search": "pairwise", "pop_size": 20, "max_iter": 20},
}


def make_method(
    name: str,
    *,
    budget: str = "paper",
    random_state: Any = None,
    n_jobs: int | None = None,
) -> BaseEstimator:
    """Make one of the paper's methods, or ours, ready to fit.

    The baselines come inside a grid search over the grid of the paper's Table 2, with
    three inner folds, choosing by G-mean; the i-SVM-DE methods search themselves.
    "i-SVM-LOO" is not in the paper: :class:`ISVMClassifierCV` with its defaults.

    Parameters
    ----------
    name : str
        One of ``METHODS``.
    budget : {"paper", "quick"}, default="paper"
        The paper's grids and its 40 individuals for 200 generations, or small grids and
        a pairwise search of 20 individuals for 20 generations, for trying things out.
    random_state : int, RandomState instance or None, default=None
        Seed of inner folds, synthetic samples and the evolution.
    n_jobs : int, default=None
        Threads.

    Returns
    -------
    classifier
        Scale numeric columns to [0, 1] before it, see
        :func:`isvmde.datasets.make_preprocessor`.

    Examples
    --------
    >>> from isvmde.methods import make_method
    >>> from sklearn.datasets import load_iris
    >>> X, y = load_iris(return_X_y=True)
    >>> model = make_method("Cost-SVM", budget="quick", random_state=0).fit(X, y)
    >>> model.predict(X[:2])
    array([0, 0])
    """
    if name not in METHODS:
        raise ValueError(
            f"There is no method {name!r}: use one of {', '.join(METHODS)}."
        )
    if budget not in _SEARCH:
        raise ValueError(
            f"budget={budget!r} is not known: use one of {', '.join(_SEARCH)}."
        )
    if name in _FITNESS:
        return ISVMDEClassifier(
            fitness=_FITNESS[name],
            random_state=random_state,
            n_jobs=n_jobs,
            **_SEARCH[budget],
        )
    if name == _OURS:  # the same for every budget: it needs no more
        return ISVMClassifierCV(random_state=random_state, n_jobs=n_jobs)
    baseline = _BASELINES[name]()
    if "random_state" in baseline.get_params():
        baseline.set_params(random_state=random_state)
    costs = _COSTS[budget][name]
    grid: list[dict[str, list[Any]]] = [
        {"kernel": ["linear"], **costs},
        {"kernel": ["rbf"], "sigma": _SIGMA[budget], **costs},
    ]
    return GridSearchSVM(baseline, grid, random_state=random_state, n_jobs=n_jobs)
