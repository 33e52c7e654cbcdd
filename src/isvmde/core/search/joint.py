"""The paper's search: one population over the genes of all problems."""

import time
from collections.abc import Mapping
from typing import Protocol

import numpy as np

from isvmde.core.arrays import Floats
from isvmde.core.evolution import Optimizer
from isvmde.core.fitness import Fitness

from .evaluation import Evaluator, SolvedProblems
from .genome import Decoded, Encoding

# per generation, the initial population first; n_svms and seconds are those so far
HISTORY = ("best", "mean", "success_rate", "n_svms", "n_unconverged", "seconds")
Seed = np.random.SeedSequence


class MakeOptimizer(Protocol):
    """Makes the optimiser of a box, as ``functools.partial(IDE, pop_size=40)`` does."""

    def __call__(
        self, lower: Floats, upper: Floats, *, rng: np.random.Generator
    ) -> Optimizer:
        """Return an optimiser that has not begun."""
        ...


class JointSearch:
    """Searches the settings of all problems with one population."""

    def __init__(
        self,
        evaluator: Evaluator,
        encoding: Encoding,
        *,
        fitness: Fitness,
        make_optimizer: MakeOptimizer,
        seed: Seed,
    ) -> None:
        self.evaluator, self.encoding, self.fitness = evaluator, encoding, fitness
        self.optimizers = self._make_optimizers(make_optimizer, seed)
        self.history: dict[str, list[float]] = {name: [] for name in HISTORY}
        self._stored: SolvedProblems | None = None  # of the population's rows
        self._began = time.perf_counter()

    def _make_optimizers(self, make: MakeOptimizer, seed: Seed) -> list[Optimizer]:
        """Return one optimiser for all problems."""
        rng = np.random.default_rng(seed)
        return [make(self.encoding.lower, self.encoding.upper, rng=rng)]

    def _genes(self) -> np.ndarray:
        """Return the genes of the current population, (individuals, problems, 7)."""
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
        values = self.evaluator.population_fitness(self.fitness, trials, solved)
        self._keep(solved, [optimizer.tell(asked, values)])
        return float(optimizer.fitness[0]), float(optimizer.fitness.mean())

    def step(self) -> None:
        """Evaluate one generation (the initial population the first time)."""
        evaluator = self.evaluator
        if self.history["best"] and self._stored is None:
            # A solution depends on genes and data alone, so it is what set_state lost.
            n_solved = evaluator.n_solved
            self._stored = evaluator.solve(self._population())
            evaluator.n_solved = n_solved
        unconverged_before = evaluator.n_unconverged
        best, mean = self._evaluate_generation()
        rates = [optimizer.success_rate for optimizer in self.optimizers]
        n_unconverged = evaluator.n_unconverged - unconverged_before
        self.history["best"].append(best)
        self.history["mean"].append(mean)
        self.history["success_rate"].append(float(np.mean(rates)))
        self.history["n_svms"].append(evaluator.n_solved)
        self.history["n_unconverged"].append(n_unconverged)
        self.history["seconds"].append(time.perf_counter() - self._began)

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
        """Genes of the best settings found so far, (problems, 7)."""
        return np.array(self._genes()[0])

    def _keep(self, trials: SolvedProblems, accepted: list[np.ndarray]) -> None:
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
        saved = {name: np.array([s[name] for s in states]) for name in states[0]}
        saved["history"] = np.array(list(self.history.values()))
        if self.evaluator.fold is not None:
            saved["fold"] = self.evaluator.fold
        return saved

    def can_go_on_from(self, state: Mapping[str, np.ndarray]) -> bool:
        """Whether a state may be of this search: the file it is from may be forged."""
        if state.keys() != self.get_state().keys():
            return False
        fold = self.evaluator.fold
        if fold is not None:
            dealt = state["fold"]
            same = dealt.shape == fold.shape and dealt.dtype == fold.dtype
            if not same or not np.array_equal(np.unique(dealt), np.unique(fold)):
                return False
        names = self.optimizers[0].get_state()
        generations = np.unique(state["generation"])
        history = state["history"]
        return (
            len(generations) == 1
            and history.shape == (len(HISTORY), generations[0] + 1)
            and not np.isnan(history).any()
            and bool((history[HISTORY.index("n_svms")] >= 0).all())
            and bool(np.isfinite(history[HISTORY.index("n_svms")]).all())
            and bool(np.isfinite(history[HISTORY.index("seconds")]).all())
            and all(len(state[name]) == len(self.optimizers) for name in names)
            and all(
                optimizer.can_go_on_from({name: state[name][q] for name in names})
                for q, optimizer in enumerate(self.optimizers)
            )
        )

    def set_state(self, state: Mapping[str, np.ndarray]) -> None:
        """Continue where ``get_state`` was called."""
        if self.evaluator.fold is not None:
            self.evaluator.hold_out(state["fold"])
        for q, optimizer in enumerate(self.optimizers):
            names = optimizer.get_state()
            optimizer.set_state({name: state[name][q] for name in names})
        self.history = dict(zip(HISTORY, state["history"].tolist(), strict=True))
        self._stored = None
        self.evaluator.n_solved = int(self.history["n_svms"][-1])
        self._began = time.perf_counter() - self.history["seconds"][-1]
