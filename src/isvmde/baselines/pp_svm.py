"""PPSVM: posterior probabilities as soft labels."""

from __future__ import annotations

import numbers

import numpy as np
from sklearn.utils import check_scalar

from isvmde.core.solver import DISTANCE

from .binary_problem import BinaryProblem, Targets
from .pairwise import PairwiseSVM, check_positive


class PPSVM(PairwiseSVM):
    r"""Posterior probability SVM, one-vs-one.

    A sample whose surroundings are of its own class is trusted, one among the others is
    not. The posterior P(+|x_i) is the share of + samples within a distance r of x_i
    (x_i included), the soft label is s_i = 2 P(+|x_i) - 1, and the machine asks
    s_i f(x_i) >= s_i^2 (1 - xi_i). With t_i = sign(s_i) that is margin \|s_i\| and cost
    C / \|s_i\| for the label t_i.

    What the paper's gamma and delta (0.05) mean is not established. Here r is ``gamma``
    times the largest distance in the pair, and ``delta`` keeps a sample on the side of
    its label: P(own class) is at least 1/2 + delta. Where all samples are further apart
    than r the method is the plain SVM. "PPSVM" in the paper's tables.

    Parameters
    ----------
    C : float, default=1.0
        Cost of a violated margin.
    gamma : float, default=0.05
        Radius of the window in which the posterior is estimated, as a fraction of the
        pair's largest distance.
    delta : float in [0, 1/2], default=0.05
        How far P(own class) stays above 1/2.
    kernel : {"linear", "rbf", "poly"}, default="rbf"
        ``x'z``, ``exp(-|x - z|^2 / (2 sigma^2))`` or ``(1 + x'z)^degree``.
    sigma : float, default=1.0
        Width of the rbf kernel.
    degree : int, default=3
        Degree of the polynomial kernel.
    tol : float, default=1e-3
        Largest violation of the optimality conditions allowed, in units of f.
    max_iter : int, default=-1
        Bound on the solver's steps for one problem; -1 is 10000 + 100 per sample.

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
        Support vectors of every pair, counted with their weights.
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
    Tao, Wu, Wang, Wang: Posterior probability support vector machines for unbalanced
    data. IEEE Trans. Neural Netw. 16 (2005) 1561-1573.

    Gönen, Tanuğur, Alpaydın: Multiclass posterior probability support vector machines.
    IEEE Trans. Neural Netw. 19 (2008) 130-139.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from isvmde.baselines import PPSVM
    >>> X, y = load_iris(return_X_y=True)
    >>> model = PPSVM(C=10).fit(X[40:], y[40:])
    >>> model.predict(X[:2])
    array([0, 0])
    """

    def __init__(
        self,
        *,
        C: float = 1.0,
        gamma: float = 0.05,
        delta: float = 0.05,
        kernel: str = "rbf",
        sigma: float = 1.0,
        degree: int = 3,
        tol: float = 1e-3,
        max_iter: int = -1,
    ) -> None:
        self.C = C
        self.gamma = gamma
        self.delta = delta
        self.kernel = kernel
        self.sigma = sigma
        self.degree = degree
        self.tol = tol
        self.max_iter = max_iter

    def _check_parameters(self) -> None:
        super()._check_parameters()
        check_positive("gamma", self.gamma)
        check_scalar(self.delta, "delta", numbers.Real, min_val=0, max_val=0.5)

    def _posterior(self, problem: BinaryProblem) -> np.ndarray:
        """Return P(+|x_i) of every sample, from the window around it."""
        d2 = problem.base(DISTANCE)
        near = d2 <= self.gamma**2 * d2.max()
        weight = problem.weight
        return np.asarray((near @ (weight * (problem.y > 0))) / (near @ weight))

    def _targets(self, problem: BinaryProblem) -> Targets:
        posterior = self._posterior(problem)
        own = np.where(problem.y > 0, posterior, 1.0 - posterior)
        size = 2.0 * np.maximum(own, 0.5 + self.delta) - 1.0
        # A sample that says nothing (delta is 0) gets the box 0: it is left out.
        unit = np.divide(problem.weight, size, out=np.zeros_like(size), where=size > 0)
        return Targets(problem.y, size, unit)
