"""A population for every pair instead of one for all.

fit^a is a sum over pairs, so independent searches have the joint search's optimum;
fit^m is not, but changing one pair changes one pair's errors only, so each pair is
searched against the others' best. Trials get the widest margins that their solution
allows where that is better: the search is left with kernels and costs.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from isvmde.core.evolution import IDE
from isvmde.core.fitness import Turns

from .base import Search
from .margins import widest_margins
from .start import spread_start

_CONVERGED = 1e-3  # relative spread of the fitness in a population


class PairwiseSearch(Search):
    """A population for every pair: independent if the fitness is a sum over pairs."""

    def _make_optimizers(
        self, seed: np.random.SeedSequence, options: dict[str, Any]
    ) -> list[IDE]:
        encoding, given = self.encoding, options.pop("initial", None)
        lower, upper = encoding.pair_lower, encoding.pair_upper
        self._rngs = [
            np.random.default_rng(child) for child in seed.spawn(encoding.n_pairs)
        ]
        optimizers = []
        for rng in self._rngs:
            start = spread_start(encoding, options["pop_size"], rng)
            initial = _begin_with(given, start)
            optimizers.append(IDE(lower, upper, rng=rng, initial=initial, **options))
        return optimizers

    def _population_genes(self) -> np.ndarray:
        return np.stack([o.population for o in self.optimizers], axis=1)

    def _evaluate_generation(self) -> tuple[float, float]:
        asked = np.stack([self._ask(p) for p in range(len(self.optimizers))], axis=1)
        trials = self.encoding.decode(asked)
        solved = self._solve_trials(trials)
        wide = widest_margins(self.encoding, asked, trials)
        evaluator, fitness = self.evaluator, self.fitness
        shares = evaluator.contributions(fitness, trials, solved)
        wide_shares = evaluator.contributions(
            fitness, self.encoding.decode(wide), solved
        )
        tell = self._tell_alone if fitness.additive else self._tell_in_turn
        accepted, best, mean = tell(asked, wide, shares, wide_shares)
        self._keep(solved, accepted)
        return best, mean

    def _ask(self, p: int) -> np.ndarray:
        """Return the trials of pair p; half of them fresh ones once it has converged.

        The differences of a converged population are too small to lead elsewhere.
        """
        optimizer = self.optimizers[p]
        trials, fitness = optimizer.ask(), optimizer.fitness
        if len(fitness) and fitness[-1] <= (1.0 + _CONVERGED) * fitness[0]:
            half = len(trials) // 2
            rows = len(trials) - half
            trials[half:] = spread_start(self.encoding, rows, self._rngs[p])
        return trials

    def _tell_alone(
        self,
        asked: np.ndarray,
        wide: np.ndarray,
        shares: list[np.ndarray],
        wide_shares: list[np.ndarray],
    ) -> tuple[list[np.ndarray], float, float]:
        """Give each pair its own share in the sum; the best of all is their sum."""
        accepted = []
        for p, optimizer in enumerate(self.optimizers):
            better = wide_shares[p] < shares[p]
            genes = np.where(better[:, None], wide[:, p], asked[:, p])
            told = np.where(better, wide_shares[p], shares[p])
            accepted.append(optimizer.tell(told, trials=genes))
        values = self.evaluator.combine(
            self.fitness, [optimizer.fitness for optimizer in self.optimizers]
        )
        return accepted, float(values[0]), float(values.mean())

    def _tell_in_turn(
        self,
        asked: np.ndarray,
        wide: np.ndarray,
        losses: list[np.ndarray],
        wide_losses: list[np.ndarray],
    ) -> tuple[list[np.ndarray], float, float]:
        """Measure one pair after the other against the others' best so far."""
        data, stored = self.evaluator.data, self._stored
        first = stored is None
        if stored is None:
            parent_losses = losses
            best = [int(np.argmin(loss.mean(axis=1))) for loss in losses]
        else:
            parent_losses = self.evaluator.contributions(
                self.fitness, self._decode_population(), stored
            )
            best = [0] * len(self.optimizers)
        current = [loss[k] for loss, k in zip(parent_losses, best, strict=True)]
        turns = Turns(current, self.evaluator.pairs, data.class_start, data.weight)
        accepted = []
        for p, optimizer in enumerate(self.optimizers):
            told = turns.with_pair(p, losses[p])
            wide_told = turns.with_pair(p, wide_losses[p])
            old = None if first else turns.with_pair(p, parent_losses[p])
            better = (wide_told < told)[:, None]
            genes = np.where(better, wide[:, p], asked[:, p])
            told = np.minimum(told, wide_told)
            accepted.append(optimizer.tell(told, old, trials=genes))
            row = int(optimizer.order[0])
            if first or accepted[-1][row]:
                turns.settle(p, (wide_losses if better[row] else losses)[p][row])
            else:
                turns.settle(p, parent_losses[p][row])
        means = [float(optimizer.fitness.mean()) for optimizer in self.optimizers]
        return accepted, turns.value, float(np.mean(means))


def _begin_with(given: Any, start: np.ndarray) -> np.ndarray:
    """Put given individuals first; IDE refuses those of a wrong shape."""
    if given is None:
        return start
    given = np.asarray(given, dtype=float)
    if given.shape[1:] != start.shape[1:]:
        return given
    return np.concatenate([given, start[len(given) :]])
