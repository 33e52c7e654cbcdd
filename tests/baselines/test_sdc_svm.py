"""SDC is SMOTE, then an SVC with the costs of the original counts."""

import numpy as np
import pytest
from sklearn.svm import SVC

from isvmde.baselines import SDCSVM


def smote_by_hand(X, count, k, rng):
    """Draw as documented, one synthetic sample at a time."""
    order = rng.permutation(len(X))
    base = [X[order[i % len(X)]] for i in range(count)]
    near = [
        sorted((x for x in X if x is not a), key=lambda x, a=a: ((x - a) ** 2).sum())[
            :k
        ]
        for a in map(tuple_of_row(X), range(len(X)))
    ]
    index = [order[i % len(X)] for i in range(count)]
    which = rng.randint(min(k, len(X) - 1), size=count)
    gap = rng.uniform(size=count)
    return np.array(
        [
            a + g * (near[i][w] - a)
            for a, i, w, g in zip(base, index, which, gap, strict=True)
        ]
    )


def tuple_of_row(X):
    rows = list(X)
    return lambda i: rows[i]
