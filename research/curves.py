"""Fitness and test scores during a search: the evolutions and random search, one fold.

Joint searches are those of the benchmark's i-SVM-DE methods, seeds included; random
search draws uniform genomes until it has solved as many SVMs as the joint search.
"""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np
from fold_by_fold import Fold, Rows
from sklearn.utils import check_random_state

from isvmde import ISVMClassifier, ISVMDEClassifier
from isvmde.core.decomposition import OneVsOne
from isvmde.core.evolution import IDE
from isvmde.core.fitness import make_fitness
from isvmde.core.search.evaluation import Evaluator
from isvmde.core.search.genome import Encoding, Ranges
from isvmde.core.search.joint import JointSearch
from isvmde.core.search.pairwise import PairwiseSearch
from isvmde.core.training_set import training_set
from isvmde.metrics import PAPER_METRICS

CHECKPOINTS = (0, 5, 10, 20, 50, 100, 200)
PAIRWISE_END = 50
FITNESS = {"ave": "i-SVM-DE-AVE", "max": "i-SVM-DE-MAX"}
POP_SIZE, MAX_ITER = 40, 200  # the paper's


class FoldOfData(Fold):
    """One fold, and what the searches on it share."""

    def __post_init__(self) -> None:
        super().__post_init__()
        self.classes, index = np.unique(self.y, return_inverse=True)
        weight = np.ones(len(index))
        rows = np.asarray(self.X, dtype=float)
        self.data = training_set(rows, index, weight, len(self.classes))
        self.decomposition = OneVsOne(self.data.class_size)
        self.encoding = Encoding(Ranges(), len(self.decomposition.problems))

    def evaluator(self) -> Evaluator:
        """Return a solver of this fold's pairs that counts from zero."""
        return Evaluator(
            self.data,
            self.decomposition.problems,
            tol=ISVMDEClassifier().tol,
            n_threads=1,
        )

    def entropy(self, method: str) -> np.random.SeedSequence:
        """Return the seed that the benchmark gives to `method` on this fold."""
        seed = self.method_seed(method)
        numbers = check_random_state(seed).randint(2**31 - 1, size=4)
        return np.random.SeedSequence(numbers.tolist())

    def test_scores(self, genes: np.ndarray) -> dict[str, float]:
        """Return the scores on the test part of the model that genes define."""
        settings = self.encoding.settings(genes)
        params = {
            tuple(pair): chosen.to_dict()
            for pair, chosen in zip(
                self.classes[self.decomposition.pairs].tolist(), settings, strict=True
            )
        }
        model = ISVMClassifier(pair_params=params).fit(self.X, self.y)
        predicted = model.predict(self.X_test)
        return {
            metric.key: metric.score(self.y_test, predicted)
            for metric in PAPER_METRICS.values()
        }


def curve_rows(
    fold: Fold, *, pop_size: int = POP_SIZE, max_iter: int = MAX_ITER
) -> Rows:
    """Return a row per search, fitness and checkpoint of one fold."""
    part = FoldOfData(fold.dataset, fold.repeat, fold.fold, fold.folds, fold.seed)
    size = {"pop_size": pop_size, "max_iter": max_iter}
    rows = []
    counts: dict[str, dict[int, int]] = {}
    for fitness, method in FITNESS.items():
        joint = _evolve(part, JointSearch, fitness, part.entropy(method), **size)
        counts[fitness] = {row["generation"]: row["n_svms"] for row in joint}
        rows += joint
        rows += _evolve(
            part,
            PairwiseSearch,
            fitness,
            part.entropy(f"{method} pairwise"),
            pop_size=pop_size,
            max_iter=min(PAIRWISE_END, max_iter),
        )
    rows += _draw(part, counts, pop_size)
    return rows


def _evolve(
    part: FoldOfData,
    kind: type[JointSearch] | type[PairwiseSearch],
    fitness: str,
    seed: np.random.SeedSequence,
    *,
    pop_size: int,
    max_iter: int,
) -> list[dict[str, Any]]:
    """Run one evolution and look at its best model at the checkpoints."""
    evaluator = part.evaluator()
    search = kind(
        evaluator,
        part.encoding,
        fitness=make_fitness(fitness, delta=ISVMDEClassifier().delta),
        make_optimizer=partial(IDE, pop_size=pop_size, max_iter=max_iter),
        seed=seed,
    )
    name = "joint" if kind is JointSearch else "pairwise"
    rows = []
    try:
        while not search.done:
            search.step()
            if search.generation in CHECKPOINTS:
                best, count = search.history["best"][-1], evaluator.n_solved
                row = _row(name, fitness, search.generation, count, best)
                rows.append(row | part.test_scores(search.best_genes))
    finally:
        evaluator.close()
    return rows


def _draw(
    part: FoldOfData, counts: dict[str, dict[int, int]], pop_size: int
) -> list[dict[str, Any]]:
    """Draw genomes until as many SVMs are solved as the joint searches have solved."""
    evaluator, encoding = part.evaluator(), part.encoding
    rng = np.random.default_rng(part.entropy("random search"))
    # The same genomes serve both fitness functions.
    delta = ISVMDEClassifier().delta
    measures = {name: make_fitness(name, delta=delta) for name in counts}
    best = dict.fromkeys(counts, np.inf)
    genes: dict[str, np.ndarray] = {}
    due = {fitness: sorted(counts[fitness].items()) for fitness in counts}
    rows = []
    try:
        while any(due.values()):
            shape = (pop_size, len(encoding.lower))
            drawn = encoding.genes(rng.uniform(encoding.lower, encoding.upper, shape))
            decoded = encoding.decode(drawn)
            solved = evaluator.solve(decoded)
            for fitness, measure in measures.items():
                values = evaluator.population_fitness(measure, decoded, solved)
                k = int(np.argmin(values))
                if values[k] < best[fitness]:
                    best[fitness], genes[fitness] = float(values[k]), drawn[k]
                while due[fitness] and evaluator.n_solved >= due[fitness][0][1]:
                    generation, _ = due[fitness].pop(0)
                    count = evaluator.n_solved
                    row = _row("random", fitness, generation, count, best[fitness])
                    rows.append(row | part.test_scores(genes[fitness]))
    finally:
        evaluator.close()
    return rows


def _row(
    search: str, fitness: str, generation: int, n_svms: int, best: float
) -> dict[str, Any]:
    """Return what a checkpoint knows before its model is tested."""
    return {
        "search": search,
        "fitness": fitness,
        "generation": generation,
        "n_svms": n_svms,
        "best_fitness": best,
    }
