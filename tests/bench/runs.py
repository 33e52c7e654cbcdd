"""Runs of a benchmark that the tests of its store, its workers and a cluster share."""

import os
import signal
import subprocess
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


def start_run(store, options, stderr=subprocess.PIPE):
    """Run the slow methods in a process, and a group, of their own.

    ``options`` is what the call of ``run`` gets besides, as Python text.
    """
    code = (
        f"import sys; sys.path.insert(0, {str(ROOT)!r})\n"
        "from tests.bench.runs import SLOW, run\n"
        f"run({str(store)!r}, SLOW, {options})\n"
    )
    return subprocess.Popen(
        [sys.executable, "-c", code],
        stdout=subprocess.DEVNULL,
        stderr=stderr,
        text=True,
        start_new_session=True,
    )


def wait_for_rows(store, process, at_least):
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
        assert process.poll() is None, process.communicate()[1]
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
