"""The last bit of a result does not depend on what the process did before."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

import isvmde

SOURCE = Path(isvmde.__file__).parents[1]
SCRIPT = """
import sys
import numpy as np
from isvmde import ISVMClassifier, ISVMDEClassifier

rng = np.random.default_rng(0)
X, y = rng.random((40, 3)), np.repeat([0, 1, 2], [24, 10, 6])
results = {}
for name in sys.argv[1:]:
    if name == "given":
        model = ISVMClassifier(C=300.0, kernel="poly").fit(X, y)
    else:
        model = ISVMDEClassifier(pop_size=8, max_iter=4, random_state=0).fit(X, y)
    results[name] = model.pair_decision_function(X).tobytes().hex()
print(results["given"], results["searched"])
"""


def run(*order, cache=None):
    """Fit both classifiers in a new process, in this order."""
    environment = dict(os.environ)
    if cache is not None:
        environment["NUMBA_CACHE_DIR"] = str(cache)
    code = f"import sys; sys.path.insert(0, {str(SOURCE)!r})\n{SCRIPT}"
    done = subprocess.run(
        [sys.executable, "-c", code, *order],
        capture_output=True,
        text=True,
        check=True,
        env=environment,
    )
    return done.stdout


@pytest.fixture(scope="module")
def usual():
    """Return the results of the usual order."""
    return run("given", "searched")


@pytest.mark.parametrize(
    "order", [("searched", "given"), ("given", "searched", "given")], ids=str
)
def test_the_order_of_fits_does_not_matter(order, usual):
    assert run(*order) == usual


@pytest.mark.slow
def test_the_process_that_compiles_is_no_exception(tmp_path, usual):
    first = run("given", "searched", cache=tmp_path)
    assert list(tmp_path.rglob("*.nbc"))
    assert run("given", "searched", cache=tmp_path) == first
    assert first == usual
