"""PPSVM and NBSVM: margins that depend on the sample, or on the size of its class."""

from dataclasses import dataclass

import numpy as np

from isvmde.classifiers.checks import check_number
from isvmde.core.kernels import cross_base
from isvmde.core.solver import DISTANCE

from .binary_problems import ProblemSamples, Targets
from .ovo_svm import OVOSVM

_BLOCK = 16_000_000  # distances computed at a time


@dataclass(kw_only=True, eq=False, repr=False)
class PPSVM(OVOSVM):
    r"""Posterior probability SVM, one-vs-one.

    A sample whose surroundings are of its own class is trusted, one among the others is
    not. The posterior P(+|x_i) is the share of + samples within a distance r of x_i
    (x_i included), the soft label is s_i = 2 P(+|x_i) - 1, and the machine asks
    s_i f(x_i) >= s_i^2 (1 - xi_i): margin \|s_i\| and cost C / \|s_i\| for the label
    sign(s_i). Where all samples are further apart than r it is the plain SVM.

    What the paper's gamma and delta (0.05) mean is not established; below is what they
    mean here. "PPSVM" in the paper's tables.

    Tao, Wu, Wang, Wang: Posterior probability support vector machines for unbalanced
    data. IEEE Trans. Neural Netw. 16 (2005) 1561-1573.

    Gönen, Tanuğur, Alpaydın: Multiclass posterior probability support vector machines.
    IEEE Trans. Neural Netw. 19 (2008) 130-139.

    Parameters
    ----------
    C, kernel, sigma, degree, decomposition, tol, max_iter
        As in :class:`OVOSVM`, which also says what the attributes are.
    gamma : float, default=0.05
        The radius r as a fraction of the pair's largest distance.
    delta : float in [0, 1/2], default=0.05
        How far P(own class) stays above 1/2 at least, so that no label changes.

    Examples
    --------
    >>> from isvmde.baselines import PPSVM
    >>> PPSVM(C=10).fit([[0], [1], [5]], [0, 0, 1]).predict([[6]])
    array([1])
    """

    gamma: float = 0.05
    delta: float = 0.05

    def check_parameters(self) -> None:
        """Refuse parameters that define no model."""
        super().check_parameters()
        check_number("gamma", self.gamma)
        check_number("delta", self.delta, positive=False, most=0.5)

    def targets(self, samples: ProblemSamples) -> Targets:
        """Return the margin |s_i| and the cost 1 / |s_i| of every sample."""
        X, weight, is_pos = samples.points, samples.weight, samples.y > 0
        blocks = np.array_split(X, len(X) ** 2 // _BLOCK + 1)
        largest = max(cross_base(DISTANCE, block, X).max() for block in blocks)
        shares = []  # of + samples near each
        for block in blocks:
            near = cross_base(DISTANCE, block, X) <= self.gamma**2 * largest
            shares.append((near @ (weight * is_pos)) / (near @ weight))
        posterior = np.concatenate(shares)
        own_posterior = np.where(is_pos, posterior, 1.0 - posterior)
        size = 2.0 * np.maximum(own_posterior, 0.5 + self.delta) - 1.0
        # A sample that says nothing (delta is 0) gets the box 0: it is left out.
        unit_box = np.divide(weight, size, out=np.zeros_like(size), where=size > 0)
        return Targets(margin=size, unit_box=unit_box)


@dataclass(kw_only=True, eq=False, repr=False)
class NBSVM(OVOSVM):
    """Near-Bayesian SVM, one class against the rest.

    Of the two sides of a problem the smaller is +. Its samples cost ``C * n / n+``,
    those of the other side ``C * n / n-``, and the margins are the effective
    probabilities of the two sides: with P- = n- / n,

        margin+ = a P- / (1 + a P-),   margin- = 1 / (1 + a P-)

    as Table 2 of the paper prints them, for a in 0.01, 0.1, 1, 2, 5. The boundary moves
    towards the side with the smaller margin. A sample goes to the class with the
    largest decision value. "NBSVM" in the paper's tables.

    Datta, Das: Near-Bayesian support vector machines for imbalanced data classification
    with equal or unequal misclassification costs. Neural Networks 70 (2015) 39-52.

    Parameters
    ----------
    C, kernel, sigma, degree, tol, max_iter
        As in :class:`OVOSVM`, which also says what the attributes are.
    decomposition : {"one-vs-one", "one-vs-rest", "dag"}, default="one-vs-rest"
        The binary problems and how they decide; the paper's are one-vs-rest.
    a : float, default=1.0
        Weight of P- in the margins.

    Examples
    --------
    >>> from isvmde.baselines import NBSVM
    >>> NBSVM(C=10).fit([[0], [1], [5]], [0, 0, 1]).predict([[6]])
    array([1])
    """

    decomposition: str = "one-vs-rest"
    a: float = 1.0

    def check_parameters(self) -> None:
        """Refuse parameters that define no model."""
        super().check_parameters()
        check_number("a", self.a)

    def targets(self, samples: ProblemSamples) -> Targets:
        """Return the margins of Table 2 and balanced costs."""
        is_pos = samples.y > 0
        weighted = self.a * samples.n_neg / (samples.n_pos + samples.n_neg)  # a P-
        margin = np.where(is_pos, weighted / (1 + weighted), 1 / (1 + weighted))
        cost_pos, cost_neg = samples.balanced_costs()
        unit_box = np.where(is_pos, cost_pos, cost_neg) * samples.weight
        return Targets(margin=margin, unit_box=unit_box)
