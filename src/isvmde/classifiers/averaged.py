"""`ISVMClassifierCV`: many i-SVMs per pair, weighed and calibrated by leave-one-out."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils import check_random_state
from sklearn.utils.validation import check_is_fitted

from isvmde.caller import warn_caller
from isvmde.core.averaging.average import Average, Table, lay_out, make_average
from isvmde.core.averaging.bags import Budget
from isvmde.core.averaging.calibration import coupled, with_margins
from isvmde.core.averaging.deciding import make_decider
from isvmde.core.averaging.machines import Machines
from isvmde.core.averaging.priors import choose_prior, compromise_prior, under_prior
from isvmde.core.averaging.reliability import Reliability
from isvmde.core.averaging.settings import Setting, SettingDraw, SettingSpace
from isvmde.core.averaging.weighing import Tuning
from isvmde.core.decomposition import OneVsOne
from isvmde.core.kernels import KERNELS, starts_at_zero
from isvmde.core.repeated_rows import are_near_twins, fine_columns, has_enough_rows
from isvmde.core.training_set import TrainingSet
from isvmde.decisions import decide
from isvmde.exceptions import DoubtfulModelWarning, RepeatedRowsWarning
from isvmde.metrics import ImbalanceReport, imbalance_report

from . import checks
from .explanation import Explanation, explain_row
from .multiclass import FitInput, MulticlassSVM, check_weight
from .progress_line import ProgressLine
from .spreading import Solver, n_threads

_MANY_REPEATED = 0.2  # share of the rows
_ASKED = 200  # rows whose nearest neighbours are looked at


@dataclass(kw_only=True, eq=False, repr=False)  # writes __init__
class ISVMClassifierCV(MulticlassSVM):
    """One-vs-one SVMs that tune, weigh and calibrate themselves by rows left out.

    Every pair of classes is solved at the same ``n_settings`` kernels and costs. What
    the machines say of a training sample without it comes nearly free with the solved
    machines. It says how good a setting is for a pair (a pair of few samples also
    learns from the other pairs), so all machines are averaged with weights instead of
    one being chosen. A weight is a mean over draws that see half of the samples, and a
    sample is told with the weights of draws that did not see it; features' relevance,
    too, is judged by samples that it was not learned from. These decisions calibrate
    the average: the scale and the shift of the calibration are the two margins of an
    i-SVM. The pairs' probabilities are then coupled into class probabilities under a
    prior.

    Large tables are drawn from: every few settings are trained on a sample of their
    own, which holds rare classes whole. Where no class is rare, the best settings are
    trained again on larger samples, judged by other rows.

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
        a logarithmic scale; a width is never much narrower than rows are apart from
        their nearest neighbours. In every pair the cost of the smaller class is
        multiplied by the fourth root of how many times smaller it is.
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
    classes_, class_count_, class_rank_ : ndarrays of shape (n_classes,)
        The classes, the training samples of each, by weight, and their ranks, 0 for
        the smallest. Equally large classes are ranked by what is in their samples, so
        that names do not matter.
    pairs_ : ndarray of shape (n_pairs, 2)
        Labels (plus, minus) of every pair; plus is the smaller class.
    settings_ : list of dict
        Kernel, view and costs of every setting.
    weights_, loo_error_ : ndarrays of shape (n_settings, n_pairs)
        What each machine counts, zero for those that were not kept, and its
        class-balanced error on samples left out, between 0 and 1.
    margins_ : ndarray of shape (n_pairs, 2)
        Margins lambda1 and lambda2 of the smaller and the larger class, learned out
        of sample.
    prior_ : ndarray of shape (n_classes,)
        Class probabilities under which it predicts.
    loo_proba_ : ndarray of shape (n_samples, n_classes)
        Class probabilities of every training sample from machines that did not see
        it, in the order of the rows given.
    relevance_ : ndarray of shape (n_features,)
        How well each feature, or its distance from the middle, tells the classes
        apart alone, the best one 1. The view "weighted" multiplies features by this,
        as learned from two thirds of the samples; the last third judges.
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
    _budget = Budget()

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
        makes_steps = any(starts_at_zero(kernel) for kernel in space.kernels)
        left_out = "weighted" in space.views and not makes_steps
        if left_out and len(space.views) == 2:  # not for the default, or nothing else
            warn_caller(
                f"views={self.views!r}: 'weighted' is for the min kernel, which is not "
                f"among kernels={self.kernels!r}, so it is left out.",
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

    def fit(
        self,
        X: ArrayLike,
        y: ArrayLike,
        sample_weight: ArrayLike | None = None,
        groups: ArrayLike | None = None,
    ) -> Self:
        """Train, weigh and calibrate the machines of every pair of classes.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Training samples, their features best scaled to [0, 1].
        y : array-like of shape (n_samples,)
            Their classes, two or more.
        sample_weight : array-like of shape (n_samples,), default=None
            Counts: a weight of 2 equals the row twice, 0 its absence.
        groups : array-like of shape (n_samples,), default=None
            Which patient, machine or place each sample is from. Samples of a group are
            left out together: none judges a machine that another one trained, so that
            weights, calibration and ``loo_report()`` hold for new groups. Without
            groups every sample counts as a case of its own.

        Returns
        -------
        self
            Itself, fitted.
        """
        return self._fit(FitInput(X, y, sample_weight, groups))

    def _train(self, data: TrainingSet, given: FitInput) -> None:
        """Train, weigh and calibrate the machines of every pair."""
        prior = checks.given_prior(self.prior, self.classes_, data.class_size)
        if given.groups is None:
            _warn_of_repetitions(data)
        seeds = check_random_state(self.random_state).randint(2**31 - 1, size=3)
        self.class_rank_ = data.class_rank
        draw = SettingDraw(self.n_settings, self._space, int(seeds[0]))
        table = lay_out(
            data, self._pair_index, draw, self.tol, self._budget, int(seeds[2])
        )
        average = self._average(table)
        self.settings_ = [setting.to_dict() for setting in table.settings]
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
        _warn_of_doubts(average.reliability)
        self._given_label = np.append(data.label, -1)[data.place]
        self._given_weight = check_weight(given.sample_weight, self.loo_proba_)

    def _average(self, table: Table) -> Average:
        """Solve all pairs at all settings, and average the machines."""
        n_svms = len(table.settings) * len(table.pairs)
        with ProgressLine(n_svms, shown=bool(self.verbose)) as line:
            line.add_svms(0)
            solver = Solver(self.n_jobs, line.add_svms)
            threads = n_threads(self.n_jobs)
            return make_average(table, solver.solve, self._tuning, threads)

    @property
    def _decomposition(self) -> OneVsOne:
        """The pairs; which of two equally large classes is + depends on their rows."""
        return OneVsOne(self.class_count_, self.class_rank_)

    @property
    def _pair_index(self) -> np.ndarray:
        """The pairs of classes, as indices of (plus, minus)."""
        return self._decomposition.pairs

    def _keep_machines(self, data: TrainingSet, average: Average) -> None:
        """Set what prediction needs, and how well the machines were solved."""
        machines = average.machines
        self._machines = machines.to_dict()
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
            warn_caller(
                f"{(kept & cut_short).sum()} of {kept.sum()} machines reached the "
                "solver's bound on steps; the largest violation left is "
                f"{self.kkt_violation_.max():.2g} (tol={self.tol:g}). Scale the "
                "features to [0, 1].",
                ConvergenceWarning,
            )

    @property
    def _trained(self) -> tuple[Machines, list[Setting]]:
        """The machines and their settings."""
        settings = [Setting(**chosen) for chosen in self.settings_]
        return Machines.from_dict(self._machines), settings

    @property
    def relevance_(self) -> np.ndarray:
        """Relevance of every feature, (n_features,), the largest 1."""
        check_is_fitted(self)
        of_parts = self._trained[0].views.relevance
        mean = of_parts.mean(axis=0) if len(of_parts) else np.ones(self.n_features_in_)
        return np.asarray(mean / mean.max())

    def _pair_decisions(self, X: np.ndarray) -> np.ndarray:
        """Return the log odds of every pair."""
        machines, settings = self._trained
        threads = n_threads(self.n_jobs)
        decider = make_decider(machines, settings, len(self.pairs_), threads)
        return with_margins(decider.decide_rows(X), self.margins_)

    def _probabilities(self, X: np.ndarray) -> np.ndarray:
        """Return class probabilities of checked rows."""
        F = self._pair_decisions(X)
        equal = coupled(F, self._pair_index, len(self.classes_))
        return under_prior(equal, self.prior_)

    def _class_index(self, X: np.ndarray) -> np.ndarray:
        """Return the index of the class with the largest probability."""
        return np.asarray(np.argmax(self._probabilities(X), axis=1))

    def _class_scores(self, X: np.ndarray) -> np.ndarray:
        """Return log probabilities, or the log odds of the second of two classes."""
        proba = self._probabilities(X)
        score = np.log(np.maximum(proba, np.finfo(np.float64).tiny))
        # two probabilities may have one logarithm: the prediction stays the largest
        largest = np.arange(len(proba)), np.argmax(proba, axis=1)
        score[largest] = np.nextafter(score.max(axis=1), np.inf)
        return np.asarray(
            score[:, 1] - score[:, 0] if len(self.classes_) == 2 else score
        )

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

    def decide(
        self,
        X: ArrayLike,
        *,
        costs: Any = None,
        prior: str | Mapping[Any, float] | None = None,
        threshold: Mapping[Any, float] | None = None,
    ) -> np.ndarray:
        """Return the decisions of least expected cost, without another fit.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Samples.
        costs : DataFrame, dict or array-like, optional
            Cost of every decision (column) in every true class (row), by class names;
            or ``{class: cost of any mistake in it}``. By default all mistakes cost the
            same. See :meth:`isvmde.decisions.CostMatrix.read`.
        prior : {"balanced", "training"} or dict, optional
            How frequent the classes are where the decisions are made; ``prior_`` by
            default.
        threshold : dict, optional
            ``{class: probability}`` from which on the class is decided, in place of
            costs. See :func:`isvmde.decisions.apply_threshold`.

        Returns
        -------
        ndarray of shape (n_samples,)
            The decisions. :func:`isvmde.decisions.decide` makes them with a pipeline.
        """
        return decide(self, X, costs=costs, prior=prior, threshold=threshold)

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


def _warn_of_repetitions(data: TrainingSet) -> None:
    """Say it where many rows repeat others: they may be of the same subjects."""
    n_distinct, n_given = len(data.X), int((data.place >= 0).sum())
    if not has_enough_rows(n_distinct):
        return
    advice = (
        "If rows are of the same subjects (patients, machines), say so by "
        "fit(..., groups=...): otherwise loo_report() and the probabilities flatter."
    )
    n_exact = n_given - n_distinct
    if n_exact > _MANY_REPEATED * n_given and fine_columns(data.X).any():
        warn_caller(
            f"{n_exact} of {n_given} rows repeat another row exactly. {advice}",
            RepeatedRowsWarning,
        )
        return
    asked = np.unique(np.linspace(0, n_distinct - 1, _ASKED).round().astype(int))
    n_near = int(are_near_twins(data.X, data.label, asked).sum())
    if n_near:
        warn_caller(
            f"{n_near} of {len(asked)} rows looked at are nearly the same as another "
            f"row of their class. {advice}",
            RepeatedRowsWarning,
        )


def _warn_of_doubts(reliability: Reliability) -> None:
    """Say what was seen on rows left out, if it is bad."""
    beside = (
        f"log loss {reliability.log_loss:.3f}, that of guessing "
        f"{reliability.chance:.3f}, classes counting the same"
    )
    if reliability.is_guessing:
        warn_caller(
            "On training rows that machines did not see, the model is not clearly "
            f"better than guessing ({beside}). Its columns may say nothing about the "
            "classes, or there are too few rows to tell.",
            DoubtfulModelWarning,
        )
    elif reliability.is_linear:
        warn_caller(
            "On training rows that they did not see, all machines together did worse "
            f"than the linear ones, so only these are used ({beside}).",
            DoubtfulModelWarning,
        )
