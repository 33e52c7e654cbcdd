"""G-mean, AvF and CBA, and their scorers."""

import numpy as np
from sklearn.metrics import make_scorer

from .counts import Labels, Weights, choose, count, geometric_mean, shares


def g_mean_score(
    y_true: Labels,
    y_pred: Labels,
    *,
    labels: Labels | None = None,
    sample_weight: Weights = None,
    correction: float = 0.0,
) -> float:
    """Geometric mean of the recalls of all classes (G-mean).

    ``G-mean = (recall_1 * ... * recall_M) ** (1 / M)``

    One class that is never recognised makes the score 0.

    Parameters
    ----------
    y_true, y_pred : array-like of shape (n_samples,)
        True and predicted classes.
    labels : array-like, optional
        The classes to look at; all by default. A class without samples in
        ``y_true`` is left out.
    sample_weight : array-like of shape (n_samples,), optional
        How often each sample counts. Weight 0 removes a sample.
    correction : float in [0, 1], default=0.0
        Recall to use for a class that is never recognised, so that one lost class
        does not hide all others. The paper uses none.

    Returns
    -------
    float
        The score, in [0, 1].

    Examples
    --------
    >>> from isvmde.metrics import g_mean_score
    >>> y_true = ["a", "a", "a", "a", "b", "b"]
    >>> y_pred = ["a", "a", "a", "a", "b", "a"]
    >>> round(g_mean_score(y_true, y_pred), 4)
    0.7071
    """
    if not 0 <= correction <= 1:
        raise ValueError(f"correction must lie in [0, 1]; got {correction!r}.")
    classes, matrix = count(y_true, y_pred, sample_weight)
    recalls = shares(matrix)["recall"][choose(classes, labels)]
    recalls = recalls[~np.isnan(recalls)]  # nothing can be said of an absent class
    if len(recalls) == 0:
        raise ValueError(
            f"None of the classes in labels ({np.asarray(labels).tolist()}) has a "
            "sample in y_true, so there is no recall to average."
        )
    return geometric_mean(recalls, correction)


def av_f_beta_score(
    y_true: Labels,
    y_pred: Labels,
    *,
    beta: float = 1.0,
    labels: Labels | None = None,
    sample_weight: Weights = None,
) -> float:
    """Mean of the F-measures of all classes (AvF).

    ``AvF = mean of (1 + beta**2) * precision_i * recall_i / (beta**2 * precision_i +
    recall_i)``

    A class scores low when its samples are overlooked, and as low when samples of
    other classes are taken for it.

    Parameters
    ----------
    y_true, y_pred, labels, sample_weight
        As in `g_mean_score`, but a class that is predicted without being in
        ``y_true`` counts, with 0.
    beta : float, default=1.0
        Weight of recall against precision.

    Returns
    -------
    float
        The score, in [0, 1].

    Examples
    --------
    >>> from isvmde.metrics import av_f_beta_score
    >>> y_true = ["a", "a", "a", "a", "b", "b"]
    >>> y_pred = ["a", "a", "a", "a", "b", "a"]
    >>> round(av_f_beta_score(y_true, y_pred), 4)
    0.7778
    """
    classes, matrix = count(y_true, y_pred, sample_weight)
    return float(shares(matrix, beta)["f_beta"][choose(classes, labels)].mean())


def cba_score(
    y_true: Labels,
    y_pred: Labels,
    *,
    labels: Labels | None = None,
    sample_weight: Weights = None,
) -> float:
    """Class balance accuracy (CBA).

    ``CBA = mean of min(recall_i, precision_i)``

    Every class counts with the worse of its two shares, so CBA never exceeds AvF.

    Parameters
    ----------
    y_true, y_pred, labels, sample_weight
        As in `g_mean_score`, but a class that is predicted without being in
        ``y_true`` counts, with 0.

    Returns
    -------
    float
        The score, in [0, 1].

    Examples
    --------
    >>> from isvmde.metrics import cba_score
    >>> y_true = ["a", "a", "a", "a", "b", "b"]
    >>> y_pred = ["a", "a", "a", "a", "b", "a"]
    >>> round(cba_score(y_true, y_pred), 4)
    0.65
    """
    classes, matrix = count(y_true, y_pred, sample_weight)
    return float(shares(matrix)["cba"][choose(classes, labels)].mean())


g_mean_scorer = make_scorer(g_mean_score)
av_f_beta_scorer = make_scorer(av_f_beta_score)
cba_scorer = make_scorer(cba_score)
