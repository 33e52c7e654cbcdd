import json
import pickle
import zipfile

import numpy as np
import pandas as pd
import pytest
from sklearn.pipeline import make_pipeline
from sklearn.svm import SVC
from sklearn.utils import Bunch

from isvmde.datasets import make_preprocessor
from isvmde.model_file import ModelFileError, SavedModel, load_model, save_model

TABLE = pd.DataFrame(
    {
        "size": [1.0, 2.0, 3.0, 4.0, 5.0, 6.0],
        "colour": pd.Categorical(["red", "blue", "red", "blue", "red", "green"]),
        "code": pd.Categorical(["1", "2", "1", "2", "1", "2"]),
    }
)
TARGET = np.array(["a", "a", "b", "b", "c", "c"])


def make_model(**notes):
    numeric, nominal = ["size"], ["colour", "code"]
    bunch = Bunch(data=TABLE, target=TARGET, numeric=numeric, nominal=nominal)
    pipeline = make_pipeline(make_preprocessor(bunch), SVC(C=10.0))
    pipeline.fit(TABLE, TARGET)
    return SavedModel(pipeline, "kind", numeric, nominal, notes)


@pytest.fixture
def path(tmp_path):
    return save_model(make_model(rows=6), tmp_path / "model.skops")


def rewrite_notes(path, **changes):
    """Change what a model file says of itself."""
    with zipfile.ZipFile(path) as archive:
        parts = {name: archive.read(name) for name in archive.namelist()}
    notes = json.loads(parts["isvmde.json"])
    notes["model"].update(changes)
    parts["isvmde.json"] = json.dumps(notes)
    with zipfile.ZipFile(path, "w") as archive:
        for name, content in parts.items():
            archive.writestr(name, content)


def test_a_model_comes_back_with_all_it_needs(path):
    saved = load_model(path)
    original = make_model()
    np.testing.assert_array_equal(
        saved.pipeline.decision_function(TABLE),
        original.pipeline.decision_function(TABLE),
    )
    assert saved.columns == ["size", "colour", "code"]
    assert (saved.target, saved.numeric, saved.nominal, saved.notes) == (
        "kind",
        ["size"],
        ["colour", "code"],
        {"rows": 6},
    )


def test_saving_leaves_no_half_file(tmp_path):
    model = make_model()
    model.pipeline[-1].cannot_be_saved = [{("a", "b"): 1}]
    target = tmp_path / "model.skops"
    target.write_text("older model")
    with pytest.raises(TypeError, match="keys must be str"):
        save_model(model, target)
    assert target.read_text() == "older model"
    assert list(tmp_path.iterdir()) == [target]


def test_columns_are_found_by_name_and_typed_as_in_training():
    table = pd.DataFrame(
        {
            "further": [0, 0],
            "code": [1, 2],  # numbers that were codes in training
            "colour": ["red", "blue"],
            "size": ["1", "2.5"],  # numbers that were read as text
        }
    )
    aligned = make_model().align(table)
    assert list(aligned) == ["size", "colour", "code"]
    assert aligned["code"].tolist() == ["1", "2"]
    assert aligned["size"].tolist() == [1.0, 2.5]


def test_missing_values_stay_missing():
    table = TABLE.astype({"colour": object})
    table.loc[1, "size"] = np.nan
    table.loc[2, "colour"] = None
    aligned = make_model().align(table)
    assert aligned.isna().any(axis=1).tolist() == [False, True, True] + [False] * 3


def test_a_missing_column_is_named():
    with pytest.raises(ValueError, match="no column 'colour', which the model needs"):
        make_model().align(TABLE.drop(columns="colour"))


def test_text_where_the_model_learned_numbers_is_named():
    table = TABLE.assign(size=["1", "2", "large", "4", "5", "6"])
    with pytest.raises(ValueError, match="'size' has 'large' in data row 3, where"):
        make_model().align(table)


def test_values_never_seen_are_told():
    model = make_model()
    table = TABLE.assign(colour=["red"] * 5 + ["pink"])
    assert model.unseen(model.align(table)) == {"colour": ["pink"]}
    assert model.unseen(model.align(TABLE)) == {}


def test_another_version_is_refused(path):
    rewrite_notes(path, version="99.1.0")
    with pytest.raises(ModelFileError, match=r"saved by isvmde 99\.1\.0 and this is"):
        load_model(path)


def test_a_patch_version_is_not_another_version(path):
    from isvmde import __version__

    rewrite_notes(path, version=__version__.rpartition(".")[0] + ".999")
    assert load_model(path).version.endswith("999")


def test_a_truncated_file_is_refused_wherever_it_ends(path, tmp_path):
    content = path.read_bytes()
    cut = tmp_path / "cut.skops"
    for end in np.linspace(0, len(content) - 1, 25).astype(int):
        cut.write_bytes(content[:end])
        with pytest.raises(ModelFileError):
            load_model(cut)


def test_a_mangled_byte_is_noticed(path):
    content = bytearray(path.read_bytes())
    content[len(content) // 3] ^= 0xFF
    path.write_bytes(content)
    with pytest.raises(ModelFileError):
        load_model(path)


class Hostile:
    """Runs code when it is unpickled."""

    def __reduce__(self):
        return (pytest.fail, ("a pickle was loaded",))


def test_a_pickle_is_never_loaded(tmp_path):
    file = tmp_path / "model.skops"
    file.write_bytes(pickle.dumps(Hostile()))
    with pytest.raises(ModelFileError, match="is no model file"):
        load_model(file)


class Foreign(SVC):
    """A classifier of somebody else's."""


def test_types_from_elsewhere_are_not_built(tmp_path):
    model = make_model()
    model.pipeline.steps[-1] = ("foreign", Foreign())
    file = save_model(model, tmp_path / "model.skops")
    with pytest.raises(ModelFileError, match=r"types isvmde does not load: .*Foreign"):
        load_model(file)


def test_a_skops_file_of_another_program(tmp_path):
    import skops.io

    skops.io.dump(SVC(), tmp_path / "other.skops")
    with pytest.raises(ModelFileError, match="was not saved by isvmde"):
        load_model(tmp_path / "other.skops")
