"""One fit over the workers of a joblib backend: the same model, bit for bit."""

import os
import signal
import threading
import time
from pathlib import Path

import joblib
import numpy as np
import pytest
from numpy.testing import assert_array_equal

from isvmde import ISVMClassifierCV
from isvmde.classifiers.spreading import Solver
from isvmde.core.averaging.average import lay_out
from isvmde.core.averaging.bags import Budget
from isvmde.core.averaging.settings import SettingDraw, SettingSpace
from isvmde.core.decomposition import OneVsOne
from isvmde.core.training_set import training_set

# Dask's own clean-up leaves sockets to the garbage collector.
pytestmark = pytest.mark.filterwarnings("ignore::ResourceWarning")

FITTED = ("loo_error_", "weights_", "margins_", "prior_", "loo_proba_")
SMALL = Budget(work=20_000.0)


def table(n):
    random = np.random.default_rng(0)
    y = np.repeat([0, 1, 2], [n - n // 3 - n // 10, n // 3, n // 10])
    return random.random((n, 4)) + 0.3 * y[:, None], y


def model(n_settings=16):
    return ISVMClassifierCV(
        n_settings=n_settings, cost_range=(0.1, 50.0), random_state=2
    )


def assert_same(one, other, X):
    for name in FITTED:
        assert_array_equal(getattr(one, name), getattr(other, name), err_msg=name)
    assert_array_equal(one.predict_proba(X), other.predict_proba(X))


BUDGETS = pytest.mark.parametrize("budget", [Budget(), SMALL], ids=["whole", "bagged"])
GROUPED = pytest.mark.parametrize("grouped", [False, True], ids=["rows", "groups"])


def visits(n, grouped):
    """Return the groups of the rows of `table`: three visits each, or none."""
    return np.arange(n) // 3 if grouped else None


@BUDGETS
@GROUPED
def test_threads_give_the_same_model(monkeypatch, budget, grouped):
    monkeypatch.setattr(ISVMClassifierCV, "_budget", budget)
    X, y = table(240)
    groups = visits(240, grouped)
    one = model().fit(X, y, groups=groups)
    two = model().set_params(n_jobs=2).fit(X, y, groups=groups)
    assert_same(one, two, X)


@BUDGETS
@GROUPED
def test_loky_gives_the_same_model(monkeypatch, budget, grouped):
    monkeypatch.setattr(ISVMClassifierCV, "_budget", budget)
    X, y = table(240)
    groups = visits(240, grouped)
    here = model().fit(X, y, groups=groups)
    with joblib.parallel_config(backend="loky", n_jobs=2):
        there = model().fit(X, y, groups=groups)
    assert_same(here, there, X)


@BUDGETS
def test_progress_reaches_the_last_svm_wherever_it_is_solved(monkeypatch, budget):
    X, y = table(240)
    pairs = OneVsOne(np.bincount(y) * 1.0).pairs
    data = training_set(X, y, np.ones(240), 3)
    draw = SettingDraw(9, SettingSpace(cost=(0.1, 10.0)), 0)
    laid_out = lay_out(data, pairs, draw, 1e-3, budget, 0)
    assignments = [laid_out.assignment(bag) for bag in laid_out.plan.bags]
    found = []
    for n_jobs in (1, 2):
        heard = []
        found.append(Solver(n_jobs, heard.append).solve(assignments))
        assert sum(heard) == 9 * 3
    with joblib.parallel_config(backend="loky", n_jobs=2):
        heard = []
        found.append(Solver(None, heard.append).solve(assignments))
        assert sum(heard) == 9 * 3
    for other in found[1:]:
        for ours, theirs in zip(found[0], other, strict=True):
            for one, two in zip(ours, theirs, strict=True):
                assert_array_equal(one, two)


@pytest.fixture(scope="module")
def cluster():
    distributed = pytest.importorskip("distributed")
    with (
        distributed.LocalCluster(
            n_workers=2,
            threads_per_worker=1,
            processes=True,
            dashboard_address=":0",
        ) as workers,
        distributed.Client(workers) as client,
    ):
        yield client


@BUDGETS
@GROUPED
def test_dask_workers_give_the_same_model(monkeypatch, cluster, budget, grouped):
    monkeypatch.setattr(ISVMClassifierCV, "_budget", budget)
    X, y = table(240)
    groups = visits(240, grouped)
    here = model().fit(X, y, groups=groups)
    with joblib.parallel_config(backend="dask"):
        there = model().fit(X, y, groups=groups)
    assert_same(here, there, X)


@pytest.mark.slow
def test_a_worker_that_dies_costs_time_and_not_the_fit(cluster):
    X, y = table(900)
    here = model(64).fit(X, y)
    killed = []

    def kill_a_busy_worker():
        while not killed:
            busy = [who for who, tasks in cluster.processing().items() if tasks]
            if busy:
                pids = cluster.run(os.getpid, workers=busy[:1])
                for pid in pids.values():
                    os.kill(pid, signal.SIGKILL)
                    killed.append(pid)
            time.sleep(0.02)

    killer = threading.Thread(target=kill_a_busy_worker, daemon=True)
    killer.start()
    with joblib.parallel_config(backend="dask"):
        there = model(64).fit(X, y)
    killer.join(10)
    assert killed
    assert_same(here, there, X)


def loky_workers():
    """Return the ids of this process's loky workers."""
    found = []
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            parent = int((folder / "stat").read_text().rpartition(")")[2].split()[1])
            is_loky = b"loky" in (folder / "cmdline").read_bytes()
        except OSError:  # it has ended meanwhile
            continue
        if parent == os.getpid() and is_loky:
            found.append(int(folder.name))
    return found


@pytest.mark.slow
@pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="needs /proc")
def test_a_loky_worker_that_dies_costs_time_and_not_the_fit(monkeypatch):
    monkeypatch.setattr(ISVMClassifierCV, "_budget", Budget(work=1e6))
    X, y = table(1500)
    here = model(64).fit(X, y)
    killed = []

    def kill_a_worker():
        while not killed:
            for pid in loky_workers()[:1]:
                time.sleep(0.3)  # it has begun to solve
                os.kill(pid, signal.SIGKILL)
                killed.append(pid)
            time.sleep(0.01)

    killer = threading.Thread(target=kill_a_worker, daemon=True)
    killer.start()
    with joblib.parallel_config(backend="loky", n_jobs=2):
        there = model(64).fit(X, y)
    killer.join(10)
    assert killed
    assert_same(here, there, X)


def test_an_error_of_a_task_is_raised():
    with (
        joblib.parallel_config(backend="loky", n_jobs=2),
        pytest.raises(ValueError, match="scale the features"),
    ):
        model().fit([[1e200], [0.0], [1.0]], [0, 1, 1])
