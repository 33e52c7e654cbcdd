"""Cost-SVM: different costs for the two classes of a pair."""

from __future__ import annotations

from dataclasses import dataclass

from isvmde.classifiers.checks import check_number

from .binary_problem import BinaryProblem
from .ovo_svm import OVOSVM


@dataclass(kw_only=True, eq=False, repr=False)
class CostSVM(OVOSVM):
    """One-vs-one support vector machines with different costs.

    In a pair with n samples, n+ of them of the smaller class, a sample of the smaller
    class costs ``C * multiple_pos * n / n+`` and one of the larger class
    ``C * multiple_neg * n / n-``: with both multiples at 1 the two classes weigh the
    same as a whole. Table 2 of the paper searches ``multiple_pos`` over 1/4, 1/3, 1/2,
    1, 2, 3, 4 and keeps ``multiple_neg`` at 1. "Cost-SVM" in the paper's tables.

    Parameters
    ----------
    C, kernel, sigma, degree, tol, max_iter
        As in :class:`OVOSVM`, which also says what the attributes are.
    multiple_pos, multiple_neg : float, default=1.0
        Costs of the smaller and the larger class, in units of n / n+ and n / n-.

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

    multiple_pos: float = 1.0
    multiple_neg: float = 1.0

    def _check_parameters(self) -> None:
        super()._check_parameters()
        check_number("multiple_pos", self.multiple_pos)
        check_number("multiple_neg", self.multiple_neg)

    def _costs(self, problem: BinaryProblem) -> tuple[float, float]:
        # multiple times n first, then divided: the order of the last bit
        n = problem.n_pos + problem.n_neg
        return (
            self.multiple_pos * n / problem.n_pos,
            self.multiple_neg * n / problem.n_neg,
        )
