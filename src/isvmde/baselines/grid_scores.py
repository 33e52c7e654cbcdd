"""G-mean and AvF of many predictions of one fold at once."""

from __future__ import annotations

import numpy as np


def score_fold(
    y: np.ndarray, predicted: np.ndarray, n_classes: int, weight: np.ndarray
) -> np.ndarray:
    """Return (2, candidates): G-mean and AvF over the classes 0..n_classes-1.

    ``y`` and ``weight`` are (n,), ``predicted`` (candidates, n). A sample with
    y = n_classes is of a class that could not be learned: it adds to the wrong
    predictions of the others. The classes counted are those of `isvmde.metrics`:
    present for G-mean, present or predicted for AvF.

    Examples
    --------
    >>> import numpy as np
    >>> y = np.array([0, 0, 0, 1, 1])
    >>> predicted = np.array([[0, 0, 0, 1, 0], [0, 0, 0, 0, 0]])
    >>> score_fold(y, predicted, 2, np.ones(5)).round(3)
    array([[0.707, 0.   ],
           [0.762, 0.375]])
    """
    count = len(predicted)
    cell = (np.arange(count)[:, None] * (n_classes + 1) + y) * n_classes + predicted
    size = count * (n_classes + 1) * n_classes
    weights = np.broadcast_to(weight, cell.shape).ravel()
    confusion = np.bincount(cell.ravel(), weights, minlength=size).reshape(
        count, n_classes + 1, n_classes
    )
    right = np.diagonal(confusion[:, :n_classes], axis1=1, axis2=2)
    true = np.bincount(y, weight, minlength=n_classes + 1)[:n_classes]
    here = true > 0
    recall = right[:, here] / true[here]
    found = (recall > 0).all(axis=1)
    log_recall = np.log(np.where(recall > 0, recall, 1.0))
    g_mean = np.where(found, np.exp(log_recall.mean(axis=1)), 0.0)
    both = true + confusion.sum(axis=1)
    f = np.divide(2 * right, both, out=np.zeros_like(right), where=both > 0)
    return np.array([g_mean, f.sum(axis=1) / (both > 0).sum(axis=1)])
