"""SDC: SMOTE with different costs."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from isvmde.core.kernels import squared_distances
from isvmde.core.training_set import TrainingSet

from .binary_problem import BinaryProblem, Draws
from .ovo_svm import balanced_costs
from .smote import OversamplingSVM, interpolate


@dataclass(kw_only=True, eq=False, repr=False)
class SDCSVM(OversamplingSVM):
    """SMOTE with different costs (SDC), one-vs-one.

    In every pair the smaller class gets SMOTE samples until both have the same number.
    A sample of the smaller class, synthetic or not, then costs ``C * n / n+`` and one
    of the larger class ``C * n / n-``. n+ counts the original samples, which pushes
    the boundary further towards the larger class than balance alone. "SDC" in the
    paper's tables.

    Sample weights must be whole numbers: every sample is drawn from in its turn, and a
    fraction of a sample has no turn.

    Parameters
    ----------
    C, kernel, sigma, degree, tol, max_iter
        As in :class:`OVOSVM`, which also says what the attributes are.
    k_neighbors : int, default=5
        Neighbours a synthetic sample is drawn towards; all others of the class if it
        has fewer, and duplicates of a lone sample.
    random_state : int, RandomState instance or None, default=None
        Seed of the draws.

    References
    ----------
    Akbani, Kwek, Japkowicz: Applying support vector machines to imbalanced datasets.
    Proc. ECML (2004) 39-50.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from isvmde.baselines import SDCSVM
    >>> X, y = load_iris(return_X_y=True)
    >>> model = SDCSVM(C=10, random_state=0).fit(X[40:], y[40:])
    >>> model.predict(X[:2])
    array([0, 0])
    """

    def _pair_problem(
        self, data: TrainingSet, plus: int, minus: int, rng: np.random.RandomState
    ) -> BinaryProblem:
        problem = super()._pair_problem(data, plus, minus, rng)
        X, count = data.X[data.rows(plus)], int(problem.n_neg - problem.n_pos)
        draws = self._draw(data, plus, self._squared_distance(X), count, rng)
        more = np.ones(count)
        problem = replace(
            problem,
            y=np.append(problem.y, more),
            weight=np.append(problem.weight, more),
        )
        return self._with_synthetic(problem, X, draws)

    def _squared_distance(self, X: np.ndarray) -> np.ndarray:
        """Return what orders neighbours."""
        return squared_distances(X)

    def _with_synthetic(
        self, problem: BinaryProblem, X: np.ndarray, draws: Draws
    ) -> BinaryProblem:
        """Return the problem with the synthetic samples drawn from the rows X of +."""
        rows = np.concatenate([problem.points, interpolate(X, draws)])
        return replace(problem, points=rows)

    def _costs(self, problem: BinaryProblem) -> tuple[float, float]:
        return balanced_costs(problem)
