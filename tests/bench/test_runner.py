import os
import signal
import time

import numpy as np
import pandas as pd
import pytest
from threadpoolctl import threadpool_info, threadpool_limits

from isvmde.bench import StoreError, load_results, run_benchmark
from isvmde.bench.store import Store
from tests.bench.runs import (
    DATASETS,
    SCORES,
    SLOW,
    StartedRun,
    deadly,
    failing,
    group_ends,
    logistic,
    make_bunch,
    one_threaded,
    random_tree,
    run,
    wait_for_rows,
)


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
    ).rows
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


@pytest.mark.parametrize("n_jobs", [1, 2])
def test_a_run_killed_twice_ends_with_the_rows_of_an_unbroken_one(tmp_path, n_jobs):
    rng = np.random.default_rng()
    killed = tmp_path / "killed"
    n_rows = 0
    for _ in range(2):
        started = StartedRun(killed, repeats=2, n_jobs=n_jobs)
        n_rows = wait_for_rows(killed, started, n_rows + int(rng.integers(1, 15)))
        time.sleep(rng.uniform(0, 0.05))
        started.kill()
        assert group_ends(started.pid)
    assert n_rows < 40
    started = StartedRun(killed, repeats=2, n_jobs=n_jobs)
    assert started.end(timeout=120) == 0, started.said()
    rows = load_results(killed).rows
    assert len(rows) == 40
    unbroken = run(tmp_path / "unbroken", SLOW, repeats=2)
    pd.testing.assert_frame_equal(rows[SCORES], unbroken[SCORES])


@pytest.mark.parametrize("n_jobs", [1, 2])
def test_ctrl_c_keeps_the_rows_and_ends_the_workers(tmp_path, n_jobs):
    started = StartedRun(tmp_path, repeats=2, n_jobs=n_jobs)
    wait_for_rows(tmp_path, started, 3)
    os.killpg(started.pid, signal.SIGINT)  # what a terminal does
    started.end(timeout=30)
    assert started.said().rstrip().endswith("KeyboardInterrupt"), started.said()
    rows = load_results(tmp_path).rows
    assert 3 <= len(rows) < 40
    assert (rows["status"] == "done").all()
    assert group_ends(started.pid)
