"""What the baselines share: binary problems trained on the one solver, then votes.

A baseline says which binary problems there are (``_problems``) and which labels,
margins and boxes they get (``_targets``). It does not solve anything itself, so that a
grid search can use the same two answers and solve in its own order.
"""

from __future__ import annotations

import numbers
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import ArrayLike
from sklearn.utils import check_random_state, check_scalar

from isvmde.classifiers.pair_machines import MachineHolder
from isvmde.core.kernels import LARGEST_DEGREE, PAPER_KERNELS, Kernel, make_kernel
from isvmde.core.limits import check_values
from isvmde.core.pairs import make_pairs, predict_index
from isvmde.core.training_set import TrainingSet

from .binary_problem import BinaryProblem, Targets, fit_problem

_MOST_SAMPLES = 1_000_000  # that weights may stand for where each is drawn from


class PairwiseSVM(MachineHolder):
    """Trains the binary problems of a child; children give the two hooks."""

    # Names of the parameters that `_problems` looks at: a grid search builds problems
    # once for all candidates that agree in these.
    _structure: ClassVar[tuple[str, ...]] = ()

    C: float
    kernel: str
    sigma: float
    degree: int
    tol: float
    max_iter: int

    def _problems(
        self, data: TrainingSet, rng: np.random.RandomState
    ) -> list[BinaryProblem]:
        """Return one problem per pair, in the order of `make_pairs`."""
        return [
            pair_problem(data, plus, minus)
            for plus, minus in make_pairs(data.class_size)
        ]

    def _targets(self, problem: BinaryProblem) -> Targets:
        """Return labels, margins and boxes at C = 1 of one problem."""
        raise NotImplementedError

    def _predict_index(self, F: np.ndarray, class_size: np.ndarray) -> np.ndarray:
        """Return the predicted class from the decisions of all problems."""
        return predict_index(F, make_pairs(class_size), class_size)

    def _names(self) -> list[str]:
        """Say what the problems are."""
        return [f"{plus!r} against {minus!r}" for plus, minus in self.pairs_.tolist()]

    def _check_parameters(self) -> None:
        """Refuse parameters that define no SVM."""
        check_choice("kernel", self.kernel, sorted(PAPER_KERNELS))
        check_positive("C", self.C)
        check_positive("sigma", self.sigma)
        check_positive("tol", self.tol)
        check_scalar(
            self.degree, "degree", numbers.Integral, min_val=1, max_val=LARGEST_DEGREE
        )
        check_scalar(self.max_iter, "max_iter", numbers.Integral, min_val=-1)

    def _kernel_in_use(self) -> Kernel:
        """Return the kernel of the current parameters."""
        return make_kernel(self.kernel, float(self.sigma), int(self.degree))

    def _check_counts(self, weight: np.ndarray) -> None:
        """Refuse weights that a child cannot count with."""

    def fit(
        self, X: ArrayLike, y: ArrayLike, sample_weight: ArrayLike | None = None
    ) -> Self:
        """Train the binary machines.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Training samples.
        y : array-like of shape (n_samples,)
            Their classes.
        sample_weight : array-like of shape (n_samples,), default=None
            Counts: a weight of 2 equals the row twice, 0 its absence. A method that
            draws synthetic samples needs whole numbers.

        Returns
        -------
        self
            Itself, fitted.
        """
        self._check_parameters()
        data = self._check_training(X, y, sample_weight)
        self._check_counts(data.weight)
        check_values(data.X)
        kernel = self._kernel_in_use()
        rng = check_random_state(getattr(self, "random_state", None))
        problems = self._problems(data, rng)
        machines = [
            fit_problem(
                problem,
                self._targets(problem),
                float(self.C),
                kernel,
                tol=self.tol,
                max_iter=self.max_iter,
            )
            for problem in problems
        ]
        self._hold(
            machines,
            [p.points[m.support] for p, m in zip(problems, machines, strict=True)],
            [kernel] * len(machines),
            self._names(),
        )
        self.n_iter_ = self._largest_steps
        return self

    def _pair_decisions(self, X: np.ndarray) -> np.ndarray:
        """Return the raw decision of every problem, (n, problems)."""
        return self._decide([X] * len(self.dual_coef_), self.support_vectors_)


class OversamplingSVM(PairwiseSVM):
    """A baseline that draws synthetic samples, from every sample in the same way."""

    _structure: ClassVar[tuple[str, ...]] = ("k_neighbors",)

    k_neighbors: int
    random_state: Any

    def _check_parameters(self) -> None:
        super()._check_parameters()
        check_scalar(self.k_neighbors, "k_neighbors", numbers.Integral, min_val=1)

    def _check_counts(self, weight: np.ndarray) -> None:
        if (weight % 1).any() or weight.sum() > _MOST_SAMPLES:
            raise ValueError(
                f"{type(self).__name__} draws synthetic samples from one sample after "
                "the other, so sample_weight must hold whole numbers, with a sum of at "
                f"most {_MOST_SAMPLES:,}."
            )


def pair_problem(data: TrainingSet, plus: int, minus: int) -> BinaryProblem:
    """Return the problem of two classes as they are in the training set."""
    rows, n_pos = data.pair_rows(plus, minus), data.n_rows(plus)
    return BinaryProblem(
        data.X[rows],
        np.repeat([1.0, -1.0], [n_pos, len(rows) - n_pos]),
        data.weight[rows],
        float(data.class_size[plus]),
        float(data.class_size[minus]),
    )


def cost_targets(problem: BinaryProblem, cost_pos: float, cost_neg: float) -> Targets:
    """Return margins 1 and a cost per class, times the sample's count."""
    unit = problem.by_class(cost_pos, cost_neg) * problem.weight
    return Targets(problem.y, np.ones(len(problem.y)), unit)


def check_choice(name: str, value: Any, choices: list[str]) -> None:
    """Refuse a value that is not among the choices."""
    if value not in choices:
        raise ValueError(f"{name}={value!r} is not known: use one of {choices}.")


def check_positive(name: str, value: Any) -> None:
    """Refuse what is not a finite positive number."""
    check_scalar(value, name, numbers.Real, min_val=0, include_boundaries="neither")
    if not np.isfinite(value):
        raise ValueError(f"{name}={value}: use a finite number.")
