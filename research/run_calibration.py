"""Measure how good probabilities are, on the test parts of the results' folds.

    python research/run_calibration.py --repeats 3 --jobs 2

A row per class of each fold: its samples, and the sums of their logarithmic losses and
Brier scores, so that classes can be weighed alike. Keeps every finished fold in
results/calibration and writes results/calibration.csv; the same command goes on.
"""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
from fold_by_fold import Fold, Rows, run
from sklearn.calibration import CalibratedClassifierCV
from sklearn.utils.class_weight import compute_sample_weight
from threadpoolctl import threadpool_limits

from isvmde.method_choice import make_classifier
from isvmde.model_selection import PaperKFold

SMALLEST = 1e-3  # a forest of 300 trees says 0 where it means less than this
METHODS = (
    "i-SVM-LOO",
    "balanced SVC, calibrated",
    "balanced random forest",
    "gradient boosting",
)


def fitted(method: str, fold: Fold) -> Any:
    """Return a method with probabilities, fitted on the training part."""
    seed = fold.method_seed(method)
    if method != "balanced SVC, calibrated":
        model = make_classifier(method, random_state=seed, n_jobs=1)
        if method == "i-SVM-LOO":  # the others are trained for equal priors, too
            model.set_params(prior="balanced")
        return model.fit(fold.X, fold.y)
    search = make_classifier("balanced SVC", random_state=seed, n_jobs=1)
    best = search.fit(fold.X, fold.y).best_estimator_
    weight = compute_sample_weight("balanced", fold.y)
    # lists: scikit-learn refuses a splitter where a class has fewer samples than folds
    folds = list(PaperKFold(3, random_state=seed).split(fold.X, fold.y))
    model = CalibratedClassifierCV(best, cv=folds, ensemble=False)
    return model.fit(fold.X, fold.y, sample_weight=weight)


def losses(model: Any, fold: Fold) -> Rows:
    """Return the summed losses of each class of the test part."""
    proba = model.predict_proba(fold.X_test)
    proba = np.clip(proba / proba.sum(axis=1, keepdims=True), SMALLEST, None)
    proba /= proba.sum(axis=1, keepdims=True)
    classes = list(model.classes_)
    rows = []
    for label in np.unique(fold.y_test):
        own = proba[fold.y_test == label]
        truth = np.zeros(len(classes))
        seen = label in classes
        if seen:
            truth[classes.index(label)] = 1.0
        hit = own[:, classes.index(label)] if seen else np.full(len(own), SMALLEST)
        rows.append(
            {
                "class": str(label),
                "n": len(own),
                "log_loss": float(-np.log(hit).sum()),
                "brier": float(((own - truth) ** 2).sum()),
            }
        )
    return rows


def compute(fold: Fold) -> Rows:
    """Return the losses of all methods on a fold."""
    rows = []
    with threadpool_limits(1), warnings.catch_warnings():
        warnings.simplefilter("ignore")  # a class may be missing in an inner fold
        for method in METHODS:
            found = losses(fitted(method, fold), fold)
            rows += [{"method": method, **row} for row in found]
    return rows


if __name__ == "__main__":
    run(__doc__, "calibration", compute)
