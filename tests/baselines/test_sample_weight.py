"""Weights are counts, for every baseline and for the grid search."""

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.model_selection import LeaveOneGroupOut

from isvmde.baselines import OVOSVM, GridSearchSVM
from isvmde.methods import make_method

from .every_baseline import draws, make_baselines

PLAIN = [model for model in make_baselines() if not draws(model)]
DRAWING = [model for model in make_baselines() if draws(model)]
GRID = {"C": [1, 10], "sigma": [0.5, 2.0]}


@pytest.mark.parametrize("baseline", [*PLAIN, *DRAWING], ids=repr)
def test_a_weight_of_two_is_the_row_twice(three_classes, new_rows, baseline):
    X, y = three_classes
    count = np.arange(len(y)) % 3
    weighted = clone(baseline).fit(X, y, sample_weight=count)
    repeated = clone(baseline).fit(np.repeat(X, count, axis=0), np.repeat(y, count))
    np.testing.assert_array_equal(
        weighted.decision_function(new_rows), repeated.decision_function(new_rows)
    )
    assert weighted.n_support_.tolist() == repeated.n_support_.tolist()
    unweighted = clone(baseline).fit(X, y).decision_function(new_rows)
    assert (unweighted != weighted.decision_function(new_rows)).any()


@pytest.mark.parametrize("baseline", [*PLAIN, *DRAWING], ids=repr)
def test_a_grid_search_counts_in_training_and_in_scores(
    three_classes, new_rows, baseline
):
    """With given folds, so that both searches see the same ones."""
    X, y = three_classes
    group = np.arange(len(y)) % 3
    count = np.arange(len(y)) // 3 % 3
    folds = LeaveOneGroupOut()
    weighted = GridSearchSVM(
        baseline, GRID, cv=list(folds.split(X, groups=group)), random_state=0
    ).fit(X, y, sample_weight=count)
    X, y, group = (np.repeat(part, count, axis=0) for part in (X, y, group))
    repeated = GridSearchSVM(
        baseline, GRID, cv=list(folds.split(X, groups=group)), random_state=0
    ).fit(X, y)
    for name, values in repeated.cv_results_.items():
        assert np.all(values == weighted.cv_results_[name]), name
    np.testing.assert_array_equal(
        weighted.decision_function(new_rows), repeated.decision_function(new_rows)
    )


def test_rows_of_weight_zero_are_not_dealt_to_folds(three_classes, new_rows):
    X, y = three_classes
    count = (np.arange(len(y)) % 4 > 0).astype(int)
    weighted, removed = (
        make_method("Cost-SVM", budget="quick", random_state=0) for _ in range(2)
    )
    weighted.fit(X, y, sample_weight=count)
    removed.fit(X[count > 0], y[count > 0])
    np.testing.assert_array_equal(
        weighted.decision_function(new_rows), removed.decision_function(new_rows)
    )
    with pytest.raises(ValueError, match=r"at least two classes.*big"):
        weighted.fit(X, y, sample_weight=y == "big")


@pytest.mark.parametrize("baseline", PLAIN, ids=repr)
def test_fractions_count_too(three_classes, new_rows, baseline):
    """Half of everything at twice the cost is the same machine."""
    X, y = three_classes
    half = clone(baseline).set_params(C=2.0, tol=1e-9).fit(X, y, np.full(len(y), 0.5))
    whole = clone(baseline).set_params(C=1.0, tol=1e-9).fit(X, y)
    np.testing.assert_allclose(
        half.decision_function(new_rows), whole.decision_function(new_rows), atol=1e-7
    )


@pytest.mark.parametrize("baseline", DRAWING, ids=repr)
def test_fractions_cannot_be_drawn_from(three_classes, baseline):
    X, y = three_classes
    for weight in (np.full(len(y), 0.5), np.full(len(y), 1e20)):
        for model in (baseline, GridSearchSVM(baseline, GRID)):
            with pytest.raises(ValueError, match="must hold whole numbers"):
                model.fit(X, y, sample_weight=weight)


@pytest.mark.parametrize("baseline", PLAIN, ids=repr)
def test_costs_beyond_all_numbers_are_refused(three_classes, baseline):
    X, y = three_classes
    model = clone(baseline).set_params(C=1e300)
    with pytest.raises(
        ValueError, match=r"exceed the range of floating-point numbers.*lower C"
    ):
        model.fit(X, y, sample_weight=np.full(len(y), 1e20))


def test_huge_weights_are_counted(three_classes):
    X, y = three_classes
    model = OVOSVM().fit(X, y, sample_weight=np.full(len(y), 1e30))
    assert model.n_support_.dtype == float
    assert (model.n_support_ >= 2e30).all()
