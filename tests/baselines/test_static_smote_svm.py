"""Static-SMOTE: which classes grow, by how much, and what is trained on them."""

import numpy as np
import pytest
from sklearn.svm import SVC

from isvmde.baselines import StaticSMOTESVM
from isvmde.core.training_set import training_set

LIBSVM = 1e-4  # it keeps kernel values in single precision


def oversampled(sizes):
    """Return the class sizes after the M steps."""
    X = np.random.default_rng(0).normal(size=(sum(sizes), 2))
    y = np.repeat(np.arange(len(sizes)), sizes)
    data = training_set(X, y, np.ones(len(y)), len(sizes))
    grown = StaticSMOTESVM().prepare(data, np.random.RandomState(0))
    return np.diff(grown.class_start).tolist(), data, grown


@pytest.mark.parametrize(
    ("sizes", "expected"),
    [
        ([10, 4, 3], [10, 8, 9]),  # 3 + 3, 4 + 4, then 6 + 3
        ([20, 1, 20], [20, 4, 20]),
        ([5, 5], [10, 10]),
    ],
)
def test_the_smallest_class_grows_as_often_as_there_are_classes(sizes, expected):
    assert oversampled(sizes)[0] == expected


def test_original_rows_stay_and_new_ones_lie_between_them():
    _, data, grown = oversampled([9, 4, 3])
    for c in range(3):
        before, after = data.X[data.rows(c)], grown.X[grown.rows(c)]
        np.testing.assert_array_equal(after[: len(before)], before)
        assert (after >= before.min(axis=0)).all()
        assert (after <= before.max(axis=0)).all()


def test_decisions_are_those_of_an_svc_on_the_grown_set(three_classes, new_rows):
    X, y = three_classes
    model = StaticSMOTESVM(C=3.0, sigma=1.2, tol=1e-9, random_state=5).fit(X, y)
    classes, index = np.unique(y, return_inverse=True)
    data = training_set(X, index, np.ones(len(y)), 3)
    grown = model.prepare(data, np.random.RandomState(5))
    for f, (plus, minus) in zip(
        model.pair_decision_function(new_rows).T, model.pairs_, strict=True
    ):
        pos = grown.X[grown.rows(int(np.searchsorted(classes, plus)))]
        neg = grown.X[grown.rows(int(np.searchsorted(classes, minus)))]
        svc = SVC(C=3.0, gamma=0.5 / 1.2**2, tol=1e-6)
        svc.fit(np.concatenate([pos, neg]), np.repeat([1, -1], [len(pos), len(neg)]))
        np.testing.assert_allclose(f, svc.decision_function(new_rows), atol=LIBSVM)
