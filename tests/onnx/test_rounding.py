"""Columns of very different size: a graph decides as the model, or is not made."""

import numpy as np
import pandas as pd
import pytest
from sklearn.exceptions import ConvergenceWarning

from isvmde import ISVMClassifier, ISVMClassifierCV
from isvmde.core.kernels import make_kernel
from isvmde.onnx import to_onnx
from isvmde.onnx.rounding import rounding_error

pytest.importorskip("skl2onnx")
onnxruntime = pytest.importorskip("onnxruntime")

Y = np.repeat([0, 1, 2], [20, 12, 8])


def run(graph, X):
    session = onnxruntime.InferenceSession(
        graph.SerializeToString(), providers=["CPUExecutionProvider"]
    )
    return session.run(None, {"X": X})


@pytest.fixture
def rows():
    rng = np.random.default_rng(0)
    return rng.normal(size=(40, 3)) + Y[:, None]


def test_small_columns_count_beside_large_ones(rows):
    """Of |x|^2 - 2 x's + |s|^2 the large column would leave no digit of the others."""
    X = rows * [1.0, 1.0, 0.0] + [0.0, 0.0, 1e6]
    X[::3, 2] += 1e6
    model = ISVMClassifier(sigma=0.5, C=10.0).fit(X, Y)
    label, decisions = run(to_onnx(model), X)
    np.testing.assert_array_equal(label, model.predict(X))
    expected = model.decision_function(X)
    np.testing.assert_allclose(decisions, expected, rtol=0, atol=1e-10)


def test_what_rounding_would_change_is_refused_and_its_columns_named(rows):
    table = pd.DataFrame(rows * [1.0, 1e6, 3e6], columns=["age", "pay", "cost"])
    model = ISVMClassifier(kernel="poly", degree=5, C=1000.0)
    with pytest.warns(ConvergenceWarning):
        model.fit(table, Y)
    with pytest.raises(ValueError, match="scale the columns to") as caught:
        to_onnx(model)
    named = str(caught.value)
    assert "cost (up to" in named
    assert "pay (up to" in named
    assert "age" not in named


def test_columns_without_names_are_counted(rows):
    model = ISVMClassifierCV(kernels="linear", n_settings=8, random_state=0)
    model.fit(rows * [1.0, 1.0, 1e9], Y)
    with pytest.raises(ValueError, match=r"columns are 2 \(up to"):
        to_onnx(model)


@pytest.mark.parametrize("kernel", ["linear", "rbf", "poly", "min"])
@pytest.mark.parametrize("kind", [ISVMClassifier, ISVMClassifierCV])
def test_rows_far_away_get_finite_answers(rows, kind, kernel):
    """Python cuts such rows off, and so does the graph."""
    if kind is ISVMClassifier:
        model = ISVMClassifier(kernel=kernel, degree=5)
    else:
        model = ISVMClassifierCV(kernels=kernel, n_settings=8, random_state=0)
    graph = to_onnx(model.fit(rows, Y))
    for size in (1e30, 1e150, 1e300):
        _, scores = run(graph, size * rows)
        assert np.isfinite(scores).all()


@pytest.mark.parametrize(
    ("kernel", "expected"),
    [
        (make_kernel("rbf"), 2 + 3),  # no value is above 1
        (make_kernel("linear"), 2 * 40 + 3 * 800),
        (make_kernel("min", degree=2), 2 * (2 * 2**2 + 3 * 21**2)),
    ],
)
def test_the_error_is_that_of_the_largest_sum_of_terms(kernel, expected):
    """At the row (40, 0) the terms are |beta| times the kernel's size and growth."""
    rows = np.array([[1.0, 0.0], [20.0, 0.0]])
    error = rounding_error(kernel, rows, np.array([[2.0], [-3.0]]))
    np.testing.assert_allclose(error, np.finfo(float).eps * expected)
