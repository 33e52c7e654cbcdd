"""NBSVM: near-Bayesian SVMs, one class against the rest."""

from __future__ import annotations

from typing import Self

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import softmax
from sklearn.utils.validation import check_is_fitted

from isvmde.core.training_set import TrainingSet

from .binary_problem import BinaryProblem, Targets
from .pairwise import PairwiseSVM, check_positive


class NBSVM(PairwiseSVM):
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
    C : float, default=1.0
        Cost that both sides share.
    a : float, default=1.0
        Weight of P- in the margins.
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
    support_vectors_ : list of ndarray
        Support vectors of every split: a split per class, one for two classes.
    dual_coef_ : list of ndarray
        Their multipliers, positive for the smaller side.
    intercept_ : ndarray of shape (n_splits,)
        Intercept of every machine.
    n_support_ : ndarray of shape (n_splits,)
        Support vectors of every split, counted with their weights.
    kkt_violation_ : ndarray of shape (n_splits,)
        Violation of the optimality conditions that was reached.
    n_iter_ : int
        Largest number of solver steps a split took.
    n_features_in_ : int
        Features seen in fit.
    feature_names_in_ : ndarray
        Their names, if they have any.

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

    def __init__(
        self,
        *,
        C: float = 1.0,
        a: float = 1.0,
        kernel: str = "rbf",
        sigma: float = 1.0,
        degree: int = 3,
        tol: float = 1e-3,
        max_iter: int = -1,
    ) -> None:
        self.C = C
        self.a = a
        self.kernel = kernel
        self.sigma = sigma
        self.degree = degree
        self.tol = tol
        self.max_iter = max_iter

    def _check_parameters(self) -> None:
        super()._check_parameters()
        check_positive("a", self.a)

    def fit(
        self, X: ArrayLike, y: ArrayLike, sample_weight: ArrayLike | None = None
    ) -> Self:
        """Train a machine for every class against the rest.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Training samples.
        y : array-like of shape (n_samples,)
            Their classes.
        sample_weight : array-like of shape (n_samples,), default=None
            Counts: a weight of 2 equals the row twice, 0 its absence.

        Returns
        -------
        self
            Itself, fitted.
        """
        super().fit(X, y, sample_weight)
        del self.pairs_  # the splits are classes against the rest, not pairs
        return self

    def _names(self) -> list[str]:
        if len(self.classes_) == 2:
            return super()._names()
        return [f"{label!r} against the rest" for label in self.classes_.tolist()]

    def _problems(
        self, data: TrainingSet, rng: np.random.RandomState
    ) -> list[BinaryProblem]:
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
        unit = problem.by_class(n / problem.n_pos, n / problem.n_neg) * problem.weight
        return Targets(problem.y, problem.by_class(margin_pos, margin_neg), unit)

    def _predict_index(self, F: np.ndarray, class_size: np.ndarray) -> np.ndarray:
        if len(class_size) == 2:
            return super()._predict_index(F, class_size)
        return np.argmax(_toward_class(F, class_size), axis=1)

    def pair_decision_function(self, X: ArrayLike) -> np.ndarray:
        """Return the raw decision value of every split.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Samples.

        Returns
        -------
        ndarray of shape (n_samples, n_splits)
            Column c belongs to the class c against the rest and is positive for the
            smaller of the two sides; two classes have one split.
        """
        return super().pair_decision_function(X)

    def decision_function(self, X: ArrayLike) -> np.ndarray:
        """Return a score for every class; the largest is the prediction.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Samples.

        Returns
        -------
        ndarray of shape (n_samples, n_classes), or (n_samples,) for two classes
            The splits' decision values, towards the class.
        """
        check_is_fitted(self)
        if len(self.classes_) == 2:
            return super().decision_function(X)
        return _toward_class(self.pair_decision_function(X), self.class_count_)

    def predict(self, X: ArrayLike) -> np.ndarray:
        """Return the class the splits decide for.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Samples.

        Returns
        -------
        ndarray of shape (n_samples,)
            The predicted classes.
        """
        F = self.pair_decision_function(X)
        return np.asarray(self.classes_[self._predict_index(F, self.class_count_)])

    def predict_proba(self, X: ArrayLike) -> np.ndarray:
        """Return class probabilities: the splits' 1/(1 + exp(-f)), scaled to sum 1.

        They are not calibrated.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Samples.

        Returns
        -------
        ndarray of shape (n_samples, n_classes)
            Probabilities, in the order of ``classes_``; rows sum to 1.
        """
        check_is_fitted(self)
        if len(self.classes_) == 2:
            return super().predict_proba(X)
        toward = _toward_class(self.pair_decision_function(X), self.class_count_)
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
