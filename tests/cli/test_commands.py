import json
import os
import signal
import subprocess
import sys
import time

import pytest

from isvmde.bench import StoreError, load_results
from isvmde.datasets import list_datasets

FIT = "fit zoo --method sklearn.naive_bayes:GaussianNB -o m"  # for speed


def test_version(isvmde):
    assert isvmde("--version")[1].startswith("isvmde 0.")


def test_datasets_as_lines_and_as_json(isvmde):
    code, out, _ = isvmde("datasets")
    assert code == 0
    lines = out.splitlines()
    assert lines[0].split("\t")[:2] == ["name", "rows"]
    assert [line.split("\t")[0] for line in lines[1:]] == list(list_datasets().index)
    (zoo,) = [line for line in lines if line.startswith("zoo\t")]
    assert zoo.startswith("zoo\t101\t0\t16\t7\t4\t10.25\tUCI Zoo")
    found = json.loads(isvmde("datasets", "--json")[1])
    assert {row["name"]: row["rows"] for row in found}["glass"] == 214


def test_compare_prints_a_line_per_method(isvmde, patients, tmp_path):
    words = ["compare", patients, "--target", "diagnosis", "--methods", "svm,SDC"]
    code, out, err = isvmde(*words, "--folds", 3, "--jobs", 1, "--out", tmp_path / "c")
    assert code == 0, err
    lines = [line.split("\t") for line in out.splitlines()]
    assert [line[0] for line in lines] == ["method", "SVM", "SDC"]
    assert lines[0] == ["method", "G-mean", "AvF", "CBA", "s/fit"]
    assert sum("*" in line[1] for line in lines) >= 1
    again = isvmde(*words, "--folds", 3, "--jobs", 1, "--out", tmp_path / "c", "--json")
    found = json.loads(again[1])
    assert [row["method"] for row in found] == ["SVM", "SDC"]
    assert all(0 <= row["g_mean"] <= 1 for row in found)


def test_benchmark_then_report(isvmde, tmp_path):
    out = tmp_path / "b"
    words = ["--datasets", "zoo,hayes-roth", "--methods", "SVM,Cost-SVM", "--jobs", 1]
    code, _, err = isvmde("benchmark", "--out", out, *words)
    assert code == 0
    assert "20/20 folds" in err
    assert len(load_results(out)) == 20
    code, text, err = isvmde("report", out, "--export", tmp_path / "rows.csv")
    assert code == 0
    assert text.splitlines()[0].split("\t") == ["method", "G-mean", "AvF", "CBA"]
    assert (out / "report.html").is_file()
    code, text, _ = isvmde(
        "report", tmp_path / "rows.csv", "--out", tmp_path / "again", "--json"
    )
    assert json.loads(text)["complete"] is True
    same = [
        (folder / "report.html").read_bytes() for folder in (out, tmp_path / "again")
    ]
    assert same[0] == same[1]


def start(*words):
    """Start the command line in a process of its own."""
    return subprocess.Popen(
        [sys.executable, "-m", "isvmde", *map(str, words)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )


def interrupt(process, number, ready):
    """Send a signal once a condition holds; return what the process printed."""
    while process.poll() is None and not ready():
        time.sleep(0.1)
    if process.poll() is None:
        os.kill(process.pid, number)
    return process.communicate(timeout=60)


def count_rows(out):
    try:
        return len(load_results(out))
    except (FileNotFoundError, StoreError):  # not begun yet
        return 0


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_an_interrupted_benchmark_exits_with_130_and_goes_on_later(tmp_path, number):
    out = tmp_path / "b"
    words = ["benchmark", "--out", out, "--datasets", "zoo", "--methods", "SVM"]
    process = start(*words, "--jobs", 1, "--repeats", 100)
    _, err = interrupt(process, number, lambda: count_rows(out) > 2)
    assert process.returncode == 130, err
    assert f"finished folds are kept in {out}; the same command resumes" in err
    assert "Traceback" not in err
    assert len(load_results(out)) > 2


def test_a_reader_that_leaves_early_is_no_error():
    command = f"{sys.executable} -m isvmde datasets | head -1"
    run = subprocess.run(["bash", "-c", command], capture_output=True, text=True)
    assert run.stderr == ""


def test_without_click_one_sentence_says_what_to_install(tmp_path):
    (tmp_path / "click.py").write_text("raise ImportError('none', name='click')")
    path = os.pathsep.join([str(tmp_path), os.environ.get("PYTHONPATH", "")])
    run = subprocess.run(
        [sys.executable, "-m", "isvmde", "datasets"],
        capture_output=True,
        text=True,
        env={**os.environ, "PYTHONPATH": path},
    )
    assert run.returncode == 2
    assert run.stderr == (
        "isvmde: the command line needs the package click: install isvmde[cli]\n"
    )


def test_a_terminal_gets_a_table_in_columns():
    pty = pytest.importorskip("pty", reason="no pseudo-terminals on this system")
    leader, follower = pty.openpty()
    process = subprocess.Popen(
        [sys.executable, "-m", "isvmde", "datasets"],
        stdout=follower,
        stderr=follower,
        env={**os.environ, "TERM": "xterm", "COLUMNS": "120"},
    )
    os.close(follower)
    seen = b""
    while True:
        try:
            chunk = os.read(leader, 4096)
        except OSError:
            break
        if not chunk:
            break
        seen += chunk
    os.close(leader)
    assert process.wait() == 0
    assert "\t" not in seen.decode()
    assert "\n  glass " in seen.decode().replace("\r", "")


@pytest.mark.skipif(os.name == "nt", reason="needs a shell")
@pytest.mark.parametrize("streams", [">&-", "<&-", "2>&-", "<&- >&- 2>&-"])
@pytest.mark.parametrize("words", ["--help", "datasets", FIT])
def test_closed_streams_end_nothing(tmp_path, words, streams):
    command = f"{sys.executable} -m isvmde {words} {streams}"
    run = subprocess.run(
        ["bash", "-c", command], capture_output=True, text=True, cwd=tmp_path
    )
    assert run.returncode == 0, run.stderr
    assert "Traceback" not in run.stdout + run.stderr


@pytest.mark.skipif(os.name == "nt", reason="needs a shell")
def test_a_closed_standard_input_is_an_empty_table(tmp_path):
    command = f"{sys.executable} -m isvmde fit - -o m.skops <&-"
    run = subprocess.run(
        ["bash", "-c", command], capture_output=True, text=True, cwd=tmp_path
    )
    assert run.returncode == 2
    assert run.stderr == "isvmde: standard input: the file is empty\n"


@pytest.mark.skipif(os.name == "nt", reason="needs a shell")
def test_workers_do_without_a_closed_error_stream(tmp_path):
    command = f"{sys.executable} -m isvmde compare zoo --methods SVM --jobs 2 2>&-"
    run = subprocess.run(
        ["bash", "-c", command], capture_output=True, text=True, timeout=120
    )
    assert run.returncode == 0
    assert run.stdout.splitlines()[1].startswith("SVM\t")
