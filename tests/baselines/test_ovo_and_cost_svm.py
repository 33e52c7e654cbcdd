"""SVM and Cost-SVM are scikit-learn's SVC with class weights, pair by pair."""

import numpy as np
import pytest
from sklearn.svm import SVC

from isvmde.baselines import OVOSVM, CostSVM

LIBSVM = 1e-4  # it keeps kernel values in single precision

KERNELS = [
    ({"kernel": "linear"}, {"kernel": "linear"}),
    ({"kernel": "rbf", "sigma": 0.7}, {"kernel": "rbf", "gamma": 0.5 / 0.7**2}),
    (
        {"kernel": "poly", "degree": 2},
        {"kernel": "poly", "degree": 2, "gamma": 1.0, "coef0": 1.0},
    ),
]


def svc_decisions(X, y, pairs, new_rows, cost, **kernel):
    """Return f of an SVC per pair; cost(n_pos, n_neg) are the two costs."""
    columns = []
    for plus, minus in pairs:
        rows = (y == plus) | (y == minus)
        pos, neg = cost((y == plus).sum(), (y == minus).sum())
        svc = SVC(C=1.0, class_weight={1: pos, -1: neg}, tol=1e-6, **kernel)
        svc.fit(X[rows], np.where(y[rows] == plus, 1, -1))
        columns.append(svc.decision_function(new_rows))
    return np.stack(columns, axis=1)


@pytest.mark.parametrize(("ours", "theirs"), KERNELS)
def test_svm_equals_svc(three_classes, new_rows, ours, theirs):
    X, y = three_classes
    model = OVOSVM(C=5.0, tol=1e-9, **ours).fit(X, y)
    reference = svc_decisions(
        X, y, model.pairs_, new_rows, lambda pos, neg: (5.0, 5.0), **theirs
    )
    np.testing.assert_allclose(
        model.pair_decision_function(new_rows), reference, rtol=1e-5, atol=LIBSVM
    )


@pytest.mark.parametrize(("ours", "theirs"), KERNELS)
def test_cost_svm_equals_weighted_svc(three_classes, new_rows, ours, theirs):
    X, y = three_classes
    model = CostSVM(C=2.0, multiple_pos=3.0, multiple_neg=0.5, tol=1e-9, **ours)
    model.fit(X, y)

    def cost(pos, neg):
        return 6.0 * (pos + neg) / pos, 1.0 * (pos + neg) / neg

    reference = svc_decisions(X, y, model.pairs_, new_rows, cost, **theirs)
    np.testing.assert_allclose(
        model.pair_decision_function(new_rows), reference, rtol=1e-5, atol=LIBSVM
    )


def test_plus_is_the_smaller_class(three_classes):
    model = OVOSVM().fit(*three_classes)
    assert model.pairs_.tolist() == [
        ["middle", "big"],
        ["small", "big"],
        ["small", "middle"],
    ]


def test_multiples_raise_recall_of_the_smaller_class(three_classes):
    X, y = three_classes
    found = [
        (CostSVM(multiple_pos=m, sigma=2.0).fit(X, y).predict(X) == "small").sum()
        for m in (0.1, 1.0, 10.0)
    ]
    assert found == sorted(found)
    assert found[0] < found[2]


@pytest.mark.parametrize(
    ("params", "message"),
    [
        ({"kernel": "sigmoid"}, "kernel='sigmoid' is not known"),
        ({"C": 0}, "C == 0"),
        ({"C": np.inf}, "finite"),
        ({"sigma": -1.0}, "sigma"),
        ({"degree": 0}, "degree"),
        ({"multiple_pos": 0.0}, "multiple_pos"),
        ({"max_iter": -2}, "max_iter"),
    ],
)
def test_bad_parameters_are_named(three_classes, params, message):
    with pytest.raises(ValueError, match=message):
        CostSVM(**params).fit(*three_classes)
