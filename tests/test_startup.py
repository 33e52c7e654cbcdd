"""Starting is quick: the import, and the first solve of a process with a warm cache."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

import isvmde
from isvmde.core.solver import compilation

SOURCE = Path(isvmde.__file__).parents[1]
OPTIONAL = ("matplotlib", "rich", "click", "jinja2", "dask", "skops", "imblearn")

START = f"import sys; sys.path.insert(0, {str(SOURCE)!r})\n"
END = "\nimport time; print('seconds', time.process_time())"
DEPENDENCIES = "import numba, sklearn.svm, scipy.spatial"
FIRST_SOLVE = """
import numpy as np
from isvmde.core.kernels import dot_products, squared_distances
from isvmde.core.solver import LINEAR, BatchSolver, Tasks, solve_dual
X = np.array([[0.0], [2.0]])
dot = dot_products(X)
solve_dual(dot, np.array([-1, 1]), np.ones(2), np.full(2, 9.0))
place = [np.array([k]) for k in (0, 1, 1, 2)]
one = np.ones(1)
tasks = Tasks(*place, 0 * one, np.array([LINEAR]), 0 * one, one, one)
solver = BatchSolver(
    np.stack([dot, squared_distances(X)]), np.ones(2), tol=1e-3, max_steps=99
)
print(solver.solve(tasks).f)
"""

FIRST_FIT = """
import numpy as np
from isvmde import ISVMClassifierCV
y = np.arange(40) % 3
X = np.random.default_rng(0).random((40, 3)) + y[:, None]
model = ISVMClassifierCV(n_settings=12, random_state=0).fit(X, y)
print(model.score(X, y) > 0.8)
"""


OTHER_FITS = """
from isvmde import ISVMClassifier, ISVMDEClassifier
print(ISVMClassifier().fit(X, y).score(X, y) > 0.8)
model = ISVMDEClassifier(pop_size=6, max_iter=1, random_state=0).fit(X, y)
print(model.score(X, y) > 0.4)
"""


def run(code, **environment):
    """Run code in a new process; return its seconds of CPU and what it printed.

    CPU time from the interpreter's start on: what else the machine does is not ours.
    """
    done = subprocess.run(
        [sys.executable, "-c", START + code + END],
        capture_output=True,
        text=True,
        check=True,
        env={**os.environ, **environment},
    )
    printed, _, seconds = done.stdout.rpartition("seconds ")
    return float(seconds), printed


def is_quick(code, allowance):
    """Tell whether code takes less than a second, in one of three runs.

    Where the machine is so slow that the imports of scikit-learn and numba alone take
    longer, what counts is how little we add to them: a factor below ``allowance``.
    """
    for _ in range(3):
        seconds, _ = run(code)
        if seconds < 1.0 or seconds < allowance * run(DEPENDENCIES)[0]:
            return True
    return False


def test_import_is_quick():
    assert is_quick("import isvmde", allowance=1.4)


def loaded(code):
    """Return the packages that are loaded after some code in a new process."""
    _, printed = run(f"{code}\nimport json; print(json.dumps(list(sys.modules)))")
    return {name.partition(".")[0] for name in json.loads(printed)}


def test_displays_do_not_wait_for_numba():
    """Ranks and recalls are drawn from scores, without a model."""
    assert "numba" not in loaded("from isvmde.plots import RankDisplay")


def test_import_loads_no_optional_package():
    # scikit-learn loads rich where it is installed
    added = loaded("import isvmde") - loaded(DEPENDENCIES)
    assert "isvmde" in added
    assert added.isdisjoint(OPTIONAL)


@pytest.mark.skipif(
    compilation.CACHE_DIRECTORY is None, reason="no writable directory for the cache"
)
def test_a_later_process_solves_at_once():
    _, printed = run(FIRST_SOLVE)  # compiles unless another test has
    assert printed == "[ 1. -1.]\n"
    assert compilation.is_cached()
    # compiling would take ten times as long
    assert is_quick(FIRST_SOLVE, allowance=1.8)


@pytest.mark.skipif(
    compilation.CACHE_DIRECTORY is None, reason="no writable directory for the cache"
)
def test_a_later_process_fits_at_once():
    _, printed = run(FIRST_FIT)  # compiles unless another test has
    assert printed == "True\n"
    # pandas comes in for the report; compiling would take ten times as long
    assert is_quick(FIRST_FIT, allowance=2.2)


@pytest.mark.slow
def test_the_first_fit_on_a_machine_compiles_within_seconds(tmp_path):
    """Of CPU time; where imports take more than a second, as many times more."""
    seconds, printed = run(FIRST_FIT, NUMBA_CACHE_DIR=str(tmp_path))
    assert printed == "True\n"
    assert seconds < 10.0 * max(1.0, run(DEPENDENCIES)[0])


@pytest.mark.slow
def test_after_warm_up_nothing_is_compiled(tmp_path):
    """Neither for the averaged classifier nor for the other two."""
    log = "import logging; logging.basicConfig(level='INFO', stream=sys.stdout)\n"
    warm_up = log + "import isvmde\nprint(isvmde.warm_up() > 0)\n"
    _, printed = run(warm_up, NUMBA_CACHE_DIR=str(tmp_path))
    assert printed.count("compiling the solver, once on this machine") == 1
    assert printed.endswith("True\n")
    _, printed = run(log + FIRST_FIT + OTHER_FITS, NUMBA_CACHE_DIR=str(tmp_path))
    assert printed == "True\nTrue\nTrue\n"


@pytest.mark.slow
def test_without_a_folder_for_the_cache_it_compiles_and_fits(tmp_path):
    (tmp_path / "file").touch()  # where a folder would have to be
    code = "from isvmde.core.solver import compilation\nprint(compilation.is_cached())"
    _, printed = run(FIRST_FIT + code, NUMBA_CACHE_DIR=str(tmp_path / "file" / "none"))
    assert printed == "True\nFalse\n"


def test_the_cache_belongs_to_these_sources():
    directory = Path(compilation.CACHE_DIRECTORY or "")
    assert compilation.source_hash() in directory.name


def test_another_source_is_another_cache(tmp_path, monkeypatch):
    package = Path(compilation.__file__).parent
    for path in package.glob("*.py"):
        (tmp_path / path.name).write_bytes(path.read_bytes())
    original = compilation.source_hash()
    monkeypatch.setattr(compilation, "__file__", str(tmp_path / "compilation.py"))
    assert compilation.source_hash() == original
    with (tmp_path / "smo.py").open("a") as file:
        file.write("# edited\n")
    assert compilation.source_hash() != original
