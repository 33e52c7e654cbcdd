import os
import signal
import subprocess
import sys
import textwrap
import time

import numpy as np
import pandas as pd
import pytest
from sklearn.linear_model import LogisticRegression
from sklearn.tree import DecisionTreeClassifier
from sklearn.utils import Bunch
from threadpoolctl import threadpool_info, threadpool_limits

from isvmde.bench import StoreError, load_results, run_benchmark
from isvmde.bench.store import Store

SCORES = ["g_mean", "av_f_beta", "cba", "recall", "confusion", "seed", "config"]


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
    return run_benchmark(DATASETS, methods, store=store, **settings)


def test_rows_and_scores(tmp_path):
    rows = run(tmp_path, repeats=2)
    assert len(rows) == 2 * 2 * 2 * 5
    assert (rows["status"] == "done").all()
    assert rows[["g_mean", "av_f_beta", "cba"]].stack().between(0, 1).all()
    assert (rows["fit_seconds"] > 0).all()


def test_scores_are_those_of_the_stored_confusion_matrix(tmp_path):
    row = run(tmp_path).iloc[0]
    matrix = np.array(eval(row["confusion"]))
    recall = np.diag(matrix) / matrix.sum(axis=1)
    present = matrix.sum(axis=1) > 0
    expected = np.prod(recall[present]) ** (1 / present.sum())
    assert row["g_mean"] == pytest.approx(expected)


def test_workers_and_one_process_agree(tmp_path):
    one = run(tmp_path / "one", repeats=2)
    two = run(tmp_path / "two", repeats=2, n_jobs=2)
    pd.testing.assert_frame_equal(one[SCORES], two[SCORES])


def test_a_method_gets_one_thread_and_the_caller_keeps_more(tmp_path):
    with threadpool_limits(2):
        before = threadpool_info()
        rows = run(tmp_path, methods={"one thread": one_threaded})
        assert rows["error"].isna().all(), rows["error"].unique()
        assert threadpool_info() == before


def test_another_seed_gives_other_folds(tmp_path):
    one, two = run(tmp_path / "one"), run(tmp_path / "two", seed=1)
    assert not one["confusion"].equals(two["confusion"])


def test_a_finished_run_is_not_run_again(tmp_path):
    first = run(tmp_path)
    again = run(tmp_path, methods={"logistic": logistic, "tree": random_tree})
    pd.testing.assert_frame_equal(first, again)


def test_methods_and_repeats_can_be_added(tmp_path):
    run(tmp_path, methods={"logistic": logistic})
    grown = run(tmp_path, repeats=2)
    whole = run(tmp_path.with_name("whole"), repeats=2)
    pd.testing.assert_frame_equal(grown[SCORES], whole[SCORES])


def test_a_failing_fold_is_a_row_and_the_run_goes_on(tmp_path):
    rows = run(tmp_path, methods={"failing": failing, "logistic": logistic})
    failed = rows[rows["status"] == "failed"]
    assert 0 < len(failed) < 10
    assert set(failed["method"]) == {"failing"}
    assert failed["error"].iloc[0] == "ArithmeticError: first line"
    assert failed[["g_mean", "av_f_beta", "cba"]].isna().all(axis=None)


class Plain:
    """A classifier that knows nothing of scikit-learn."""

    def fit(self, X, y):
        self.first = y[0]

    def predict(self, X):
        return [self.first] * len(X)


def test_a_method_needs_fit_and_predict_alone(tmp_path):
    rows = run(tmp_path, methods={"class": Plain, "object": Plain()})
    assert (rows["status"] == "done").all()


def test_a_method_that_kills_its_worker_fails_alone(tmp_path):
    methods = {"deadly": deadly, "logistic": logistic}
    rows = run_benchmark(
        {"one": make_bunch(1)}, methods, store=tmp_path, folds=2, n_jobs=2
    )
    assert (rows[rows["method"] == "logistic"]["status"] == "done").all()
    died = rows[rows["method"] == "deadly"]
    assert len(died) == 2
    assert died["error"].str.contains("its worker process died").all()


def test_progress_counts_up_to_the_end(tmp_path):
    seen = []
    run(tmp_path, progress=seen.append)
    assert [p.done for p in seen] == list(range(21))
    assert (seen[0].total, seen[0].seconds_left, seen[0].row) == (20, None, None)
    assert (seen[-1].running, seen[-1].seconds_left) == (0, 0.0)
    assert {p.row["dataset"] for p in seen[1:]} == set(DATASETS)


def test_largest_tasks_come_first_within_a_repeat(tmp_path):
    seen = []
    run_benchmark(
        {"small": make_bunch(0, 40), "large": make_bunch(0, 200)},
        {"logistic": logistic},
        store=tmp_path,
        repeats=2,
        progress=seen.append,
    )
    order = [(p.row["repeat"], p.row["dataset"]) for p in seen[1:]]
    assert order == [
        (r, d) for r in (0, 1) for d in ("large", "small") for _ in range(5)
    ]


def test_other_parameters_of_a_method_are_refused(tmp_path):
    run(tmp_path, methods={"tree": random_tree})
    with pytest.raises(StoreError, match="other parameters"):
        run(tmp_path, methods={"tree": logistic})


def test_a_second_run_into_the_directory_is_refused(tmp_path):
    with Store(tmp_path), pytest.raises(StoreError, match="another run"):
        run(tmp_path)
    assert len(run(tmp_path)) == 20


def test_bad_number_of_workers(tmp_path):
    with pytest.raises(ValueError, match="n_jobs must not be 0"):
        run(tmp_path, n_jobs=0)


SCRIPT = """
    import sys
    sys.path.insert(0, {here!r})
    import test_runner
    test_runner.run({store!r}, test_runner.SLOW, repeats=2, n_jobs={n_jobs})
"""


def start(store, n_jobs):
    code = SCRIPT.format(
        here=os.path.dirname(__file__), store=str(store), n_jobs=n_jobs
    )
    return subprocess.Popen(
        [sys.executable, "-c", textwrap.dedent(code)],
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )


def wait_for_rows(store, process, at_least):
    """Wait until a run has written some rows; return how many."""
    for _ in range(600):
        if (store / "results.sqlite").exists():
            try:
                n_rows = len(load_results(store))
            except StoreError:  # the tables are just being made
                n_rows = 0
            if n_rows >= at_least:
                return n_rows
        assert process.poll() is None, process.communicate()[1]
        time.sleep(0.05)
    raise AssertionError("the run wrote no rows in 30 s")


@pytest.mark.parametrize("n_jobs", [1, 2])
def test_a_run_killed_twice_ends_with_the_rows_of_an_unbroken_one(tmp_path, n_jobs):
    rng = np.random.default_rng()
    killed = tmp_path / "killed"
    n_rows = 0
    for _ in range(2):
        process = start(killed, n_jobs)
        n_rows = wait_for_rows(killed, process, n_rows + int(rng.integers(1, 15)))
        time.sleep(rng.uniform(0, 0.05))
        process.kill()
        process.communicate()
        assert group_ends(process.pid)
    assert n_rows < 40
    process = start(killed, n_jobs)
    _, stderr = process.communicate(timeout=120)
    assert process.returncode == 0, stderr
    rows = load_results(killed)
    assert len(rows) == 40
    unbroken = run(tmp_path / "unbroken", SLOW, repeats=2)
    pd.testing.assert_frame_equal(rows[SCORES], unbroken[SCORES])


def group_ends(pid):
    """Whether no process of the group is left after a few seconds."""
    for _ in range(100):
        try:
            os.killpg(pid, 0)
        except ProcessLookupError:
            return True
        time.sleep(0.1)
    return False


@pytest.mark.parametrize("n_jobs", [1, 2])
def test_ctrl_c_keeps_the_rows_and_ends_the_workers(tmp_path, n_jobs):
    process = start(tmp_path, n_jobs)
    wait_for_rows(tmp_path, process, 3)
    os.killpg(process.pid, signal.SIGINT)  # what a terminal does
    _, stderr = process.communicate(timeout=30)
    assert stderr.rstrip().endswith("KeyboardInterrupt"), stderr
    rows = load_results(tmp_path)
    assert 3 <= len(rows) < 40
    assert (rows["status"] == "done").all()
    assert group_ends(process.pid)
