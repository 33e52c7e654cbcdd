"""NBSVM is a shifted cost-sensitive SVM of every class against the rest."""

import numpy as np
import pytest
from sklearn.svm import SVC

from isvmde.baselines import NBSVM

LIBSVM = 1e-4  # it keeps kernel values in single precision


def shifted_svc(X, inside, C, margins, gamma, new_rows):
    """Return A f_std + c towards the class, and towards the smaller side."""
    n, n_in = len(X), inside.sum()
    plus = inside if n_in <= n - n_in else ~inside
    n_pos, n_neg = plus.sum(), (~plus).sum()
    margin_pos, margin_neg = margins(n_pos / n, n_neg / n)
    scale = 0.5 * (margin_pos + margin_neg)
    cost = {1: C * n / n_pos / scale, -1: C * n / n_neg / scale}
    svc = SVC(C=1.0, gamma=gamma, class_weight=cost, tol=1e-6)
    svc.fit(X, np.where(plus, 1, -1))
    f = scale * svc.decision_function(new_rows) + 0.5 * (margin_pos - margin_neg)
    return f if plus is inside else -f


def effective(a):
    """Return the margins of Table 2."""
    return lambda P_pos, P_neg: (a * P_neg / (1 + a * P_neg), 1 / (1 + a * P_neg))


@pytest.mark.parametrize(
    ("params", "margins"),
    [
        ({"a": 2.0}, effective(2.0)),
        ({"a": 0.1}, effective(0.1)),
    ],
)
def test_equals_a_scaled_and_shifted_svc(three_classes, new_rows, params, margins):
    X, y = three_classes
    model = NBSVM(C=3.0, sigma=1.5, tol=1e-9, **params).fit(X, y)
    toward = [
        shifted_svc(X, y == c, 3.0, margins, 0.5 / 1.5**2, new_rows)
        for c in model.classes_
    ]
    np.testing.assert_allclose(
        model.decision_function(new_rows), np.transpose(toward), atol=LIBSVM
    )


def test_the_big_class_is_the_minus_side_of_its_split(three_classes, new_rows):
    """40 of 69 samples: the rest is smaller."""
    model = NBSVM().fit(*three_classes)
    raw, toward = (
        model.pair_decision_function(new_rows),
        model.decision_function(new_rows),
    )
    np.testing.assert_array_equal(toward, raw * [-1, 1, 1])


def test_two_classes_have_one_split(three_classes, new_rows):
    X, y = three_classes
    two = y != "middle"
    model = NBSVM().fit(X[two], y[two])
    f = model.pair_decision_function(new_rows)
    assert f.shape == (len(new_rows), 1)
    assert (model.predict(new_rows) == np.where(f[:, 0] >= 0, "small", "big")).all()
