"""SDC is SMOTE, then an SVC with the costs of the original counts."""

import numpy as np
from sklearn.svm import SVC

from isvmde.baselines import SDCSVM

LIBSVM = 1e-4  # it keeps kernel values in single precision


def smote_by_hand(X, count, k, rng):
    """Draw as documented, sample by sample; the rows of X are all different."""
    k = min(k, len(X) - 1)
    order = rng.permutation(len(X))
    which = rng.randint(k, size=count)
    gap = rng.uniform(size=count)
    synthetic = []
    for i in range(count):
        a = X[order[i % len(X)]]
        nearest = X[np.argsort(np.linalg.norm(X - a, axis=1))[1 : k + 1]]
        synthetic.append((1 - gap[i]) * a + gap[i] * nearest[which[i]])
    return np.array(synthetic)


def sorted_rows(X):
    return X[np.lexsort(X.T[::-1])]


def test_sdc_equals_smote_and_weighted_svc(three_classes, new_rows):
    X, y = three_classes
    model = SDCSVM(C=2.0, sigma=1.5, k_neighbors=3, tol=1e-9, random_state=7).fit(X, y)
    rng = np.random.RandomState(7)
    for f, (plus, minus) in zip(
        model.pair_decision_function(new_rows).T, model.pairs_, strict=True
    ):
        pos, neg = sorted_rows(X[y == plus]), X[y == minus]
        drawn = smote_by_hand(pos, len(neg) - len(pos), 3, rng)
        n = len(pos) + len(neg)
        cost = {1: 2.0 * n / len(pos), -1: 2.0 * n / len(neg)}
        svc = SVC(C=1.0, gamma=0.5 / 1.5**2, class_weight=cost, tol=1e-6)
        svc.fit(
            np.concatenate([pos, drawn, neg]), np.repeat([1, -1], [len(neg), len(neg)])
        )
        np.testing.assert_allclose(f, svc.decision_function(new_rows), atol=LIBSVM)


def test_same_seed_same_model_whatever_the_order(three_classes, new_rows):
    X, y = three_classes
    order = np.random.default_rng(0).permutation(len(y))
    one = SDCSVM(random_state=3).fit(X, y).pair_decision_function(new_rows)
    two = SDCSVM(random_state=3).fit(X[order], y[order])
    np.testing.assert_array_equal(one, two.pair_decision_function(new_rows))
    other = SDCSVM(random_state=4).fit(X, y).pair_decision_function(new_rows)
    assert (one != other).any()
