"""Curves over thresholds say what scikit-learn and plain counting say."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from matplotlib.figure import Figure
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import average_precision_score, roc_auc_score

from isvmde.decisions import apply_threshold
from isvmde.plots import PrecisionRecallDisplay, RocDisplay, ThresholdDisplay

LABELS = ["a", "b", "c"]


def drawn(n=300, seed=0):
    rng = np.random.default_rng(seed)
    proba = rng.dirichlet([3.0, 1.0, 0.4], n)
    y = (rng.random((n, 1)) > proba.cumsum(axis=1)).sum(axis=1)
    return np.array(LABELS)[y], proba


def test_areas_are_scikit_learns():
    y, proba = drawn()
    roc = RocDisplay.from_predictions(y, proba, labels=LABELS)
    recall = PrecisionRecallDisplay.from_predictions(y, proba, labels=LABELS)
    for k, name in enumerate(LABELS):
        area = roc_auc_score(y == name, proba[:, k])
        assert roc.areas()[name] == pytest.approx(area)
        precision = average_precision_score(y == name, proba[:, k])
        assert recall.areas()[name] == pytest.approx(precision)


def test_the_mark_stands_where_the_likeliest_class_is_predicted():
    y, proba = drawn()
    predicted = np.array(LABELS)[proba.argmax(axis=1)]
    roc = RocDisplay.from_predictions(y, proba, labels=LABELS)
    recall = PrecisionRecallDisplay.from_predictions(y, proba, labels=LABELS)
    for name in LABELS:
        found = (predicted == name)[y == name].mean()
        false = (predicted == name)[y != name].mean()
        right = (y == name)[predicted == name].mean()
        assert roc.curves[name].decided == pytest.approx((false, found))
        assert recall.curves[name].decided == pytest.approx((found, right))


def test_the_rarest_classes_are_drawn_first_and_of_two_only_one():
    y, proba = drawn()
    display = RocDisplay.from_predictions(y, proba, labels=LABELS)
    assert list(display.curves) == ["c", "b", "a"]
    two = RocDisplay.from_predictions(
        np.where(y == "a", "a", "b"),
        np.column_stack([proba[:, 0], 1 - proba[:, 0]]),
        labels=["a", "b"],
    )
    assert list(two.curves) == ["b"]
    named = RocDisplay.from_predictions(y, proba, labels=LABELS, classes=["a"])
    assert list(named.curves) == ["a"]


@given(st.floats(0.001, 1.0), st.integers(0, 20))
def test_counts_at_a_threshold_are_those_of_the_decisions(threshold, seed):
    y, proba = drawn(40, seed)
    display = ThresholdDisplay(
        ThresholdDisplay.count(y == "c", proba[:, 2]), "c", cost_ratio=10
    )
    alarm = apply_threshold(proba, LABELS, {"c": threshold}) == "c"
    counts = display.at(threshold)
    assert counts["false alarms"] == (alarm & (y != "c")).sum()
    assert counts["missed"] == (~alarm & (y == "c")).sum()


def test_estimators_are_asked_for_their_probabilities():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(80, 2))
    y = np.where(X[:, 0] + rng.normal(size=80) > 1, "ill", "well")
    model = LogisticRegression().fit(X, y)
    for display in (
        RocDisplay.from_estimator(model, X, y),
        PrecisionRecallDisplay.from_estimator(model, X, y, title="a title"),
        ThresholdDisplay.from_estimator(model, X, y, label="ill", cost_ratio=5),
    ):
        display.figure_.canvas.draw()
        assert display.ax_.get_xlabel()


def test_what_cannot_be_drawn_is_refused():
    y, proba = drawn()
    with pytest.raises(ValueError, match="a row per sample"):
        RocDisplay.from_predictions(y, proba, labels=["a", "b"])
    with pytest.raises(ValueError, match="rows of this class and of others"):
        RocDisplay.from_predictions(y, proba, labels=LABELS, classes=["x"])
    with pytest.raises(ValueError, match="label='x' is not a class"):
        ThresholdDisplay.from_predictions(y, proba, labels=LABELS, label="x")
    with pytest.raises(ValueError, match="cost_ratio"):
        ThresholdDisplay.from_predictions(
            y, proba, labels=LABELS, label="a", cost_ratio=0
        )


def test_a_narrow_figure_has_its_legend_below():
    y = ["ill", "ill", "well", "well", "well"]
    proba = [[0.9, 0.1], [0.4, 0.6], [0.5, 0.5], [0.2, 0.8], [0.1, 0.9]]
    narrow = Figure(figsize=(4.5, 5.0), layout="constrained").subplots()
    wide = Figure(figsize=(7.0, 5.0), layout="constrained").subplots()
    for ax in (narrow, wide):
        RocDisplay.from_predictions(y, proba, labels=["ill", "well"], ax=ax)
        ax.figure.draw_without_rendering()
    assert wide.get_legend() is not None
    assert not wide.figure.legends
    (below,) = narrow.figure.legends
    assert below.get_window_extent().y1 < narrow.get_window_extent().y0
    assert narrow.get_window_extent().width > 0.7 * narrow.figure.bbox.width
