"""PPSVM: posterior probabilities as soft labels."""

from __future__ import annotations

import numbers

import numpy as np
from sklearn.utils import check_scalar

from .pairwise import CountingSVM, check_choice, check_positive
from .problem import BinaryProblem, Targets


class PPSVM(CountingSVM):
    r"""Posterior probability SVM, one-vs-one.

    A sample whose surroundings are of its own class is trusted, one among the others is
    not. The posterior P(+|x_i) is the share of + samples within a distance r of x_i
    (x_i included), the soft label is s_i = 2 P(+|x_i) - 1, and the machine asks
    s_i f(x_i) >= s_i^2 (1 - xi_i). With t_i = sign(s_i) that is margin \|s_i\| and cost
    C / \|s_i\| for the label t_i.

    What the paper's gamma and delta (0.05) mean is not established. Here r is ``gamma``
    times the largest distance in the pair (``radius="relative"``) or ``gamma`` itself
    ("absolute"), and ``delta`` keeps a sample on the side of its label:
    P(own class) is at least 1/2 + delta (``soft_labels="clip"``). With "free" nothing
    is clipped: samples that stand alone among the other class change sides, and those
    with P = 1/2 are left out. Where all samples are further apart than r the method is
    the plain SVM. "PPSVM" in the paper's tables.

    Parameters
    ----------
    C : float, default=1.0
        Cost of a violated margin.
    gamma : float, default=0.05
        Size of the window in which the posterior is estimated.
    delta : float in [0, 1/2], default=0.05
        How far P(own class) stays above 1/2; not used by "free".
    radius : {"relative", "absolute"}, default="relative"
        Whether gamma is a fraction of the pair's largest distance.
    soft_labels : {"clip", "free"}, default="clip"
        Whether samples keep the side of their label.
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
    pairs_ : ndarray of shape (n_pairs, 2)
        Labels (plus, minus) of every pair; plus is the smaller class.
    intercept_ : ndarray of shape (n_pairs,)
    n_support_ : ndarray of shape (n_pairs,)
        Support vectors of every pair, counted with their weights.
    kkt_violation_ : ndarray of shape (n_pairs,)
        Violation of the optimality conditions that was reached.
    n_iter_ : int
        Largest number of solver steps a pair took.
    n_features_in_ : int
    feature_names_in_ : ndarray

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
        radius: str = "relative",
        soft_labels: str = "clip",
        kernel: str = "rbf",
        sigma: float = 1.0,
        degree: int = 3,
        tol: float = 1e-3,
        max_iter: int = -1,
    ) -> None:
        self.C = C
        self.gamma = gamma
        self.delta = delta
        self.radius = radius
        self.soft_labels = soft_labels
        self.kernel = kernel
        self.sigma = sigma
        self.degree = degree
        self.tol = tol
        self.max_iter = max_iter

    def _check_parameters(self) -> None:
        super()._check_parameters()
        check_positive("gamma", self.gamma)
        check_scalar(self.delta, "delta", numbers.Real, min_val=0, max_val=0.5)
        check_choice("radius", self.radius, ["relative", "absolute"])
        check_choice("soft_labels", self.soft_labels, ["clip", "free"])

    def _posterior(self, problem: BinaryProblem) -> np.ndarray:
        """Return P(+|x_i) of every sample, from the window around it."""
        d2 = problem.squared_distance
        largest = d2.max() if self.radius == "relative" else 1.0
        near = d2 <= self.gamma**2 * largest
        weight = problem.weight
        return np.asarray((near @ (weight * (problem.y > 0))) / (near @ weight))

    def _targets(self, problem: BinaryProblem) -> Targets:
        posterior = self._posterior(problem)
        if self.soft_labels == "free":
            s = 2.0 * posterior - 1.0
            y = np.where(s != 0, np.sign(s), problem.y)
        else:
            own = np.where(problem.y > 0, posterior, 1.0 - posterior)
            s = 2.0 * np.maximum(own, 0.5 + self.delta) - 1.0
            y = problem.y
        size = np.abs(s)
        # A sample that says nothing (s = 0) gets the box 0: it is left out.
        unit = np.divide(problem.weight, size, out=np.zeros_like(s), where=size > 0)
        return Targets(y, size, unit)
