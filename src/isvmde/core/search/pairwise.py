"""A population for every pair instead of one for all.

fit^a is a sum over pairs, so independent searches have the joint search's optimum;
fit^m is not, but changing one pair changes one pair's errors only, so each pair is
searched against the others' best. Trials get the widest margins that their solution
allows where that is better: the search is left with kernels and costs.
"""

from typing import Any

import numpy as np

from isvmde.core.arrays import Floats
from isvmde.core.evolution import IDE
from isvmde.core.fitness import Turns

from . import genome
from .genome import COSTS, KEY_COSTS, Decoded, Encoding
from .joint import JointSearch, Seed

_CONVERGED = 1e-3  # relative spread of the fitness in a population
_DECADES = 3  # of the costs of a first population, below their upper end
_WORTH = 1e-9  # relative growth of A below which nothing is tried
_TRIES = 64
_TRACE = 1e-6  # of the widest margin: far above rounding, far below what matters


class PairwiseSearch(JointSearch):
    """A population for every pair: independent if the fitness is a sum over pairs."""

    def _make_optimizers(self, seed: Seed, options: dict[str, Any]) -> list[IDE]:
        """Return one IDE for each pair."""
        lower, upper = self.encoding.pair_lower, self.encoding.pair_upper
        rngs = map(np.random.default_rng, seed.spawn(self.encoding.n_pairs))
        return [IDE(lower, upper, rng=rng, **options) for rng in rngs]

    def _genes(self) -> np.ndarray:
        return np.stack([o.population for o in self.optimizers], axis=1)

    def _ask(self, optimizer: IDE) -> np.ndarray:
        """Return the trials of a pair; half are fresh once it has converged."""
        fitness, n_pop = optimizer.fitness, optimizer.pop_size
        if not len(fitness):
            start = spread_start(self.encoding, n_pop, optimizer.rng)
            kept = len(optimizer.given)
            return np.concatenate([optimizer.ask()[:kept], start[kept:]])
        trials, kept = optimizer.ask(), n_pop // 2
        if fitness[-1] <= (1.0 + _CONVERGED) * fitness[0]:
            trials[kept:] = spread_start(self.encoding, n_pop - kept, optimizer.rng)
        return trials

    def _evaluate_generation(self) -> tuple[float, float]:
        evaluator, fitness = self.evaluator, self.fitness
        asked = np.stack([self._ask(o) for o in self.optimizers], axis=1)
        trials = self.encoding.decode(asked)
        solved = evaluator.solve(trials, self._stored, first=self._stored is None)
        shares = evaluator.contributions(fitness, trials, solved)
        wide = widest_margins(self.encoding, asked, trials)
        widened = self.encoding.decode(wide)
        wide_shares = evaluator.contributions(fitness, widened, solved)
        turns, parents = None, [optimizer.fitness for optimizer in self.optimizers]
        if not fitness.additive:
            turns, parents = self._take_turns(shares)
        accepted = []
        for p, optimizer in enumerate(self.optimizers):
            each = [wide_shares[p], shares[p], parents[p]]
            if turns is not None:
                each = [turns.with_pair(p, losses) for losses in each]
            wide_told, told, old = each
            better = wide_told < told
            genes = np.where(better[:, None], wide[:, p], asked[:, p])
            told = np.where(better, wide_told, told)
            accepted.append(optimizer.tell(genes, told, old))
            if turns is not None:
                row = optimizer.order[0]
                new = wide_shares if better[row] else shares
                turns.settle(p, (new if accepted[-1][row] else parents)[p][row])
        self._keep(solved, accepted)
        values = [optimizer.fitness for optimizer in self.optimizers]
        if turns is not None:
            mean = np.mean([own.mean() for own in values])
            return float(turns.class_means.mean()), float(mean)
        sums = fitness.of_population(values, *evaluator.layout)
        return float(sums[0]), float(sums.mean())

    def _take_turns(self, losses: list[np.ndarray]) -> tuple[Turns, list[np.ndarray]]:
        """Return fit^m with one pair's losses varied, and the losses of the parents."""
        evaluator = self.evaluator
        best = [int(np.argmin(loss.mean(axis=1))) for loss in losses]
        if self._stored is not None:
            known = self._population(), self._stored
            losses = evaluator.contributions(self.fitness, *known)
            best = [0] * len(losses)
        current = [loss[k] for loss, k in zip(losses, best, strict=True)]
        return Turns(current, *evaluator.layout), losses


def spread_start(encoding: Encoding, pop_size: int, rng: np.random.Generator) -> Floats:
    """Return ``pop_size`` genomes of one pair: a Latin hypercube, kernels in turn."""
    # A small population can hardly get back a kernel it lacks. Polynomials come twice
    # as often for their degrees. Costs are logarithmic: large ones mostly give one SVM.
    lower, upper, ranges = encoding.pair_lower, encoding.pair_upper, encoding.ranges
    places = rng.permuted(np.tile(np.arange(pop_size), (genome.N_GENES, 1)), axis=1).T
    shares = (places + rng.random(places.shape)) / pop_size
    start = lower + shares * (upper - lower)
    least = np.maximum(lower[COSTS], upper[COSTS] * 10.0**-_DECADES)
    start[:, COSTS] = least * (upper[COSTS] / least) ** shares[:, COSTS]
    low, high = ranges.degree
    if "linear" in ranges.kernels:  # which is the polynomial of degree 1
        low = min(max(low, 2), high)
    times = [2 if name == "poly" and high > low else 1 for name in ranges.kernels]
    kernels = np.repeat(np.arange(len(times)), times)
    degree = low
    for row in np.argsort(places[:, genome.KERNEL]):
        place = kernels[places[row, genome.KERNEL] % len(kernels)]
        start[row, genome.KERNEL] = place + 0.5
        if ranges.kernels[place] == "poly":
            start[row, genome.DEGREE] = degree + 0.5
            degree = degree + 1 if degree < high else low
    return np.clip(start, lower, upper)


def widest_margins(encoding: Encoding, genes: Floats, decoded: Decoded) -> Floats:
    """Return genes (..., 7) of the same keys, bit for bit, with the widest margins."""
    # Rounding rarely allows the very widest, so those a few units in the last place
    # narrower are tried. Where nothing fits, genes stay as they are.
    ranges = encoding.ranges
    widest_pos = ranges.margin[1]
    widest_neg = max(widest_pos * (1.0 - _TRACE), ranges.margin[0])
    dearest = np.where(decoded.valid, decoded.key[..., KEY_COSTS].max(axis=-1), 1.0)
    within_costs = ranges.C * ranges.cost[1] / dearest
    scale = np.minimum(0.5 * (widest_pos + widest_neg), within_costs)
    # c stays as it is as far as both margins A + c and A - c allow it
    shift = np.clip(decoded.shift, scale - widest_neg, widest_pos - scale)

    result = np.array(genes, dtype=float)
    left = np.argwhere(decoded.valid & (scale > (1.0 + _WORTH) * decoded.scale))
    for step in range(_TRIES):
        cells = tuple(left.T)
        c, key = shift[cells], decoded.key[cells]
        # the larger margin, as many units of its last place smaller
        large = (scale[cells] + np.abs(c)) * (1.0 - step * np.finfo(float).eps)
        large, small = np.clip([large, scale[cells] - np.abs(c)], *ranges.margin)
        cost = key[:, KEY_COSTS] * (0.5 * (large + small) / ranges.C)[:, None]
        around = [np.nextafter(cost, -np.inf), cost, np.nextafter(cost, np.inf)]
        trials = np.repeat(result[cells][:, None], 3, axis=1)  # (cells, roundings, 7)
        trials[..., COSTS] = np.stack(around, axis=1).clip(*ranges.cost)
        trials[..., genome.MARGIN_POS] = np.where(c >= 0, large, small)[:, None]
        trials[..., genome.MARGIN_NEG] = np.where(c >= 0, small, large)[:, None]

        same = (encoding.decode(trials).key == key[:, None])[..., KEY_COSTS]
        found = same.any(axis=1).all(axis=-1)  # a rounding of C+, and one of C-
        chosen = same.argmax(axis=1)[:, None]
        new = trials[:, 0]
        new[:, COSTS] = np.take_along_axis(trials[..., COSTS], chosen, axis=1)[:, 0]
        result[tuple(left[found].T)] = new[found]
        left = left[~found]
        if not len(left):
            break
    return result
