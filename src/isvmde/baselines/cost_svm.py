"""Cost-SVM: different costs for the two classes of a pair."""

from __future__ import annotations

from .binary_problem import BinaryProblem, Targets
from .pairwise import PairwiseSVM, check_positive, cost_targets


class CostSVM(PairwiseSVM):
    """One-vs-one support vector machines with different costs.

    In a pair with n samples, n+ of them of the smaller class, a sample of the smaller
    class costs ``C * multiple_pos * n / n+`` and one of the larger class
    ``C * multiple_neg * n / n-``: with both multiples at 1 the two classes weigh the
    same as a whole. Table 2 of the paper searches ``multiple_pos`` over 1/4, 1/3, 1/2,
    1, 2, 3, 4 and keeps ``multiple_neg`` at 1. "Cost-SVM" in the paper's tables.

    Parameters
    ----------
    C : float, default=1.0
        Cost that both classes share.
    multiple_pos, multiple_neg : float, default=1.0
        Costs of the smaller and the larger class, in units of n / n+ and n / n-.
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
    Veropoulos, Campbell, Cristianini: Controlling the sensitivity of support vector
    machines. Proc. IJCAI (1999) 55-60.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from isvmde.baselines import CostSVM
    >>> X, y = load_iris(return_X_y=True)
    >>> model = CostSVM(C=10, multiple_pos=2).fit(X[40:], y[40:])
    >>> model.predict(X[:2])
    array([0, 0])
    """

    def __init__(
        self,
        *,
        C: float = 1.0,
        multiple_pos: float = 1.0,
        multiple_neg: float = 1.0,
        kernel: str = "rbf",
        sigma: float = 1.0,
        degree: int = 3,
        tol: float = 1e-3,
        max_iter: int = -1,
    ) -> None:
        self.C = C
        self.multiple_pos = multiple_pos
        self.multiple_neg = multiple_neg
        self.kernel = kernel
        self.sigma = sigma
        self.degree = degree
        self.tol = tol
        self.max_iter = max_iter

    def _check_parameters(self) -> None:
        super()._check_parameters()
        check_positive("multiple_pos", self.multiple_pos)
        check_positive("multiple_neg", self.multiple_neg)

    def _targets(self, problem: BinaryProblem) -> Targets:
        n = problem.n_pos + problem.n_neg
        return cost_targets(
            problem,
            self.multiple_pos * n / problem.n_pos,
            self.multiple_neg * n / problem.n_neg,
        )
