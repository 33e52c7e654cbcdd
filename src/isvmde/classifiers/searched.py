"""`ISVMDEClassifier`: i-SVMs whose parameters are found by differential evolution."""

import copy
import functools
import numbers
import os
from collections.abc import Callable, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, fields
from typing import Any, cast

import numpy as np
from sklearn.utils import check_random_state, check_scalar

from isvmde.caller import warn_caller
from isvmde.core.decomposition import DECOMPOSITIONS
from isvmde.core.evolution import IDE, OPTIMIZERS
from isvmde.core.fitness import FITNESS, make_fitness
from isvmde.core.kernels import PAPER_KERNELS
from isvmde.core.limits import check_values
from isvmde.core.search.evaluation import Evaluator
from isvmde.core.search.genome import Encoding, Ranges
from isvmde.core.search.joint import JointSearch, MakeOptimizer
from isvmde.core.search.pairwise import PairwiseSearch
from isvmde.core.training_set import TrainingSet
from isvmde.jobs import usable_jobs

from . import callbacks, checks, run
from .binary_machines import ISVMHolder
from .checkpoint import CheckpointFile, search_identity
from .inner_folds import check_inner_folds, inner_folds
from .multiclass import FitInput

_SET_BY_SEARCH = {"lower", "upper", "pop_size", "max_iter", "rng"}  # of IDE
_IDE_OPTIONS = tuple(f.name for f in fields(IDE) if f.name not in _SET_BY_SEARCH)
SEARCHES = {"joint": JointSearch, "pairwise": PairwiseSearch}


@dataclass(kw_only=True, eq=False, repr=False)  # writes __init__
class ISVMDEClassifier(callbacks.CallbackSupportMixin, ISVMHolder):
    """i-SVM-DE: every pair's costs, margins and kernel found by differential evolution.

    Every pair of classes gets an i-SVM (see :class:`ISVMClassifier`) whose seven
    parameters are genes; an improved differential evolution searches them, guided by a
    fitness measured on the training set. The features should be scaled (to [0, 1], as
    in the paper).

    Parameters
    ----------
    fitness : {"ave", "max", "cv"}, default="ave"
        fit^a, the mean error over a sample's pairs, or fit^m, their maximum; both are
        measured on the rows trained on, averaged over classes, and carry a term for the
        number of support vectors. "cv" is not the paper's: the balanced error of every
        pair over ``cv`` inner folds, which takes ``cv`` SVMs instead of one.
    search : {"joint", "pairwise"}, default="joint"
        One population over all pairs' genes (the paper), or one per pair: far fewer
        SVMs for the same fitness.
    share : {None, "kernel", "all"}, default=None
        Whether the pairs share nothing, their kernel, or all seven parameters.
        Shared genes belong to all pairs: they can only be searched jointly.
    decomposition : {"one-vs-one", "one-vs-rest", "dag"}, default="one-vs-one"
        The binary problems and how their machines decide, as in
        :class:`ISVMClassifier`. Each has its seven genes; "pairs" here are problems.
    C : float, default=1000.0
        Cost that the genes C+ and C- multiply.
    kernels : sequence of str, default=("linear", "rbf", "poly")
        Kernels to choose from.
    sigma_range, degree_range : (low, high), default=(0.0, 100.0) and (1, 5)
        Ranges of the rbf kernel's width and of the polynomial's degree.
    delta : float, default=0.05
        Probability in the fitness's term for support vectors.
    cost_range, margin_range : (float, float), default=(0.0, 1.0)
        Ranges of C+, C- and of the margins lambda1, lambda2.
    tied_costs : bool, default=False
        Whether the samples of both classes of a pair cost the same: C- is C+.
    optimizer : {"ide", "de", "random"}, default="ide"
        The paper's differential evolution with an individual-dependent mechanism, the
        usual one (DE/rand/1/bin, F = 0.5, CR = 0.9), or uniform points: as many trials
        each, to measure what the mechanism is worth.
    cv : int, splitter or list, default=3
        Inner folds of fitness="cv": a number, to which each class is dealt in turn; a
        splitter of scikit-learn; or (training rows, test rows) of every fold.
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
    n_jobs, verbose : int, default=None and 0
        Threads, which do not change the model, and whether to show progress.
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
        What Ctrl-C does, after the checkpoint is written: raise KeyboardInterrupt, or
        train the best model of the last whole generation, with a warning.
    ide_options : dict, default=None
        Further parameters of :class:`isvmde.core.evolution.IDE`, for optimizer="ide":
        F_rule, CR_rule, success_threshold, stage_patience, repair and initial.

    Attributes
    ----------
    pair_params_ : dict
        What was chosen for every pair; ``ISVMClassifier(pair_params=...)`` with the
        same decomposition takes it and gives the same decisions.
    fitness_, n_iter_ : float, int
        Fitness of the model, and generations of the search (not steps of the solver).
    history_ : dict of ndarrays
        Per generation, the initial population first: ``best`` and ``mean`` fitness,
        ``success_rate``, ``n_svms`` solved so far, ``n_unconverged`` solves of the
        generation that ended before their tolerance (they get the fitness of a coin),
        and ``seconds`` so far.
    stop_reason_ : {"max_iter", "patience", "time_limit", "callback", "interrupted"}
        Why the search ended.
    classes_, pairs_, problems_, n_support_, kkt_violation_, n_features_in_, ...
        As in :class:`ISVMClassifier`.

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
    decomposition: str = "one-vs-one"
    C: float = 1000.0
    kernels: Sequence[str] = ("linear", "rbf", "poly")
    sigma_range: tuple[float, float] = (0.0, 100.0)
    degree_range: tuple[int, int] = (1, 5)
    delta: float = 0.05
    cost_range: tuple[float, float] = (0.0, 1.0)
    margin_range: tuple[float, float] = (0.0, 1.0)
    tied_costs: bool = False
    optimizer: str = "ide"
    cv: Any = 3
    pop_size: int = 40
    max_iter: int = 200
    tol: float = 1e-3
    random_state: Any = None
    n_jobs: int | None = None
    verbose: int = 0
    patience: int | None = None
    time_limit: float | None = None
    checkpoint: str | os.PathLike[str] | None = None
    callback: Callable[[run.SearchState], bool | None] | None = None
    keep_best_on_interrupt: bool = False
    ide_options: Mapping[str, Any] | None = None

    def _check_parameters(self) -> None:
        checks.check_choice("fitness", self.fitness, tuple(FITNESS))
        checks.check_choice("search", self.search, tuple(SEARCHES))
        checks.check_choice("share", self.share, (None, "kernel", "all"))
        checks.check_choice("decomposition", self.decomposition, tuple(DECOMPOSITIONS))
        checks.check_choice("optimizer", self.optimizer, tuple(OPTIMIZERS))
        checks.check_choice("tied_costs", self.tied_costs, (True, False))
        keep = self.keep_best_on_interrupt
        checks.check_choice("keep_best_on_interrupt", keep, (True, False))
        if self.search == "pairwise" and self.share is not None:
            raise ValueError(
                f"share={self.share!r} gives all pairs the same genes, so search="
                "'pairwise' cannot search them pair by pair: use search='joint', or "
                "share=None."
            )
        checks.check_number("C", self.C)
        checks.check_number("tol", self.tol)
        checks.check_number("delta", self.delta, most=1)
        check_inner_folds(self.cv)
        checks.check_whole("pop_size", self.pop_size, 5)
        checks.check_whole("max_iter", self.max_iter, 1)
        if self.patience is not None:
            checks.check_whole("patience", self.patience, 1)
        if self.time_limit is not None:
            check_scalar(self.time_limit, "time_limit", numbers.Real, min_val=0)
        self._check_ide_options()
        checks.warn_of_unused_ranges(self, self._gene_ranges().kernels)

    def _check_ide_options(self) -> None:
        """Refuse options that IDE does not have, and any without IDE."""
        if self.ide_options and self.optimizer != "ide":
            raise ValueError(
                f"ide_options are for optimizer='ide', but optimizer="
                f"{self.optimizer!r}: leave them out."
            )
        unknown = sorted(set(self.ide_options or {}) - set(_IDE_OPTIONS))
        if unknown:
            raise ValueError(
                f"ide_options has the unknown name {unknown[0]!r}: use names out of "
                f"{_IDE_OPTIONS}."
            )

    def _gene_ranges(self) -> Ranges:
        """Return the ranges of the genes, checked."""
        cost = checks.range_of(self, "cost_range")
        if not self.C * cost[1] <= checks.LARGEST:
            raise ValueError(
                f"C={self.C} times the largest relative cost {cost[1]} is more than "
                f"{checks.LARGEST:g}: use a smaller C or cost_range."
            )
        return Ranges(
            C=float(self.C),
            kernels=checks.names_of(self, "kernels", PAPER_KERNELS),
            sigma=checks.range_of(self, "sigma_range"),
            degree=checks.degrees_of(self),
            cost=cost,
            margin=checks.range_of(self, "margin_range"),
            tied_costs=bool(self.tied_costs),
        )

    def _make_optimizer(self) -> MakeOptimizer:
        """Return what makes the optimiser of a box."""
        return functools.partial(
            OPTIMIZERS[self.optimizer],
            pop_size=self.pop_size,
            max_iter=self.max_iter,
            **(self.ide_options or {}),
        )

    @callbacks.with_callbacks
    def _train(self, data: TrainingSet, given: FitInput) -> None:
        """Search the settings of every problem and train the machines they define."""
        check_values(data.X)
        context = callbacks.FitContext(self, self.max_iter + 1, given)
        random = check_random_state(self.random_state)
        entropy = random.randint(2**31 - 1, size=4)
        fitness = make_fitness(self.fitness, delta=self.delta)
        fold = None
        if fitness.held_out:
            fold = inner_folds(self.cv, data, given, random)
        problems = self._decomposition.problems
        n_threads = usable_jobs(self.n_jobs)
        with closing(Evaluator(data, problems, self.tol, n_threads, fold)) as evaluator:
            search = SEARCHES[self.search](
                evaluator,
                Encoding(self._gene_ranges(), len(problems), self.share),
                fitness=fitness,
                make_optimizer=self._make_optimizer(),
                seed=np.random.SeedSequence(entropy.tolist()),
            )
            self._run(search, data, context)
        self._keep_history(search)
        self._train_best(data, search)
        context.end()

    def _keep_history(self, search: JointSearch) -> None:
        """Set the fitness of the best individual, and that of all generations."""
        self.fitness_ = float(search.history["best"][-1])
        self.history_ = {name: np.array(row) for name, row in search.history.items()}
        for name in ("n_svms", "n_unconverged"):
            self.history_[name] = self.history_[name].astype(int)

    def _train_best(self, data: TrainingSet, search: JointSearch) -> None:
        """Train the machine of every problem with the best settings so far."""
        settings = search.encoding.settings(search.best_genes)
        self._fit_machines(data, settings, np.ones(data.n_classes))
        self.n_iter_ = int(search.generation)

    def _run(
        self, search: JointSearch, data: TrainingSet, fit: callbacks.FitContext
    ) -> None:
        """Go through the generations; warn of a search that ended too soon."""
        file = None
        if self.checkpoint is not None:
            arrays = [data.X, data.weight, data.class_start, self.classes_]
            identity = search_identity(arrays, self.get_params(deep=False))
            file = CheckpointFile(self.checkpoint, identity)

        def fitted_attributes() -> dict[str, Any]:
            """Return those of a model of the best individual so far."""
            model = copy.copy(self)
            model._train_best(data, search)
            state = cast(dict[str, Any], model.__getstate__())
            given = set(self.get_params()) | {"_skl_callbacks", "_sklearn_version"}
            return {name: state[name] for name in state if name not in given}

        def should_stop(state: run.SearchState) -> bool:
            by_scikit_learn = fit.generation(fitted_attributes)
            by_callback = self.callback is not None and self.callback(state)
            return bool(by_callback) or by_scikit_learn

        self.stop_reason_ = run.run_search(search, self, file, should_stop)
        self._warn_of_early_end(search)

    def _warn_of_early_end(self, search: JointSearch) -> None:
        """Warn of a model that is less than what was wanted."""
        if search.evaluator.stopped and not search.generation:
            warn_caller(
                f"time_limit={self.time_limit} ended the search before its initial "
                f"population was trained ({search.evaluator.n_solved} SVMs were): the "
                "model is hardly better than a random one. Raise the limit, or make "
                "pop_size smaller."
            )
        elif self.stop_reason_ == "interrupted":
            warn_caller(
                f"The search was interrupted after generation {search.generation} of "
                f"{self.max_iter}; the model is the best found so far."
            )
