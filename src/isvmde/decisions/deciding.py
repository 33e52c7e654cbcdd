"""From class probabilities to decisions, by costs or by thresholds."""

import numbers
from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from isvmde.nested import inwards

from .costs import CostMatrix, expected_costs
from .priors import move_prior, prior_by_name, read_prior


def apply_threshold(
    proba: ArrayLike, classes: ArrayLike, threshold: Mapping[Any, float]
) -> np.ndarray:
    """Return the classes of rows where some need a certain probability.

    A class with a threshold is decided where its probability reaches it. If several
    classes reach theirs, it is the one that exceeds it by the largest factor. If none
    does, the likeliest class without a threshold is decided, or, where all classes
    have one, the class that comes closest to its own.

    Parameters
    ----------
    proba : array-like of shape (n_samples, n_classes)
        Class probabilities.
    classes : array-like of shape (n_classes,)
        The class of every column.
    threshold : dict
        ``{class: probability}``, with numbers above 0 and at most 1.

    Returns
    -------
    ndarray of shape (n_samples,)
        The decided classes.

    Examples
    --------
    >>> from isvmde.decisions import apply_threshold
    >>> proba = [[0.3, 0.7], [0.1, 0.9]]
    >>> apply_threshold(proba, ["ill", "well"], {"ill": 0.2}).tolist()
    ['ill', 'well']
    """
    p, labels = np.asarray(proba, dtype=np.float64), np.asarray(classes)
    names = labels.tolist()
    limit = np.full(len(names), np.nan)
    for label, least in threshold.items():
        if label not in names:
            raise ValueError(
                f"threshold names {label!r}, which is not a class; the classes are "
                f"{names}."
            )
        if not isinstance(least, numbers.Real) or not 0.0 < float(least) <= 1.0:
            raise ValueError(
                f"the threshold of {label!r} is {least!r}: give a probability above 0 "
                "and at most 1."
            )
        limit[names.index(label)] = least
    limited = ~np.isnan(limit)
    if not limited.any():
        raise ValueError("threshold names no class: give {class: probability}.")
    factor = np.where(limited, p / np.where(limited, limit, 1.0), -np.inf)
    reached = np.max(factor, axis=1, keepdims=True) >= 1.0
    rest = factor if limited.all() else np.where(limited, -np.inf, p)
    score = np.where(reached, factor, rest)
    return np.asarray(labels[np.argmax(score, axis=1)])


def decide_from_proba(
    proba: ArrayLike,
    classes: ArrayLike,
    costs: Any = None,
    threshold: Mapping[Any, float] | None = None,
) -> np.ndarray:
    """Return the decision of least expected cost, or the one that thresholds ask for.

    On equal costs it is the first one. Without costs it is the likeliest class.
    """
    if threshold is not None:
        if costs is not None:
            raise ValueError(
                "costs and threshold exclude each other: give only one of them."
            )
        return apply_threshold(proba, classes, threshold)
    if costs is None:
        return np.asarray(np.asarray(classes)[np.argmax(proba, axis=1)])
    matrix = CostMatrix.read(costs, classes)
    best = np.argmin(expected_costs(proba, matrix), axis=1)
    return np.asarray(matrix.decisions[best])


def decide(
    model: Any,
    X: Any,
    *,
    costs: Any = None,
    prior: str | Mapping[Any, float] | None = None,
    threshold: Mapping[Any, float] | None = None,
    model_prior: Mapping[Any, float] | None = None,
) -> np.ndarray:
    """Decide on rows with any fitted classifier that has calibrated probabilities.

    For a pipeline, a grid search, or a classifier of another package;
    :class:`isvmde.ISVMClassifierCV` has it as a method.

    Parameters
    ----------
    model : classifier with predict_proba
        Fitted; a pipeline or a grid search that ends in one will do.
    X : array-like of shape (n_samples, n_features)
        Samples.
    costs : DataFrame, dict or array-like, optional
        What every decision costs in every true class, see :meth:`CostMatrix.read`. By
        default every mistake costs the same.
    prior : {"balanced", "training"} or dict, optional
        How frequent the classes are where the decisions are made, by default as
        ``predict`` has it.
    threshold : dict, optional
        ``{class: probability}`` instead of costs, see :func:`apply_threshold`.
    model_prior : dict, optional
        The class frequencies that ``predict_proba`` assumes. Only needed with
        ``prior``, and not for :class:`isvmde.ISVMClassifierCV`, which has ``prior_``.

    Returns
    -------
    ndarray of shape (n_samples,)
        A class, or a further decision of ``costs``, for every row.

    Examples
    --------
    >>> from isvmde import ISVMClassifierCV
    >>> from isvmde.decisions import decide
    >>> from sklearn.datasets import load_breast_cancer
    >>> from sklearn.pipeline import make_pipeline
    >>> from sklearn.preprocessing import MinMaxScaler
    >>> X, y = load_breast_cancer(return_X_y=True)  # 0 is malignant
    >>> model = make_pipeline(MinMaxScaler(), ISVMClassifierCV(random_state=0))
    >>> model = model.fit(X[:400], y[:400])
    >>> alarms = [decide(model, X[400:], costs={0: cost, 1: 1}) for cost in (1, 20)]
    >>> bool((alarms[0] == 0).sum() < (alarms[1] == 0).sum())
    True
    """
    proba = model.predict_proba(X)
    if prior is not None:
        old = getattr(_holder(model, "prior_"), "prior_", None)
        if model_prior is not None:
            old = prior_by_name(model_prior, model.classes_)
        if old is None:
            raise ValueError(
                f"prior={prior!r}: {type(model).__name__} does not say which class "
                "frequencies its probabilities assume; give them as model_prior."
            )
        count = getattr(_holder(model, "class_count_"), "class_count_", None)
        proba = move_prior(proba, old, read_prior(prior, model.classes_, count))
    return decide_from_proba(proba, model.classes_, costs, threshold)


def _holder(model: Any, attribute: str) -> Any:
    """Return the estimator with an attribute, within pipelines and searches."""
    within = (inner for inner in inwards(model) if hasattr(inner, attribute))
    return next(within, None)
