"""The grid search finds what training every point from nothing finds."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.base import clone
from sklearn.metrics import accuracy_score
from sklearn.model_selection import ParameterGrid
from sklearn.svm import SVC

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
from isvmde.baselines.grid_search import score_fold
from isvmde.metrics import av_f_beta_score, cba_score, g_mean_score
from isvmde.model_selection import PaperKFold

SCORE_FUNCTIONS = {
    "g_mean": g_mean_score,
    "av_f_beta": av_f_beta_score,
    "cba": cba_score,
    "accuracy": accuracy_score,
}
KERNELS = {"kernel": ["linear", "rbf"], "sigma": [0.5, 2.0], "C": [100, 1, 10]}
DETERMINISTIC = [
    (OVOSVM(), KERNELS),
    (CostSVM(), {**KERNELS, "multiple_pos": [0.5, 1.0, 3.0]}),
    (PPSVM(), {**KERNELS, "gamma": [0.05, 0.3]}),
    (NBSVM(), {**KERNELS, "a": [0.1, 5.0]}),
]
DRAWING = [
    (StaticSMOTESVM(), {**KERNELS, "k_neighbors": [1, 5]}),
    (SDCSVM(), {**KERNELS, "k_neighbors": [1, 5]}),
    (WKSMOTESVM(), {"C": [1, 10], "kernel": ["rbf", "poly"], "degree": [1, 2]}),
]


@pytest.mark.parametrize(("baseline", "grid"), DETERMINISTIC)
def test_scores_are_those_of_training_each_point_alone(three_classes, baseline, grid):
    X, y = three_classes
    search = GridSearchSVM(baseline, grid, random_state=0).fit(X, y)
    folds = PaperKFold(3, random_state=np.random.RandomState(0)).split(X, y)
    for k, (train, test) in enumerate(folds):
        for i, point in enumerate(ParameterGrid(grid)):
            model = clone(baseline).set_params(**point).fit(X[train], y[train])
            predicted = model.predict(X[test])
            for name, score in SCORE_FUNCTIONS.items():
                assert search.cv_results_[f"split{k}_test_{name}"][i] == pytest.approx(
                    score(y[test], predicted), abs=1e-12
                )


@pytest.mark.parametrize(("baseline", "grid"), DRAWING)
def test_drawing_baselines_are_scored_on_one_set_of_draws(
    three_classes, baseline, grid
):
    """A grid with every point twice scores both alike: the draws do not move on."""
    X, y = three_classes
    once = GridSearchSVM(baseline, grid, random_state=0).fit(X, y)
    twice = GridSearchSVM(baseline, [grid, grid], random_state=0).fit(X, y)
    mean, doubled = (s.cv_results_["mean_test_g_mean"] for s in (once, twice))
    np.testing.assert_array_equal(doubled, np.concatenate([mean, mean]))
    assert len(np.unique(mean)) > 1


def test_the_best_mean_wins_then_av_f_then_the_first_point():
    search = GridSearchSVM(OVOSVM(), {"C": [1, 2, 3, 4]})
    points = list(ParameterGrid(search.param_grid))
    unused = [0.0] * 4
    g_mean, av_f = [0.5, 0.9, 0.9, 0.9], [0.9, 0.1, 0.3, 0.3]
    scores = np.array([[g_mean, av_f, unused, unused]])
    search._set_results(points, scores)
    assert search.best_params_ == {"C": 3}
    assert search.best_score_ == 0.9
    assert search.cv_results_["rank_test_g_mean"].tolist() == [4, 1, 1, 1]


@pytest.mark.parametrize("baseline", [CostSVM(), SDCSVM()])
def test_threads_change_nothing(three_classes, new_rows, baseline):
    one, two = (
        GridSearchSVM(baseline, KERNELS, random_state=1, n_jobs=n).fit(*three_classes)
        for n in (1, 2)
    )
    for name, values in one.cv_results_.items():
        assert np.all(values == two.cv_results_[name])
    np.testing.assert_array_equal(
        one.decision_function(new_rows), two.decision_function(new_rows)
    )


def test_the_chosen_baseline_is_trained_on_all_data(three_classes, new_rows):
    search = GridSearchSVM(OVOSVM(), KERNELS, random_state=0).fit(*three_classes)
    alone = OVOSVM(**search.best_params_).fit(*three_classes)
    assert search.best_estimator_.get_params() == alone.get_params()
    np.testing.assert_array_equal(
        search.decision_function(new_rows), alone.decision_function(new_rows)
    )


def test_a_class_of_one_sample_is_not_scored_where_it_could_not_be_learned():
    rng = np.random.default_rng(0)
    X = np.concatenate([rng.normal(0, 1, (9, 2)), rng.normal(8, 1, (9, 2)), [[0, 9]]])
    y = np.repeat([0, 1, 2], [9, 9, 1])
    search = GridSearchSVM(OVOSVM(), {"C": [10]}, random_state=0).fit(X, y)
    assert search.best_score_ == 1.0
    assert search.classes_.tolist() == [0, 1, 2]


def test_nothing_to_score_takes_the_first_point():
    X, y = np.array([[0.0], [1.0]]), np.array([0, 1])
    search = GridSearchSVM(OVOSVM(), {"C": [7, 8]}, random_state=0).fit(X, y)
    assert search.best_params_ == {"C": 7}
    assert search.n_splits_ == 0
    assert np.isnan(search.best_score_)


def test_other_classifiers_are_refused(three_classes):
    with pytest.raises(TypeError, match="GridSearchCV"):
        GridSearchSVM(SVC(), {"C": [1]}).fit(*three_classes)


def test_a_bad_point_of_the_grid_is_named(three_classes):
    with pytest.raises(ValueError, match="kernel='cosine'"):
        GridSearchSVM(OVOSVM(), {"kernel": ["rbf", "cosine"]}).fit(*three_classes)


@given(st.integers(2, 5), st.integers(1, 12), st.data())
def test_fold_scores_are_the_metrics(n_classes, n, data):
    some_labels = st.lists(st.integers(0, n_classes - 1), min_size=n, max_size=n)

    def labels():
        return np.array(data.draw(some_labels))

    y, predicted = labels(), np.array([labels(), labels()])
    weight = np.array(data.draw(st.lists(st.integers(1, 3), min_size=n, max_size=n)))
    scores = score_fold(y, predicted, n_classes, weight)
    for k in range(2):
        options = {"sample_weight": weight}
        expected = [f(y, predicted[k], **options) for f in SCORE_FUNCTIONS.values()]
        np.testing.assert_allclose(scores[:, k], expected)


def test_samples_of_an_unknown_class_count_against_what_they_are_taken_for():
    y, predicted = np.array([0, 1, 2]), np.array([[0, 1, 0], [0, 1, 1]])
    g_mean, av_f, cba, accuracy = score_fold(y, predicted, 2, np.ones(3))
    np.testing.assert_allclose(g_mean, 1.0)
    np.testing.assert_allclose(av_f, (1 + 2 / 3) / 2)
    np.testing.assert_allclose(cba, (1 + 1 / 2) / 2)
    np.testing.assert_allclose(accuracy, 2 / 3)
