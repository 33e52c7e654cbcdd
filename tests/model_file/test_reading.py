"""What a hostile description can ask for, and that it gets nothing."""

import copy
import json
import os
import time
import tracemalloc
import zipfile

import numpy as np
import pandas as pd
import pytest
from sklearn.calibration import CalibratedClassifierCV
from sklearn.ensemble import VotingClassifier
from sklearn.impute import SimpleImputer
from sklearn.naive_bayes import GaussianNB
from sklearn.pipeline import Pipeline, make_pipeline
from sklearn.preprocessing import (
    FunctionTransformer,
    MinMaxScaler,
    OneHotEncoder,
    PowerTransformer,
)

from isvmde import ISVMClassifier, ISVMClassifierCV
from isvmde.model_file import ModelFileError, load_model, save_model
from isvmde.tables import TablePreprocessor
from tests.model_file.forging import array_of, machines_of, objects

X = np.arange(24.0).reshape(12, 2)
Y = np.repeat([0, 1, 2], 4)
TABLE = pd.DataFrame(X, columns=["u", "v"]).assign(colour=["red", "blue"] * 6)


def averaged():
    return ISVMClassifierCV(n_settings=4, random_state=0)


# Widths


@pytest.mark.parametrize("widths", [[10**9, 4 - 10**9], [2, 3], [1], [10**6 + 1, 0]])
def test_widths_of_one_hot_columns_are_counted_again(path, redescribe, refused, widths):
    """SciPy would write ones outside of the array."""
    encoder = OneHotEncoder(sparse_output=False)
    model = make_pipeline(encoder, ISVMClassifier())
    save_model(model.fit(TABLE[["colour", "colour"]].to_numpy(), Y), path)

    def change(found):
        objects(found, "OneHotEncoder")[0]["_n_features_outs"] = widths

    redescribe(path, change)
    assert "its OneHotEncoder is not as training leaves it" in refused()


def test_categories_are_looked_up_in_their_order(path, redescribe, refused):
    """A number that is found behind the last category would be a column outside."""
    model = make_pipeline(OneHotEncoder(sparse_output=False), ISVMClassifier())
    save_model(model.fit(Y[:, None], Y), path)
    turned = array_of(path, np.array([2, 0, 1]))

    def change(found):
        objects(found, "OneHotEncoder")[0]["categories_"] = [turned]

    redescribe(path, change)
    assert "categories without order" in refused()


@pytest.mark.parametrize("encoder", [OneHotEncoder(), OneHotEncoder(dtype=object)])
def test_sparse_columns_and_those_of_objects_need_trust(path, encoder):
    fitted = encoder.fit(TABLE[["colour"]].to_numpy())
    model = make_pipeline(fitted, GaussianNB().fit(X, Y))
    with pytest.raises(ModelFileError, match="OneHotEncoder; pass them as trusted="):
        save_model(model, path)


# Our classifiers inside of others


@pytest.mark.parametrize(
    "outer",
    [
        CalibratedClassifierCV(averaged(), cv=2),
        VotingClassifier([("one", averaged()), ("other", ISVMClassifier())]),
        make_pipeline(MinMaxScaler(), averaged()),
    ],
    ids=lambda outer: type(outer).__name__,
)
@pytest.mark.parametrize("name", ["pair", "index", "start", "kernel_rows", "label"])
def test_indices_are_checked_wherever_a_classifier_is(
    path, redescribe, refused, outer, name
):
    save_model(outer.fit(X, Y), path)
    load_model(path)
    far = None

    def change(found):
        for attributes in objects(found, "ISVMClassifierCV"):
            if "_machines" in attributes:
                machines_of(attributes)[name][1] = far

    shape = (4, 2) if name == "kernel_rows" else (4,)
    far = array_of(path, np.full(shape, 10**12))
    redescribe(path, change)
    assert "its ISVMClassifierCV is not as training leaves it" in refused()


def test_a_classifier_in_an_array_or_a_set_is_not_built(path, redescribe, refused):
    model = make_pipeline(MinMaxScaler(), ISVMClassifier())
    save_model(model.fit(X, Y), path)
    inner = {"class": "isvmde.ISVMClassifier", "attributes": {}}

    def hide(found):
        scaler = objects(found, "MinMaxScaler")[0]
        scaler["feature_range"] = {"objects": [inner], "shape": [1]}

    redescribe(path, hide)
    assert "is not as training leaves it" in refused() or "damaged" in refused()

    def hide_in_a_set(found):
        scaler = objects(found, "MinMaxScaler")[0]
        scaler["feature_range"] = {"set": [inner]}

    redescribe(path, hide_in_a_set)
    assert "is damaged" in refused()


@pytest.mark.parametrize(
    "name", ["classes_", "n_features_in_", "class_count_", "prior_"]
)
def test_a_missing_attribute_is_not_a_model_without_training(
    path, redescribe, refused, name
):
    save_model(averaged().fit(X, Y), path)

    def change(found):
        del objects(found, "ISVMClassifierCV")[0][name]

    redescribe(path, change)
    assert f"{name} is missing" in refused()


# Functions and methods


@pytest.mark.parametrize("name", ["out", "where", "casting"])
def test_functions_get_no_array_to_write_into(path, name):
    """An array that is shared by name could be changed after it was checked."""
    shared = FunctionTransformer(np.rint, kw_args={name: np.zeros((1, 2))})
    model = make_pipeline(FunctionTransformer(np.rint), ISVMClassifier()).fit(X, Y)
    model.steps[0] = ("rint", shared)
    with pytest.raises(ModelFileError, match="FunctionTransformer; pass them as trust"):
        save_model(model, path)


def test_arguments_of_functions_are_refused_in_a_file(path, redescribe, refused):
    model = make_pipeline(FunctionTransformer(np.rint), ISVMClassifier()).fit(X, Y)
    save_model(model, path)
    array = array_of(path, np.zeros((1, 2)))

    def change(found):
        arguments = {"dict": [["out", array], ["casting", "unsafe"]]}
        objects(found, "FunctionTransformer")[0]["kw_args"] = arguments

    redescribe(path, change)
    assert "kw_args" in refused()


@pytest.mark.parametrize(
    "function", ["os.system", "numpy.load", "builtins.eval", "numpy.ufunc.at", "rint"]
)
def test_only_functions_of_one_array_are_known(path, redescribe, refused, function):
    model = make_pipeline(FunctionTransformer(np.rint), ISVMClassifier()).fit(X, Y)
    save_model(model, path)

    def change(found):
        objects(found, "FunctionTransformer")[0]["func"] = {"function": function}

    redescribe(path, change)
    assert f"types isvmde does not load: {function}" in refused()


@pytest.mark.parametrize(
    ("owner", "method"),
    [
        ("ISVMClassifierCV", "_checked_rows"),
        ("ISVMClassifierCV", "predict"),
        ("MinMaxScaler", "transform"),
        ("Pipeline", "predict"),
        ("TablePreprocessor", "__class__"),
    ],
)
def test_no_attribute_of_a_file_stands_for_a_method(
    path, redescribe, refused, owner, method
):
    table = TABLE[["u", "v"]]
    inner = make_pipeline(TablePreprocessor(), MinMaxScaler(), averaged())
    save_model(inner.fit(table, Y), path)

    def change(found):
        objects(found, owner)[0][method] = {"function": "numpy.positive"}

    redescribe(path, change)
    assert "numpy.positive" in refused()

    def change_to_known(found):
        objects(found, owner)[0][method] = {"function": "numpy.rint"}

    redescribe(path, change_to_known)
    assert f"its {owner} has attributes of its own" in refused()


def test_text_vectorizers_are_not_known(path, redescribe, refused):
    """They open files that the model names."""
    save_model(make_pipeline(MinMaxScaler(), ISVMClassifier()).fit(X, Y), path)
    fifo = path.with_name("fifo")
    os.mkfifo(fifo)
    name = "sklearn.feature_extraction.text.CountVectorizer"

    def change(found):
        first = found["pipeline"]["attributes"]["steps"][0]["tuple"]
        first[1] = {"class": name, "attributes": {"input": "filename"}}

    redescribe(path, change)
    assert f"types isvmde does not load: {name}" in refused()


def test_nothing_but_the_model_is_opened(path, opened_files):
    save_model(make_pipeline(MinMaxScaler(), averaged()).fit(X, Y), path)
    load_model(path)  # imports, and compiled code
    with opened_files() as files:
        load_model(path)
    assert set(files) == {str(path)}


# The form of the description


def tree_of(depth):
    """Return lists inside lists."""
    inner = []
    for _ in range(depth):
        inner = [inner]
    return inner


@pytest.mark.parametrize("depth", [80, 400])
def test_a_description_as_deep_as_a_well(path, redescribe, refused, depth):
    save_model(ISVMClassifier().fit(X, Y), path)

    def change(found):
        found["pipeline"]["attributes"]["steps"] = tree_of(depth)

    redescribe(path, change)
    assert "nested too deeply" in refused()


def test_a_description_that_is_too_deep_for_json(path, rewrite, refused):
    save_model(ISVMClassifier().fit(X, Y), path)

    def change(parts):
        parts["isvmde.json"] = b"[" * 200_000 + b"]" * 200_000

    rewrite(path, change)
    assert "cannot be loaded" in refused()


@pytest.mark.parametrize("name", ["isvmde.tables.Path", "isvmde.load_model", "os.Path"])
def test_classes_are_found_in_the_table_alone(path, redescribe, refused, name):
    save_model(ISVMClassifier().fit(X, Y), path)

    def change(found):
        step = found["pipeline"]["attributes"]["steps"][0]["tuple"]
        step[1]["class"] = name

    redescribe(path, change)
    assert f"does not load: {name}" in refused()


@pytest.mark.parametrize(
    "value",
    [
        {"dtype": "<U999999999"},
        {"dtype": "V8"},
        {"type": "os.PathLike"},
        {"objects": [1, 2], "shape": [10**9, 0]},
        {"objects": [1, 2], "shape": [-1, -2]},
        {"array": "arrays/none.npy"},
        {"array": ["arrays/0.npy"]},
        {"box": "arrays/0.npy"},
        {"box": "isvmde.json"},
        {"slice": [[1], 2, 3]},
        {"scalar": 2, "dtype": "O"},
        {"unheard": 1},
        {},
        {"dict": [[[1], 2]]},
        {"dict": [[1]]},
        {"random state": {"dict": []}},
        9**99,
    ],
    ids=lambda value: str(value)[:40],
)
def test_strange_values_are_refused(path, redescribe, refused, value):
    save_model(make_pipeline(MinMaxScaler(), ISVMClassifier()).fit(X, Y), path)

    def change(found):
        scaler = objects(found, "MinMaxScaler")[0]
        scaler["data_range_"] = value

    redescribe(path, change)
    assert "is" in refused()


def test_a_generator_points_into_its_own_words(path, redescribe, refused):
    model = ISVMClassifierCV(n_settings=4, random_state=np.random.RandomState(0))
    save_model(model.fit(X, Y), path)
    again = load_model(path).pipeline[-1].random_state
    assert again.randint(10**6) == model.random_state.randint(10**6)

    def change(found):
        generator = objects(found, "ISVMClassifierCV")[0]["random_state"]
        for pair in generator["random state"]["dict"]:
            pair[1] = 10**9 if pair[0] == "pos" else pair[1]

    redescribe(path, change)
    assert "is damaged" in refused()


def test_a_million_features_without_numbers_are_refused_at_once(
    path, redescribe, refused
):
    save_model(make_pipeline(MinMaxScaler(), ISVMClassifier()).fit(X, Y), path)

    def change(found):
        objects(found, "MinMaxScaler")[0]["n_features_in_"] = 10**6

    redescribe(path, change)
    assert "n_features_in_" in refused()


def test_features_without_a_single_row_are_refused_at_once(path, redescribe, refused):
    """Arrays without rows take no room, however many columns they claim."""
    save_model(ISVMClassifier().fit(X, Y), path)
    empty = [array_of(path, np.empty((0, 10**6))) for _ in range(3)]
    none = [array_of(path, np.empty(0)) for _ in range(3)]

    def change(found):
        attributes = objects(found, "ISVMClassifier")[0]
        attributes["n_features_in_"] = 10**6
        attributes["support_vectors_"] = empty
        attributes["dual_coef_"] = none

    redescribe(path, change)
    assert "n_features_in_: 1000000 is not between" in refused()


def many_values(found):
    found["model"]["notes"] = {"many": [[]] * 3_100_000}


def test_a_description_of_too_many_values_is_refused_at_once(path, redescribe, refused):
    """Sixty megabytes of empty lists would take two gigabytes and twenty seconds."""
    save_model(ISVMClassifier().fit(X, Y), path)
    redescribe(path, many_values)
    assert "a description that is too large" in refused()


def test_steps_that_take_minutes_for_a_row_are_refused_at_once(path):
    """They go through columns one by one, and loading predicts a row."""
    wide = PowerTransformer(standardize=False).fit(X)
    wide.n_features_in_ = 100_000
    wide.lambdas_ = np.ones(100_000)
    classes = GaussianNB().fit(np.eye(2, 100_000), [0, 1])
    steps = [(f"step {i}", copy.copy(wide)) for i in range(20)]
    model = Pipeline([*steps, ("classes", classes)])
    began = time.process_time()
    with pytest.raises(ModelFileError, match="far too long for a single row"):
        save_model(model, path)
    assert time.process_time() - began < 5.0


def test_rows_are_not_turned_into_huge_texts(path):
    imputer = SimpleImputer().fit(np.eye(3, 50_000))
    imputer._fit_dtype = np.dtype("<U9000")  # 1.8 GB for a single row
    model = make_pipeline(imputer, GaussianNB().fit(np.eye(2, 50_000), [0, 1]))
    with pytest.raises(ModelFileError, match="rows of huge texts"):
        save_model(model, path)


def test_a_zip_file_of_somebody_else_is_not_read(path, refused):
    """It may be larger than the memory."""
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("video.mp4", bytes(50_000_000))
    tracemalloc.start()
    try:
        assert "was not saved by isvmde" in refused()
        assert tracemalloc.get_traced_memory()[1] < 10_000_000
    finally:
        tracemalloc.stop()


def test_notes_without_end_are_refused(path, redescribe, refused):
    save_model(ISVMClassifier().fit(X, Y), path)
    redescribe(path, lambda found: found["model"].update(notes={"deep": tree_of(300)}))
    assert "has no end" in refused()


def test_a_bomb_is_refused_at_once(path, rewrite, refused):
    save_model(ISVMClassifier().fit(X, Y), path)

    def change(parts):
        name = next(name for name in parts if name.endswith(".npy"))
        parts[name] = bytes(50_000_000)

    rewrite(path, change, zipfile.ZIP_DEFLATED)
    assert path.stat().st_size < 1_000_000
    assert "has compressed parts, which isvmde never writes" in refused()


def test_an_array_that_claims_to_be_larger_than_it_is(path, rewrite, refused):
    save_model(ISVMClassifier().fit(X, Y), path)

    def change(parts):
        for name in parts:
            if name.endswith(".npy"):
                parts[name] = parts[name].replace(b"(3,), ", b"(9000000000,), ")

    rewrite(path, change)
    assert "array" in refused()


def test_too_many_processes_are_refused(path, redescribe, refused):
    save_model(averaged().fit(X, Y), path)

    def change(found):
        objects(found, "ISVMClassifierCV")[0]["n_jobs"] = 10**9

    redescribe(path, change)
    assert "n_jobs" in refused()


def test_a_file_of_another_scikit_learn_says_so(path, redescribe, refused):
    save_model(make_pipeline(MinMaxScaler(), ISVMClassifier()).fit(X, Y), path)

    def change(found):
        found["scikit-learn"] = "0.99"
        del objects(found, "MinMaxScaler")[0]["scale_"]

    redescribe(path, change)
    assert "saved with scikit-learn 0.99, and this is" in refused()


def test_a_description_is_json_that_people_can_read(path):
    save_model(ISVMClassifier(C=3.0).fit(X, Y), path)
    with zipfile.ZipFile(path) as archive:
        found = json.loads(archive.read("isvmde.json"))
    assert objects(found, "ISVMClassifier")[0]["C"] == 3.0
