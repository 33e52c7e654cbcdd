"""A joint search over our solver and over SVC: `python -m benchmarks.search_speed`.

The paper's search (40 individuals x 200 generations, fit^a) runs with our solver. At
some generations the very same trials are evaluated with scikit-learn's SVC as well, by
the same search code: what a trial shares with its parent is solved on neither side.
Both sides use one thread, and take turns, so that the ratio holds on a busy machine.
"""

from __future__ import annotations

import sys
import time
import warnings
from dataclasses import dataclass

import numpy as np
from sklearn.exceptions import ConvergenceWarning
from sklearn.svm import SVC
from threadpoolctl import threadpool_limits

from isvmde.core.fitness import Average
from isvmde.core.pairs import make_pairs
from isvmde.core.search.evaluation import PairEvaluator, SolvedPairs
from isvmde.core.search.genome import Encoding, Ranges
from isvmde.core.search.joint import JointSearch
from isvmde.core.solver import LINEAR, RBF
from isvmde.core.training_set import TrainingSet, training_set
from isvmde.datasets import PaperKFold, load_dataset, make_preprocessor

DATASETS = ("glass", "ecoli")
COMPARED = (0, 1, 10, 40, 100, 160, 200)
_MOST_ITERATIONS = 1_000_000  # SVC would need more for some; this is in its favour


class SvcEvaluator(PairEvaluator):
    """Evaluates every pair with scikit-learn's SVC."""

    def _solve_cells(self, solved: SolvedPairs, cells: np.ndarray) -> None:
        for k, p in np.argwhere(cells):
            self._solve_cell(solved, k, p)

    def _solve_cell(self, solved: SolvedPairs, k: int, p: int) -> None:
        kernel, parameter, U_pos, U_neg = solved.key[k, p]
        a, b, c, d = self.spans[p]
        X = np.concatenate([self.data.X[a:b], self.data.X[c:d]])
        plus = np.arange(len(X)) < self.n_plus[p]
        name = "linear" if kernel == LINEAR else "rbf" if kernel == RBF else "poly"
        svc = SVC(
            kernel=name,
            gamma=parameter if name == "rbf" else 1.0,
            degree=max(int(parameter), 1),
            coef0=1.0,
            C=1.0,
            tol=self.tol,
            max_iter=_MOST_ITERATIONS,
        )
        svc.fit(X, plus, sample_weight=np.where(plus, U_pos, U_neg) * self.weights[p])
        solved.f_of_pairs()[p][k] = svc.decision_function(X)
        solved.support[k, p] = self.weights[p][svc.support_].sum()
        solved.converged[k, p] = True


@dataclass(frozen=True)
class Row:
    """What one data set gave; seconds."""

    name: str
    n_pairs: int
    whole_fit: float
    ours: list[float]  # of the compared generations
    svc: list[float]
    largest_difference: float  # of a fitness value

    @property
    def ratio(self) -> float:
        """Return how many times as long SVC takes for the same generations."""
        return sum(self.svc) / sum(self.ours)

    @property
    def estimated_ratio(self) -> float:
        """Return SVC's time for all generations, interpolated, against our fit's."""
        return float(np.interp(range(201), COMPARED, self.svc).sum()) / self.whole_fit


def load(name: str) -> TrainingSet:
    """Return the first of the paper's training folds in canonical form."""
    bunch = load_dataset(name)
    folds = PaperKFold(5, random_state=0).split(bunch.data, bunch.target)
    train, _ = next(iter(folds))
    X = make_preprocessor(bunch).fit_transform(bunch.data.iloc[train])
    labels, y = np.unique(np.asarray(bunch.target)[train], return_inverse=True)
    return training_set(np.asarray(X, float), y, np.ones(len(y)), len(labels))


def make_evaluator(data: TrainingSet, kind: type[PairEvaluator]) -> PairEvaluator:
    """Return an evaluator with one thread."""
    return kind(data, make_pairs(data.class_size), tol=1e-3, n_threads=1)


def measure(name: str) -> Row:
    """Run the search; evaluate some generations with SVC too."""
    data = load(name)
    ours, svc = make_evaluator(data, PairEvaluator), make_evaluator(data, SvcEvaluator)
    encoding = Encoding(Ranges(), len(ours.pairs))

    def start() -> JointSearch:
        return JointSearch(
            ours,
            encoding,
            fitness=Average(),
            pop_size=40,
            max_iter=200,
            seed=np.random.SeedSequence(0),
        )

    start().step()  # loads the compiled code
    search = start()
    seconds, ours_seconds, svc_seconds, difference = 0.0, [], [], 0.0
    for generation in range(201):
        theirs = None
        if generation in COMPARED:
            optimizer = search.optimizers[0]
            state = optimizer.get_state()
            trials = encoding.decode(encoding.genes(optimizer.ask()))
            optimizer.set_state(state)  # asked once more below
            began = time.perf_counter()
            solved = svc.solve(trials, search._stored)
            theirs = ours.population_fitness(search.fitness, trials, solved)
            svc_seconds.append(time.perf_counter() - began)
            again = ours.solve(trials, search._stored)
            mine = ours.population_fitness(search.fitness, trials, again)
            difference = max(difference, float(np.abs(mine - theirs).max()))
        began = time.perf_counter()
        search.step()
        taken = time.perf_counter() - began
        seconds += taken
        if theirs is not None:
            ours_seconds.append(taken)
            print(
                f"{name} generation {generation}: ours {1e3 * taken:.1f} ms, "
                f"SVC {1e3 * svc_seconds[-1]:.0f} ms",
                flush=True,
            )
    pairs = len(ours.pairs)
    return Row(name, pairs, seconds, ours_seconds, svc_seconds, difference)


def markdown(rows: list[Row]) -> str:
    """Return the table of results."""
    lines = [
        "| data set | pairs | our whole search | ratio, same generations | "
        "ratio, whole search (SVC interpolated) | largest difference of a fitness |",
        "|---|---|---|---|---|---|",
    ]
    lines += [
        f"| {r.name} | {r.n_pairs} | {r.whole_fit:.1f} s | {r.ratio:.0f} | "
        f"{r.estimated_ratio:.0f} | {r.largest_difference:.1e} |"
        for r in rows
    ]
    return "\n".join(lines)


def main(names: list[str]) -> None:
    """Measure and print."""
    warnings.simplefilter("ignore", ConvergenceWarning)
    with threadpool_limits(1):  # one thread also inside scikit-learn
        rows = [measure(name) for name in names or DATASETS]
    print(markdown(rows))


if __name__ == "__main__":
    main(sys.argv[1:])
