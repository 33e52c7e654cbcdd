"""``decomposition=``: one machine per pair, per class against the rest, or a graph."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.base import clone
from sklearn.multiclass import OneVsRestClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import MinMaxScaler
from sklearn.svm import SVC

from isvmde import ISVMClassifier, ISVMDEClassifier
from isvmde.baselines import NBSVM, OVOSVM, PPSVM, CostSVM, GridSearchSVM
from isvmde.core.decomposition import DECOMPOSITIONS
from isvmde.core.fitness import FITNESS
from isvmde.model_file import load_model, save_model
from tests.baselines.every_baseline import make_baselines

CLASSIFIERS = [ISVMClassifier(C=10.0, margin_neg=0.8), *make_baselines(C=10.0)]


@pytest.fixture
def five(make_blobs):
    return make_blobs([30, 4, 12, 8, 12])


@pytest.mark.parametrize(
    ("ours", "theirs"),
    [
        ({"kernel": "linear"}, {"kernel": "linear"}),
        ({"sigma": 0.5}, {"gamma": 2.0}),
        ({"kernel": "poly", "degree": 3}, {"kernel": "poly", "gamma": 1, "coef0": 1}),
    ],
    ids=str,
)
@pytest.mark.parametrize("kind", [ISVMClassifier, OVOSVM])
def test_one_vs_rest_equals_that_of_scikit_learn(five, kind, ours, theirs):
    model = kind(C=3.0, decomposition="one-vs-rest", tol=1e-6, **ours)
    reference = OneVsRestClassifier(SVC(C=3.0, tol=1e-6, **theirs))
    model.fit(five.X, five.y)
    reference.fit(five.X, five.y)
    expected = reference.decision_function(five.X)
    size = np.abs(expected).max()
    assert_allclose(model.decision_function(five.X), expected, atol=1e-4 * size)
    assert_array_equal(model.predict(five.X), reference.predict(five.X))


@pytest.mark.parametrize("classifier", CLASSIFIERS, ids=lambda c: type(c).__name__)
@pytest.mark.parametrize("decomposition", DECOMPOSITIONS)
def test_scores_probabilities_and_prediction_agree(five, classifier, decomposition):
    model = clone(classifier).set_params(decomposition=decomposition)
    model.fit(five.X, five.y)
    predicted = model.predict(five.X)
    scores, proba = model.decision_function(five.X), model.predict_proba(five.X)
    assert scores.shape == proba.shape == (len(five.X), 5)
    assert_array_equal(model.classes_[scores.argmax(axis=1)], predicted)
    assert_array_equal(model.classes_[proba.argmax(axis=1)], predicted)
    assert_allclose(proba.sum(axis=1), 1.0)
    assert (predicted == five.y).mean() > 0.5
    n_machines = model.pair_decision_function(five.X).shape[1]
    assert n_machines == len(model.problems_) == len(model.n_support_)
    assert n_machines == (5 if decomposition == "one-vs-rest" else 10)


@pytest.mark.parametrize("classifier", CLASSIFIERS, ids=lambda c: type(c).__name__)
def test_two_classes_are_the_same_however_they_are_decomposed(two, classifier):
    answers = []
    for decomposition in DECOMPOSITIONS:
        model = clone(classifier).set_params(decomposition=decomposition)
        model.fit(two.X, two.y)
        assert model.pairs_.tolist() == [[1, 0]]
        scores = model.decision_function(two.X)
        assert scores.shape == (len(two.X),)
        answers.append((scores, model.predict_proba(two.X)))
    for scores, proba in answers[1:]:
        assert_array_equal(scores, answers[0][0])
        assert_array_equal(proba, answers[0][1])


def test_the_graph_asks_the_machines_of_one_vs_one(five):
    """From the rarest and the most frequent class on, the loser leaves the list."""
    one_vs_one = ISVMClassifier(C=5.0).fit(five.X, five.y)
    graph = ISVMClassifier(C=5.0, decomposition="dag").fit(five.X, five.y)
    F = one_vs_one.pair_decision_function(five.X)
    assert_array_equal(graph.pair_decision_function(five.X), F)
    assert_array_equal(graph.pairs_, one_vs_one.pairs_)
    column = {frozenset(pair): p for p, pair in enumerate(graph.pairs_.tolist())}
    for f, predicted in zip(F, graph.predict(five.X), strict=True):
        left = [1, 3, 2, 4, 0]  # by size, the lower label first on equality
        while len(left) > 1:
            p = column[frozenset((left[0], left[-1]))]
            winner = graph.pairs_[p, 0 if f[p] >= 0 else 1]
            left.remove(left[0] if winner == left[-1] else left[-1])
        assert predicted == left[0]


@pytest.mark.parametrize("decomposition", DECOMPOSITIONS)
def test_a_weight_of_two_is_the_row_twice_bit_for_bit(five, decomposition):
    rng = np.random.default_rng(0)
    weight = rng.integers(1, 4, len(five.y))
    order = rng.permutation(weight.sum())
    X, y = (np.repeat(a, weight, axis=0)[order] for a in (five.X, five.y))
    for kind in (ISVMClassifier, CostSVM, PPSVM):
        model = kind(C=10.0, decomposition=decomposition)
        weighted = clone(model).fit(five.X, five.y, weight)
        repeated = clone(model).fit(X, y)
        for method in ("decision_function", "predict_proba"):
            one = getattr(weighted, method)(five.X)
            assert one.tobytes() == getattr(repeated, method)(five.X).tobytes()


@pytest.mark.parametrize("decomposition", DECOMPOSITIONS)
@pytest.mark.parametrize("classifier", CLASSIFIERS, ids=lambda c: type(c).__name__)
def test_classes_of_one_sample_and_identical_points(classifier, decomposition):
    model = clone(classifier).set_params(decomposition=decomposition)
    for X, y in (
        (np.random.default_rng(0).random((8, 3)), np.array([0, 1, 2, 2, 3, 3, 3, 3])),
        (np.random.default_rng(0).random((4, 3)), np.arange(4)),
        (np.full((9, 2), 0.5), np.arange(9) % 3),
    ):
        model.fit(X, y)
        assert np.isfinite(model.pair_decision_function(X)).all()
        assert np.isin(model.predict(X), y).all()
        assert_allclose(model.predict_proba(X).sum(axis=1), 1.0)


def test_single_classes_can_have_settings_of_their_own(five):
    model = ISVMClassifier(decomposition="one-vs-rest")
    plain = clone(model).fit(five.X, five.y)
    assert list(plain.pair_params_) == [0, 1, 2, 3, 4]
    changes = {"kernel": "linear", "C_pos": 5.0}
    changed = clone(model).set_params(pair_params={2: changes}).fit(five.X, five.y)
    assert changed.pair_params_[2] == {**plain.pair_params_[2], **changes}
    F, G = (m.pair_decision_function(five.X) for m in (plain, changed))
    assert (F != G).any(axis=0).tolist() == [False, False, True, False, False]
    again = clone(model).set_params(pair_params=changed.pair_params_)
    assert_array_equal(again.fit(five.X, five.y).pair_decision_function(five.X), G)


@pytest.mark.parametrize("key", [9, (0, 1), "0"])
def test_settings_of_what_is_not_a_class_are_refused(five, key):
    model = ISVMClassifier(decomposition="one-vs-rest", pair_params={key: {"C": 2.0}})
    with pytest.raises(ValueError, match=r"one-vs-rest' use a key out of \[0, 1, 2, 3"):
        model.fit(five.X, five.y)


def test_class_weights_are_of_the_classes_not_of_the_sides(five):
    """A class of cost zero has no say, wherever it stands."""
    model = ISVMClassifier(
        decomposition="one-vs-rest", class_weight={2: 0.0}, kernel="linear"
    )
    weighted = clone(model).fit(five.X, five.y)
    others = five.y != 2
    without = clone(model).set_params(class_weight=None)
    without.fit(five.X[others], five.y[others])
    ours = weighted.decision_function(five.X)[:, [1, 3]]
    theirs = without.decision_function(five.X)[:, [1, 2]]
    assert_allclose(ours, theirs, atol=2e-3)


def test_pairs_are_there_only_where_machines_tell_pairs_apart(five):
    model = ISVMClassifier().fit(five.X, five.y)
    assert len(model.pairs_) == 10
    model.set_params(decomposition="one-vs-rest").fit(five.X, five.y)
    assert not hasattr(model, "pairs_")
    with pytest.raises(AttributeError, match="see problems_"):
        model.pairs_  # noqa: B018
    assert model.problems_[0] == ((0,), (1, 2, 3, 4))  # 30 of 66: the smaller side


def test_a_changed_parameter_does_not_change_a_fitted_model(five):
    model = ISVMClassifier().fit(five.X, five.y)
    before = model.decision_function(five.X)
    model.set_params(decomposition="one-vs-rest")
    assert_array_equal(model.decision_function(five.X), before)


@pytest.mark.parametrize("kind", [ISVMClassifier, OVOSVM])
@pytest.mark.parametrize("unknown", ["ovr", None, 1, ["dag"]])
def test_an_unknown_decomposition_is_refused(five, kind, unknown):
    with pytest.raises(ValueError, match=r"decomposition=.* is not known: use one of"):
        kind(decomposition=unknown).fit(five.X, five.y)


def test_a_grid_search_can_choose_the_decomposition(five):
    grid = {"C": [1.0, 10.0], "decomposition": list(DECOMPOSITIONS)}
    search = GridSearchSVM(CostSVM(), grid, random_state=0).fit(five.X, five.y)
    best = clone(search.best_estimator_).fit(five.X, five.y)
    assert search.decomposition_ == search.best_params_["decomposition"]
    assert_array_equal(search.predict_proba(five.X), best.predict_proba(five.X))
    alone = [
        GridSearchSVM(CostSVM(decomposition=name), {"C": [1.0, 10.0]}, random_state=0)
        for name in DECOMPOSITIONS
    ]
    scores = [one.fit(five.X, five.y).cv_results_["mean_test_g_mean"] for one in alone]
    # the grid varies the last name fastest
    expected = np.transpose(scores).ravel()
    assert_array_equal(search.cv_results_["mean_test_g_mean"], expected)


@pytest.mark.parametrize("decomposition", DECOMPOSITIONS)
@pytest.mark.parametrize("kind", [ISVMClassifier, NBSVM])
def test_a_file_keeps_every_bit(five, kind, decomposition, tmp_path):
    model = make_pipeline(MinMaxScaler(), kind(decomposition=decomposition))
    model.fit(five.X, five.y)
    found = load_model(save_model(model, tmp_path / "model.skops")).pipeline
    for method in ("decision_function", "predict_proba", "predict"):
        ours, theirs = (getattr(m, method)(five.X) for m in (found, model))
        assert ours.tobytes() == theirs.tobytes()


def test_what_was_learned_is_shown_by_problem(five):
    model = ISVMClassifier(decomposition="one-vs-rest").fit(five.X, five.y)
    page = model._repr_html_()
    assert "Binary problems" in page
    assert "the rest" in page
    assert "Pairs of classes" in ISVMClassifier().fit(five.X, five.y)._repr_html_()


@pytest.mark.parametrize("search", ["joint", "pairwise"])
@pytest.mark.parametrize("fitness", FITNESS)
@pytest.mark.parametrize("decomposition", ["one-vs-rest", "dag"])
def test_a_search_finds_settings_of_every_problem(five, decomposition, fitness, search):
    model = ISVMDEClassifier(
        decomposition=decomposition,
        fitness=fitness,
        search=search,
        sigma_range=(0.1, 2.0),
        pop_size=6,
        max_iter=4,
        random_state=0,
    ).fit(five.X, five.y)
    predicted = model.predict(five.X)
    assert (predicted == five.y).mean() > 0.6
    assert len(model.pair_params_) == len(model.problems_)
    assert (np.diff(model.history_["best"]) <= 0).all()
    scores, proba = model.decision_function(five.X), model.predict_proba(five.X)
    assert_array_equal(model.classes_[scores.argmax(axis=1)], predicted)
    assert_array_equal(model.classes_[proba.argmax(axis=1)], predicted)
    same = ISVMClassifier(pair_params=model.pair_params_, decomposition=decomposition)
    assert_array_equal(same.fit(five.X, five.y).decision_function(five.X), scores)


def test_a_search_of_the_graph_is_that_of_one_vs_one(five):
    """Genes, fitness and machines know nothing of how they will decide."""
    models = [
        ISVMDEClassifier(
            decomposition=name, pop_size=6, max_iter=4, random_state=0
        ).fit(five.X, five.y)
        for name in ("one-vs-one", "dag")
    ]
    assert models[0].pair_params_ == models[1].pair_params_
    assert models[0].fitness_ == models[1].fitness_


@pytest.mark.parametrize("share", ["kernel", "all"])
def test_classes_against_the_rest_can_share_genes(five, share):
    model = ISVMDEClassifier(
        decomposition="one-vs-rest", share=share, pop_size=6, max_iter=3, random_state=0
    ).fit(five.X, five.y)
    chosen = list(model.pair_params_.values())
    assert len({settings["kernel"] for settings in chosen}) == 1
    assert (len({str(settings) for settings in chosen}) == 1) == (share == "all")


@pytest.mark.parametrize("decomposition", ["one-vs-rest", "dag"])
def test_a_search_with_classes_of_one_sample(decomposition):
    X, y = (
        np.random.default_rng(0).random((10, 3)),
        np.repeat([0, 1, 2, 3], [1, 1, 2, 6]),
    )
    for fitness in FITNESS:
        model = ISVMDEClassifier(
            decomposition=decomposition,
            fitness=fitness,
            pop_size=6,
            max_iter=3,
            random_state=0,
        ).fit(X, y)
        assert np.isfinite(model.history_["best"]).all()
        assert np.isin(model.predict(X), y).all()


def test_weights_are_counts_in_a_search_against_the_rest(five):
    weight = np.random.default_rng(0).integers(1, 4, len(five.y))
    X, y = (np.repeat(a, weight, axis=0) for a in (five.X, five.y))
    model = ISVMDEClassifier(
        decomposition="one-vs-rest", pop_size=6, max_iter=4, random_state=0
    )
    weighted = clone(model).fit(five.X, five.y, weight)
    repeated = clone(model).fit(X, y)
    one = weighted.decision_function(five.X)
    assert one.tobytes() == repeated.decision_function(five.X).tobytes()
