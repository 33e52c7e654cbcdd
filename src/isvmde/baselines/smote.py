"""Static-SMOTE, SDC and WK-SMOTE: synthetic samples of the smaller classes.

A synthetic sample is ``(1 - gap) * a + gap * b`` with b one of the nearest neighbours
of a in its own class. Only the triple (sample, neighbour, gap) is drawn; what is
interpolated, rows or images in a kernel's space, is the method's business.

Chawla, Bowyer, Hall, Kegelmeyer: SMOTE: synthetic minority over-sampling technique.
J. Artif. Intell. Res. 16 (2002) 321-357.
"""

from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from typing import Any, ClassVar

import numpy as np
from numpy.random import RandomState

from isvmde.core.kernels import base_matrix, squared_distances
from isvmde.core.solver import POLY
from isvmde.core.training_set import TrainingSet

from .ovo_svm import OVOSVM, BinaryProblem, Draws

_MOST_SAMPLES = 1_000_000  # that weights may stand for where each is drawn from


@dataclass(kw_only=True, eq=False, repr=False)
class OversamplingSVM(OVOSVM):
    """A baseline that draws synthetic samples, from every sample in the same way."""

    _structure: ClassVar[tuple[str, ...]] = ("k_neighbors",)

    k_neighbors: int = field(default=5, metadata={"least": 1})
    random_state: Any = None

    def _check_counts(self, weight: np.ndarray) -> None:
        if (weight % 1).any() or weight.sum() > _MOST_SAMPLES:
            raise ValueError(
                f"{type(self).__name__} draws synthetic samples from one sample after "
                "the other, so sample_weight must hold whole numbers, with a sum of at "
                f"most {_MOST_SAMPLES:,}."
            )

    def _squared_distance(self, X: np.ndarray) -> np.ndarray:
        """Return what orders neighbours."""
        return squared_distances(X)

    def _draw(self, data: TrainingSet, c: int, count: int, rng: RandomState) -> Draws:
        """Draw triples of class ``c``, its samples in turn; merged rows are several."""
        rows = data.rows(c)
        weight = data.weight[rows].astype(np.intp)
        row = np.repeat(np.arange(len(weight)), weight)
        distance = self._squared_distance(data.X[rows])[np.ix_(row, row)]
        neighbours = nearest_neighbours(distance, self.k_neighbors)
        sample = np.resize(rng.permutation(len(row)), count)
        column = rng.randint(neighbours.shape[1], size=count)
        gap = rng.uniform(size=count)
        return Draws(row[sample], row[neighbours[sample, column]], gap)


@dataclass(kw_only=True, eq=False, repr=False)
class StaticSMOTESVM(OversamplingSVM):
    """Static-SMOTE on the whole training set, then plain one-vs-one SVMs.

    As many times as there are classes, the class that is smallest at that moment gets
    as many SMOTE samples as it had at first (n, 2n, 3n, ...), drawn between these. Vote
    ties go to the class with fewer of these. "Static-SMOTE" in the paper's tables.

    Fernández-Navarro, Hervás-Martínez, Gutiérrez: A dynamic over-sampling procedure
    based on sensitivity for multi-class problems. Pattern Recogn. 44 (2011) 1821-1833.

    Parameters
    ----------
    C, kernel, sigma, degree, tol, max_iter
        As in :class:`OVOSVM`, which also says what the attributes are.
    k_neighbors, random_state
        As in :class:`SDCSVM`; sample weights are whole numbers here as there.

    Examples
    --------
    >>> from isvmde.baselines import StaticSMOTESVM
    >>> StaticSMOTESVM(random_state=0).fit([[0], [1], [5]], [0, 0, 1]).predict([[6]])
    array([1])
    """

    def _problems(self, data: TrainingSet, rng: RandomState) -> Iterable[BinaryProblem]:
        return super()._problems(self._oversample(data, rng), rng)

    def _oversample(self, data: TrainingSet, rng: RandomState) -> TrainingSet:
        """Return the set with synthetic rows; class sizes, which decide ties, stay."""
        X = [data.X[data.rows(c)] for c in range(data.n_classes)]
        weight = [data.weight[data.rows(c)] for c in range(data.n_classes)]
        size = data.class_size.copy()
        for _ in range(data.n_classes):
            c = int(np.argmin(size))  # the lower index on equality
            count = int(data.class_size[c])
            draws = self._draw(data, c, count, rng)
            X[c] = np.concatenate([X[c], interpolate(X[c], draws)])
            weight[c] = np.append(weight[c], np.ones(count))
            size[c] += count
        rows, weights = np.concatenate(X), np.concatenate(weight)
        return TrainingSet(rows, weights, np.cumsum([0, *map(len, X)]), data.class_size)


@dataclass(kw_only=True, eq=False, repr=False)
class SDCSVM(OversamplingSVM):
    """SMOTE with different costs (SDC), one-vs-one.

    In every pair the smaller class gets SMOTE samples until both have the same number.
    A sample of the smaller class, synthetic or not, then costs ``C * n / n+`` and one
    of the larger class ``C * n / n-``; n and n+ count original samples. Sample weights
    must be whole: every sample is drawn from in its turn. "SDC" in the paper's tables.

    Akbani, Kwek, Japkowicz: Applying support vector machines to imbalanced datasets.
    Proc. ECML (2004) 39-50.

    Parameters
    ----------
    C, kernel, sigma, degree, tol, max_iter
        As in :class:`OVOSVM`, which also says what the attributes are.
    k_neighbors : int, default=5
        Neighbours a synthetic sample is drawn towards; all others of the class if it
        has fewer, and duplicates of a lone sample.
    random_state : int, RandomState instance or None, default=None
        Seed of the draws.

    Examples
    --------
    >>> from isvmde.baselines import SDCSVM
    >>> SDCSVM(C=10, random_state=0).fit([[0], [1], [5]], [0, 0, 1]).predict([[6]])
    array([1])
    """

    def _pair_problem(
        self, data: TrainingSet, plus: int, minus: int, rng: RandomState
    ) -> BinaryProblem:
        problem = super()._pair_problem(data, plus, minus, rng)
        more = np.ones(int(problem.n_neg - problem.n_pos))
        draws = self._draw(data, plus, len(more), rng)
        y, weight = np.append(problem.y, more), np.append(problem.weight, more)
        # the rows of + come first, so the indices of the draws need no shift
        synthetic = self._synthetic(problem.points, draws)
        return replace(problem, y=y, weight=weight, **synthetic)

    def _synthetic(self, points: np.ndarray, draws: Draws) -> dict[str, Any]:
        """Return what the synthetic samples change in the problem."""
        return {"points": np.concatenate([points, interpolate(points, draws)])}

    def _costs(self, problem: BinaryProblem) -> tuple[float, float]:
        return problem.balanced_costs()


@dataclass(kw_only=True, eq=False, repr=False)
class WKSMOTESVM(SDCSVM):
    """Weighted kernel-based SMOTE, one-vs-one.

    As SDC, but between the *images* of two samples in the kernel's space: neighbours
    are the nearest by kernel distance, and the Gram matrix is augmented to
    ``T K T'``, where a row of T holds 1 - gap at the sample and gap at its neighbour.
    For prediction the synthetic multipliers are folded back into those of the two
    samples. With the linear kernel this is SDC. "WK-SMOTE" in the paper's tables.

    Mathew, Pang, Luo, Leong: Classification of imbalanced data by oversampling in
    kernel space of support vector machines. IEEE Trans. Neural Netw. Learn. Syst. 29
    (2018) 4065-4076.

    Parameters
    ----------
    C, kernel, sigma, degree, tol, max_iter
        As in :class:`OVOSVM`, which also says what the attributes are.
    k_neighbors, random_state
        As in :class:`SDCSVM`; sample weights are whole numbers here as there.
    costs : {"balanced", "equal"}, default="balanced"
        "balanced" multiplies C by n / n+ and n / n-, "equal" by 1.

    Examples
    --------
    >>> from isvmde.baselines import WKSMOTESVM
    >>> WKSMOTESVM(C=10, random_state=0).fit([[0], [1], [5]], [0, 0, 1]).predict([[6]])
    array([1])
    """

    _structure: ClassVar[tuple[str, ...]] = ("k_neighbors", "kernel", "degree")

    costs: str = field(default="balanced", metadata={"choices": ["balanced", "equal"]})

    def _squared_distance(self, X: np.ndarray) -> np.ndarray:
        """Return K_pp - 2 K_pq + K_qq, or what orders neighbours in the same way."""
        kernel = self._kernel_in_use()
        if kernel.function != POLY:
            # rbf falls with the distance, so its nearest are the nearest rows; computed
            # from them, no neighbours tie because a narrow kernel is 0 for all
            return super()._squared_distance(X)
        with np.errstate(over="ignore", invalid="ignore"):  # the solver sees and tells
            K = kernel.from_base(base_matrix(kernel.base, X))
            own = np.diagonal(K)
            return np.nan_to_num(own[:, None] - 2.0 * K + own, nan=np.inf)

    def _synthetic(self, points: np.ndarray, draws: Draws) -> dict[str, Any]:
        return {"blend": draws}

    def _costs(self, problem: BinaryProblem) -> tuple[float, float]:
        return (1.0, 1.0) if self.costs == "equal" else super()._costs(problem)


def nearest_neighbours(squared_distance: np.ndarray, k: int) -> np.ndarray:
    """Return the (n, min(k, n-1)) nearest others of each sample, nearest first."""
    n = len(squared_distance)
    if n == 1:  # its own neighbour: what is drawn from it are duplicates
        return np.zeros((1, 1), dtype=np.intp)
    others = squared_distance.copy()
    np.fill_diagonal(others, np.inf)  # duplicates of a sample are neighbours, it is not
    return np.argsort(others, axis=1, kind="stable")[:, : min(k, n - 1)]


def interpolate(X: np.ndarray, draws: Draws) -> np.ndarray:
    """Return the synthetic rows a + gap (b - a)."""
    a, b = X[draws.sample], X[draws.neighbour]
    return np.asarray(a + draws.gap[:, None] * (b - a))
