"""Measure what the way of counting support vectors decides in the paper's fitness.

    python research/run_counting.py --repeats 1

The bound on the error grows with the number of support vectors. This library merges
identical rows and counts the weight of a support vector; LIBSVM keeps the rows apart
and counts those with a multiplier; where a dual has many solutions, it may end at
another. Three readings: "rows" as built, "distinct" (one for
every distinct support vector) and "none" (all samples, whatever the machine, so that
the count decides nothing). On every fold the search of i-SVM-DE-AVE is run with each of
them, seeds alike. Keeps every finished fold in results/counting and writes
results/counting.csv; the same command goes on.
"""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np
import plain
from curves import FoldOfData
from fold_by_fold import Fold, Rows, run

from isvmde import ISVMDEClassifier
from isvmde.core.arrays import Bools
from isvmde.core.evolution import IDE
from isvmde.core.fitness import make_fitness
from isvmde.core.search.evaluation import Evaluator, SolvedProblems
from isvmde.core.search.joint import JointSearch

METHOD = "i-SVM-DE-AVE"
READINGS = ("rows", "distinct", "none")
SUPPORT = (
    1e-8  # share of its box above which a multiplier is not zero, as in the solver
)


class Counting(Evaluator):
    """An evaluator that counts support vectors by one of the readings."""

    def __init__(self, *given: Any, reading: str, **options: Any) -> None:
        super().__init__(*given, **options)
        self.reading = reading

    def _solve_cells(self, solved: SolvedProblems, cells: Bools) -> None:
        super()._solve_cells(solved, cells)
        if self.reading == "distinct":
            solved.support[cells] = self._distinct(solved, cells)
        elif self.reading == "none":
            n_samples = np.array([problem.weight.sum() for problem in self.problems])
            solved.support[cells] = np.broadcast_to(n_samples, cells.shape)[cells]

    def _distinct(self, solved: SolvedProblems, cells: Bools) -> np.ndarray:
        """Return the number of distinct rows with a multiplier, of every cell."""
        tasks = self._tasks(solved.key, cells)
        found = self._solvers[0].solve(tasks, with_beta=True)
        box = np.concatenate(
            [
                np.where(self.problems[p].y > 0, u_pos, u_neg) * self.problems[p].weight
                for p, u_pos, u_neg in zip(
                    np.nonzero(cells)[1], tasks.U_pos, tasks.U_neg, strict=True
                )
            ]
        )
        is_support = np.abs(found.beta) > SUPPORT * box
        return np.add.reduceat(is_support.astype(float), found.offset[:-1])


def counting_rows(fold: Fold) -> Rows:
    """Return a row per reading: what its search finds, and how it scores."""
    part = FoldOfData(fold.dataset, fold.repeat, fold.fold, fold.folds, fold.seed)
    return [{"reading": name, **_search(part, name)} for name in READINGS]


def _search(part: FoldOfData, reading: str) -> dict[str, float]:
    """Run the paper's search with a way of counting; return counts and scores."""
    paper = ISVMDEClassifier()
    evaluator = Counting(
        part.data, part.decomposition.problems, paper.tol, 1, reading=reading
    )
    fitness = make_fitness("ave", delta=paper.delta)
    search = JointSearch(
        evaluator,
        part.encoding,
        fitness=fitness,
        make_optimizer=partial(IDE, pop_size=paper.pop_size, max_iter=paper.max_iter),
        seed=part.entropy(METHOD),
    )
    try:
        while not search.done:
            search.step()
    finally:
        evaluator.close()
    counts = _counts_of_best(part, search.best_genes)
    merged = len(part.y) - len(part.data.weight)
    return {
        "merged_rows": merged,
        "best_fitness": search.history["best"][-1],
        **counts,
        **part.test_scores(search.best_genes),
    }


def _counts_of_best(part: FoldOfData, genes: np.ndarray) -> dict[str, float]:
    """Return support vectors and fitness of one individual by both ways of counting."""
    decoded = part.encoding.decode(genes[None])
    fitness = make_fitness("ave", delta=ISVMDEClassifier().delta)
    told = {}
    for reading in READINGS[:2]:
        evaluator = Counting(
            part.data,
            part.decomposition.problems,
            ISVMDEClassifier().tol,
            1,
            reading=reading,
        )
        try:
            solved = evaluator.solve(decoded)
            values = evaluator.population_fitness(fitness, decoded, solved)
        finally:
            evaluator.close()
        told[f"nsv_{reading}"] = float(solved.support.sum())
        told[f"fitness_{reading}"] = float(values[0])
    return told | _counts_of_libsvm(part, genes)


def _counts_of_libsvm(part: FoldOfData, genes: np.ndarray) -> dict[str, float]:
    """Return what SVC says of the same individual, all rows kept apart."""
    X, y = plain.numbered(part.X, part.y)
    pairs = plain.pairs_of(X, y)
    machines = [plain.train(pair, own) for pair, own in zip(pairs, genes, strict=True)]
    counts = [
        len(pair.y) if machine is None else plain.count_support(machine, pair)
        for pair, machine in zip(pairs, machines, strict=True)
    ]
    value = plain.fitness(pairs, genes, len(part.classes), largest=False, counts=counts)
    return {"nsv_libsvm": float(sum(counts)), "fitness_libsvm": value}


if __name__ == "__main__":
    run(__doc__, "counting", counting_rows, repeats=1)
