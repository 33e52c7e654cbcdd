"""`ISVMClassifierCV`: many i-SVMs per pair, weighed and calibrated by leave-one-out."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils import check_random_state
from sklearn.utils.validation import check_is_fitted, validate_data

from isvmde.classifiers.averaged_parameters import (
    check_averaged_parameters,
    given_prior,
    make_metric,
    n_threads,
    setting_space,
)
from isvmde.classifiers.averaging import average_machines
from isvmde.classifiers.explanation import Explanation, explain_rows
from isvmde.classifiers.one_vs_one import Given, OneVsOneSVM, check_weight
from isvmde.classifiers.representation import pair_table, report_table
from isvmde.core.leave_one_out.average import coupled, with_margins
from isvmde.core.leave_one_out.calibration import to_margin_scale
from isvmde.core.leave_one_out.machines import Machines
from isvmde.core.leave_one_out.members import Sampling
from isvmde.core.leave_one_out.priors import (
    choose_prior,
    compromise_prior,
    under_prior,
)
from isvmde.core.leave_one_out.settings import (
    Setting,
    draw_settings,
    with_wide_kernels,
)
from isvmde.core.leave_one_out.tuning import Tuning
from isvmde.core.training_set import TrainingSet
from isvmde.core.views import Views
from isvmde.metrics import ImbalanceReport, imbalance_report


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

    Features should be scaled to [0, 1], see
    :func:`isvmde.datasets.make_preprocessor` and
    :class:`isvmde.tables.TablePreprocessor`.

    Parameters
    ----------
    n_settings : int, default=96
        Kernels and costs that every pair is solved at. More gain little.
    kernels : sequence of {"linear", "rbf", "poly", "min"}, default=all four
        Kernels to use. ``min``, ``(1 + sum_j min(x_j, z_j))^degree``, makes additive
        step-like functions as trees do.
    cost_range : (float, float), default=(0.1, 1000.0)
        Range of the costs of the two classes, on a logarithmic scale.
    sigma_range : (float, float), default=(0.1, 20.0)
        Range of the width of the rbf kernel, on a logarithmic scale.
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
    n_jobs : int, default=None
        Threads; -1 for all cores. Results do not depend on it.
    verbose : int, default=0
        Whether to show progress and the time left.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        The classes.
    class_count_ : ndarray of shape (n_classes,)
        Training samples of each class, by weight.
    pairs_ : ndarray of shape (n_pairs, 2)
        Labels (plus, minus) of every pair; plus is the smaller class.
    settings_ : list of dict
        Kernel, view and costs of every setting.
    weights_ : ndarray of shape (n_settings, n_pairs)
        What each machine counts; zero for those that were not kept.
    loo_error_ : ndarray of shape (n_settings, n_pairs)
        Class-balanced leave-one-out error of each machine, between 0 and 1.
    margins_ : ndarray of shape (n_pairs, 2)
        Margins lambda1 and lambda2 of the smaller and the larger class, learned out
        of sample.
    prior_ : ndarray of shape (n_classes,)
        Class probabilities under which it predicts.
    loo_proba_ : ndarray of shape (n_samples, n_classes)
        Class probabilities of every training sample from machines that did not see
        it, in the order of the rows given.
    n_support_ : ndarray of shape (n_pairs,)
        Training samples that support some machine of the pair, by weight.
    kkt_violation_ : ndarray of shape (n_pairs,)
        Largest violation of the optimality conditions over the pair's machines.
    n_cut_short_ : int
        Machines that reached the solver's bound on steps. They count as coins, and
        get no weight where a pair has others.
    n_features_in_ : int
        Features seen in fit.
    feature_names_in_ : ndarray
        Their names, if they have any.

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
        """Refuse parameters that define no model."""
        check_averaged_parameters(self)

    def _train(self, data: TrainingSet, given: Given) -> None:
        """Train, weigh and calibrate the machines of every pair."""
        given_prior(self.prior, self.classes_, data.class_size)  # before the work
        seeds = check_random_state(self.random_state).randint(2**31 - 1, size=3)
        space = setting_space(self)
        settings = draw_settings(self.n_settings, space, int(seeds[0]))
        if self._sampling.applies_to(data, self._pair_index):
            settings = with_wide_kernels(settings, space, data)
        average, violation = average_machines(
            data,
            self._pair_index,
            settings,
            self._tuning,
            self._sampling,
            seed=int(seeds[2]),
            tol=self.tol,
            n_jobs=self.n_jobs,
            verbose=self.verbose,
        )
        self.settings_ = [setting.to_dict() for setting in settings]
        self.loo_error_, self.weights_ = average.error, average.weights
        self.margins_ = average.margins
        self._keep(data, violation, average.machines)
        self.prior_ = self._choose_prior(data, average.unseen, int(seeds[1]))
        unseen = under_prior(average.unseen, self.prior_)
        self.loo_proba_ = self._in_given_order(data, unseen, given.X)
        self._given_label = np.append(data.label, -1)[data.place]
        self._given_weight = check_weight(given.sample_weight, self.loo_proba_)

    def _keep(
        self, data: TrainingSet, violation: np.ndarray, machines: Machines
    ) -> None:
        """Set what prediction needs, and how well the machines were solved."""
        self._machines = {**vars(machines), "views": machines.views.to_dict()}
        kept = self.weights_ > 0.0
        self.kkt_violation_ = np.where(kept, violation, 0.0).max(axis=0)
        # a row may support machines of several samples: it counts once
        known, place = np.unique(machines.given, return_inverse=True)
        support = np.zeros((len(self._pair_index), len(known)))
        pair = np.repeat(machines.pair, np.diff(machines.start))
        support[pair, place[machines.index]] = 1.0
        self.n_support_ = support @ data.weight[data.place[known]]
        cut_short = ~(violation <= self.tol)
        self.n_cut_short_ = int(cut_short.sum())
        unfinished = int((kept & cut_short).sum())
        if unfinished:
            warnings.warn(
                f"{unfinished} of {kept.sum()} machines reached the solver's bound on "
                f"steps; the largest violation left is {self.kkt_violation_.max():.2g} "
                f"(tol={self.tol:g}). Scale the features to [0, 1].",
                ConvergenceWarning,
                stacklevel=4,
            )

    def _choose_prior(
        self, data: TrainingSet, unseen: np.ndarray, seed: int
    ) -> np.ndarray:
        """Return the prior that was given or that the metric finds best."""
        held_out = unseen, data.label, data.weight, data.class_size
        if self.scoring is not None:
            metric = make_metric(self.scoring, self.classes_)
            return choose_prior(*held_out, metric, seed)
        if isinstance(self.prior, str) and self.prior == "auto":
            return compromise_prior(*held_out, seed)
        return given_prior(self.prior, self.classes_, data.class_size)

    def _in_given_order(
        self, data: TrainingSet, proba: np.ndarray, X: ArrayLike
    ) -> np.ndarray:
        """Return one row per row given; those of weight zero are predicted."""
        given = proba[data.place]
        without = data.place < 0
        if without.any():
            rows = validate_data(self, X, dtype=np.float64, reset=False)
            given[without] = self._probabilities(rows[without])
        return given

    @property
    def _trained(self) -> tuple[Machines, list[Setting]]:
        """The machines and their settings."""
        state = dict(self._machines)
        state["views"] = Views(**state["views"])
        empty = {"sigma": None, "degree": None}
        settings = [Setting(**{**empty, **chosen}) for chosen in self.settings_]
        return Machines(**state), settings

    def _pair_decisions(self, X: np.ndarray) -> np.ndarray:
        """Return the log odds of every pair."""
        machines, settings = self._trained
        m = machines.decide(
            X, settings, len(self.pairs_), n_threads=n_threads(self.n_jobs)
        )
        return with_margins(to_margin_scale(m), self.margins_)

    def _probabilities(self, X: np.ndarray) -> np.ndarray:
        """Return class probabilities of checked rows."""
        F = self._pair_decisions(X)
        return under_prior(
            coupled(F, self._pair_index, len(self.classes_)), self.prior_
        )

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
        pairs = pair_table(
            self.pairs_, self.margins_, self.n_support_, self.settings_, self.weights_
        )
        return pairs + report_table(self.loo_report())

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
        return explain_rows(self, self._checked_rows(X), n_rows)
