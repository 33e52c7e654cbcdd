"""PPSVM and NBSVM: margins that depend on the sample, or on the size of its class."""

from collections.abc import Iterable
from dataclasses import dataclass, field

import numpy as np
from numpy.random import RandomState
from scipy.special import softmax

from isvmde.classifiers.one_vs_one import Given
from isvmde.core.kernels import cross_base
from isvmde.core.solver import DISTANCE
from isvmde.core.training_set import TrainingSet

from .ovo_svm import OVOSVM, BinaryProblem, Targets

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
    C, kernel, sigma, degree, tol, max_iter
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
    delta: float = field(default=0.05, metadata={"positive": False, "most": 0.5})

    def _targets(self, problem: BinaryProblem) -> Targets:
        X, weight = problem.points, problem.weight
        blocks = np.array_split(X, len(X) ** 2 // _BLOCK + 1)
        largest = max(cross_base(DISTANCE, block, X).max() for block in blocks)
        shares = []  # of + samples near each
        for block in blocks:
            near = cross_base(DISTANCE, block, X) <= self.gamma**2 * largest
            shares.append((near @ (weight * (problem.y > 0))) / (near @ weight))
        posterior = np.concatenate(shares)
        own = np.where(problem.y > 0, posterior, 1.0 - posterior)
        size = 2.0 * np.maximum(own, 0.5 + self.delta) - 1.0
        # A sample that says nothing (delta is 0) gets the box 0: it is left out.
        unit = np.divide(weight, size, out=np.zeros_like(size), where=size > 0)
        return size, unit


@dataclass(kw_only=True, eq=False, repr=False)
class NBSVM(OVOSVM):
    """Near-Bayesian SVM, one class against the rest.

    Of the two sides of a split the smaller is +. Its samples cost ``C * n / n+`` each,
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
        As in :class:`OVOSVM`; so are the attributes, of splits instead of pairs: one
        per class, a single one for two classes. There is no ``pairs_``.
    a : float, default=1.0
        Weight of P- in the margins.

    Examples
    --------
    >>> from isvmde.baselines import NBSVM
    >>> NBSVM(C=10).fit([[0], [1], [5]], [0, 0, 1]).predict([[6]])
    array([1])
    """

    a: float = 1.0

    def _train(self, data: TrainingSet, given: Given) -> None:
        super()._train(data, given)
        del self.pairs_  # the splits are classes against the rest, not pairs

    def _names(self) -> list[str]:
        if len(self.classes_) == 2:
            return super()._names()
        return [f"{label!r} against the rest" for label in self.classes_.tolist()]

    def _problems(self, data: TrainingSet, rng: RandomState) -> Iterable[BinaryProblem]:
        if data.n_classes == 2:
            yield from super()._problems(data, rng)
            return
        for c, size in enumerate(data.class_size.tolist()):
            rest = float(np.delete(data.class_size, c).sum())
            y = np.where((data.label == c) == (size <= rest), 1.0, -1.0)
            yield BinaryProblem(data.X, y, data.weight, *sorted([size, rest]))

    def _targets(self, problem: BinaryProblem) -> Targets:
        n = problem.n_pos + problem.n_neg
        weighted = self.a * problem.n_neg / n  # a P-
        margin = np.where(problem.y > 0, weighted / (1 + weighted), 1 / (1 + weighted))
        unit = np.where(problem.y > 0, *problem.balanced_costs()) * problem.weight
        return margin, unit

    def _predict_index(self, F: np.ndarray, class_size: np.ndarray) -> np.ndarray:
        if len(class_size) == 2:
            return super()._predict_index(F, class_size)
        return np.argmax(_toward_class(F, class_size), axis=1)

    def _class_index(self, X: np.ndarray) -> np.ndarray:
        return self._predict_index(self._pair_decisions(X), self.class_count_)

    def _class_scores(self, X: np.ndarray) -> np.ndarray:
        if len(self.classes_) == 2:
            return super()._class_scores(X)
        return _toward_class(self._pair_decisions(X), self.class_count_)

    def _probabilities(self, X: np.ndarray) -> np.ndarray:
        """Return 1/(1 + exp(-f)) of the splits, scaled to sum 1."""
        if len(self.classes_) == 2:
            return super()._probabilities(X)
        toward = self._class_scores(X)
        # in logarithms: never 0/0
        return np.asarray(softmax(-np.logaddexp(0.0, -toward), axis=1))


def _toward_class(F: np.ndarray, class_size: np.ndarray) -> np.ndarray:
    """Turn the splits' decisions so that positive means the class itself."""
    # not the sum of all less the class: it may have a huge weight
    rest = [np.delete(class_size, c).sum() for c in range(len(class_size))]
    return np.where(class_size <= rest, F, -F)
