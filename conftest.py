"""For every test and every example of a docstring.

Figures need no window. Where tests run in several processes, each has one core: the
libraries that NumPy calls start no threads of their own.
"""

import os
import sys

import pytest

os.environ.setdefault("MPLBACKEND", "Agg")
if "PYTEST_XDIST_WORKER" in os.environ:
    for _library in ("OMP", "OPENBLAS", "MKL"):
        os.environ.setdefault(f"{_library}_NUM_THREADS", "1")


def pytest_collection_modifyitems(items):
    """Begin with what takes long, so that no process works on it alone in the end."""
    items.sort(key=lambda item: item.get_closest_marker("slow") is None)


@pytest.fixture(autouse=True)
def _close_figures():
    yield
    if "matplotlib.pyplot" in sys.modules:
        sys.modules["matplotlib.pyplot"].close("all")
