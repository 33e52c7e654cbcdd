"""Compile what fits and predictions need, at a time of one's own choice."""

import time

import numpy as np

from .averaged import ISVMClassifierCV
from .given import ISVMClassifier


def warm_up() -> float:
    """Compile the solver now, or load it if this machine has compiled it before.

    The first fit on a machine does so by itself, which takes some seconds; later
    processes load what was compiled from a cache. Call this where nobody waits: while
    an image of a container is built, or before a service answers its first request. It
    covers fits and predictions of all classifiers, but not fits with ``groups``, which
    add a few seconds of their own.

    Returns
    -------
    float
        Seconds that it took.

    Examples
    --------
    >>> from isvmde import warm_up
    >>> seconds = warm_up()
    >>> seconds < 600
    True
    """
    began = time.monotonic()
    y = np.arange(24) % 2
    X = np.random.default_rng(0).random((24, 2)) + y[:, None]
    averaged = ISVMClassifierCV(n_settings=8, random_state=0).fit(X, y)
    averaged.predict(X)
    ISVMClassifier().fit(X, y).predict(X)
    return time.monotonic() - began
