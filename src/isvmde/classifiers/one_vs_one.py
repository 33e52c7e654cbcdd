"""One-vs-one: what every classifier of this library shares.

Input checks and the canonical form before the pairs are trained; votes, scores and
probabilities from the pairs' decisions afterwards.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from sklearn import get_config
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils import (
    check_array,
    check_consistent_length,
    column_or_1d,
    estimator_html_repr,
)
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import check_is_fitted, validate_data

from isvmde.core.limits import check_weights
from isvmde.core.pairs import (
    binary_decision,
    couple_probabilities,
    make_pairs,
    ovo_decision,
    predict_index,
)
from isvmde.core.training_set import TrainingSet, training_set


class OneVsOneSVM(ClassifierMixin, BaseEstimator):
    """A classifier that trains one machine per pair of classes and lets them vote.

    A child trains the pairs in ``fit`` between `_check_training` and its end, and
    gives ``_pair_decisions(X)``, the raw f of every pair, (n, pairs).
    """

    def _check_training(
        self, X: ArrayLike, y: ArrayLike, sample_weight: ArrayLike | None = None
    ) -> TrainingSet:
        """Check the input, set ``classes_`` and ``pairs_``, return the training set."""
        with np.errstate(invalid="ignore"):  # scikit-learn adds all values up
            rows, labels = validate_data(self, X, y, dtype=np.float64)
        check_classification_targets(labels)
        weight = check_weight(sample_weight, rows)
        check_weights(weight)
        present = weight > 0
        if not present.any():
            raise ValueError(
                "Every sample_weight is zero, so no sample is left: give at least one "
                "sample of each class a positive weight."
            )
        self.classes_ = np.unique(labels[present])
        if len(self.classes_) < 2:
            raise ValueError(
                f"{type(self).__name__} needs samples of at least two classes, but y "
                f"holds only one class: {self.classes_.tolist()[0]!r}."
            )
        label = np.searchsorted(self.classes_, labels)
        label[~present] = -1
        data = training_set(rows, label, weight, len(self.classes_))
        self.class_count_ = data.class_size
        self._pair_index = make_pairs(data.class_size)
        self.pairs_ = self.classes_[self._pair_index]
        return data

    def _checked_rows(self, X: ArrayLike) -> np.ndarray:
        """Return new rows as numbers, with the features of training."""
        check_is_fitted(self)
        with np.errstate(invalid="ignore"):  # scikit-learn adds all values up
            return np.asarray(validate_data(self, X, dtype=np.float64, reset=False))

    def _pair_decisions(self, X: np.ndarray) -> np.ndarray:
        """Return the raw decision of every pair."""
        raise NotImplementedError

    def pair_decision_function(self, X: ArrayLike) -> np.ndarray:
        """Return the raw decision value of every pair.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Samples.

        Returns
        -------
        ndarray of shape (n_samples, n_pairs)
            Column j is f of ``pairs_[j]`` (of all models that are averaged, on the
            scale of f): positive (or zero) for its first class,
            the smaller one, negative for its second.
        """
        return self._pair_decisions(self._checked_rows(X))

    def decision_function(self, X: ArrayLike) -> np.ndarray:
        """Return a score for every class: votes, then the rarer class, then confidence.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Samples.

        Returns
        -------
        ndarray of shape (n_samples, n_classes), or (n_samples,) for two classes
            The largest score is the prediction; for two classes the sign is
            (positive for ``classes_[1]``).
        """
        F = self.pair_decision_function(X)
        if len(self.classes_) == 2:
            return binary_decision(F, self._pair_index)
        return ovo_decision(F, self._pair_index, self.class_count_)

    def predict(self, X: ArrayLike) -> np.ndarray:
        """Return the class with most votes; ties go to the one with fewer samples.

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
        chosen = predict_index(F, self._pair_index, self.class_count_)
        return np.asarray(self.classes_[chosen])

    def predict_proba(self, X: ArrayLike) -> np.ndarray:
        """Return class probabilities coupled from the pairs' confidences.

        The pairs' 1/(1 + exp(-f)) are coupled (Wu, Lin & Weng 2004) and then changed
        as little as possible so that the predicted class has the largest. They are
        not calibrated; wrap the classifier in
        :class:`sklearn.calibration.CalibratedClassifierCV` for that.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Samples.

        Returns
        -------
        ndarray of shape (n_samples, n_classes)
            Probabilities, in the order of ``classes_``; rows sum to 1.
        """
        F = self.pair_decision_function(X)
        chosen = predict_index(F, self._pair_index, self.class_count_)
        return couple_probabilities(F, self._pair_index, len(self.classes_), chosen)

    def __sklearn_is_fitted__(self) -> bool:
        """Whether fit has ended."""
        return hasattr(self, "n_support_")

    def _fitted_html(self) -> str:
        """Return what was learned, for a notebook."""
        return ""

    def _repr_html_(self) -> str:
        """Return the estimator's HTML, with what was learned once fitted."""
        learned = self._fitted_html() if self.__sklearn_is_fitted__() else ""
        return str(estimator_html_repr(self)) + learned

    def _repr_mimebundle_(self, **kwargs: Any) -> dict[str, str]:
        """Return the representations for a notebook, as scikit-learn's display says."""
        bundle = {"text/plain": repr(self)}
        if get_config()["display"] == "diagram":
            bundle["text/html"] = self._repr_html_()
        return bundle


def check_weight(sample_weight: ArrayLike | None, X: Any) -> np.ndarray:
    """Return non-negative weights, one a sample; ones when None."""
    n = len(X)
    if sample_weight is None:
        return np.ones(n)
    weight = check_array(
        sample_weight, ensure_2d=False, dtype=np.float64, input_name="sample_weight"
    )
    if weight.ndim == 0:
        weight = np.full(n, float(weight))
    if weight.ndim != 1:
        raise ValueError("Sample weights must be 1D array or scalar")
    weight = column_or_1d(weight)
    check_consistent_length(X, weight)
    if (weight < 0).any():
        raise ValueError(
            "sample_weight has negative values: weights count samples, use values >= 0."
        )
    return np.asarray(weight)
