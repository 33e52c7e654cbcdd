import contextlib
import sqlite3
import subprocess
import sys
import textwrap

import pandas as pd
import pytest

from isvmde.bench import StoreError, export_rows, load_results
from isvmde.bench.store import Store
from tests.bench.runs import ROOT
from tests.bench.stored_rows import make_plan, make_row


def test_rows_come_back_as_written(tmp_path):
    with Store(tmp_path) as store:
        store.register(make_plan())
        for fold in (3, 1):
            store.write(make_row(fold))
    results = load_results(tmp_path)
    table = results.rows
    assert table["fold"].tolist() == [1, 3]
    assert table["av_f_beta"].tolist() == [0.1 + 0.2] * 2
    assert table["error"].tolist() == [None, None]
    assert results.planned == {"zoo, wild": {"dummy": 1}}
    assert results.n_folds == 5
    assert results.environments[table["environment"][0]]["cpu"] == "x"


def test_an_exported_file_reads_back_to_the_same_table(tmp_path):
    with Store(tmp_path) as store:
        store.register(make_plan())
        store.write(make_row(0))
        store.write(make_row(1, "failed"))
    results = load_results(tmp_path)
    file = export_rows(tmp_path, tmp_path / "rows.csv")
    again = load_results(file)
    pd.testing.assert_frame_equal(results.rows, again.rows)
    for part in ("settings", "planned", "datasets", "environments"):
        assert getattr(again, part) == getattr(results, part)
    assert again.rows["config"].tolist() == ["00e1"] * 2
    assert export_rows(again, tmp_path / "2.csv").read_bytes() == file.read_bytes()


def test_a_run_goes_on_from_rows_that_were_stored_elsewhere(tmp_path):
    config = make_plan().config_hashes["zoo, wild", "dummy"]
    with Store(tmp_path / "there") as store:
        store.register(make_plan())
        store.write(make_row(0, config=config))
        store.write(make_row(1, "failed", config=config))
    kept = load_results(export_rows(tmp_path / "there", tmp_path / "rows.csv"))
    with Store(tmp_path / "here") as store:
        store.take_over(kept)
        store.register(make_plan(repeats=2))
        assert store.finished() == {("zoo, wild", "dummy", 0, 0)}
        store.write(make_row(1, config=config))
    results = load_results(tmp_path / "here")
    assert results.planned == {"zoo, wild": {"dummy": 2}}
    assert results.rows["status"].tolist() == ["done", "done"]
    assert results.environments == kept.environments


def test_a_finished_row_is_never_replaced_a_failed_one_is(tmp_path):
    with Store(tmp_path) as store:
        store.write(make_row(0))
        store.write(make_row(0, g_mean=0.9))
        store.write(make_row(1, "failed"))
        assert len(store.finished()) == 1
        store.write(make_row(1))
    table = load_results(tmp_path).rows
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
    assert load_results(tmp_path).planned == {"zoo, wild": {"dummy": 3}}


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
        assert len(load_results(tmp_path).rows) == 1


def test_a_directory_that_is_a_file(tmp_path):
    (tmp_path / "file").write_text("")
    with pytest.raises(StoreError, match=r"cannot write results into .*exist"):
        Store(tmp_path / "file")


def test_a_full_disk_keeps_finished_rows_and_says_so(tmp_path):
    """A limit on file sizes stands in for the disk's end."""
    pytest.importorskip("resource", reason="no file size limits on this system")
    code = f"""
        import resource, signal, sys
        sys.path.insert(0, {str(ROOT)!r})
        from isvmde.bench.store import Store, StoreError
        from tests.bench.stored_rows import make_plan, make_row
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


ENDLESS = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n)"


@pytest.mark.parametrize(
    "changes",
    [
        [
            "ALTER TABLE rows RENAME TO others",
            f"CREATE VIEW rows AS {ENDLESS} SELECT others.* FROM others, n",
        ],
        ["CREATE TRIGGER t AFTER INSERT ON rows BEGIN DELETE FROM rows; END"],
    ],
    ids=["an endless view", "a trigger"],
)
def test_a_store_that_computes_is_refused(tmp_path, changes):
    with Store(tmp_path) as store:
        store.write(make_row(0))
    with contextlib.closing(sqlite3.connect(tmp_path / "results.sqlite")) as file, file:
        for change in changes:
            file.execute(change)
    with pytest.raises(StoreError, match="a view, a trigger or a virtual table"):
        load_results(tmp_path)
    with pytest.raises(StoreError, match="a view, a trigger or a virtual table"):
        Store(tmp_path)


@pytest.mark.parametrize(
    "change",
    [
        "DELETE FROM datasets",
        "UPDATE datasets SET value = '[['",
        "UPDATE settings SET value = x'ff'",
    ],
)
def test_a_store_whose_notes_were_changed_is_damaged(tmp_path, change):
    with Store(tmp_path) as store:
        store.register(make_plan())
        store.write(make_row(0))
    with contextlib.closing(sqlite3.connect(tmp_path / "results.sqlite")) as file, file:
        file.execute(change)
    with pytest.raises(StoreError, match="is damaged"):
        load_results(tmp_path)


def test_the_file_is_plain_sqlite(tmp_path):
    with Store(tmp_path) as store:
        store.write(make_row(0))
    connection = sqlite3.connect(tmp_path / "results.sqlite")
    assert connection.execute("SELECT count(*) FROM rows").fetchone() == (1,)
    connection.close()


def test_a_store_that_another_program_has_open_is_not_a_full_disk(
    tmp_path, monkeypatch
):
    monkeypatch.setattr("isvmde.bench.store._PATIENCE", 0.1)
    with Store(tmp_path) as store:
        store.register(make_plan())
        other = sqlite3.connect(tmp_path / "results.sqlite", isolation_level=None)
        other.execute("BEGIN IMMEDIATE")
        with pytest.raises(StoreError, match="close the program that has results"):
            store.write(make_row())
        other.execute("ROLLBACK")
        other.close()
        store.write(make_row())
    assert len(load_results(tmp_path).rows) == 1
