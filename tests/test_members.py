"""Averaged models: what they are made of, and what changes no bit of them."""

import pickle

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.base import clone
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import MinMaxScaler

from isvmde import ISVMClassifier, ISVMDEClassifier

SEARCHES = {
    "joint": {"search": "joint"},
    "pairwise": {"search": "pairwise"},
    "max": {"search": "pairwise", "fitness": "max"},
    "shared": {"share": "all", "fitness": "loo"},
    "votes": {"fitness": "loo-vote"},
}
every_search = pytest.mark.parametrize("kind", SEARCHES.values(), ids=SEARCHES)


def small(**params):
    common = {"pop_size": 6, "max_iter": 3, "random_state": 0, "sigma_range": (0.1, 3)}
    return ISVMDEClassifier(**{**common, **params})


def decisions(model, X):
    return model.pair_decision_function(X).tobytes()


@every_search
def test_one_model_is_its_best_individual(three, kind):
    model = small(**kind).fit(three.X, three.y)
    assert model.members_ == []
    again = ISVMClassifier(pair_params=model.pair_params_).fit(three.X, three.y)
    assert decisions(again, three.X) == decisions(model, three.X)
    # a search knows nothing of how many models are made of it
    averaged = small(**kind, n_models=4).fit(three.X, three.y)
    assert averaged.pair_params_ == model.pair_params_
    assert averaged.fitness_ == model.fitness_
    assert decisions(averaged.members_[0], three.X) == decisions(model, three.X)


@every_search
def test_the_decision_is_the_mean_tanh_of_the_members(three, kind):
    model = small(**kind, n_models=3, ranks="choose").fit(three.X, three.y)
    assert len(model.members_) == 3
    each = [np.tanh(m.pair_decision_function(three.X)) for m in model.members_]
    F = model.pair_decision_function(three.X)
    assert_allclose(np.tanh(F), np.mean(each, axis=0), rtol=0, atol=1e-14)
    assert len({m.tobytes() for m in each}) > 1  # not one model thrice
    votes = np.zeros((len(F), 3))
    for (plus, minus), f in zip(model.pairs_, F.T, strict=True):
        votes[np.arange(len(F)), np.where(f >= 0, plus, minus)] += 1
    predicted = model.predict(three.X)
    assert (votes[np.arange(len(F)), predicted] == votes.max(axis=1)).all()
    assert_array_equal(predicted, model.predict_proba(three.X).argmax(axis=1))


@every_search
def test_a_member_is_a_classifier_of_its_own(three, kind):
    model = small(**kind, n_models=3, ranks="choose", tol=1e-5).fit(three.X, three.y)
    for member in model.members_:
        assert type(member) is ISVMClassifier
        assert_array_equal(member.classes_, model.classes_)
        again = ISVMClassifier(**member.get_params()).fit(three.X, three.y)
        assert decisions(again, three.X) == decisions(member, three.X)
        assert again.pair_params_ == member.pair_params_
        assert_array_equal(again.n_support_, member.n_support_)
        assert again.n_iter_ == member.n_iter_
    best = model.members_[0]
    assert best.pair_params_ == model.pair_params_
    assert_array_equal(best.n_support_, model.n_support_)
    assert_array_equal(best.intercept_, model.intercept_)


def test_members_know_the_names_of_features(three):
    table = pd.DataFrame(three.X, columns=["a", "b", "c"])
    model = small(n_models=2).fit(table, three.y)
    for one in (model, *model.members_):
        assert one.feature_names_in_.tolist() == ["a", "b", "c"]
        assert len(one.predict(table)) == len(table)


def test_a_second_fit_forgets_the_members(three):
    model = small(n_models=3).fit(three.X, three.y)
    model.set_params(n_models=1).fit(three.X, three.y)
    fresh = small().fit(three.X, three.y)
    assert decisions(model, three.X) == decisions(fresh, three.X)


@pytest.mark.parametrize(
    ("n_models", "message"),
    [
        (7, "but a population has pop_size=6 individuals"),
        (0, "n_models == 0, must be >= 1"),
    ],
)
def test_a_bad_number_of_models_gets_one_sentence(three, n_models, message):
    with pytest.raises(ValueError, match=message):
        small(n_models=n_models).fit(three.X, three.y)


def test_no_half_models(three):
    with pytest.raises(TypeError, match="n_models must be an instance of"):
        small(n_models=2.5).fit(three.X, three.y)


FULL = {"n_models": 3, "ranks": "choose", "search": "pairwise", "fitness": "loo"}


def test_pickle_and_clone(three):
    model = small(**FULL).fit(three.X, three.y)
    again = pickle.loads(pickle.dumps(model))
    assert decisions(again, three.X) == decisions(model, three.X)
    for ours, theirs in zip(model.members_, again.members_, strict=True):
        assert ours.get_params() == theirs.get_params()
    fresh = clone(model)
    assert fresh.get_params() == model.get_params()
    assert not hasattr(fresh, "members_")
    assert decisions(fresh.fit(three.X, three.y), three.X) == decisions(model, three.X)


def test_a_model_file_keeps_members_and_ranks(three, tmp_path):
    pytest.importorskip("skops")
    from isvmde.model_file import SavedModel, load_model, save_model

    table = pd.DataFrame(three.X, columns=["a", "b", "c"])
    names = np.array(["one", "two", "three"])[three.y]
    pipeline = make_pipeline(MinMaxScaler(), small(**FULL)).fit(table, names)
    saved = SavedModel(pipeline, "kind", list(table), [])
    again = load_model(save_model(saved, tmp_path / "m.skops")).pipeline
    assert_array_equal(
        again.decision_function(table), pipeline.decision_function(table)
    )
    for ours, theirs in zip(pipeline[-1].members_, again[-1].members_, strict=True):
        assert ours.pair_params == theirs.pair_params
        assert decisions(theirs, three.X) == decisions(ours, three.X)


def test_skops_alone_keeps_a_member(three):
    """Its parameter pair_params has tuples for keys, which skops cannot write."""
    io = pytest.importorskip("skops.io")
    member = small(**FULL).fit(three.X, three.y).members_[1]
    content = io.dumps(member)
    again = io.loads(content, trusted=io.get_untrusted_types(data=content))
    assert again.get_params() == member.get_params()
    assert decisions(again, three.X) == decisions(member, three.X)


@every_search
def test_any_number_of_threads_gives_the_same_bits(three, kind):
    params = {**kind, "n_models": 3, "ranks": "choose"}
    one = small(**params, n_jobs=1).fit(three.X, three.y)
    two = small(**params, n_jobs=2).fit(three.X, three.y)
    assert one.pair_params_ == two.pair_params_
    assert decisions(one, three.X) == decisions(two, three.X)


@every_search
def test_a_weight_of_two_is_the_row_twice(three, kind):
    weight = 1.0 + (np.arange(len(three.y)) % 3 == 0)
    rows = np.repeat(np.arange(len(three.y)), weight.astype(int))
    params = {**kind, "n_models": 3, "ranks": "choose"}
    weighted = small(**params).fit(three.X, three.y, sample_weight=weight)
    repeated = small(**params).fit(three.X[rows], three.y[rows])
    assert decisions(weighted, three.X) == decisions(repeated, three.X)
    order = np.random.default_rng(0).permutation(len(rows))
    shuffled = small(**params).fit(three.X[rows[order]], three.y[rows[order]])
    assert decisions(shuffled, three.X) == decisions(repeated, three.X)


@every_search
def test_stopped_and_resumed_is_the_unbroken_search(three, tmp_path, kind):
    params = {**kind, "n_models": 3, "ranks": "choose", "max_iter": 6}
    unbroken = small(**params).fit(three.X, three.y)
    path = tmp_path / "search"
    for generation in (0, 3):
        stopped = small(
            **params,
            checkpoint=path,
            callback=lambda state, last=generation: state.generation >= last,
        ).fit(three.X, three.y)
        assert stopped.n_iter_ == generation
    resumed = small(**params, checkpoint=path).fit(three.X, three.y)
    assert resumed.fitness_ == unbroken.fitness_
    assert resumed.pair_params_ == unbroken.pair_params_
    assert decisions(resumed, three.X) == decisions(unbroken, three.X)
    for name in ("best", "mean", "success_rate", "n_svms"):
        assert_array_equal(resumed.history_[name], unbroken.history_[name])


@pytest.mark.parametrize("change", [{"ranks": True}, {"fitness": "loo"}], ids=str)
def test_a_checkpoint_of_another_search_is_refused(three, tmp_path, change):
    small(fitness="loo-vote", checkpoint=tmp_path / "s").fit(three.X, three.y)
    other = {"fitness": "loo-vote", "checkpoint": tmp_path / "s", **change}
    with pytest.raises(ValueError, match="with other parameters"):
        small(**other).fit(three.X, three.y)


def test_votes_of_two_classes_are_searched(two):
    model = small(fitness="loo-vote").fit(two.X, two.y)
    assert 0 < model.fitness_ < 0.5
    assert (np.diff(model.history_["best"]) <= 0).all()


def test_votes_join_the_pairs_whatever_the_search(three):
    joint = small(fitness="loo-vote").fit(three.X, three.y)
    asked = small(fitness="loo-vote", search="pairwise").fit(three.X, three.y)
    assert asked.pair_params_ == joint.pair_params_


def test_the_notebook_says_how_many_models_are_averaged(three):
    text = "the best of 3 models that are averaged"
    assert text in small(n_models=3).fit(three.X, three.y)._repr_html_()
    assert text not in small().fit(three.X, three.y)._repr_html_()


def test_probabilities_of_averaged_models_reach_as_far_as_those_of_one():
    X = np.linspace(-1.0, 1.0, 40)[:, None]
    y = X[:, 0] > 0.3
    model = small(n_models=5, fitness="loo", search="pairwise").fit(10 * X, y)
    assert model.predict_proba(10 * X).max() > 0.99


@pytest.mark.parametrize("fitness", ["loo", "loo-vote"])
def test_small_weights_are_small_samples(three, fitness):
    """Weights w and costs C / w are the same problem, left out one by one as well."""
    params = {"fitness": fitness, "n_models": 3}
    expected = small(**params).fit(three.X, three.y)
    weight = np.full(len(three.y), 1 / 64)  # exact in binary
    found = small(**params, C=64 * expected.C).fit(three.X, three.y, weight)
    assert_allclose(found.fitness_, expected.fitness_, rtol=1e-9)
    assert_allclose(
        found.pair_decision_function(three.X),
        expected.pair_decision_function(three.X),
        atol=1e-9,
    )
