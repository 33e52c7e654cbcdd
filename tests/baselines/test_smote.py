"""SMOTE's draws: by hand, by law, and against imbalanced-learn."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from imblearn.over_sampling import SMOTE

from isvmde.baselines import SDCSVM
from isvmde.baselines.binary_problems import Draws
from isvmde.baselines.smote import interpolate, nearest_neighbours
from isvmde.core.kernels import squared_distances
from isvmde.core.training_set import training_set


def draw(X, weight, count, k, seed=0):
    """Draw from samples of one class."""
    data = training_set(X, np.zeros(len(X), int), np.asarray(weight, float), 1)
    model = SDCSVM(k_neighbors=k)
    return data, model.draw(data.X, data.weight, count, np.random.RandomState(seed))


def test_neighbours_exclude_the_sample_but_not_its_duplicate():
    X = np.array([[0.0], [0.0], [1.0], [5.0]])
    assert nearest_neighbours(squared_distances(X), 2).tolist() == [
        [1, 2],
        [0, 2],
        [0, 1],
        [2, 0],
    ]


@given(n=st.integers(1, 8), count=st.integers(0, 30), seed=st.integers(0, 99))
def test_each_sample_is_used_equally_often(n, count, seed):
    X = np.random.RandomState(seed).normal(size=(n, 2))
    _, draws = draw(X, np.ones(n), count, 5, seed)
    used = np.bincount(draws.sample, minlength=n)
    assert used.sum() == count
    assert used.max() - used.min() <= 1
    assert ((draws.gap >= 0) & (draws.gap < 1)).all()
    if n > 1:
        assert (draws.sample != draws.neighbour).all()


def test_synthetic_rows_lie_between_sample_and_neighbour():
    X = np.array([[0.0, 0.0], [4.0, 8.0]])
    draws = Draws(np.array([0, 1]), np.array([1, 0]), np.array([0.25, 0.25]))
    np.testing.assert_array_equal(interpolate(X, draws), [[1.0, 2.0], [3.0, 6.0]])


def test_a_lone_sample_is_duplicated():
    X = np.array([[3.0, 1.0]])
    _, draws = draw(X, np.ones(1), 4, 5)
    np.testing.assert_array_equal(interpolate(X, draws), np.repeat(X, 4, axis=0))


def test_merged_rows_are_drawn_like_repeated_ones():
    X = np.array([[0.0], [1.0], [5.0]])
    data, draws = draw(X, [1, 2, 1], 9, 2)
    repeated = np.array([[0.0], [1.0], [1.0], [5.0]])
    neighbours = nearest_neighbours(squared_distances(repeated), 2)
    rng = np.random.RandomState(0)
    sample = np.resize(rng.permutation(4), 9)
    apart = Draws(
        sample, neighbours[sample, rng.randint(2, size=9)], rng.uniform(size=9)
    )
    np.testing.assert_array_equal(
        interpolate(data.X, draws), interpolate(repeated, apart)
    )


@pytest.mark.parametrize("seed", [0, 1, 2])
def test_same_triples_give_the_rows_of_imbalanced_learn(seed):
    rng = np.random.default_rng(seed)
    X, y = rng.normal(size=(47, 3)), np.repeat([0, 1], [35, 12])
    resampled, _ = SMOTE(k_neighbors=4, random_state=seed).fit_resample(X, y)
    small = X[y == 1]
    neighbours = nearest_neighbours(squared_distances(small), 4)
    # imbalanced-learn numbers all (sample, neighbour) and draws from these numbers
    theirs = np.random.RandomState(seed)
    flat = theirs.randint(0, neighbours.size, size=35 - 12)
    gap = theirs.uniform(size=35 - 12)
    sample, column = np.divmod(flat, 4)
    ours = interpolate(small, Draws(sample, neighbours[sample, column], gap))
    np.testing.assert_allclose(ours, resampled[len(X) :])
