"""`ISVMDEClassifier`: i-SVMs whose parameters are found by differential evolution."""

from __future__ import annotations

import os
import warnings
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from joblib import effective_n_jobs
from sklearn.utils import check_random_state

from isvmde.classifiers.pair_machines import PairMachines
from isvmde.core.fitness import FITNESS
from isvmde.core.limits import check_values
from isvmde.core.search.base import Search
from isvmde.core.search.evaluation import PairEvaluator
from isvmde.core.search.genome import Encoding
from isvmde.core.search.joint import JointSearch
from isvmde.core.search.pairwise import PairwiseSearch
from isvmde.core.training_set import TrainingSet

from .callbacks import CallbackSupportMixin, FitContext, with_callbacks
from .checkpoint import CheckpointFile, search_identity
from .one_vs_one import Given
from .parameters import check_search_parameters, gene_ranges
from .run import SearchRun, SearchState

# What a fit knows before its search begins.
_DATA_ATTRIBUTES = (
    "classes_",
    "pairs_",
    "_pair_index",
    "class_count_",
    "n_features_in_",
)


@dataclass(kw_only=True, eq=False, repr=False)  # writes __init__
class ISVMDEClassifier(CallbackSupportMixin, PairMachines):
    """i-SVM-DE: every pair's costs, margins and kernel found by differential evolution.

    The multi-class problem is split one-vs-one. Every pair of classes gets an i-SVM
    (see :class:`ISVMClassifier`) whose seven parameters are genes; an improved
    differential evolution searches them, guided by a fitness measured on the training
    set instead of a validation set. The features should be scaled (to [0, 1], as in
    the paper).

    Parameters
    ----------
    fitness : {"ave", "max"}, default="ave"
        fit^a, the mean error over a sample's pairs, or fit^m, their maximum; both are
        averaged over classes and carry a term for the number of support vectors.
    search : {"joint", "pairwise"}, default="joint"
        One population over all pairs' genes (the paper), or one per pair: far fewer
        SVMs for the same fitness.
    share : {None, "kernel", "all"}, default=None
        Whether the pairs share nothing, their kernel, or all seven parameters.
        Shared genes belong to all pairs: they can only be searched jointly.
    C : float, default=1000.0
        Cost that the genes C+ and C- multiply.
    kernels : sequence of str, default=("linear", "rbf", "poly")
        Kernels to choose from.
    sigma_range : (float, float), default=(0.0, 100.0)
        Range of the rbf kernel's width.
    degree_range : (int, int), default=(1, 5)
        Range of the polynomial's degree.
    delta : float, default=0.05
        Probability in the fitness's term for support vectors.
    cost_range, margin_range : (float, float), default=(0.0, 1.0)
        Ranges of C+, C- and of the margins lambda1, lambda2.
    pop_size : int, default=40
        Individuals of a population, at least 5.
    max_iter : int, default=200
        Generations of the search. (In :class:`ISVMClassifier` it bounds the solver's
        steps, which have their own bound here.)
    tol : float, default=1e-3
        Largest violation of an SVM's optimality conditions, as a share of its mean
        margin (lambda1 + lambda2) / 2.
    random_state : int, RandomState instance or None, default=None
        Seed of the search; the same seed gives the same model.
    n_jobs : int, default=None
        Threads that share a generation; the model is the same for any number.
    verbose : int, default=0
        1 shows progress on standard error.
    patience : int, default=None
        Stop after this many generations without a better individual.
    time_limit : float, default=None
        Stop the search after this many seconds, with the best of the last whole
        generation. Training the chosen machines comes on top.
    checkpoint : path, default=None
        File that keeps the state of the search. If it is there, the search goes on
        where it was, to the very model of an unbroken run; a file of other data or
        parameters is refused.
    callback : callable, default=None
        Called with a :class:`SearchState` after every generation; returning True ends
        the search.
    keep_best_on_interrupt : bool, default=False
        What Ctrl-C does: raise KeyboardInterrupt as everywhere, or end the search and
        train the best model of the last whole generation, with a warning. The
        checkpoint is written in both cases.
    ide_options : dict, default=None
        Further parameters of :class:`isvmde.core.evolution.IDE`: ``F_rule``,
        ``CR_rule``, ``success_threshold``, ``stage_patience``, ``repair`` and
        ``initial``.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        The classes.
    pairs_ : ndarray of shape (n_pairs, 2)
        Labels (plus, minus) of every pair.
    pair_params_ : dict
        What was chosen for every pair; ``ISVMClassifier(pair_params=...)`` takes it and
        gives the same decisions.
    fitness_ : float
        Fitness of the model.
    history_ : dict of ndarrays
        Per generation, the initial population first: ``best`` and ``mean`` fitness,
        ``success_rate``, ``n_svms`` solved so far, ``n_unconverged`` solves of the
        generation that ended before their tolerance (they get the fitness of a coin),
        and ``seconds`` so far.
    stop_reason_ : {"max_iter", "patience", "time_limit", "callback", "interrupted"}
        Why the search ended.
    n_support_, kkt_violation_, intercept_ : ndarrays of shape (n_pairs,)
        Support vectors, violation of the optimality conditions and intercept per pair.
    n_iter_ : int
        Generations of the search (not steps of the solver).
    n_features_in_ : int
        Features seen in fit.
    feature_names_in_ : ndarray
        Their names, if they have any.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from isvmde import ISVMDEClassifier
    >>> X, y = load_iris(return_X_y=True)
    >>> model = ISVMDEClassifier(pop_size=8, max_iter=5, random_state=0)
    >>> model.fit(X[20:], y[20:]).score(X[:20], y[:20])
    1.0
    >>> sorted(model.pair_params_)
    [(0, 1), (0, 2), (1, 2)]
    """

    fitness: str = "ave"
    search: str = "joint"
    share: str | None = None
    C: float = 1000.0
    kernels: Sequence[str] = ("linear", "rbf", "poly")
    sigma_range: tuple[float, float] = (0.0, 100.0)
    degree_range: tuple[int, int] = (1, 5)
    delta: float = 0.05
    cost_range: tuple[float, float] = (0.0, 1.0)
    margin_range: tuple[float, float] = (0.0, 1.0)
    pop_size: int = 40
    max_iter: int = 200
    tol: float = 1e-3
    random_state: Any = None
    n_jobs: int | None = None
    verbose: int = 0
    patience: int | None = None
    time_limit: float | None = None
    checkpoint: str | os.PathLike[str] | None = None
    callback: Callable[[SearchState], bool | None] | None = None
    keep_best_on_interrupt: bool = False
    ide_options: Mapping[str, Any] | None = None

    def _check_parameters(self) -> None:
        """Refuse parameters that define no search."""
        check_search_parameters(self)

    @with_callbacks
    def _train(self, data: TrainingSet, given: Given) -> None:
        """Search the settings of every pair and train the machines they define."""
        check_values(data.X)
        encoding = Encoding(gene_ranges(self), len(self._pair_index), self.share)
        context = FitContext(self, self.max_iter + 1, given)
        evaluator = PairEvaluator(
            data,
            self._pair_index,
            tol=self.tol,
            n_threads=effective_n_jobs(self.n_jobs),
        )
        try:
            search = self._make_search(evaluator, encoding)
            self.stop_reason_ = self._run(search, data, context)
        finally:
            evaluator.close()
        self.fitness_ = float(search.best_fitness)
        self.history_ = {name: np.array(row) for name, row in search.history.items()}
        for name in ("n_svms", "n_unconverged"):
            self.history_[name] = self.history_[name].astype(int)
        self._train_best(data, search)
        context.end()

    def _train_best(self, data: TrainingSet, search: Search) -> None:
        """Train the machine of every pair with the best settings so far."""
        self._fit_pairs(
            data,
            search.encoding.settings(search.best_genes),
            np.ones(data.n_classes),
            tol=self.tol,
            max_iter=-1,
            n_jobs=self.n_jobs,
        )
        self.n_iter_ = int(search.generation)

    def _make_search(self, evaluator: PairEvaluator, encoding: Encoding) -> Search:
        """Return the search that the parameters ask for."""
        kind = PairwiseSearch if self.search == "pairwise" else JointSearch
        entropy = check_random_state(self.random_state).randint(2**31 - 1, size=4)
        return kind(
            evaluator,
            encoding,
            fitness=FITNESS[self.fitness](self.delta),
            pop_size=self.pop_size,
            max_iter=self.max_iter,
            seed=np.random.SeedSequence(entropy.tolist()),
            ide_options=self.ide_options,
        )

    def _run(self, search: Search, data: TrainingSet, context: FitContext) -> str:
        """Go through the generations; return why the search ended."""
        run = SearchRun(
            search,
            self,
            self._open_checkpoint(data),
            lambda: context.generation(lambda: self._fitted_attributes(search, data)),
        )
        reason = run.go()
        if search.evaluator.stopped and not search.generation:
            warnings.warn(
                f"time_limit={self.time_limit} ended the search before its initial "
                f"population was trained ({search.evaluator.n_solved} SVMs were): the "
                "model is little better than a random one. Raise it, or make pop_size "
                "smaller.",
                stacklevel=5,
            )
        if reason == "interrupted":
            warnings.warn(
                f"The search was interrupted after generation {search.generation} of "
                f"{self.max_iter}; the model is the best found so far.",
                stacklevel=5,
            )
        return reason

    def _fitted_attributes(self, search: Search, data: TrainingSet) -> dict[str, Any]:
        """Return the attributes of the model of the best individual so far."""
        model = type(self)(**self.get_params())
        for name in _DATA_ATTRIBUTES:
            setattr(model, name, getattr(self, name))
        model._train_best(data, search)
        known = set(self.get_params())
        return {k: v for k, v in vars(model).items() if k not in known}

    def _open_checkpoint(self, data: TrainingSet) -> CheckpointFile | None:
        """Return the checkpoint of this very search, None without a path."""
        if self.checkpoint is None:
            return None
        arrays = [data.X, data.weight, data.class_start, self.classes_]
        params = self.get_params(deep=False)
        return CheckpointFile(self.checkpoint, search_identity(arrays, params))
