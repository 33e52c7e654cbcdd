"""The paper's nine methods by name."""

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.datasets import load_iris
from sklearn.model_selection import ParameterGrid

from isvmde import ISVMDEClassifier
from isvmde.methods import METHODS, make_method
from isvmde.published import load_scores

BASELINES = METHODS[:7]


def test_methods_are_the_columns_of_the_paper():
    assert list(METHODS) == [*load_scores("g_mean").columns, "i-SVM-LOO"]


@pytest.mark.parametrize(
    ("name", "points"),
    list(zip(BASELINES, [24, 24, 168, 24, 48, 96, 120], strict=True)),
)
def test_grids_have_the_sizes_of_table_2(name, points):
    assert len(ParameterGrid(make_method(name).param_grid)) == points


@pytest.mark.parametrize("name", BASELINES)
def test_baselines_learn_an_imbalanced_iris(name):
    X, y = load_iris(return_X_y=True)
    rows = np.r_[0:50, 50:70, 100:106]
    model = make_method(name, budget="quick", random_state=0).fit(X[rows], y[rows])
    assert model.score(X, y) > 0.85
    assert model.best_params_["kernel"] in ("linear", "rbf")


@pytest.mark.parametrize("name", BASELINES)
def test_a_seed_makes_a_method_repeatable(name):
    X, y = load_iris(return_X_y=True)
    rows = np.r_[0:50:2, 50:70, 100:106]
    method = make_method(name, budget="quick", random_state=3)
    one = method.fit(X[rows], y[rows]).decision_function(X)
    two = clone(method).fit(X[rows], y[rows]).decision_function(X)
    np.testing.assert_array_equal(one, two)


@pytest.mark.parametrize(
    ("name", "fitness"), [("i-SVM-DE-MAX", "max"), ("i-SVM-DE-AVE", "ave")]
)
def test_i_svm_de_is_the_joint_search_of_the_paper(name, fitness):
    method = make_method(name, random_state=5, n_jobs=2)
    assert isinstance(method, ISVMDEClassifier)
    expected = {
        "fitness": fitness,
        "search": "joint",
        "pop_size": 40,
        "max_iter": 200,
        "random_state": 5,
        "n_jobs": 2,
    }
    assert expected.items() <= method.get_params().items()
    quick = make_method(name, budget="quick")
    assert (quick.search, quick.pop_size * quick.max_iter) == ("pairwise", 400)


def test_unknown_names_are_answered_with_the_known_ones():
    with pytest.raises(ValueError, match=r"no method 'svm'.*Static-SMOTE"):
        make_method("svm")
    with pytest.raises(ValueError, match=r"budget='fast'.*quick"):
        make_method("SVM", budget="fast")
