"""PPSVM: posterior probabilities as soft labels."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from isvmde.classifiers.checks import check_number
from isvmde.core.solver import DISTANCE

from .binary_problem import BinaryProblem, Targets
from .ovo_svm import OVOSVM


@dataclass(kw_only=True, eq=False, repr=False)
class PPSVM(OVOSVM):
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
    C, kernel, sigma, degree, tol, max_iter
        As in :class:`OVOSVM`, which also says what the attributes are.
    gamma : float, default=0.05
        Radius of the window in which the posterior is estimated, as a fraction of the
        pair's largest distance.
    delta : float in [0, 1/2], default=0.05
        How far P(own class) stays above 1/2.

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

    gamma: float = 0.05
    delta: float = 0.05

    def _check_parameters(self) -> None:
        super()._check_parameters()
        check_number("gamma", self.gamma)
        check_number("delta", self.delta, positive=False, most=0.5)

    def _posterior(self, problem: BinaryProblem) -> np.ndarray:
        """Return P(+|x_i) of every sample, from the window around it."""
        largest = max(d2.max() for d2 in problem.base_blocks(DISTANCE))
        weight, shares = problem.weight, []
        for d2 in problem.base_blocks(DISTANCE):
            near = d2 <= self.gamma**2 * largest
            shares.append((near @ (weight * (problem.y > 0))) / (near @ weight))
        return np.concatenate(shares)

    def _targets(self, problem: BinaryProblem) -> Targets:
        posterior = self._posterior(problem)
        own = np.where(problem.y > 0, posterior, 1.0 - posterior)
        size = 2.0 * np.maximum(own, 0.5 + self.delta) - 1.0
        # A sample that says nothing (delta is 0) gets the box 0: it is left out.
        unit = np.divide(problem.weight, size, out=np.zeros_like(size), where=size > 0)
        return Targets(problem.y, size, unit)
