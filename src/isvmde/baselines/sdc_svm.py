"""SDC: SMOTE with different costs."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from isvmde.core.kernels import squared_distances
from isvmde.core.pairs import make_pairs
from isvmde.core.training_set import TrainingSet

from .binary_problem import BinaryProblem, Targets
from .pairwise import OversamplingSVM, cost_targets, pair_problem
from .smote import draw_for_class, interpolate


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
    C : float, default=1.0
        Cost that both classes share.
    kernel : {"linear", "rbf", "poly"}, default="rbf"
        ``x'z``, ``exp(-|x - z|^2 / (2 sigma^2))`` or ``(1 + x'z)^degree``.
    sigma : float, default=1.0
        Width of the rbf kernel.
    degree : int, default=3
        Degree of the polynomial kernel.
    k_neighbors : int, default=5
        Neighbours a synthetic sample is drawn towards; all others of the class if it
        has fewer, and duplicates of a lone sample.
    tol : float, default=1e-3
        Largest violation of the optimality conditions allowed, in units of f.
    max_iter : int, default=-1
        Bound on the solver's steps for one problem; -1 is 10000 + 100 per sample.
    random_state : int, RandomState instance or None, default=None
        Seed of the draws.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        The classes.
    class_count_ : ndarray of shape (n_classes,)
        Training samples of each class, by weight.
    pairs_ : ndarray of shape (n_pairs, 2)
        Labels (plus, minus) of every pair; plus is the smaller class.
    support_vectors_ : list of ndarray
        Support vectors of every pair.
    dual_coef_ : list of ndarray
        Their multipliers, positive for the first class of the pair.
    intercept_ : ndarray of shape (n_pairs,)
        Intercept of every machine.
    n_support_ : ndarray of shape (n_pairs,)
        Support vectors of every pair, synthetic samples included.
    kkt_violation_ : ndarray of shape (n_pairs,)
        Violation of the optimality conditions that was reached.
    n_iter_ : int
        Largest number of solver steps a pair took.
    n_features_in_ : int
        Features seen in fit.
    feature_names_in_ : ndarray
        Their names, if they have any.

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

    def __init__(
        self,
        *,
        C: float = 1.0,
        kernel: str = "rbf",
        sigma: float = 1.0,
        degree: int = 3,
        k_neighbors: int = 5,
        tol: float = 1e-3,
        max_iter: int = -1,
        random_state: Any = None,
    ) -> None:
        self.C = C
        self.kernel = kernel
        self.sigma = sigma
        self.degree = degree
        self.k_neighbors = k_neighbors
        self.tol = tol
        self.max_iter = max_iter
        self.random_state = random_state

    def _problems(
        self, data: TrainingSet, rng: np.random.RandomState
    ) -> list[BinaryProblem]:
        return [
            self._with_synthetic_rows(data, plus, minus, rng)
            for plus, minus in make_pairs(data.class_size)
        ]

    def _with_synthetic_rows(
        self, data: TrainingSet, plus: int, minus: int, rng: np.random.RandomState
    ) -> BinaryProblem:
        """Return the pair's problem with n- - n+ synthetic rows of + at its end."""
        problem = pair_problem(data, plus, minus)
        X = data.X[data.rows(plus)]
        count = int(problem.n_neg - problem.n_pos)
        draws = draw_for_class(
            squared_distances(X),
            data.weight[data.rows(plus)],
            count,
            self.k_neighbors,
            rng,
        )
        return replace(
            problem,
            points=np.concatenate([problem.points, interpolate(X, draws)]),
            y=np.append(problem.y, np.ones(count)),
            weight=np.append(problem.weight, np.ones(count)),
        )

    def _targets(self, problem: BinaryProblem) -> Targets:
        n = problem.n_pos + problem.n_neg
        return cost_targets(problem, n / problem.n_pos, n / problem.n_neg)
