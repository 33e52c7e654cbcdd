"""Choose a baseline's parameters on a grid by inner cross-validation."""

import numbers
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import KW_ONLY, dataclass, field
from typing import Any, NamedTuple

import numpy as np
from numpy.random import RandomState
from scipy.stats import rankdata
from sklearn.base import MetaEstimatorMixin, clone
from sklearn.model_selection import ParameterGrid, check_cv
from sklearn.utils import check_random_state

from isvmde.classifiers.checks import check_whole
from isvmde.classifiers.multiclass import FitInput, MulticlassSVM, check_weight
from isvmde.core.arrays import Floats, Ints
from isvmde.core.decomposition import Decisions, KnownDecisions, make_decomposition
from isvmde.core.kernels import Kernel, base_matrix, cross_base
from isvmde.core.limits import check_values
from isvmde.core.parallel import Threads
from isvmde.core.solver import make_workspace
from isvmde.core.training_set import TrainingSet, training_set
from isvmde.jobs import usable_jobs
from isvmde.metrics import PAPER_METRICS
from isvmde.model_selection import PaperKFold

from .binary_problems import (
    GramSource,
    ProblemSamples,
    Targets,
    gram_source,
    solve_problem,
)
from .ovo_svm import OVOSVM

_SEEDS = np.iinfo(np.int32).max
_SAME = 12  # scores that agree in this many decimals are equal
SCORES = (*PAPER_METRICS, "accuracy")


class Candidate(NamedTuple):
    """A point of the grid."""

    position: int  # in the grid
    model: OVOSVM


# Candidates that differ in C alone, C increasing.
Chain = list[Candidate]
Parameters = tuple[tuple[str, Any], ...]  # names and values


@dataclass(frozen=True, eq=False)
class Group:
    """Candidates that share the samples of their binary problems."""

    # by kernel, then by all parameters but C
    chains: dict[Kernel, dict[Parameters, Chain]] = field(default_factory=dict)

    @property
    def members(self) -> list[Candidate]:
        """Its candidates, chain after chain."""
        members: list[Candidate] = []
        for chains in self.chains.values():
            for chain in chains.values():
                members += chain
        return members

    @property
    def first_model(self) -> OVOSVM:
        """A candidate that makes the samples for all."""
        return self.members[0].model


class _Split(NamedTuple):
    """The rows of an inner fold, among those given."""

    train: Ints
    test: Ints


class _Fold(NamedTuple):
    """An inner fold: what is trained on, and what is scored."""

    data: TrainingSet
    seed: int  # of the synthetic samples
    X: Floats
    y: Ints  # index of the class in the training part, M for a class not there
    weight: Floats


class _Bases(NamedTuple):
    """What kernels are functions of, for the points of a problem."""

    points: Floats  # (n, n) among themselves
    rows: Floats  # (n, rows) and with the rows to be decided


class _Machine(NamedTuple):
    """A candidate's machine: f = beta K + b."""

    beta: Floats  # (n,) coefficients of the points
    b: float


class _Part(NamedTuple):
    """The work of a group of candidates on a fold."""

    fold: int
    group: Group
    problems: list[ProblemSamples]


@dataclass(eq=False, repr=False)
class GridSearchSVM(MetaEstimatorMixin, MulticlassSVM):
    """Grid search for the baselines, by the G-mean over inner folds.

    :class:`~isvmde.model_selection.PaperKFold` deals the folds, so a tiny class is
    absent from some. A fold is scored on the classes that its training part holds; the
    point with the largest mean G-mean is chosen, on equality that with the largest mean
    AvF, then the first of the grid. The baseline is then trained on all data.

    Points share rows, distances, synthetic samples and kernel values, and along
    increasing C each solution starts from the one before it; this is many times faster
    than :class:`~sklearn.model_selection.GridSearchCV`.

    Parameters
    ----------
    estimator : OVOSVM, StaticSMOTESVM, CostSVM, SDCSVM, WKSMOTESVM, PPSVM or NBSVM
        The baseline.
    param_grid : dict or list of dict
        Values to try for the baseline's parameters, as for ``GridSearchCV``.
    cv : int, splitter or iterable of (train, test), default=3
        Number of inner folds, fewer where the largest class has fewer samples; or the
        inner folds themselves, as scikit-learn takes them.
    random_state : int, RandomState instance or None, default=None
        Seed of the inner folds and their synthetic samples, and of the final training
        if the estimator's own ``random_state`` is None.
    n_jobs : int, default=None
        Threads that share the binary problems; they do not change the result.

    Attributes
    ----------
    best_estimator_, best_params_, best_index_ : classifier, dict, int
        The trained baseline, the chosen parameters, and where they stand in the grid.
    best_score_ : float
        Their mean G-mean over the inner folds; NaN when no fold could be scored (all
        classes but one too small), the first point is taken then.
    cv_results_ : dict
        ``params`` and, a value per grid point, ``rank_test_g_mean`` (1 is best),
        ``mean_test_<score>`` and ``split<k>_test_<score>`` of the scores g_mean,
        av_f_beta, cba and accuracy, so that another choice can be looked up.
    n_splits_ : int
        Inner folds that were scored.
    classes_, n_support_, n_features_in_, feature_names_in_
        As in :class:`OVOSVM`.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from isvmde.baselines import CostSVM, GridSearchSVM
    >>> X, y = load_iris(return_X_y=True)
    >>> grid = {"C": [10, 100], "sigma": [0.5, 1], "multiple_pos": [0.5, 1, 2]}
    >>> search = GridSearchSVM(CostSVM(), grid, random_state=0).fit(X[40:], y[40:])
    >>> search.best_params_
    {'C': 10, 'multiple_pos': 0.5, 'sigma': 1}
    """

    estimator: OVOSVM
    param_grid: Mapping[str, Sequence[Any]] | Sequence[Mapping[str, Sequence[Any]]]
    _: KW_ONLY
    cv: Any = 3
    random_state: Any = None
    n_jobs: int | None = None

    def _check_parameters(self) -> None:
        if not isinstance(self.estimator, OVOSVM):
            raise TypeError(
                f"{self.estimator!r} is not one of isvmde's baselines: use "
                "scikit-learn's GridSearchCV for other classifiers."
            )
        if isinstance(self.cv, numbers.Number):
            check_whole("cv", self.cv, 2)

    def _train(self, data: TrainingSet, given: FitInput) -> None:
        points = [dict(point) for point in ParameterGrid(self.param_grid)]
        candidates = [clone(self.estimator).set_params(**point) for point in points]
        for candidate in candidates:
            candidate.check_parameters()
        self.estimator.check_weights(data.weight)
        check_values(data.X)
        rng = check_random_state(self.random_state)
        folds = list(self._folds(data, given, rng))
        self._set_results(points, self._score(folds, candidates))
        best = candidates[self.best_index_]
        if best.get_params().get("random_state", 0) is None:
            best.set_params(random_state=rng.randint(_SEEDS))
        self.best_estimator_ = best.fit(
            given.X, given.y, sample_weight=given.sample_weight
        )
        self.n_support_ = best.n_support_
        self.decomposition_ = best.decomposition_

    def _folds(
        self, data: TrainingSet, given: FitInput, rng: RandomState
    ) -> Iterator[_Fold]:
        """Yield the inner folds whose training part has two classes or more."""
        # the rows that were given, as their places in the training set say
        X, y = data.X[data.place], data.label[data.place]
        weight = check_weight(given.sample_weight, y)
        for split in self._splits(data, given, rng):
            seed = rng.randint(_SEEDS)
            present, label = np.unique(y[split.train], return_inverse=True)
            n_classes = len(present)
            known = np.isin(y[split.test], present)
            if n_classes < 2 or not known.any():
                continue
            place = np.searchsorted(present, y[split.test])
            yield _Fold(
                data=training_set(
                    X[split.train], label, weight[split.train], n_classes
                ),
                seed=seed,
                X=X[split.test],
                y=np.where(known, place, n_classes),
                weight=weight[split.test],
            )

    def _splits(
        self, data: TrainingSet, given: FitInput, rng: RandomState
    ) -> Iterator[_Split]:
        """Yield the rows of every inner fold, without those of weight 0."""
        counted = np.flatnonzero(data.place >= 0)  # a weight of 0 has no place
        y = data.label[data.place]
        if not isinstance(self.cv, numbers.Integral):
            splitter = check_cv(self.cv, y, classifier=True)
            for train, test in splitter.split(given.X, given.y):
                yield _Split(
                    train=np.intersect1d(train, counted),
                    test=np.intersect1d(test, counted),
                )
            return
        largest = int(np.bincount(y[counted]).max())
        if largest > 1:
            dealt = PaperKFold(min(int(self.cv), largest), random_state=rng)
            for train, test in dealt.split(counted, y[counted]):
                yield _Split(train=np.sort(counted[train]), test=np.sort(counted[test]))

    def _score(self, folds: list[_Fold], candidates: list[OVOSVM]) -> Floats:
        """Return (folds, scores, candidates), in the order of ``SCORES``."""
        parts = list(_make_parts(folds, group_candidates(candidates)))
        scores = np.full((len(folds), len(SCORES), len(candidates)), np.nan)
        for part, F in zip(parts, self._decide(parts, folds), strict=True):
            fold = folds[part.fold]
            predicted = _predict(part.group, F, fold.data.class_size)
            found = score_fold(fold.y, predicted, fold.data.n_classes, fold.weight)
            positions = [candidate.position for candidate in part.group.members]
            scores[part.fold][:, positions] = found
        return scores

    def _decide(self, parts: list[_Part], folds: list[_Fold]) -> Iterator[Floats]:
        """Yield f of every part, (candidates, rows, problems); threads share all."""
        threads = Threads(usable_jobs(self.n_jobs))

        def decide_problem(task: tuple[_Part, ProblemSamples]) -> Floats:
            part, samples = task
            return decide_grid(samples, part.group, folds[part.fold].X, threads.stop)

        tasks = [(part, samples) for part in parts for samples in part.problems]
        with threads:
            decided = iter(threads.map(decide_problem, tasks))
        for part in parts:
            yield np.stack([next(decided) for _ in part.problems], axis=2)

    def _set_results(self, points: list[dict[str, Any]], scores: Floats) -> None:
        """Choose the point and keep the table; scores (folds, scores, points)."""
        self.n_splits_ = len(scores)
        with np.errstate(invalid="ignore"):  # NaN without a fold
            mean = scores.sum(axis=0) / len(scores)
        rounded = np.round(np.nan_to_num(mean), _SAME)
        g_mean = rounded[SCORES.index("g_mean")]
        av_f = rounded[SCORES.index("av_f_beta")]
        self.best_index_ = int(np.lexsort((-av_f, -g_mean))[0])
        self.best_params_ = points[self.best_index_]
        self.best_score_ = float(mean[SCORES.index("g_mean"), self.best_index_])
        rank = rankdata(-g_mean, method="min").astype(int)
        self.cv_results_ = {"params": points, "rank_test_g_mean": rank}
        for s, name in enumerate(SCORES):
            self.cv_results_[f"mean_test_{name}"] = mean[s]
            for k, of_fold in enumerate(scores):
                self.cv_results_[f"split{k}_test_{name}"] = of_fold[s]

    def _pair_decisions(self, X: Floats) -> Floats:
        decisions: Floats = self.best_estimator_._pair_decisions(X)
        return decisions

    def _decisions(self, X: Floats) -> Decisions:
        decisions: Decisions = self.best_estimator_._decisions(X)
        return decisions


def group_candidates(candidates: list[OVOSVM]) -> list[Group]:
    """Sort the grid into groups, kernels and chains."""
    groups: dict[Parameters, Group] = {}
    for position, model in sorted(enumerate(candidates), key=lambda at: at[1].C):
        group = groups.setdefault(_what_makes_samples(model), Group())
        chains = group.chains.setdefault(model.make_kernel(), {})
        chain = chains.setdefault(_what_makes_targets(model), [])
        chain.append(Candidate(position, model))
    return list(groups.values())


def _what_makes_samples(model: OVOSVM) -> Parameters:
    """Return the parameters on which the samples of binary problems depend."""
    names = ("decomposition", *model.sampling_parameters)
    return tuple((name, getattr(model, name)) for name in names)


def _what_makes_targets(model: OVOSVM) -> Parameters:
    """Return all parameters but those of the kernel, and C."""
    chosen = model.get_params(deep=False)
    others = sorted(set(chosen) - {"C", "kernel", "sigma", "degree"})
    return tuple((name, chosen[name]) for name in others)


def _make_parts(folds: list[_Fold], groups: list[Group]) -> Iterator[_Part]:
    """Make the samples of every group's binary problems on every fold."""
    for k, fold in enumerate(folds):
        for group in groups:
            # the same seed for all groups: they differ in what their parameters say
            rng = RandomState(fold.seed)
            problems = list(group.first_model.problem_samples(fold.data, rng))
            yield _Part(k, group, problems)


def _predict(group: Group, F: Floats, class_size: Floats) -> Ints:
    """Return the predicted classes, (candidates, rows), from f of all problems."""
    decomposition = make_decomposition(group.first_model.decomposition, class_size)
    n_candidates, n_rows, n_problems = F.shape
    decisions = KnownDecisions(F.reshape(-1, n_problems))
    return decomposition.predict(decisions).reshape(n_candidates, n_rows)


def decide_grid(samples: ProblemSamples, group: Group, X: Floats, stop: Ints) -> Floats:
    """Return f of the group's members for the rows of X, (candidates, n)."""
    work = make_workspace(len(samples.y), stop)
    bases: dict[int, _Bases] = {}
    targets: dict[Parameters, Targets] = {}
    F = []
    for kernel, chains in group.chains.items():
        if kernel.base not in bases:
            bases[kernel.base] = _Bases(
                points=base_matrix(kernel.base, samples.points),
                rows=cross_base(kernel.base, samples.points, X),
            )
        base = bases[kernel.base]
        source = gram_source(samples, base.points, kernel, work)
        coefficients, intercepts = [], []
        for parameters, chain in chains.items():
            if parameters not in targets:
                targets[parameters] = chain[0].model.targets(samples)
            for machine in _solve_chain(chain, samples, targets[parameters], source):
                coefficients.append(machine.beta)
                intercepts.append(machine.b)
        K = kernel.from_base(base.rows)
        F.append(np.array(coefficients) @ K + np.array(intercepts)[:, None])
    return np.concatenate(F)


def _solve_chain(
    chain: Chain, samples: ProblemSamples, targets: Targets, source: GramSource
) -> Iterator[_Machine]:
    """Yield the machine of every C of a chain."""
    alpha, C_before = None, 1.0
    for candidate in chain:
        model = candidate.model
        C = float(model.C)
        if alpha is not None:
            alpha *= C / C_before  # feasible again, at its bound what was
        solution = solve_problem(
            samples,
            targets,
            source,
            C=C,
            tol=model.tol,
            max_iter=model.max_iter,
            start=alpha,
        )
        alpha, C_before = solution.alpha, C
        beta = samples.fold_back(samples.y * alpha)
        yield _Machine(beta=beta, b=solution.b)


def score_fold(y: Ints, predicted: Ints, n_classes: int, weight: Floats) -> Floats:
    """Return (scores, candidates), over the classes that the metrics take.

    y (n,) is ``n_classes`` for a class that could not be learned: it adds to wrong
    predictions. ``predicted`` is (candidates, n).
    """
    n_candidates = len(predicted)
    shape = n_candidates, n_classes + 1, n_classes
    candidate = np.arange(n_candidates)[:, None]
    cell = np.ravel_multi_index((candidate, y, predicted), shape)
    weights = np.tile(weight, n_candidates)
    confusion = np.bincount(cell.ravel(), weights, np.prod(shape)).reshape(shape)
    right = np.diagonal(confusion[:, :n_classes], axis1=1, axis2=2)
    true = np.bincount(y, weight, n_classes + 1)[:n_classes]
    said = confusion.sum(axis=1)
    occurs = true > 0
    with np.errstate(divide="ignore"):  # a recall of 0 makes 0
        g_mean = np.exp(np.log(right[:, occurs] / true[occurs]).mean(axis=1))
    counts = true + said > 0  # the class occurs, or is predicted
    n_counting = counts.sum(axis=1)
    f = 2 * right / np.where(counts, true + said, 1.0)
    share = right / np.where(counts, np.maximum(true, said), 1.0)
    score = {
        "g_mean": g_mean,
        "av_f_beta": f.sum(axis=1) / n_counting,
        "cba": share.sum(axis=1) / n_counting,
        "accuracy": right.sum(axis=1) / weight.sum(),
    }
    return np.array([score[name] for name in SCORES])
