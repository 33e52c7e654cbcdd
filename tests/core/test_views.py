"""What kernels see: of the training set, of new samples, and by relevance."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.feature_selection import f_classif

from isvmde.core.solver import DISTANCE, DOT, MINIMUM
from isvmde.core.training_set import training_set
from isvmde.core.views import (
    VIEWS,
    WEIGHTED,
    Sight,
    Views,
    relevance,
    relevance_of_some,
)

N_PARTS = 3


@pytest.fixture
def known():
    rng = np.random.default_rng(0)
    y = np.repeat([0, 1, 2], [12, 8, 5])
    X = rng.normal(size=(25, 4))
    X[:, 0] += 2 * y
    return training_set(X, y, np.ones(25), 3)


def views_of(data, part, n_parts=N_PARTS):
    """Return the views of a training set whose rows are dealt among parts."""
    plain = Views.of(data.X, data.weight)
    return plain.with_relevance(data.X, data.weight, data.class_start, part, n_parts)


@pytest.fixture
def views(known):
    return views_of(known, np.arange(25) % N_PARTS)


@pytest.mark.parametrize("view", VIEWS)
def test_views_are_the_same_after_a_file(known, views, view):
    again = Views.from_dict(views.to_dict())
    for base in (DOT, DISTANCE, MINIMUM):
        sight = Sight(view, base, part=1)
        assert_array_equal(again.see(known.X, sight), views.see(known.X, sight))


@pytest.mark.parametrize("view", VIEWS)
@pytest.mark.parametrize("base", [DOT, DISTANCE, MINIMUM])
def test_a_new_sample_is_seen_alone_as_among_others(known, views, view, base):
    sight = Sight(view, base, 1)
    new = np.random.default_rng(1).normal(scale=3.0, size=(9, 4))
    together = views.see(np.concatenate([known.X, new]), sight)
    assert_array_equal(together[: len(known.X)], views.see(known.X, sight))
    for k in range(9):
        alone = views.see(new[k : k + 1], sight)
        assert_array_equal(alone[0], together[len(known.X) + k])


def test_views_by_hand():
    """The rows of part 0 know nothing of its relevance: the last two, out of line."""
    X = [[-1.0, 4.0], [1.0, 4.0], [90.0, 4.0], [3.0, 5.0], [5.0, 5.0], [-80.0, 5.0]]
    data = training_set(np.array(X), np.repeat([0, 1], 3), np.ones(6), 2)
    part = np.where(np.abs(data.X[:, 0]) > 50, 0, 1)
    views = views_of(data, part, n_parts=2)
    new = np.array([[-90.0, 4.5]])
    assert_array_equal(views.see(new, Sight("values", DOT)), new)
    assert_array_equal(views.see(new, Sight("values", MINIMUM)), [[0.0, 4.5]])
    assert_array_equal(views.see(new, Sight("ranks", MINIMUM)), [[0.0, 0.5]])
    # class means 0 and 4, variance 4 between, 1 within: eta^2 = 0.8; of the other, 1
    assert_allclose(views.relevance[0], [0.8, 1.0])
    weighted = views.see(new, Sight("weighted values", DOT, 0))
    assert_allclose(weighted, new * [0.8, 1.0])
    ranks = views.see(new, Sight("weighted ranks", DOT, 1))
    assert_allclose(ranks, [[0.0, 0.5 * views.rank_relevance[1, 1]]])


def test_views_go_into_a_file_and_back(known, views):
    again = Views(**views.to_dict())
    sights = [Sight(view, MINIMUM, 2) for view in VIEWS]
    for ours, theirs in zip(
        again.see_all(known.X, sights), views.see_all(known.X, sights), strict=True
    ):
        assert_array_equal(ours, theirs)


def test_all_sights_at_once_are_those_one_by_one(known, views):
    sights = [
        Sight(view, base, part)
        for view in VIEWS
        for base in (DOT, MINIMUM)
        for part in range(N_PARTS)
    ]
    for sight, seen in zip(sights, views.see_all(known.X, sights), strict=True):
        assert_array_equal(seen, views.see(known.X, sight))


def test_only_weighted_views_have_parts(known, views):
    for view in VIEWS:
        seen = [views.see(known.X, Sight(view, DOT, part)) for part in range(N_PARTS)]
        differ = (seen[0] != seen[1]).any()
        assert differ == (view in WEIGHTED.values())


@pytest.mark.parametrize("judged", range(N_PARTS))
@pytest.mark.parametrize("seed", range(4))
def test_the_relevance_of_a_part_does_not_know_the_labels_of_its_rows(judged, seed):
    """However the labels of these rows are dealt anew, what judges them is the same."""
    random = np.random.default_rng(seed)
    X, part = random.random((40, 3)), random.integers(0, N_PARTS, 40)
    y = random.permutation(np.arange(40) % 3)
    weight = random.integers(1, 4, 40).astype(float)
    permuted, own = y.copy(), np.flatnonzero(part == judged)
    permuted[own] = random.permutation(y[own])
    assert (permuted != y).any()
    found = []
    for labels in (y, permuted):
        data = training_set(X, labels, weight, 3)
        found.append(views_of(data, part[data.first_given]))
    one, other = found
    for name in ("relevance", "rank_relevance"):
        before, after = getattr(one, name), getattr(other, name)
        assert_allclose(before[judged], after[judged], rtol=1e-12)
        others = np.arange(N_PARTS) != judged
        assert (before[others] != after[others]).any(axis=1).all()
    for ours, theirs in zip(
        (*one.values, *one.ranks), (*other.values, *other.ranks), strict=True
    ):
        assert_array_equal(ours, theirs)


def test_a_part_without_rows_knows_all_of_them(known):
    views = views_of(known, np.zeros(25, int))
    everything = relevance(known.X, known.weight, known.class_start)
    assert_array_equal(views.relevance[1], everything)
    assert_array_equal(views.relevance[2], everything)
    assert_array_equal(views.relevance[0], np.ones(4))  # nobody is left to say


def test_a_class_of_which_no_row_is_chosen_says_nothing(known):
    two = np.arange(25) < 20  # the third class is missing
    found = relevance_of_some(known.X, known.weight, known.class_start, two)
    expected = relevance(known.X[:20], known.weight[:20], known.class_start[:3])
    assert_array_equal(found, expected)
    one = np.arange(25) < 12
    found = relevance_of_some(known.X, known.weight, known.class_start, one)
    assert_array_equal(found, np.ones(4))


def test_thinned_views_know_the_ends_and_few_values_between(known, views):
    thin = views.thinned(7)
    for values, ranks, all_values in zip(
        thin.values, thin.ranks, views.values, strict=True
    ):
        assert len(values) == len(ranks) == 7
        assert np.isin(values, all_values).all()
        assert (ranks[0], ranks[-1]) == (0.0, 1.0)
    rank = Sight("ranks", DOT)
    assert np.abs(thin.see(known.X, rank) - views.see(known.X, rank)).max() < 0.2
    whole = views.thinned(25)
    assert_array_equal(whole.see(known.X, rank), views.see(known.X, rank))


def eta2_by_f_statistic(X):
    """Of three classes of five rows each the F statistic is a function of eta^2."""
    F, _ = f_classif(X, np.repeat([0, 1, 2], 5))
    between = F * 2 / 12
    return between / (1 + between)


def test_relevance_is_that_of_a_feature_or_of_its_distance_from_the_middle(known):
    X = np.concatenate([known.X[known.rows(c)][:5] for c in range(3)])
    around = eta2_by_f_statistic(np.abs(X - X.mean(axis=0)))
    eta2 = np.maximum(eta2_by_f_statistic(X), around)
    found = relevance(X, np.ones(15), np.array([0, 5, 10, 15]))
    assert_allclose(found, eta2 / eta2.max())


def test_a_feature_is_relevant_whose_classes_lie_around_each_other():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(400, 5))
    X[:200, 2] = np.sign(X[:200, 2]) * (1.0 + np.abs(X[:200, 2]))
    found = relevance(X, np.ones(400), np.array([0, 200, 400]))
    assert found[2] == 1.0
    assert (np.delete(found, 2) < 0.2).all()


def test_relevance_knows_neither_scale_nor_class_size(known):
    plain = relevance(known.X, known.weight, known.class_start)
    changed = relevance(1e200 * known.X, known.weight, known.class_start)
    assert_allclose(changed, plain, rtol=1e-12)
    heavier = known.weight.copy()
    heavier[known.rows(0)] *= 7  # a whole class more often
    assert_allclose(relevance(known.X, heavier, known.class_start), plain, rtol=1e-12)
    assert plain.max() == 1.0
    assert np.argmax(plain) == 0


def test_features_that_say_nothing_all_count_the_same():
    X = np.tile([[0.0, 1.0], [1.0, 1.0]], (4, 1))
    assert_array_equal(relevance(X, np.ones(8), np.array([0, 4, 8])), [1.0, 1.0])


def test_a_constant_feature_among_others_has_no_relevance(known):
    X = np.column_stack([known.X, np.full(25, 7.0)])
    assert relevance(X, known.weight, known.class_start)[-1] == 0.0
