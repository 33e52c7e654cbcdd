"""Steps of scikit-learn that a file describes as no training leaves them."""

import numpy as np
import pandas as pd
import pytest
from sklearn.compose import ColumnTransformer
from sklearn.dummy import DummyClassifier
from sklearn.ensemble import StackingClassifier, VotingClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV
from sklearn.naive_bayes import GaussianNB
from sklearn.pipeline import FeatureUnion, make_pipeline
from sklearn.preprocessing import FunctionTransformer, MinMaxScaler, OneHotEncoder

from isvmde import ISVMClassifier, ISVMDEClassifier
from isvmde.model_file import ModelFileError, load_model, save_model
from tests.model_file.forging import array_of, objects

X = np.arange(24.0).reshape(12, 2)
Y = np.repeat([0, 1, 2], 4)


def coder(**options):
    return OneHotEncoder(sparse_output=False, **options)


def in_pipeline(step):
    return make_pipeline(step, ISVMClassifier())


# One-hot columns, which SciPy writes without a look at where


def test_groups_that_are_not_used_are_not_counted(path, redescribe, refused):
    """Six categories would be written into the two columns of their groups."""
    letters = np.array([[letter] for letter in "abcdef"] * 2, dtype=object)
    grouping = coder(handle_unknown="infrequent_if_exist", max_categories=2)
    save_model(in_pipeline(grouping).fit(letters, Y), path)
    load_model(path)

    def change(found):
        objects(found, "OneHotEncoder")[0]["_infrequent_enabled"] = False

    redescribe(path, change)
    assert "infrequent categories are missing, or not used" in refused()


@pytest.mark.parametrize(
    "categories",
    [
        np.array(["1.0", "0"]),
        np.array([1.0, 0.0]),
        np.array([np.nan, 0.0]),
        np.array([b"1", b"0"]),
    ],
    ids=str,
)
def test_categories_that_bisection_misses(path, redescribe, refused, categories):
    """Numbers are also looked for among texts: 1.0 would be found behind "0"."""
    model = make_pipeline(FunctionTransformer(), coder(), ISVMClassifier())
    save_model(model.fit(Y[:, None] > 0, Y), path)
    known = array_of(path, categories)

    def change(found):
        objects(found, "OneHotEncoder")[0]["categories_"] = [known]

    redescribe(path, change)
    assert "without order" in refused()


@pytest.mark.parametrize(
    "categories", [[1.0, 0.0], [None, "a"], [1, "a"], [2, None, 3]]
)
def test_categories_in_lists_that_bisection_misses(
    path, redescribe, refused, categories
):
    letters = np.array([[letter] for letter in "abc"[: len(categories)] * 12])[:12]
    save_model(in_pipeline(coder()).fit(letters.astype(object), Y), path)
    shape = [len(categories)]

    def change(found):
        known = {"objects": categories, "shape": shape}
        objects(found, "OneHotEncoder")[0]["categories_"] = [known]

    redescribe(path, change)
    assert "its OneHotEncoder is not as training leaves it" in refused()


def test_categories_may_be_in_the_order_that_somebody_gave(path):
    sizes = np.array([["low"], ["mid"], ["high"]] * 4, dtype=object)
    ordered = coder(categories=[["low", "mid", "high"]], handle_unknown="ignore")
    model = in_pipeline(ordered).fit(sizes, Y)
    again = load_model(save_model(model, path)).pipeline
    np.testing.assert_array_equal(again.predict(sizes), model.predict(sizes))


# Parameters that only training uses


@pytest.mark.parametrize("n_jobs", [3, 10**9])
@pytest.mark.parametrize(
    ("step", "owner"),
    [
        (ColumnTransformer([("all", MinMaxScaler(), [0, 1])]), "ColumnTransformer"),
        (FeatureUnion([("all", MinMaxScaler())]), "FeatureUnion"),
    ],
    ids=["columns", "union"],
)
def test_a_file_starts_no_processes(path, redescribe, refused, step, owner, n_jobs):
    save_model(in_pipeline(step).fit(X, Y), path)

    def change(found):
        objects(found, owner)[0]["n_jobs"] = n_jobs

    redescribe(path, change)
    assert "n_jobs" in refused()


def test_a_file_says_not_where_another_fit_writes(path, redescribe, refused):
    search = ISVMDEClassifier(pop_size=5, max_iter=1, random_state=0)
    search.set_params(checkpoint=path.with_name("search"))
    save_model(make_pipeline(MinMaxScaler(), search).fit(X, Y), path)
    assert load_model(path).pipeline[-1].checkpoint is None

    def ask_for_a_checkpoint(found):
        objects(found, "ISVMDEClassifier")[0]["checkpoint"] = "/tmp/elsewhere"

    redescribe(path, ask_for_a_checkpoint)
    assert "checkpoint" in refused()

    save_model(make_pipeline(MinMaxScaler(), GaussianNB()).fit(X, Y), path)

    def ask_for_a_cache(found):
        objects(found, "Pipeline")[0]["memory"] = "/tmp/elsewhere"

    redescribe(path, ask_for_a_cache)
    assert "memory" in refused()


def test_what_joblib_would_compute_is_not_taken(path, redescribe, refused):
    grid = GridSearchCV(GaussianNB(), {"var_smoothing": [1e-9]}, cv=2)
    save_model(grid.fit(X, Y), path)

    def change(found):
        objects(found, "GridSearchCV")[0]["pre_dispatch"] = "9**9**9"

    redescribe(path, change)
    assert "pre_dispatch" in refused()


# Memory


def test_no_array_is_used_twice(path, redescribe, refused):
    """A file of 8 MB would take 16 GB."""
    save_model(in_pipeline(MinMaxScaler()).fit(X, Y), path)
    large = array_of(path, np.zeros(10**6))

    def change(found):
        objects(found, "MinMaxScaler")[0]["feature_range"] = [large] * 2000

    redescribe(path, change)
    assert "a part of it is used twice" in refused()


def test_votes_are_numbers_of_classes(path, redescribe, refused):
    """Votes are counted in an array as long as the largest of them."""
    constant = DummyClassifier(strategy="constant", constant=1)
    voting = VotingClassifier([("one", constant), ("other", GaussianNB())])
    save_model(voting.fit(X, Y), path)

    def change(found):
        for attributes in objects(found, "DummyClassifier"):
            attributes["constant"] = 10**9

    redescribe(path, change)
    assert "a constant that is not a class" in refused()


def test_labels_are_those_of_the_classes(path, redescribe, refused):
    stacking = StackingClassifier([("one", GaussianNB())], LogisticRegression(), cv=2)
    save_model(stacking.fit(X, Y), path)
    others = array_of(path, np.array([0, 1, 10**9]))

    def change(found):
        objects(found, "LabelEncoder")[0]["classes_"] = others

    redescribe(path, change)
    assert "labels of other classes" in refused()


def test_unions_do_not_double_without_end(path, redescribe, refused):
    """Forty unions of twice the same columns return 2^40 of each."""
    union = FeatureUnion([("one", MinMaxScaler()), ("other", "passthrough")])
    save_model(in_pipeline(union).fit(X, Y), path)

    def change(found):
        objects(found, "FeatureUnion")[0]["transformer_list"] = [
            {"tuple": [name, "passthrough"]} for name in ("one", "other")
        ]
        steps = objects(found, "Pipeline")[0]["steps"]
        one = steps[0]["tuple"][1]
        steps[:1] = [{"tuple": [f"union {i}", one]} for i in range(40)]

    redescribe(path, change)
    assert "no part of a union knows its columns" in refused()


def test_a_union_returns_a_million_columns_at_most(path):
    wide = np.zeros((4, 60_000))
    union = FeatureUnion([(f"{i}", "passthrough") for i in range(17)])
    union.transformer_list.append(("first", MinMaxScaler()))
    model = make_pipeline(union, GaussianNB())
    with pytest.raises(ModelFileError, match="1080000 columns come out"):
        save_model(model.fit(wide, [0, 1, 0, 1]), path)


def test_more_steps_than_anybody_has(path, redescribe, refused):
    save_model(in_pipeline(MinMaxScaler()).fit(X, Y), path)

    def change(found):
        steps = objects(found, "Pipeline")[0]["steps"]
        steps[:1] = [
            {"tuple": [f"step {i}", steps[0]["tuple"][1]]} for i in range(2001)
        ]

    redescribe(path, change)
    assert "used twice" in refused() or "more than 2000 steps" in refused()


# Columns


def test_columns_that_a_file_only_claims(path, redescribe, refused):
    """Each column of text would be read by itself: minutes for a file of 3 kB."""
    columns = ColumnTransformer([("all", MinMaxScaler(), [0, 1])])
    save_model(in_pipeline(columns).fit(X, Y), path)

    def change(found):
        found["model"]["numeric"] = ["x0", "x1"]
        objects(found, "ColumnTransformer")[0]["n_features_in_"] = 100_000

    redescribe(path, change)
    assert "takes 99998 columns of text, which is too many" in refused()


def test_names_of_columns_are_not_formats(path, redescribe, refused):
    """A format may ask for a name of three billion characters."""
    columns = ColumnTransformer([("all", MinMaxScaler(), ["u", "v"])])
    table = pd.DataFrame(X, columns=["u", "v"])
    save_model(in_pipeline(columns).fit(table, Y), path)

    def change(found):
        attributes = objects(found, "ColumnTransformer")[0]
        attributes["verbose_feature_names_out"] = "{transformer_name:>3000000000}"
        output = {"dict": [["transform", "pandas"]]}
        attributes["_sklearn_output_config"] = output

    redescribe(path, change)
    assert "verbose_feature_names_out" in refused()


# Texts


@pytest.mark.parametrize("where", ["a class", "an array", "a note", "a column"])
def test_texts_are_of_characters(path, redescribe, refused, where):
    """Half of a pair of UTF-16 can be in JSON, and in no file or terminal."""
    save_model(in_pipeline(MinMaxScaler()).fit(X, Y), path)
    # stored as UTF-16 would be, half of a pair at a time
    letters = np.array([0xD83D, 66, 67], dtype="<u4").view("<U1")
    in_array = array_of(path, letters)
    beyond = array_of(path, np.array([0xFFFFFFFF, 66, 67], dtype="<u4").view("<U1"))

    def change(found):
        classifier = objects(found, "ISVMClassifier")[0]
        if where == "a class":
            classes = {"objects": ["\ud83d", "b", "c"], "shape": [3]}
            classifier["classes_"] = classes
        elif where == "an array":
            classifier["classes_"] = in_array
        elif where == "a note":
            found["model"]["notes"] = {"rows": "\udfff"}
        else:
            found["model"]["target"] = "\ud83d"

    redescribe(path, change)
    assert "a text of what is not a character" in refused() or where == "an array"

    def go_beyond(found):
        objects(found, "ISVMClassifier")[0]["classes_"] = beyond

    if where == "an array":
        assert "an array of things that do not exist" in refused()
        redescribe(path, go_beyond)
        assert "an array of things that do not exist" in refused()


def test_truths_are_true_or_false(path, redescribe, refused):
    save_model(in_pipeline(MinMaxScaler()).fit(X, Y), path)
    strange = array_of(path, np.array([0, 1, 7], dtype=np.uint8).view(bool))

    def change(found):
        objects(found, "ISVMClassifier")[0]["classes_"] = strange

    redescribe(path, change)
    assert "an array of things that do not exist" in refused()
