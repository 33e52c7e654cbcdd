"""What a practitioner would use instead of an i-SVM, by name and ready to fit.

============================  ========================================================
name                          setting
============================  ========================================================
``balanced SVC``              RBF kernel, balanced costs; the best of C in {1, 10, 100,
                              1000} and gamma in {0.1, 0.3, 1, 3, 10} by G-mean over
                              three inner folds
``random forest``             300 trees, classes balanced within each bootstrap sample
``balanced random forest``    300 trees, each on an equal number of samples per class
                              (imbalanced-learn)
``gradient boosting``         scikit-learn's histogram gradient boosting, balanced
                              weights, leaves of five samples or more
``logistic regression``       balanced weights; the best C in {0.1, ..., 1000} by G-mean
                              over three inner folds
``CatBoost``                  300 trees, balanced weights
``XGBoost``                   300 trees of depth 6, learning rate 0.1, balanced weights
``LightGBM``                  300 trees, learning rate 0.1, leaves of five samples or
                              more, balanced weights
============================  ========================================================

Leaves of twenty samples, the default of two of them, could never hold a class of ten.
"""

from __future__ import annotations

from dataclasses import dataclass
from importlib import import_module
from importlib.util import find_spec
from typing import Any

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin, clone
from sklearn.model_selection import GridSearchCV
from sklearn.preprocessing import LabelEncoder
from sklearn.utils.class_weight import compute_sample_weight
from sklearn.utils.validation import check_is_fitted

from isvmde.metrics import g_mean_scorer
from isvmde.model_selection import PaperKFold

__all__ = ["COMPETITORS", "BalancedWeights", "list_competitors", "make_competitor"]

_TREES = 300


class BalancedWeights(ClassifierMixin, BaseEstimator):
    """Fit a classifier with weights that make every class count the same.

    Labels become 0, 1, ... on the way, which XGBoost insists on.

    Parameters
    ----------
    estimator : classifier
        Its ``fit`` takes ``sample_weight``.

    Examples
    --------
    >>> from isvmde.competitors import BalancedWeights
    >>> from sklearn.tree import DecisionTreeClassifier
    >>> model = BalancedWeights(DecisionTreeClassifier(random_state=0))
    >>> model.fit([[0], [1], [2], [3]], ["a", "a", "a", "b"]).predict([[3]])
    array(['b'], dtype='<U1')
    """

    def __init__(self, estimator: Any) -> None:
        self.estimator = estimator

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> BalancedWeights:
        """Fit a clone of the estimator; given weights are multiplied."""
        encoder = LabelEncoder().fit(y)
        codes = encoder.transform(y)
        weights = compute_sample_weight("balanced", codes)
        if sample_weight is not None:
            weights = weights * np.asarray(sample_weight)
        X = np.asarray(X, dtype=np.float64)
        self.classes_ = encoder.classes_
        self.n_features_in_ = X.shape[1]
        self.estimator_ = clone(self.estimator).fit(X, codes, sample_weight=weights)
        return self

    def predict(self, X: Any) -> np.ndarray:
        """Return the labels the estimator predicts."""
        check_is_fitted(self)
        codes = self.estimator_.predict(np.asarray(X, dtype=np.float64))
        # CatBoost answers with a column.
        return self.classes_[np.asarray(codes).ravel().astype(int)]

    def predict_proba(self, X: Any) -> np.ndarray:
        """Return the estimator's probabilities."""
        check_is_fitted(self)
        return self.estimator_.predict_proba(np.asarray(X, dtype=np.float64))


@dataclass(frozen=True)
class _Recipe:
    """How a competitor is made: a class by its address, and its setting."""

    address: str
    parameters: dict[str, Any]
    jobs: str | None = "n_jobs"  # the parameter for threads
    seed: str | None = "random_state"
    grid: dict[str, list[float]] | None = None  # searched where there is one
    weighted: bool = False  # balanced by the weights of samples

    @property
    def package(self) -> str:
        """What has to be installed."""
        return self.address.partition(".")[0].partition(":")[0]

    def make(self, seed: Any, n_jobs: int | None) -> BaseEstimator:
        """Return the classifier, not fitted."""
        module, _, name = self.address.partition(":")
        given = dict(self.parameters)
        if self.seed is not None:
            given[self.seed] = seed
        if self.jobs is not None:
            # CatBoost knows no None.
            all_cores = -1 if self.jobs == "thread_count" else None
            given[self.jobs] = all_cores if n_jobs is None else n_jobs
        model = getattr(import_module(module), name)(**given)
        if self.weighted:
            return BalancedWeights(model)
        if self.grid is None:
            return model
        # By G-mean over three inner folds, as the paper's methods do here.
        folds = PaperKFold(3, random_state=seed)
        return GridSearchCV(
            model, self.grid, scoring=g_mean_scorer, cv=folds, n_jobs=n_jobs
        )


_BOOSTED = {"n_estimators": _TREES, "learning_rate": 0.1}
_RECIPES: dict[str, _Recipe] = {
    "balanced SVC": _Recipe(
        "sklearn.svm:SVC",
        {"class_weight": "balanced"},
        jobs=None,
        seed=None,
        grid={"C": [1, 10, 100, 1000], "gamma": [0.1, 0.3, 1, 3, 10]},
    ),
    # "balanced" itself fails in scikit-learn 1.9 where labels are texts like "1".
    "random forest": _Recipe(
        "sklearn.ensemble:RandomForestClassifier",
        {"n_estimators": _TREES, "class_weight": "balanced_subsample"},
    ),
    "balanced random forest": _Recipe(
        "imblearn.ensemble:BalancedRandomForestClassifier", {"n_estimators": _TREES}
    ),
    "gradient boosting": _Recipe(
        "sklearn.ensemble:HistGradientBoostingClassifier",
        {"class_weight": "balanced", "min_samples_leaf": 5},
        jobs=None,
    ),
    "logistic regression": _Recipe(
        "sklearn.linear_model:LogisticRegression",
        {"class_weight": "balanced", "max_iter": 2000},
        jobs=None,
        seed=None,
        grid={"C": [0.1, 1, 10, 100, 1000]},
    ),
    "CatBoost": _Recipe(
        "catboost:CatBoostClassifier",
        {"iterations": _TREES, "allow_writing_files": False, "verbose": False},
        jobs="thread_count",
        weighted=True,
    ),
    "XGBoost": _Recipe(
        "xgboost:XGBClassifier", {**_BOOSTED, "max_depth": 6}, weighted=True
    ),
    "LightGBM": _Recipe(
        "lightgbm:LGBMClassifier",
        {**_BOOSTED, "min_child_samples": 5, "verbose": -1},
        weighted=True,
    ),
}

COMPETITORS: tuple[str, ...] = tuple(_RECIPES)


def list_competitors() -> list[str]:
    """Return the competitors whose package is installed.

    Examples
    --------
    >>> from isvmde.competitors import list_competitors
    >>> list_competitors()[:2]
    ['balanced SVC', 'random forest']
    """
    return [name for name, one in _RECIPES.items() if find_spec(one.package)]


def make_competitor(
    name: str, *, random_state: Any = None, n_jobs: int | None = None
) -> BaseEstimator:
    """Make one of the competitors, ready to fit on numeric features.

    Parameters
    ----------
    name : str
        One of ``COMPETITORS``; the settings are listed at the top of this module.
    random_state : int, RandomState instance or None, default=None
        Seed of trees and inner folds.
    n_jobs : int, default=None
        Threads or processes.

    Returns
    -------
    classifier
        Scale numeric columns to [0, 1] before it.

    Examples
    --------
    >>> from isvmde.competitors import make_competitor
    >>> make_competitor("random forest", random_state=0).n_estimators
    300
    """
    if name not in _RECIPES:
        raise ValueError(
            f"There is no competitor {name!r}: use one of {', '.join(COMPETITORS)}."
        )
    recipe = _RECIPES[name]
    try:
        return recipe.make(random_state, n_jobs)
    except ImportError as error:
        distribution = recipe.package.replace("imblearn", "imbalanced-learn")
        raise ImportError(
            f"{name} needs the package {distribution}: pip install {distribution}"
        ) from error
