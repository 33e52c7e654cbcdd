"""Notes in a model file: what anybody may have written there harms nobody."""

import pytest

from isvmde import ISVMClassifierCV
from isvmde.cli.training_notes import TrainingNotes
from isvmde.model_file import SavedModel, load_model, save_model

STRANGE = {
    "counts in a list": {"classes": [1]},
    "counts that are none": {"classes": {"well": "many"}},
    "counts below zero": {"classes": {"well": -1}},
    "a number for rows": {"rows_left_out": 5},
    "no rows": {"rows_left_out": None},
    "rows far away": {"rows_left_out": [10**30]},
    "more rows than there are": {"rows_left_out": list(range(900))},
    "a method of numbers": {"method": 5},
    "no source": {"source": None},
    "a source that is no path": {"source": "a\x00b"},
    "a long source": {"source": "x" * 5_000},
    "a folder": {"source": ".."},
    "standard input": {"source": "-"},
    "standard input in a folder": {"source": "/tmp/-"},
    "what inspect says itself": {"classifier": "another", "columns": 5, "target": []},
    "something of a program": {"deep": [[[[{"a": []}]]]], "nothing": None},
}


@pytest.fixture
def trained(isvmde, patients, tmp_path):
    path = tmp_path / "model.skops"
    assert isvmde("fit", patients, "--target", "diagnosis", "-o", path)[0] == 0
    return path


def renote(path, **notes):
    """Change what is noted in a model file."""
    saved = load_model(path)
    saved.notes.update(notes)
    save_model(saved, path)


@pytest.mark.parametrize("notes", STRANGE.values(), ids=STRANGE)
def test_no_note_stops_a_command(isvmde, trained, patients, notes):
    renote(trained, **notes)
    for words in (
        ["inspect", trained],
        ["inspect", trained, "--json"],
        ["explain", trained, patients, "--row", 1],
        ["predict", trained, patients],
        ["inspect", trained, "--columns", patients],
    ):
        code, out, err = isvmde(*words)
        assert code == 0, err
        assert out


def test_a_model_does_not_say_which_files_are_opened(
    isvmde, trained, patients, tmp_path, opened_files
):
    """`explain` would read any file that the author of the model likes."""
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    table = patients.rename(elsewhere / "training.csv")  # the very table
    new = tmp_path / "new.csv"
    new.write_bytes(table.read_bytes())
    renote(trained, source=str(table))
    with opened_files() as files:
        code, _, err = isvmde("explain", trained, new, "--row", 1)
    assert code == 0
    assert f"--training FILE (the model says it was '{table}')" in err
    assert str(new) in files
    assert not [name for name in files if "elsewhere" in name]


def test_the_training_table_is_found_beside_the_model(
    isvmde, trained, patients, tmp_path
):
    new = tmp_path / "new.csv"
    new.write_bytes(patients.read_bytes())
    for source in ("somewhere/patients.csv", r"C:\data\patients.csv"):
        renote(trained, source=source)
        code, out, err = isvmde("explain", trained, new, "--row", 1)
        assert (code, "--training" in err) == (0, False)
        assert "this row" in out


def test_notes_come_back_or_are_not_known():
    notes = TrainingNotes("SVM", "t.csv", 9, [1, 4], {"a": 5, "b": 4}, 0.5)

    model = ISVMClassifierCV(n_settings=2, random_state=0)
    saved = SavedModel(model.fit([[0], [1], [2]], [0, 1, 1]), notes=notes.to_dict())
    assert TrainingNotes.of(saved) == notes
    del saved.notes["rows"]
    assert TrainingNotes.of(saved) == TrainingNotes()
