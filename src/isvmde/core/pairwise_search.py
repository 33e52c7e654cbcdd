"""A population for every pair instead of one for all.

fit^a is a sum over pairs, so independent searches have the joint search's optimum;
fit^m is not, but changing one pair changes one pair's errors only, so each pair is
searched against the others' best. Trials get the widest margins that their solution
allows where that is better: the search is left with kernels and costs.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from . import fitness as paper
from .evaluation import SolvedPairs
from .evolution import IDE
from .genome import N_GENES, Decoded
from .margins import widest_margins
from .search import Search
from .start import spread_start

_CONVERGED = 1e-3  # relative spread of the fitness in a population


class PairwiseSearch(Search):
    """A population for every pair: independent for fit^a, cooperative for fit^m."""

    def _make_optimizers(
        self, seed: np.random.SeedSequence, options: dict[str, Any]
    ) -> list[IDE]:
        encoding, given = self.encoding, options.pop("initial", None)
        lower, upper = encoding.lower[:N_GENES], encoding.upper[:N_GENES]
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

    def step(self) -> None:
        """Evaluate one generation of every pair's population."""
        self._restore_solutions()
        asked = np.stack([self._ask(p) for p in range(len(self.optimizers))], axis=1)
        trials = self.encoding.decode(asked)
        solved = self._solve_trials(trials)
        slots = self._slots()
        wide = widest_margins(self.encoding, asked, trials)
        tell = self._tell_in_turn if self.fitness == "max" else self._tell_alone
        accepted = tell(asked, trials, wide, solved)
        self._store(solved, slots, accepted)

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
        self, asked: np.ndarray, trials: Decoded, wide: np.ndarray, solved: SolvedPairs
    ) -> np.ndarray:
        """Give each pair its own share in the sum; the best of all is their sum."""
        values = self._pair_values(trials, solved)
        wide_values = self._pair_values(self.encoding.decode(wide), solved)
        better = wide_values < values
        values = np.where(better, wide_values, values)
        genes = np.where(better[..., None], wide, asked)
        accepted = [
            optimizer.tell(values[:, p], trials=genes[:, p])
            for p, optimizer in enumerate(self.optimizers)
        ]
        M = self.evaluator.data.n_classes
        fitness = np.stack([o.fitness for o in self.optimizers], axis=1)
        best = paper.fit_ave(fitness[0], M)
        self._record(float(best), float(paper.fit_ave(fitness, M).mean()))
        return np.stack(accepted, axis=1)

    def _tell_in_turn(
        self, asked: np.ndarray, trials: Decoded, wide: np.ndarray, solved: SolvedPairs
    ) -> np.ndarray:
        """Measure one pair after the other against the others' best so far."""
        trial_losses = self._losses(trials, solved)
        wide_losses = self._losses(self.encoding.decode(wide), solved)
        first = self._stored is None
        if first:
            parent_losses = trial_losses
            best = [int(np.argmin(loss.mean(axis=1))) for loss in trial_losses]
        else:
            population = self._decode_population()
            parents = self._in_population_order()
            parent_losses = self._losses(population, parents)
            best = [0] * len(self.optimizers)
        current = [loss[k] for loss, k in zip(parent_losses, best, strict=True)]
        data, pairs = self.evaluator.data, self.evaluator.pairs
        worst = paper.sample_max(current, pairs, data.class_start)
        means = paper.class_means(worst, data.weight, data.class_start)
        accepted, mean_fitness = [], []
        for p, optimizer in enumerate(self.optimizers):
            rest = self._rest(p, current)
            told = self._against(p, trial_losses[p], rest, means).mean(axis=1)
            wide_told = self._against(p, wide_losses[p], rest, means).mean(axis=1)
            better = (wide_told < told)[:, None]
            trial_losses[p] = np.where(better, wide_losses[p], trial_losses[p])
            genes = np.where(better, wide[:, p], asked[:, p])
            old = None
            if not first:
                old = self._against(p, parent_losses[p], rest, means).mean(axis=1)
            told = np.minimum(told, wide_told)
            accepted.append(optimizer.tell(told, old, trials=genes))
            row = int(optimizer.order[0])
            took_trial = first or accepted[-1][row]
            current[p] = (trial_losses if took_trial else parent_losses)[p][row]
            means = self._against(p, current[p][None], rest, means)[0]
            mean_fitness.append(float(optimizer.fitness.mean()))
        self._record(float(means.mean()), float(np.mean(mean_fitness)))
        return np.stack(accepted, axis=1)

    def _rest(self, p: int, current: list[np.ndarray]) -> np.ndarray:
        """Return the samples' largest losses in pairs other than p, for p's rows."""
        pairs, n_plus = self.evaluator.pairs, self.evaluator.n_plus
        parts = []
        for c, n in zip(pairs[p], self._class_rows(p), strict=True):
            largest = np.full(n, -np.inf)
            for q in np.flatnonzero((pairs == c).any(axis=1)):
                if q != p:
                    mine = (
                        slice(n_plus[q]) if pairs[q, 0] == c else slice(n_plus[q], None)
                    )
                    np.maximum(largest, current[q][mine], out=largest)
            parts.append(largest)
        return np.concatenate(parts)

    def _class_rows(self, p: int) -> tuple[int, int]:
        """Return how many rows pair p has of its two classes."""
        n_plus = int(self.evaluator.n_plus[p])
        return n_plus, int(self.evaluator.sizes[p]) - n_plus

    def _against(
        self, p: int, losses: np.ndarray, rest: np.ndarray, means: np.ndarray
    ) -> np.ndarray:
        """Return the class means of L^m with pair p's losses in place of its own.

        Only the means of its two classes change: (individuals, classes).
        """
        n_plus, n_minus = self._class_rows(p)
        start = np.array([0, n_plus, n_plus + n_minus])
        result = np.tile(means, (len(losses), 1))
        result[:, self.evaluator.pairs[p]] = paper.class_means(
            np.maximum(losses, rest), self.evaluator.weights[p], start
        )
        return result

    def _in_population_order(self) -> SolvedPairs:
        """Return the stored solutions, row k belonging to population row k."""
        assert self._stored is not None
        slots = self._slots()
        ordered = SolvedPairs(len(slots), self.evaluator.sizes)
        for k, p in np.ndindex(*slots.shape):
            ordered.copy_cell((k, p), self._stored, int(slots[k, p]))
        return ordered


def _begin_with(given: Any, start: np.ndarray) -> np.ndarray:
    """Put given individuals first; what is no such thing is left for IDE to refuse."""
    if given is None:
        return start
    given = np.asarray(given, dtype=float)
    if given.shape[1:] != start.shape[1:]:
        return given
    return np.concatenate([given, start[len(given) :]])
