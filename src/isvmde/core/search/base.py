"""What both searches share: the exchange with IDE, history and state."""

from __future__ import annotations

import time
from abc import ABC, abstractmethod
from collections.abc import Mapping
from typing import Any

import numpy as np

from isvmde.core.evolution import IDE
from isvmde.core.fitness import Fitness

from .evaluation import PairEvaluator, SolvedPairs
from .genome import Decoded, Encoding

HISTORY = ("best", "mean", "success_rate", "n_svms", "n_unconverged", "seconds")


class Search(ABC):
    """Searches the settings of all pairs by differential evolution.

    ``history`` has a row per generation, the initial population first: ``n_svms`` is
    the number solved so far, ``n_unconverged`` how many solves of the generation did
    not converge.
    """

    def __init__(
        self,
        evaluator: PairEvaluator,
        encoding: Encoding,
        *,
        fitness: Fitness,
        pop_size: int,
        max_iter: int,
        seed: np.random.SeedSequence,
        ide_options: Mapping[str, Any] | None = None,
    ) -> None:
        self.evaluator, self.encoding, self.fitness = evaluator, encoding, fitness
        options = {"pop_size": pop_size, "max_iter": max_iter, **(ide_options or {})}
        self.optimizers = self._make_optimizers(seed, options)
        self.history: dict[str, list[float]] = {name: [] for name in HISTORY}
        self._stored: SolvedPairs | None = None  # of the population's rows
        self._began = time.perf_counter()

    @abstractmethod
    def _make_optimizers(
        self, seed: np.random.SeedSequence, options: dict[str, Any]
    ) -> list[IDE]:
        """Return one IDE for all pairs, or one for each."""

    @abstractmethod
    def _population_genes(self) -> np.ndarray:
        """Return the genes of the current population, (individuals, pairs, 7)."""

    @abstractmethod
    def _evaluate_generation(self) -> tuple[float, float]:
        """Ask, solve, tell; return the best and the mean fitness."""

    def step(self) -> None:
        """Evaluate one generation (the initial population the first time)."""
        self._restore_solutions()
        unconverged = self.evaluator.n_unconverged
        best, mean = self._evaluate_generation()
        rates = [optimizer.success_rate for optimizer in self.optimizers]
        row = {
            "best": best,
            "mean": mean,
            "success_rate": float(np.mean(rates)),
            "n_svms": float(self.evaluator.n_solved),
            "n_unconverged": float(self.evaluator.n_unconverged - unconverged),
            "seconds": time.perf_counter() - self._began,
        }
        for name in HISTORY:
            self.history[name].append(row[name])

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

    def _decode_population(self) -> Decoded:
        """Return the current population, decoded."""
        return self.encoding.decode(self._population_genes())

    def _solve_trials(self, decoded: Decoded) -> SolvedPairs:
        """Solve a population of trials, reusing their parents' solutions.

        After the evaluator's deadline a generation is given up; the initial population
        is taken as far as it came, as there is nothing before it.
        """
        first = not self.history["best"]
        return self.evaluator.solve(decoded, self._stored, partial=first)

    def _keep(self, trials: SolvedPairs, accepted: list[np.ndarray]) -> None:
        """Let accepted trials take their parents' places, in the population's order.

        ``accepted`` has an array per optimizer.
        """
        cells = trials.support.shape
        if self._stored is not None:
            mine = np.broadcast_to(np.stack(accepted, axis=1), cells)
            trials = trials.where(mine, self._stored)
        order = np.stack([optimizer.order for optimizer in self.optimizers], axis=1)
        self._stored = trials.ordered(np.broadcast_to(order, cells))

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
        counts = [self.history[name] for name in ("n_svms", "n_unconverged", "seconds")]
        lengths = {len(values) for values in self.history.values()}
        generations = {optimizer.generation for optimizer in self.optimizers}
        together = len(lengths) == len(generations) == 1
        if not together or not np.isfinite(counts).all():
            raise ValueError("The state is not one that a search leaves behind.")
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
        self._stored = self.evaluator.solve(self._decode_population())
        self.evaluator.n_solved = n_solved
