"""One model from a table to its use: fit, predict, explain, inspect."""

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
from sklearn.datasets import load_iris
from sklearn.pipeline import make_pipeline

from isvmde import ISVMClassifier
from isvmde.model_file import load_model, save_model

SEARCH = ["--method", "i-SVM-DE", "--search", "pairwise", "--pop", "5", "--iter", "2"]
BAYES = ["--method", "sklearn.naive_bayes:GaussianNB"]  # for speed


@pytest.fixture
def searched(isvmde, patients, tmp_path):
    path = tmp_path / "searched.skops"
    words = ["fit", patients, "--target", "diagnosis", "--nominal", "ward"]
    code, _, err = isvmde(*words, "-o", path, *SEARCH)
    assert code == 0, err
    return path


@pytest.fixture
def model(isvmde, patients, tmp_path):
    path = tmp_path / "model.skops"
    code, _, err = isvmde("fit", patients, "-o", path, *BAYES)
    assert code == 0, err
    return path


def test_fit_prints_columns_classes_and_what_to_expect(isvmde, patients, tmp_path):
    code, out, err = isvmde("fit", patients, "-o", tmp_path / "m.skops", *BAYES)
    assert code == 0
    assert "using the column 'diagnosis' as the class" in err
    lines = [line.split() for line in out.splitlines()]
    assert ["marker", "numbers", "2", "46"] in lines
    assert ["sex", "categories", "1", "2"] in lines
    assert "48 rows, 3 classes: well (30), ill (12), rare (6)" in out
    assert "Rows the model did not see (5-fold cross-validation):" in out
    assert re.search(r"rare +6 +\d\.\d{3} +\d\.\d{3}", out)
    assert re.search(r"G-mean \d\.\d{3}   AvF \d\.\d{3}   CBA \d\.\d{3}", out)


@pytest.mark.parametrize(
    ("decomposition", "machines"), [("one-vs-rest", 3), ("dag", 3)]
)
def test_fit_with_another_decomposition(
    isvmde, patients, tmp_path, decomposition, machines
):
    path = tmp_path / "m.skops"
    words = ["fit", patients, "--target", "diagnosis", "-o", path, *SEARCH]
    code, _, err = isvmde(*words, "--decomposition", decomposition)
    assert code == 0, err
    classifier = load_model(path).pipeline[-1]
    assert classifier.decomposition == decomposition
    assert len(classifier.problems_) == machines


def test_fit_as_json(isvmde, patients, tmp_path):
    path = tmp_path / "m.skops"
    code, out, _ = isvmde("fit", patients, "-o", path, *BAYES, "--json")
    assert code == 0
    found = json.loads(out)
    assert found["rows"] == 48  # those with gaps too
    assert found["classes"] == {"ill": 12, "rare": 6, "well": 30}
    assert found["columns"][0] == {
        "column": "marker",
        "taken as": "numbers",
        "gaps": 2,
        "distinct": 46,
        "note": "",
    }
    assert [row["class"] for row in found["per_class"]] == ["ill", "rare", "well"]
    assert 0 <= found["g_mean"] <= 1
    assert found["model"] == str(path)
    assert load_model(path).columns == ["marker", "age", "sex", "ward"]


def test_the_same_seed_trains_the_same_model(isvmde, patients, tmp_path):
    decisions = []
    for name in ("one", "two"):
        path = tmp_path / f"{name}.skops"
        assert isvmde("fit", patients, "-o", path, *SEARCH, "--seed", 3)[0] == 0
        saved = load_model(path)
        table = saved.align(pd.read_csv(patients))
        decisions.append(saved.pipeline.decision_function(table))
    np.testing.assert_array_equal(*decisions)


def test_every_row_is_predicted_also_those_with_gaps(isvmde, model, patients, tmp_path):
    out_file = tmp_path / "out.csv"
    words = ["predict", model, patients, "-o", out_file, "--proba", "--keep", "age,sex"]
    code, out, err = isvmde(*words)
    assert (code, out) == (0, "")
    assert "against column 'diagnosis' (48 rows):" in err
    assert "support recall precision" in err
    assert "G-mean" in err
    assert "these seem to be the rows it was trained on" in err
    table = pd.read_csv(out_file)
    assert list(table) == ["age", "sex", "prediction"] + [
        f"proba_{name}" for name in ("ill", "rare", "well")
    ]
    assert len(table) == 48
    assert table["prediction"].notna().all()
    given = pd.read_csv(patients)
    pd.testing.assert_frame_equal(table[["age", "sex"]], given[["age", "sex"]])
    np.testing.assert_allclose(table.filter(like="proba").sum(axis=1), 1.0, atol=1e-5)
    best = table.filter(like="proba").idxmax(axis=1).str.removeprefix("proba_")
    assert best.tolist() == table["prediction"].tolist()


@pytest.mark.parametrize("dash", [[], ["-o", "-"]])
def test_predictions_are_printed_without_a_file(isvmde, model, patients, dash):
    code, out, _ = isvmde("predict", model, patients, *dash)
    assert code == 0
    assert out.splitlines()[0] == "prediction"
    assert len(out.splitlines()) == 49


def test_a_table_without_the_target_is_not_scored(isvmde, model, patients, tmp_path):
    new = tmp_path / "new.csv"
    pd.read_csv(patients).drop(columns="diagnosis").head(3).to_csv(new, index=False)
    code, out, err = isvmde("predict", model, new)
    assert code == 0
    assert len(out.splitlines()) == 4
    assert "against column" not in err


def test_unusual_new_rows_are_pointed_out(isvmde, model, patients, tmp_path):
    new = tmp_path / "new.csv"
    table = pd.read_csv(patients).head(3).astype({"age": object})
    table.loc[1, "age"] = "old"
    table.assign(sex="x").to_csv(new, index=False)
    code, out, err = isvmde("predict", model, new)
    assert code == 0
    assert len(out.splitlines()) == 4
    assert "column 'sex' has values that training did not have: 'x'" in err
    assert (
        "column 'age' has cells that are not numbers and count as missing: 'old'" in err
    )
    assert "against column 'diagnosis' (3 rows):" in err
    assert "trained on" not in err


def test_standard_input_and_output(patients, tmp_path):
    def run(*words, given):
        return subprocess.run(
            [sys.executable, "-m", "isvmde", *map(str, words)],
            input=given,
            capture_output=True,
        )

    model = tmp_path / "m.skops"
    content = patients.read_bytes()
    trained = run(
        "fit", "-", "--target", "diagnosis", "-o", model, *BAYES, given=content
    )
    assert trained.returncode == 0, trained.stderr
    predicted = run("predict", model, "-", "-o", "-", given=content)
    assert predicted.returncode == 0, predicted.stderr
    assert len(predicted.stdout.splitlines()) == 49
    assert b"Traceback" not in predicted.stderr


def test_inspect_shows_what_was_chosen_for_every_pair(isvmde, searched):
    code, out, _ = isvmde("inspect", searched)
    assert code == 0
    assert "i-SVM-DE, saved by isvmde" in out
    assert re.search(r"ward +categories", out)
    assert re.search(r"rare +6", out)
    assert "lambda1 of the smaller" not in out
    found = json.loads(isvmde("inspect", searched, "--json")[1])
    assert found["target"] == "diagnosis"
    assert {pair["plus"] for pair in found["pairs"]} == {"rare", "ill"}
    for pair in found["pairs"]:
        assert (pair["sigma"] is None) == (pair["kernel"] != "rbf")
        assert pair["degree"] is None or pair["kernel"] == "poly"


def test_inspect_shows_class_names_in_full(isvmde, patients, tmp_path):
    name = "a diagnosis with a name that is long but still a name"
    table = pd.read_csv(patients).replace({"diagnosis": {"rare": name}})
    table.to_csv(patients, index=False)
    path = tmp_path / "m.skops"
    assert isvmde("fit", patients, "-o", path, *SEARCH)[0] == 0
    assert isvmde("inspect", path)[1].count(name) == 3  # classes, two pairs


def test_inspect_other_classifiers(isvmde, model, patients, tmp_path):
    path = tmp_path / "m.skops"
    assert isvmde("fit", patients, "-o", path, "--method", "svm")[0] == 0
    assert "chosen: C " in isvmde("inspect", path)[1]
    code, out, _ = isvmde("inspect", model)
    assert code == 0
    assert "GaussianNB" in out
    assert "Pairs" not in out


def test_inspect_shows_classes_against_the_rest(isvmde, tmp_path):
    X, y = load_iris(return_X_y=True, as_frame=True)
    model = ISVMClassifier(decomposition="one-vs-rest", sigma=0.25).fit(X, y)
    path = save_model(make_pipeline(model).fit(X, y), tmp_path / "m.skops")
    code, out, _ = isvmde("inspect", path)
    assert code == 0
    assert "Binary problems" in out
    assert out.count("the rest") == 3
    found = json.loads(isvmde("inspect", path, "--json")[1])
    assert [row["plus"] for row in found["problems"]] == [0, 1, 2]


@pytest.fixture
def averaged(isvmde, patients, tmp_path):
    path = tmp_path / "averaged.skops"
    table = pd.read_csv(patients)
    table.loc[0, "diagnosis"] = None  # so that rows and samples are counted apart
    table.to_csv(patients, index=False)
    code, out, err = isvmde("fit", patients, "--target", "diagnosis", "-o", path)
    assert code == 0, err
    assert "Rows the model did not see (leave-one-out):" in out
    return path


def test_explain_names_classes_pairs_and_rows_of_the_file(isvmde, averaged, patients):
    code, out, _ = isvmde("explain", averaged, patients, "--row", 48)
    assert code == 0
    assert re.match(r"Row 48 is predicted as \w+, with probability 0\.\d{3}\.", out)
    words = ["explain", averaged, patients, "--row", 48, "--top", 400, "--json"]
    found = json.loads(isvmde(*words)[1])
    assert found["predicted"] == found["proba"][0]["class"]
    assert sum(row["probability"] for row in found["proba"]) == pytest.approx(1)
    assert len(found["pairs"]) == 2
    truth = pd.read_csv(patients)["diagnosis"]
    assert len(found["support"]) > 5
    for sample in found["support"]:
        assert truth[sample["row"] - 1] == sample["class"]


def test_explain_shows_what_is_in_the_rows_it_names(isvmde, averaged, patients):
    words = ["explain", averaged, patients, "--row", 48, "--keep", "ward"]
    found = json.loads(isvmde(*words, "--json")[1])
    table = pd.read_csv(patients)
    for sample in found["support"]:
        assert float(sample["ward"]) == table["ward"][sample["row"] - 1]
        marker = table["marker"][sample["row"] - 1]
        assert sample["marker"] == ("" if np.isnan(marker) else f"{marker:.6g}")
    out = isvmde(*words)[1]
    head = next(line for line in out.splitlines() if "contribution" in line)
    assert head.split()[:5] == ["row", "class", "contribution", "ward", "marker"]
    assert "this row" in out
    signs = {row["contribution"] > 0 for row in found["support"]}
    assert signs == {True, False}


def test_explain_does_without_the_training_table(isvmde, averaged, patients, tmp_path):
    new = tmp_path / "new.csv"
    patients.rename(new)
    code, out, err = isvmde("explain", averaged, new, "--row", 48)
    assert code == 0
    assert "contribution" in out
    assert "--training FILE" in err
    code, _, err = isvmde("explain", averaged, new, "--row", 48, "--training", new)
    assert (code, "--training" in err) == (0, False)
    pd.read_csv(new).head(20).to_csv(patients, index=False)
    words = "explain", averaged, new, "--row", 48
    assert "--training FILE" in isvmde(*words)[2]  # another table of that name
    code, _, err = isvmde(*words, "--training", patients)
    assert code == 2
    assert "has 20 rows" in err


def test_explain_a_row_that_is_not_there(isvmde, averaged, patients):
    code, _, err = isvmde("explain", averaged, patients, "--row", 49)
    assert code == 2
    assert "--row 49" in err
    assert "has 48 rows" in err


def test_inspect_shows_margins_kernels_and_weights(isvmde, averaged):
    code, out, _ = isvmde("inspect", averaged)
    assert code == 0
    for part in ("lambda1", "support vectors", "leave-one-out error", "weight"):
        assert part in out
    found = json.loads(isvmde("inspect", averaged, "--json")[1])
    assert len(found["pairs"]) == 3
    assert sum(row["weight"] for row in found["settings"]) == pytest.approx(1)
    linear = [row for row in found["settings"] if row["kernel"] == "linear"]
    assert all(row["sigma"] is None for row in linear)


def test_prior_and_scoring(isvmde, patients, tmp_path):
    path = tmp_path / "m.skops"
    words = ["fit", patients, "-o", path]
    assert isvmde(*words, "--prior", "ill=0.2,rare=0.1,well=0.7")[0] == 0
    prior = load_model(path).pipeline[-1].prior_
    np.testing.assert_allclose(prior, [0.2, 0.1, 0.7])
    assert isvmde(*words, "--scoring", "g_mean")[0] == 0
    for wrong in ("ill=0.2", "ill=0.2,rare=0.1,sad=0.7", "ill", "ill=x,rare=1,well=1"):
        code, _, err = isvmde(*words, "--prior", wrong)
        assert code == 2
        assert "--prior" in err


def test_a_data_set_by_name_from_fit_to_predict(isvmde, tmp_path):
    path = tmp_path / "zoo.skops"
    assert isvmde("fit", "zoo", "-o", path, *BAYES)[0] == 0
    code, out, err = isvmde("predict", path, "zoo")
    assert code == 0
    assert len(out.splitlines()) == 102
    assert "G-mean" in err


def test_the_target_in_other_capitals(isvmde, patients, tmp_path):
    path = tmp_path / "m.skops"
    words = ["fit", patients, "--target", "Diagnosis", "-o", path, *BAYES]
    assert isvmde(*words)[0] == 0
    assert load_model(path).target == "diagnosis"


def test_classes_may_be_numbers(isvmde, patients, tmp_path):
    codes = {"well": 0, "ill": 1, "rare": 2}
    table = pd.read_csv(patients)
    table["diagnosis"] = table["diagnosis"].map(codes)
    table.to_csv(patients, index=False)
    path = tmp_path / "m.skops"
    assert isvmde("fit", patients, "-o", path, *BAYES)[0] == 0
    code, out, err = isvmde("predict", path, patients)
    assert code == 0
    assert set(out.split()[1:]) == {"0", "1", "2"}
    scores = re.search(r"G-mean (\S+) +AvF (\S+) +CBA (\S+)", err).groups()
    assert min(map(float, scores)) > 0.5


def test_columns_are_chosen_by_options(isvmde, patients, tmp_path):
    path = tmp_path / "m.skops"
    words = ["fit", patients, "-o", path, *BAYES, "--json"]

    def taken(*options):
        found = json.loads(isvmde(*words, *options)[1])["columns"]
        return {row["column"]: row["taken as"] for row in found}

    assert taken("--drop", "ward,age")["age"] == "left out"
    assert taken("--nominal", "ward")["ward"] == "categories"
    only = taken("--features", "marker, sex")
    assert [name for name in only if only[name] != "left out"] == ["marker", "sex"]
    assert load_model(path).columns == ["marker", "sex"]


def test_a_model_with_types_of_others_needs_trust(isvmde, patients, tmp_path):
    path = tmp_path / "m.skops"
    tree = "sklearn.tree:DecisionTreeClassifier"
    code, _, err = isvmde("fit", patients, "-o", path, "--method", tree)
    assert code == 0
    assert f"to use {path}, add --trust" in err
    code, _, err = isvmde("predict", path, patients)
    assert code == 2
    assert "add --trust" in err
    code, out, _ = isvmde("predict", path, patients, "--trust")
    assert code == 0
    assert len(out.splitlines()) == 49


def test_an_interrupted_search_saves_its_best_and_exits_with_130(tmp_path):
    path, checkpoint = tmp_path / "m.skops", tmp_path / "search"
    words = ["fit", "glass", "-o", path, "--method", "i-SVM-DE", "--iter", 100_000]
    words += ["--pop", 10, "--checkpoint", checkpoint]
    process = subprocess.Popen(
        [sys.executable, "-m", "isvmde", *map(str, words)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )
    while process.poll() is None and not checkpoint.exists():
        time.sleep(0.1)
    os.kill(process.pid, signal.SIGINT)
    _, err = process.communicate(timeout=60)
    assert process.returncode == 130, err
    assert load_model(path).target
    assert "the best model found is saved" in err
    assert "Traceback" not in err


@pytest.fixture
def awkward(tmp_path):
    """A table whose classes are a terminal's control sequence and a formula."""
    rng = np.random.default_rng(0)
    names = np.repeat(["\x1b[31mred", "=cmd|' /C calc'!A0", "$^$"], [20, 12, 9])
    shift = pd.Series(names).map({name: i for i, name in enumerate(np.unique(names))})
    table = pd.DataFrame(
        {"x": rng.normal(2.0 * shift), "y": rng.normal(size=len(names))}
    )
    path = tmp_path / "awkward.csv"
    table.assign(kind=names).to_csv(path, index=False)
    return path


@pytest.mark.parametrize("method", ["i-SVM-LOO", "SVM"])
def test_names_of_classes_do_nothing_to_a_terminal(isvmde, awkward, tmp_path, method):
    model = tmp_path / "m.skops"
    said = [isvmde("fit", awkward, "--method", method, "-o", model)]
    said.append(isvmde("inspect", model))
    said.append(isvmde("predict", model, awkward, "-o", tmp_path / "out.csv"))
    said.append(isvmde("compare", awkward, "--methods", "SVM", "--jobs", 1))
    if method == "i-SVM-LOO":
        said.append(isvmde("explain", model, awkward, "--row", 1))
    for code, out, err in said:
        assert code == 0, err
        assert "\x1b" not in out + err
    assert r"\x1b[31mred" in said[0][1]


def test_a_formula_among_the_predictions_is_pointed_out(isvmde, awkward, tmp_path):
    """It is written as it is: another program must find the class it knows."""
    isvmde("fit", awkward, "--method", "SVM", "-o", tmp_path / "m.skops")
    out = tmp_path / "out.csv"
    _, _, err = isvmde("predict", tmp_path / "m.skops", awkward, "-o", out)
    assert "looks like a formula" in err
    assert "=cmd|' /C calc'!A0" in set(pd.read_csv(out)["prediction"])


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


def test_rows_of_a_subject_are_tested_together(isvmde, visits, tmp_path):
    """The classes are random, and only a subject's other rows tell them."""
    words = ["fit", visits, "-o", tmp_path / "m.skops", "--json"]
    words += ["--method", "sklearn.tree:DecisionTreeClassifier"]
    code, out, err = isvmde(*words, "--groups", "patient")
    assert code == 0, err
    honest = json.loads(out)
    assert [row["column"] for row in honest["columns"]] == ["a", "b", "c"]
    assert "subject" in honest["report"]
    code, out, err = isvmde(*words, "--drop", "patient")
    assert "nearly the same as another row of their class" in err
    assert "--groups COL" in err
    assert honest["g_mean"] < 0.75 < json.loads(out)["g_mean"]


def test_rows_that_repeat_are_pointed_out(isvmde, patients, tmp_path):
    table = pd.read_csv(patients)
    pd.concat([table, table[:10]]).to_csv(patients, index=False)
    words = ["fit", patients, "-o", tmp_path / "m.skops", *BAYES]
    code, _, err = isvmde(*words)
    assert code == 0
    assert "10 of 58 rows repeat another row exactly" in err


def test_groups_are_kept_whole_for_every_method(isvmde, visits, tmp_path):
    words = ["fit", visits, "-o", tmp_path / "m.skops", "--groups", "patient", "--json"]
    code, out, err = isvmde(*words)
    assert code == 0, err
    assert json.loads(out)["g_mean"] < 0.75
    assert re.search("subject|group", json.loads(out)["report"])


def test_predictions_as_an_excel_file(isvmde, model, patients, tmp_path):
    table = pd.read_csv(patients).assign(id="0007")
    table.loc[0, "id"] = "=1+1"
    table.to_csv(patients, index=False)
    out_file = tmp_path / "out.xlsx"
    words = ["predict", model, patients, "-o", out_file, "--keep", "id", "--proba"]
    for _ in range(2):  # the second time it replaces its own file
        code, _, err = isvmde(*words)
        assert code == 0, err
    assert "will be replaced" in err
    found = pd.read_excel(out_file, dtype={"id": str})
    assert found["id"].tolist() == ["=1+1", *["0007"] * (len(table) - 1)]
    assert found.columns[:2].tolist() == ["id", "prediction"]
    assert found["proba_well"].dtype == np.float64


def test_predictions_in_a_format_that_is_not_written(isvmde, model, patients, tmp_path):
    words = ["predict", model, patients, "-o"]
    code, _, err = isvmde(*words, tmp_path / "out.parquet")
    assert code == 2
    assert "end the name in .csv, .tsv or .xlsx" in err
    code, _, _ = isvmde(*words, tmp_path / "out.tsv", "--keep", "age")
    assert code == 0
    assert (tmp_path / "out.tsv").read_text().startswith("age\tprediction\n")
