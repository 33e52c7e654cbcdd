"""Whatever a user calls a method becomes a seeded classifier; competitors by name."""

import functools
import warnings

import numpy as np
import pytest
from sklearn.dummy import DummyClassifier
from sklearn.ensemble import BaggingClassifier, RandomForestClassifier
from sklearn.linear_model import LinearRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import MinMaxScaler, StandardScaler
from sklearn.svm import SVC
from sklearn.tree import DecisionTreeClassifier

from isvmde.competitors import COMPETITORS, BalancedWeights, list_competitors
from isvmde.method_choice import list_methods, make_classifier, name_methods
from isvmde.methods import METHODS


def forest(random_state):
    return RandomForestClassifier(7, random_state=random_state)


FORESTS = {
    "a class": RandomForestClassifier,
    "an instance": RandomForestClassifier(7, random_state=99),
    "a function": forest,
    "a lambda with a seed": lambda random_state: RandomForestClassifier(
        random_state=random_state
    ),
    "a lambda without one": lambda: RandomForestClassifier(),
    "a partial": functools.partial(RandomForestClassifier, n_estimators=7),
    "a module's name": "sklearn.ensemble:RandomForestClassifier",
}


@pytest.mark.parametrize("given", FORESTS)
def test_every_way_to_name_a_forest_gives_a_forest_with_the_seed(given):
    made = make_classifier(FORESTS[given], random_state=5)
    assert isinstance(made, RandomForestClassifier)
    assert made.random_state == 5
    assert made.n_estimators in (7, 100)  # never the seed


def test_an_instance_is_cloned_and_stays_as_it_was():
    given = FORESTS["an instance"]
    assert make_classifier(given, random_state=5) is not given
    assert given.random_state == 99
    assert make_classifier(given).random_state == 99


def test_seeds_reach_into_pipelines_and_ensembles():
    inner = BaggingClassifier(DecisionTreeClassifier())
    made = make_classifier(make_pipeline(StandardScaler(), inner), random_state=5)
    assert made[-1].random_state == 5
    assert made[-1].estimator.random_state == 5


def test_what_has_no_seed_is_taken_as_it_is():
    class Plain:
        def fit(self, X, y):
            return self

        def predict(self, X):
            return np.zeros(len(X))

    assert isinstance(make_classifier(Plain, random_state=5), Plain)
    assert isinstance(make_classifier(Plain(), random_state=5), Plain)


@pytest.mark.parametrize(
    ("given", "message"),
    [
        (7, "7 is not a method"),
        (StandardScaler, "StandardScaler, which has no fit and predict"),
        (LinearRegression(), "LinearRegression is a regressor"),
        (lambda: {}, "gives dict, which has no fit and predict"),
        (lambda a, b: None, "cannot be called"),
        ("forest", "there is no method 'forest'; choose among SVM"),
        ("no_such_module:x", "cannot be imported"),
        ("sklearn.svm:Nothing", "has no attribute 'Nothing'"),
        (BalancedWeights, "cannot be called"),
    ],
)
def test_what_is_no_method_is_refused_in_a_sentence(given, message):
    with pytest.raises(ValueError, match=message):
        make_classifier(given)


def test_a_module_of_ones_own(tmp_path, monkeypatch):
    monkeypatch.syspath_prepend(tmp_path)
    (tmp_path / "their_methods.py").write_text(
        "from sklearn.svm import SVC\ntuned = SVC(C=7)\n"
    )
    assert make_classifier("their_methods:tuned").C == 7


def test_names_of_methods_without_names():
    named = name_methods(["svm", "svm", DummyClassifier, forest, "sklearn.svm:SVC"])
    assert list(named) == ["SVM", "DummyClassifier", "forest", "SVC"]
    assert named["forest"](random_state=3).random_state == 3
    assert list(name_methods({"mine": SVC(), "SDC": None})) == ["mine", "SDC"]
    with pytest.raises(ValueError, match="two methods are called 'SVC'"):
        name_methods([SVC(C=1), SVC(C=2)])
    with pytest.raises(ValueError, match="a lambda has no name"):
        name_methods([lambda: SVC()])


def test_all_methods_are_listed_once():
    names = list_methods()
    assert names[: len(METHODS)] == list(METHODS)
    assert len(set(names)) == len(names)
    assert set(names) <= {*METHODS, *COMPETITORS}


@pytest.mark.parametrize("name", list_competitors())
def test_competitors_keep_a_class_of_three_in_view(name, make_blobs):
    data = make_blobs([30, 12, 3], spread=0.3, seed=3)
    X, labels = MinMaxScaler().fit_transform(data.X), data.y.astype(str)
    with warnings.catch_warnings():
        # Inner folds of three samples are too few for a G-mean above 0.
        warnings.simplefilter("ignore", UserWarning)
        model = make_classifier(name, random_state=0, n_jobs=1).fit(X, labels)
        predicted = model.predict(X)
        again = make_classifier(name, random_state=0, n_jobs=1).fit(X, labels)
    assert set(predicted) == {"0", "1", "2"}
    assert np.mean(predicted == labels) > 0.9
    np.testing.assert_array_equal(predicted, again.predict(X))


def test_balanced_weights_are_those_of_class_weight():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(60, 2))
    y = np.where(X[:, 0] + rng.normal(size=60) > 1.2, "rare", "usual")
    ours = BalancedWeights(SVC(gamma=1.0)).fit(X, y)
    theirs = SVC(gamma=1.0, class_weight="balanced").fit(X, y)
    np.testing.assert_array_equal(ours.predict(X), theirs.predict(X))


def test_two_modules_with_one_name_are_refused_and_one_method_twice_is_not():
    names = name_methods(["svm", "SVM", "sklearn.svm:SVC", "sklearn.svm:SVC"])
    assert list(names) == ["SVM", "SVC"]
    other = ["sklearn.svm:SVC", "sklearn.svm._classes:SVC"]
    with pytest.raises(ValueError, match="two methods are called 'SVC'"):
        name_methods(other)


def test_a_method_whose_module_or_class_fails_is_one_sentence(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(tmp_path)
    (tmp_path / "failing_module.py").write_text("{}['x']")
    text = "class Bad:\n    def __init__(self):\n        raise RuntimeError('no')\n"
    (tmp_path / "failing_class.py").write_text(text)
    for method in ("failing_module:x", "failing_class:Bad"):
        with pytest.raises(ValueError, match="cannot be"):
            make_classifier(method)
