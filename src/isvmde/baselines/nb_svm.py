"""NBSVM: near-Bayesian SVMs, one class against the rest."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
from scipy.special import softmax

from isvmde.classifiers.checks import check_number
from isvmde.classifiers.one_vs_one import Given
from isvmde.core.training_set import TrainingSet

from .binary_problem import BinaryProblem, Targets
from .ovo_svm import OVOSVM, balanced_costs


@dataclass(kw_only=True, eq=False, repr=False)
class NBSVM(OVOSVM):
    """Near-Bayesian SVM, one class against the rest.

    Of the two sides of a split the smaller is +. Its samples cost ``C * n / n+`` each,
    those of the other side ``C * n / n-``, and the margins are the effective
    probabilities of the two sides: with P- = n- / n,

        margin+ = a P- / (1 + a P-),   margin- = 1 / (1 + a P-)

    as Table 2 of the paper prints them, for a in 0.01, 0.1, 1, 2, 5. Unequal margins
    move the boundary towards the side with the smaller one. A sample goes to the class
    with the largest decision value. "NBSVM" in the paper's tables.

    Parameters
    ----------
    C, kernel, sigma, degree, tol, max_iter
        As in :class:`OVOSVM`, which also says what the attributes are: those of a pair
        are those of a split here. A split per class, one for two classes; there is no
        ``pairs_``, and ``dual_coef_`` is positive for the smaller side.
    a : float, default=1.0
        Weight of P- in the margins.

    References
    ----------
    Datta, Das: Near-Bayesian support vector machines for imbalanced data classification
    with equal or unequal misclassification costs. Neural Networks 70 (2015) 39-52.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from isvmde.baselines import NBSVM
    >>> X, y = load_iris(return_X_y=True)
    >>> model = NBSVM(C=10).fit(X[40:], y[40:])
    >>> model.predict(X[:2])
    array([0, 0])
    """

    a: float = 1.0

    def _check_parameters(self) -> None:
        super()._check_parameters()
        check_number("a", self.a)

    def _train(self, data: TrainingSet, given: Given) -> None:
        super()._train(data, given)
        del self.pairs_  # the splits are classes against the rest, not pairs

    def _names(self) -> list[str]:
        if len(self.classes_) == 2:
            return super()._names()
        return [f"{label!r} against the rest" for label in self.classes_.tolist()]

    def _problems(
        self, data: TrainingSet, rng: np.random.RandomState
    ) -> Iterable[BinaryProblem]:
        if data.n_classes == 2:
            return super()._problems(data, rng)
        return [self._split(data, c) for c in range(data.n_classes)]

    @staticmethod
    def _split(data: TrainingSet, c: int) -> BinaryProblem:
        """Return class ``c`` against the rest; + is the smaller side."""
        inside = np.zeros(len(data.X), dtype=bool)
        inside[data.rows(c)] = True
        sides = sorted([data.class_size[c], _rest(data.class_size)[c]])
        y = np.where(inside == _target_is_plus(data.class_size)[c], 1.0, -1.0)
        return BinaryProblem(data.X, y, data.weight, float(sides[0]), float(sides[1]))

    def _targets(self, problem: BinaryProblem) -> Targets:
        n = problem.n_pos + problem.n_neg
        weighted = self.a * problem.n_neg / n  # a P-
        margin_pos, margin_neg = weighted / (1 + weighted), 1 / (1 + weighted)
        unit = problem.by_class(*balanced_costs(problem)) * problem.weight
        return Targets(problem.y, problem.by_class(margin_pos, margin_neg), unit)

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


def _target_is_plus(class_size: np.ndarray) -> np.ndarray:
    """Tell for which classes the class itself is the smaller side of its split."""
    return np.asarray(class_size <= _rest(class_size))


def _rest(class_size: np.ndarray) -> np.ndarray:
    """Return what all other classes sum to, also beside a class of huge weight."""
    others = [np.delete(class_size, c).sum() for c in range(len(class_size))]
    return np.array(others)


def _toward_class(F: np.ndarray, class_size: np.ndarray) -> np.ndarray:
    """Turn the splits' decisions so that positive means the class itself."""
    return np.where(_target_is_plus(class_size), F, -F)
