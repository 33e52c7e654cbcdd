"""`ISVMClassifier`: one-vs-one i-SVMs with given parameters."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from sklearn.utils.class_weight import compute_class_weight

from isvmde.core.kernels import KERNELS, LARGEST_DEGREE
from isvmde.core.limits import LARGEST_MARGIN
from isvmde.core.pair_machine import PairSettings
from isvmde.core.training_set import TrainingSet

from .checks import check_choice, check_number, check_whole
from .one_vs_one import Given
from .pair_machines import PairMachines

SETTINGS = tuple(PairSettings.__dataclass_fields__)


@dataclass(kw_only=True, eq=False, repr=False)  # writes __init__
class ISVMClassifier(PairMachines):
    """One-vs-one improved SVM (i-SVM) with given costs, margins and kernels.

    Every pair of classes gets a support vector machine with unequal costs and unequal
    margins: + is the smaller class of a pair (by summed weight, the lower label on
    equality); its samples cost ``C * C_pos`` each and are asked to lie ``margin_pos``
    beyond the boundary, those of the larger class ``C * C_neg`` and ``margin_neg``.
    A smaller margin pulls the boundary towards its class. The pairs vote; ties go to
    the class with fewer training samples.

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
        single pairs, in either order of the two classes; ``pair_params_`` of a fitted
        model is accepted.
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
        Labels (plus, minus) of every pair.
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
    class_weight: Mapping[Any, float] | str | None = None
    tol: float = 1e-3
    max_iter: int = -1
    n_jobs: int | None = None

    def _check_parameters(self) -> None:
        """Refuse parameters that define no i-SVM."""
        _checked({name: getattr(self, name) for name in SETTINGS})
        check_number("tol", self.tol)
        check_whole("max_iter", self.max_iter, -1)

    def _train(self, data: TrainingSet, given: Given) -> None:
        """Train one i-SVM per pair."""
        classes, size = self.classes_, data.class_size
        if isinstance(self.class_weight, str) and self.class_weight == "balanced":
            factors = size.sum() / (len(size) * size)  # by weights, as these are counts
        elif isinstance(self.class_weight, str):
            raise ValueError(
                f"class_weight={self.class_weight!r} is not known: use 'balanced', a "
                "dict of class: factor, or None."
            )
        else:
            factors = compute_class_weight(
                self.class_weight, classes=classes, y=classes
            )
        if (factors < 0).any():
            raise ValueError("class_weight has negative values: use factors >= 0.")
        self._fit_pairs(data, self._settings_of_pairs(), factors, self.max_iter)

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

    def _settings_of_pairs(self) -> list[PairSettings]:
        """Return the settings of every pair: the common ones, overridden."""
        listed = {} if self.pair_params is None else self.pair_params
        if not isinstance(listed, Mapping) or not all(
            isinstance(changes, Mapping) for changes in listed.values()
        ):
            raise ValueError(
                f"pair_params={self.pair_params!r}: use a dict of the form "
                "{(class_a, class_b): {'C_pos': 2.0, 'kernel': 'linear'}}."
            )
        common = {name: getattr(self, name) for name in SETTINGS}
        known = set(self.classes_.tolist())
        settings = {}
        for pair, changes in listed.items():
            key = frozenset(pair) if isinstance(pair, tuple) else frozenset()
            unknown = sorted(set(changes) - set(SETTINGS))
            problem = ""
            if len(key) != 2 or not key <= known:
                classes = sorted(known, key=str)
                problem = f"use a tuple of two different classes out of {classes}"
            elif key in settings:
                problem = "the pair is named twice, in both orders: keep one of the two"
            elif unknown:
                problem = f"unknown name {unknown[0]!r}, use some of {SETTINGS}"
            if problem:
                raise ValueError(f"pair_params has the key {pair!r}: {problem}.")
            settings[key] = _checked({**common, **changes})
        usual = _checked(common)
        return [settings.get(frozenset(pair), usual) for pair in self.pairs_.tolist()]


def _checked(settings: Mapping[str, Any]) -> PairSettings:
    """Return settings; refuse what is no kernel, and negative costs or margins."""
    check_choice("kernel", settings["kernel"], sorted(KERNELS))
    check_choice("ranks", settings["ranks"], (True, False))
    for name in ("C", "sigma"):
        check_number(name, settings[name])
    for name in ("C_pos", "C_neg"):
        check_number(name, settings[name], positive=False)
    for name in ("margin_pos", "margin_neg"):
        check_number(name, settings[name], positive=False, most=LARGEST_MARGIN)
    check_whole("degree", settings["degree"], 1, LARGEST_DEGREE)
    whole = {"degree": int(settings["degree"]), "ranks": bool(settings["ranks"])}
    return PairSettings(**{**settings, **whole})
