"""What every classifier of this library shares: `fit`, and the predictions."""

import contextlib
from collections.abc import Iterator
from typing import Any, NamedTuple, Self

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike
from sklearn import get_config
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils import check_array, estimator_html_repr
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import check_is_fitted, validate_data

from isvmde.core.arrays import Ints
from isvmde.core.decomposition import (
    Decisions,
    Decomposition,
    KnownDecisions,
    OneVsOne,
    make_decomposition,
)
from isvmde.core.kernels import PARAMETER
from isvmde.core.limits import check_weights
from isvmde.core.training_set import TrainingSet, training_set

from .problem_names import side_label


class FitInput(NamedTuple):
    """What ``fit`` was called with."""

    X: Any
    y: Any
    sample_weight: Any
    groups: Any = None


_PREPROCESS = (
    "isvmde.tables.TablePreprocessor fills in missing values, encodes text and scales "
    "numbers: use make_pipeline(TablePreprocessor(), classifier)."
)


@contextlib.contextmanager
def checking_features() -> Iterator[None]:
    """Say what to do about text and missing values, beside what scikit-learn says."""
    try:
        with np.errstate(invalid="ignore"):  # scikit-learn adds all values up
            yield
    except ValueError as error:
        said = str(error).partition("\n")[0].rstrip(".")
        if "could not convert string" in said or "contains NaN" in said:
            raise ValueError(f"{said}. {_PREPROCESS}") from error
        raise


class MulticlassSVM(ClassifierMixin, BaseEstimator):
    """A classifier that trains binary machines and makes classes of their decisions."""

    decomposition: str = "one-vs-one"

    def _check_parameters(self) -> None:
        """Refuse parameters that define no model."""

    def _train(self, data: TrainingSet, given: FitInput) -> None:
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
        return self._fit(FitInput(X, y, sample_weight))

    def _fit(self, given: FitInput) -> Self:
        """Check and train."""
        self._check_parameters()
        self._train(self._check_training(given), given)
        return self

    def _check_training(self, given: FitInput) -> TrainingSet:
        """Check the input, set the classes, return the training set."""
        refuse_masked(given.X, "X")
        refuse_masked(given.y, "y")
        refuse_masked(given.sample_weight, "sample_weight")
        refuse_masked(given.groups, "groups")
        with checking_features():
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
        group = check_groups(given.groups, rows)
        data = training_set(rows, label, weight, len(self.classes_), group)
        self.class_count_ = data.class_size
        self.decomposition_ = self.decomposition
        return data

    @property
    def _decomposition(self) -> Decomposition:
        """How the classes became binary problems."""
        return make_decomposition(self.decomposition_, self.class_count_)

    @property
    def _pair_index(self) -> np.ndarray:
        """The pairs of classes, as indices of (plus, minus)."""
        return OneVsOne(self.class_count_).pairs

    @property
    def pairs_(self) -> np.ndarray:
        """Labels (plus, minus) of every pair of classes; plus is the smaller one."""
        if not all(problem.is_pair for problem in self._decomposition.problems):
            raise AttributeError(
                f"decomposition={self.decomposition_!r} trains no machines for pairs "
                "of classes, so there is no pairs_: see problems_."
            )
        return np.asarray(self.classes_[self._pair_index])

    @property
    def problems_(self) -> list[tuple[tuple[Any, ...], tuple[Any, ...]]]:
        """Labels of the classes on the two sides, (plus, minus), of every problem."""
        label = self.classes_.tolist()
        return [
            (tuple(label[c] for c in plus), tuple(label[c] for c in minus))
            for plus, minus in self._decomposition.problems
        ]

    def _checked_rows(self, X: ArrayLike) -> np.ndarray:
        """Return new rows as numbers, with the features of training."""
        check_is_fitted(self)
        refuse_masked(X, "X")
        with checking_features():
            return np.asarray(validate_data(self, X, dtype=np.float64, reset=False))

    def _pair_decisions(self, X: np.ndarray) -> np.ndarray:
        """Return the raw decision of every binary problem, (n, problems)."""
        raise NotImplementedError

    def _decisions(self, X: np.ndarray) -> Decisions:
        """Return the raw decisions in the form that a decomposition asks for."""
        return KnownDecisions(self._pair_decisions(X))

    def _class_index(self, X: np.ndarray) -> np.ndarray:
        """Return the index of every row's class."""
        return self._decomposition.predict(self._decisions(X))

    def _class_scores(self, X: np.ndarray) -> np.ndarray:
        """Return scores of the classes, (n, M), or (n,) for two."""
        return self._decomposition.scores(self._decisions(X))

    def _probabilities(self, X: np.ndarray) -> np.ndarray:
        """Return probabilities of the classes, (n, M)."""
        return self._decomposition.probabilities(self._decisions(X))

    def pair_decision_function(self, X: ArrayLike) -> np.ndarray:
        """Return the raw decision value of every binary problem.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Samples.

        Returns
        -------
        ndarray of shape (n_samples, n_problems)
            Column j is f of ``problems_[j]``: positive (or zero) for its first side,
            the smaller one, negative for its second. For :class:`ISVMClassifierCV` it
            is the log odds of the two.
        """
        return self._pair_decisions(self._checked_rows(X))

    def decision_function(self, X: ArrayLike) -> np.ndarray:
        """Return a score for every class, of which the largest is the prediction.

        One-vs-one orders classes by votes, then the rarer class, then confidence;
        one-vs-rest gives f of every class against the rest; "dag" says when each class
        was ruled out. For :class:`ISVMClassifierCV` it is the logarithm of the
        probabilities.

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
        """Return the class of every sample.

        With one-vs-one it is the class with most votes, and ties go to the one with
        fewer samples; with one-vs-rest the class with the largest decision; with "dag"
        the one that no machine on the way has ruled out. :class:`ISVMClassifierCV`
        returns the class with the largest probability.

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
        as little as the prediction asks for; with one-vs-rest they scale them to sum 1.
        Wrap them in :class:`sklearn.calibration.CalibratedClassifierCV` for calibrated
        ones.

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
        """Return what was learned of every binary problem, for a notebook."""
        if not (hasattr(self, "pair_params_") or hasattr(self, "margins_")):
            return ""
        table = problem_table(self).to_html(
            index=False, border=0, na_rep="", float_format="{:.3g}".format
        )
        title = "Pairs of classes" if hasattr(self, "pairs_") else "Binary problems"
        return f"<details><summary>{title}</summary>{table}</details>"

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


def refuse_masked(values: Any, name: str) -> None:
    """Refuse masked cells, whose numbers would be used as if they were not masked."""
    n_masked = 0
    if isinstance(values, np.ma.MaskedArray):
        n_masked = int(np.sum(values.mask))
    if n_masked > 0:
        raise ValueError(
            f"{name} is a masked array with {n_masked} masked cells, which no "
            "classifier here can leave out: impute them, or drop their rows."
        )


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


def check_groups(groups: ArrayLike | None, X: Any) -> Ints | None:
    """Return the code, 0, 1, ..., of every sample's group; None where none are given.

    The numbers of a group follow from its name, not from where its rows stand.
    """
    if groups is None:
        return None
    names = pd.Series(np.asarray(groups, dtype=object).ravel())
    if np.ndim(groups) != 1 or len(names) != len(X):
        raise ValueError(
            f"groups has the shape {np.shape(groups)}, which is inconsistent with "
            f"{len(X)} samples: give one name or number for each."
        )
    if names.isna().any():
        raise ValueError(
            f"groups has {int(names.isna().sum())} missing values: every sample needs "
            "a group; give those without one a group of their own."
        )
    try:
        _, codes = np.unique(names.to_numpy(), return_inverse=True)
    except TypeError:  # numbers and text
        _, codes = np.unique(names.astype(str).to_numpy(str), return_inverse=True)
    return np.asarray(codes, dtype=np.intp)


def problem_table(model: Any) -> pd.DataFrame:
    """Return margins, errors and kernels of every problem, or its chosen parameters."""
    n_classes = len(model.classes_)
    sides = [
        (side_label(plus, n_classes), side_label(minus, n_classes))
        for plus, minus in model.problems_
    ]
    table = pd.DataFrame(sides, columns=["plus", "minus"])
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
        table = table.join(chosen)
        table["support vectors"] = model.n_support_
    return table


def _shares(total: pd.Series) -> str:
    """Return kernels with their shares, the largest first."""
    total = total[total >= 0.005].sort_values(ascending=False, kind="stable")
    return ", ".join(f"{name} {share:.0%}" for name, share in total.items())
