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

from collections.abc import Callable
from importlib.util import find_spec
from typing import Any

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin, clone
from sklearn.preprocessing import LabelEncoder
from sklearn.utils.class_weight import compute_sample_weight
from sklearn.utils.validation import check_is_fitted

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


def _grid_search(estimator: Any, grid: dict, seed: Any, n_jobs: Any) -> BaseEstimator:
    """Choose by G-mean over three inner folds, as the paper's methods do here."""
    from sklearn.model_selection import GridSearchCV

    from isvmde.datasets import PaperKFold
    from isvmde.metrics import g_mean_scorer

    folds = PaperKFold(3, random_state=seed)
    return GridSearchCV(estimator, grid, scoring=g_mean_scorer, cv=folds, n_jobs=n_jobs)


def _balanced_svc(seed: Any, n_jobs: Any) -> BaseEstimator:
    from sklearn.svm import SVC

    grid = {"C": [1, 10, 100, 1000], "gamma": [0.1, 0.3, 1, 3, 10]}
    return _grid_search(SVC(class_weight="balanced"), grid, seed, n_jobs)


def _random_forest(seed: Any, n_jobs: Any) -> BaseEstimator:
    from sklearn.ensemble import RandomForestClassifier

    # "balanced" itself fails in scikit-learn 1.9 where labels are texts like "1".
    return RandomForestClassifier(
        _TREES, class_weight="balanced_subsample", n_jobs=n_jobs, random_state=seed
    )


def _balanced_random_forest(seed: Any, n_jobs: Any) -> BaseEstimator:
    from imblearn.ensemble import BalancedRandomForestClassifier

    return BalancedRandomForestClassifier(_TREES, n_jobs=n_jobs, random_state=seed)


def _gradient_boosting(seed: Any, n_jobs: Any) -> BaseEstimator:
    from sklearn.ensemble import HistGradientBoostingClassifier

    return HistGradientBoostingClassifier(
        class_weight="balanced", min_samples_leaf=5, random_state=seed
    )


def _logistic_regression(seed: Any, n_jobs: Any) -> BaseEstimator:
    from sklearn.linear_model import LogisticRegression

    model = LogisticRegression(class_weight="balanced", max_iter=2000)
    return _grid_search(model, {"C": [0.1, 1, 10, 100, 1000]}, seed, n_jobs)


def _catboost(seed: Any, n_jobs: Any) -> BaseEstimator:
    from catboost import CatBoostClassifier

    return BalancedWeights(
        CatBoostClassifier(
            iterations=_TREES,
            thread_count=-1 if n_jobs is None else n_jobs,
            random_state=seed,
            allow_writing_files=False,
            verbose=False,
        )
    )


def _xgboost(seed: Any, n_jobs: Any) -> BaseEstimator:
    from xgboost import XGBClassifier

    return BalancedWeights(
        XGBClassifier(
            n_estimators=_TREES,
            learning_rate=0.1,
            max_depth=6,
            n_jobs=n_jobs,
            random_state=seed,
        )
    )


def _lightgbm(seed: Any, n_jobs: Any) -> BaseEstimator:
    from lightgbm import LGBMClassifier

    return BalancedWeights(
        LGBMClassifier(
            n_estimators=_TREES,
            learning_rate=0.1,
            min_child_samples=5,
            n_jobs=n_jobs,
            random_state=seed,
            verbose=-1,
        )
    )


_MAKERS: dict[str, tuple[str, Callable[[Any, Any], BaseEstimator]]] = {
    "balanced SVC": ("sklearn", _balanced_svc),
    "random forest": ("sklearn", _random_forest),
    "balanced random forest": ("imblearn", _balanced_random_forest),
    "gradient boosting": ("sklearn", _gradient_boosting),
    "logistic regression": ("sklearn", _logistic_regression),
    "CatBoost": ("catboost", _catboost),
    "XGBoost": ("xgboost", _xgboost),
    "LightGBM": ("lightgbm", _lightgbm),
}

COMPETITORS: tuple[str, ...] = tuple(_MAKERS)


def list_competitors() -> list[str]:
    """Return the competitors whose package is installed.

    Examples
    --------
    >>> from isvmde.competitors import list_competitors
    >>> list_competitors()[:2]
    ['balanced SVC', 'random forest']
    """
    return [name for name, (package, _) in _MAKERS.items() if find_spec(package)]


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
    if name not in _MAKERS:
        raise ValueError(
            f"There is no competitor {name!r}: use one of {', '.join(COMPETITORS)}."
        )
    package, make = _MAKERS[name]
    try:
        return make(random_state, n_jobs)
    except ImportError as error:
        distribution = {"imblearn": "imbalanced-learn"}.get(package, package)
        raise ImportError(
            f"{name} needs the package {distribution}: pip install {distribution}"
        ) from error
