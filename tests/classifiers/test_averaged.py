"""ISVMClassifierCV: what it promises, on small data."""

import html
import re
import warnings

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.base import clone
from sklearn.datasets import load_iris
from sklearn.metrics import balanced_accuracy_score

from isvmde import ISVMClassifierCV
from isvmde.core.averaging.bags import Budget
from isvmde.core.averaging.solving import most_steps
from isvmde.exceptions import DoubtfulModelWarning
from isvmde.metrics import g_mean_scorer, imbalance_report

NAMES = np.array(["common", "rare", "tiny"])


def make(**params):
    return ISVMClassifierCV(**{"n_settings": 16, "random_state": 0, **params})


def bits(model, X):
    """Return everything that must not change, as bytes."""
    arrays = (model.predict_proba(X), model.loo_proba_, model.weights_, model.margins_)
    return [np.asarray(array).tobytes() for array in arrays]


def new_rows(n=50, d=3):
    return np.random.default_rng(9).normal(0.5, 0.5, size=(n, d))


@pytest.fixture(scope="module")
def fitted(make_blobs):
    data = make_blobs([25, 12, 6])
    return make().fit(data.X, NAMES[data.y])


# Predictions


def test_predictions_agree_with_each_other(fitted):
    X = new_rows()
    proba, score = fitted.predict_proba(X), fitted.decision_function(X)
    assert_allclose(proba.sum(axis=1), 1)
    assert (proba > 0).all()
    assert_array_equal(np.argmax(score, axis=1), np.argmax(proba, axis=1))
    assert_array_equal(fitted.predict(X), NAMES[np.argmax(proba, axis=1)])
    assert fitted.pair_decision_function(X).shape == (50, 3)


@pytest.mark.parametrize("sizes", [[30, 9], [9, 30], [12, 12]], ids=str)
def test_two_classes_have_one_score_whose_sign_decides(make_blobs, sizes):
    data = make_blobs(sizes)
    model = make().fit(data.X, np.array(["a", "b"])[data.y])
    X = new_rows()
    score, proba = model.decision_function(X), model.predict_proba(X)
    assert score.shape == (50,)
    assert_array_equal(np.where(score > 0, "b", "a"), model.predict(X))
    assert_allclose(1 / (1 + np.exp(-score)), proba[:, 1])
    f = model.pair_decision_function(X)[:, 0]  # of the smaller class
    plus = int(model.pairs_[0, 0] == "b")
    assert_allclose(proba[:, plus], np.clip(1 / (1 + np.exp(-f)), 0.001, 0.999))


def test_an_impossible_class_has_a_score_all_the_same(make_blobs):
    data = make_blobs([20, 10])
    model = make(prior={0: 1.0, 1: 1e-320}).fit(data.X, data.y)
    assert np.isfinite(model.decision_function(data.X)).all()
    assert (model.predict(data.X) == 0).all()


@pytest.mark.parametrize("size", [1, 7, 16, 33])
def test_a_row_does_not_depend_on_its_batch(fitted, size):
    X = new_rows()
    whole = fitted.predict_proba(X)
    parts = [fitted.predict_proba(X[k : k + size]) for k in range(0, 50, size)]
    assert_array_equal(np.concatenate(parts), whole)


def test_it_learns(make_blobs):
    data = make_blobs([60, 30, 15], spread=0.5)
    test = np.arange(len(data.y)) % 3 == 0
    model = make(n_settings=48).fit(data.X[~test], data.y[~test])
    assert balanced_accuracy_score(data.y[test], model.predict(data.X[test])) > 0.8


# What must not matter


@pytest.mark.parametrize("n_jobs", [2, -1])
def test_threads_change_no_bit(three, n_jobs):
    one, more = (make(n_jobs=n).fit(three.X, three.y) for n in (None, n_jobs))
    X = np.tile(new_rows(), (4, 1))
    assert bits(one, X) == bits(more, X)


def test_the_same_seed_changes_no_bit(three):
    X = new_rows()
    one = make().fit(three.X, three.y)
    assert bits(one, X) == bits(make().fit(three.X, three.y), X)
    assert bits(one, X) != bits(make(random_state=1).fit(three.X, three.y), X)


@pytest.mark.filterwarnings("ignore::isvmde.exceptions.RepeatedRowsWarning")
def test_a_weight_of_two_is_the_row_twice(three):
    weight = np.tile([1, 2, 3], 15)[: len(three.y)]
    again = np.repeat(np.arange(len(three.y)), weight)
    weighed = make().fit(three.X, three.y, sample_weight=weight)
    repeated = make().fit(three.X[again], three.y[again])
    assert_array_equal(weighed.loo_proba_[again], repeated.loo_proba_)
    X = new_rows()
    assert_array_equal(weighed.predict_proba(X), repeated.predict_proba(X))
    for name in ("weights_", "margins_", "class_count_", "n_support_", "loo_error_"):
        assert_array_equal(getattr(weighed, name), getattr(repeated, name))
    ours, theirs = (m.loo_report().confusion_matrix for m in (weighed, repeated))
    assert_array_equal(ours, theirs)


def test_rows_without_weight_are_predicted_but_not_learned_from(three):
    weight = np.ones(len(three.y))
    weight[::5] = 0
    with_zero = make().fit(three.X, three.y, sample_weight=weight)
    without = make().fit(three.X[weight > 0], three.y[weight > 0])
    assert_array_equal(with_zero.loo_proba_[weight > 0], without.loo_proba_)
    assert_array_equal(
        with_zero.loo_proba_[weight == 0], without.predict_proba(three.X[::5])
    )
    assert str(with_zero.loo_report()) == str(without.loo_report())


def test_permuted_rows_permute_what_is_said_of_them(three):
    order = np.random.default_rng(0).permutation(len(three.y))
    one = make().fit(three.X, three.y)
    other = make().fit(three.X[order], three.y[order])
    assert_array_equal(other.loo_proba_, one.loo_proba_[order])
    assert_array_equal(other.predict_proba(three.X), one.predict_proba(three.X))


def test_other_names_change_the_order_of_columns_alone(three):
    """Only sums over pairs are then in another order."""
    one = make(tol=1e-8).fit(three.X, three.y)
    renamed = np.array(["z", "x", "y"])[three.y]
    other = make(tol=1e-8).fit(three.X, renamed)
    X = new_rows()
    column = np.searchsorted(other.classes_, ["z", "x", "y"])
    assert_allclose(
        other.predict_proba(X)[:, column], one.predict_proba(X), rtol=0, atol=1e-9
    )
    assert_allclose(other.loo_proba_[:, column], one.loo_proba_, rtol=0, atol=1e-9)


@pytest.mark.parametrize(
    "budget", [Budget(), Budget(work=3_000.0)], ids=["whole", "bagged"]
)
@pytest.mark.parametrize("sizes", [[14, 14], [12, 12, 12, 5]], ids=str)
def test_names_of_equally_large_classes_do_not_matter(
    make_blobs, monkeypatch, budget, sizes
):
    monkeypatch.setattr(ISVMClassifierCV, "_budget", budget)
    data, n_classes = make_blobs(sizes), len(sizes)
    X = new_rows()
    one = make(tol=1e-9).fit(data.X, data.y)
    same = np.sort(one.pairs_, axis=1).tolist()
    for names in (np.arange(n_classes)[::-1], np.roll(np.arange(n_classes), 1)):
        other = make(tol=1e-9).fit(data.X, names[data.y])
        for ours, theirs in (
            (one.predict_proba(X), other.predict_proba(X)),
            (one.loo_proba_, other.loo_proba_),
        ):
            assert_allclose(theirs[:, names], ours, rtol=0, atol=1e-6)
        # the same classes are + and -, and every pair has what belongs to it
        back = np.argsort(names)[other.pairs_]
        assert sorted(back.tolist()) == sorted(one.pairs_.tolist())
        place = [same.index(sorted(pair)) for pair in back.tolist()]
        for name in ("margins_", "n_support_"):
            ours, theirs = getattr(one, name)[place], getattr(other, name)
            assert_allclose(theirs, ours, atol=1e-6)
        assert_allclose(other.weights_, one.weights_[:, place], atol=1e-6)


@pytest.mark.parametrize("weighed", [False, True], ids=["rows", "weights"])
@pytest.mark.filterwarnings("ignore::isvmde.exceptions.RepeatedRowsWarning")
def test_bags_know_neither_order_nor_counts_nor_threads(
    make_blobs, monkeypatch, weighed
):
    monkeypatch.setattr(ISVMClassifierCV, "_budget", Budget(work=3_000.0))
    data, random = make_blobs([40, 20, 8]), np.random.default_rng(0)
    weight = random.integers(0, 4, 68) if weighed else np.ones(68, int)
    X, order = new_rows(), random.permutation(np.repeat(np.arange(68), weight))
    one = make().fit(data.X, data.y, sample_weight=weight)
    other = make(n_jobs=2).fit(data.X[order], data.y[order])
    assert_array_equal(other.loo_proba_, one.loo_proba_[order])
    for name in ("weights_", "margins_", "n_support_", "loo_error_", "prior_"):
        assert_array_equal(getattr(one, name), getattr(other, name))
    assert_array_equal(one.predict_proba(X), other.predict_proba(X))


# Classes and tables of all kinds


def test_bagged_models_say_nearly_what_whole_ones_do(make_blobs, monkeypatch):
    data = make_blobs([150, 90, 30])
    X = new_rows()
    whole = make(n_settings=32).fit(data.X, data.y).predict_proba(X)
    monkeypatch.setattr(ISVMClassifierCV, "_budget", Budget(work=40_000.0))
    model = make(n_settings=32).fit(data.X, data.y)
    assert np.abs(model.predict_proba(X) - whole).mean() < 0.08
    unseen = np.argmax(model.loo_proba_, axis=1)
    assert balanced_accuracy_score(data.y, unseen) > 0.55
    assert (model.n_support_ <= [240, 180, 120]).all()
    explained = model.explain(X[:3])
    for one in explained:  # a row that supports machines of several bags counts once
        assert one.support["row"].is_unique


def test_fifty_classes(make_blobs):
    data = make_blobs(np.full(50, 3), n_features=6, spread=0.2)
    model = make(n_settings=4).fit(data.X, data.y)
    assert model.pairs_.shape == (1225, 2)
    assert model.predict_proba(data.X).shape == (150, 50)
    assert model.score(data.X, data.y) > 0.9


def test_classes_of_one_sample(make_blobs):
    data = make_blobs([20, 1, 1], spread=0.2)
    model = make().fit(data.X, data.y)
    assert np.isfinite(model.loo_proba_).all()
    assert np.isfinite(model.margins_).all()
    assert model.score(data.X, data.y) > 0.9


def test_one_class_is_refused():
    with pytest.raises(ValueError, match="at least two classes"):
        make().fit(np.zeros((3, 1)), [1, 1, 1])


def test_pandas_and_polars_give_names(three):
    polars = pytest.importorskip("polars")
    columns = ["a", "b", "c"]
    plain = make().fit(three.X, NAMES[three.y])
    frame = pd.DataFrame(three.X, columns=columns, index=np.arange(43) + 100)
    for X, y in (
        (frame, pd.Series(NAMES[three.y], index=frame.index)),
        (polars.DataFrame(three.X, schema=columns), polars.Series(NAMES[three.y])),
    ):
        model = make().fit(X, y)
        assert model.feature_names_in_.tolist() == columns
        assert_array_equal(model.predict_proba(X), plain.predict_proba(three.X))
        assert model.classes_.tolist() == NAMES.tolist()


# What it learned


def test_shapes_of_what_was_learned(fitted):
    assert fitted.classes_.tolist() == NAMES.tolist()
    assert fitted.class_count_.tolist() == [25, 12, 6]
    assert fitted.pairs_.tolist() == [
        ["rare", "common"],
        ["tiny", "common"],
        ["tiny", "rare"],
    ]
    assert len(fitted.settings_) == 16
    assert fitted.weights_.shape == fitted.loo_error_.shape == (16, 3)
    assert_allclose(fitted.weights_.sum(axis=0), 1)
    assert ((fitted.loo_error_ >= 0) & (fitted.loo_error_ <= 1)).all()
    assert fitted.margins_.shape == (3, 2)
    assert (fitted.margins_.sum(axis=1) >= 0).all()
    assert fitted.loo_proba_.shape == (43, 3)
    assert (fitted.n_support_ <= [37, 31, 18]).all()
    assert (fitted.kkt_violation_ <= fitted.tol).all()
    assert all({"kernel", "view", "C_pos", "C_neg"} <= set(s) for s in fitted.settings_)


def test_kernels_and_views_are_those_asked_for(three):
    model = make(kernels=["rbf"], views=["ranks"]).fit(three.X, three.y)
    assert {s["kernel"] for s in model.settings_} == {"rbf"}
    assert {s["view"] for s in model.settings_} == {"ranks"}
    one_name = make(kernels="rbf", views="ranks").fit(three.X, three.y)
    assert_array_equal(one_name.loo_proba_, model.loo_proba_)


def test_the_report_is_that_of_unseen_predictions(fitted, make_blobs):
    truth = NAMES[make_blobs([25, 12, 6]).y]
    guess = NAMES[np.argmax(fitted.loo_proba_, axis=1)]
    assert str(fitted.loo_report()) == str(imbalance_report(truth, guess))


def test_unseen_probabilities_are_near_those_of_models_without_the_row(make_blobs):
    """And much nearer than what the model says of rows it was trained on."""
    data = make_blobs([30, 20, 12], spread=0.7)
    model, rows = make().fit(data.X, data.y), np.arange(0, 62, 3)
    retrained = np.concatenate(
        [
            make()
            .fit(np.delete(data.X, i, axis=0), np.delete(data.y, i))
            .predict_proba(data.X[i : i + 1])
            for i in rows
        ]
    )
    unseen = model.loo_proba_[rows]
    agree = np.argmax(retrained, axis=1) == np.argmax(unseen, axis=1)
    assert agree.mean() > 0.75
    assert np.abs(retrained - unseen).mean() < 0.07
    assert np.corrcoef(retrained.ravel(), unseen.ravel())[0, 1] > 0.9
    seen = np.abs(retrained - model.predict_proba(data.X[rows])).mean()
    assert np.abs(retrained - unseen).mean() < 0.6 * seen


NOISE = {
    "wide": ([20, 20], 200, Budget()),
    "few": ([60, 6], 60, Budget()),
    "three classes": ([60, 20, 10], 60, Budget()),
    "four small classes": ([10, 10, 10, 10], 100, Budget()),
    "bagged": ([200, 40], 30, Budget(work=8_000.0)),
}


@pytest.mark.parametrize(("sizes", "d", "budget"), NOISE.values(), ids=NOISE)
def test_random_labels_are_reported_near_chance(monkeypatch, sizes, d, budget):
    """Neither the predictions nor the probabilities claim to know anything."""
    monkeypatch.setattr(ISVMClassifierCV, "_budget", budget)
    n_classes, recall, gain = len(sizes), [], []
    y = np.repeat(np.arange(n_classes), sizes)
    for seed in range(10):
        X = np.random.default_rng(seed).normal(size=(len(y), d))
        unseen = make(random_state=seed, prior="balanced").fit(X, y).loo_proba_
        right, told = np.argmax(unseen, axis=1) == y, unseen[np.arange(len(y)), y]
        of_classes = [y == c for c in range(n_classes)]
        recall.append(np.mean([right[own].mean() for own in of_classes]))
        loss = np.mean([-np.log(told[own]).mean() for own in of_classes])
        gain.append(np.log(n_classes) - loss)
    error = np.std(recall) / np.sqrt(len(recall))
    assert np.mean(recall) - 1 / n_classes < 0.03 + 2 * error
    assert np.mean(gain) < 0.02


@pytest.mark.parametrize("sizes", [[30, 30], [60, 12], [20, 20, 20]], ids=str)
def test_a_model_that_may_be_guessing_warns(sizes):
    X = np.random.default_rng(0).normal(size=(sum(sizes), 20))
    y = np.repeat(np.arange(len(sizes)), sizes)
    with pytest.warns(DoubtfulModelWarning, match="not clearly better than guessing"):
        make().fit(X, y)


def test_a_model_that_knows_something_does_not_warn(three):
    with warnings.catch_warnings():
        warnings.simplefilter("error")  # whatever is ignored elsewhere
        make().fit(three.X, three.y)
        make().fit(*load_iris(return_X_y=True))


def test_where_only_linear_machines_hold_the_others_are_not_used():
    """A plane parts the classes, in more columns than others can learn from."""
    random = np.random.default_rng(0)
    X = random.normal(size=(60, 40))
    y = (X.sum(axis=1) + 2.0 * random.normal(size=60) > 0).astype(int)
    model = make(n_settings=24)
    with pytest.warns(DoubtfulModelWarning, match="only these are used"):
        model.fit(X, y)
    used = (model.weights_ > 0).any(axis=1)
    kernels = {model.settings_[s]["kernel"] for s in np.flatnonzero(used)}
    assert kernels == {"linear"}


def test_of_settings_that_are_trained_twice_the_others_have_no_weight(
    make_blobs, monkeypatch
):
    budget = Budget(first_work=1_700.0, second_work=12_000.0, n_chosen=4, least_rows=40)
    monkeypatch.setattr(ISVMClassifierCV, "_budget", budget)
    data, X = make_blobs([90, 60, 50]), new_rows()
    model = make().fit(data.X, data.y)
    assert len(model.settings_) == len(model.weights_) == 16
    assert (model.weights_ > 0).any(axis=1).sum() <= 4
    assert_allclose(model.weights_.sum(axis=0), 1.0)
    assert balanced_accuracy_score(data.y, np.argmax(model.loo_proba_, axis=1)) > 0.55
    order = np.random.default_rng(0).permutation(200)
    other = make(n_jobs=2).fit(data.X[order], data.y[order])
    assert bits(model, X)[0] == bits(other, X)[0]
    assert_array_equal(other.loo_proba_, model.loo_proba_[order])


@pytest.mark.parametrize("n_groups", [1, 2])
def test_a_class_in_few_groups_can_be_trained_and_told(
    make_blobs, monkeypatch, n_groups
):
    budget = Budget(first_work=3_000.0, n_chosen=4, least_rows=40)
    monkeypatch.setattr(ISVMClassifierCV, "_budget", budget)
    data = make_blobs([90, 60, 50])
    group = np.where(data.y == 2, 999 + np.arange(200) % n_groups, np.arange(200))
    model = make().fit(data.X, data.y, groups=group)
    assert np.isfinite(model.loo_proba_).all()
    assert_allclose(model.weights_.sum(axis=0), 1.0)


def test_machines_that_were_cut_short_get_no_weight(monkeypatch):
    random = np.random.default_rng(0)
    X = random.random((80, 3))
    y = (X[:, 0] + 0.2 * random.normal(size=80) > 0.6).astype(int)
    model = make(n_settings=24)
    assert model.fit(X, y).n_cut_short_ == 0
    assert most_steps(80) > 10_000
    monkeypatch.setattr("isvmde.core.averaging.solving.most_steps", lambda n: 45)
    model.fit(X, y)
    assert 0 < model.n_cut_short_ < 24
    assert (model.kkt_violation_ <= model.tol).all()
    assert ((model.weights_ > 0).sum(axis=0) <= 24 - model.n_cut_short_).all()


# Priors and metrics


def test_priors_follow_bayes_rule(three):
    X = new_rows()
    balanced = make().fit(three.X, three.y)
    assert_allclose(balanced.prior_, 1 / 3)
    given = {0: 0.7, 1: 0.1, 2: 0.2}
    for prior, expected in (
        ("training", np.array([25, 12, 6]) / 43),
        (given, [0.7, 0.1, 0.2]),
        ({label: 10 * p for label, p in given.items()}, [0.7, 0.1, 0.2]),
    ):
        model = make(prior=prior).fit(three.X, three.y)
        assert_allclose(model.prior_, expected)
        for ours, equal in (
            (model.predict_proba(X), balanced.predict_proba(X)),
            (model.loo_proba_, balanced.loo_proba_),
        ):
            product = equal * expected
            assert_allclose(ours, product / product.sum(axis=1, keepdims=True))


def share_of_first(y_true, y_pred):
    """Return a metric that only the largest class pleases."""
    return float(np.mean(y_pred == 0))


@pytest.mark.parametrize("scoring", ["g_mean", "av_f", "cba", "accuracy"])
def test_a_metric_chooses_a_prior_between_the_two(three, scoring):
    model = make(scoring=scoring).fit(three.X, three.y)
    ratio = np.log(model.prior_[0] / model.prior_[2]) / np.log(25 / 6)
    assert -1e-12 <= ratio <= 1 + 1e-12
    again = make(scoring=scoring).fit(three.X, three.y)
    assert_array_equal(again.prior_, model.prior_)


def test_a_function_chooses_the_prior(make_blobs):
    data = make_blobs([60, 30, 15], spread=2.5)
    model = make(scoring=share_of_first).fit(data.X, data.y)
    assert_allclose(model.prior_, np.array([60, 30, 15]) / 105)


def test_the_prior_of_a_small_table_is_balanced_unless_told_otherwise(three):
    X = new_rows()
    one, other = make().fit(three.X, three.y), make(prior="balanced")
    assert one.prior == "auto"
    assert bits(one, X) == bits(other.fit(three.X, three.y), X)


# Bad parameters: one sentence each


@pytest.mark.parametrize(
    ("params", "message"),
    [
        ({"n_settings": 0}, "n_settings == 0, must be >= 1"),
        ({"n_settings": 2.5}, "n_settings must be an instance of int"),
        ({"tol": 0}, "tol == 0, must be > 0"),
        ({"kernels": "sigmoid"}, "kernels='sigmoid': use one or more of"),
        ({"kernels": ()}, r"kernels=\(\): use one or more of"),
        ({"kernels": 5}, "kernels=5: use one or more of"),
        ({"views": "pixels"}, "views='pixels': use one or more of"),
        ({"views": 1}, "views=1: use one or more of"),
        ({"cost_range": (0, 1)}, "cost_range=.*begin above 0"),
        ({"cost_range": (5, 1)}, "cost_range=.*use two numbers"),
        ({"cost_range": 3}, "cost_range=3: use two numbers"),
        ({"sigma_range": (0, 1)}, "sigma_range=.*begin above 0"),
        ({"sigma_range": "wide"}, "sigma_range='wide': use two numbers"),
        ({"degree_range": (1.5, 3)}, "degree_range=.*use two whole numbers"),
        ({"degree_range": (0, 3)}, "degree_range=.*use two numbers"),
        ({"prior": "flat"}, "prior='flat' is not known"),
        ({"prior": [0.5, 0.3, 0.2]}, "prior=.* is not known"),
        ({"prior": {0: 1, 1: 1}}, "prior lacks the class 2"),
        ({"prior": {0: 1, 1: 1, 2: 1, 3: 1}}, "prior names 3, which is not a class"),
        ({"prior": {0: 1, 1: 1, 2: 0}}, "use positive numbers"),
        ({"prior": {0: 1, 1: 1, 2: "much"}}, "use positive numbers"),
        ({"scoring": "f1"}, "scoring='f1' is not known"),
        ({"scoring": 3}, "scoring=3 is not known"),
        ({"scoring": g_mean_scorer}, "is a scorer: give the metric itself"),
        ({"scoring": "cba", "prior": "training"}, "contradict each other"),
        ({"scoring": "cba", "prior": {0: 1, 1: 1, 2: 1}}, "contradict each other"),
    ],
    ids=str,
)
def test_bad_parameters_get_one_sentence_before_any_work(
    three, params, message, monkeypatch
):
    monkeypatch.setattr("isvmde.classifiers.averaged.make_average", None)
    with pytest.raises((ValueError, TypeError), match=message):
        make(**params).fit(three.X, three.y)


def test_clone_keeps_the_parameters(three):
    model = make(prior={0: 0.5, 1: 0.3, 2: 0.2}, views=("ranks",))
    again = clone(model.fit(three.X, three.y))
    assert again.get_params() == model.get_params()
    assert not hasattr(again, "classes_")


# What it shows


def test_progress_tells_the_time_left(three, capsys):
    make(verbose=1).fit(three.X, three.y)
    lines = capsys.readouterr().err.splitlines()
    assert any("0/48 SVMs" in line for line in lines)
    assert "48/48 SVMs" in lines[-1]
    assert lines[-1].endswith("0:00 left")
    assert len(lines) <= 13
    make().fit(three.X, three.y)
    assert capsys.readouterr().err == ""


def test_the_page_in_a_notebook_shows_pairs_and_recall(three):
    model = make()
    assert "lambda1" not in model._repr_html_()
    names = np.array(["<b>", "rare", "tiny"])
    model.fit(three.X, names[three.y])
    page = model._repr_mimebundle_()["text/html"]
    assert "&lt;b&gt;" in page
    assert "<td><b>" not in page
    report = model.loo_report()
    assert f"G-mean {report.scores['g_mean']:.3f}" in page
    assert f"<td>{report.per_class.loc['rare', 'recall']:.3f}</td>" in page
    assert f"<td>{model.margins_[0, 0]:.3g}</td>" in page
    for pair in model.pairs_[1:]:
        plus, minus = (html.escape(label) for label in pair)
        assert re.search(rf"<td>{plus}</td>\s*<td>{minus}</td>", page)


def test_a_view_without_its_kernel_is_left_out_with_a_warning(three):
    model = make(kernels=("linear", "rbf"), views=("values", "weighted"))
    with pytest.warns(UserWarning, match="'weighted' is for the min kernel"):
        model.fit(three.X, three.y)
    assert {setting["view"] for setting in model.settings_} == {"values"}
