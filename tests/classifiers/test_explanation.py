"""Explanations: what decided adds up, and names rows of the table given."""

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from isvmde import ISVMClassifierCV
from isvmde.core.averaging.calibration import to_margin_scale, with_margins

NAMES = np.array(["common", "rare", "tiny"])


@pytest.fixture(scope="module")
def data(make_blobs):
    return make_blobs([25, 12, 6])


@pytest.fixture(scope="module")
def model(data):
    table = pd.DataFrame(data.X, columns=["a", "b", "c"])
    estimator = ISVMClassifierCV(n_settings=24, random_state=0)
    return estimator.fit(table, NAMES[data.y])


def explain(model, X, **options):
    return model.explain(pd.DataFrame(X, columns=["a", "b", "c"]), **options)


def mean_decision(model, x, label):
    """Return the mean of sum_s w_s tanh f_s over the pairs of a class, towards it."""
    F = model.pair_decision_function(pd.DataFrame([x], columns=["a", "b", "c"]))[0]
    scale = 0.5 * model.margins_.sum(axis=1)
    g = (F - 0.5 * (model.margins_[:, 0] - model.margins_[:, 1])) / scale
    assert_allclose(with_margins(np.tanh(g)[None], model.margins_)[0], F)
    side = np.where(model.pairs_[:, 0] == label, 1.0, -1.0)
    own = (model.pairs_ == label).any(axis=1)
    m = np.tanh(g)
    assert_allclose(to_margin_scale(m), g)
    return float(np.mean(side[own] * m[own]))


def test_contributions_and_baseline_add_up_to_the_mean_decision(model):
    X = np.random.default_rng(1).normal(0.5, 0.3, size=(8, 3))
    for x, why in zip(X, explain(model, X, n_rows=10**6), strict=True):
        total = why.baseline + why.support["contribution"].sum()
        assert total == pytest.approx(mean_decision(model, x, why.predicted), abs=1e-9)


def test_what_it_says_is_what_the_model_says(model):
    X = np.random.default_rng(2).random((6, 3))
    frame = pd.DataFrame(X, columns=["a", "b", "c"])
    F, proba = model.pair_decision_function(frame), model.predict_proba(frame)
    for k, why in enumerate(model.explain(frame)):
        assert why.predicted == model.predict(frame)[k]
        assert why.proba == dict(zip(NAMES.tolist(), proba[k].tolist(), strict=True))
        assert set(why.pairs["other"]) == set(NAMES) - {why.predicted}
        for other, chance in why.pairs.itertuples(index=False):
            pair = {why.predicted, other}
            (p,) = [j for j, both in enumerate(model.pairs_) if set(both) == pair]
            f = F[k, p] if model.pairs_[p, 0] == why.predicted else -F[k, p]
            assert chance == pytest.approx(1 / (1 + np.exp(-f)))


def test_rows_speak_for_their_own_class(model):
    X = np.random.default_rng(3).random((6, 3))
    for why in explain(model, X, n_rows=10**6):
        own = why.support["class"] == why.predicted
        assert own.any()
        assert (why.support["contribution"][own] > 0).all()
        assert (why.support["contribution"][~own] < 0).all()


def test_rows_are_rows_of_the_table_given(model, data):
    (why,) = explain(model, data.X[:1], n_rows=10**6)
    rows = why.support["row"].to_numpy()
    assert len(np.unique(rows)) == len(rows)
    assert_array_equal(NAMES[data.y[rows]], why.support["class"])
    size = why.support["contribution"].abs().to_numpy()
    assert (np.diff(size) <= 0).all()
    assert len(explain(model, data.X[:1], n_rows=3)[0].support) == 3


def test_a_sample_of_the_training_set_is_explained_by_itself(data):
    """Far from all others, it is its own nearest witness."""
    X, y = data.X.copy(), NAMES[data.y]
    X[30] = 3.0
    model = ISVMClassifierCV(
        n_settings=24, kernels="rbf", views="values", sigma_range=(0.1, 0.5)
    )
    (why,) = model.set_params(random_state=0).fit(X, y).explain(X[30:31])
    assert why.predicted == y[30]
    assert why.support["row"].iloc[0] == 30


@pytest.mark.filterwarnings("ignore::isvmde.exceptions.RepeatedRowsWarning")
def test_rows_shuffled_and_of_zero_weight_keep_their_numbers(data):
    """Named are the first of equal rows, and none of weight zero."""
    X = np.concatenate([data.X, data.X[::-1]])
    y = np.concatenate([data.y, data.y[::-1]])
    weight = np.ones(len(y))
    weight[:10] = 0
    model = ISVMClassifierCV(n_settings=8, random_state=0)
    (why,) = model.fit(X, y, weight).explain(X[:1], n_rows=10**6)
    rows = why.support["row"].to_numpy()
    assert (rows >= 10).all()
    assert_array_equal(y[rows], why.support["class"])
    repeated = rows[rows >= 43]  # only where the first copy has no weight
    assert (85 - repeated < 10).all()


def test_two_classes_text_and_html(make_blobs):
    two = make_blobs([20, 8])
    names = np.array(["<well>", "ill"])
    model = ISVMClassifierCV(n_settings=8, random_state=0).fit(two.X, names[two.y])
    why = model.explain(two.X[:1])[0]
    assert len(why.pairs) == 1
    assert str(why).startswith(f"Predicted {why.predicted}")
    page = why._repr_html_()
    assert "<well>" not in page
    assert "&lt;well&gt;" in page
    assert page.count("<table") == 3


def test_rows_of_both_signs_are_named_and_the_largest_of_them(model):
    X = np.random.default_rng(4).random((6, 3))
    pairs = zip(
        explain(model, X, n_rows=10**6), explain(model, X, n_rows=9), strict=True
    )
    for everything, named in pairs:
        whole = everything.support["contribution"]
        few = named.support["contribution"]
        assert len(few) == min(9, len(whole))
        for sign in (1, -1):
            there = whole[np.sign(whole) == sign]
            shown = few[np.sign(few) == sign]
            assert len(shown) >= min(3, len(there))
            assert shown.tolist() == there.head(len(shown)).tolist()
