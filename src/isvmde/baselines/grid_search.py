"""Choose a baseline's parameters on a grid by inner cross-validation."""

from __future__ import annotations

import numbers
import threading
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import KW_ONLY, dataclass
from typing import Any, NamedTuple

import numpy as np
from scipy.stats import rankdata
from sklearn.base import MetaEstimatorMixin, clone
from sklearn.model_selection import ParameterGrid, check_cv
from sklearn.utils import check_random_state, check_scalar
from sklearn.utils.parallel import Parallel, delayed
from sklearn.utils.validation import validate_data

from isvmde.classifiers.one_vs_one import Given, OneVsOneSVM, check_weight
from isvmde.core.limits import check_values
from isvmde.core.solver import make_workspace
from isvmde.core.training_set import TrainingSet, training_set
from isvmde.model_selection import PaperKFold

from .binary_problem import BinaryProblem
from .grid_path import Group, decide_grid, group_candidates, score_fold
from .ovo_svm import OVOSVM

_SEEDS = np.iinfo(np.int32).max
_SAME = 12  # scores that agree in this many decimals are equal


@dataclass(eq=False, repr=False)
class GridSearchSVM(MetaEstimatorMixin, OneVsOneSVM):
    """Grid search for the baselines, by the G-mean over inner folds.

    The training data are dealt to ``cv`` folds as
    :class:`~isvmde.model_selection.PaperKFold` does it, so a tiny class is absent from
    some. A fold is scored on the classes that its training part holds; the point with
    the largest mean G-mean is chosen, on equality that with the largest mean AvF, then
    the first of the grid. The baseline is then trained on all data.

    Every grid point is trained, but rows, distances, synthetic samples and kernel
    values are shared between points, and along increasing C each solution starts from
    the one before it; this is many times faster than
    :class:`~sklearn.model_selection.GridSearchCV`. The result does not depend on
    ``n_jobs``.

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
        Seed of the inner folds, of the synthetic samples in them, and of those of the
        final training if the estimator's own ``random_state`` is None.
    n_jobs : int, default=None
        Threads that share the binary problems.

    Attributes
    ----------
    best_estimator_ : classifier
        The baseline with the chosen parameters, trained on all data.
    best_params_ : dict
        The best parameters of the grid.
    best_index_ : int
        Where they stand in the grid.
    best_score_ : float
        Mean G-mean of the chosen point over the inner folds; NaN when no fold could be
        scored (all classes but one too small), the first point is taken then.
    cv_results_ : dict
        ``params`` and, a value per grid point, ``mean_test_g_mean``,
        ``mean_test_av_f_beta``, ``split<k>_test_g_mean``, ``split<k>_test_av_f_beta``
        and ``rank_test_g_mean`` (1 is best).
    n_splits_ : int
        Inner folds that were scored.
    classes_ : ndarray of shape (n_classes,)
        The classes.
    n_features_in_ : int
        Features seen in fit.
    feature_names_in_ : ndarray
        Their names, if they have any.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from isvmde.baselines import CostSVM, GridSearchSVM
    >>> X, y = load_iris(return_X_y=True)
    >>> grid = {"C": [10, 100], "sigma": [0.5, 1], "multiple_pos": [0.5, 1, 2]}
    >>> search = GridSearchSVM(CostSVM(), grid, random_state=0).fit(X[40:], y[40:])
    >>> search.best_params_
    {'C': 10, 'multiple_pos': 0.5, 'sigma': 1}
    >>> search.predict(X[:2])
    array([0, 0])
    """

    estimator: OVOSVM
    param_grid: Mapping[str, Sequence[Any]] | Sequence[Mapping[str, Sequence[Any]]]
    _: KW_ONLY
    cv: Any = 3
    random_state: Any = None
    n_jobs: int | None = None

    def _train(self, data: TrainingSet, given: Given) -> None:
        points, candidates = self._candidates()
        self.estimator._check_counts(data.weight)
        check_values(data.X)
        with np.errstate(invalid="ignore"):  # scikit-learn adds all values up
            rows, labels = validate_data(self, given.X, given.y, dtype=np.float64)
        weight = check_weight(given.sample_weight, rows)
        # means nothing where a weight is 0
        index = np.searchsorted(self.classes_, labels)
        groups = group_candidates(candidates)
        rng = check_random_state(self.random_state)
        folds = self._folds(rows, index, weight, groups, rng)
        scores = self._score(folds, groups, len(candidates))
        self._set_results(points, scores)
        best = candidates[self.best_index_]
        if best.get_params().get("random_state", 0) is None:
            best.set_params(random_state=rng.randint(_SEEDS))
        self.best_estimator_ = best.fit(rows, labels, given.sample_weight)

    def __sklearn_is_fitted__(self) -> bool:
        """Whether fit has ended."""
        return hasattr(self, "best_estimator_")

    def _candidates(self) -> tuple[list[dict[str, Any]], list[OVOSVM]]:
        """Return the grid's points and a checked classifier for each."""
        if not isinstance(self.estimator, OVOSVM):
            raise TypeError(
                "GridSearchSVM searches the parameters of isvmde's baselines, got "
                f"{self.estimator!r}: use scikit-learn's GridSearchCV for other "
                "classifiers."
            )
        points = [dict(point) for point in ParameterGrid(self.param_grid)]
        candidates = [clone(self.estimator).set_params(**point) for point in points]
        for candidate in candidates:
            candidate._check_parameters()
        return points, candidates

    def _splits(
        self,
        X: np.ndarray,
        y: np.ndarray,
        weight: np.ndarray,
        rng: np.random.RandomState,
    ) -> Iterator[tuple[np.ndarray, np.ndarray]]:
        """Yield the rows of the inner folds, without those of weight 0."""
        here = np.flatnonzero(weight > 0)
        if not isinstance(self.cv, numbers.Number):
            for parts in check_cv(self.cv, y, classifier=True).split(X, y):
                train, test = (np.intersect1d(part, here) for part in parts)
                yield train, test
            return
        cv = check_scalar(self.cv, "cv", numbers.Integral, min_val=2)
        n_splits = min(int(cv), int(np.bincount(y[here]).max()))
        if n_splits > 1:
            folds = PaperKFold(n_splits, random_state=rng)
            for train, test in folds.split(X[here], y[here]):
                yield here[train], here[test]

    def _folds(
        self,
        X: np.ndarray,
        y: np.ndarray,
        weight: np.ndarray,
        groups: list[Group],
        rng: np.random.RandomState,
    ) -> list[_Fold]:
        """Return the inner folds whose training part has two classes or more."""
        folds = []
        for train, test in self._splits(X, y, weight, rng):
            seed = rng.randint(_SEEDS)
            present = np.unique(y[train])
            known = np.isin(y[test], present)
            if len(present) < 2 or not known.any():
                continue
            data = training_set(
                X[train],
                np.searchsorted(present, y[train]),
                weight[train],
                len(present),
            )
            true = np.where(known, np.searchsorted(present, y[test]), len(present))
            problems = [
                # the same seed for all groups: they differ in what their parameters say
                list(group.candidates[0]._problems(data, np.random.RandomState(seed)))
                for group in groups
            ]
            folds.append(_Fold(X[test], true, weight[test], data.class_size, problems))
        return folds

    def _score(
        self, folds: list[_Fold], groups: list[Group], n_candidates: int
    ) -> np.ndarray:
        """Return (folds, 2, candidates): G-mean and AvF."""
        tasks = [
            (f, g, j)
            for f, fold in enumerate(folds)
            for g in range(len(groups))
            for j in range(len(fold.problems[g]))
        ]
        largest = max((len(folds[f].problems[g][j].y) for f, g, j in tasks), default=0)
        memory = threading.local()

        def run(f: int, g: int, j: int) -> np.ndarray:
            if not hasattr(memory, "work"):
                memory.work = make_workspace(largest)
            problem = folds[f].problems[g][j]
            return decide_grid(problem, groups[g], folds[f].X, memory.work)

        decisions = dict(
            zip(
                tasks,
                Parallel(n_jobs=self.n_jobs, backend="threading")(
                    delayed(run)(*task) for task in tasks
                ),
                strict=True,
            )
        )
        scores = np.full((len(folds), 2, n_candidates), np.nan)
        for f, fold in enumerate(folds):
            for g, group in enumerate(groups):
                columns = [decisions[f, g, j] for j in range(len(fold.problems[g]))]
                F = np.stack(columns, axis=2)  # candidates, rows, problems
                predicted = self.estimator._predict_index(
                    F.reshape(-1, F.shape[2]), fold.class_size
                )
                scores[f][:, group.in_grid] = score_fold(
                    fold.y,
                    predicted.reshape(F.shape[:2]),
                    len(fold.class_size),
                    fold.weight,
                )
        return scores

    def _set_results(self, points: list[dict[str, Any]], scores: np.ndarray) -> None:
        """Choose the point and keep the table."""
        self.n_splits_ = len(scores)
        shape = (2, len(points))
        mean = scores.mean(axis=0) if len(scores) else np.full(shape, np.nan)
        g_mean, av_f = np.round(np.nan_to_num(mean), _SAME)
        order = np.lexsort((np.arange(len(points)), -av_f, -g_mean))
        self.best_index_ = int(order[0])
        self.best_params_ = points[self.best_index_]
        self.best_score_ = float(mean[0, self.best_index_])
        self.cv_results_ = {
            "params": points,
            "mean_test_g_mean": mean[0],
            "mean_test_av_f_beta": mean[1],
            "rank_test_g_mean": rankdata(-g_mean, method="min").astype(int),
        }
        for k, (fold_g_mean, fold_av_f) in enumerate(scores):
            self.cv_results_[f"split{k}_test_g_mean"] = fold_g_mean
            self.cv_results_[f"split{k}_test_av_f_beta"] = fold_av_f

    def _pair_decisions(self, X: np.ndarray) -> np.ndarray:
        return self.best_estimator_._pair_decisions(X)

    def _class_index(self, X: np.ndarray) -> np.ndarray:
        return self.best_estimator_._class_index(X)

    def _class_scores(self, X: np.ndarray) -> np.ndarray:
        return self.best_estimator_._class_scores(X)

    def _probabilities(self, X: np.ndarray) -> np.ndarray:
        return self.best_estimator_._probabilities(X)


class _Fold(NamedTuple):
    """An inner fold: what is scored, and the binary problems of every group."""

    X: np.ndarray
    y: np.ndarray  # index of the class in the training part, M for a class not there
    weight: np.ndarray
    class_size: np.ndarray
    problems: list[list[BinaryProblem]]
