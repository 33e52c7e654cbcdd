"""PPSVM against the paper's formulation, solved by a general optimiser."""

import numpy as np
from scipy.optimize import minimize

from isvmde.baselines import OVOSVM, PPSVM


def two_classes(n_pos=8, n_neg=12):
    rng = np.random.default_rng(3)
    X = np.concatenate([rng.normal(0.0, 1, (n_pos, 2)), rng.normal(1.0, 1, (n_neg, 2))])
    return X, np.repeat([1, 0], [n_pos, n_neg])


def window_share(X, y, radius):
    """Count the + share around each sample, one by one."""
    share = []
    for x in X:
        near = np.linalg.norm(X - x, axis=1) <= radius
        share.append((y[near] == 1).mean())
    return np.array(share)


def soft_label_machine(X, s, C, gamma, new_rows):
    """Solve max sum a s^2 - 1/2 sum a a s s K, sum a s = 0, 0 <= a s^2 <= C."""

    def kernel(A, B):
        return np.exp(-gamma * ((A[:, None] - B) ** 2).sum(axis=2))

    Q = np.outer(s, s) * kernel(X, X)
    result = minimize(
        lambda a: 0.5 * a @ Q @ a - a @ s**2,
        np.zeros(len(s)),
        jac=lambda a: Q @ a - s**2,
        bounds=[(0, C / v**2) for v in s],
        constraints={"type": "eq", "fun": lambda a: a @ s, "jac": lambda a: s},
        method="SLSQP",
        options={"maxiter": 1000, "ftol": 1e-14},
    )
    assert result.success
    a = result.x
    free = (a > 1e-6) & (a < C / s**2 - 1e-6)
    f = kernel(X, X) @ (a * s)
    b = np.mean((s - f)[free])  # s f = s^2 on free samples
    return kernel(new_rows, X) @ (a * s) + b


def test_equals_the_soft_label_formulation():
    X, y = two_classes()
    new_rows = np.random.default_rng(4).normal(0.5, 1.0, (15, 2))
    model = PPSVM(C=2.0, sigma=1.0, gamma=0.25, delta=0.1, tol=1e-9).fit(X, y)
    largest = np.linalg.norm(X[:, None] - X, axis=2).max()
    share = window_share(X, y, 0.25 * largest)
    own = np.where(y == 1, share, 1 - share)
    s = np.where(y == 1, 1, -1) * (2 * np.maximum(own, 0.6) - 1)
    assert len(np.unique(np.abs(s))) > 4  # the labels are really soft
    reference = soft_label_machine(X, s, 2.0, 0.5, new_rows)
    f = model.pair_decision_function(new_rows)[:, 0]
    np.testing.assert_allclose(f, reference, atol=2e-5)


def test_samples_further_apart_than_the_window_make_a_plain_svm(
    three_classes, new_rows
):
    soft = PPSVM(gamma=1e-9).fit(*three_classes)
    plain = OVOSVM().fit(*three_classes)
    np.testing.assert_array_equal(
        soft.pair_decision_function(new_rows), plain.pair_decision_function(new_rows)
    )
