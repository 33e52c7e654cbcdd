"""No command writes over what it reads, nor in silence over anything else."""

import contextlib
import os
import shutil
import subprocess
import sys

import pandas as pd
import pytest

from isvmde.__main__ import main
from isvmde.bench import run_benchmark
from isvmde.classifiers.given import ISVMClassifier
from isvmde.cli.overwriting import is_predictions
from tests.cli.conftest import write_patients


@pytest.fixture(scope="module")
def prepared(tmp_path_factory):
    """A folder with a table, a model, a store and its report, which nobody changes."""
    folder = tmp_path_factory.mktemp("prepared")
    with contextlib.chdir(folder):
        write_patients("patients.csv")
        words = ["patients.csv", "--target", "diagnosis", "--method", "SVM"]
        assert main(["fit", *words, "-o", "m.skops"]) == 0
        run_benchmark(["zoo"], {"svm": ISVMClassifier()}, store="b")
        assert main(["report", "b", "--export", "rows.csv", "--out", "r"]) == 0
    return folder


@pytest.fixture
def here(tmp_path, prepared, monkeypatch):
    """A copy of that folder, and the command line in it."""
    shutil.copytree(prepared, tmp_path, dirs_exist_ok=True)
    monkeypatch.chdir(tmp_path)
    return tmp_path


SPELLINGS = {
    "as it is": lambda path: path,
    "through a folder": lambda path: path.parent / ".." / path.parent.name / path.name,
    "absolute": lambda path: path.absolute(),
    "a link": lambda path: linked(path, os.symlink),
    "a hard link": lambda path: linked(path, os.link),
}


def linked(path, link):
    other = path.with_name(f"other-{path.name}")
    link(path, other)
    return other


@pytest.mark.skipif(os.name == "nt", reason="links need rights on Windows")
@pytest.mark.parametrize("spelling", SPELLINGS)
def test_what_is_read_is_never_written_over(here, isvmde, spelling):
    """Not even with --force."""
    spell = SPELLINGS[spelling]
    table, model, rows = (here / n for n in ("patients.csv", "m.skops", "rows.csv"))
    store = here / "b" / "results.sqlite"
    before = {path: path.read_bytes() for path in (table, model, rows, store)}
    commands = [
        ["predict", model, table, "-o", spell(table)],
        ["predict", model, table, "-o", spell(model)],
        ["fit", table, "--method", "SVM", "-o", table],
        ["report", "b", "--export", spell(store)],
        ["report", rows, "--out", "new", "--export", spell(rows)],
    ]
    for command in commands:
        code, _, err = isvmde(*command, "--force")
        assert code == 2, command
        assert "is a file that this command reads" in err, command
    for path, content in before.items():
        assert path.read_bytes() == content, path


def test_a_checkpoint_is_neither_the_table_nor_the_model(here, isvmde):
    words = ["fit", "patients.csv", "--method", "i-SVM-DE", "-o", "new.skops"]
    code, _, err = isvmde(*words, "--checkpoint", "patients.csv")
    assert code == 2
    assert "reads" in err
    code, _, err = isvmde(*words, "--checkpoint", "new.skops")
    assert code == 2
    assert "another file that this command writes" in err


def test_standard_input_is_read_too(here):
    command = [sys.executable, "-m", "isvmde", "predict", "m.skops", "-"]
    with open("patients.csv") as table:
        run = subprocess.run(
            [*command, "-o", "patients.csv", "--force"],
            stdin=table,
            capture_output=True,
            text=True,
        )
    assert run.returncode == 2
    assert "reads" in run.stderr


def test_results_are_not_kept_in_a_table_that_is_compared(here, isvmde):
    table = here / "folder" / "results.sqlite"
    table.parent.mkdir()
    table.write_bytes((here / "patients.csv").read_bytes())
    code, _, err = isvmde("compare", table, "--out", "folder", "--methods", "SVM")
    assert code == 2
    assert "reads" in err
    words = ["--datasets", "folder/results.sqlite:diagnosis", "--methods", "SVM"]
    assert isvmde("benchmark", "--out", "folder", *words)[0] == 2
    assert table.read_bytes() == (here / "patients.csv").read_bytes()


def test_the_same_command_again_replaces_its_file_and_says_so(here, isvmde):
    commands = [
        ["predict", "m.skops", "patients.csv", "-o", "out.csv"],
        ["fit", "patients.csv", "--method", "SVM", "-o", "m.skops"],
        ["report", "b", "--out", "r", "--export", "rows.csv"],
    ]
    for command in commands:
        isvmde(*command)
        code, _, err = isvmde(*command)
        assert code == 0, err
        assert "already exists and will be replaced" in err, command


@pytest.mark.parametrize("name", ["out.csv", "out.tsv", "out.xlsx"])
def test_predictions_with_somebodys_comments_need_force(here, isvmde, name):
    words = ["predict", "m.skops", "patients.csv", "--proba", "--keep", "age"]
    for _ in range(2):
        assert isvmde(*words, "-o", name)[0] == 0
    if name == "out.xlsx":
        pd.read_excel(name).assign(comment="ask again").to_excel(name, index=False)
    else:
        sep = "\t" if name == "out.tsv" else ","
        commented = pd.read_csv(name, sep=sep).assign(comment="ask again")
        commented.to_csv(name, index=False, sep=sep)
    before = (here / name).read_bytes()
    code, _, err = isvmde(*words, "-o", name)
    assert code == 2
    assert "add --force to replace it" in err
    assert (here / name).read_bytes() == before


def test_classes_with_commas_are_predictions_all_the_same(tmp_path):
    path = tmp_path / "out.csv"
    path.write_text('age,prediction,"proba_a, b",proba_c\n')
    assert is_predictions(path)
    path.write_text('prediction,"it says, no"\n')
    assert not is_predictions(path)
    path.write_text("")
    assert not is_predictions(path)


def test_other_files_need_force(here, isvmde):
    notes = here / "notes.txt"
    commands = [
        ["predict", "m.skops", "patients.csv", "-o"],
        ["fit", "patients.csv", "--method", "SVM", "-o"],
        ["report", "b", "--out", "r", "--export"],
    ]
    for command in commands:
        notes.write_text("mine")
        code, _, err = isvmde(*command, "notes.txt")
        assert code == 2, command
        assert "add --force to replace it" in err
        assert notes.read_text() == "mine"
        assert isvmde(*command, "notes.txt", "--force")[0] == 0
        assert notes.read_bytes() != b"mine"


def test_a_report_replaces_a_report_and_nothing_else(here, isvmde):
    assert isvmde("report", "b", "--out", "r")[0] == 0
    (here / "mine" / "tables").mkdir(parents=True)
    (here / "mine" / "tables" / "cba.csv").write_text("mine")
    code, _, err = isvmde("report", "b", "--out", "mine")
    assert code == 2
    assert "cba.csv already exists and is not part of a report" in err
    assert (here / "mine" / "tables" / "cba.csv").read_text() == "mine"
    assert isvmde("report", "b", "--out", "mine", "--force")[0] == 0


def test_predictions_can_be_written_to_a_device(here):
    command = [sys.executable, "-m", "isvmde", "predict", "m.skops", "patients.csv"]
    run = subprocess.run(
        [*command, "-o", "/dev/stdout"], capture_output=True, text=True
    )
    assert run.returncode == 0, run.stderr
    assert run.stdout.startswith("prediction\n")
