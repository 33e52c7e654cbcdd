"""`ISVMClassifier`: one-vs-one i-SVMs with given parameters."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from sklearn.utils.class_weight import compute_class_weight

from isvmde.core.arrays import Floats
from isvmde.core.binary_machine import ISVMSettings
from isvmde.core.decomposition import DECOMPOSITIONS
from isvmde.core.kernels import KERNELS, LARGEST_DEGREE
from isvmde.core.limits import LARGEST_MARGIN
from isvmde.core.training_set import TrainingSet

from .binary_machines import ISVMHolder
from .checks import check_choice, check_number, check_whole
from .multiclass import FitInput
from .problem_names import problem_key

SETTINGS = tuple(ISVMSettings.__dataclass_fields__)


@dataclass(kw_only=True, eq=False, repr=False)  # writes __init__
class ISVMClassifier(ISVMHolder):
    """Improved SVMs (i-SVM) with given costs, margins and kernels.

    Every pair of classes gets a support vector machine with unequal costs and unequal
    margins: + is the smaller class of a pair (by summed weight, the lower label on
    equality); its samples cost ``C * C_pos`` each and are asked to lie ``margin_pos``
    beyond the boundary, those of the larger class ``C * C_neg`` and ``margin_neg``.
    A smaller margin pulls the boundary towards its class. The pairs vote; ties go to
    the class with fewer training samples. ``decomposition`` chooses other binary
    problems, which then stand for the pairs below: + is the side of fewer samples.

    Parameters
    ----------
    C : float, default=1.0
        Cost that ``C_pos`` and ``C_neg`` multiply.
    C_pos, C_neg : float, default=1.0
        Relative costs of the smaller and the larger class of a pair.
    margin_pos, margin_neg : float, default=1.0
        Margins lambda1 and lambda2 of the smaller and the larger class.
    kernel : {"linear", "rbf", "poly", "min"}, default="rbf"
        ``x'z``, ``exp(-|x - z|^2 / (2 sigma^2))``, ``(1 + x'z)^degree`` or
        ``(1 + sum_j min(x_j, z_j))^degree``. The last counts a feature from zero, or
        from the training set's minimum if that is negative; what lies below counts
        as zero.
    sigma, degree : float and int, default=1.0 and 3
        Width of the rbf kernel, and degree of the poly and min kernels.
    ranks : bool, default=False
        Whether the kernel sees ranks instead of values: where a value lies among the
        training set's, from 0 to 1. The scaling of the features then is irrelevant.
    pair_params : dict, default=None
        ``{(class_a, class_b): {"C_pos": ..., "kernel": ...}}`` overrides the above for
        single pairs, in either order of the two classes; for one-vs-rest
        ``{class_a: {"C_pos": ...}}``. ``pair_params_`` of a fitted model is accepted.
    decomposition : {"one-vs-one", "one-vs-rest", "dag"}, default="one-vs-one"
        Which binary problems there are, and how their machines decide: one per pair of
        classes, with votes; one per class against the rest, of which the largest
        decision wins; or one per pair, asked along a path of M - 1 for M classes.
    class_weight : dict or "balanced", default=None
        Factors on the costs by class.
    tol : float, default=1e-3
        Largest violation of the optimality conditions allowed, as a share of the mean
        margin (margin_pos + margin_neg) / 2.
    max_iter : int, default=-1
        Bound on the solver's steps for one pair; -1 is 10000 + 100 per sample.
    n_jobs : int, default=None
        Threads that share the pairs.

    Attributes
    ----------
    classes_, class_count_ : ndarrays of shape (n_classes,)
        The classes, and the training samples of each, by weight.
    pairs_ : ndarray of shape (n_pairs, 2)
        Labels (plus, minus) of every pair; not with one-vs-rest.
    problems_ : list
        Labels of the classes on the two sides, (plus, minus), of every problem.
    decomposition_ : str
        The decomposition that was trained.
    pair_params_ : dict
        Settings of every pair, readable, accepted as ``pair_params``.
    support_vectors_, dual_coef_ : lists of ndarray
        Support vectors of every pair, as rows of the training data, and their
        multipliers, positive for the first class of the pair.
    intercept_, n_support_, kkt_violation_ : ndarrays of shape (n_pairs,)
        Constant term, support vectors (counted with their weights) and violation of
        the optimality conditions that was reached, per pair.
    n_iter_ : int
        Largest number of solver steps a pair took.
    n_features_in_, feature_names_in_ : int, ndarray
        Features seen in fit, and their names if they have any.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from isvmde import ISVMClassifier
    >>> X, y = load_iris(return_X_y=True)
    >>> model = ISVMClassifier(C=10, margin_neg=0.5).fit(X[20:], y[20:])
    >>> model.pairs_.tolist()
    [[0, 1], [0, 2], [1, 2]]
    >>> model.predict(X[:2])
    array([0, 0])
    """

    C: float = 1.0
    C_pos: float = 1.0
    C_neg: float = 1.0
    margin_pos: float = 1.0
    margin_neg: float = 1.0
    kernel: str = "rbf"
    sigma: float = 1.0
    degree: int = 3
    ranks: bool = False
    pair_params: Mapping[Any, Mapping[str, Any]] | None = None
    decomposition: str = "one-vs-one"
    class_weight: Mapping[Any, float] | str | None = None
    tol: float = 1e-3
    max_iter: int = -1
    n_jobs: int | None = None

    def _check_parameters(self) -> None:
        """Refuse parameters that define no i-SVM."""
        _checked(self._common_settings)
        check_choice("decomposition", self.decomposition, tuple(DECOMPOSITIONS))
        check_number("tol", self.tol)
        check_whole("max_iter", self.max_iter, -1)

    def _train(self, data: TrainingSet, given: FitInput) -> None:
        """Train one i-SVM per problem."""
        settings = self._settings_of_problems()
        factors = self._class_factors(data.class_size)
        self._fit_machines(data, settings, factors, self.max_iter)

    def _class_factors(self, class_size: Floats) -> Floats:
        """Return what ``class_weight`` multiplies the costs of the classes by, (M,)."""
        if isinstance(self.class_weight, str) and self.class_weight == "balanced":
            # by summed weights, as these are counts
            return np.asarray(class_size.sum() / (len(class_size) * class_size))
        if isinstance(self.class_weight, str):
            raise ValueError(
                f"class_weight={self.class_weight!r} is not known: use 'balanced', a "
                "dict of class: factor, or None."
            )
        factors = compute_class_weight(
            self.class_weight, classes=self.classes_, y=self.classes_
        )
        if (factors < 0).any():
            raise ValueError("class_weight has negative values: use factors >= 0.")
        return np.asarray(factors)

    def __getstate__(self) -> dict[str, Any]:
        """Return the state with a list for pair_params: skops keeps no tuple as key."""
        state = dict(super().__getstate__())
        if type(self.pair_params) is dict:
            state["pair_params"] = None
            state["_pair_params_items"] = list(map(list, self.pair_params.items()))
        return state

    def __setstate__(self, state: dict[str, Any]) -> None:
        """Undo `__getstate__`."""
        state = dict(state)
        items = state.pop("_pair_params_items", None)
        super().__setstate__(state)
        if items is not None:
            self.pair_params = dict(items)

    @property
    def _common_settings(self) -> ISVMSettings:
        """The settings of all problems that ``pair_params`` does not name."""
        return ISVMSettings(
            C=self.C,
            C_pos=self.C_pos,
            C_neg=self.C_neg,
            margin_pos=self.margin_pos,
            margin_neg=self.margin_neg,
            kernel=self.kernel,
            sigma=self.sigma,
            degree=self.degree,
            ranks=self.ranks,
        )

    def _settings_of_problems(self) -> list[ISVMSettings]:
        """Return the settings of every problem: the common ones, overridden."""
        common = self._common_settings
        overrides = self._overrides()
        n_classes = len(self.classes_)
        settings = []
        for plus, minus in self.problems_:
            key = _either_order(problem_key(plus, minus, n_classes))
            settings.append(_checked(replace(common, **overrides.get(key, {}))))
        return settings

    def _overrides(self) -> dict[Any, Mapping[str, Any]]:
        """Return what ``pair_params`` says of single problems, checked."""
        listed = {} if self.pair_params is None else self.pair_params
        if not isinstance(listed, Mapping) or not all(
            isinstance(changes, Mapping) for changes in listed.values()
        ):
            raise ValueError(
                f"pair_params={self.pair_params!r}: use a dict of the form "
                "{(class_a, class_b): {'C_pos': 2.0, 'kernel': 'linear'}}."
            )
        n_classes = len(self.classes_)
        keys = [problem_key(plus, minus, n_classes) for plus, minus in self.problems_]
        known = {_either_order(key) for key in keys}
        overrides: dict[Any, Mapping[str, Any]] = {}
        for given, changes in listed.items():
            key = _either_order(given)
            unknown = sorted(set(changes) - set(SETTINGS))
            if key not in known:
                problem = self._known_keys(keys)
            elif key in overrides:
                problem = "the pair is named twice, in both orders: keep one of the two"
            elif unknown:
                problem = f"unknown name {unknown[0]!r}, use some of {SETTINGS}"
            else:
                overrides[key] = changes
                continue
            raise ValueError(f"pair_params has the key {given!r}: {problem}.")
        return overrides

    def _known_keys(self, keys: list[Any]) -> str:
        """Say which keys ``pair_params`` can have."""
        classes = sorted(self.classes_.tolist(), key=str)
        if all(problem.is_pair for problem in self._decomposition.problems):
            return f"use a tuple of two different classes out of {classes}"
        return (
            f"with decomposition={self.decomposition_!r} use a key out of "
            f"{sorted(keys, key=str)}"
        )


def _either_order(key: Any) -> Any:
    """Return a key of ``pair_params`` that is the same for both orders of its sides."""
    return frozenset(key) if isinstance(key, tuple) else key


def _checked(settings: ISVMSettings) -> ISVMSettings:
    """Return settings; refuse unknown kernels, and negative costs or margins."""
    check_choice("kernel", settings.kernel, sorted(KERNELS))
    check_choice("ranks", settings.ranks, (True, False))
    check_number("C", settings.C)
    check_number("sigma", settings.sigma)
    check_number("C_pos", settings.C_pos, positive=False)
    check_number("C_neg", settings.C_neg, positive=False)
    largest = LARGEST_MARGIN
    check_number("margin_pos", settings.margin_pos, positive=False, most=largest)
    check_number("margin_neg", settings.margin_neg, positive=False, most=largest)
    check_whole("degree", settings.degree, 1, LARGEST_DEGREE)
    return replace(settings, degree=int(settings.degree), ranks=bool(settings.ranks))
