"""Static-SMOTE, SDC and WK-SMOTE: synthetic samples of the smaller classes.

A synthetic sample is ``(1 - gap) * a + gap * b`` with b one of the nearest neighbours
of a in its own class. Only the triple (sample, neighbour, gap) is drawn; what is
interpolated, rows or images in a kernel's space, is the method's business.

Chawla, Bowyer, Hall, Kegelmeyer: SMOTE: synthetic minority over-sampling technique.
J. Artif. Intell. Res. 16 (2002) 321-357.
"""

from dataclasses import dataclass, replace
from typing import Any, ClassVar

import numpy as np
from numpy.random import RandomState

from isvmde.classifiers.checks import check_choice, check_whole
from isvmde.core.arrays import Floats, Ints
from isvmde.core.decomposition import BinaryProblem
from isvmde.core.kernels import base_matrix, squared_distances
from isvmde.core.solver import POLY
from isvmde.core.training_set import TrainingSet

from .binary_problems import Draws, ProblemSamples, Targets, targets_by_side
from .ovo_svm import OVOSVM

_MOST_SAMPLES = 1_000_000  # that weights may stand for where each is drawn from


@dataclass(kw_only=True, eq=False, repr=False)
class OversamplingSVM(OVOSVM):
    """A baseline that draws synthetic samples, from every sample in the same way."""

    sampling_parameters: ClassVar[tuple[str, ...]] = ("k_neighbors",)

    k_neighbors: int = 5
    random_state: Any = None

    def check_parameters(self) -> None:
        """Refuse parameters that define no model."""
        super().check_parameters()
        check_whole("k_neighbors", self.k_neighbors, 1)

    def check_weights(self, weight: np.ndarray) -> None:
        """Refuse weights that are not counts, or too large ones."""
        if (weight % 1).any() or weight.sum() > _MOST_SAMPLES:
            raise ValueError(
                f"{type(self).__name__} draws synthetic samples one sample at a time, "
                "so sample_weight must hold whole numbers, with a sum of at most "
                f"{_MOST_SAMPLES:,}."
            )

    def _squared_distance(self, X: Floats) -> Floats:
        """Return what orders neighbours."""
        return squared_distances(X)

    def draw(self, X: Floats, weight: Floats, count: int, rng: RandomState) -> Draws:
        """Draw triples of the rows of X, samples in turn; merged rows are several."""
        row = np.repeat(np.arange(len(weight)), weight.astype(np.intp))
        distance = self._squared_distance(X)[np.ix_(row, row)]
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
    C, kernel, sigma, degree, decomposition, tol, max_iter
        As in :class:`OVOSVM`, which also says what the attributes are.
    k_neighbors, random_state
        As in :class:`SDCSVM`; sample weights are whole numbers here as there.

    Examples
    --------
    >>> from isvmde.baselines import StaticSMOTESVM
    >>> StaticSMOTESVM(random_state=0).fit([[0], [1], [5]], [0, 0, 1]).predict([[6]])
    array([1])
    """

    def prepare(self, data: TrainingSet, rng: RandomState) -> TrainingSet:
        """Return the set with synthetic rows; class sizes, which decide ties, stay."""
        X = [data.X[data.rows(c)] for c in range(data.n_classes)]
        weight = [data.weight[data.rows(c)] for c in range(data.n_classes)]
        size = data.class_size.copy()
        for _ in range(data.n_classes):
            c = int(np.argmin(size))  # the lower index on equality
            count = int(data.class_size[c])
            of_class = data.rows(c)
            draws = self.draw(data.X[of_class], data.weight[of_class], count, rng)
            X[c] = np.concatenate([X[c], interpolate(X[c], draws)])
            weight[c] = np.append(weight[c], np.ones(count))
            size[c] += count
        n_rows = [len(rows) for rows in X]
        return TrainingSet(
            X=np.concatenate(X),
            weight=np.concatenate(weight),
            class_start=np.concatenate([[0], np.cumsum(n_rows)]),
            class_size=data.class_size,
        )


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
    C, kernel, sigma, degree, decomposition, tol, max_iter
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

    def make_samples(
        self, data: TrainingSet, problem: BinaryProblem, rng: RandomState
    ) -> ProblemSamples:
        """Return the samples of a problem, as many of + as of -."""
        samples = super().make_samples(data, problem, rng)
        plus = data.rows_of(problem.plus)
        count = int(samples.n_neg - samples.n_pos)
        draws = self.draw(data.X[plus], data.weight[plus], count, rng)
        synthetic = np.ones(count)
        more = replace(
            samples,
            y=np.append(samples.y, synthetic),
            weight=np.append(samples.weight, synthetic),
        )
        return self._with_synthetic(more, draws)

    def _with_synthetic(self, samples: ProblemSamples, draws: Draws) -> ProblemSamples:
        """Return the samples with the points of the synthetic ones."""
        # the rows of + come first, so the indices of the draws need no shift
        new = interpolate(samples.points, draws)
        return replace(samples, points=np.concatenate([samples.points, new]))

    def targets(self, samples: ProblemSamples) -> Targets:
        """Return margins of 1 and balanced costs."""
        cost_pos, cost_neg = samples.balanced_costs()
        return targets_by_side(samples, cost_pos=cost_pos, cost_neg=cost_neg)


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
    C, kernel, sigma, degree, decomposition, tol, max_iter
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

    sampling_parameters: ClassVar[tuple[str, ...]] = ("k_neighbors", "kernel", "degree")

    costs: str = "balanced"

    def check_parameters(self) -> None:
        """Refuse parameters that define no model."""
        super().check_parameters()
        check_choice("costs", self.costs, ["balanced", "equal"])

    def _squared_distance(self, X: Floats) -> Floats:
        """Return K_pp - 2 K_pq + K_qq, or what orders neighbours in the same way."""
        kernel = self.make_kernel()
        if kernel.function != POLY:
            # rbf falls with the distance, so its nearest are the nearest rows; computed
            # from them, no neighbours tie because a narrow kernel is 0 for all
            return super()._squared_distance(X)
        with np.errstate(over="ignore", invalid="ignore"):  # the solver sees and tells
            K = kernel.from_base(base_matrix(kernel.base, X))
            diagonal = np.diagonal(K)
            squared = diagonal[:, None] - 2.0 * K + diagonal
            return np.asarray(np.nan_to_num(squared, nan=np.inf))

    def _with_synthetic(self, samples: ProblemSamples, draws: Draws) -> ProblemSamples:
        return replace(samples, blend=draws)

    def targets(self, samples: ProblemSamples) -> Targets:
        """Return margins of 1, and balanced or equal costs."""
        if self.costs == "equal":
            return targets_by_side(samples, cost_pos=1.0, cost_neg=1.0)
        return super().targets(samples)


def nearest_neighbours(squared_distance: Floats, k: int) -> Ints:
    """Return the (n, min(k, n-1)) nearest others of each sample, nearest first."""
    n = len(squared_distance)
    if n == 1:  # its own neighbour: what is drawn from it are duplicates
        return np.zeros((1, 1), dtype=np.intp)
    others = squared_distance.copy()
    np.fill_diagonal(others, np.inf)  # duplicates of a sample are neighbours, it is not
    return np.argsort(others, axis=1, kind="stable")[:, : min(k, n - 1)]


def interpolate(X: Floats, draws: Draws) -> Floats:
    """Return the synthetic rows a + gap (b - a)."""
    a, b = X[draws.sample], X[draws.neighbour]
    return np.asarray(a + draws.gap[:, None] * (b - a))
