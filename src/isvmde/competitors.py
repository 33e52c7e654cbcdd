"""What a practitioner would use instead of an i-SVM, by name and ready to fit.

- ``balanced SVC``: RBF kernel, C in {1, 10, 100, 1000}, gamma in {0.1, 0.3, 1, 3, 10}
- ``random forest``: 300 trees, classes balanced within each bootstrap sample
- ``balanced random forest`` (imbalanced-learn): 300 trees on as many samples per class
- ``gradient boosting``: scikit-learn's, by histograms, leaves of five samples or more
- ``logistic regression``: C in {0.1, 1, 10, 100, 1000}
- ``CatBoost``: 300 trees
- ``XGBoost``: 300 trees of depth 6, learning rate 0.1
- ``LightGBM``: 300 trees, learning rate 0.1, leaves of five samples or more

All but the forests have balanced weights. C and gamma are the best by G-mean over three
inner folds. Leaves of twenty samples, a default, could never hold a class of ten.
"""

from importlib.util import find_spec
from pkgutil import resolve_name
from typing import Any, Self

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin, clone
from sklearn.model_selection import GridSearchCV
from sklearn.utils.class_weight import compute_sample_weight
from sklearn.utils.validation import check_is_fitted

from isvmde.metrics import g_mean_scorer
from isvmde.model_selection import PaperKFold

__all__ = ["COMPETITORS", "list_competitors", "make_competitor"]


class BalancedWeights(ClassifierMixin, BaseEstimator):
    """Fits a classifier with balanced weights, to labels 0, 1, ... as XGBoost wants."""

    def __init__(self, estimator: Any) -> None:
        self.estimator = estimator

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Fit a clone of the estimator; given weights are multiplied."""
        X = np.asarray(X, dtype=np.float64)
        self.n_features_in_ = X.shape[1]
        self.classes_, codes = np.unique(np.asarray(y), return_inverse=True)
        weights = compute_sample_weight("balanced", codes)
        if sample_weight is not None:
            weights = weights * np.asarray(sample_weight)
        self.estimator_ = clone(self.estimator).fit(X, codes, sample_weight=weights)
        return self

    def predict(self, X: Any) -> np.ndarray:
        """Return the labels the estimator predicts."""
        check_is_fitted(self)
        codes = self.estimator_.predict(np.asarray(X, dtype=np.float64))
        # CatBoost answers with a column.
        return np.take(self.classes_, np.asarray(codes).ravel().astype(int))

    def predict_proba(self, X: Any) -> np.ndarray:
        """Return the estimator's probabilities."""
        check_is_fitted(self)
        return np.asarray(
            self.estimator_.predict_proba(np.asarray(X, dtype=np.float64))
        )


_CLASSES = {
    "balanced SVC": "sklearn.svm.SVC",
    "random forest": "sklearn.ensemble.RandomForestClassifier",
    "balanced random forest": "imblearn.ensemble.BalancedRandomForestClassifier",
    "gradient boosting": "sklearn.ensemble.HistGradientBoostingClassifier",
    "logistic regression": "sklearn.linear_model.LogisticRegression",
    "CatBoost": "catboost.CatBoostClassifier",
    "XGBoost": "xgboost.XGBClassifier",
    "LightGBM": "lightgbm.LGBMClassifier",
}
_GRIDS = {
    "balanced SVC": {"C": [1, 10, 100, 1000], "gamma": [0.1, 0.3, 1, 3, 10]},
    "logistic regression": {"C": [0.1, 1, 10, 100, 1000]},
}
_WEIGHTED = ("CatBoost", "XGBoost", "LightGBM")

COMPETITORS: tuple[str, ...] = tuple(_CLASSES)


def _settings(seed: Any, n_jobs: int | None) -> dict[str, dict[str, Any]]:
    """Return what the classes are called with."""
    balanced = {"class_weight": "balanced"}
    trees = {"n_estimators": 300, "random_state": seed, "n_jobs": n_jobs}
    boosted = trees | {"learning_rate": 0.1}
    cores = {"thread_count": -1 if n_jobs is None else n_jobs}  # None is unknown there
    quiet = {"allow_writing_files": False, "verbose": False}
    return {
        "balanced SVC": balanced,
        # "balanced" itself fails in scikit-learn 1.9 where labels are texts like "1"
        "random forest": trees | {"class_weight": "balanced_subsample"},
        "balanced random forest": trees,
        "gradient boosting": balanced | {"min_samples_leaf": 5, "random_state": seed},
        "logistic regression": balanced | {"max_iter": 2000},
        "CatBoost": {"iterations": 300, "random_state": seed} | cores | quiet,
        "XGBoost": boosted | {"max_depth": 6},
        "LightGBM": boosted | {"min_child_samples": 5, "verbose": -1},
    }


def list_competitors() -> list[str]:
    """Return the competitors whose package is installed.

    Examples
    --------
    >>> from isvmde.competitors import list_competitors
    >>> list_competitors()[:2]
    ['balanced SVC', 'random forest']
    """
    return [name for name, path in _CLASSES.items() if find_spec(path.split(".")[0])]


def make_competitor(
    name: str, *, random_state: Any = None, n_jobs: int | None = None
) -> BaseEstimator:
    """Make one of the competitors, ready to fit on numbers scaled to [0, 1].

    Parameters
    ----------
    name : str
        One of ``COMPETITORS``; the settings are listed at the top of this module.
    random_state, n_jobs
        Seed of trees and inner folds; threads or processes.

    Examples
    --------
    >>> from isvmde.competitors import make_competitor
    >>> make_competitor("random forest", random_state=0).n_estimators
    300
    """
    if name not in COMPETITORS:
        raise ValueError(f"There is no competitor {name!r}: use one of {COMPETITORS}.")
    try:
        made_by = resolve_name(_CLASSES[name])
    except ImportError as error:
        package = _CLASSES[name].split(".")[0].replace("imblearn", "imbalanced-learn")
        raise ImportError(
            f"{name} needs the package {package}: pip install {package}"
        ) from error
    model = made_by(**_settings(random_state, n_jobs)[name])
    if name in _WEIGHTED:
        return BalancedWeights(model)
    if name not in _GRIDS:
        return model
    return GridSearchCV(
        model,
        _GRIDS[name],
        scoring=g_mean_scorer,
        cv=PaperKFold(3, random_state=random_state),
        n_jobs=n_jobs,
    )
