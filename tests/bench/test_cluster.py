"""A real Dask scheduler and two worker processes on this machine."""

import contextlib
import logging
import os
import signal
import subprocess
import sys
import threading
import time

import pandas as pd
import pytest

from isvmde.bench import StoreError, load_results, run_benchmark
from tests.bench.dask_processes import WORKER, start_dask
from tests.bench.runs import (
    METHODS,
    SCORES,
    deadly,
    failing,
    logistic,
    make_bunch,
    run,
    slow,
)

distributed = pytest.importorskip("distributed")

# Dask's own clean-up leaves sockets to the garbage collector.
pytestmark = pytest.mark.filterwarnings("ignore::ResourceWarning")


def test_a_cluster_gives_the_rows_of_this_machine(cluster, tmp_path):
    address, *_ = cluster
    local = run(tmp_path / "local", {**METHODS, "failing": failing})
    remote = run(tmp_path / "remote", {**METHODS, "failing": failing}, client=address)
    columns = [*SCORES, "status", "error"]
    pd.testing.assert_frame_equal(local[columns], remote[columns])


def test_a_worker_that_dies_loses_nothing(cluster, tmp_path):
    address, workers, _ = cluster

    def kill_one(progress):
        if progress.done == 5:
            workers[0].kill()

    methods = {**METHODS, "slow": slow}
    with distributed.Client(address, set_as_default=False) as client:
        remote = run(tmp_path / "remote", methods, client=client, progress=kill_one)
        assert len(client.nthreads()) == 1
    local = run(tmp_path / "local", methods)
    assert (remote["status"] == "done").all()
    pd.testing.assert_frame_equal(local[SCORES], remote[SCORES])


def test_a_run_waits_for_workers_to_come_back(cluster, tmp_path):
    address, workers, _ = cluster

    def kill_all(progress):
        if progress.done == 5:
            for worker in workers:
                worker.kill()
                worker.wait()
            time.sleep(1)
            workers.append(start_dask("dask_worker", address, *WORKER))

    remote = run(tmp_path / "remote", client=address, progress=kill_all)
    pd.testing.assert_frame_equal(run(tmp_path / "local")[SCORES], remote[SCORES])


def test_a_worker_that_dies_while_it_is_asked_is_not_missed(cluster, tmp_path):
    address, workers, _ = cluster
    workers[0].send_signal(signal.SIGSTOP)
    killing = threading.Timer(2, workers[0].kill)
    killing.start()
    assert (run(tmp_path, client=address)["status"] == "done").all()
    killing.join()


@pytest.mark.slow
def test_a_method_that_kills_its_workers_fails_alone(cluster, tmp_path):
    address, workers, _ = cluster
    ended = threading.Event()

    def replace_the_dead():
        while not ended.wait(0.1):
            for i, worker in enumerate(workers):
                if worker.poll() is not None:
                    workers[i] = start_dask("dask_worker", address, *WORKER)

    replacing = threading.Thread(target=replace_the_dead)
    replacing.start()
    try:
        rows = run_benchmark(
            {"one": make_bunch(1)},
            {"deadly": deadly, "logistic": logistic},
            store=tmp_path,
            folds=2,
            client=address,
        ).rows.set_index("method")
    finally:
        ended.set()
        replacing.join()
    assert (rows.loc["logistic", "status"] == "done").all()
    assert rows.loc["deadly", "error"].str.contains("2 Dask workers in a row").all()


def test_a_scheduler_that_dies_leaves_the_finished_rows(cluster, tmp_path):
    address, _, scheduler = cluster

    def kill_scheduler(progress):
        if progress.done == 5:
            scheduler.kill()

    methods = {**METHODS, "slow": slow}
    with pytest.raises(ConnectionError, match="the Dask scheduler is gone"):
        run(tmp_path, methods, client=address, progress=kill_scheduler)
    assert len(load_results(tmp_path)) >= 5
    assert len(run(tmp_path, methods)) == 30


@pytest.mark.parametrize("address", ["", "nonsense", "nonsense://x", "tcp://", "a b:1"])
def test_an_address_without_sense_is_refused_at_once(tmp_path, address):
    with pytest.raises(ValueError, match="is not the address of a Dask scheduler"):
        run_benchmark(["zoo"], METHODS, store=tmp_path, client=address)
    assert len(load_results(tmp_path)) == 0


def test_no_scheduler_at_the_address(tmp_path, impatient_dask):
    logger = logging.getLogger("distributed.client")
    level = logger.level
    with pytest.raises(ConnectionError, match="no Dask scheduler answers at localhost"):
        run_benchmark(["zoo"], METHODS, store=tmp_path, client="localhost:1")
    assert len(load_results(tmp_path)) == 0
    assert logger.level == level  # a library leaves the program's logging as it was


def test_the_command_says_one_sentence_when_the_scheduler_dies(cluster, tmp_path):
    address, _, scheduler = cluster
    words = ["benchmark", "--out", str(tmp_path), "--datasets", "glass,zoo"]
    words += ["--methods", "SVM", "--repeats", "100", "--dask", address]
    command = subprocess.Popen(
        [sys.executable, "-m", "isvmde", *words],
        env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
        stderr=subprocess.PIPE,
        text=True,
    )
    for _ in range(600):
        time.sleep(0.1)
        with contextlib.suppress(FileNotFoundError, StoreError):  # not yet written
            if len(load_results(tmp_path)) > 2:
                break
    scheduler.kill()
    _, said = command.communicate(timeout=90)
    assert command.returncode == 2
    assert "the Dask scheduler is gone" in said
    assert "Traceback" not in said
    assert said.count("\n") <= 3
