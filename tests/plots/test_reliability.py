"""Probabilities against what was true, weighted by the prior they are meant for."""

from types import SimpleNamespace

import numpy as np
import pytest
from sklearn.calibration import calibration_curve
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import MinMaxScaler

from isvmde.plots import ReliabilityDisplay


def drawn(n, seed=0):
    """Probabilities of three classes, and classes drawn with exactly these."""
    rng = np.random.default_rng(seed)
    proba = rng.dirichlet([2.0, 0.7, 0.3], n)
    y = (rng.random((n, 1)) > proba.cumsum(axis=1)).sum(axis=1)
    return y, proba


def test_with_the_training_prior_it_is_scikit_learns_curve():
    y, proba = drawn(500)
    display = ReliabilityDisplay.from_predictions(
        y, proba, labels=[0, 1, 2], prior="training", n_bins=7
    )
    for k in range(3):
        observed, predicted = calibration_curve(y == k, proba[:, k], n_bins=7)
        curve = display.curves[str(k)]
        np.testing.assert_allclose(curve["observed"], observed)
        np.testing.assert_allclose(curve["predicted"], predicted)
        assert curve["share"].sum() == pytest.approx(1)


def test_probabilities_under_another_prior_are_judged_under_it():
    """Bayes' rule moves probabilities to equal priors; only then they come true."""
    y, proba = drawn(20000)
    frequency = np.bincount(y) / len(y)
    balanced = proba / frequency
    balanced /= balanced.sum(axis=1, keepdims=True)
    labels = [0, 1, 2]
    error = {
        name: ReliabilityDisplay.from_predictions(y, p, labels=labels, prior=prior)
        .errors()
        .max()
        for name, p, prior in [
            ("right", balanced, "balanced"),
            ("same", balanced, [1 / 3] * 3),
            ("wrong", balanced, "training"),
        ]
    }
    assert error["right"] < 0.02
    assert error["same"] == pytest.approx(error["right"])
    assert error["wrong"] > 0.1


def test_many_classes_become_one_curve_unless_some_are_named():
    rng = np.random.default_rng(0)
    labels = [f"class {k}" for k in range(9)]
    proba = rng.dirichlet(np.ones(9), 200)
    y = rng.choice(labels, 200)
    display = ReliabilityDisplay.from_predictions(y, proba, labels=labels)
    assert list(display.curves) == ["all classes"]
    some = ReliabilityDisplay.from_predictions(
        y, proba, labels=labels, classes=["class 8", "class 1"]
    )
    assert list(some.curves) == ["class 8", "class 1"]
    texts = [text.get_text() for text in some.ax_.get_legend().get_texts()]
    assert texts[0] == "perfect calibration"
    assert texts[1].replace("\N{NO-BREAK SPACE}", " ").startswith("class 8, off by ")


def test_from_estimator_takes_over_the_prior_of_the_model_in_a_searched_pipeline():
    y, proba = drawn(300)
    model = make_pipeline(MinMaxScaler(), LogisticRegression()).fit(proba, y)
    training = ReliabilityDisplay.from_estimator(model, proba, y)
    model[-1].prior_ = np.full(3, 1 / 3)
    grid = SimpleNamespace(
        best_estimator_=model,
        classes_=model.classes_,
        predict_proba=model.predict_proba,
    )
    balanced = ReliabilityDisplay.from_estimator(grid, proba, y)
    for display, prior in [(training, "training"), (balanced, "balanced")]:
        expected = ReliabilityDisplay.from_predictions(
            y, model.predict_proba(proba), labels=[0, 1, 2], prior=prior
        )
        np.testing.assert_allclose(display.errors(), expected.errors())


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"prior": "equal"}, "prior must be 'balanced', .*; got 'equal'"),
        ({"prior": [0.5, 0.5]}, "a share per class, 3 in all"),
        ({"classes": [5]}, "5 is not one of the classes"),
        ({"labels": [0, 1]}, r"shape \(20, 3\): it needs a row per sample"),
    ],
)
def test_what_does_not_fit_is_refused_in_words(options, message):
    y, proba = drawn(20)
    with pytest.raises(ValueError, match=message):
        ReliabilityDisplay.from_predictions(y, proba, **{"labels": [0, 1, 2]} | options)
