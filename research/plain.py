"""The paper's fitness, search, metrics and statistics once more, in plain loops.

Written from the paper and the list of readings, with scikit-learn's SVC in place of our
solver. Nothing here is fast, and nothing is shared with the package, so that the two
can be compared.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from sklearn.svm import SVC

C, DELTA = 1000.0, 0.05
LOWER = [0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 1.0]  # C+, C-, lambda1, lambda2, kernel, s, d
UPPER = [1.0, 1.0, 1.0, 1.0, 3.0, 100.0, 6.0]
NO_MACHINE = 1e-6  # costs and margins below this define none
SUPPORT = 1e-8  # share of its cost from which on a multiplier counts


class Pair(NamedTuple):
    """The rows of two classes; + is the smaller, on equal size the first."""

    plus: int
    minus: int
    X: np.ndarray
    y: np.ndarray  # 1 and -1


class Machine(NamedTuple):
    """A trained i-SVM: f = scale * svc + shift."""

    svc: SVC
    scale: float
    shift: float
    genes: Any
    X: np.ndarray


def numbered(X: Any, labels: Any) -> tuple[np.ndarray, np.ndarray]:
    """Return rows and the numbers of their classes, in the order of the labels."""
    return np.asarray(X, float), np.unique(np.asarray(labels), return_inverse=True)[1]


def pairs_of(X: np.ndarray, y: np.ndarray) -> list[Pair]:
    """Return all pairs of classes; y holds 0, 1, ... ."""
    found = []
    n_classes = int(y.max()) + 1
    for p in range(n_classes):
        for q in range(p + 1, n_classes):
            plus, minus = (q, p) if (y == q).sum() < (y == p).sum() else (p, q)
            mine = (y == plus) | (y == minus)
            sign = np.where(y[mine] == plus, 1.0, -1.0)
            found.append(Pair(plus, minus, X[mine], sign))
    return found


def kernel(genes: Any, A: np.ndarray, B: np.ndarray) -> np.ndarray:
    """Return the kernel's values, one at a time."""
    kind, sigma, degree = int(genes[4]), max(genes[5], 0.001), int(genes[6])
    K = np.empty((len(A), len(B)))
    for i, a in enumerate(A):
        for j, b in enumerate(B):
            if min(kind, 2) == 1:
                K[i, j] = math.exp(-float(((a - b) ** 2).sum()) / (2 * sigma**2))
            elif min(kind, 2) == 0:
                K[i, j] = float(a @ b)
            else:
                K[i, j] = (1.0 + float(a @ b)) ** min(degree, 5)
    return K


def train(pair: Pair, genes: Any, tol: float = 1e-5) -> Machine | None:
    """Return the i-SVM of a pair, None where the genes define none."""
    U_plus, U_minus = C * genes[0], C * genes[1]
    A, c = (genes[2] + genes[3]) / 2, (genes[2] - genes[3]) / 2
    if min(A, U_plus, U_minus) < NO_MACHINE:
        return None
    costs = {1.0: U_plus / A, -1.0: U_minus / A}
    svc = SVC(C=1.0, kernel="precomputed", class_weight=costs, tol=tol, cache_size=50)
    svc.fit(_fast_kernel(genes, pair.X, pair.X), pair.y)
    return Machine(svc, A, c, genes, pair.X)


def decide(machine: Machine, X: np.ndarray) -> np.ndarray:
    """Return f of some rows."""
    K = _fast_kernel(machine.genes, X, machine.X)
    return machine.scale * machine.svc.decision_function(K) + machine.shift


def fitness(
    pairs: list[Pair],
    genomes: Any,
    n_classes: int,
    *,
    largest: bool,
    counts: Any = None,
) -> float:
    """Return fit^a, or fit^m where ``largest``, of the seven genes of every pair.

    ``counts`` are the support vectors of every pair; None for those of SVC.
    """
    losses: dict[tuple[int, int], list[float]] = {}  # (class, sample): e + B by pair
    counts = [None] * len(pairs) if counts is None else counts
    for pair, genes, count in zip(pairs, genomes, counts, strict=True):
        machine = train(pair, genes)
        n = len(pair.y)
        if machine is None:
            f, n_support = np.zeros(n), n
        else:
            f = decide(machine, pair.X)
            counted = count_support(machine, pair) if count is None else count
            n_support = max(counted, 1)
        bound = math.sqrt((math.log(n_support) + math.log(1 / DELTA)) / (2 * n))
        seen = {pair.plus: 0, pair.minus: 0}
        for value, sign in zip(f, pair.y, strict=True):
            own = pair.plus if sign > 0 else pair.minus
            error = 1.0 / (1.0 + math.exp(min(sign * float(value), 700.0)))
            losses.setdefault((own, seen[own]), []).append(error + bound)
            seen[own] += 1
    total = 0.0
    for own in range(n_classes):
        of_class = [values for (label, _), values in losses.items() if label == own]
        if largest:
            means = [max(values) for values in of_class]
        else:
            means = [sum(values) / len(values) for values in of_class]
        total += sum(means) / len(means)
    return total / n_classes


def vote(pairs: list[Pair], genomes: Any, sizes: Any, X: np.ndarray) -> list[int]:
    """Return the classes with the most votes; ties go to the smaller, then first."""
    votes = [[0] * len(sizes) for _ in X]
    for pair, genes in zip(pairs, genomes, strict=True):
        machine = train(pair, genes)
        f = np.zeros(len(X)) if machine is None else decide(machine, X)
        for row, value in zip(votes, f, strict=True):
            row[pair.plus if value >= 0 else pair.minus] += 1
    order = sorted(range(len(sizes)), key=lambda label: (sizes[label], label))
    return [max(order, key=lambda label, row=row: row[label]) for row in votes]


def search(
    objective: Callable[[np.ndarray], float],
    n_pairs: int,
    rng: np.random.Generator,
    *,
    n_individuals: int = 40,
    n_generations: int = 200,
) -> tuple[np.ndarray, float]:
    """Return the best genome of the individual-dependent DE, and its fitness.

    Random numbers are drawn in the order in which the package draws them.
    """
    low, high = np.array(LOWER * n_pairs), np.array(UPPER * n_pairs)
    n_genes, NP = len(low), n_individuals

    def uniform() -> np.ndarray:
        return low + rng.random((NP, n_genes)) * (high - low)

    found = [(objective(x), x) for x in uniform()]
    found.sort(key=lambda one: one[0])
    for g in range(1, n_generations + 1):
        values = [value for value, _ in found]
        h = [x for _, x in found]
        share = 0.1 + 0.9 * 10 ** (5 * (g / n_generations - 1))
        n_superior = int(share * NP + 0.5)
        F = _rates(rng, NP, again=True)
        CR = _rates(rng, NP, again=False)
        better = rng.integers(n_superior, size=NP)
        keys = rng.random((NP, NP))
        replaced = rng.random((NP, n_genes))
        fresh = uniform()
        crossed = rng.random((NP, n_genes))
        certain = rng.integers(n_genes, size=NP)
        repair = uniform()
        trials = []
        for i in range(NP):
            others = [k for k in np.argsort(keys[i], kind="stable") if k != i]
            if i < n_superior:
                first, r2, r3 = others[:3]
            else:
                first = better[i]
                r2, r3 = [k for k in others if k != first][:2]
            trial = h[i].copy()
            for j in range(n_genes):
                d = fresh[i, j] if replaced[i, j] < 0.1 * share else h[r3][j]
                move = F[i] * (h[first][j] - h[i][j]) + F[i] * (h[r2][j] - d)
                if crossed[i, j] <= CR[i] or j == certain[i]:
                    trial[j] = h[i][j] + move
                if not low[j] <= trial[j] <= high[j]:
                    trial[j] = repair[i, j]
            trials.append(trial)
        found = []
        for parent, value, trial in zip(h, values, trials, strict=True):
            new = objective(trial)
            found.append((new, trial) if new <= value else (value, parent))
        found.sort(key=lambda one: one[0])
    return found[0][1], found[0][0]


def scores(confusion: list[list[int]]) -> tuple[float, float, float]:
    """Return G-mean, AvF and CBA of a confusion matrix, true classes down."""
    n = range(len(confusion))
    true = [sum(confusion[i]) for i in n]
    said = [sum(confusion[i][j] for i in n) for j in n]
    occurs = [i for i in n if true[i]]
    counts = [i for i in n if true[i] or said[i]]
    product = 1.0
    for i in occurs:
        product *= confusion[i][i] / true[i]
    f = sum(2 * confusion[i][i] / (true[i] + said[i]) for i in counts)
    share = sum(confusion[i][i] / max(true[i], said[i]) for i in counts)
    return product ** (1 / len(occurs)), f / len(counts), share / len(counts)


def aligned_friedman(table: list[list[float]]) -> tuple[float, list[float]]:
    """Return the statistic of Friedman's aligned ranks, and the mean ranks."""
    n, k = len(table), len(table[0])
    aligned = []
    for i, row in enumerate(table):
        mean = sum(row) / k
        aligned += [(round(value - mean, 9), i, j) for j, value in enumerate(row)]
    rank = [[0.0] * k for _ in range(n)]
    for value, i, j in aligned:
        above = sum(other > value for other, _, _ in aligned)
        equal = sum(other == value for other, _, _ in aligned)
        rank[i][j] = above + (equal + 1) / 2
    columns = [sum(rank[i][j] for i in range(n)) for j in range(k)]
    rows = [sum(line) for line in rank]
    above_line = (k - 1) * (
        sum(c**2 for c in columns) - k * n**2 / 4 * (k * n + 1) ** 2
    )
    below = k * n * (k * n + 1) * (2 * k * n + 1) / 6 - sum(r**2 for r in rows) / k
    return above_line / below, [c / n for c in columns]


def _fast_kernel(genes: Any, A: np.ndarray, B: np.ndarray) -> np.ndarray:
    """Return what `kernel` does, by matrices."""
    kind = min(int(genes[4]), 2)
    if kind == 1:
        gaps = ((A[:, None] - B[None]) ** 2).sum(axis=2)
        return np.exp(-gaps / (2 * max(genes[5], 0.001) ** 2))
    return A @ B.T if kind == 0 else (1.0 + A @ B.T) ** min(int(genes[6]), 5)


def count_support(machine: Machine, pair: Pair) -> int:
    """Return how many rows equal one that has a multiplier."""
    svc = machine.svc
    multiplier = np.abs(svc.dual_coef_[0])
    cost = {1.0: svc.class_weight[1.0], -1.0: svc.class_weight[-1.0]}
    box = np.array([cost[sign] for sign in pair.y[svc.support_]])
    rows = {
        (pair.y[i], pair.X[i].tobytes())
        for i in svc.support_[multiplier > SUPPORT * box]
    }
    return sum(
        (sign, row.tobytes()) in rows for sign, row in zip(pair.y, pair.X, strict=True)
    )


def _rates(rng: np.random.Generator, n: int, *, again: bool) -> np.ndarray:
    """Return N(rank / n, 0.1): drawn again until in (0, 1], or clipped to [0, 1]."""
    means = np.arange(1, n + 1) / n
    rates = rng.normal(means, 0.1)
    if not again:
        return np.clip(rates, 0.0, 1.0)
    while True:
        outside = [k for k in range(n) if not 0.0 < rates[k] <= 1.0]
        if not outside:
            return rates
        rates[outside] = rng.normal(means[outside], 0.1)
