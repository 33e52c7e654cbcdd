import json
import os
import re
import signal
import subprocess
import sys
import time

import numpy as np
import pandas as pd
import pytest

from isvmde.bench import StoreError, load_results
from isvmde.model_file import load_model

FAST = ["--search", "pairwise", "--pop", "5", "--iter", "2"]


@pytest.fixture
def model(isvmde, patients, tmp_path):
    path = tmp_path / "patients.skops"
    words = ["fit", patients, "--target", "diagnosis", "--nominal", "ward"]
    code, _, err = isvmde(*words, "-o", path, *FAST)
    assert code == 0, err
    return path


def test_help_and_version(isvmde):
    code, out, _ = isvmde("--help")
    assert code == 0
    for command in [
        "demo",
        "datasets",
        "fit",
        "predict",
        "inspect",
        "compare",
        "benchmark",
        "report",
    ]:
        assert command in out
        code, text, _ = isvmde(command, "--help")
        assert code == 0
        assert "Examples:" in text or command == "demo"
    assert isvmde("--version")[1].startswith("isvmde 0.")


def test_datasets_as_lines_and_as_json(isvmde):
    code, out, _ = isvmde("datasets")
    assert code == 0
    lines = out.splitlines()
    assert len(lines) == 16
    assert lines[0].split("\t")[:2] == ["name", "rows"]
    assert lines[-1].startswith("zoo\t101\t0\t16\t7\t4\t10.25\tUCI Zoo")
    found = json.loads(isvmde("datasets", "--json")[1])
    assert {row["name"]: row["rows"] for row in found}["glass"] == 214


def test_fit_counts_rows_it_leaves_out_and_says_what_it_saved(
    isvmde, patients, tmp_path
):
    path = tmp_path / "m.skops"
    code, out, err = isvmde("fit", patients, "-o", path, *FAST, "--json")
    assert code == 0
    assert "3 of 48 rows have missing values and are left out" in err
    assert "taking the last column, 'diagnosis', as the class" in err
    summary = json.loads(out)
    assert summary["rows"] == 45
    assert summary["classes"] == {"ill": 11, "rare": 6, "well": 28}
    assert summary["model"] == str(path)
    assert load_model(path).columns == ["marker", "age", "sex", "ward"]


def test_fit_is_repeatable(isvmde, patients, tmp_path):
    decisions = []
    for name in ("one", "two"):
        path = tmp_path / f"{name}.skops"
        isvmde("fit", patients, "-o", path, *FAST, "--seed", 3)
        saved = load_model(path)
        table = pd.read_csv(patients).dropna()
        decisions.append(saved.pipeline.decision_function(saved.align(table)))
    np.testing.assert_array_equal(*decisions)


def test_predict_writes_a_row_for_a_row(isvmde, model, patients, tmp_path):
    out_file = tmp_path / "out.csv"
    code, out, err = isvmde("predict", model, patients, "-o", out_file, "--proba")
    assert (code, out) == (0, "")
    assert "3 of 48 rows have missing values and get an empty prediction" in err
    assert "against column 'diagnosis': G-mean" in err
    table = pd.read_csv(out_file)
    assert list(table) == ["prediction", "proba_ill", "proba_rare", "proba_well"]
    assert len(table) == 48
    empty = table.index[table["prediction"].isna()].tolist()
    assert empty == [3, 7, 40]
    whole = table.drop(index=empty)
    np.testing.assert_allclose(whole.filter(like="proba").sum(axis=1), 1.0)
    best = whole.filter(like="proba").idxmax(axis=1).str.removeprefix("proba_")
    assert best.tolist() == whole["prediction"].tolist()


def test_predict_prints_without_a_file_and_needs_no_target(
    isvmde, model, patients, tmp_path
):
    new = tmp_path / "new.csv"
    pd.read_csv(patients).drop(columns="diagnosis").head(3).to_csv(new, index=False)
    code, out, err = isvmde("predict", model, new)
    assert code == 0
    assert out.splitlines()[0] == "prediction"
    assert len(out.splitlines()) == 4
    assert "against column" not in err


def test_predict_tells_of_values_it_never_saw(isvmde, model, patients, tmp_path):
    new = tmp_path / "new.csv"
    pd.read_csv(patients).head(3).assign(sex="x").to_csv(new, index=False)
    code, _, err = isvmde("predict", model, new)
    assert code == 0
    assert "column 'sex' has values the model never saw" in err


def test_predict_a_table_of_missing_values_only(isvmde, model, patients, tmp_path):
    new = tmp_path / "new.csv"
    pd.read_csv(patients).loc[[3, 40]].to_csv(new, index=False)
    code, out, _ = isvmde("predict", model, new, "--proba")
    assert code == 0
    assert out.splitlines()[1:] == [",,,"] * 2


def test_inspect_shows_every_pair(isvmde, model):
    code, out, err = isvmde("inspect", model)
    assert code == 0
    lines = out.splitlines()
    assert lines[0].split("\t")[:2] == ["plus", "minus"]
    assert len(lines) == 4
    assert "nominal columns: sex, ward" in err
    found = json.loads(isvmde("inspect", model, "--json")[1])
    assert found["target"] == "diagnosis"
    assert {pair["plus"] for pair in found["pairs"]} == {"rare", "ill"}
    assert all(pair["kernel"] in ("linear", "rbf", "poly") for pair in found["pairs"])


def test_a_data_set_by_name_from_fit_to_predict(isvmde, tmp_path):
    path = tmp_path / "zoo.skops"
    assert isvmde("fit", "zoo", "-o", path, *FAST)[0] == 0
    code, out, err = isvmde("predict", path, "zoo")
    assert code == 0
    assert len(out.splitlines()) == 102
    assert "G-mean" in err


def test_classes_may_be_numbers(isvmde, patients, tmp_path):
    codes = {"well": 0, "ill": 1, "rare": 2}
    table = pd.read_csv(patients)
    table["diagnosis"] = table["diagnosis"].map(codes)
    table.to_csv(patients, index=False)
    path = tmp_path / "m.skops"
    assert isvmde("fit", patients, "-o", path, *FAST)[0] == 0
    code, out, err = isvmde("predict", path, patients)
    assert code == 0
    assert set(out.split()[1:]) <= {"0", "1", "2", '""'}
    scores = re.search(r"G-mean (\S+), AvF (\S+), CBA (\S+)", err).groups()
    assert min(map(float, scores)) > 0.5


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
    assert f"finished folds are kept in {out}; the same command goes on" in err
    assert "Traceback" not in err
    assert len(load_results(out)) > 2


def test_an_interrupted_fit_saves_its_best_and_exits_with_130(tmp_path):
    path = tmp_path / "m.skops"
    checkpoint = tmp_path / "search"
    words = ["fit", "glass", "-o", path, "--iter", 100_000, "--pop", 10]
    process = start(*words, "--checkpoint", checkpoint)
    _, err = interrupt(process, signal.SIGINT, checkpoint.exists)
    assert process.returncode == 130, err
    assert load_model(path).target
    assert "Traceback" not in err


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


def test_a_terminal_gets_a_table_and_a_bar(tmp_path):
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
    assert "┃" in seen.decode()
    assert "glass" in seen.decode()


@pytest.mark.slow
def test_the_demo_ends_in_about_a_minute_and_writes_its_report(isvmde, tmp_path):
    started = time.monotonic()
    code, out, err = isvmde("demo", "--out", tmp_path / "demo")
    assert code == 0, err
    assert time.monotonic() - started < 150
    assert [line.split("\t")[0] for line in out.splitlines()[1:]] == [
        "balanced SVC",
        "i-SVM-DE",
    ]
    assert (tmp_path / "demo" / "report.html").is_file()
    assert (tmp_path / "demo" / "figures" / "recall.svg").is_file()
