"""Compare the package with a second implementation in plain loops.

    python research/run_checks.py --repeats 1

On every fold: the fitness of random genomes, and the decisions of random machines on
the test part. On two folds of newthyroid: the whole search of i-SVM-DE-AVE with SVC in
place of our solver. Once: the metrics of every row of results/paper.csv, and the
paper's statistics. The data sets are those on which SVC, which stops at a tolerance,
gets there in a reasonable time whatever the genes.
Keeps every finished fold in results/checks and writes results/checks.csv; the same
command goes on. A search takes some minutes.
"""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import pandas as pd
import plain
from curves import FoldOfData
from fold_by_fold import Fold, Rows, run
from measured import AVE, METRICS, NINE, PUBLISHED
from measuring import RESULTS

from isvmde import ISVMClassifier, ISVMDEClassifier
from isvmde.bench import load_results
from isvmde.core.fitness import make_fitness
from isvmde.published import load_tests
from isvmde.stats import friedman_aligned

DATASETS = ("newthyroid", "zoo", "dermatology")
SEARCHED, SEARCHED_FOLDS = "newthyroid", 2
N_GENOMES = 20
NEAR = 1e-3  # of a fitness or a decision; SVC stops at a tolerance


def check_rows(fold: Fold) -> Rows:
    """Return a row per check of one fold."""
    part = FoldOfData(fold.dataset, fold.repeat, fold.fold, fold.folds, fold.seed)
    rows = [*_check_fitness(part), _check_decisions(part)]
    if fold.dataset == SEARCHED and fold.repeat == 0:
        if fold.fold < SEARCHED_FOLDS:
            rows.append(_check_search(part))
        if fold.fold == 0:
            rows += [_check_metrics(), *_check_statistics()]
    return rows


def _row(check: str, differences: Any, near: float) -> dict[str, Any]:
    """Return how many differences are near zero, and the largest."""
    values = np.abs(np.asarray(differences, float)).ravel()
    return {
        "check": check,
        "cases": len(values),
        "agree": int((values <= near).sum()),
        "largest_difference": float(values.max()),
    }


def _genomes(part: FoldOfData, n: int) -> np.ndarray:
    """Return random genes, (n, pairs, 7)."""
    rng = np.random.default_rng(part.method_seed("checks"))
    lower, upper = part.encoding.lower, part.encoding.upper
    return part.encoding.genes(rng.uniform(lower, upper, (n, len(lower))))


def _check_fitness(part: FoldOfData) -> Rows:
    """Compare fit^a and fit^m of random genomes, with our count and with SVC's.

    Where the dual has more than one solution, solvers differ in the support vectors and
    agree in all decisions.
    """
    X, y = plain.numbered(part.X, part.y)
    pairs = plain.pairs_of(X, y)
    genes = _genomes(part, N_GENOMES)
    decoded = part.encoding.decode(genes)
    evaluator = part.evaluator()
    try:
        solved = evaluator.solve(decoded)
        ours = {
            name: evaluator.population_fitness(
                make_fitness(name, delta=plain.DELTA), decoded, solved
            )
            for name in ("ave", "max")
        }
    finally:
        evaluator.close()
    found = []
    for counted, counts in (("ours", solved.support), ("SVC's", [None] * len(genes))):
        gaps = []
        for name, values in ours.items():
            for value, one, count in zip(values, genes, counts, strict=True):
                largest = name == "max"
                theirs = plain.fitness(
                    pairs, one, len(part.classes), largest=largest, counts=count
                )
                gaps.append(value - theirs)
        check = f"fitness of random genomes, support vectors counted as {counted}"
        found.append(_row(check, gaps, NEAR))
    return found


def _check_decisions(part: FoldOfData) -> dict[str, Any]:
    """Compare the decisions of random machines on the test part."""
    X, y = plain.numbered(part.X, part.y)
    X_test = np.asarray(part.X_test, float)
    gaps = []
    for genes in _genomes(part, 3):
        settings = part.encoding.settings(genes)
        names = part.classes[part.decomposition.pairs].tolist()
        params = {
            tuple(pair): one.to_dict()
            for pair, one in zip(names, settings, strict=True)
        }
        model = ISVMClassifier(pair_params=params, tol=1e-6).fit(part.X, part.y)
        ours = np.asarray(model.pair_decision_function(part.X_test)).T
        for pair, own, f in zip(plain.pairs_of(X, y), genes, ours, strict=True):
            machine = plain.train(pair, own, tol=1e-6)
            if machine is not None:
                theirs = plain.decide(machine, X_test)
                gaps.append((f - theirs) / np.maximum(1.0, np.abs(theirs)))
    return _row("decisions of random machines", np.concatenate(gaps), NEAR)


def _check_search(part: FoldOfData) -> dict[str, Any]:
    """Compare the predictions at the end of the whole search."""
    X, y = plain.numbered(part.X, part.y)
    pairs = plain.pairs_of(X, y)

    def objective(genome: np.ndarray) -> float:
        genes = genome.reshape(len(pairs), 7)
        return plain.fitness(pairs, genes, len(part.classes), largest=False)

    rng = np.random.default_rng(part.entropy(AVE))
    best, _ = plain.search(objective, len(pairs), rng)
    theirs = plain.vote(
        pairs,
        best.reshape(len(pairs), 7),
        np.bincount(y).tolist(),
        np.asarray(part.X_test, float),
    )
    model = ISVMDEClassifier(random_state=part.method_seed(AVE)).fit(part.X, part.y)
    ours = np.searchsorted(part.classes, model.predict(part.X_test))
    return _row("predictions after the whole search", ours != np.array(theirs), 0.0)


def _check_metrics() -> dict[str, Any]:
    """Compare the three scores of every row of the nine methods."""
    done = load_results(RESULTS / "paper.csv").only(methods=NINE).done
    theirs = [plain.scores(json.loads(text)) for text in done["confusion"]]
    gaps = done[list(METRICS)].to_numpy(float) - np.array(theirs)
    return _row("scores of confusion matrices", gaps, 1e-12)


def _check_statistics() -> Rows:
    """Compare Friedman's aligned ranks with plain loops and with what is printed."""
    printed = load_tests()["friedman_aligned"]
    loops, prints = [], []
    for metric, table in PUBLISHED.items():
        ours = friedman_aligned(table, ties="rounded")
        statistic, ranks = plain.aligned_friedman(table.to_numpy().tolist())
        loops += [ours.statistic - statistic, *(ours.mean_ranks.to_numpy() - ranks)]
        as_printed = friedman_aligned(table).statistic
        prints.append(as_printed - printed[metric]["statistic"])
    return [
        _row("aligned ranks in plain loops", loops, 1e-9),
        _row("Friedman's statistics as printed", prints, 5e-6),
    ]


def summarise(table: pd.DataFrame) -> pd.DataFrame:
    """Return the rows without empty ones, checks in their order."""
    order = list(dict.fromkeys(table["check"]))
    return table.sort_values(
        "check", key=lambda names: names.map(order.index), kind="stable"
    )


if __name__ == "__main__":
    run(__doc__, "checks", check_rows, summarise, datasets=DATASETS, repeats=1)
