"""SVM and Cost-SVM: support vector machines with plain margins and costs by class.

Every baseline is problem (D) of `isvmde.core.dual`: a method says which samples a
binary problem has (``prepare``, ``make_samples``) and which margins and boxes they get
(``targets``).
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.random import RandomState
from sklearn.utils import check_random_state

from isvmde.classifiers.binary_machines import SHORT_FIT, MachineHolder
from isvmde.classifiers.checks import check_choice, check_number, check_whole
from isvmde.classifiers.multiclass import FitInput
from isvmde.core.arrays import Floats, Ints
from isvmde.core.binary_machine import BinaryMachine, is_support
from isvmde.core.decomposition import (
    DECOMPOSITIONS,
    BinaryProblem,
    make_decomposition,
)
from isvmde.core.kernels import LARGEST_DEGREE, PAPER_KERNELS, Kernel, make_kernel
from isvmde.core.limits import check_values
from isvmde.core.parallel import Stopped, Threads
from isvmde.core.solver import make_workspace
from isvmde.core.training_set import TrainingSet

from .binary_problems import (
    ProblemSamples,
    Targets,
    gram_source,
    samples_of,
    solve_problem,
    targets_by_side,
)


@dataclass(kw_only=True, eq=False, repr=False)  # writes __init__, for children as well
class OVOSVM(MachineHolder):
    """Plain support vector machines, one per binary problem; the base of the others.

    Every sample costs the same, so between classes of very different sizes the boundary
    moves towards the small class. "SVM" in the paper's tables.

    A new method is a child that says what is different: :meth:`prepare` the training
    set, :meth:`make_samples` of a binary problem, and :meth:`targets`, the margins and
    costs of these samples. ``GridSearchSVM`` needs to know no more of it.

    Cortes, Vapnik: Support-vector networks. Machine Learning 20 (1995) 273-297.

    Parameters
    ----------
    C : float, default=1.0
        Cost of a violated margin.
    decomposition : {"one-vs-one", "one-vs-rest", "dag"}, default="one-vs-one"
        The binary problems and how they decide, as in :class:`~isvmde.ISVMClassifier`.
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

    # Parameters that ``prepare`` and ``make_samples`` look at: a grid search makes the
    # samples once for all candidates that agree in these and in the decomposition.
    sampling_parameters: ClassVar[tuple[str, ...]] = ()
    random_state = None  # nothing is drawn, unless a child draws

    C: float = 1.0
    kernel: str = "rbf"
    sigma: float = 1.0
    degree: int = 3
    decomposition: str = "one-vs-one"
    tol: float = 1e-3
    max_iter: int = -1

    def check_parameters(self) -> None:
        """Refuse parameters that define no model; a child checks its own as well."""
        check_number("C", self.C)
        check_choice("kernel", self.kernel, sorted(PAPER_KERNELS))
        check_number("sigma", self.sigma)
        check_whole("degree", self.degree, 1, LARGEST_DEGREE)
        check_choice("decomposition", self.decomposition, tuple(DECOMPOSITIONS))
        check_number("tol", self.tol)
        check_whole("max_iter", self.max_iter, -1)

    def check_weights(self, weight: np.ndarray) -> None:
        """Refuse weights that the method cannot count with."""

    def prepare(self, data: TrainingSet, rng: RandomState) -> TrainingSet:
        """Return the training set that the binary problems are taken from."""
        return data

    def make_samples(
        self, data: TrainingSet, problem: BinaryProblem, rng: RandomState
    ) -> ProblemSamples:
        """Return the samples of a binary problem of the prepared training set."""
        return samples_of(data, problem)

    def targets(self, samples: ProblemSamples) -> Targets:
        """Return the margins of the samples, and their boxes at C = 1."""
        return targets_by_side(samples, cost_pos=1.0, cost_neg=1.0)

    def problem_samples(
        self, data: TrainingSet, rng: RandomState
    ) -> Iterator[ProblemSamples]:
        """Make the samples of all binary problems of a training set, one by one."""
        decomposition = make_decomposition(self.decomposition, data.class_size)
        prepared = self.prepare(data, rng)
        for problem in decomposition.problems:
            yield self.make_samples(prepared, problem, rng)

    def make_kernel(self) -> Kernel:
        """Return the kernel of the current parameters."""
        return make_kernel(self.kernel, float(self.sigma), int(self.degree))

    def train_machine(self, samples: ProblemSamples, stop: Ints) -> BinaryMachine:
        """Solve one problem, unless ``stop`` is set; keep what prediction needs."""
        if stop[0] != 0:
            raise Stopped
        kernel, targets = self.make_kernel(), self.targets(samples)
        base = samples.base_for_solver(kernel)
        work = make_workspace(len(samples.y), stop)
        solution = solve_problem(
            samples,
            targets,
            gram_source(samples, base, kernel, work),
            C=float(self.C),
            tol=self.tol,
            max_iter=self.max_iter,
        )
        used = is_support(solution.alpha, float(self.C) * targets.unit_box)
        beta = samples.fold_back(np.where(used, samples.y * solution.alpha, 0.0))
        support = np.flatnonzero(beta)
        return BinaryMachine(
            support=support,
            beta=beta[support],
            b=solution.b,
            n_support=float(samples.weight[used].sum()),
            violation=solution.violation,
            converged=solution.converged,
            steps=solution.steps,
        )

    def _check_parameters(self) -> None:
        self.check_parameters()

    def _train(self, data: TrainingSet, given: FitInput) -> None:
        self.check_weights(data.weight)
        check_values(data.X)
        rng = check_random_state(self.random_state)
        machines: list[BinaryMachine] = []
        vectors: list[Floats] = []
        threads = Threads()

        def fit_machines() -> None:
            for samples in self.problem_samples(data, rng):
                machine = self.train_machine(samples, threads.stop)
                machines.append(machine)
                vectors.append(samples.points[machine.support])

        with threads:
            threads.run(fit_machines, short=len(data.X) <= SHORT_FIT)
        self._hold(machines, vectors, [self.make_kernel()] * len(machines))


@dataclass(kw_only=True, eq=False, repr=False)
class CostSVM(OVOSVM):
    """Support vector machines with different costs.

    In a pair with n samples, n+ of them of the smaller class, a sample of it costs
    ``C * multiple_pos * n / n+``, one of the larger ``C * multiple_neg * n / n-``: with
    both multiples at 1 the two classes weigh the same as a whole. The paper searches
    ``multiple_pos`` alone. "Cost-SVM" in the paper's tables.

    Veropoulos, Campbell, Cristianini: Controlling the sensitivity of support vector
    machines. Proc. IJCAI (1999) 55-60.

    Parameters
    ----------
    C, kernel, sigma, degree, decomposition, tol, max_iter
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

    def check_parameters(self) -> None:
        """Refuse parameters that define no model."""
        super().check_parameters()
        check_number("multiple_pos", self.multiple_pos)
        check_number("multiple_neg", self.multiple_neg)

    def targets(self, samples: ProblemSamples) -> Targets:
        """Return margins of 1, and the multiples of balanced costs."""
        # multiple times n first, then divided: the order of the last bit
        n = samples.n_pos + samples.n_neg
        return targets_by_side(
            samples,
            cost_pos=self.multiple_pos * n / samples.n_pos,
            cost_neg=self.multiple_neg * n / samples.n_neg,
        )
