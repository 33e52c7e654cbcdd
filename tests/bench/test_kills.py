"""SIGKILL at random moments: no row is lost, none is double, all scores are right."""

import os
import random
import time

import pandas as pd
import pytest

from isvmde.bench import StoreError, load_results
from tests.bench.dask_processes import WORKER, end, start_dask
from tests.bench.runs import SCORES, SLOW, StartedRun, group_ends, run

pytestmark = [
    pytest.mark.slow,
    pytest.mark.filterwarnings("ignore::ResourceWarning"),
    pytest.mark.skipif(os.name == "nt", reason="there is no SIGKILL on Windows"),
]

REPEATS = 20  # so many rows that no run ends before it is killed
KILLS = {"one process": 30, "workers": 12, "cluster": 20}
KEY = ["dataset", "method", "repeat", "fold"]


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


def finish(store, unbroken, **settings):
    """Let the run end; its rows are those of a run that nobody disturbed."""
    started = StartedRun(store, repeats=REPEATS, **settings)
    assert started.end(timeout=600) == 0, started.said()
    rows = load_results(store).rows
    assert (rows["status"] == "done").all()
    pd.testing.assert_frame_equal(rows[SCORES], unbroken[SCORES])


@pytest.fixture(scope="module")
def unbroken(tmp_path_factory):
    return run(tmp_path_factory.mktemp("unbroken"), SLOW, repeats=REPEATS)


def wait_for_a_moment(store, started, n_before, chance):
    """Wait for a random moment: while the run starts, or while it writes rows."""
    if chance.random() < 0.3:
        time.sleep(chance.uniform(0.0, 1.0))
        return
    deadline = time.monotonic() + 120
    while started.is_running() and len(rows_in(store)) <= n_before:
        assert time.monotonic() < deadline, "no new row in two minutes"
        time.sleep(0.02)
    time.sleep(chance.uniform(0.0, 0.5))


@pytest.mark.parametrize(
    ("n_jobs", "n_kills"), [(1, KILLS["one process"]), (2, KILLS["workers"])]
)
def test_kills_of_a_benchmark(tmp_path, unbroken, n_jobs, n_kills):
    chance = random.Random()
    watch = Watch(tmp_path)
    for _ in range(n_kills):
        started = StartedRun(tmp_path, repeats=REPEATS, n_jobs=n_jobs)
        wait_for_a_moment(tmp_path, started, len(watch.seen), chance)
        started.kill()
        assert group_ends(started.pid)
        watch.check()
    assert len(watch.seen) > 0
    finish(tmp_path, unbroken, n_jobs=n_jobs)


def test_kills_of_a_run_on_a_cluster(tmp_path, unbroken, cluster):
    address, workers, _ = cluster
    chance = random.Random()
    watch = Watch(tmp_path)
    driver = StartedRun(tmp_path, repeats=REPEATS, client=address)
    for _ in range(KILLS["cluster"]):
        wait_for_a_moment(tmp_path, driver, len(rows_in(tmp_path)), chance)
        # It goes on whichever workers die.
        assert driver.is_running() or driver.end(timeout=0) == 0, driver.said()
        if chance.random() < 0.5:
            driver.kill()
            watch.check()
            driver = StartedRun(tmp_path, repeats=REPEATS, client=address)
        else:
            worker = chance.randrange(len(workers))
            end(workers[worker])
            workers[worker] = start_dask("dask_worker", address, *WORKER)
    driver.kill()
    watch.check()
    finish(tmp_path, unbroken, client=address)
