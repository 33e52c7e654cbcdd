import pickle

import numpy as np
import pandas as pd
import pytest
from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.calibration import CalibratedClassifierCV
from sklearn.compose import (
    ColumnTransformer,
    make_column_selector,
    make_column_transformer,
)
from sklearn.decomposition import PCA
from sklearn.ensemble import RandomForestClassifier
from sklearn.feature_selection import SelectKBest, mutual_info_classif
from sklearn.impute import SimpleImputer
from sklearn.model_selection import GridSearchCV, StratifiedKFold
from sklearn.pipeline import FeatureUnion, make_pipeline
from sklearn.preprocessing import (
    FunctionTransformer,
    MinMaxScaler,
    OneHotEncoder,
    OrdinalEncoder,
    StandardScaler,
)
from sklearn.svm import SVC
from sklearn.utils import Bunch

from isvmde import ISVMClassifier, ISVMDEClassifier
from isvmde.baselines import (
    NBSVM,
    OVOSVM,
    PPSVM,
    SDCSVM,
    WKSMOTESVM,
    CostSVM,
    GridSearchSVM,
    StaticSMOTESVM,
)
from isvmde.datasets import make_preprocessor
from isvmde.model_file import ModelFileError, SavedModel, load_model, save_model
from isvmde.tables import TablePreprocessor

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
    pipeline = make_pipeline(make_preprocessor(bunch), ISVMClassifier(C=10.0))
    pipeline.fit(TABLE, TARGET)
    return SavedModel(pipeline, "kind", numeric, nominal, notes)


@pytest.fixture
def path(tmp_path):
    return save_model(make_model(rows=6), tmp_path / "model.skops")


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
    message = r"because of ISVMClassifier\.cannot_be_saved, an attribute that training"
    with pytest.raises(ModelFileError, match=message):
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
    with pytest.raises(
        ValueError, match="upper and lower case differ, and it has 'Colour'"
    ):
        make_model().align(TABLE.rename(columns={"colour": "Colour"}))


def test_text_where_the_model_learned_numbers_is_named():
    table = TABLE.assign(size=["1", "2", "large", "4", "5", "6"])
    with pytest.raises(ValueError, match="'size' has 'large' in data row 3, where"):
        make_model().align(table)


def test_values_never_seen_are_told():
    model = make_model()
    table = TABLE.assign(colour=["red"] * 5 + ["pink"])
    said = "column 'colour' has values that training did not have: 'pink'"
    assert model.remarks(model.align(table)) == [said]
    assert model.remarks(model.align(TABLE)) == []


def test_another_version_is_refused(path, redescribe):
    redescribe(path, lambda found: found["model"].update(version="99.1.0"))
    with pytest.raises(ModelFileError, match=r"saved by isvmde 99\.1\.0 and this is"):
        load_model(path)


def test_a_patch_version_is_not_another_version(path, redescribe):
    from isvmde import __version__

    patch = __version__.rpartition(".")[0] + ".999"
    redescribe(path, lambda found: found["model"].update(version=patch))
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
    with pytest.raises(ModelFileError, match="is not a model file"):
        load_model(file)


class Foreign(ISVMClassifier):
    """A classifier of somebody else's."""


class Doubling(TransformerMixin, BaseEstimator):
    """A transformer of the user's own."""

    def fit(self, X, y=None):
        self.factor_ = 2.0
        return self

    def transform(self, X):
        return np.asarray(X, float) * self.factor_


NUMBERS = np.arange(24.0).reshape(12, 2)
GROUPS = np.repeat([0, 1, 2], 4)


def test_types_from_elsewhere_are_refused_when_saving_by_name(tmp_path):
    model = Foreign().fit(NUMBERS, GROUPS)
    file = tmp_path / "model.skops"
    with pytest.raises(ModelFileError, match=r"test_saved\.Foreign; pass them as tru"):
        save_model(model, file)
    assert not file.exists()


def test_types_from_elsewhere_are_not_built(tmp_path):
    file = save_model(
        Foreign().fit(NUMBERS, GROUPS), tmp_path / "model.skops", trusted=[Foreign]
    )
    with pytest.raises(ModelFileError, match=r"types isvmde does not load: .*Foreign"):
        load_model(file)


def test_own_types_and_functions_are_loaded_if_trusted(tmp_path):
    model = make_pipeline(Doubling(), FunctionTransformer(halve), ISVMClassifier())
    model.fit(NUMBERS, GROUPS)
    trusted = [Doubling, f"{__name__}.halve"]
    file = save_model(model, tmp_path / "model.skops", trusted=trusted)
    again = load_model(file, trusted=trusted)
    np.testing.assert_array_equal(again.pipeline.predict(NUMBERS), GROUPS)


def halve(X):
    return X / 2.0


def test_a_function_without_a_name_is_refused_even_if_trusted(tmp_path):
    model = make_pipeline(FunctionTransformer(lambda X: X), ISVMClassifier())
    model.fit(NUMBERS, GROUPS)
    with pytest.raises(ModelFileError, match="<lambda>") as refused:
        save_model(model, tmp_path / "m.skops")
    with pytest.raises(ModelFileError, match="a trusted type that cannot be made"):
        save_model(model, tmp_path / "m.skops", trusted=refused.value.foreign)


@pytest.mark.parametrize("classifier", [SVC(), RandomForestClassifier(n_estimators=2)])
def test_what_indexes_memory_with_numbers_of_the_file_has_to_be_trusted(
    classifier, tmp_path
):
    """All types of a box are asked for at once, and then trusted by name."""
    path = tmp_path / "model.skops"
    model = make_pipeline(MinMaxScaler(), classifier).fit(NUMBERS, GROUPS)
    with pytest.raises(ModelFileError, match=r"sklearn\.(svm|ensemble)") as refused:
        save_model(model, path)
    assert not path.exists()
    save_model(model, path, trusted=refused.value.foreign)
    with pytest.raises(ModelFileError, match="holds types isvmde does not load"):
        load_model(path)
    again = load_model(path, trusted=refused.value.foreign)
    np.testing.assert_array_equal(
        again.pipeline.predict(NUMBERS), model.predict(NUMBERS)
    )


def preprocessing(numbers):
    """Return usual preprocessing around transformers of numbers."""
    return ColumnTransformer(
        [
            ("numbers", numbers, make_column_selector(dtype_include="number")),
            (
                "text",
                make_pipeline(
                    SimpleImputer(strategy="most_frequent"),
                    OneHotEncoder(handle_unknown="ignore", sparse_output=False),
                ),
                make_column_selector(dtype_exclude="number"),
            ),
        ]
    )


MIXED = pd.DataFrame(NUMBERS, columns=["u", "v"]).assign(
    colour=["red", "blue"] * 6, size=pd.Categorical(["s", "m", "l"] * 4)
)
SCALED = make_pipeline(SimpleImputer(add_indicator=True), MinMaxScaler())
KINDS = np.array(["a", "b", "c"])[GROUPS]


@pytest.mark.parametrize(
    "pipeline",
    [
        make_pipeline(preprocessing(SCALED), SelectKBest(k=2), ISVMClassifier()),
        make_pipeline(
            preprocessing(SCALED),
            SelectKBest(mutual_info_classif, k=3),
            FeatureUnion([("pca", PCA(1)), ("all", "passthrough")]),
            PPSVM(),
        ),
        make_pipeline(
            make_column_transformer(
                (OrdinalEncoder(), ["colour", "size"]), remainder=StandardScaler()
            ),
            CostSVM(),
        ),
        make_pipeline(
            preprocessing(make_pipeline(FunctionTransformer(np.log1p), MinMaxScaler())),
            GridSearchCV(
                ISVMClassifier(),
                {"C": [1.0, 10.0]},
                cv=StratifiedKFold(2),
                scoring="balanced_accuracy",
            ),
        ),
        make_pipeline(
            preprocessing(SCALED), CalibratedClassifierCV(ISVMClassifier(), cv=2)
        ),
        make_pipeline(
            preprocessing(SCALED),
            GridSearchSVM(OVOSVM(), {"C": [1.0, 10.0]}, random_state=0),
        ),
        *(
            make_pipeline(preprocessing("passthrough"), baseline)
            for baseline in (NBSVM(), SDCSVM(), StaticSMOTESVM(), WKSMOTESVM())
        ),
        make_pipeline(
            preprocessing(SCALED),
            ISVMDEClassifier(
                pop_size=5, max_iter=1, random_state=np.random.RandomState(3)
            ),
        ),
    ],
    ids=lambda pipeline: type(pipeline[-1]).__name__,
)
def test_any_pipeline_around_a_classifier_comes_back(pipeline, tmp_path):
    pipeline.fit(MIXED, KINDS)
    saved = load_model(save_model(pipeline, tmp_path / "model.skops", target="kind"))
    assert (saved.numeric, saved.nominal) == (["u", "v"], ["colour", "size"])
    assert saved.target == "kind"
    # categories may come back as text: what a csv holds
    aligned = saved.align(MIXED.astype({"size": object}))
    np.testing.assert_array_equal(saved.predict(aligned), pipeline.predict(MIXED))
    if hasattr(pipeline, "predict_proba"):
        np.testing.assert_array_equal(
            saved.predict_proba(aligned), pipeline.predict_proba(MIXED)
        )


def test_a_table_as_people_have_it(tmp_path):
    table = MIXED.assign(
        day=[f"{day}.3.2021" for day in range(1, 13)],
        id=[f"patient {number}" for number in range(12)],
        u=[*MIXED["u"][:-1].astype(str), "?"],
    )
    pipeline = make_pipeline(TablePreprocessor(drop=["id"]), ISVMClassifier())
    pipeline.fit(table, KINDS)
    saved = load_model(save_model(pipeline, tmp_path / "model.skops"))
    assert saved.columns == ["u", "v", "colour", "size", "day"]
    assert (saved.numeric, saved.nominal) == (["u", "v"], ["colour", "size"])
    np.testing.assert_array_equal(
        saved.predict_proba(saved.align(table.drop(columns="id"))),
        pipeline.predict_proba(table),
    )


def test_a_classifier_trained_on_an_array_takes_columns_by_position(tmp_path):
    file = save_model(ISVMClassifier().fit(NUMBERS, GROUPS), tmp_path / "m.skops")
    saved = load_model(file)
    table = pd.DataFrame(NUMBERS, columns=["u", "v"]).assign(**{"class": 0})
    np.testing.assert_array_equal(saved.predict(saved.align(table)), GROUPS)
    with pytest.raises(ValueError, match="trained on 2 columns without names, but"):
        saved.align(table.assign(w=1))


def test_a_model_that_is_not_fitted_is_refused(tmp_path):
    from sklearn.exceptions import NotFittedError

    with pytest.raises(NotFittedError):
        save_model(ISVMClassifier(), tmp_path / "model.skops")


def test_a_skops_file_of_another_program(tmp_path):
    import skops.io

    skops.io.dump(SVC(), tmp_path / "other.skops")
    with pytest.raises(ModelFileError, match="was not saved by isvmde"):
        load_model(tmp_path / "other.skops")
