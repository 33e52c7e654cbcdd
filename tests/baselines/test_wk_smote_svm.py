"""WK-SMOTE: SMOTE in the kernel's space, checked where that space is explicit."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.svm import SVC

from isvmde.baselines import SDCSVM, WKSMOTESVM
from isvmde.baselines.binary_problems import Draws, augmented_gram
from isvmde.baselines.smote import interpolate
from isvmde.core.training_set import training_set

LIBSVM = 1e-4  # it keeps kernel values in single precision


def square_map(X):
    """Return phi(x) with phi(x)'phi(z) = (1 + x'z)^2."""
    n, d = X.shape
    i, j = np.triu_indices(d, k=1)
    root = np.sqrt(2.0)
    return np.hstack([np.ones((n, 1)), root * X, X**2, root * X[:, i] * X[:, j]])


@given(seed=st.integers(0, 999), n=st.integers(2, 8), count=st.integers(0, 9))
def test_augmented_matrix_is_the_gram_matrix_of_blended_images(seed, n, count):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 3))
    draws = Draws(
        rng.integers(n, size=count), rng.integers(n, size=count), rng.random(count)
    )
    phi = square_map(X)
    images = np.vstack([phi, interpolate(phi, draws)])
    augmented = augmented_gram((1.0 + X @ X.T) ** 2, draws)
    np.testing.assert_allclose(augmented, images @ images.T, rtol=1e-9, atol=1e-9)
    np.testing.assert_array_equal(augmented, augmented.T)


def test_linear_kernel_is_smote_in_input_space(three_classes, new_rows):
    """SDC draws rows, WK-SMOTE draws blends; the linear kernel makes them one."""
    params = {"C": 2.0, "kernel": "linear", "tol": 1e-9, "random_state": 0}
    blends = WKSMOTESVM(costs="balanced", **params).fit(*three_classes)
    rows = SDCSVM(**params).fit(*three_classes)
    np.testing.assert_allclose(
        blends.pair_decision_function(new_rows),
        rows.pair_decision_function(new_rows),
        atol=1e-7,
    )


@pytest.mark.parametrize("costs", ["equal", "balanced"])
def test_square_kernel_equals_svc_on_blended_features(three_classes, new_rows, costs):
    X, y = three_classes
    model = WKSMOTESVM(
        C=0.5, kernel="poly", degree=2, costs=costs, tol=1e-9, random_state=0
    ).fit(X, y)
    _, index = np.unique(y, return_inverse=True)
    data = training_set(X, index, np.ones(len(y)), 3)
    problems = list(model.problem_samples(data, np.random.RandomState(0)))
    decisions = model.pair_decision_function(new_rows)
    for f, problem in zip(decisions.T, problems, strict=True):
        phi = square_map(problem.points)
        features = np.vstack([phi, interpolate(phi, problem.blend)])
        n = problem.n_pos + problem.n_neg
        ratio = {1: n / problem.n_pos, -1: n / problem.n_neg}
        svc = SVC(
            C=0.5,
            kernel="linear",
            class_weight=ratio if costs == "balanced" else None,
            tol=1e-6,
        ).fit(features, problem.y)
        reference = svc.decision_function(square_map(new_rows))
        np.testing.assert_allclose(f, reference, rtol=1e-5, atol=LIBSVM)


def test_neighbours_are_the_nearest_by_squared_distance():
    X = np.array([[0.1, 0.0], [0.9, 0.0], [3.0, 0.0], [-1.0, 0.0]])
    distance = WKSMOTESVM(kernel="poly", degree=2)._squared_distance(X)
    phi = square_map(X)
    explicit = ((phi[:, None] - phi) ** 2).sum(axis=2)
    np.testing.assert_allclose(distance, explicit, atol=1e-9)


def test_both_classes_of_a_pair_have_the_same_number(three_classes):
    X, y = three_classes
    _, index = np.unique(y, return_inverse=True)
    data = training_set(X, index, np.ones(len(y)), 3)
    for problem in WKSMOTESVM().problem_samples(data, np.random.RandomState(0)):
        assert (problem.y > 0).sum() == (problem.y < 0).sum()
