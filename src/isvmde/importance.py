"""Which columns of a table a fitted model needs: what it loses without each of them."""

from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike
from sklearn.inspection import permutation_importance
from sklearn.metrics import balanced_accuracy_score

__all__ = ["balanced_log_loss", "column_importance"]

_LEAST = 1e-15  # of a probability in a logarithm


def balanced_log_loss(y_true: ArrayLike, y_proba: ArrayLike, classes: ArrayLike) -> Any:
    """Return the mean over the classes of -log(probability of the true class).

    Parameters
    ----------
    y_true : array-like of shape (n_samples,)
        True classes.
    y_proba : array-like of shape (n_samples, n_classes)
        Probabilities.
    classes : array-like of shape (n_classes,)
        The class of every column.

    Examples
    --------
    >>> from isvmde.importance import balanced_log_loss
    >>> proba = [[0.9, 0.1], [0.9, 0.1], [0.5, 0.5]]
    >>> round(balanced_log_loss(["a", "a", "b"], proba, ["a", "b"]), 3)
    0.399
    """
    true, proba = np.asarray(y_true), np.asarray(y_proba, dtype=np.float64)
    loss = []
    for k, label in enumerate(np.asarray(classes)):
        of_class = proba[true == label, k]
        if len(of_class):
            loss.append(-np.log(np.maximum(of_class, _LEAST)).mean())
    return float(np.mean(loss))


def column_importance(
    model: Any,
    X: Any,
    y: ArrayLike,
    *,
    scoring: str = "log_loss",
    n_repeats: int = 5,
    random_state: Any = 0,
) -> pd.DataFrame:
    """Measure what a fitted model loses when one column is shuffled.

    Use rows that the model has not seen: on its training rows columns that it has
    learned by heart look important. Of two columns that say the same, both can look
    unimportant, because the model falls back on the other one.

    Parameters
    ----------
    model : classifier
        Fitted. Of a pipeline, the columns are those of the table that it takes, before
        any of them is coded.
    X, y : DataFrame of shape (n_samples, n_columns), array-like of shape (n_samples,)
        Rows that the model has not seen, and their true classes.
    scoring : {"log_loss", "balanced_accuracy"}, default="log_loss"
        What is measured: the log loss, averaged over the classes, or the mean recall.
    n_repeats : int, default=5
        How often each column is shuffled.
    random_state : int, RandomState instance or None, default=0
        Shuffles.

    Returns
    -------
    DataFrame
        ``importance`` (the mean loss) and ``sd`` over the repeats, by column, the most
        important first. About zero or less: the model does as well without it.

    Examples
    --------
    >>> from isvmde import ISVMClassifierCV
    >>> from isvmde.importance import column_importance
    >>> from sklearn.datasets import load_iris
    >>> X, y = load_iris(return_X_y=True, as_frame=True)
    >>> model = ISVMClassifierCV(n_settings=16, random_state=0).fit(X[::2], y[::2])
    >>> table = column_importance(model, X[1::2], y[1::2])
    >>> table.index[:2].tolist()
    ['petal length (cm)', 'petal width (cm)']
    """
    if scoring not in _SCORES:
        raise ValueError(
            f"scoring={scoring!r} is not known: use one of {list(_SCORES)}."
        )
    labels = np.asarray(y)
    known = np.asarray(model.classes_)
    unknown = np.setdiff1d(labels, known)
    if len(unknown):
        raise ValueError(
            f"y has the class {unknown.tolist()[0]!r}, which the model does not know; "
            f"it knows {known.tolist()}. Leave these rows out."
        )
    found = permutation_importance(
        model,
        X,
        labels,
        scoring=_SCORES[scoring],
        n_repeats=n_repeats,
        random_state=random_state,
    )
    names = X.columns if hasattr(X, "columns") else range(len(found.importances_mean))
    table = pd.DataFrame(
        {"importance": found.importances_mean, "sd": found.importances_std},
        index=pd.Index(list(names), name="column"),
    )
    return table.sort_values("importance", ascending=False, kind="stable")


def _log_loss(model: Any, X: Any, y: np.ndarray) -> float:
    """Return the negative log loss: larger is better."""
    return -float(balanced_log_loss(y, model.predict_proba(X), model.classes_))


def _balanced_accuracy(model: Any, X: Any, y: np.ndarray) -> float:
    """Return the mean recall of the classes that are there."""
    return float(balanced_accuracy_score(y, model.predict(X)))


_SCORES = {"log_loss": _log_loss, "balanced_accuracy": _balanced_accuracy}
