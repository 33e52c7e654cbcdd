"""The samples of one binary problem, and how problem (D) is solved on them."""

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from isvmde.core.arrays import Floats, Ints
from isvmde.core.certified import solve_certified
from isvmde.core.decomposition import BinaryProblem
from isvmde.core.kernels import Kernel, base_for_solver, base_matrix, make_kernel
from isvmde.core.solver import DualSolution, Samples
from isvmde.core.solver.problem import Workspace
from isvmde.core.training_set import TrainingSet


class Draws(NamedTuple):
    """Triples that define synthetic samples; indices count within the points."""

    sample: Ints
    neighbour: Ints
    gap: Floats  # in [0, 1)


@dataclass(frozen=True, eq=False)
class ProblemSamples:
    """Samples of a binary problem, + first; in kernel space, synthetic ones follow."""

    points: Floats  # (n, d)
    y: Floats  # (N,) labels 1 and -1, N = n + what is blended
    weight: Floats  # (N,) counts
    n_pos: float  # summed weights of the two sides before any oversampling
    n_neg: float
    blend: Draws | None = None  # over ``points``; these samples follow the points

    def balanced_costs(self) -> tuple[float, float]:
        """Return n / n+ and n / n-: both sides weigh the same as a whole."""
        n = self.n_pos + self.n_neg
        return n / self.n_pos, n / self.n_neg

    def base_for_solver(self, kernel: Kernel) -> Floats | Samples:
        """Return what the solver computes kernel values of the points from."""
        # rows as they are asked for, where blends do not need the matrix
        if self.blend is None:
            return base_for_solver(kernel.base, self.points)
        return base_matrix(kernel.base, self.points)

    def fold_back(self, beta: Floats) -> Floats:
        """Return coefficients of ``points`` alone: T' beta."""
        if self.blend is None:
            return beta
        n = len(self.points)
        folded, synthetic = beta[:n].copy(), beta[n:]
        np.add.at(folded, self.blend.sample, (1.0 - self.blend.gap) * synthetic)
        np.add.at(folded, self.blend.neighbour, self.blend.gap * synthetic)
        return folded


class Targets(NamedTuple):
    """What a method asks of every sample of a problem."""

    margin: Floats  # (N,)
    unit_box: Floats  # (N,) the box U at C = 1


class GramSource(NamedTuple):
    """What the solver finds kernel values with."""

    base: Floats | Samples
    kernel: Kernel  # a function of this base
    work: Workspace


def samples_of(data: TrainingSet, problem: BinaryProblem) -> ProblemSamples:
    """Return the samples of a problem as they are in the training set."""
    members = data.problem_rows(problem)
    return ProblemSamples(
        points=data.X[members.rows],
        y=members.y,
        weight=members.weight,
        n_pos=float(data.class_size[list(problem.plus)].sum()),
        n_neg=float(data.class_size[list(problem.minus)].sum()),
    )


def targets_by_side(
    samples: ProblemSamples, cost_pos: float, cost_neg: float
) -> Targets:
    """Return margins of 1, and boxes from the costs of a + and of a - sample."""
    unit_box = np.where(samples.y > 0, cost_pos, cost_neg) * samples.weight
    return Targets(margin=np.ones(len(samples.y)), unit_box=unit_box)


def gram_source(
    samples: ProblemSamples, base: Floats | Samples, kernel: Kernel, work: Workspace
) -> GramSource:
    """Return what to solve on, given the base of the points."""
    if samples.blend is None:
        return GramSource(base, kernel, work)
    if isinstance(base, Samples):
        raise TypeError("Blended samples need the matrix of the points' base.")
    with np.errstate(over="ignore", invalid="ignore"):  # the solver sees and tells
        K = augmented_gram(kernel.from_base(base), samples.blend)
    return GramSource(K, make_kernel("linear"), work)


def augmented_gram(K: Floats, blend: Draws) -> Floats:
    """Return T K T', T = [I; rows with 1 - gap at the sample, gap at the neighbour]."""
    near, far = 1.0 - blend.gap, blend.gap
    KT = np.hstack([K, K[:, blend.sample] * near + K[:, blend.neighbour] * far])
    rows = near[:, None] * KT[blend.sample] + far[:, None] * KT[blend.neighbour]
    full = np.vstack([KT, rows])
    return np.asarray(0.5 * (full + full.T))  # symmetric to the last bit


def solve_problem(
    samples: ProblemSamples,
    targets: Targets,
    source: GramSource,
    *,
    C: float,
    tol: float,
    max_iter: int,
    start: Floats | None = None,
) -> DualSolution:
    """Solve problem (D) with the boxes C * unit_box, from feasible multipliers on."""
    with np.errstate(over="ignore"):  # what is too large is refused by the solver
        U = C * targets.unit_box
    return solve_certified(
        source.base,
        samples.y,
        targets.margin,
        U,
        alpha=start,
        kernel=source.kernel,
        tol=tol,
        max_iter=max_iter,
        work=source.work,
    )
