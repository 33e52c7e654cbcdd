"""The paper's search: one population over the genes of all pairs."""

import time
from collections.abc import Mapping
from typing import Any

import numpy as np

from isvmde.core.evolution import IDE
from isvmde.core.fitness import Fitness

from .evaluation import PairEvaluator, SolvedPairs
from .genome import Decoded, Encoding

# per generation, the initial population first; n_svms and seconds are those so far
HISTORY = ("best", "mean", "success_rate", "n_svms", "n_unconverged", "seconds")
Seed = np.random.SeedSequence


class JointSearch:
    """Searches the settings of all pairs; ``options`` are those of the evolution."""

    def __init__(
        self,
        evaluator: PairEvaluator,
        encoding: Encoding,
        *,
        fitness: Fitness,
        seed: Seed,
        **options: Any,
    ) -> None:
        self.evaluator, self.encoding, self.fitness = evaluator, encoding, fitness
        self.optimizers = self._make_optimizers(seed, options)
        self.history: dict[str, list[float]] = {name: [] for name in HISTORY}
        self._stored: SolvedPairs | None = None  # of the population's rows
        self._began = time.perf_counter()

    def _make_optimizers(self, seed: Seed, options: dict[str, Any]) -> list[IDE]:
        """Return one IDE for all pairs."""
        lower, upper = self.encoding.lower, self.encoding.upper
        return [IDE(lower, upper, rng=np.random.default_rng(seed), **options)]

    def _genes(self) -> np.ndarray:
        """Return the genes of the current population, (individuals, pairs, 7)."""
        return self.encoding.genes(self.optimizers[0].population)

    def _population(self) -> Decoded:
        """Return the current population, decoded."""
        return self.encoding.decode(self._genes())

    def _evaluate_generation(self) -> tuple[float, float]:
        """Ask, solve, tell; return the best and the mean fitness."""
        optimizer = self.optimizers[0]
        asked = optimizer.ask()
        trials = self.encoding.decode(self.encoding.genes(asked))
        solved = self.evaluator.solve(trials, self._stored, first=self._stored is None)
        told = self.evaluator.population_fitness(self.fitness, trials, solved)
        self._keep(solved, [optimizer.tell(asked, told)])
        return float(optimizer.fitness[0]), float(optimizer.fitness.mean())

    def step(self) -> None:
        """Evaluate one generation (the initial population the first time)."""
        evaluator = self.evaluator
        if self.history["best"] and self._stored is None:
            # A solution depends on genes and data alone, so it is what set_state lost.
            n_solved = evaluator.n_solved
            self._stored = evaluator.solve(self._population())
            evaluator.n_solved = n_solved
        unconverged = evaluator.n_unconverged
        best, mean = self._evaluate_generation()
        rate = np.mean([optimizer.success_rate for optimizer in self.optimizers])
        counts = evaluator.n_solved, evaluator.n_unconverged - unconverged
        row = (best, mean, float(rate), *counts, time.perf_counter() - self._began)
        for name, value in zip(HISTORY, row, strict=True):
            self.history[name].append(value)

    @property
    def generation(self) -> int:
        """Iterations completed."""
        return self.optimizers[0].generation

    @property
    def done(self) -> bool:
        """Whether all iterations are completed."""
        return self.optimizers[0].done

    @property
    def best_genes(self) -> np.ndarray:
        """Genes of the best settings found so far, (pairs, 7)."""
        return np.array(self._genes()[0])

    def _keep(self, trials: SolvedPairs, accepted: list[np.ndarray]) -> None:
        """Let trials that an optimizer accepted take their parents' places, sorted."""
        cells = trials.support.shape
        if self._stored is not None:
            mine = np.broadcast_to(np.stack(accepted, axis=1), cells)
            trials = trials.where(mine, self._stored)
        order = np.stack([optimizer.order for optimizer in self.optimizers], axis=1)
        self._stored = trials.ordered(np.broadcast_to(order, cells))

    def get_state(self) -> dict[str, np.ndarray]:
        """Return what a resumed search needs; a row per optimizer in every array."""
        states = [optimizer.get_state() for optimizer in self.optimizers]
        own = {name: np.array([state[name] for state in states]) for name in states[0]}
        return {**own, "history": np.array(list(self.history.values()))}

    def set_state(self, state: Mapping[str, np.ndarray]) -> None:
        """Continue where ``get_state`` was called."""
        for q, optimizer in enumerate(self.optimizers):
            own = {name: rows[q] for name, rows in state.items() if name != "history"}
            optimizer.set_state(own)
        self.history = dict(zip(HISTORY, state["history"].tolist(), strict=True))
        self._stored = None
        self.evaluator.n_solved = int(self.history["n_svms"][-1])
        self._began = time.perf_counter() - self.history["seconds"][-1]
