"""What a classifier reports, and what fresh rows say of it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn.ensemble import HistGradientBoostingClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import roc_auc_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

_SMALLEST = 1e-12  # probability whose logarithm is taken


@dataclass(frozen=True)
class Score:
    """How well classes are recognised, all classes counting the same."""

    balanced_accuracy: float
    g_mean: float


def score(y: np.ndarray, proba: np.ndarray) -> Score:
    """Score the classes with the largest probabilities; classes are 0, 1, ..."""
    right = np.argmax(proba, axis=1) == y
    recall = np.bincount(y, right) / np.bincount(y)
    return Score(float(recall.mean()), float(np.prod(recall) ** (1.0 / len(recall))))


def reported_score(model: Any) -> Score:
    """Return what ``loo_report()`` prints."""
    report = model.loo_report()
    recall = report.per_class["recall"]
    return Score(float(recall.mean()), float(report.scores["g_mean"]))


def under_equal_priors(proba: np.ndarray, prior: np.ndarray) -> np.ndarray:
    """Return what a model that predicts under a prior says under equal ones."""
    odds = proba / prior
    return np.asarray(odds / odds.sum(axis=1, keepdims=True))


def balanced_log_loss(y: np.ndarray, proba: np.ndarray) -> float:
    """Return the mean over classes of their log losses."""
    loss = -np.log(np.maximum(proba[np.arange(len(y)), y], _SMALLEST))
    return float(np.mean(np.bincount(y, loss) / np.bincount(y)))


def auc(y: np.ndarray, proba: np.ndarray) -> float:
    """Return the area under the ROC curve of two classes."""
    return float(roc_auc_score(y, log_odds(proba)))


def log_odds(proba: np.ndarray) -> np.ndarray:
    """Return the log odds of the second of two classes."""
    logarithm = np.log(np.maximum(proba, _SMALLEST))
    return np.asarray(logarithm[:, 1] - logarithm[:, 0])


def calibration_slope(y: np.ndarray, proba: np.ndarray) -> float:
    """Return by what the log odds should be multiplied: 1 is honest, 0 is a coin."""
    odds = log_odds(proba)
    size = np.std(odds)
    if size < 1e-9:
        return float("nan")  # one probability for all rows
    fitted = LogisticRegression(C=np.inf, max_iter=1000).fit(odds[:, None] / size, y)
    return float(fitted.coef_[0, 0] / size)


def balanced_logistic_regression() -> Any:
    """Return the peer of tables on which a linear machine is right."""
    linear = LogisticRegression(class_weight="balanced", max_iter=1000)
    return make_pipeline(StandardScaler(), linear)


def balanced_boosting() -> Any:
    """Return the peer of tables on which no linear machine is right."""
    return HistGradientBoostingClassifier(class_weight="balanced", random_state=0)
