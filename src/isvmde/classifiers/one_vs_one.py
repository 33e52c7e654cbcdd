"""One-vs-one: what every classifier of this library shares."""

from typing import Any, NamedTuple, Self

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike
from sklearn import get_config
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils import check_array, estimator_html_repr
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import check_is_fitted, validate_data

from isvmde.core import pairs
from isvmde.core.kernels import PARAMETER
from isvmde.core.limits import check_weights
from isvmde.core.training_set import TrainingSet, training_set


class Given(NamedTuple):
    """What ``fit`` was called with."""

    X: Any
    y: Any
    sample_weight: Any


class OneVsOneSVM(ClassifierMixin, BaseEstimator):
    """A classifier that trains one machine per pair of classes and lets them vote."""

    def _check_parameters(self) -> None:
        """Refuse parameters that define no model."""

    def _train(self, data: TrainingSet, given: Given) -> None:
        """Set the fitted attributes; a child has this and `_pair_decisions`."""
        raise NotImplementedError

    def fit(
        self, X: ArrayLike, y: ArrayLike, sample_weight: ArrayLike | None = None
    ) -> Self:
        """Train the machines on samples of two or more classes.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Training samples, their features best scaled to [0, 1].
        y : array-like of shape (n_samples,)
            Their classes.
        sample_weight : array-like of shape (n_samples,), default=None
            Counts: a weight of 2 equals the row twice, 0 its absence. A method that
            draws synthetic samples needs whole numbers.

        Returns
        -------
        self
            Itself, fitted.
        """
        self._check_parameters()
        given = Given(X, y, sample_weight)
        self._train(self._check_training(given), given)
        return self

    def _check_training(self, given: Given) -> TrainingSet:
        """Check the input, set ``classes_`` and ``pairs_``, return the training set."""
        with np.errstate(invalid="ignore"):  # scikit-learn adds all values up
            rows, labels = validate_data(self, given.X, given.y, dtype=np.float64)
        check_classification_targets(labels)
        weight = check_weight(given.sample_weight, rows)
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
        self._pair_index = pairs.make_pairs(data.class_size)
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

    def _class_index(self, X: np.ndarray) -> np.ndarray:
        """Return the index of every row's class: most votes, then fewer samples."""
        F = self._pair_decisions(X)
        return pairs.predict_index(F, self._pair_index, self.class_count_)

    def _class_scores(self, X: np.ndarray) -> np.ndarray:
        """Return scores by votes, then the rarer class, then confidence."""
        F = self._pair_decisions(X)
        if len(self.classes_) == 2:
            return pairs.binary_decision(F, self._pair_index)
        return pairs.ovo_decision(F, self._pair_index, self.class_count_)

    def _probabilities(self, X: np.ndarray) -> np.ndarray:
        """Return 1/(1 + exp(-f)) of the pairs, coupled; the voted class has most."""
        F = self._pair_decisions(X)
        index, n_classes = self._pair_index, len(self.classes_)
        chosen = pairs.predict_index(F, index, self.class_count_)
        return pairs.couple_probabilities(F, index, n_classes, chosen)

    def pair_decision_function(self, X: ArrayLike) -> np.ndarray:
        """Return the raw decision value of every pair of classes.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Samples.

        Returns
        -------
        ndarray of shape (n_samples, n_pairs)
            Column j is f of ``pairs_[j]``: positive (or zero) for its first class, the
            smaller one, negative for its second. For :class:`ISVMClassifierCV` it is
            the log odds of the two; for :class:`~isvmde.baselines.NBSVM` there is one
            column per split, positive for the smaller of its two sides.
        """
        return self._pair_decisions(self._checked_rows(X))

    def decision_function(self, X: ArrayLike) -> np.ndarray:
        """Return a score for every class, of which the largest is the prediction.

        It orders classes by votes, then the rarer class, then confidence. For
        :class:`ISVMClassifierCV` it is the logarithm of the probabilities.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Samples.

        Returns
        -------
        ndarray of shape (n_samples, n_classes), or (n_samples,) for two classes
            For two classes the sign is the prediction, positive for ``classes_[1]``.
        """
        return self._class_scores(self._checked_rows(X))

    def predict(self, X: ArrayLike) -> np.ndarray:
        """Return the class with most votes; ties go to the one with fewer samples.

        :class:`ISVMClassifierCV` returns the class with the largest probability.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Samples.

        Returns
        -------
        ndarray of shape (n_samples,)
            The predicted classes.
        """
        rows = self._checked_rows(X)
        return np.asarray(self.classes_[self._class_index(rows)])

    def predict_proba(self, X: ArrayLike) -> np.ndarray:
        """Return class probabilities; the predicted class has the largest.

        :class:`ISVMClassifierCV` gives calibrated ones under ``prior_``. The others
        couple the pairs' 1/(1 + exp(-f)) (Wu, Lin & Weng 2004) and change the result
        as little as the votes ask for: wrap them in
        :class:`sklearn.calibration.CalibratedClassifierCV` for calibrated ones.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Samples.

        Returns
        -------
        ndarray of shape (n_samples, n_classes)
            Probabilities, in the order of ``classes_``; rows sum to 1.
        """
        return self._probabilities(self._checked_rows(X))

    def __sklearn_is_fitted__(self) -> bool:
        """Whether fit has ended."""
        # files of older grid searches have no n_support_
        return hasattr(self, "n_support_") or hasattr(self, "best_estimator_")

    def _fitted_html(self) -> str:
        """Return what was learned of every pair, for a notebook."""
        if not (hasattr(self, "pair_params_") or hasattr(self, "margins_")):
            return ""
        options: Any = {"index": False, "border": 0, "na_rep": ""}
        table = pair_table(self).to_html(float_format="{:.3g}".format, **options)
        return f"<details><summary>Pairs of classes</summary>{table}</details>"

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
    """Return non-negative weights, one per sample; ones when None."""
    if sample_weight is None:
        return np.ones(len(X))
    weight = check_array(
        sample_weight, ensure_2d=False, dtype=np.float64, input_name="sample_weight"
    )
    if weight.shape != (len(X),):
        raise ValueError(
            f"sample_weight has the shape {weight.shape}, which is inconsistent with "
            f"{len(X)} samples: give one number for each."
        )
    if (weight < 0).any():
        raise ValueError(
            "sample_weight has negative values: weights count samples, use values >= 0."
        )
    return np.asarray(weight)


def pair_table(model: Any) -> pd.DataFrame:
    """Return margins, errors and kernels of every pair, or its chosen parameters."""
    table = pd.DataFrame(model.pairs_, columns=["plus", "minus"])
    if hasattr(model, "margins_"):
        table["lambda1"], table["lambda2"] = model.margins_.T
        table["leave-one-out error"] = (model.weights_ * model.loo_error_).sum(axis=0)
        table["support vectors"] = model.n_support_
        kernels = [setting["kernel"] for setting in model.settings_]
        shares = pd.DataFrame(model.weights_).groupby(kernels).sum()
        table["kernels"] = [_shares(shares[pair]) for pair in shares]
    else:
        chosen = pd.DataFrame(list(model.pair_params_.values())).astype(object)
        needs = chosen["kernel"].map(PARAMETER)
        for name in ("sigma", "degree"):  # of other kernels: not used
            chosen[name] = chosen[name].where(needs == name, np.nan)
        table = table.join(chosen).assign(**{"support vectors": model.n_support_})
    return table


def _shares(total: pd.Series) -> str:
    """Return kernels with their shares, the largest first."""
    total = total[total >= 0.005].sort_values(ascending=False, kind="stable")
    return ", ".join(f"{name} {share:.0%}" for name, share in total.items())
