"""Static-SMOTE: oversample the smallest class, M times over, then plain SVMs."""

from __future__ import annotations

from typing import Any

import numpy as np

from isvmde.core.kernels import squared_distances
from isvmde.core.training_set import TrainingSet

from .binary_problem import BinaryProblem, Targets
from .pairwise import OversamplingSVM, cost_targets
from .smote import draw_for_class, interpolate


class StaticSMOTESVM(OversamplingSVM):
    """Static-SMOTE on the whole training set, then plain one-vs-one SVMs.

    As many times as there are classes, the class that is smallest at that moment gets
    SMOTE samples, drawn between its original samples. This lifts the rarest classes
    without balancing all. A step adds as many samples as the class had at first (n, 2n,
    3n, ...). Vote ties go to the class with fewer original samples. "Static-SMOTE" in
    the paper's tables.

    Sample weights must be whole numbers: every sample is drawn from in its turn, and a
    fraction of a sample has no turn.

    Parameters
    ----------
    C : float, default=1.0
        Cost of a violated margin.
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
    Fernández-Navarro, Hervás-Martínez, Gutiérrez: A dynamic over-sampling procedure
    based on sensitivity for multi-class problems. Pattern Recognition 44 (2011)
    1821-1833.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from isvmde.baselines import StaticSMOTESVM
    >>> X, y = load_iris(return_X_y=True)
    >>> model = StaticSMOTESVM(C=10, random_state=0).fit(X[40:], y[40:])
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
        return super()._problems(self._oversample(data, rng), rng)

    def _oversample(self, data: TrainingSet, rng: np.random.RandomState) -> TrainingSet:
        """Return the training set with synthetic rows; class sizes stay the original.

        The sizes decide which class of a pair is + and which class wins a tie.
        """
        rows = [[data.X[data.rows(c)]] for c in range(data.n_classes)]
        size = data.class_size.copy()
        for _ in range(data.n_classes):
            c = int(np.argmin(size))  # the lower index on equality
            original = rows[c][0]
            draws = draw_for_class(
                squared_distances(original),
                data.weight[data.rows(c)],
                int(data.class_size[c]),
                self.k_neighbors,
                rng,
            )
            rows[c].append(interpolate(original, draws))
            size[c] += data.class_size[c]
        X = [np.concatenate(parts) for parts in rows]
        weight = [
            np.concatenate(
                [data.weight[data.rows(c)], np.ones(len(x) - len(rows[c][0]))]
            )
            for c, x in enumerate(X)
        ]
        return TrainingSet(
            np.concatenate(X),
            np.concatenate(weight),
            np.cumsum([0] + [len(x) for x in X]),
            data.class_size,
        )

    def _targets(self, problem: BinaryProblem) -> Targets:
        return cost_targets(problem, 1.0, 1.0)
