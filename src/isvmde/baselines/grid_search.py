"""Choose a baseline's parameters on a grid by inner cross-validation."""

import numbers
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import KW_ONLY, dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.random import RandomState
from scipy.stats import rankdata
from sklearn.base import MetaEstimatorMixin, clone
from sklearn.model_selection import ParameterGrid, check_cv
from sklearn.utils import check_random_state
from sklearn.utils.parallel import Parallel, delayed

from isvmde.classifiers.checks import check_whole
from isvmde.classifiers.one_vs_one import Given, OneVsOneSVM, check_weight
from isvmde.core.kernels import Kernel, base_matrix, cross_base
from isvmde.core.limits import check_values
from isvmde.core.solver import make_workspace
from isvmde.core.training_set import TrainingSet, training_set
from isvmde.model_selection import PaperKFold

from .ovo_svm import OVOSVM, BinaryProblem, Targets

_SEEDS = np.iinfo(np.int32).max
_SAME = 12  # scores that agree in this many decimals are equal

# Candidates that differ in C alone, C increasing, with their positions in the grid.
Chain = list[tuple[int, OVOSVM]]
# Candidates that share their binary problems: by kernel, then by all else but C.
Group = dict[Kernel, dict[tuple[object, ...], Chain]]


class _Fold(NamedTuple):
    """An inner fold: what is trained on, and what is scored."""

    data: TrainingSet
    seed: int  # of the synthetic samples
    X: np.ndarray
    y: np.ndarray  # index of the class in the training part, M for a class not there
    weight: np.ndarray


@dataclass(eq=False, repr=False)
class GridSearchSVM(MetaEstimatorMixin, OneVsOneSVM):
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
        ``params`` and, a value per grid point, ``mean_test_g_mean``,
        ``mean_test_av_f_beta``, ``split<k>_test_g_mean``, ``split<k>_test_av_f_beta``
        and ``rank_test_g_mean`` (1 is best).
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
                f"{self.estimator!r} is none of isvmde's baselines: use scikit-learn's "
                "GridSearchCV for other classifiers."
            )
        if isinstance(self.cv, numbers.Number):
            check_whole("cv", self.cv, 2)

    def _train(self, data: TrainingSet, given: Given) -> None:
        points = [dict(point) for point in ParameterGrid(self.param_grid)]
        candidates = [clone(self.estimator).set_params(**point) for point in points]
        for candidate in candidates:
            candidate._check_parameters()
        self.estimator._check_counts(data.weight)
        check_values(data.X)
        rng = check_random_state(self.random_state)
        folds = list(self._folds(data, given, rng))
        self._set_results(points, self._score(folds, candidates))
        best = candidates[self.best_index_]
        if best.get_params().get("random_state", 0) is None:
            best.set_params(random_state=rng.randint(_SEEDS))
        self.best_estimator_ = best.fit(*given)
        self.n_support_ = best.n_support_

    def _folds(
        self, data: TrainingSet, given: Given, rng: RandomState
    ) -> Iterator[_Fold]:
        """Yield the inner folds whose training part has two classes or more."""
        here = np.flatnonzero(data.place >= 0)  # a weight of 0 has no place
        X, y = data.X[data.place], data.label[data.place]
        weight = check_weight(given.sample_weight, y)
        largest = int(np.bincount(y[here]).max())
        folds: Iterable[Any] = ()
        if not isinstance(self.cv, numbers.Integral):
            folds = check_cv(self.cv, y, classifier=True).split(given.X, given.y)
        elif largest > 1:
            dealt = PaperKFold(min(int(self.cv), largest), random_state=rng)
            folds = ((here[a], here[b]) for a, b in dealt.split(here, y[here]))
        for parts in folds:
            train, test = (np.intersect1d(part, here) for part in parts)
            seed = rng.randint(_SEEDS)
            present, index = np.unique(y[train], return_inverse=True)
            n_classes, known = len(present), np.isin(y[test], present)
            if n_classes > 1 and known.any():
                part = training_set(X[train], index, weight[train], n_classes)
                true = np.where(known, np.searchsorted(present, y[test]), n_classes)
                yield _Fold(part, seed, X[test], true, weight[test])

    def _score(self, folds: list[_Fold], candidates: list[OVOSVM]) -> np.ndarray:
        """Return (folds, 2, candidates): G-mean and AvF."""
        groups, parts = group_candidates(candidates), []
        for k, fold in enumerate(folds):
            for group in groups:
                # the same seed for all groups: they differ in what their parameters say
                rng = RandomState(fold.seed)
                _, first = members(group)[0]
                parts.append((k, group, list(first._problems(fold.data, rng))))
        tasks = [
            delayed(decide_grid)(problem, group, folds[k].X)
            for k, group, problems in parts
            for problem in problems
        ]
        decided = iter(Parallel(self.n_jobs, backend="threading")(tasks))
        scores = np.full((len(folds), 2, len(candidates)), np.nan)
        for k, group, problems in parts:
            fold, size = folds[k], folds[k].data.class_size
            F = np.stack([next(decided) for _ in problems], axis=2)
            flat = F.reshape(-1, len(problems))  # candidates and rows, problems
            predicted = self.estimator._predict_index(flat, size).reshape(F.shape[:2])
            found = score_fold(fold.y, predicted, len(size), fold.weight)
            scores[k][:, [i for i, _ in members(group)]] = found
        return scores

    def _set_results(self, points: list[dict[str, Any]], scores: np.ndarray) -> None:
        """Choose the point and keep the table."""
        self.n_splits_ = len(scores)
        with np.errstate(invalid="ignore"):  # NaN without a fold
            mean = scores.sum(axis=0) / len(scores)
        g_mean, av_f = np.round(np.nan_to_num(mean), _SAME)
        self.best_index_ = int(np.lexsort((-av_f, -g_mean))[0])
        self.best_params_ = points[self.best_index_]
        self.best_score_ = float(mean[0, self.best_index_])
        rank = rankdata(-g_mean, method="min").astype(int)
        self.cv_results_ = {"params": points, "rank_test_g_mean": rank}
        parts = [("mean", mean), *((f"split{k}", one) for k, one in enumerate(scores))]
        for part, (one, other) in parts:
            self.cv_results_[f"{part}_test_g_mean"] = one
            self.cv_results_[f"{part}_test_av_f_beta"] = other

    def _pair_decisions(self, X: np.ndarray) -> np.ndarray:
        return self.best_estimator_._pair_decisions(X)

    def _class_index(self, X: np.ndarray) -> np.ndarray:
        return self.best_estimator_._class_index(X)

    def _class_scores(self, X: np.ndarray) -> np.ndarray:
        return self.best_estimator_._class_scores(X)

    def _probabilities(self, X: np.ndarray) -> np.ndarray:
        return self.best_estimator_._probabilities(X)


def group_candidates(candidates: list[OVOSVM]) -> list[Group]:
    """Sort the grid into groups, kernels and chains."""
    groups: dict[tuple[object, ...], Group] = {}
    for i, one in sorted(enumerate(candidates), key=lambda item: float(item[1].C)):
        rest = one.get_params(deep=False)
        structure = tuple(rest[name] for name in one._structure)
        for name in ("C", "kernel", "sigma", "degree"):
            del rest[name]
        chains = groups.setdefault(structure, {}).setdefault(one._kernel_in_use(), {})
        chains.setdefault(tuple(rest.values()), []).append((i, one))
    return list(groups.values())


def members(group: Group) -> Chain:
    """Return the candidates of a group, chain after chain."""
    chains = [chain for kernel in group.values() for chain in kernel.values()]
    return [member for chain in chains for member in chain]


def decide_grid(problem: BinaryProblem, group: Group, X: np.ndarray) -> np.ndarray:
    """Return f of the group's `members` for the rows of X, (candidates, n)."""
    work = make_workspace(len(problem.y))
    bases: dict[int, tuple[np.ndarray, np.ndarray]] = {}
    known: dict[tuple[object, ...], Targets] = {}
    F = []
    for kernel, chains in group.items():
        if kernel.base not in bases:
            own = base_matrix(kernel.base, problem.points)
            bases[kernel.base] = own, cross_base(kernel.base, problem.points, X)
        own, cross = bases[kernel.base]
        source = problem.blended(own, kernel, work)
        coefficients, intercepts = [], []
        for rest, chain in chains.items():
            if rest not in known:
                known[rest] = chain[0][1]._targets(problem)
            alpha, C_before = None, 1.0
            for _, candidate in chain:
                C = float(candidate.C)
                if alpha is not None:
                    alpha *= C / C_before  # feasible again, at its bound what was
                solution = candidate._solve(problem, known[rest], source, alpha)
                alpha, C_before = solution.alpha, C
                coefficients.append(problem.fold_back(problem.y * alpha))
                intercepts.append(solution.b)
        values = kernel.from_base(cross)
        F.append(np.array(coefficients) @ values + np.array(intercepts)[:, None])
    return np.concatenate(F)


def score_fold(
    y: np.ndarray, predicted: np.ndarray, n_classes: int, weight: np.ndarray
) -> np.ndarray:
    """Return (2, candidates): G-mean and AvF, over the classes the metrics take."""
    # y = n_classes, a class that could not be learned, adds to wrong predictions
    shape = len(predicted), n_classes + 1, n_classes
    cell = (np.arange(shape[0])[:, None] * shape[1] + y) * n_classes + predicted
    weights = np.tile(weight, shape[0])
    confusion = np.bincount(cell.ravel(), weights, np.prod(shape)).reshape(shape)
    right = np.diagonal(confusion[:, :n_classes], axis1=1, axis2=2)
    true = np.bincount(y, weight, n_classes + 1)[:n_classes]
    with np.errstate(divide="ignore"):  # a recall of 0 makes 0
        g_mean = np.exp(np.log(right[:, true > 0] / true[true > 0]).mean(axis=1))
    both = true + confusion.sum(axis=1)
    f = 2 * right / np.where(both > 0, both, 1.0)
    return np.array([g_mean, f.sum(axis=1) / (both > 0).sum(axis=1)])
