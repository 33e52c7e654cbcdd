"""Small training sets that many tests share, and what they have in common."""

import contextlib
import os
import signal
import sys
from types import SimpleNamespace

import numpy as np
import pytest
from hypothesis import settings

# A busy machine is no failure. Continuous integration draws the same examples each
# time, so that it says the same of the same code; elsewhere every run draws new ones.
settings.register_profile("isvmde", deadline=None, derandomize="CI" in os.environ)
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


@pytest.fixture
def impatient_dask(monkeypatch):
    """Let clients of Dask wait a second for a scheduler, instead of ten."""
    distributed = pytest.importorskip("distributed")
    client = distributed.Client

    def impatient_client(address, timeout, **options):
        return client(address, timeout="1s", **options)

    monkeypatch.setattr(distributed, "Client", impatient_client)


_OPENED = []
_WATCHED = [False]
_HOOKED = []


def _note_opened(event, arguments):
    if _WATCHED[0] and event == "open":
        _OPENED.append(str(arguments[0]))


@pytest.fixture
def opened_files():
    """Return a context in which all files that are opened are listed."""
    if not _HOOKED:  # a hook stays until Python ends
        sys.addaudithook(_note_opened)
        _HOOKED.append(True)

    @contextlib.contextmanager
    def watched():
        _OPENED.clear()
        _WATCHED[0] = True
        try:
            yield _OPENED
        finally:
            _WATCHED[0] = False

    return watched
