"""SVM: the plain support vector machine, one-vs-one, and the base of the others.

A baseline says which binary problems there are (``_problems``) and which labels,
margins and boxes they get (``_targets``). It does not solve anything itself, so that a
grid search can use the same two answers and solve in its own order.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from sklearn.utils import check_random_state

from isvmde.classifiers.checks import check_choice, check_number, check_whole
from isvmde.classifiers.one_vs_one import Given
from isvmde.classifiers.pair_machines import SHORT_FIT, MachineHolder
from isvmde.core.background import run_in_background
from isvmde.core.kernels import LARGEST_DEGREE, PAPER_KERNELS, Kernel, make_kernel
from isvmde.core.limits import check_values
from isvmde.core.pair_machine import PairMachine
from isvmde.core.pairs import make_pairs, predict_index
from isvmde.core.solver import Stopped, make_workspace
from isvmde.core.training_set import TrainingSet

from .binary_problem import BinaryProblem, Targets, fit_problem


@dataclass(kw_only=True, eq=False, repr=False)  # writes __init__, for children as well
class OVOSVM(MachineHolder):
    """Plain support vector machines, one per pair of classes.

    Every sample costs the same, so in a pair of very different sizes the boundary
    moves towards the small class. The pairs vote; ties go to the class with fewer
    training samples. "SVM" in the paper's tables.

    Parameters
    ----------
    C : float, default=1.0
        Cost of a violated margin.
    kernel : {"linear", "rbf", "poly"}, default="rbf"
        ``x'z``, ``exp(-|x - z|^2 / (2 sigma^2))`` or ``(1 + x'z)^degree``.
    sigma : float, default=1.0
        Width of the rbf kernel.
    degree : int, default=3
        Degree of the polynomial kernel.
    tol : float, default=1e-3
        Largest violation of the optimality conditions allowed, in units of f.
    max_iter : int, default=-1
        Bound on the solver's steps for one problem; -1 is 10000 + 100 per sample.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        The classes.
    class_count_ : ndarray of shape (n_classes,)
        Training samples of each class, by weight.
    pairs_ : ndarray of shape (n_pairs, 2)
        Labels (plus, minus) of every pair; plus is the smaller class.
    support_vectors_ : list of ndarray
        Support vectors of every pair.
    dual_coef_ : list of ndarray
        Their multipliers, positive for the first class of the pair.
    intercept_ : ndarray of shape (n_pairs,)
        Intercept of every machine.
    n_support_ : ndarray of shape (n_pairs,)
        Support vectors of every pair, counted with their weights; synthetic samples,
        where a method draws them, included.
    kkt_violation_ : ndarray of shape (n_pairs,)
        Violation of the optimality conditions that was reached.
    n_iter_ : int
        Largest number of solver steps a pair took.
    n_features_in_ : int
        Features seen in fit.
    feature_names_in_ : ndarray
        Their names, if they have any.

    References
    ----------
    Cortes, Vapnik: Support-vector networks. Machine Learning 20 (1995) 273-297.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from isvmde.baselines import OVOSVM
    >>> X, y = load_iris(return_X_y=True)
    >>> model = OVOSVM(C=10).fit(X[40:], y[40:])
    >>> model.predict(X[:2])
    array([0, 0])
    """

    # Parameters that `_problems` looks at: a grid search builds problems once for all
    # candidates that agree in these.
    _structure: ClassVar[tuple[str, ...]] = ()

    C: float = 1.0
    kernel: str = "rbf"
    sigma: float = 1.0
    degree: int = 3
    tol: float = 1e-3
    max_iter: int = -1

    def _check_parameters(self) -> None:
        check_choice("kernel", self.kernel, sorted(PAPER_KERNELS))
        for name in ("C", "sigma", "tol"):
            check_number(name, getattr(self, name))
        check_whole("degree", self.degree, 1, LARGEST_DEGREE)
        check_whole("max_iter", self.max_iter, -1)

    def _check_counts(self, weight: np.ndarray) -> None:
        """Refuse weights that a child cannot count with."""

    def _kernel_in_use(self) -> Kernel:
        """Return the kernel of the current parameters."""
        return make_kernel(self.kernel, float(self.sigma), int(self.degree))

    def _problems(
        self, data: TrainingSet, rng: np.random.RandomState
    ) -> Iterable[BinaryProblem]:
        """Make one problem per pair, in the order of `make_pairs`."""
        for plus, minus in make_pairs(data.class_size):
            yield self._pair_problem(data, plus, minus, rng)

    def _pair_problem(
        self, data: TrainingSet, plus: int, minus: int, rng: np.random.RandomState
    ) -> BinaryProblem:
        """Return the problem of two classes, here as they are in the training set."""
        rows, n_pos = data.pair_rows(plus, minus), data.n_rows(plus)
        return BinaryProblem(
            data.X[rows],
            np.repeat([1.0, -1.0], [n_pos, len(rows) - n_pos]),
            data.weight[rows],
            float(data.class_size[plus]),
            float(data.class_size[minus]),
        )

    def _costs(self, problem: BinaryProblem) -> tuple[float, float]:
        """Return what a + and a - sample cost at C = 1."""
        return 1.0, 1.0

    def _targets(self, problem: BinaryProblem) -> Targets:
        """Return labels, margins and boxes at C = 1 of one problem."""
        unit = problem.by_class(*self._costs(problem)) * problem.weight
        return Targets(problem.y, np.ones(len(problem.y)), unit)

    def _predict_index(self, F: np.ndarray, class_size: np.ndarray) -> np.ndarray:
        """Return the predicted class from the decisions of all problems."""
        return predict_index(F, make_pairs(class_size), class_size)

    def _train(self, data: TrainingSet, given: Given) -> None:
        self._check_counts(data.weight)
        check_values(data.X)
        kernel = self._kernel_in_use()
        rng = check_random_state(getattr(self, "random_state", None))

        def fit_all(stop: np.ndarray) -> tuple[list[PairMachine], list[np.ndarray]]:
            machines, vectors = [], []
            for problem in self._problems(data, rng):
                targets = self._targets(problem)
                if stop[0] != 0:
                    raise Stopped
                machine = fit_problem(
                    problem,
                    targets,
                    float(self.C),
                    kernel,
                    tol=self.tol,
                    max_iter=self.max_iter,
                    work=make_workspace(len(targets.y), stop),
                )
                machines.append(machine)
                vectors.append(problem.points[machine.support])
            return machines, vectors

        machines, vectors = run_in_background(fit_all, short=len(data.X) <= SHORT_FIT)
        self._hold(machines, vectors, [kernel] * len(machines))

    def _pair_decisions(self, X: np.ndarray) -> np.ndarray:
        return self._decide([X] * len(self.dual_coef_), self.support_vectors_)


def balanced_costs(problem: BinaryProblem) -> tuple[float, float]:
    """Return n / n+ and n / n-: both classes weigh the same as a whole."""
    n = problem.n_pos + problem.n_neg
    return n / problem.n_pos, n / problem.n_neg
