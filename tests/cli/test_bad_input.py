"""Bad input gives exit code 2 and one sentence, and no traceback."""

import json
import pickle
import zipfile
from pathlib import Path

import pandas as pd
import pytest
from sklearn.pipeline import make_pipeline
from sklearn.svm import SVC

from isvmde.baselines import OVOSVM
from isvmde.bench import run_benchmark
from isvmde.model_file import SavedModel, save_model
from isvmde.tables import TablePreprocessor, read_table, split_target


@pytest.fixture
def here(tmp_path, monkeypatch, patients):
    """A working directory with a table and a model of it."""
    monkeypatch.chdir(tmp_path)
    X, y = split_target(read_table(patients), "diagnosis")
    pipeline = make_pipeline(TablePreprocessor(), OVOSVM()).fit(X, y)
    model = SavedModel(pipeline, "diagnosis")
    save_model(model, "model.skops")
    return tmp_path


@pytest.fixture
def refused(isvmde):
    """Run a command that must be refused, and return its sentence."""

    def run(words):
        code, out, err = isvmde(*words.split())
        assert code == 2
        assert out == ""
        assert err.startswith("isvmde: ")
        assert err.count("\n") <= 2  # a remark on the table may come before
        assert "Traceback" not in err
        return err.splitlines()[-1]

    return run


FIT = [
    ("fit nowhere.csv -o m.skops", "nowhere.csv"),
    ("fit nonsense -o m.skops", "no data set of that name"),
    ("fit patients.csv --target mood -o m.skops", "no column 'mood'"),
    ("fit glass --target mood -o m.skops", "no column 'mood'"),
    ("fit one-class.csv --target y -o m.skops", "only one class, 'a'"),
    ("fit empty.csv --target y -o m.skops", "empty.csv"),
    ("fit header.csv --target y -o m.skops", "no rows"),
    ("fit gaps.csv --target y -o m.skops", "no column is left to learn from"),
    ("fit numbers.csv --target y -o m.skops", "look like measurements"),
    ("fit infinity.csv --target y -o m.skops", "infinity.csv: column 'x' has infinity"),
    ("fit twice.csv --target y -o m.skops", "more than one column is named 'y'"),
    ("fit binary.csv --target y -o m.skops", "binary.csv"),
    ("fit patients.csv --target diagnosis --nominal mood -o m.skops", "mood"),
    ("fit notes.txt --target y -o m.skops", "notes.txt"),
    ("fit . -o m.skops", "is a directory"),
    ("fit patients.csv --target diagnosis", "Missing option '-o'"),
    ("fit glass -o no/such/folder/m.skops", "folder no/such/folder"),
    ("fit glass -o .", "is a directory"),
    ("fit glass -o m.skops --checkpoint no/such/c", "folder no/such"),
    ("fit patients.csv --sep ab -o m.skops", "must be one character"),
    ("fit patients.csv --encoding klingon -o m.skops", "no encoding 'klingon'"),
    ("fit patients.csv --sheet 2 -o m.skops", "only an Excel file has sheets"),
    ("fit glass --sep ; -o m.skops", "is a built-in data set; --sep"),
    ("fit patients.csv --drop mood -o m.skops", "no column 'mood'"),
    ("fit patients.csv --features mood -o m.skops", "no column 'mood'"),
    ("fit patients.csv --numeric sex -o m.skops", "'sex' has no numbers"),
    ("fit glass -o -", "cannot be written to standard output"),
    ("fit glass -o m.skops --method Magic", "no method 'Magic'"),
    ("fit glass -o m.skops --method SVMM", "choose among SVM, "),
    ("fit glass -o m.skops --method nowhere:Magic", "cannot be imported"),
    ("fit glass -o m.skops --method SVM --pop 5", "--pop belongs to i-SVM-DE"),
    ("fit glass -o m.skops --method SVM --prior training", "belongs to i-SVM-LOO"),
    ("fit glass -o m.skops --method i-SVM-DE --prior training", "to i-SVM-LOO, not to"),
    ("fit glass -o m.skops --search pairwise", "--search belongs to i-SVM-DE"),
    ("fit glass -o m.skops --method i-SVM-DE-MAX --fitness ave", "fitness 'max'"),
    ("fit glass -o m.skops --pop 4", "4 is not in the range x>=5"),
    ("fit glass -o m.skops --pop many", "'many' is not a valid integer"),
    ("fit glass -o m.skops --iter 0", "0 is not in the range x>=1"),
    ("fit glass -o m.skops --seed -1", "-1 is not in the range"),
    ("fit glass -o m.skops --jobs 0", "must not be 0"),
    ("fit glass -o m.skops --time-limit 0", "is not in the range x>0"),
    ("fit glass -o m.skops --method i-SVM-DE --time-limit nan", "nan"),
    ("fit glass -o m.skops --fitness best", "'best' is not one of"),
    ("fit glass -o m.skops --search wide", "'wide' is not one of"),
]


def write_tables():
    """Write the tables the commands above complain about."""
    pd.DataFrame({"x": [1.0, 2.0], "y": ["a", "a"]}).to_csv(
        "one-class.csv", index=False
    )
    Path("empty.csv").touch()
    Path("header.csv").write_text("x,y\n")
    Path("gaps.csv").write_text("x,z,y\n?,,a\n,n/d,b\n,,a\n")
    numbers = {"x": range(200), "y": [i / 7 for i in range(200)]}
    pd.DataFrame(numbers).to_csv("numbers.csv", index=False)
    Path("infinity.csv").write_text("x,z,y\n1,1,a\ninf,2,b\n3,3,a\n")
    Path("twice.csv").write_text("y,x,y\na,1,a\nb,2,b\na,3,a\n")
    Path("binary.csv").write_bytes(bytes(range(256)) * 4)
    Path("notes.txt").write_text("hello")


@pytest.mark.parametrize(("words", "part"), FIT, ids=[words for words, _ in FIT])
def test_fit(here, isvmde, words, part):
    write_tables()
    code, out, err = isvmde(*words.split())
    assert (code, out) == (2, "")
    # Rows with missing values are counted aloud before.
    assert part in err.splitlines()[-1]
    assert "Traceback" not in err
    assert not (here / "m.skops").exists()


def test_fit_into_a_folder_that_cannot_be_written(here, refused, monkeypatch):
    # The tests may run as root, who may write anywhere, so the answer is given here.
    monkeypatch.setattr("os.access", lambda path, mode: False)
    assert "cannot be written" in refused("fit glass -o m.skops")


def test_predict_without_a_column(here, refused):
    pd.read_csv("patients.csv").drop(columns="age").to_csv("new.csv", index=False)
    assert "no column 'age'" in refused("predict model.skops new.csv")


def test_predict_text_alone_where_the_model_learned_numbers(here, refused):
    table = pd.read_csv("patients.csv").assign(age="old")
    table.to_csv("new.csv", index=False)
    assert "'age' has no numbers" in refused("predict model.skops new.csv")


def test_predict_keeps_only_columns_that_are_there(here, refused):
    message = refused("predict model.skops patients.csv --keep mood")
    assert "patients.csv: there is no column 'mood'" in message


def test_explain_needs_a_row_and_a_model_that_can(here, refused):
    assert "Missing option '--row'" in refused("explain model.skops patients.csv")
    assert "cannot explain" in refused("explain model.skops patients.csv --row 1")


def test_long_arguments_and_cells_are_not_repeated_in_full(here, refused):
    long = "x" * 3000
    for words in (f"fit {long} -o m.skops", f"fit glass --target {long} -o m.skops"):
        assert len(refused(words)) < 700
    assert len(refused(f"fit glass -o m.skops --method {long}")) < 700
    assert len(refused(f"{long}")) < 700
    Path("cell.csv").write_text("a,b\n1,2\n1,2," + "z" * 40_000 + "\n")
    assert len(refused("predict model.skops cell.csv")) < 700


def test_predict_without_a_file(here, refused):
    assert "nowhere.csv" in refused("predict model.skops nowhere.csv")
    assert "no file nowhere.skops" in refused("predict nowhere.skops patients.csv")


def test_predict_into_a_missing_folder(here, refused):
    command = "predict model.skops patients.csv -o no/out.csv"
    assert "folder no" in refused(command)


@pytest.mark.parametrize(
    "command", ["predict model.skops patients.csv", "inspect model.skops"]
)
def test_a_truncated_model(here, refused, command):
    content = (here / "model.skops").read_bytes()
    (here / "model.skops").write_bytes(content[: len(content) // 2])
    assert "only a part of one" in refused(command)


def test_a_model_of_another_version(here, refused):
    with zipfile.ZipFile("model.skops") as archive:
        parts = {name: archive.read(name) for name in archive.namelist()}
    notes = json.loads(parts["isvmde.json"])
    notes["model"]["version"] = "7.0.0"
    parts["isvmde.json"] = json.dumps(notes).encode()
    with zipfile.ZipFile("model.skops", "w") as archive:
        for name, content in parts.items():
            archive.writestr(name, content)
    assert "saved by isvmde 7.0.0" in refused("inspect model.skops")


def test_a_table_or_a_pickle_as_model(here, refused):
    assert "not a model file" in refused("inspect patients.csv")
    (here / "model.pkl").write_bytes(pickle.dumps({"a": 1}))
    assert "not a model file" in refused("predict model.pkl patients.csv")


COMPARE = [
    ("compare glass --methods SVM,Magic", "no method 'Magic'"),
    ("compare glass --folds 1", "neither a whole number of at least 2"),
    ("compare glass --repeats 0", "0 is not in the range x>=1"),
    ("compare glass --folds 100 --methods SVM", "at most that many folds"),
    ("benchmark --out b --methods Magic", "no method 'Magic'"),
    (
        "benchmark --out b --datasets glass,atlantis",
        "there is no file atlantis",
    ),
    ("benchmark --out patients.csv --methods SVM", "cannot write results into"),
    ("benchmark --out b --repeats none", "'none' is not a valid integer"),
    ("benchmark --out b --preset huge", "'huge' is not one of"),
    ("benchmark", "Missing option '--out'"),
    ("report nowhere", "no results in nowhere"),
    ("report patients.csv", "is not an exported results file"),
    ("frobnicate", "No such command 'frobnicate'"),
    ("datasets --upload", "No such option"),
    ("report", "Missing argument 'RESULTS'"),
]


@pytest.mark.parametrize(
    ("words", "part"), COMPARE, ids=[words for words, _ in COMPARE]
)
def test_compare_benchmark_report(here, refused, words, part):
    assert part in refused(words)


def test_benchmark_without_a_scheduler(here, refused, impatient_dask):
    words = "benchmark --out b --methods SVM --dask tcp://nowhere.invalid:1"
    assert "no Dask scheduler" in refused(words)


def plain_svc(random_state):
    return SVC()


def test_benchmark_with_another_seed_into_the_same_directory(here, refused):
    run_benchmark(["zoo"], {"SVM": plain_svc}, store="b", seed=1, budget="quick")
    message = refused("benchmark --out b --datasets zoo --methods SVM")
    assert "holds results with seed 1, but this run has seed 0" in message
