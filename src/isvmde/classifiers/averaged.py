"""`ISVMClassifierCV`: many i-SVMs per pair, weighed and calibrated by leave-one-out."""

import warnings
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils import check_random_state
from sklearn.utils.validation import check_is_fitted

from isvmde.core.kernels import KERNELS
from isvmde.core.leave_one_out.average import Average, coupled, with_margins
from isvmde.core.leave_one_out.machines import Machines
from isvmde.core.leave_one_out.priors import choose_prior, compromise_prior, under_prior
from isvmde.core.leave_one_out.sampling import Sampling
from isvmde.core.leave_one_out.settings import (
    Setting,
    SettingSpace,
    Task,
    draw_settings,
)
from isvmde.core.leave_one_out.weighing import Tuning
from isvmde.core.training_set import TrainingSet
from isvmde.core.views import Views
from isvmde.metrics import ImbalanceReport, imbalance_report

from . import checks
from .explanation import Explanation, explain_row
from .one_vs_one import Given, OneVsOneSVM, check_weight
from .spreading import average_machines, n_threads


@dataclass(kw_only=True, eq=False, repr=False)  # writes __init__
class ISVMClassifierCV(OneVsOneSVM):
    """One-vs-one SVMs that tune, weigh and calibrate themselves by leave-one-out.

    Every pair of classes is solved at the same ``n_settings`` kernels and costs. The
    leave-one-out decisions of the training samples come nearly free with the solved
    machines. They say how good a setting is for a pair (a pair of few samples also
    listens to the other pairs), so all machines are averaged with weights instead of
    one being chosen, and they calibrate the average: the scale and the shift of this
    calibration are the two margins of an i-SVM. The pairs' probabilities are then
    coupled into class probabilities under a prior.

    Features should be scaled to [0, 1], see :func:`isvmde.datasets.make_preprocessor`
    and :class:`isvmde.tables.TablePreprocessor`.

    Parameters
    ----------
    n_settings : int, default=96
        Kernels and costs that every pair is solved at. More gain little.
    kernels : sequence of {"linear", "rbf", "poly", "min"}, default=all four
        Kernels to use. ``min``, ``(1 + sum_j min(x_j, z_j))^degree``, makes additive
        step-like functions as trees do.
    cost_range, sigma_range : (float, float), default=(0.1, 1000.0) and (0.1, 20.0)
        Ranges of the costs of the two classes and of the width of the rbf kernel, on
        a logarithmic scale.
    degree_range : (int, int), default=(1, 5)
        Range of the degree of the poly and min kernels.
    views : sequence of {"values", "ranks", "weighted"}, default=all three
        What kernels see: the features as given, their ranks among the training
        set's, and for the min kernel features multiplied by their relevance.
    prior : {"auto", "balanced", "training"} or dict, default="auto"
        Class probabilities under which it predicts: equal ones, the training set's,
        or ``{class: probability}``. "auto" is "balanced" if a class has fewer than 20
        samples; otherwise the prior between the two with the best AvF of those that
        cost at most 0.01 of G-mean, judged on samples that machines did not see, for
        a gain of at least two standard errors.
    scoring : None, "g_mean", "av_f", "cba", "accuracy" or callable, default=None
        A metric, or a function ``(y_true, y_pred)``, for which the prior is tuned
        between balanced and the training set's on leave-one-out predictions, instead
        of ``prior``. Balanced is left only for a gain of two standard errors.
    tol : float, default=1e-3
        Largest violation of the optimality conditions allowed, in units of f.
    random_state : int, RandomState instance or None, default=None
        Scrambles the sequence of settings.
    n_jobs, verbose : int, default=None and 0
        Threads, -1 for all cores; whether to show progress. Neither changes results.

    Attributes
    ----------
    classes_, class_count_ : ndarrays of shape (n_classes,)
        The classes, and the training samples of each, by weight.
    pairs_ : ndarray of shape (n_pairs, 2)
        Labels (plus, minus) of every pair; plus is the smaller class.
    settings_ : list of dict
        Kernel, view and costs of every setting.
    weights_, loo_error_ : ndarrays of shape (n_settings, n_pairs)
        What each machine counts, zero for those that were not kept, and its
        class-balanced leave-one-out error, between 0 and 1.
    margins_ : ndarray of shape (n_pairs, 2)
        Margins lambda1 and lambda2 of the smaller and the larger class, learned out
        of sample.
    prior_ : ndarray of shape (n_classes,)
        Class probabilities under which it predicts.
    loo_proba_ : ndarray of shape (n_samples, n_classes)
        Class probabilities of every training sample from machines that did not see
        it, in the order of the rows given.
    n_support_, kkt_violation_ : ndarrays of shape (n_pairs,)
        Training samples that support some machine of the pair, by weight, and the
        largest violation of the optimality conditions over its machines.
    n_cut_short_ : int
        Machines that reached the solver's bound on steps. They count as coins, and
        get no weight where a pair has others.
    n_features_in_, feature_names_in_ : int and ndarray
        Features seen in fit, and their names, if they have any.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from isvmde import ISVMClassifierCV
    >>> X, y = load_iris(return_X_y=True)
    >>> model = ISVMClassifierCV(random_state=0).fit(X[20:], y[20:])
    >>> model.predict(X[:2])
    array([0, 0])
    >>> bool(model.loo_report().scores["g_mean"] > 0.9)
    True
    """

    _tuning = Tuning()
    _sampling = Sampling()

    n_settings: int = 96
    kernels: Sequence[str] = ("linear", "rbf", "poly", "min")
    cost_range: tuple[float, float] = (0.1, 1000.0)
    sigma_range: tuple[float, float] = (0.1, 20.0)
    degree_range: tuple[int, int] = (1, 5)
    views: Sequence[str] = ("values", "ranks", "weighted")
    prior: str | Mapping[Any, float] = "auto"
    scoring: str | Callable[..., float] | None = None
    tol: float = 1e-3
    random_state: Any = None
    n_jobs: int | None = None
    verbose: int = 0

    def _check_parameters(self) -> None:
        checks.check_whole("n_settings", self.n_settings, 1)
        checks.check_number("tol", self.tol)
        if self.scoring is not None:
            checks.check_scoring(self.scoring, self.prior)
        space = self._space
        checks.warn_of_unused_ranges(self, space.kernels)
        left_out = "min" not in space.kernels and "weighted" in space.views
        if left_out and len(space.views) == 2:  # not for the default, or nothing else
            warnings.warn(
                f"views={self.views!r}: 'weighted' is for the min kernel, which is not "
                f"among kernels={self.kernels!r}, so it is left out.",
                stacklevel=3,
            )

    @property
    def _space(self) -> SettingSpace:
        """What settings are drawn from, checked."""
        return SettingSpace(
            checks.names_of(self, "kernels", KERNELS),
            checks.names_of(self, "views", ("values", "ranks", "weighted")),
            checks.log_range_of(self, "cost_range"),
            checks.log_range_of(self, "sigma_range"),
            checks.degrees_of(self),
        )

    def _train(self, data: TrainingSet, given: Given) -> None:
        """Train, weigh and calibrate the machines of every pair."""
        prior = checks.given_prior(self.prior, self.classes_, data.class_size)
        seeds = check_random_state(self.random_state).randint(2**31 - 1, size=3)
        large = data if self._sampling.applies_to(data, self._pair_index) else None
        settings = draw_settings(self.n_settings, self._space, int(seeds[0]), large)
        task = Task(data, self._pair_index, settings, self.tol)
        average = average_machines(self, task, int(seeds[2]))
        self.settings_ = [setting.to_dict() for setting in settings]
        self.loo_error_, self.weights_ = average.error, average.weights
        if self.scoring is not None:
            metric = checks.make_metric(self.scoring, self.classes_)
            prior = choose_prior(average.unseen, data, metric, int(seeds[1]))
        elif isinstance(self.prior, str) and self.prior == "auto":
            prior = compromise_prior(average.unseen, data, int(seeds[1]))
        self.margins_, self.prior_ = average.margins, prior
        self._keep_machines(data, average)
        self.loo_proba_ = under_prior(average.unseen, self.prior_)[data.place]
        without = data.place < 0  # rows of weight zero are predicted
        if without.any():
            rows = self._checked_rows(given.X)[without]
            self.loo_proba_[without] = self._probabilities(rows)
        self._given_label = np.append(data.label, -1)[data.place]
        self._given_weight = check_weight(given.sample_weight, self.loo_proba_)

    def _keep_machines(self, data: TrainingSet, average: Average) -> None:
        """Set what prediction needs, and how well the machines were solved."""
        machines = average.machines
        self._machines = {**vars(machines), "views": machines.views.to_dict()}
        kept, cut_short = average.weights > 0.0, ~(average.violation <= self.tol)
        self.kkt_violation_ = np.where(kept, average.violation, 0.0).max(axis=0)
        self.n_cut_short_ = int(cut_short.sum())
        # a row may support machines of several samples: it counts once
        known, place = np.unique(machines.given, return_inverse=True)
        support = np.zeros((len(self._pair_index), len(known)))
        pair = np.repeat(machines.pair, np.diff(machines.start))
        support[pair, place[machines.index]] = 1.0
        self.n_support_ = support @ data.weight[data.place[known]]
        if (kept & cut_short).any():
            warnings.warn(
                f"{(kept & cut_short).sum()} of {kept.sum()} machines reached the "
                "solver's bound on steps; the largest violation left is "
                f"{self.kkt_violation_.max():.2g} (tol={self.tol:g}). Scale the "
                "features to [0, 1].",
                ConvergenceWarning,
                stacklevel=4,
            )

    @property
    def _trained(self) -> tuple[Machines, list[Setting]]:
        """The machines and their settings."""
        state = {**self._machines, "views": Views(**self._machines["views"])}
        return Machines(**state), [Setting(**chosen) for chosen in self.settings_]

    def _pair_decisions(self, X: np.ndarray) -> np.ndarray:
        """Return the log odds of every pair."""
        machines, settings = self._trained
        m = machines.decide(X, settings, len(self.pairs_), n_threads(self.n_jobs))
        return with_margins(m, self.margins_)

    def _probabilities(self, X: np.ndarray) -> np.ndarray:
        """Return class probabilities of checked rows."""
        F = self._pair_decisions(X)
        equal = coupled(F, self._pair_index, len(self.classes_))
        return under_prior(equal, self.prior_)

    def _class_index(self, X: np.ndarray) -> np.ndarray:
        """Return the index of the class with the largest probability."""
        return np.argmax(self._probabilities(X), axis=1)

    def _class_scores(self, X: np.ndarray) -> np.ndarray:
        """Return log probabilities, or the log odds of the second of two classes."""
        proba = self._probabilities(X)
        score = np.log(np.maximum(proba, np.finfo(np.float64).tiny))
        # two probabilities may have one logarithm: the prediction stays the largest
        largest = np.arange(len(proba)), np.argmax(proba, axis=1)
        score[largest] = np.nextafter(score.max(axis=1), np.inf)
        return score[:, 1] - score[:, 0] if len(self.classes_) == 2 else score

    def _fitted_html(self) -> str:
        """Return the pairs, and what leave-one-out says of every class."""
        return super()._fitted_html() + self.loo_report()._repr_html_()

    def loo_report(self) -> ImbalanceReport:
        """Report what the model says of training samples it did not see.

        Returns
        -------
        ImbalanceReport
            Recall, precision and F1 of every class, G-mean, AvF and CBA of the
            leave-one-out predictions ``loo_proba_``, samples counted by their
            weights. Misleading for classes of one or two samples.
        """
        check_is_fitted(self)
        guess = self.classes_[np.argmax(self.loo_proba_, axis=1)]
        known = self._given_label >= 0
        truth = self.classes_[self._given_label[known]]
        weight = self._given_weight[known]
        return imbalance_report(truth, guess[known], sample_weight=weight)

    def explain(self, X: ArrayLike, *, n_rows: int = 10) -> list[Explanation]:
        """Say for every row which training samples decided.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Samples.
        n_rows : int, default=10
            How many training samples to name, at most.

        Returns
        -------
        list of Explanation
            One per row: the predicted class, all probabilities, the pairs of the
            predicted class, and the training samples that speak for and against it.
        """
        X = self._checked_rows(X)
        decided = zip(X, self._pair_decisions(X), self._probabilities(X), strict=True)
        return [explain_row(self, *one, n_rows) for one in decided]
