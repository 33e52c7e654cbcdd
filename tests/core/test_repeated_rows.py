"""Rows of the same subjects are noticed; rows that are close by chance are not."""

import numpy as np
import pytest
from numpy.testing import assert_array_equal

from isvmde.core import repeated_rows
from isvmde.core.repeated_rows import are_near_twins, fine_columns


def visits(n_subjects=60, n_visits=3, noise=0.01, d=6, seed=0):
    """Return rows of subjects who come several times, and their classes."""
    rng = np.random.default_rng(seed)
    X = np.repeat(rng.normal(size=(n_subjects, d)), n_visits, axis=0)
    label = np.repeat(rng.integers(0, 2, n_subjects), n_visits)
    return X + noise * rng.normal(size=X.shape), label


def everybody(X):
    return np.arange(len(X))


def test_visits_of_a_subject_are_twins():
    X, label = visits()
    assert are_near_twins(X, label, everybody(X)).all()
    assert_array_equal(are_near_twins(X, label, np.array([5, 100])), [True, True])


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("shape", [(40, 3), (300, 8), (60, 200)])
def test_chance_makes_no_twins(seed, shape):
    rng = np.random.default_rng(seed)
    X, label = rng.normal(size=shape), rng.integers(0, 2, shape[0])
    assert not are_near_twins(X, label, everybody(X)).any()


def test_twins_of_other_classes_are_no_repetition():
    X, _ = visits()
    label = np.random.default_rng(1).integers(0, 2, len(X))
    assert not are_near_twins(X, label, everybody(X)).any()


def test_few_values_say_nothing():
    rng = np.random.default_rng(0)
    X, label = rng.integers(0, 3, (200, 6)).astype(float), rng.integers(0, 2, 200)
    assert not fine_columns(X).any()
    assert not are_near_twins(X, label, everybody(X)).any()


@pytest.mark.parametrize("factor", [1e-305, 1.0, 1e300])
def test_the_size_of_numbers_does_not_matter(factor):
    X, label = visits()
    assert are_near_twins(factor * X, label, everybody(X)).all()


def test_blocks_of_rows_give_the_same_answer(monkeypatch):
    X, label = visits(40, 2)
    X[::7] += 1.0
    whole = are_near_twins(X, label, everybody(X))
    monkeypatch.setattr(repeated_rows, "_BLOCK", 3 * len(X))
    assert_array_equal(are_near_twins(X, label, everybody(X)), whole)
