"""A matrix that is no kernel has no optimum to find, but does no harm either."""

import numpy as np
import pytest

from isvmde.core import dual
from isvmde.core.solver import solve_dual


@pytest.mark.parametrize("seed", range(40))
def test_an_indefinite_matrix_is_survived(seed):
    """Bounded work, a feasible answer, and the violation it really has."""
    rng = np.random.default_rng(seed)
    n = int(rng.integers(4, 70))
    K = rng.normal(size=(n, n))
    K = K + K.T
    y = np.where(np.arange(n) % 3 == 0, 1.0, -1.0)
    U, margin = rng.uniform(0.1, 10, n), np.ones(n)
    solution = solve_dual(K, y, margin, U, max_iter=2000)
    assert solution.steps <= 2000
    assert ((solution.alpha >= 0) & (solution.alpha <= U)).all()
    assert solution.alpha @ y == pytest.approx(0, abs=1e-8)
    true_violation = dual.kkt_violation(solution.alpha, y, margin, U, K)
    assert solution.violation == pytest.approx(true_violation, abs=1e-6)
