"""SIGKILL at random moments: no row is lost, none is double, all scores are right."""

import os
import random
import time

import pandas as pd
import pytest

from isvmde.bench import StoreError, load_results
from tests.bench.dask_processes import WORKER, start_dask
from tests.bench.runs import SCORES, SLOW, group_ends, run, start_run

pytestmark = [
    pytest.mark.slow,
    pytest.mark.filterwarnings("ignore::ResourceWarning"),
    pytest.mark.skipif(os.name == "nt", reason="there is no SIGKILL on Windows"),
]

REPEATS = 40
KILLS = {"benchmark": 30, "cluster": 40}  # 30 in one process, 30 with workers
KEY = ["dataset", "method", "repeat", "fold"]


def start(store, options):
    with open(store / "said.txt", "w") as said:
        return start_run(store, f"repeats={REPEATS}, {options}", stderr=said)


def rows_in(store):
    """Return the scores of finished rows by their key; none before the first row."""
    try:
        rows = load_results(store).rows
    except (FileNotFoundError, StoreError):  # killed before there was a table
        return {}
    assert not rows.duplicated(KEY).any()
    done = rows[rows["status"] == "done"]
    keys = done[KEY].itertuples(index=False, name=None)
    scores = done[SCORES].itertuples(index=False, name=None)
    return dict(zip(keys, scores, strict=True))


class Watch:
    """Compare the rows after every kill with those before it."""

    def __init__(self, store):
        self.store = store
        self.seen = rows_in(store)

    def check(self):
        now = rows_in(self.store)
        assert self.seen.items() <= now.items()
        self.seen = now


def finish(store, options, unbroken):
    """Let the run end; its rows are those of a run that nobody disturbed."""
    assert start(store, options).wait(timeout=600) == 0
    rows = load_results(store).rows
    assert (rows["status"] == "done").all()
    pd.testing.assert_frame_equal(rows[SCORES], unbroken[SCORES])


@pytest.fixture(scope="module")
def unbroken(tmp_path_factory):
    return run(tmp_path_factory.mktemp("unbroken"), SLOW, repeats=REPEATS)


def wait_for_a_moment(store, process, n_before, chance):
    """Wait for a random moment: while the run starts, or while it writes rows."""
    if chance.random() < 0.3:
        time.sleep(chance.uniform(0.0, 3.0))
        return
    deadline = time.monotonic() + 120
    while process.poll() is None and len(rows_in(store)) <= n_before:
        assert time.monotonic() < deadline, "no new row in two minutes"
        time.sleep(0.02)
    time.sleep(chance.uniform(0.0, 0.5))


@pytest.mark.parametrize("n_jobs", [1, 2])
def test_kills_of_a_benchmark(tmp_path, unbroken, n_jobs):
    chance = random.Random()
    watch = Watch(tmp_path)
    for _ in range(KILLS["benchmark"]):
        process = start(tmp_path, f"n_jobs={n_jobs}")
        wait_for_a_moment(tmp_path, process, len(watch.seen), chance)
        process.kill()
        process.wait()
        assert group_ends(process.pid)
        watch.check()
    assert len(watch.seen) > 0
    finish(tmp_path, f"n_jobs={n_jobs}", unbroken)


def test_kills_of_a_run_on_a_cluster(tmp_path, unbroken, cluster):
    address, workers, _ = cluster
    options = f"client={address!r}"
    chance = random.Random()
    watch = Watch(tmp_path)
    driver = start(tmp_path, options)
    for _ in range(KILLS["cluster"]):
        wait_for_a_moment(tmp_path, driver, len(rows_in(tmp_path)), chance)
        # It goes on whichever workers die.
        assert driver.poll() in (None, 0), (tmp_path / "said.txt").read_text()
        if chance.random() < 0.5:
            driver.kill()
            driver.wait()
            watch.check()
            driver = start(tmp_path, options)
        else:
            worker = chance.randrange(len(workers))
            workers[worker].kill()
            workers[worker].wait()
            workers[worker] = start_dask("dask_worker", address, *WORKER)
    driver.kill()
    driver.wait()
    watch.check()
    finish(tmp_path, options, unbroken)
