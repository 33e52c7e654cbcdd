"""What kernels see: of the training set, of new samples, and by relevance."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.feature_selection import f_classif

from isvmde.core.solver import DISTANCE, DOT, MINIMUM
from isvmde.core.training_set import training_set
from isvmde.core.views import VIEWS, Views, relevance


@pytest.fixture
def known():
    rng = np.random.default_rng(0)
    y = np.repeat([0, 1, 2], [12, 8, 5])
    X = rng.normal(size=(25, 4))
    X[:, 0] += 2 * y
    return training_set(X, y, np.ones(25), 3)


@pytest.mark.parametrize("view", VIEWS)
@pytest.mark.parametrize("base", [DOT, DISTANCE, MINIMUM])
def test_a_new_sample_is_seen_alone_as_among_others(known, view, base):
    new = np.random.default_rng(1).normal(scale=3.0, size=(9, 4))
    together = known.views.see(np.concatenate([known.X, new]), view, base)
    assert_array_equal(together[: len(known.X)], known.views.see(known.X, view, base))
    for k in range(9):
        alone = known.views.see(new[k : k + 1], view, base)
        assert_array_equal(alone[0], together[len(known.X) + k])


def test_views_by_hand():
    X = np.array([[-1.0, 4.0], [1.0, 4.0], [3.0, 5.0], [5.0, 5.0]])
    views = training_set(X, np.array([0, 0, 1, 1]), np.ones(4), 2).views
    new = np.array([[-3.0, 4.5]])
    assert_array_equal(views.see(new, "values", DOT), new)
    assert_array_equal(views.see(new, "values", MINIMUM), [[0.0, 4.5]])
    assert_array_equal(views.see(new, "ranks", MINIMUM), [[0.0, 0.5]])
    # class means 0 and 4, variance 4 between, 1 within: eta^2 = 0.8; of the other, 1
    assert_allclose(views.relevance, [0.8, 1.0])
    weighted = views.see(new, "weighted values", DOT)
    assert_allclose(weighted, new * [0.8, 1.0])
    ranks = views.see(new, "weighted ranks", DOT)
    assert_allclose(ranks, [[0.0, 0.5 * views.rank_relevance[1]]])


def test_views_go_into_a_file_and_back(known):
    again = Views(**known.views.to_dict())
    for view in VIEWS:
        assert_array_equal(
            again.see(known.X, view, MINIMUM), known.views.see(known.X, view, MINIMUM)
        )


def test_relevance_orders_features_as_the_f_statistic(known):
    """Of classes of one size the F statistic is a function of eta^2."""
    X = np.concatenate([known.X[known.rows(c)][:5] for c in range(3)])
    start = np.array([0, 5, 10, 15])
    F, _ = f_classif(X, np.repeat([0, 1, 2], 5))
    between = F * 2 / 12
    eta2 = between / (1 + between)
    assert_allclose(relevance(X, np.ones(15), start), eta2 / eta2.max())


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
