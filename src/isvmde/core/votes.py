"""Leave-one-out votes: whether the pairs together know a sample they never saw.

A pair votes on every training sample: on its own ones by their leave-one-out decision,
on those of third classes, which are not in its training set, by its plain decision.
"""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
from numpy.typing import NDArray

from isvmde.core.fitness import class_means, logistic_error

Floats = NDArray[np.float64]
Ints = NDArray[np.intp]

_SHARPNESS = 4.0  # a lead of one vote is an error of 0.02, a tie one of 0.5


def vote_lead(k: Iterable[Floats], pairs: Ints, class_start: Ints) -> Floats:
    """Return by how many votes every sample's own class leads the best other.

    Parameters
    ----------
    k : iterable of P arrays of shape (..., n)
        Confidence of each pair in its class plus, for all samples sorted by class;
        one after the other, as all of them are a lot of memory.
    pairs : ndarray of shape (P, 2)
        Rows (plus, minus).
    class_start : ndarray of shape (M + 1,)
        Offsets of the classes.

    Returns
    -------
    ndarray of shape (..., n)
        Votes are smooth: a pair of confidence k gives k to plus and 1 - k to minus.

    Examples
    --------
    >>> import numpy as np
    >>> pairs, start = np.array([[0, 1], [0, 2], [1, 2]]), np.arange(4)
    >>> k = np.array([[1.0, 0.0, 0.5], [1.0, 0.5, 0.0], [0.5, 1.0, 0.2]])
    >>> vote_lead(k, pairs, start).round(2).tolist()
    [1.5, 1.5, 1.1]
    """
    n_classes = len(class_start) - 1
    votes = np.zeros(0)
    for confidence, (plus, minus) in zip(k, pairs, strict=True):
        if not votes.size:
            votes = np.zeros((n_classes, *confidence.shape))
        votes[plus] += confidence
        votes[minus] += 1.0 - confidence
    lead = np.empty(votes.shape[1:])
    for c in range(n_classes):
        mine = slice(class_start[c], class_start[c + 1])
        others = np.delete(votes[..., mine], c, axis=0)
        lead[..., mine] = votes[c][..., mine] - others.max(axis=0)
    return lead


def fit_votes(
    k: Iterable[Floats], pairs: Ints, class_start: Ints, weight: Floats
) -> Floats:
    """Return the mean over classes of the mean smooth error of the vote, (...).

    Parameters as in `vote_lead`; ``weight`` counts the samples.
    """
    error = logistic_error(vote_lead(k, pairs, class_start), _SHARPNESS)
    return np.asarray(class_means(error, weight, class_start).mean(axis=-1))
