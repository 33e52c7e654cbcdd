"""The paper's idea: search the settings of all pairs by differential evolution.

`JointSearch` is the paper's: one population over the genes of all pairs. `Search` is
what it shares with the pairwise one.
"""

from __future__ import annotations

import time
from abc import ABC, abstractmethod
from collections.abc import Mapping
from typing import Any

import numpy as np

from . import fitness as paper
from .evaluation import PairEvaluator, SolvedPairs
from .evolution import IDE
from .genome import Decoded, Encoding

HISTORY = ("best", "mean", "success_rate", "n_svms", "seconds")


class Search(ABC):
    """What both searches share: the exchange with IDE, history and state."""

    def __init__(
        self,
        evaluator: PairEvaluator,
        encoding: Encoding,
        *,
        fitness: str,
        delta: float,
        pop_size: int,
        max_iter: int,
        seed: np.random.SeedSequence,
        ide_options: Mapping[str, Any] | None = None,
    ) -> None:
        self.evaluator, self.encoding = evaluator, encoding
        self.fitness, self.delta = fitness, delta
        options = {"pop_size": pop_size, "max_iter": max_iter, **(ide_options or {})}
        self.optimizers = self._make_optimizers(seed, options)
        self.history: dict[str, list[float]] = {name: [] for name in HISTORY}
        self._stored: SolvedPairs | None = None
        self._began = time.perf_counter()

    @abstractmethod
    def _make_optimizers(
        self, seed: np.random.SeedSequence, options: dict[str, Any]
    ) -> list[IDE]:
        """Return one IDE for all pairs, or one for each."""

    @property
    def generation(self) -> int:
        """Iterations completed."""
        return self.optimizers[0].generation

    @property
    def done(self) -> bool:
        """Whether all iterations are completed."""
        return self.optimizers[0].done

    @property
    def best_fitness(self) -> float:
        """Fitness of the best settings found so far."""
        return self.history["best"][-1]

    @property
    def best_genes(self) -> np.ndarray:
        """Genes of the best settings found so far, (pairs, 7)."""
        return np.array(self._population_genes()[0])

    @abstractmethod
    def _population_genes(self) -> np.ndarray:
        """Return the genes of the current population, (individuals, pairs, 7)."""

    @abstractmethod
    def step(self) -> None:
        """Evaluate one generation (the initial population the first time)."""

    def _record(self, best: float, mean: float) -> None:
        """Add a generation to the history."""
        rates = [optimizer.success_rate for optimizer in self.optimizers]
        row = (
            best,
            mean,
            float(np.mean(rates)),
            float(self.evaluator.n_solved),
            time.perf_counter() - self._began,
        )
        for name, value in zip(HISTORY, row, strict=True):
            self.history[name].append(value)

    def _solve_trials(self, decoded: Decoded) -> SolvedPairs:
        """Solve a population of trials, reusing their parents' solutions."""
        return self.evaluator.solve(decoded, self._stored, self._slots())

    def _slots(self) -> np.ndarray:
        """Return the storage row of every population row, (individuals, pairs)."""
        columns = [optimizer.parents for optimizer in self.optimizers]
        n_pairs = self.encoding.n_pairs
        if len(columns) < n_pairs:
            columns = columns * n_pairs
        return np.stack(columns, axis=1)

    def _store(
        self, trials: SolvedPairs, slots: np.ndarray, accepted: np.ndarray
    ) -> None:
        """Keep the solutions of accepted cells in their parents' places."""
        if self._stored is None:
            self._stored = SolvedPairs(len(slots), self.evaluator.sizes)
        for k, p in np.argwhere(accepted):
            self._stored.copy_cell((slots[k, p], p), trials, k)

    def _pair_values(self, decoded: Decoded, solved: SolvedPairs) -> np.ndarray:
        """Return every pair's share in an additive fitness, (individuals, pairs)."""
        pairs = range(self.encoding.n_pairs)
        columns = [self._ave_share(p, decoded.of_pair(p), solved) for p in pairs]
        return np.stack(columns, axis=1)

    def _ave_share(self, p: int, decoded: Decoded, solved: SolvedPairs) -> np.ndarray:
        """Return the share of pair ``p`` in fit^a."""
        error, bound = self.evaluator.terms(p, decoded, solved, self.delta)
        weight, n_plus = self.evaluator.weights[p], int(self.evaluator.n_plus[p])
        return paper.pair_ave(error, bound, weight, n_plus)

    def _losses(self, decoded: Decoded, solved: SolvedPairs) -> list[np.ndarray]:
        """Return e + B_j of every pair, each (individuals, rows)."""
        losses = []
        for p in range(self.encoding.n_pairs):
            error, bound = self.evaluator.terms(
                p, decoded.of_pair(p), solved, self.delta
            )
            losses.append(error + bound[:, None])
        return losses

    def _class_mean(self, values: np.ndarray) -> np.ndarray:
        """Return the mean over classes of the mean over samples, (...)."""
        data = self.evaluator.data
        means = paper.class_means(values, data.weight, data.class_start)
        return np.asarray(means.mean(axis=-1))

    def get_state(self) -> dict[str, Any]:
        """Return what a resumed search needs: arrays, numbers and strings."""
        state: dict[str, Any] = {
            f"history_{name}": np.array(values) for name, values in self.history.items()
        }
        for q, optimizer in enumerate(self.optimizers):
            for name, value in optimizer.get_state().items():
                state[f"ide{q}_{name}"] = value
        return state

    def set_state(self, state: Mapping[str, Any]) -> None:
        """Continue where ``get_state`` was called."""
        for q, optimizer in enumerate(self.optimizers):
            prefix = f"ide{q}_"
            own = {
                k.removeprefix(prefix): v
                for k, v in state.items()
                if k.startswith(prefix)
            }
            optimizer.set_state(own)
        self.history = {name: state[f"history_{name}"].tolist() for name in HISTORY}
        self._stored = None
        self.evaluator.n_solved = int(self.history["n_svms"][-1])
        self._began = time.perf_counter() - self.history["seconds"][-1]

    def _restore_solutions(self) -> None:
        """Solve the population's SVMs again if ``set_state`` brought it here.

        A solution depends on genes and data alone, so it is the one that was lost.
        """
        if self._stored is not None or not self.history["best"]:
            return
        n_solved = self.evaluator.n_solved
        slots = self._slots()
        solved = self.evaluator.solve(self._decode_population())
        self._store(solved, slots, np.ones_like(slots, dtype=bool))
        self.evaluator.n_solved = n_solved

    def _decode_population(self) -> Decoded:
        """Return the current population, decoded."""
        return self.encoding.decode(self._population_genes())


class JointSearch(Search):
    """One population over the genes of all pairs (the paper's search)."""

    def _make_optimizers(
        self, seed: np.random.SeedSequence, options: dict[str, Any]
    ) -> list[IDE]:
        lower, upper = self.encoding.lower, self.encoding.upper
        return [IDE(lower, upper, rng=np.random.default_rng(seed), **options)]

    def _population_genes(self) -> np.ndarray:
        return self.encoding.genes(self.optimizers[0].population)

    def population_fitness(self, decoded: Decoded, solved: SolvedPairs) -> np.ndarray:
        """Return the fitness of every individual."""
        if self.fitness == "max":
            data = self.evaluator.data
            worst = paper.sample_max(
                self._losses(decoded, solved), self.evaluator.pairs, data.class_start
            )
            return self._class_mean(worst)
        values = self._pair_values(decoded, solved)
        return paper.fit_ave(values, self.evaluator.data.n_classes)

    def step(self) -> None:
        """Evaluate one generation (the initial population the first time)."""
        self._restore_solutions()
        optimizer = self.optimizers[0]
        trials = self.encoding.decode(self.encoding.genes(optimizer.ask()))
        solved = self._solve_trials(trials)
        slots = self._slots()
        accepted = optimizer.tell(self.population_fitness(trials, solved))
        cells = np.broadcast_to(accepted[:, None], slots.shape)
        self._store(solved, slots, cells)
        self._record(optimizer.best_fitness, float(optimizer.fitness.mean()))
