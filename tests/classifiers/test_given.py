"""`ISVMClassifier`: given costs, margins and kernels."""

import joblib
import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.exceptions import ConvergenceWarning, NotFittedError
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import MinMaxScaler
from sklearn.svm import SVC

from isvmde import ISVMClassifier
from isvmde.core import kernels

KERNELS = [
    {"kernel": "linear"},
    {"kernel": "rbf", "sigma": 0.4},
    {"kernel": "poly", "degree": 3},
    {"kernel": "poly", "degree": 6},
]


def svc_pairs(model, X, y, **kernel):
    """Return SVC's decision of every pair with the costs of ``model``."""
    gamma = 1.0 if kernel["kernel"] == "poly" else 0.5 / kernel.get("sigma", 1) ** 2
    columns = []
    for plus, minus in model.pairs_:
        rows = np.isin(y, [plus, minus])
        svc = SVC(
            kernel=kernel["kernel"],
            degree=kernel.get("degree", 3),
            gamma=gamma,
            coef0=1.0,
            C=model.C,
            tol=1e-8,
            class_weight={1: model.C_pos, -1: model.C_neg},
        )
        svc.fit(X[rows], np.where(y[rows] == plus, 1, -1))
        columns.append(svc.decision_function(X))
    return np.stack(columns, axis=1)


@pytest.mark.parametrize("kernel", KERNELS, ids=str)
def test_margins_of_one_are_a_cost_sensitive_svc(three, kernel):
    model = ISVMClassifier(C=2.0, C_pos=3.0, C_neg=0.5, tol=1e-8, **kernel)
    model.fit(three.X, three.y)
    ours = model.pair_decision_function(three.X)
    theirs = svc_pairs(model, three.X, three.y, **kernel)
    assert_allclose(ours, theirs, atol=1e-5 * max(1, np.abs(theirs).max()))


@pytest.mark.parametrize("kernel", KERNELS, ids=str)
def test_margins_scale_and_shift(three, kernel):
    """f = A f_std + c, f_std with costs divided by A."""
    lambda1, lambda2 = 0.8, 0.3
    A, c = (lambda1 + lambda2) / 2, (lambda1 - lambda2) / 2
    model = ISVMClassifier(
        C=3.0, margin_pos=lambda1, margin_neg=lambda2, tol=1e-9, **kernel
    ).fit(three.X, three.y)
    standard = ISVMClassifier(C=3.0 / A, tol=1e-9, **kernel).fit(three.X, three.y)
    assert_allclose(
        model.pair_decision_function(three.X),
        A * standard.pair_decision_function(three.X) + c,
        atol=1e-7,
    )


def test_a_smaller_margin_pulls_the_boundary_to_its_class(two):
    """Fewer samples are called + the smaller its margin is against the other's."""
    called = []
    for margin_pos, margin_neg in ((0.2, 1.0), (1.0, 1.0), (1.0, 0.2)):
        model = ISVMClassifier(
            C=10.0, C_pos=3.0, margin_pos=margin_pos, margin_neg=margin_neg
        ).fit(two.X, two.y)
        called.append((model.predict(two.X) == 1).sum())
    assert called[0] < called[1] < called[2]


def test_plus_is_the_smaller_class_by_summed_weight(two):
    assert ISVMClassifier().fit(two.X, two.y).pairs_.tolist() == [[1, 0]]
    weight = np.where(two.y == 1, 5.0, 1.0)
    model = ISVMClassifier().fit(two.X, two.y, sample_weight=weight)
    assert model.pairs_.tolist() == [[0, 1]]
    exact = np.where(two.y == 1, 30.0, 9.0)
    model = ISVMClassifier().fit(two.X, two.y, sample_weight=exact)
    assert model.pairs_.tolist() == [[0, 1]]  # equal sizes: the lower label


@pytest.mark.parametrize("kernel", KERNELS, ids=str)
def test_a_weight_of_two_is_the_row_twice_bit_for_bit(three, kernel):
    rng = np.random.default_rng(0)
    weight = rng.integers(0, 4, len(three.y))
    weighted = ISVMClassifier(C=10.0, **kernel).fit(three.X, three.y, weight)
    repeated = ISVMClassifier(C=10.0, **kernel)
    order = rng.permutation(weight.sum())
    repeated.fit(
        np.repeat(three.X, weight, axis=0)[order], np.repeat(three.y, weight)[order]
    )
    for method in ("decision_function", "predict_proba", "pair_decision_function"):
        one = getattr(weighted, method)(three.X)
        assert one.tobytes() == getattr(repeated, method)(three.X).tobytes()
    assert_array_equal(weighted.n_support_, repeated.n_support_)


def test_a_class_of_weight_zero_is_absent(three):
    weight = (three.y != 1).astype(float)
    model = ISVMClassifier().fit(three.X, three.y, weight)
    assert model.classes_.tolist() == [0, 2]


def test_the_order_of_rows_does_not_matter(three):
    order = np.random.default_rng(1).permutation(len(three.y))
    weight = np.random.default_rng(2).random(len(three.y))
    one = ISVMClassifier().fit(three.X, three.y, weight)
    other = ISVMClassifier().fit(three.X[order], three.y[order], weight[order])
    ours = one.decision_function(three.X)
    assert ours.tobytes() == other.decision_function(three.X).tobytes()


def test_balanced_class_weight_multiplies_costs(two):
    balanced = ISVMClassifier(class_weight="balanced").fit(two.X, two.y)
    by_hand = ISVMClassifier(C_pos=39 / 18, C_neg=39 / 60).fit(two.X, two.y)
    assert_allclose(
        balanced.decision_function(two.X), by_hand.decision_function(two.X), atol=1e-6
    )


def test_class_weight_takes_labels(two):
    y = np.where(two.y == 1, "rare", "common")
    model = ISVMClassifier(class_weight={"rare": 4.0}).fit(two.X, y)
    same = ISVMClassifier(C_pos=4.0).fit(two.X, y)
    ours = model.decision_function(two.X)
    assert_allclose(ours, same.decision_function(two.X), atol=1e-9)


def test_a_class_of_cost_zero_loses_everything(two):
    for ignored, other in ((0, 1), (1, 0)):
        model = ISVMClassifier(class_weight={ignored: 0.0}).fit(two.X, two.y)
        assert (model.predict(two.X) == other).all()


def test_pair_params_override_single_pairs_in_either_order(three):
    plain = ISVMClassifier().fit(three.X, three.y)
    changes = {"kernel": "linear", "C": 5.0}
    for key in ((0, 2), (2, 0)):
        model = ISVMClassifier(pair_params={key: changes}).fit(three.X, three.y)
        assert model.pair_params_[2, 0] == {**plain.pair_params_[2, 0], **changes}
        F, G = (m.pair_decision_function(three.X) for m in (model, plain))
        changed = [sorted(pair) == [0, 2] for pair in model.pairs_.tolist()]
        assert ((F != G).any(axis=0) == changed).all()


def test_its_own_pair_params_give_the_same_model(three):
    model = ISVMClassifier(
        pair_params={(0, 1): {"kernel": "poly", "margin_neg": 0.2}}, C=7.0, sigma=0.3
    ).fit(three.X, three.y)
    again = ISVMClassifier(pair_params=model.pair_params_).fit(three.X, three.y)
    ours = model.pair_decision_function(three.X)
    assert ours.tobytes() == again.pair_decision_function(three.X).tobytes()


@pytest.mark.parametrize("data", ["two", "three"])
def test_argmax_of_scores_and_probabilities_is_the_prediction(data, request):
    data = request.getfixturevalue(data)
    model = ISVMClassifier(C=100.0).fit(data.X, data.y)
    grid = np.random.default_rng(3).uniform(-0.5, 1.5, (500, 3))
    predicted = model.predict(grid)
    scores, proba = model.decision_function(grid), model.predict_proba(grid)
    if scores.ndim == 1:
        scores = np.column_stack([-scores, scores])
    assert_array_equal(model.classes_[scores.argmax(axis=1)], predicted)
    assert_array_equal(model.classes_[proba.argmax(axis=1)], predicted)
    assert_allclose(proba.sum(axis=1), 1)


def test_violations_are_within_the_tolerance(three):
    for margin in (0.1, 1.0, 50.0):
        model = ISVMClassifier(C=1000.0, margin_pos=margin, margin_neg=margin)
        assert (model.fit(three.X, three.y).kkt_violation_ <= model.tol).all()


def test_tiny_multipliers_stay_in_the_model():
    """Degree 5 on forty binary features: all multipliers lie below 1e-8 of the box."""
    X = np.random.default_rng(0).random((60, 40)).round()
    y = (X[:, :3].sum(axis=1) > 1.5).astype(int)
    model = ISVMClassifier(C=1000.0, kernel="poly", degree=5).fit(X, y)
    assert model.n_support_[0] > 2
    f = svc_pairs(model, X, y, kernel="poly", degree=5)
    assert_allclose(model.pair_decision_function(X), f, atol=1e-3)


def test_string_labels_and_data_frames(three):
    names = np.array(["a<b", "β", "c d"])[three.y]
    frame = pd.DataFrame(three.X, columns=["u", "v", "w"])
    model = ISVMClassifier().fit(frame, names)
    assert set(model.predict(frame)) <= set(names)
    assert model.feature_names_in_.tolist() == ["u", "v", "w"]
    plain = ISVMClassifier().fit(three.X, three.y)
    assert_array_equal(
        np.array(["a<b", "β", "c d"])[plain.predict(three.X)], model.predict(frame)
    )
    with pytest.raises(ValueError, match="feature names"):
        model.predict(frame[["w", "u", "v"]])


@pytest.mark.parametrize(
    "labels", [[False, True, True], [-3.0, 0.0, 7.0], [10, 2, 5]], ids=str
)
def test_labels_of_any_kind(three, labels):
    y = np.array(labels)[three.y]
    model = ISVMClassifier().fit(three.X, y)
    assert model.predict(three.X).dtype == y.dtype
    assert set(model.predict(three.X).tolist()) <= set(labels)


def test_read_only_memory_map(three, tmp_path):
    np.save(tmp_path / "X.npy", three.X)
    mapped = np.load(tmp_path / "X.npy", mmap_mode="r")
    model = ISVMClassifier().fit(mapped, three.y)
    same = ISVMClassifier().fit(three.X, three.y)
    ours = model.decision_function(mapped)
    assert ours.tobytes() == same.decision_function(three.X).tobytes()


@pytest.mark.parametrize("backend", ["loky", "threading"])
def test_under_joblib(three, backend):
    search = GridSearchCV(
        ISVMClassifier(n_jobs=2), {"C": [0.1, 1.0, 10.0]}, cv=3, n_jobs=2
    )
    with joblib.parallel_backend(backend):
        search.fit(three.X, three.y)
    serial = GridSearchCV(ISVMClassifier(), {"C": [0.1, 1.0, 10.0]}, cv=3)
    serial.fit(three.X, three.y)
    assert_array_equal(
        search.cv_results_["mean_test_score"], serial.cv_results_["mean_test_score"]
    )


def test_in_a_pipeline(three):
    pipeline = make_pipeline(MinMaxScaler(), ISVMClassifier(C=100.0))
    scaled = cross_val_score(pipeline, three.X * 64, three.y, cv=3)
    assert_array_equal(scaled, cross_val_score(pipeline, three.X, three.y, cv=3))


def test_threads_do_not_change_the_model(three):
    one = ISVMClassifier(n_jobs=1).fit(three.X, three.y)
    two = ISVMClassifier(n_jobs=2).fit(three.X, three.y)
    ours = one.decision_function(three.X)
    assert ours.tobytes() == two.decision_function(three.X).tobytes()


def test_a_bound_on_steps_warns(two):
    with pytest.warns(ConvergenceWarning, match="step limit for 1 against 0"):
        model = ISVMClassifier(C=100.0, max_iter=3).fit(two.X, two.y)
    assert model.kkt_violation_[0] > model.tol
    assert model.n_iter_ <= 3


@pytest.mark.parametrize("kernel", KERNELS, ids=str)
def test_large_pairs_are_computed_from_samples_to_the_same_model(
    three, monkeypatch, kernel
):
    settings = dict(C=2.0, C_pos=3.0, margin_neg=0.6, tol=1e-6, **kernel)
    small = ISVMClassifier(**settings).fit(three.X, three.y)
    monkeypatch.setattr(kernels, "_LARGEST_MATRIX", 20)
    large = ISVMClassifier(**settings).fit(three.X, three.y)
    F = small.pair_decision_function(three.X)
    assert_allclose(
        large.pair_decision_function(three.X), F, atol=1e-4 * max(1, np.abs(F).max())
    )
    assert_array_equal(large.predict(three.X), small.predict(three.X))


BAD = [
    ({"C": 0.0}, "C == 0"),
    ({"C": -1.0}, "C == -1"),
    ({"C": np.inf}, "C=inf"),
    ({"C_pos": -0.5}, "C_pos == -0.5"),
    ({"margin_neg": -1.0}, "margin_neg == -1"),
    ({"margin_pos": np.nan}, "margin_pos=nan"),
    ({"kernel": "sigmoid"}, "kernel='sigmoid' is not known"),
    ({"kernel": None}, "kernel=None is not known"),
    ({"sigma": 0.0}, "sigma == 0"),
    ({"sigma": -2.0}, "sigma == -2"),
    ({"degree": 0}, "degree == 0"),
    ({"degree": 10**9}, "degree == 1000000000, must be <= 100"),
    ({"tol": 0.0}, "tol == 0"),
    ({"max_iter": -2}, "max_iter == -2"),
    ({"class_weight": "heavy"}, "class_weight='heavy' is not known"),
    ({"class_weight": {0: -1.0}}, "negative"),
    ({"pair_params": {(0, 9): {}}}, "use a tuple of two different classes"),
    ({"pair_params": {(1, 1): {}}}, "use a tuple of two different classes"),
    ({"pair_params": {"01": {}}}, "use a tuple of two different classes"),
    ({"pair_params": {(0, 1): {}, (1, 0): {}}}, "twice"),
    ({"pair_params": {(0, 1): {"gamma": 1}}}, "unknown name 'gamma'"),
    ({"pair_params": {(0, 1): {"C": -1.0}}}, "C == -1"),
    ({"pair_params": {(0, 1): 3.0}}, "use a dict of the form"),
    ({"pair_params": [((0, 1), {})]}, "use a dict of the form"),
]


@pytest.mark.parametrize(("params", "message"), BAD, ids=str)
def test_bad_parameters_get_one_sentence(three, params, message):
    with pytest.raises(ValueError, match=message.replace("(", r"\(")):
        ISVMClassifier(**params).fit(three.X, three.y)


def bad_data(X, y):
    hole = X.copy()
    hole[3, 1] = np.nan
    infinite = X.copy()
    infinite[3, 1] = np.inf
    text = X.astype(object)
    text[3, 1] = "much"
    return {
        "one class": (X, np.zeros(len(X)), None, "one class"),
        "NaN": (hole, y, None, "contains NaN.*TablePreprocessor"),
        "infinity": (infinite, y, None, "infinity"),
        "text": (text, y, None, "could not convert string to float.*TablePreprocessor"),
        "lengths": (X, y[:-1], None, "inconsistent numbers of samples"),
        "continuous": (X, y + 0.5 * X[:, 0], None, "Unknown label type"),
        "flat": (X[:, 0], y, None, "2D array"),
        "negative weight": (X, y, np.where(y == 1, -1.0, 1.0), "negative"),
        "no weight": (X, y, np.zeros(len(y)), "Every sample_weight is zero"),
        "NaN weight": (X, y, np.where(y == 1, np.nan, 1.0), "NaN"),
        "one class left": (X, y, (y == 1).astype(float), "one class"),
        "too many weights": (X, y, np.ones(len(y) + 1), "inconsistent"),
    }


@pytest.mark.parametrize(
    "kind", list(bad_data(np.zeros((9, 2)), np.arange(9) % 2)), ids=str
)
def test_bad_data_gets_one_sentence(three, kind):
    X, y, weight, message = bad_data(three.X, three.y)[kind]
    with pytest.raises(ValueError, match=message):
        ISVMClassifier().fit(X, y, sample_weight=weight)


def test_prediction_before_fit_and_with_other_columns(three):
    with pytest.raises(NotFittedError):
        ISVMClassifier().predict(three.X)
    model = ISVMClassifier().fit(three.X, three.y)
    with pytest.raises(ValueError, match="expecting 3 features"):
        model.predict(three.X[:, :2])


def test_an_empty_batch_is_refused_like_everywhere_in_scikit_learn(three):
    model = ISVMClassifier().fit(three.X, three.y)
    with pytest.raises(ValueError, match="minimum of 1 is required"):
        model.predict(three.X[:0])
