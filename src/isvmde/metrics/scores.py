"""G-mean, AvF and CBA, and their scorers."""

import numpy.typing as npt
from sklearn.metrics import make_scorer

from .counts import Labels, choose, class_balance, count, geometric_mean, shares


def g_mean_score(
    y_true: Labels,
    y_pred: Labels,
    *,
    labels: Labels | None = None,
    sample_weight: npt.ArrayLike | None = None,
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
    counts = count(y_true, y_pred, sample_weight)
    chosen = choose(counts, labels, present=counts.sum(axis=1).to_numpy() > 0)
    return geometric_mean(shares(counts)["recall"].to_numpy()[chosen], correction)


def av_f_beta_score(
    y_true: Labels,
    y_pred: Labels,
    *,
    beta: float = 1.0,
    labels: Labels | None = None,
    sample_weight: npt.ArrayLike | None = None,
) -> float:
    """Mean of the F-measures of all classes (AvF).

    ``AvF = mean of (1 + beta**2) * precision_i * recall_i / (beta**2 * precision_i +
    recall_i)``

    A class scores low when its samples are overlooked, and as low when samples of
    other classes are taken for it.

    Parameters
    ----------
    y_true, y_pred : array-like of shape (n_samples,)
        True and predicted classes.
    beta : float, default=1.0
        Weight of recall against precision.
    labels : array-like, optional
        The classes to average over; all by default. A class found neither in
        ``y_true`` nor in ``y_pred`` is left out.
    sample_weight : array-like of shape (n_samples,), optional
        How often each sample counts. Weight 0 removes a sample.

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
    counts = count(y_true, y_pred, sample_weight)
    f_beta = shares(counts, beta)["f_beta"].to_numpy()
    return float(f_beta[choose(counts, labels)].mean())


def cba_score(
    y_true: Labels,
    y_pred: Labels,
    *,
    labels: Labels | None = None,
    sample_weight: npt.ArrayLike | None = None,
) -> float:
    """Class balance accuracy (CBA).

    ``CBA = mean of min(recall_i, precision_i)``

    Every class counts with the worse of its two shares, so CBA never exceeds AvF.

    Parameters
    ----------
    y_true, y_pred : array-like of shape (n_samples,)
        True and predicted classes.
    labels : array-like, optional
        The classes to average over; all by default. A class found neither in
        ``y_true`` nor in ``y_pred`` is left out.
    sample_weight : array-like of shape (n_samples,), optional
        How often each sample counts. Weight 0 removes a sample.

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
    counts = count(y_true, y_pred, sample_weight)
    return float(class_balance(counts)[choose(counts, labels)].mean())


g_mean_scorer = make_scorer(g_mean_score)
av_f_beta_scorer = make_scorer(av_f_beta_score)
cba_scorer = make_scorer(cba_score)
