import json
import sqlite3
import subprocess
import sys
import textwrap

import pandas as pd
import pytest
from sklearn.dummy import DummyClassifier
from test_plan import make_bunch

from isvmde.bench import StoreError, export_rows, load_results
from isvmde.bench.plan import Plan
from isvmde.bench.store import Store


def dummy(random_state):
    return DummyClassifier()


def make_plan(**settings):
    return Plan({"zoo, wild": make_bunch()}, {"dummy": dummy}, **settings)


def make_row(fold=0, status="done", **columns):
    scores = {"g_mean": 1 / 3, "av_f_beta": 0.1 + 0.2, "cba": 0.5}
    return {
        "dataset": "zoo, wild",
        "method": "dummy",
        "repeat": 0,
        "fold": fold,
        "status": status,
        **(scores if status == "done" else {"error": 'Oops: "no", #7'}),
        "recall": json.dumps({"1": 0.5, "b": None}),
        "confusion": "[[1,0],[0,0]]",
        "fit_seconds": 0.25,
        "predict_seconds": 0.125,
        "seed": 2**31 - 1,
        "config": "00e1",
        "environment": {"isvmde": "0.1.0", "cpu": "x"},
        **columns,
    }


def test_rows_come_back_as_written(tmp_path):
    with Store(tmp_path) as store:
        store.register(make_plan())
        for fold in (3, 1):
            store.write(make_row(fold))
    table = load_results(tmp_path)
    assert table["fold"].tolist() == [1, 3]
    assert table["av_f_beta"].tolist() == [0.1 + 0.2] * 2
    assert table["error"].tolist() == [None, None]
    assert table.attrs["planned"] == {"zoo, wild": {"dummy": 1}}
    assert table.attrs["settings"]["folds"] == 5
    assert table.attrs["environments"][table["environment"][0]]["cpu"] == "x"


def test_an_exported_file_reads_back_to_the_same_table(tmp_path):
    with Store(tmp_path) as store:
        store.register(make_plan())
        store.write(make_row(0))
        store.write(make_row(1, "failed"))
    table = load_results(tmp_path)
    file = export_rows(tmp_path, tmp_path / "rows.csv")
    again = load_results(file)
    pd.testing.assert_frame_equal(table, again)
    assert again.attrs == table.attrs
    assert again["config"].tolist() == ["00e1"] * 2
    assert export_rows(again, tmp_path / "2.csv").read_bytes() == file.read_bytes()


def test_a_finished_row_is_never_replaced_a_failed_one_is(tmp_path):
    with Store(tmp_path) as store:
        store.write(make_row(0))
        store.write(make_row(0, g_mean=0.9))
        store.write(make_row(1, "failed"))
        assert len(store.finished()) == 1
        store.write(make_row(1))
    table = load_results(tmp_path)
    assert table["status"].tolist() == ["done", "done"]
    assert table["g_mean"].tolist() == [1 / 3, 1 / 3]
    assert table["error"].tolist() == [None, None]


@pytest.mark.parametrize("name", ["seed", "folds", "budget"])
def test_other_settings_are_refused(tmp_path, name):
    other = {"seed": 1, "folds": 4, "budget": "quick"}[name]
    with Store(tmp_path) as store:
        store.register(make_plan())
        with pytest.raises(StoreError, match=f"{name} .* this run has {name} {other}"):
            store.register(make_plan(**{name: other}))


def test_rows_of_other_data_are_refused(tmp_path):
    with Store(tmp_path) as store:
        store.register(make_plan())
        store.write(make_row(config="of other data"))
        with pytest.raises(StoreError, match="dummy on zoo, wild made from other data"):
            store.register(make_plan())


def test_more_repeats_are_welcome(tmp_path):
    with Store(tmp_path) as store:
        store.register(make_plan(repeats=3))
        store.register(make_plan(repeats=2))
    assert load_results(tmp_path).attrs["planned"] == {"zoo, wild": {"dummy": 3}}


def test_a_second_writer_is_refused_while_the_first_lives(tmp_path):
    with Store(tmp_path), pytest.raises(StoreError, match="another run"):
        Store(tmp_path)
    with Store(tmp_path):
        pass


def test_the_lock_of_a_dead_process_blocks_nobody(tmp_path):
    code = f"""
        import os
        from isvmde.bench.store import Store
        store = Store({str(tmp_path)!r})
        os.kill(os.getpid(), 9)
    """
    run = subprocess.run([sys.executable, "-c", textwrap.dedent(code)])
    assert run.returncode == -9
    assert (tmp_path / "run.lock").read_text() != ""
    with Store(tmp_path):
        pass


def test_results_can_be_read_while_a_run_writes(tmp_path):
    with Store(tmp_path) as store:
        store.register(make_plan())
        store.write(make_row(0))
        assert len(load_results(tmp_path)) == 1


def test_a_directory_that_is_a_file(tmp_path):
    (tmp_path / "file").write_text("")
    with pytest.raises(StoreError, match=r"cannot write results into .*exist"):
        Store(tmp_path / "file")


def test_a_full_disk_keeps_finished_rows_and_says_so(tmp_path):
    """A limit on file sizes stands in for the disk's end."""
    pytest.importorskip("resource", reason="no file size limits on this system")
    code = f"""
        import resource, signal, sys
        sys.path.insert(0, {__file__!r}.rpartition("/")[0])
        from test_store import Store, StoreError, make_plan, make_row
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        store = Store({str(tmp_path)!r})
        store.register(make_plan())
        resource.setrlimit(resource.RLIMIT_FSIZE, (400_000, 400_000))
        try:
            for fold in range(10_000):
                store.write(make_row(fold, confusion="[" + "1," * 2000 + "1]"))
        except StoreError as error:
            print(fold)
            print(error)
    """
    run = subprocess.run(
        [sys.executable, "-c", textwrap.dedent(code)], capture_output=True, text=True
    )
    fold, message = run.stdout.splitlines()
    assert "check its space and permissions" in message
    assert int(fold) > 10
    assert len(load_results(tmp_path)) == int(fold)


def test_no_results(tmp_path):
    with pytest.raises(FileNotFoundError, match="there are no results in"):
        load_results(tmp_path / "nowhere")


@pytest.mark.parametrize("content", ["a,b\n1,2\n", "# isvmde results {\n", ""])
def test_foreign_and_damaged_files(tmp_path, content):
    file = tmp_path / "rows.csv"
    file.write_text(content)
    with pytest.raises(ValueError, match=r"rows\.csv is"):
        load_results(file)


def test_a_database_that_is_none(tmp_path):
    (tmp_path / "results.sqlite").write_bytes(b"not a database, but long enough" * 99)
    with pytest.raises(StoreError, match="cannot be read"):
        load_results(tmp_path)
    with pytest.raises(StoreError, match="cannot write results"):
        Store(tmp_path)


def test_the_file_is_plain_sqlite(tmp_path):
    with Store(tmp_path) as store:
        store.write(make_row(0))
    connection = sqlite3.connect(tmp_path / "results.sqlite")
    assert connection.execute("SELECT count(*) FROM rows").fetchone() == (1,)
    connection.close()
