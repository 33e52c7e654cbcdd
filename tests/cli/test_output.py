"""What a terminal sees, and what a pipe gets."""

import pandas as pd
import pytest

from isvmde.bench import Progress
from isvmde.cli.output import print_json, print_table, records
from isvmde.cli.progress import describe, showing_progress

FAILED = {
    "dataset": "zoo",
    "method": "SVM",
    "repeat": 0,
    "fold": 2,
    "status": "failed",
    "error": "ValueError: no",
}


@pytest.fixture(params=["terminal", "pipe"])
def terminal(request, capsys, monkeypatch):
    """Whether the streams claim to be a terminal."""
    is_one = request.param == "terminal"
    monkeypatch.setattr("sys.stdout.isatty", lambda: is_one)
    monkeypatch.setattr("sys.stderr.isatty", lambda: is_one)
    monkeypatch.setenv("COLUMNS", "100")
    return is_one


def test_a_table_is_framed_in_a_terminal_only(terminal, capsys):
    table = pd.DataFrame({"method": ["SVM", "SDC"], "G-mean": ["51.88", "-"]})
    print_table(table, "scores")
    out = capsys.readouterr().out
    if terminal:
        assert "┃ method ┃ G-mean ┃" in out
        assert "scores" in out
    else:
        assert out == "method\tG-mean\nSVM\t51.88\nSDC\t-\n"


def test_progress_counts_and_names_failures(terminal, capsys):
    with showing_progress(None) as progress:
        progress(Progress(2, 0, 0, 2, None))
        progress(Progress(2, 0, 1, 1, 70.0, FAILED))
        progress(Progress(2, 1, 1, 0, 0.0, {**FAILED, "status": "done"}))
    err = capsys.readouterr().err
    assert "SVM on zoo, repeat 0, fold 2 failed: ValueError: no" in " ".join(
        err.split()
    )
    assert "2/2" in err


def test_an_interrupt_says_what_is_kept(terminal, capsys, tmp_path):
    for kept, message in ((None, "nothing is kept"), (tmp_path, "are kept in")):
        with pytest.raises(KeyboardInterrupt), showing_progress(kept):
            raise KeyboardInterrupt
        assert message in capsys.readouterr().err


def test_the_state_of_a_run_in_words():
    assert describe(Progress(9, 1, 0, 2, None)) == "2 running"
    text = describe(Progress(9, 1, 3, 2, 3700.0))
    assert text == "2 running, 3 failed, about 1 h 1 min left"


def test_json_has_no_nan(capsys):
    table = pd.DataFrame({"a": [1, 2], "b": [0.5, float("nan")]})
    print_json(records(table))
    out = capsys.readouterr().out
    assert "NaN" not in out
    assert '"b": null' in out
