"""Laws of decisions: what changes them and what does not."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from sklearn.ensemble import RandomForestClassifier
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import MinMaxScaler

from isvmde import ISVMClassifierCV
from isvmde.decisions import CostMatrix, apply_threshold, decide, expected_costs
from isvmde.decisions.deciding import decide_from_proba

NAMES = np.array(["a", "b", "c", "d"])
SLACK = 1e-9  # of expected costs: ties are broken by rounding


@st.composite
def problems(draw):
    """Give probabilities of some rows and a matrix of costs."""
    m = draw(st.integers(2, 4))
    weight = draw(arrays(float, (3, m), elements=st.floats(0.001, 1.0)))
    cost = draw(arrays(float, (m, m), elements=st.floats(0.0, 100.0)))
    return weight / weight.sum(axis=1, keepdims=True), cost, NAMES[:m]


def regret(proba, cost, classes, decisions):
    """Return how much more decisions cost than the cheapest ones."""
    total = expected_costs(proba, CostMatrix.read(cost, classes))
    taken = np.searchsorted(classes, decisions)
    return total[np.arange(len(total)), taken] - total.min(axis=1)


@given(problems())
def test_no_decision_is_cheaper(problem):
    proba, cost, classes = problem
    decided = decide_from_proba(proba, classes, cost)
    assert (regret(proba, cost, classes, decided) == 0).all()


@given(problems())
def test_equal_costs_ask_for_the_likeliest_class(problem):
    proba, _, classes = problem
    decided = decide_from_proba(proba, classes, 1.0 - np.eye(len(classes)))
    chosen = proba[np.arange(len(proba)), np.searchsorted(classes, decided)]
    assert chosen == pytest.approx(proba.max(axis=1), abs=SLACK)
    assert (decide_from_proba(proba, classes) == classes[proba.argmax(axis=1)]).all()


@given(problems(), st.floats(0.001, 1000.0), st.floats(-50.0, 50.0))
def test_scale_and_unavoidable_costs_change_nothing(problem, factor, extra):
    """An amount that is due in a class whatever is decided cannot matter."""
    proba, cost, classes = problem
    unavoidable = extra * np.arange(len(classes))[:, None]
    decided = decide_from_proba(proba, classes, factor * cost + unavoidable)
    assert (regret(proba, cost, classes, decided) <= SLACK * (1 + 1 / factor)).all()


@given(problems(), st.permutations(range(4)))
def test_the_order_of_classes_does_not_matter(problem, order):
    proba, cost, classes = problem
    order = [k for k in order if k < len(classes)]
    decided = decide_from_proba(proba[:, order], classes[order], cost[order][:, order])
    assert (regret(proba, cost, classes, decided) <= SLACK).all()


@given(st.floats(0.01, 0.99), st.floats(0.01, 100.0), st.floats(0.01, 100.0))
def test_two_classes_have_the_textbook_threshold(p, false_alarm, missed):
    """An alarm is due from p* = c_fp / (c_fp + c_fn) on."""
    threshold = false_alarm / (false_alarm + missed)
    costs = {"alarm": {"quiet": missed}, "quiet": {"alarm": false_alarm}}
    proba = np.array([[p, 1 - p]])
    [by_costs] = decide_from_proba(proba, ["alarm", "quiet"], costs)
    if abs(p - threshold) > SLACK:
        assert by_costs == ("alarm" if p > threshold else "quiet")
        [by_threshold] = apply_threshold(
            proba, ["alarm", "quiet"], {"alarm": threshold}
        )
        assert by_threshold == by_costs


@given(problems(), st.floats(0.0, 100.0))
def test_dearer_misses_never_mean_fewer_alarms(problem, extra):
    proba, cost, classes = problem
    np.fill_diagonal(cost, 0.0)
    dearer = cost.copy()
    dearer[0, 1:] += extra
    before, after = (decide_from_proba(proba, classes, c) for c in (cost, dearer))
    lost = (before == classes[0]) & (after != classes[0])
    assert (regret(proba, dearer, classes, before)[lost] <= SLACK).all()


@given(problems(), st.floats(0.01, 1.0))
def test_a_class_is_decided_exactly_from_its_threshold_on(problem, least):
    proba, _, classes = problem
    decided = apply_threshold(proba, classes, {classes[0]: least})
    assert ((decided == classes[0]) == (proba[:, 0] >= least)).all()


@given(problems())
def test_one_threshold_for_all_classes_asks_for_the_likeliest(problem):
    proba, _, classes = problem
    same = dict.fromkeys(classes.tolist(), 0.25)
    decided = apply_threshold(proba, classes, same)
    assert (decided == classes[proba.argmax(axis=1)]).all()


def test_a_cheap_way_out_is_taken_where_the_model_is_unsure():
    costs = pd.DataFrame([[0, 10, 1], [1, 0, 1]], ["ill", "well"], ["ill", "well", "?"])
    proba = [[0.02, 0.98], [0.5, 0.5], [0.99, 0.01]]
    decided = decide_from_proba(proba, ["ill", "well"], costs)
    assert decided.tolist() == ["well", "ill", "ill"]
    costs.loc["well", "ill"] = 5
    decided = decide_from_proba(proba, ["ill", "well"], costs)
    assert decided.tolist() == ["well", "?", "ill"]


@pytest.mark.parametrize(
    ("threshold", "message"),
    [
        ({"x": 0.2}, "names 'x', which is not a class"),
        ({"a": 0.0}, "above 0 and at most 1"),
        ({"a": "0.2"}, "above 0 and at most 1"),
        ({"a": np.nan}, "above 0 and at most 1"),
        ({}, "names no class"),
    ],
)
def test_thresholds_without_a_meaning_are_refused(threshold, message):
    with pytest.raises(ValueError, match=message):
        apply_threshold([[0.5, 0.5]], ["a", "b"], threshold)


def test_costs_and_threshold_contradict_each_other():
    with pytest.raises(ValueError, match="give only one of them"):
        decide_from_proba([[0.5, 0.5]], ["a", "b"], {"a": 1, "b": 1}, {"a": 0.1})


def test_another_prior_decides_as_a_model_fitted_with_it(three):
    given_prior = {0: 0.7, 1: 0.1, 2: 0.2}
    models = {
        name: ISVMClassifierCV(n_settings=8, prior=prior, random_state=0).fit(
            three.X, three.y
        )
        for name, prior in {
            "balanced": "balanced",
            "training": "training",
            "given": given_prior,
        }.items()
    }
    for asked, name in (("training", "training"), (given_prior, "given")):
        decided = models["balanced"].decide(three.X, prior=asked)
        assert (decided == models[name].predict(three.X)).all()
    back = models["given"].decide(three.X, prior="balanced")
    assert (back == models["balanced"].predict(three.X)).all()
    same = models["given"].decide(three.X)
    assert (same == models["given"].predict(three.X)).all()


def test_pipelines_and_searches_decide_as_the_classifier_in_them(two):
    model = ISVMClassifierCV(n_settings=8, random_state=0)
    costs = {0: 1, 1: 30}
    pipeline = make_pipeline(MinMaxScaler(), model).fit(two.X, two.y)
    inner = pipeline[-1].decide(
        pipeline[:-1].transform(two.X), costs=costs, prior="training"
    )
    outer = decide(pipeline, two.X, costs=costs, prior="training")
    assert (inner == outer).all()
    grid = {"isvmclassifiercv__n_settings": [8]}
    search = GridSearchCV(pipeline, grid, cv=2).fit(two.X, two.y)
    assert (decide(search, two.X, costs=costs, prior="training") == outer).all()


def test_other_classifiers_have_to_say_what_their_probabilities_assume(two):
    forest = RandomForestClassifier(5, random_state=0).fit(two.X, two.y)
    with pytest.raises(ValueError, match="give them as model_prior"):
        decide(forest, two.X, prior="balanced")
    moved = decide(forest, two.X, prior="balanced", model_prior={0: 0.75, 1: 0.25})
    assert (moved == 1).sum() >= (forest.predict(two.X) == 1).sum()
    with pytest.raises(ValueError, match="how many samples of each class"):
        decide(forest, two.X, prior="training", model_prior={0: 0.75, 1: 0.25})
