"""How many SVMs a fitness costs, joint and pairwise.

``python -m benchmarks.search_effort [data sets]``: the paper's joint search (40
individuals x 200 generations, fit^a) sets the mark; the pairwise search (30 individuals
a pair) has to reach its final fitness. On the first training fold of each data set.
"""

from __future__ import annotations

import sys
from dataclasses import dataclass

import numpy as np
from threadpoolctl import threadpool_limits

from isvmde import ISVMDEClassifier
from isvmde.datasets import PaperKFold, load_dataset, make_preprocessor

DATASETS = ("glass", "zoo", "ecoli", "hayes-roth", "newthyroid", "balance")
SEEDS = 3
_SHARES = (0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1.0)  # of the joint search's SVMs


@dataclass(frozen=True)
class Row:
    """Median over the seeds, and one curve of each search."""

    name: str
    n_pairs: int
    mark: float
    joint_svms: int
    pairwise_svms: float  # until the mark is reached, inf if never
    ratio: float
    smallest_ratio: float
    reached: str  # in how many of the seeds
    curve: list[tuple[int, float, float]]  # SVMs, best joint, best pairwise


def load(name: str) -> tuple[np.ndarray, np.ndarray]:
    """Return the first of the paper's training folds, preprocessed."""
    bunch = load_dataset(name)
    folds = PaperKFold(5, random_state=0).split(bunch.data, bunch.target)
    train, _ = next(iter(folds))
    X = make_preprocessor(bunch).fit_transform(bunch.data.iloc[train])
    return np.asarray(X, float), np.asarray(bunch.target)[train]


def best_at(history: dict[str, np.ndarray], n_svms: float) -> float:
    """Return the best fitness found with at most so many SVMs; NaN with too few."""
    known = np.flatnonzero(history["n_svms"] <= n_svms)
    return float(history["best"][known[-1]]) if len(known) else float("nan")


def svms_until(history: dict[str, np.ndarray], mark: float) -> float:
    """Return how many SVMs were solved when ``mark`` was reached; inf if never."""
    reached = np.flatnonzero(history["best"] <= mark)
    return float(history["n_svms"][reached[0]]) if len(reached) else np.inf


def measure(name: str, seeds: int = SEEDS) -> Row:
    """Run both searches with several seeds."""
    X, y = load(name)
    marks, joint_svms, pairwise_svms = [], [], []
    for seed in range(seeds):
        joint = ISVMDEClassifier(random_state=seed).fit(X, y)
        alone = ISVMDEClassifier(
            search="pairwise", pop_size=30, random_state=seed, patience=100
        ).fit(X, y)
        marks.append(joint.fitness_)
        joint_svms.append(int(joint.history_["n_svms"][-1]))
        pairwise_svms.append(svms_until(alone.history_, joint.fitness_))
        if seed == 0:
            points = [round(share * joint_svms[0]) for share in _SHARES]
            curve = [
                (n, best_at(joint.history_, n), best_at(alone.history_, n))
                for n in points
            ]
    ratios = np.array(joint_svms) / np.array(pairwise_svms)
    return Row(
        name,
        len(joint.pairs_),
        float(np.median(marks)),
        int(np.median(joint_svms)),
        float(np.median(pairwise_svms)),
        float(np.median(ratios)),
        float(ratios.min()),
        f"{np.isfinite(pairwise_svms).sum()} of {seeds}",
        curve,
    )


def markdown(rows: list[Row]) -> str:
    """Return the table of results and the curves."""
    lines = [
        "| data set | pairs | joint search's fitness | its SVMs | pairwise: SVMs to "
        "reach it | times fewer (median) | (least) | reached |",
        "|---|---|---|---|---|---|---|---|",
    ]
    lines += [
        f"| {r.name} | {r.n_pairs} | {r.mark:.4f} | {r.joint_svms:,} | "
        f"{r.pairwise_svms:,.0f} | {r.ratio:.1f} | {r.smallest_ratio:.1f} | "
        f"{r.reached} |"
        for r in rows
    ]
    lines += ["", "Best fitness against SVMs solved (joint / pairwise):", ""]
    for r in rows:
        cells = [f"{n:,}: {a:.4f} / {b:.4f}" for n, a, b in r.curve]
        lines.append(f"- {r.name}: " + ", ".join(cells))
    return "\n".join(lines)


def main(names: list[str]) -> None:
    """Measure, print as it goes, then the tables."""
    rows = []
    for name in names or DATASETS:
        with threadpool_limits(1):
            rows.append(measure(name))
        r = rows[-1]
        print(
            f"{name:11s} {r.ratio:6.1f} times fewer SVMs, "
            f"at least {r.smallest_ratio:.1f}, mark reached by {r.reached}",
            flush=True,
        )
    print(markdown(rows))


if __name__ == "__main__":
    main(sys.argv[1:])
