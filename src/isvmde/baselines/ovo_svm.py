"""SVM: the plain support vector machine, one-vs-one."""

from __future__ import annotations

from .binary_problem import BinaryProblem, Targets
from .pairwise import PairwiseSVM, cost_targets


class OVOSVM(PairwiseSVM):
    """Plain support vector machines, one per pair of classes.

    Every sample costs the same, so in a pair of very different sizes the boundary
    moves towards the small class. The pairs vote; ties go to the class with fewer
    training samples. "SVM" in the paper's tables.

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
    Cortes, Vapnik: Support-vector networks. Machine Learning 20 (1995) 273-297.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from isvmde.baselines import OVOSVM
    >>> X, y = load_iris(return_X_y=True)
    >>> model = OVOSVM(C=10).fit(X[40:], y[40:])
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
        tol: float = 1e-3,
        max_iter: int = -1,
    ) -> None:
        self.C = C
        self.kernel = kernel
        self.sigma = sigma
        self.degree = degree
        self.tol = tol
        self.max_iter = max_iter

    def _targets(self, problem: BinaryProblem) -> Targets:
        return cost_targets(problem, 1.0, 1.0)
