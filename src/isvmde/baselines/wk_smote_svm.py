"""WK-SMOTE: SMOTE and different costs in the space of the kernel."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, ClassVar

import numpy as np

from isvmde.core.kernels import base_matrix
from isvmde.core.pairs import make_pairs
from isvmde.core.solver import DISTANCE, POLY
from isvmde.core.training_set import TrainingSet

from .binary_problem import BinaryProblem, Targets
from .pairwise import OversamplingSVM, check_choice, cost_targets, pair_problem
from .smote import draw_for_class


class WKSMOTESVM(OversamplingSVM):
    """Weighted kernel-based SMOTE, one-vs-one.

    In every pair the smaller class gets synthetic samples until both have the same
    number, but between the *images* of two samples in the kernel's space: neighbours
    are the nearest by kernel distance, and the Gram matrix is augmented to
    ``T K T'``, where a row of T holds 1 - gap at the sample and gap at its neighbour.
    No synthetic row is ever computed; for prediction the synthetic multipliers are
    folded back into those of the two samples. With the linear kernel this is SMOTE.
    Synthetic samples cost what samples of the smaller class cost; n and n+ count
    original samples. "WK-SMOTE" in the paper's tables.

    Sample weights must be whole numbers: every sample is drawn from in its turn, and a
    fraction of a sample has no turn.

    Parameters
    ----------
    C : float, default=1.0
        Cost that both classes share.
    costs : {"balanced", "equal"}, default="balanced"
        "balanced" multiplies C by n / n+ and n / n-, "equal" by 1.
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
    Mathew, Pang, Luo, Leong: Classification of imbalanced data by oversampling in
    kernel space of support vector machines. IEEE Trans. Neural Netw. Learn. Syst. 29
    (2018) 4065-4076.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from isvmde.baselines import WKSMOTESVM
    >>> X, y = load_iris(return_X_y=True)
    >>> model = WKSMOTESVM(C=10, random_state=0).fit(X[40:], y[40:])
    >>> model.predict(X[:2])
    array([0, 0])
    """

    _structure: ClassVar[tuple[str, ...]] = ("k_neighbors", "kernel", "degree")

    def __init__(
        self,
        *,
        C: float = 1.0,
        costs: str = "balanced",
        kernel: str = "rbf",
        sigma: float = 1.0,
        degree: int = 3,
        k_neighbors: int = 5,
        tol: float = 1e-3,
        max_iter: int = -1,
        random_state: Any = None,
    ) -> None:
        self.C = C
        self.costs = costs
        self.kernel = kernel
        self.sigma = sigma
        self.degree = degree
        self.k_neighbors = k_neighbors
        self.tol = tol
        self.max_iter = max_iter
        self.random_state = random_state

    def _check_parameters(self) -> None:
        super()._check_parameters()
        check_choice("costs", self.costs, ["balanced", "equal"])

    def _problems(
        self, data: TrainingSet, rng: np.random.RandomState
    ) -> list[BinaryProblem]:
        return [
            self._with_blends(data, plus, minus, rng)
            for plus, minus in make_pairs(data.class_size)
        ]

    def _with_blends(
        self, data: TrainingSet, plus: int, minus: int, rng: np.random.RandomState
    ) -> BinaryProblem:
        """Return the pair's problem with n- - n+ synthetic samples of +."""
        problem = pair_problem(data, plus, minus)
        count = int(problem.n_neg - problem.n_pos)
        draws = draw_for_class(
            self._kernel_distance(data.X[data.rows(plus)]),
            data.weight[data.rows(plus)],
            count,
            self.k_neighbors,
            rng,
        )
        return replace(
            problem,
            y=np.append(problem.y, np.ones(count)),
            weight=np.append(problem.weight, np.ones(count)),
            blend=draws,  # the rows of + come first, so its indices need no shift
        )

    def _kernel_distance(self, X: np.ndarray) -> np.ndarray:
        """Return K_pp - 2 K_pq + K_qq, or what orders neighbours in the same way.

        rbf falls with the distance, so its nearest are the nearest rows; computed from
        them, no neighbours tie because a narrow kernel is 0 for all.
        """
        kernel = self._kernel_in_use()
        if kernel.function != POLY:
            return base_matrix(DISTANCE, X)
        with np.errstate(over="ignore", invalid="ignore"):  # the solver sees and tells
            K = kernel.from_base(base_matrix(kernel.base, X))
            own = np.diagonal(K)
            return np.nan_to_num(own[:, None] - 2.0 * K + own, nan=np.inf)

    def _targets(self, problem: BinaryProblem) -> Targets:
        if self.costs == "equal":
            return cost_targets(problem, 1.0, 1.0)
        n = problem.n_pos + problem.n_neg
        return cost_targets(problem, n / problem.n_pos, n / problem.n_neg)
