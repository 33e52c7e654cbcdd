"""What a practitioner would use instead of the paper's methods."""

from __future__ import annotations

from collections.abc import Callable

from sklearn.base import BaseEstimator
from sklearn.ensemble import HistGradientBoostingClassifier, RandomForestClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV
from sklearn.svm import SVC

from isvmde.datasets import PaperKFold
from isvmde.metrics import g_mean_scorer

# The paper's Table 2, for the methods it compares with.
C = [10, 100, 1000]
SIGMA = [0.1, 0.5, 1.0, 5.0, 10.0, 50.0, 100.0]
N_TREES = 300


def grid_search(
    estimator: BaseEstimator, grid: dict | list[dict], random_state: int
) -> GridSearchCV:
    """Choose by the G-mean over three inner folds, as the paper's methods do here."""
    return GridSearchCV(
        estimator,
        grid,
        scoring=g_mean_scorer,
        cv=PaperKFold(3, random_state=random_state),
        n_jobs=1,
    )


def balanced_svc(random_state: int) -> BaseEstimator:
    """Return scikit-learn's SVC with balanced costs and the grid of Table 2."""
    grid = [
        {"kernel": ["linear"], "C": C},
        {"kernel": ["rbf"], "C": C, "gamma": [0.5 / sigma**2 for sigma in SIGMA]},
    ]
    return grid_search(SVC(class_weight="balanced"), grid, random_state)


def logistic_regression(random_state: int) -> BaseEstimator:
    """Return logistic regression with balanced weights and a grid for C."""
    model = LogisticRegression(class_weight="balanced", max_iter=2000)
    return grid_search(model, {"C": [0.1, 1, 10, 100, 1000]}, random_state)


def random_forest(random_state: int) -> BaseEstimator:
    """Return a random forest with balanced weights.

    "balanced" itself fails in scikit-learn 1.9 where labels are texts like "1".
    """
    return RandomForestClassifier(
        N_TREES, class_weight="balanced_subsample", n_jobs=1, random_state=random_state
    )


def hist_gradient_boosting(random_state: int) -> BaseEstimator:
    """Return histogram gradient boosting with balanced weights."""
    return HistGradientBoostingClassifier(
        class_weight="balanced", random_state=random_state
    )


def balanced_random_forest(random_state: int) -> BaseEstimator:
    """Return imbalanced-learn's forest of trees on balanced samples."""
    from imblearn.ensemble import BalancedRandomForestClassifier

    return BalancedRandomForestClassifier(N_TREES, n_jobs=1, random_state=random_state)


COMPANY: dict[str, Callable[[int], BaseEstimator]] = {
    "balanced SVC": balanced_svc,
    "random forest": random_forest,
    "gradient boosting": hist_gradient_boosting,
    "BalancedRandomForest": balanced_random_forest,
    "logistic regression": logistic_regression,
}
