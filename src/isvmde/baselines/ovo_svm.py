"""SVM and Cost-SVM: support vector machines one-vs-one, the base of the others.

Every baseline is problem (D) of `isvmde.core.dual`: it says which binary problems there
are (``_problems``), and which margins and boxes they get (``_targets``).
"""

from collections.abc import Iterable
from dataclasses import dataclass, field, fields
from typing import Any, ClassVar, NamedTuple

import numpy as np
from numpy.random import RandomState
from sklearn.utils import check_random_state

from isvmde.classifiers.checks import check_choice, check_number, check_whole
from isvmde.classifiers.one_vs_one import Given
from isvmde.classifiers.pair_machines import SHORT_FIT, MachineHolder
from isvmde.core.background import run_in_background
from isvmde.core.certified import solve_certified
from isvmde.core.kernels import (
    LARGEST_DEGREE,
    PAPER_KERNELS,
    Kernel,
    base_for_solver,
    base_matrix,
    make_kernel,
)
from isvmde.core.limits import check_values
from isvmde.core.pair_machine import PairMachine, is_support
from isvmde.core.pairs import make_pairs, predict_index
from isvmde.core.solver import DualSolution, Samples, Stopped, make_workspace
from isvmde.core.solver.problem import Workspace
from isvmde.core.training_set import TrainingSet

_CHECKS: dict[Any, Any] = {float: check_number, int: check_whole, str: check_choice}
# what to solve on: a base, the kernel as its function, and memory
Source = tuple[np.ndarray | Samples, Kernel, Workspace]
Targets = tuple[np.ndarray, np.ndarray]  # margins, and boxes U at C = 1


class Draws(NamedTuple):
    """Triples that define synthetic samples; indices count within the class."""

    sample: np.ndarray
    neighbour: np.ndarray
    gap: np.ndarray  # in [0, 1)


@dataclass(frozen=True, eq=False)
class BinaryProblem:
    """Rows of two sides, + first; synthetic samples in kernel space as ``blend``."""

    points: np.ndarray  # (n, d)
    y: np.ndarray  # (N,) labels, N = n + what is blended
    weight: np.ndarray  # (N,) counts
    n_pos: float  # summed weights of the two sides before any oversampling
    n_neg: float
    blend: Draws | None = None  # over ``points``; these samples follow the rows

    def balanced_costs(self) -> tuple[float, float]:
        """Return n / n+ and n / n-: both classes weigh the same as a whole."""
        n = self.n_pos + self.n_neg
        return n / self.n_pos, n / self.n_neg

    def blended(self, base: Any, kernel: Kernel, work: Workspace) -> Source:
        """Return what to solve on, given the base of the points."""
        if self.blend is None:
            return base, kernel, work
        with np.errstate(over="ignore", invalid="ignore"):  # the solver sees and tells
            K = augmented_gram(kernel.from_base(base), self.blend)
            return K, make_kernel("linear"), work

    def fold_back(self, beta: np.ndarray) -> np.ndarray:
        """Return coefficients of ``points`` alone: T' beta."""
        if self.blend is None:
            return beta
        n = len(self.points)
        folded, synthetic = beta[:n].copy(), beta[n:]
        np.add.at(folded, self.blend.sample, (1.0 - self.blend.gap) * synthetic)
        np.add.at(folded, self.blend.neighbour, self.blend.gap * synthetic)
        return folded


def augmented_gram(K: np.ndarray, blend: Draws) -> np.ndarray:
    """Return T K T', T = [I; rows with 1 - gap at the sample, gap at the neighbour]."""
    near, far = 1.0 - blend.gap, blend.gap
    KT = np.hstack([K, K[:, blend.sample] * near + K[:, blend.neighbour] * far])
    rows = near[:, None] * KT[blend.sample] + far[:, None] * KT[blend.neighbour]
    full = np.vstack([KT, rows])
    return np.asarray(0.5 * (full + full.T))  # symmetric to the last bit


@dataclass(kw_only=True, eq=False, repr=False)  # writes __init__, for children as well
class OVOSVM(MachineHolder):
    """Plain support vector machines, one per pair of classes.

    Every sample costs the same, so in a pair of very different sizes the boundary
    moves towards the small class. The pairs vote; ties go to the class with fewer
    training samples. "SVM" in the paper's tables.

    Cortes, Vapnik: Support-vector networks. Machine Learning 20 (1995) 273-297.

    Parameters
    ----------
    C : float, default=1.0
        Cost of a violated margin.
    kernel, sigma, degree, max_iter
        As in :class:`~isvmde.ISVMClassifier`, with three kernels: linear, rbf, poly.
    tol : float, default=1e-3
        Largest violation of the optimality conditions allowed, in units of f.

    Attributes
    ----------
    classes_, class_count_, pairs_, support_vectors_, dual_coef_, intercept_
        As in :class:`~isvmde.ISVMClassifier`.
    n_support_, kkt_violation_, n_iter_, n_features_in_, feature_names_in_
        The same; ``n_support_`` counts synthetic samples, where there are any, too.

    Examples
    --------
    >>> from isvmde.baselines import OVOSVM
    >>> OVOSVM(C=10).fit([[0], [1], [5]], [0, 0, 1]).predict([[6]])
    array([1])
    """

    # Parameters that `_problems` looks at: a grid search builds problems once for all
    # candidates that agree in these.
    _structure: ClassVar[tuple[str, ...]] = ()

    # numbers are positive, and the metadata are the limits of the others
    C: float = 1.0
    kernel: str = field(default="rbf", metadata={"choices": sorted(PAPER_KERNELS)})
    sigma: float = 1.0
    degree: int = field(default=3, metadata={"least": 1, "most": LARGEST_DEGREE})
    tol: float = 1e-3
    max_iter: int = field(default=-1, metadata={"least": -1})

    def _check_parameters(self) -> None:
        for one in fields(self):
            if one.type in _CHECKS:
                _CHECKS[one.type](one.name, getattr(self, one.name), **one.metadata)

    def _check_counts(self, weight: np.ndarray) -> None:
        """Refuse weights that a child cannot count with."""

    def _kernel_in_use(self) -> Kernel:
        """Return the kernel of the current parameters."""
        return make_kernel(self.kernel, float(self.sigma), int(self.degree))

    def _problems(self, data: TrainingSet, rng: RandomState) -> Iterable[BinaryProblem]:
        """Make one problem per pair, in the order of `make_pairs`."""
        for plus, minus in make_pairs(data.class_size):
            yield self._pair_problem(data, plus, minus, rng)

    def _pair_problem(
        self, data: TrainingSet, plus: int, minus: int, rng: RandomState
    ) -> BinaryProblem:
        """Return the problem of two classes, here as they are in the training set."""
        rows, n_pos = data.pair_rows(plus, minus), data.n_rows(plus)
        y = np.repeat([1.0, -1.0], [n_pos, len(rows) - n_pos])
        sizes = data.class_size[[plus, minus]].tolist()
        return BinaryProblem(data.X[rows], y, data.weight[rows], *sizes)

    def _costs(self, problem: BinaryProblem) -> tuple[float, float]:
        """Return what a + and a - sample cost at C = 1."""
        return 1.0, 1.0

    def _targets(self, problem: BinaryProblem) -> Targets:
        """Return margins and boxes at C = 1 of one problem."""
        unit = np.where(problem.y > 0, *self._costs(problem)) * problem.weight
        return np.ones(len(problem.y)), unit

    def _predict_index(self, F: np.ndarray, class_size: np.ndarray) -> np.ndarray:
        """Return the predicted class from the decisions of all problems."""
        return predict_index(F, make_pairs(class_size), class_size)

    def _solve(
        self, problem: BinaryProblem, targets: Targets, source: Source, alpha: Any
    ) -> DualSolution:
        """Solve (D) of one problem, from ``alpha`` on if that is not None."""
        (base, kernel, work), (margin, unit) = source, targets
        with np.errstate(over="ignore"):  # what is too large is refused below
            U = float(self.C) * unit
        options: Any = {"kernel": kernel.function, "parameter": kernel.parameter}
        options |= {"tol": self.tol, "max_iter": self.max_iter, "work": work}
        return solve_certified(base, problem.y, margin, U, alpha=alpha, **options)

    def _fit_problem(self, problem: BinaryProblem, stop: np.ndarray) -> PairMachine:
        """Solve one problem and keep what prediction needs."""
        kernel, targets = self._kernel_in_use(), self._targets(problem)
        if stop[0] != 0:
            raise Stopped
        # rows as they are asked for, where blends do not need the matrix
        find_base = base_for_solver if problem.blend is None else base_matrix
        base = find_base(kernel.base, problem.points)
        source = problem.blended(base, kernel, make_workspace(len(problem.y), stop))
        solution = self._solve(problem, targets, source, None)
        used = is_support(solution.alpha, float(self.C) * targets[1])
        beta = problem.fold_back(np.where(used, problem.y * solution.alpha, 0.0))
        kept = np.flatnonzero(beta)
        n_support = float(problem.weight[used].sum())
        reached = solution.violation, solution.converged, solution.steps
        return PairMachine(kept, beta[kept], solution.b, n_support, *reached)

    def _train(self, data: TrainingSet, given: Given) -> None:
        self._check_counts(data.weight)
        check_values(data.X)
        rng = check_random_state(getattr(self, "random_state", None))

        def fit_all(stop: np.ndarray) -> tuple[list[PairMachine], list[np.ndarray]]:
            machines, vectors = [], []
            for problem in self._problems(data, rng):
                machines.append(self._fit_problem(problem, stop))
                vectors.append(problem.points[machines[-1].support])
            return machines, vectors

        machines, vectors = run_in_background(fit_all, short=len(data.X) <= SHORT_FIT)
        self._hold(machines, vectors, [self._kernel_in_use()] * len(machines))

    def _pair_decisions(self, X: np.ndarray) -> np.ndarray:
        return self._decide([X] * len(self.dual_coef_), self.support_vectors_)


@dataclass(kw_only=True, eq=False, repr=False)
class CostSVM(OVOSVM):
    """One-vs-one support vector machines with different costs.

    In a pair with n samples, n+ of them of the smaller class, a sample of it costs
    ``C * multiple_pos * n / n+``, one of the larger ``C * multiple_neg * n / n-``: with
    both multiples at 1 the two classes weigh the same as a whole. The paper searches
    ``multiple_pos`` alone. "Cost-SVM" in the paper's tables.

    Veropoulos, Campbell, Cristianini: Controlling the sensitivity of support vector
    machines. Proc. IJCAI (1999) 55-60.

    Parameters
    ----------
    C, kernel, sigma, degree, tol, max_iter
        As in :class:`OVOSVM`, which also says what the attributes are.
    multiple_pos, multiple_neg : float, default=1.0
        Costs of the smaller and the larger class, in units of n / n+ and n / n-.

    Examples
    --------
    >>> from isvmde.baselines import CostSVM
    >>> CostSVM(C=10, multiple_pos=2).fit([[0], [1], [5]], [0, 0, 1]).predict([[6]])
    array([1])
    """

    multiple_pos: float = 1.0
    multiple_neg: float = 1.0

    def _costs(self, problem: BinaryProblem) -> tuple[float, float]:
        # multiple times n first, then divided: the order of the last bit
        n = problem.n_pos + problem.n_neg
        pos, neg = self.multiple_pos * n, self.multiple_neg * n
        return pos / problem.n_pos, neg / problem.n_neg
