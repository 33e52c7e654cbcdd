"""``isvmde compare``, ``benchmark`` and ``demo``: names, files and own methods."""

import json
import sys

import numpy as np
import pandas as pd
import pytest

from isvmde.bench import load_results
from isvmde.cli.benchmark import name_or_file
from isvmde.cli.compare import per_cent


def scores(**columns):
    table = pd.DataFrame({"method": ["a", "b", "c"], "fit_seconds": 1.0})
    for metric in ("g_mean", "av_f_beta", "cba"):
        table[metric] = columns.get(metric, [0.5, 0.6, 0.6])
        table[f"{metric}_sd"] = columns.get(f"{metric}_sd", 0.1)
    return table


def test_the_best_are_marked_and_none_where_all_are_alike():
    shown = per_cent(scores(g_mean=[0.0, 0.0, 0.0]))
    assert shown["G-mean"].tolist() == ["0.00 ± 10.00"] * 3
    assert ["*" in cell for cell in shown["AvF"]] == [False, True, True]


def test_a_method_without_scores_failed():
    shown = per_cent(scores(cba=[0.5, float("nan"), 0.4]))
    assert shown["CBA"].tolist() == ["50.00 ± 10.00 *", "failed", "40.00 ± 10.00"]


def test_one_repeat_has_a_spread_over_folds(isvmde, tmp_path):
    words = ["compare", "zoo", "--methods", "svm,sklearn.dummy:DummyClassifier"]
    code, out, err = isvmde(*words, "--folds", 3, "--jobs", 1)
    assert code == 0, err
    lines = [line.split("\t") for line in out.splitlines()]
    assert [line[0] for line in lines] == ["method", "SVM", "DummyClassifier"]
    assert all("±" in line[1] for line in lines[1:])
    assert "± is the standard deviation over folds" in err
    assert "6/6 folds" in err
    assert "rows" not in err


def test_a_method_that_does_not_exist_is_refused_with_the_names(isvmde):
    code, out, err = isvmde("compare", "zoo", "--methods", "SVN")
    assert (code, out) == (2, "")
    assert "there is no method 'SVN'; choose among SVM" in err
    assert "random forest" in err


def test_a_file_with_its_target_and_a_competitor(isvmde, patients, tmp_path):
    out = tmp_path / "b"
    words = ["--datasets", f"{patients}:diagnosis,zoo", "--methods", "random forest"]
    code, text, err = isvmde(
        "benchmark", "--out", out, *words, "--folds", 2, "--jobs", 1, "--json"
    )
    assert code == 0, err
    assert json.loads(text)["failed"] == 0
    results = load_results(out)
    assert set(results.rows["dataset"]) == {"patients", "zoo"}
    classes = results.datasets["patients"]["classes"]
    assert set(classes) == {"ill", "rare", "well"}


def test_a_method_of_a_file_in_this_folder(isvmde, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", list(sys.path))
    (tmp_path / "own_methods.py").write_text(
        "from sklearn.dummy import DummyClassifier\nusual = DummyClassifier()\n"
    )
    code, out, err = isvmde("compare", "zoo", "--methods", "own_methods:usual")
    assert code == 0, err
    assert "usual" in out


def test_names_files_and_targets(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "a.csv").write_text("x")
    assert name_or_file("glass") == "glass"
    assert name_or_file("a.csv") == "a.csv"
    assert name_or_file("a.csv:kind") == ("a.csv", "kind")


@pytest.mark.slow
def test_the_demo_opens_with_the_picture_of_the_classes(isvmde, tmp_path):
    code, out, err = isvmde("demo", "--out", tmp_path / "demo")
    assert code == 0, err
    names = [line.split("\t")[0] for line in out.splitlines()[1:]]
    assert names == ["i-SVM-LOO", "i-SVM-DE-AVE", "balanced SVC", "random forest"]
    page = (tmp_path / "demo" / "report.html").read_text(encoding="utf-8")
    picture = page.index('id="figure-recall-hcv"')  # beside the summary
    assert page.index('id="section-1"') < picture < page.index('id="section-2"')


@pytest.fixture
def visits(tmp_path):
    """Write a table of 30 subjects of random classes, with three alike visits each."""
    rng = np.random.default_rng(0)
    subject = np.repeat(np.arange(30), 3)
    values = rng.normal(size=(30, 3))[subject] + rng.normal(scale=0.01, size=(90, 3))
    table = pd.DataFrame(values, columns=["a", "b", "c"])
    table["patient"] = [f"{number:03}" for number in subject]
    table["kind"] = np.where(subject % 3 == 0, "ill", "well")
    path = tmp_path / "visits.csv"
    table.to_csv(path, index=False)
    return path


def test_groups_stay_on_one_side_of_a_fold(isvmde, visits):
    method = "sklearn.tree:DecisionTreeClassifier"
    words = ["compare", visits, "--target", "kind", "--methods", method, "--jobs", 1]
    code, out, err = isvmde(*words, "--groups", "patient", "--json")
    assert code == 0, err
    honest = json.loads(out)[0]["g_mean"]
    code, out, _ = isvmde(*words, "--drop", "patient", "--json")
    assert honest < 0.75 < json.loads(out)[0]["g_mean"]


def test_groups_that_say_nothing_are_refused(isvmde, visits):
    table = pd.read_csv(visits).assign(ward="A")
    table.to_csv(visits, index=False)
    words = ["compare", visits, "--target", "kind", "--methods", "SVM"]
    code, _, err = isvmde(*words, "--groups", "ward")
    assert code == 2
    assert "all rows are in one group" in err
    code, _, err = isvmde(*words, "--groups", "wrad")
    assert code == 2
    assert "there is no column 'wrad'; did you mean 'ward'" in err


def test_options_on_columns_reach_the_comparison(isvmde, patients, tmp_path):
    words = ["compare", patients, "--target", "diagnosis", "--jobs", 1]
    words += ["--methods", "sklearn.dummy:DummyClassifier", "--out", tmp_path / "b"]
    code, _, err = isvmde(*words, "--nominal", "ward", "--drop", "age")
    assert code == 0, err
    described = load_results(tmp_path / "b").datasets["patients"]
    assert (described["numeric"], described["nominal"]) == (1, 2)
