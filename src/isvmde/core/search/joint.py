"""The paper's search: one population over the genes of all pairs."""

from __future__ import annotations

from typing import Any

import numpy as np

from isvmde.core.evolution import IDE

from .base import Search


class JointSearch(Search):
    """One population over the genes of all pairs."""

    def _make_optimizers(
        self, seed: np.random.SeedSequence, options: dict[str, Any]
    ) -> list[IDE]:
        lower, upper = self.encoding.lower, self.encoding.upper
        return [IDE(lower, upper, rng=np.random.default_rng(seed), **options)]

    def _population_genes(self) -> np.ndarray:
        return self.encoding.genes(self.optimizers[0].population)

    def _evaluate_generation(self) -> tuple[float, float]:
        optimizer = self.optimizers[0]
        trials = self.encoding.decode(self.encoding.genes(optimizer.ask()))
        solved = self._solve_trials(trials)
        told = self.evaluator.population_fitness(self.fitness, trials, solved)
        self._keep(solved, [optimizer.tell(told)])
        return optimizer.best_fitness, float(optimizer.fitness.mean())
