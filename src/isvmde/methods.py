"""The nine methods of the paper by their published names, and ours, ready to fit."""

from typing import Any, NamedTuple

from sklearn.base import BaseEstimator

from isvmde import ISVMClassifierCV, ISVMDEClassifier, baselines
from isvmde.classifiers.checks import check_choice

__all__ = ["METHODS", "make_method"]

# In the order of the paper's columns.
_BASELINES: dict[str, type] = {
    "SVM": baselines.OVOSVM,
    "Static-SMOTE": baselines.StaticSMOTESVM,
    "Cost-SVM": baselines.CostSVM,
    "SDC": baselines.SDCSVM,
    "WK-SMOTE": baselines.WKSMOTESVM,
    "PPSVM": baselines.PPSVM,
    "NBSVM": baselines.NBSVM,
}
_FITNESS = {"i-SVM-DE-MAX": "max", "i-SVM-DE-AVE": "ave"}
_OURS = "i-SVM-LOO"

METHODS: tuple[str, ...] = (*_BASELINES, *_FITNESS, _OURS)

# Table 2 of the paper; multiples and a stand for its sets K and P.
_SIGMA = {"paper": [0.1, 0.5, 1.0, 5.0, 10.0, 50.0, 100.0], "quick": [0.5, 1.0, 5.0]}
_C = {"paper": [10, 100, 1000], "quick": [10, 1000]}
_MORE: dict[str, dict[str, dict[str, list[Any]]]] = {
    "paper": {
        "Cost-SVM": {"multiple_pos": [1 / 4, 1 / 3, 1 / 2, 1.0, 2.0, 3.0, 4.0]},
        "WK-SMOTE": {"costs": ["equal", "balanced"]},
        "PPSVM": {"gamma": [0.025, 0.05, 0.075, 0.1]},
        "NBSVM": {"C": [1, 10, 100], "a": [0.01, 0.1, 1.0, 2.0, 5.0]},
    },
    "quick": {
        "Cost-SVM": {"multiple_pos": [1 / 2, 1.0, 2.0]},
        "WK-SMOTE": {"costs": ["equal", "balanced"]},
        "PPSVM": {"gamma": [0.05, 0.1]},
        "NBSVM": {"C": [1, 100], "a": [0.1, 1.0, 5.0]},
    },
}


class _Search(NamedTuple):
    """How much an i-SVM-DE searches."""

    search: str
    pop_size: int
    max_iter: int


_SEARCHES = {
    "paper": _Search("joint", pop_size=40, max_iter=200),
    # One search per pair gets further with few SVMs than the joint search.
    "quick": _Search("pairwise", pop_size=20, max_iter=20),
}


def make_method(
    name: str,
    *,
    budget: str = "paper",
    random_state: Any = None,
    n_jobs: int | None = None,
) -> BaseEstimator:
    """Make one of the paper's methods, or ours, ready to fit on numbers in [0, 1].

    The baselines come inside a :class:`~isvmde.baselines.GridSearchSVM` over the
    paper's Table 2; the i-SVM-DE methods search themselves. "i-SVM-LOO" is ours:
    :class:`ISVMClassifierCV` with its defaults.
    :func:`isvmde.datasets.make_preprocessor` scales what they are given.

    Parameters
    ----------
    name : str
        One of ``METHODS``.
    budget : {"paper", "quick"}, default="paper"
        The paper's grids and its 40 individuals for 200 generations, or small grids and
        a pairwise search of 20 individuals for 20 generations, for trying things out.
    random_state, n_jobs
        Seed of inner folds, synthetic samples and the evolution; threads.

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
        raise ValueError(f"There is no method {name!r}: use one of {METHODS}.")
    check_choice("budget", budget, list(_SEARCHES))
    if name in _FITNESS:
        chosen = _SEARCHES[budget]
        return ISVMDEClassifier(
            fitness=_FITNESS[name],
            search=chosen.search,
            pop_size=chosen.pop_size,
            max_iter=chosen.max_iter,
            random_state=random_state,
            n_jobs=n_jobs,
        )
    if name == _OURS:  # the same for every budget: it needs no more
        return ISVMClassifierCV(random_state=random_state, n_jobs=n_jobs)
    baseline = _BASELINES[name]()
    if "random_state" in baseline.get_params():
        baseline.set_params(random_state=random_state)
    costs = {"C": _C[budget]} | _MORE[budget].get(name, {})
    linear = {"kernel": ["linear"]} | costs
    rbf = {"kernel": ["rbf"], "sigma": _SIGMA[budget]} | costs
    return baselines.GridSearchSVM(
        baseline, [linear, rbf], random_state=random_state, n_jobs=n_jobs
    )
