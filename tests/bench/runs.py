"""Runs of a benchmark that the tests of its store, its workers and a cluster share."""

import multiprocessing
import os
import signal
import sys
import time
from pathlib import Path

import numpy as np
import pandas as pd
from sklearn.linear_model import LogisticRegression
from sklearn.tree import DecisionTreeClassifier
from sklearn.utils import Bunch
from threadpoolctl import threadpool_info

from isvmde.bench import StoreError, load_results, run_benchmark

ROOT = Path(__file__).parents[2]
SCORES = ["g_mean", "av_f_beta", "cba", "recall", "confusion", "seed", "config"]
PATIENCE = 180  # seconds, for machines with other things to do

# What a run imports takes seconds: a server does it once, and each run is its fork.
_CAN_FORK = "forkserver" in multiprocessing.get_all_start_methods()
PROCESSES = multiprocessing.get_context("forkserver" if _CAN_FORK else "spawn")
if _CAN_FORK:
    PROCESSES.set_forkserver_preload(["tests.bench.runs"])


def make_bunch(seed, n=60):
    rng = np.random.default_rng(seed)
    target = np.array(["common"] * (n - 12) + ["rare"] * 8 + ["tiny"] * 4)
    centre = pd.Series(target).map({"common": 0.0, "rare": 1.0, "tiny": 2.0})
    data = pd.DataFrame({"a": rng.normal(centre, 0.6), "b": rng.normal(centre, 0.6)})
    return Bunch(data=data, target=target, numeric=["a", "b"], nominal=[])


def logistic(random_state):
    return LogisticRegression(class_weight="balanced")


def random_tree(random_state):
    return DecisionTreeClassifier(max_features=1, random_state=random_state)


class Failing(LogisticRegression):
    def fit(self, X, y):
        if len(y) % 2 == 0:  # folds differ in size, so some fail
            raise ArithmeticError("first line\nsecond line")
        return super().fit(X, y)


def failing(random_state):
    return Failing()


class Deadly(LogisticRegression):
    def fit(self, X, y):
        os.kill(os.getpid(), signal.SIGKILL)


def deadly(random_state):
    return Deadly()


class Slow(LogisticRegression):
    def fit(self, X, y):
        time.sleep(0.05)
        return super().fit(X, y)


def slow(random_state):
    return Slow(class_weight="balanced")


class OneThreaded(LogisticRegression):
    def fit(self, X, y):
        assert all(pool["num_threads"] == 1 for pool in threadpool_info())
        return super().fit(X, y)


def one_threaded(random_state):
    return OneThreaded()


DATASETS = {"one": make_bunch(1), "two": make_bunch(2, n=61)}
METHODS = {"logistic": logistic, "tree": random_tree}
SLOW = {"slow": slow, "tree": random_tree}


def run(store, methods=METHODS, **settings):
    return run_benchmark(DATASETS, methods, store=store, **settings).rows


def _run_in_a_group(store, said, settings):
    """Run the slow methods in a process group of its own; ``said`` gets its errors."""
    os.setsid()
    with open(said, "w") as file:
        os.dup2(file.fileno(), sys.stderr.fileno())
    run(store, SLOW, **settings)


class StartedRun:
    """A run of the slow methods in a process, and a group, of its own."""

    def __init__(self, store, **settings):
        self._said = Path(store, "said.txt")
        self._said.parent.mkdir(parents=True, exist_ok=True)
        self._process = PROCESSES.Process(
            target=_run_in_a_group, args=(store, self._said, settings)
        )
        self._process.start()
        self.pid = self._process.pid

    def is_running(self):
        return self._process.is_alive()

    def kill(self):
        self._process.kill()
        self._process.join()

    def end(self, timeout):
        """Wait until it ends by itself; return its exit code."""
        self._process.join(timeout)
        assert not self.is_running(), f"it did not end within {timeout} s"
        return self._process.exitcode

    def said(self):
        """Return what it wrote to its error stream."""
        return self._said.read_text() if self._said.exists() else ""


def wait_for_rows(store, started, at_least):
    """Wait until a run has written some rows; return how many."""
    deadline = time.monotonic() + PATIENCE
    while time.monotonic() < deadline:
        if (store / "results.sqlite").exists():
            try:
                n_rows = len(load_results(store))
            except StoreError:  # the tables are just being made
                n_rows = 0
            if n_rows >= at_least:
                return n_rows
        assert started.is_running(), started.said()
        time.sleep(0.05)
    raise AssertionError(f"the run wrote no rows in {PATIENCE} s")


def group_ends(pid):
    """Whether no process of the group is left after a few seconds."""
    for _ in range(100):
        try:
            os.killpg(pid, 0)
        except ProcessLookupError:
            return True
        time.sleep(0.1)
    return False
