"""Kernels on ranks: what they do not care about."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.base import clone
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import QuantileTransformer

from isvmde import ISVMClassifier
from isvmde.core import kernels


def decisions(model, X):
    return model.pair_decision_function(X).tobytes()


def stretched(X):
    """Strictly increasing maps of the columns: a long tail, a squeeze, a cubic."""
    return np.column_stack([np.exp(4 * X[:, 0]), np.arctan(X[:, 1]), X[:, 2] ** 3])


RANKED = {
    "rbf": ISVMClassifier(ranks=True, C=10.0, sigma=0.5),
    "linear": ISVMClassifier(ranks=True, kernel="linear", margin_neg=0.4),
}


@pytest.mark.parametrize("estimator", RANKED.values(), ids=RANKED)
def test_a_monotone_change_of_features_changes_nothing(three, estimator):
    X = stretched(three.X)
    model = clone(estimator).fit(three.X, three.y)
    other = clone(estimator).fit(X, three.y)
    assert decisions(other, X) == decisions(model, three.X)
    assert_array_equal(other.predict(X), model.predict(three.X))
    plain = clone(estimator).set_params(ranks=False).fit(X, three.y)
    assert decisions(plain, X) != decisions(model, three.X)


@pytest.mark.parametrize("scale", [1e-300, 1e200])
@pytest.mark.parametrize("estimator", RANKED.values(), ids=RANKED)
def test_no_scale_is_too_small_or_too_large(three, estimator, scale):
    model = clone(estimator).fit(three.X, three.y)
    other = clone(estimator).fit(scale * three.X, three.y)
    assert decisions(other, scale * three.X) == decisions(model, three.X)


def test_ranks_are_a_model_on_ranked_columns(make_blobs):
    """Without ties the ranks are scikit-learn's quantiles: a pipeline says the same."""
    data = make_blobs([25, 12, 6])
    X, new = stretched(data.X), stretched(0.95 * data.X + 0.03)
    params = {"C": 5.0, "sigma": 0.4, "margin_pos": 0.7, "tol": 1e-8}
    inside = ISVMClassifier(ranks=True, **params).fit(X, data.y)
    quantiles = QuantileTransformer(n_quantiles=len(X))
    outside = make_pipeline(quantiles, ISVMClassifier(**params)).fit(X, data.y)
    rows = quantiles.transform(new)
    assert_allclose(
        inside.pair_decision_function(new),
        outside[-1].pair_decision_function(rows),
        atol=1e-5,
    )


def test_values_beyond_the_training_set_are_its_ends(three):
    model = ISVMClassifier(ranks=True).fit(three.X, three.y)
    ends = np.stack([three.X.min(axis=0), three.X.max(axis=0)])
    assert decisions(model, ends + np.array([[-5.0], [5.0]])) == decisions(model, ends)


def test_single_pairs_on_ranks(three):
    mixed = ISVMClassifier(pair_params={(0, 1): {"ranks": True}})
    F = mixed.fit(three.X, three.y).pair_decision_function(three.X)
    assert [s["ranks"] for s in mixed.pair_params_.values()] == [True, False, False]
    on_ranks = ISVMClassifier(ranks=True).fit(three.X, three.y)
    plain = ISVMClassifier().fit(three.X, three.y)
    assert_array_equal(F[:, 0], on_ranks.pair_decision_function(three.X)[:, 0])
    assert_array_equal(F[:, 1:], plain.pair_decision_function(three.X)[:, 1:])


@pytest.mark.parametrize("kernel", ["linear", "rbf", "poly"])
def test_large_pairs_are_computed_from_samples_to_the_same_model(
    three, monkeypatch, kernel
):
    settings = {"C": 2.0, "margin_neg": 0.6, "tol": 1e-6, "kernel": kernel}
    X = stretched(three.X)
    direct = ISVMClassifier(ranks=True, **settings).fit(X, three.y)
    monkeypatch.setattr(kernels, "_LARGEST_MATRIX", 20)
    large = ISVMClassifier(ranks=True, **settings).fit(X, three.y)
    F = direct.pair_decision_function(X)
    assert_allclose(large.pair_decision_function(X), F, atol=1e-4)


@pytest.mark.parametrize("ranks", ["choose", "yes", None, 2, [True]], ids=str)
def test_bad_ranks_of_given_settings_get_one_sentence(three, ranks):
    with pytest.raises(ValueError, match=r"ranks=.*: use one of \(True, False\)"):
        ISVMClassifier(ranks=ranks).fit(three.X, three.y)
    with pytest.raises(ValueError, match=r"ranks=.*: use one of \(True, False\)"):
        ISVMClassifier(pair_params={(0, 1): {"ranks": ranks}}).fit(three.X, three.y)
