"""What a terminal sees, and what a pipe gets."""

import re
import time

import pandas as pd
import pytest

from isvmde.bench import Progress
from isvmde.cli.output import print_aligned, print_json, print_table
from isvmde.cli.progress import describe, showing_progress, showing_time

FAILED = {
    "dataset": "zoo",
    "method": "SVM",
    "repeat": 0,
    "fold": 2,
    "status": "failed",
    "error": "ValueError: not in [red]",
}


either = pytest.mark.parametrize("terminal", [True, False])


def plain(text):
    """Take colours and movements of the cursor out."""
    return re.sub("\x1b\\[[0-9;?]*[a-zA-Z]", "", text)


def pretend(monkeypatch, terminal):
    """Let the streams claim to be a terminal, or not."""
    monkeypatch.setattr("sys.stdout.isatty", lambda: terminal)
    monkeypatch.setattr("sys.stderr.isatty", lambda: terminal)
    monkeypatch.setenv("COLUMNS", "100")


@either
def test_a_table_is_in_columns_in_a_terminal_only(terminal, monkeypatch, capsys):
    pretend(monkeypatch, terminal)
    table = pd.DataFrame({"method": ["SVM", "SDC"], "G-mean": ["51.88", "-"]})
    print_table(table, "scores")
    assert capsys.readouterr().out == (
        "\nscores\n  method  G-mean\n  SVM      51.88\n  SDC          -\n"
        if terminal
        else "method\tG-mean\nSVM\t51.88\nSDC\t-\n"
    )


def test_the_last_column_is_broken_where_a_terminal_ends(monkeypatch, capsys):
    pretend(monkeypatch, True)
    monkeypatch.setenv("COLUMNS", "40")
    print_aligned(pd.DataFrame({"a": ["x", "y"], "note": ["word " * 12, ""]}))
    lines = capsys.readouterr().out.splitlines()
    assert lines[1:4] == [
        "  x  word word word word word word word",
        "     word word word word word",
        "  y",
    ]


@either
def test_progress_counts_and_names_failures(terminal, monkeypatch, capsys):
    pretend(monkeypatch, terminal)
    with showing_progress(None) as progress:
        progress(Progress(2, 0, 0, 2, None))
        progress(Progress(2, 0, 1, 1, 70.0, FAILED))
        progress(Progress(2, 1, 1, 0, 0.0, {**FAILED, "status": "done"}))
    err = plain(capsys.readouterr().err)
    assert "SVM on zoo, repeat 0, fold 2 failed: ValueError: not in [red]" in " ".join(
        err.split()
    )
    assert "2/2" in err


@either
def test_an_interrupt_says_what_is_kept(terminal, monkeypatch, capsys, tmp_path):
    pretend(monkeypatch, terminal)
    for kept, message in ((None, "nothing is kept"), (tmp_path, "are kept in")):
        with pytest.raises(KeyboardInterrupt), showing_progress(kept):
            raise KeyboardInterrupt
        assert message in capsys.readouterr().err


def test_the_state_of_a_run_in_words():
    assert describe(Progress(9, 0, 0, 2, None), 7.0) == "2 running, 7 s so far"
    text = describe(Progress(9, 1, 3, 2, 3700.0))
    assert text == "2 running, 3 failed, about 1 h 1 min left"
    assert (
        describe(Progress(9, 1, 0, 2, 90.0), 30.0) == "2 running, about 1 min 0 s left"
    )


def test_the_time_moves_on_while_nothing_else_does(monkeypatch, capsys):
    pretend(monkeypatch, True)
    monkeypatch.setattr("isvmde.cli.progress._TICK", 0.01)
    with showing_progress(None) as progress:
        progress(Progress(2, 0, 0, 2, None))
        time.sleep(0.2)
    err = capsys.readouterr().err
    assert err.count("0/2 folds, 2 running") >= 3
    assert err.endswith("\r\x1b[K")
    with showing_time("training SVM", shown=True):
        time.sleep(0.2)
    assert capsys.readouterr().err.count("training SVM, 0 s") >= 3
    with showing_time("training SVM", shown=False):
        time.sleep(0.02)
    assert capsys.readouterr().err == ""


def test_json_has_no_nan(capsys):
    table = pd.DataFrame({"a": [1, 2], "b": [0.5, float("nan")]})
    print_json(table)
    out = capsys.readouterr().out
    assert "NaN" not in out
    assert '"b": null' in out
