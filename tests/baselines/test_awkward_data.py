"""Training sets that are legal and awkward, over every baseline and the grid search."""

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.exceptions import ConvergenceWarning

from isvmde.baselines import NBSVM, OVOSVM, SDCSVM, WKSMOTESVM, GridSearchSVM

from .every_baseline import make_baselines

CLASSIFIERS = [
    *make_baselines(C=10),
    WKSMOTESVM(C=10, kernel="poly", degree=2, random_state=0),
    GridSearchSVM(SDCSVM(random_state=0), {"C": [1, 10]}, random_state=0),
]


def tiny_classes(rng):
    X = rng.normal(size=(38, 2)) + np.repeat(np.arange(4) * 9.0, [30, 5, 2, 1])[:, None]
    return X, np.repeat([0, 1, 2, 3], [30, 5, 2, 1])


def constant_columns(rng):
    X, y = tiny_classes(rng)
    return np.column_stack([np.ones(len(X)), X, np.zeros(len(X))]), y


def one_against_many(rng):
    X = rng.normal(size=(501, 2))
    X[0] = 9.0
    return X, np.repeat([1, 0], [1, 500])


def one_against_one(rng):
    return np.array([[0.0, 0.0], [1.0, 1.0]]), np.array([0, 1])


@pytest.mark.parametrize("classifier", CLASSIFIERS, ids=repr)
@pytest.mark.parametrize(
    "make_data", [tiny_classes, constant_columns, one_against_many, one_against_one]
)
def test_separated_classes_of_any_size_are_learned(classifier, make_data):
    X, y = make_data(np.random.default_rng(0))
    assert (classifier.fit(X, y).predict(X) == y).mean() > 0.99


@pytest.mark.parametrize("classifier", CLASSIFIERS, ids=repr)
def test_identical_rows_of_two_classes_give_finite_decisions(classifier):
    X, y = np.ones((7, 2)), np.array([0, 0, 0, 0, 1, 1, 2])
    model = classifier.fit(X, y)
    assert np.isfinite(model.decision_function(X)).all()
    assert len(np.unique(model.predict(X))) == 1


@pytest.mark.parametrize("classifier", CLASSIFIERS, ids=repr)
def test_decision_function_orders_as_predict(classifier, three_classes, new_rows):
    model = classifier.fit(*three_classes)
    best = np.argmax(model.decision_function(new_rows), axis=1)
    assert (model.classes_[best] == model.predict(new_rows)).all()
    p = model.predict_proba(new_rows)
    assert (model.classes_[np.argmax(p, axis=1)] == model.predict(new_rows)).all()
    np.testing.assert_allclose(p.sum(axis=1), 1.0)


@pytest.mark.parametrize("classifier", [OVOSVM(), WKSMOTESVM(), NBSVM()], ids=repr)
def test_too_few_steps_are_told_with_the_problem_they_were_too_few_for(
    classifier, three_classes
):
    model = clone(classifier).set_params(max_iter=1, C=100.0)
    words = "'big' against the rest" if isinstance(model, NBSVM) else "'middle' against"
    with pytest.warns(ConvergenceWarning, match=words):
        model.fit(*three_classes)


def test_kernel_values_too_large_for_a_number_are_refused_without_a_warning(
    three_classes,
):
    X, y = three_classes
    for scale, message in (
        (1e120, "too large for kernels"),
        (1e50, "exceed the range"),
    ):
        with pytest.raises(ValueError, match=message):
            WKSMOTESVM(kernel="poly", random_state=0).fit(X * scale, y)
