"""A population for every problem instead of one for all.

fit^a is a sum over problems, so independent searches have the joint search's optimum;
fit^m is not, but changing one problem changes its errors only, so each problem is
searched against the others' best. Trials get the widest margins that their solution
allows where that is better: the search is left with kernels and costs.
"""

from dataclasses import dataclass

import numpy as np

from isvmde.core.arrays import Bools, Floats
from isvmde.core.dual import ScaleAndShift, scale_and_shift
from isvmde.core.evolution import Optimizer
from isvmde.core.fitness import TakesTurns
from isvmde.core.kernels import has_degree

from . import genome
from .evaluation import SolvedProblems
from .genome import COSTS, KEY_COSTS, Decoded, Encoding, Ranges
from .joint import JointSearch, MakeOptimizer, Seed

_CONVERGED = 1e-3  # relative spread of the fitness in a population
_DECADES = 3  # of the costs of a first population, below their upper end
_WORTH = 1e-9  # relative growth of A below which nothing is tried
_TRIES = 64
_TRACE = 1e-6  # of the widest margin: far above rounding, far below what matters


@dataclass(frozen=True)
class _Trials:
    """The trials of a generation: genes, and what they contribute, of every problem."""

    genes: Floats  # (individuals, problems, 7)
    contributions: list[Floats]  # of every problem, (individuals, ...)


@dataclass(frozen=True)
class _Better:
    """The trials of a problem with their own margins, or with the widest."""

    genes: Floats  # (individuals, 7)
    values: Floats  # (individuals,)
    is_wide: Bools  # (individuals,)


@dataclass(frozen=True)
class _Parents:
    """What the populations of all problems lose, and which individuals are best."""

    losses: list[Floats]  # of every problem, (individuals, rows of the problem)
    best: list[int]

    def best_losses(self) -> list[Floats]:
        """Return the losses of the best individual of every problem."""
        return [loss[k] for loss, k in zip(self.losses, self.best, strict=True)]


class PairwiseSearch(JointSearch):
    """A population for every problem, independent unless the fitness takes turns."""

    def _make_optimizers(self, make: MakeOptimizer, seed: Seed) -> list[Optimizer]:
        """Return one optimiser for each problem."""
        lower, upper = self.encoding.problem_lower, self.encoding.problem_upper
        return [
            make(lower, upper, rng=np.random.default_rng(seed_of_problem))
            for seed_of_problem in seed.spawn(self.encoding.n_problems)
        ]

    def _genes(self) -> Floats:
        return np.stack([o.population for o in self.optimizers], axis=1)

    def _ask(self, optimizer: Optimizer) -> Floats:
        """Return the trials of a problem; half are fresh once it has converged."""
        fitness, n_pop = optimizer.fitness, optimizer.pop_size
        if not len(fitness):
            start = spread_start(self.encoding, n_pop, optimizer.rng)
            kept = len(optimizer.first_rows)
            return np.concatenate([optimizer.ask()[:kept], start[kept:]])
        trials, kept = optimizer.ask(), n_pop // 2
        if fitness[-1] <= (1.0 + _CONVERGED) * fitness[0]:
            trials[kept:] = spread_start(self.encoding, n_pop - kept, optimizer.rng)
        return trials

    def _evaluate_generation(self) -> tuple[float, float]:
        """Ask, solve, tell; return the best and the mean fitness."""
        asked = np.stack([self._ask(o) for o in self.optimizers], axis=1)
        decoded = self.encoding.decode(asked)
        solved = self.evaluator.solve(decoded, self._stored, first=self._stored is None)
        plain = _Trials(
            asked, self.evaluator.contributions(self.fitness, decoded, solved)
        )
        wide = self._with_widest_margins(plain, decoded, solved)
        if isinstance(self.fitness, TakesTurns):
            best, accepted = self._tell_in_turns(self.fitness, plain, wide)
        else:
            best, accepted = self._tell_each(plain, wide)
        self._keep(solved, accepted)
        return best, self._mean_fitness()

    def _with_widest_margins(
        self, trials: _Trials, decoded: Decoded, solved: SolvedProblems
    ) -> _Trials:
        """Return the same trials with the widest margins that their solutions allow."""
        wide = widest_margins(self.encoding, trials.genes, decoded)
        widened = self.encoding.decode(wide)
        return _Trials(
            wide, self.evaluator.contributions(self.fitness, widened, solved)
        )

    def _tell_each(self, plain: _Trials, wide: _Trials) -> tuple[float, list[Bools]]:
        """Tell every optimiser of its problem's trials; return best and accepted."""
        accepted = []
        for p, optimizer in enumerate(self.optimizers):
            better = _better_margins(
                p,
                plain,
                wide,
                plain_values=plain.contributions[p],
                wide_values=wide.contributions[p],
            )
            accepted.append(optimizer.tell(better.genes, better.values))
        sums = self.evaluator.sum_up(self.fitness, self._fitness_of_problems())
        return float(sums[0]), accepted

    def _parents(self, trials: _Trials) -> _Parents:
        """Return the losses of the populations; at first of the trials."""
        if self._stored is None:
            losses = trials.contributions
            best = [int(np.argmin(loss.mean(axis=1))) for loss in losses]
            return _Parents(losses, best)
        losses = self.evaluator.contributions(
            self.fitness, self._population(), self._stored
        )
        return _Parents(losses, best=[0] * len(losses))

    def _tell_in_turns(
        self, fitness: TakesTurns, plain: _Trials, wide: _Trials
    ) -> tuple[float, list[Bools]]:
        """Tell one problem after the other, each against the best of the others."""
        parents = self._parents(plain)
        turns = fitness.take_turns(parents.best_losses(), self.evaluator.problems)
        accepted = []
        for p, optimizer in enumerate(self.optimizers):
            better = _better_margins(
                p,
                plain,
                wide,
                plain_values=turns.with_problem(p, plain.contributions[p]),
                wide_values=turns.with_problem(p, wide.contributions[p]),
            )
            of_parents = turns.with_problem(p, parents.losses[p])
            accepted.append(optimizer.tell(better.genes, better.values, of_parents))
            row = optimizer.order[0]  # of the best, before it came first
            if not accepted[-1][row]:
                turns.settle(p, parents.losses[p][row])
            elif better.is_wide[row]:
                turns.settle(p, wide.contributions[p][row])
            else:
                turns.settle(p, plain.contributions[p][row])
        return float(turns.class_means.mean()), accepted

    def _fitness_of_problems(self) -> list[Floats]:
        """Return the fitness of every problem's population."""
        return [optimizer.fitness for optimizer in self.optimizers]

    def _mean_fitness(self) -> float:
        """Return the mean fitness over the populations of all problems."""
        if isinstance(self.fitness, TakesTurns):
            means = [values.mean() for values in self._fitness_of_problems()]
            return float(np.mean(means))
        sums = self.evaluator.sum_up(self.fitness, self._fitness_of_problems())
        return float(sums.mean())


def _better_margins(
    p: int, plain: _Trials, wide: _Trials, plain_values: Floats, wide_values: Floats
) -> _Better:
    """Return problem p's trials with the margins under which they are worth more."""
    is_wide = wide_values < plain_values
    return _Better(
        genes=np.where(is_wide[:, None], wide.genes[:, p], plain.genes[:, p]),
        values=np.where(is_wide, wide_values, plain_values),
        is_wide=is_wide,
    )


def spread_start(encoding: Encoding, pop_size: int, rng: np.random.Generator) -> Floats:
    """Return genomes of one problem: a Latin hypercube, with the kernels in turn."""
    # A small population can hardly get back a kernel it lacks. Polynomials come twice
    # as often for their degrees. Costs are logarithmic: large ones mostly give one SVM.
    lower, upper, ranges = (
        encoding.problem_lower,
        encoding.problem_upper,
        encoding.ranges,
    )
    places = rng.permuted(np.tile(np.arange(pop_size), (genome.N_GENES, 1)), axis=1).T
    shares = (places + rng.random(places.shape)) / pop_size
    start = lower + shares * (upper - lower)
    least = np.maximum(lower[COSTS], upper[COSTS] * 10.0**-_DECADES)
    start[:, COSTS] = least * (upper[COSTS] / least) ** shares[:, COSTS]
    low, high = ranges.degree
    if "linear" in ranges.kernels:  # which is the polynomial of degree 1
        low = min(max(low, 2), high)
    times = [2 if has_degree(name) and high > low else 1 for name in ranges.kernels]
    kernels = np.repeat(np.arange(len(times)), times)
    degree = low
    for row in np.argsort(places[:, genome.KERNEL]):
        place = kernels[places[row, genome.KERNEL] % len(kernels)]
        start[row, genome.KERNEL] = place + 0.5
        if has_degree(ranges.kernels[place]):
            start[row, genome.DEGREE] = degree + 0.5
            degree = degree + 1 if degree < high else low
    return np.clip(start, lower, upper)


def widest_margins(encoding: Encoding, genes: Floats, decoded: Decoded) -> Floats:
    """Return genes (..., 7) of the same keys, bit for bit, with the widest margins."""
    # Rounding rarely allows the very widest, so those a few units in the last place
    # narrower are tried. Where nothing fits, genes stay as they are.
    wanted = _widest(encoding.ranges, decoded)
    result = np.array(genes, dtype=float)
    left = np.argwhere(decoded.valid & (wanted.scale > (1.0 + _WORTH) * decoded.scale))
    for step in range(_TRIES):
        if not len(left):
            break
        cells = tuple(left.T)
        key = decoded.key[cells]  # (cells, 4)
        cells_wanted = ScaleAndShift(wanted.scale[cells], wanted.shift[cells])
        trials = _widened(encoding.ranges, result[cells], key, cells_wanted, step)
        same = (encoding.decode(trials).key == key[:, None])[..., KEY_COSTS]
        found = same.any(axis=1).all(axis=-1)  # a rounding of C+, and one of C-
        chosen = same.argmax(axis=1)[:, None]
        new = trials[:, 0]
        new[:, COSTS] = np.take_along_axis(trials[..., COSTS], chosen, axis=1)[:, 0]
        result[tuple(left[found].T)] = new[found]
        left = left[~found]
    return result


def _widest(ranges: Ranges, decoded: Decoded) -> ScaleAndShift[np.ndarray]:
    """Return the largest A within the ranges of margins and costs, and c beside it."""
    widest_pos = ranges.margin[1]
    widest_neg = max(widest_pos * (1.0 - _TRACE), ranges.margin[0])
    dearest = np.where(decoded.valid, decoded.key[..., KEY_COSTS].max(axis=-1), 1.0)
    within_costs = ranges.C * ranges.cost[1] / dearest
    widest = scale_and_shift(widest_pos, widest_neg).scale
    scale = np.minimum(widest, within_costs)
    # c stays as it is as far as both margins A + c and A - c allow it
    shift = np.clip(decoded.shift, scale - widest_neg, widest_pos - scale)
    return ScaleAndShift(scale, shift)


def _widened(
    ranges: Ranges,
    genes: Floats,
    key: Floats,
    wanted: ScaleAndShift[np.ndarray],
    step: int,
) -> Floats:
    """Return genes (cells, roundings, 7): the costs of the keys, rounded three ways.

    The larger margin is ``step`` units of its last place below what is wanted.
    """
    size, c = np.abs(wanted.shift), wanted.shift
    large = (wanted.scale + size) * (1.0 - step * np.finfo(float).eps)
    low, high = ranges.margin
    large, small = large.clip(low, high), (wanted.scale - size).clip(low, high)
    scale = scale_and_shift(large, small).scale
    cost = key[:, KEY_COSTS] * (scale / ranges.C)[:, None]
    around = [np.nextafter(cost, -np.inf), cost, np.nextafter(cost, np.inf)]
    least, most = ranges.cost
    trials = np.repeat(genes[:, None], 3, axis=1)
    trials[..., COSTS] = np.stack(around, axis=1).clip(least, most)
    trials[..., genome.MARGIN_POS] = np.where(c >= 0, large, small)[:, None]
    trials[..., genome.MARGIN_NEG] = np.where(c >= 0, small, large)[:, None]
    return trials
