"""Small training sets that many tests share."""

import signal
from types import SimpleNamespace

import numpy as np
import pytest
from hypothesis import settings

# A busy machine is no failure.
settings.register_profile("isvmde", deadline=None)
settings.load_profile("isvmde")

# A shell starts background jobs with Ctrl-C ignored, and their children inherit it:
# the tests that send it would wait for ever.
if signal.getsignal(signal.SIGINT) == signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)


def blobs(sizes, *, n_features=3, spread=0.9, seed=0):
    """Overlapping classes 0, 1, ... of the given sizes, scaled to [0, 1]."""
    rng = np.random.default_rng(seed)
    y = np.repeat(np.arange(len(sizes)), sizes)
    centres = rng.normal(size=(len(sizes), n_features))
    X = centres[y] + spread * rng.normal(size=(len(y), n_features))
    X = (X - X.min(axis=0)) / (X.max(axis=0) - X.min(axis=0))
    return SimpleNamespace(X=X, y=y)


@pytest.fixture(scope="session")
def make_blobs():
    return blobs


@pytest.fixture
def three():
    return blobs([25, 12, 6])


@pytest.fixture
def two():
    return blobs([30, 9])
