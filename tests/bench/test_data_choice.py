"""Whatever a user calls a data set becomes one form, and gaps are filled per fold."""

import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import load_iris
from sklearn.dummy import DummyClassifier
from sklearn.ensemble import RandomForestClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC

from isvmde.bench import run_benchmark
from isvmde.bench.data_choice import describe_dataset, name_datasets
from isvmde.datasets import load_dataset


def make_table(n=40, seed=0):
    rng = np.random.default_rng(seed)
    kind = np.where(np.arange(n) % 4 == 0, "rare", "usual")
    return pd.DataFrame(
        {
            "size": rng.normal(kind == "rare"),
            "colour": rng.choice(["red", "blue"], n),
            "weight": rng.normal(size=n),
            "kind": kind,
        }
    )


@pytest.fixture
def file(tmp_path):
    path = tmp_path / "fruit.csv"
    make_table().to_csv(path, index=False)
    return path


def test_every_way_to_give_the_same_data_gives_the_same_data_set(file):
    table = make_table()
    features = table.drop(columns="kind")
    ways = {
        "file": str(file),
        "path": (file, "kind"),
        "frame": (table, "kind"),
        "parts": (features, table["kind"]),
    }
    for bunch in name_datasets(ways).values():
        pd.testing.assert_frame_equal(bunch.data, features)
        assert bunch.target.tolist() == table["kind"].tolist()
        described = describe_dataset(bunch)
        assert (described["numeric"], described["nominal"]) == (2, 1)


def test_names_come_from_the_data_sets(file):
    glass = load_dataset("glass")
    assert list(name_datasets(["zoo", "zoo", file, glass])) == ["zoo", "fruit", "glass"]
    assert list(name_datasets(("zoo", "glass"))) == ["zoo", "glass"]
    assert list(name_datasets("zoo")) == ["zoo"]
    assert list(name_datasets({"zoo": None})) == ["zoo"]


def test_a_bunch_of_scikit_learn_has_its_names():
    iris = name_datasets({"iris": load_iris()})["iris"]
    assert iris.data.columns[0] == "sepal length (cm)"
    assert set(iris.target) == {"setosa", "versicolor", "virginica"}
    assert describe_dataset(iris) == {
        "rows": 150,
        "numeric": 4,
        "nominal": 0,
        "gaps": 0,
        "classes": {"setosa": 50, "versicolor": 50, "virginica": 50},
    }


def test_arrays_need_no_names_of_columns():
    bunch = name_datasets({"own": (np.ones((4, 2)), [1, 1, 2, 2])})["own"]
    assert list(bunch.data) == ["x0", "x1"]
    assert bunch.target.dtype.kind == "i"


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ("nowhere.csv", "there is no file nowhere.csv, and no data set"),
        ([(np.ones((4, 2)), np.ones(4))], "give it a name: {.my data"),
        ({"own": 7}, "data set own: int is not a data set"),
        (7, "int is neither the name nor the file of a data set"),
        ({"own": (make_table(), "size of it")}, "data set own: there is no column"),
        ({"own": (np.ones((4, 2)), np.ones(3))}, "4 rows of data, 3 classes"),
        ({"own": (np.ones(4), np.ones(4))}, "features need rows and columns"),
    ],
)
def test_what_is_no_data_set_is_refused_in_a_sentence(given, message):
    with pytest.raises(ValueError, match=message):
        name_datasets(given)


def test_two_data_sets_of_one_name(file):
    with pytest.raises(ValueError, match="two data sets are called 'fruit'"):
        name_datasets([file, str(file)])


def test_rows_without_a_class_are_left_out_aloud():
    table = make_table()
    table.loc[3, "kind"] = None
    with pytest.warns(UserWarning, match="data set own: 1 of 40 rows have no class"):
        bunch = name_datasets({"own": (table, "kind")})["own"]
    assert len(bunch.data) == len(bunch.target) == 39


class Raising(SVC):
    def fit(self, X, y):
        raise RuntimeError("no luck")


def test_own_tables_with_gaps_and_own_methods_of_every_kind(tmp_path):
    table = make_table(80)
    table.loc[::7, "weight"] = np.nan
    table.loc[::5, "colour"] = None
    methods = {
        "class": RandomForestClassifier,
        "instance": RandomForestClassifier(10),
        "pipeline": make_pipeline(StandardScaler(), SVC(class_weight="balanced")),
        "lambda": lambda random_state: DummyClassifier(random_state=random_state),
        "raising": Raising(),
        "logistic regression": None,
    }
    datasets = {"gaps": (table, "kind"), "iris": load_iris()}
    results = run_benchmark(datasets, methods, store=tmp_path, folds=2)
    rows = results.rows
    failed = rows["method"] == "raising"
    assert (rows["status"][~failed] == "done").all(), rows["error"].tolist()
    assert set(rows["error"][failed]) == {"RuntimeError: no luck"}
    described = results.datasets["gaps"]
    assert described["gaps"] == 12 + 16
    assert described["classes"] == {"rare": 20, "usual": 60}


def test_an_id_in_a_table_is_left_out_and_one_in_an_array_is_a_number():
    table = make_table().assign(patient_id=range(1000, 1040))
    kept, array = name_datasets(
        {
            "table": (table, "kind"),
            "array": (table[["patient_id", "size"]].to_numpy(), table["kind"]),
        }
    ).values()
    assert describe_dataset(kept)["numeric"] == 2
    assert describe_dataset(array)["numeric"] == 2
