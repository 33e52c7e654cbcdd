"""One thread: our BatchSolver against scikit-learn's SVC on random genomes.

Both get the same SVMs at the same tolerance, 1e-3, and both give the decision values
on the training samples. SVC sees the pair's samples with their duplicates, a call of
``fit`` and of ``decision_function`` a pair; ours sees a table of tasks, as a search
hands it over. Not timed: slicing the pairs for SVC, and for ours the dot products and
squared distances, which a search of thousands of genomes computes once. Seconds are
CPU time of the one thread, so that a busy machine does not decide.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from time import process_time

import numpy as np
from sklearn.svm import SVC

from isvmde.core.solver import POLY, RBF, BatchSolver, Tasks

from .training_sets import TOL, TrainingSet, load_training_set, random_tasks, rows

_EVALUATIONS = 600  # at least, and at least 40 genomes: a few hard ones weigh much
_FEWER = {"car": 20, "cleveland": 20, "flare": 20, "shuttle": 20, "thyroid": 60}
_PORTIONS = 5  # ours and SVC take turns this often


@dataclass(frozen=True)
class SpeedRow:
    """What was measured on one data set; seconds."""

    name: str
    samples: int
    pairs: int
    genomes: int
    ours: float  # per evaluation
    svc: float
    ours_slowest: float
    svc_slowest: float
    converged: float  # share of our solves

    @property
    def ratio(self) -> float:
        """How many times faster ours is."""
        return self.svc / self.ours


def measure(name: str) -> SpeedRow:
    """Time both on one data set, in turns."""
    data = load_training_set(name)
    genomes = _FEWER.get(name, max(40, _EVALUATIONS // len(data.pairs)))
    tasks = random_tasks(data, genomes, seed=1)
    with data.solver() as solver:
        solved = solver.solve(tasks)  # compiles and touches the memory
        ours, svc = 0.0, []
        for chosen in np.array_split(np.arange(len(tasks)), _PORTIONS):
            portion = rows(tasks, chosen)
            before = _timed(solver, portion)
            svc += _svc_seconds(data, portion, chosen)
            ours += 0.5 * (before + _timed(solver, portion))
        slowest = max(
            min(_timed(solver, task), _timed(solver, task))
            for task in (rows(tasks, slice(k, k + 1)) for k in range(len(tasks)))
        )
    return SpeedRow(
        name,
        len(data.y),
        len(data.pairs),
        genomes,
        ours / len(tasks),
        sum(svc) / len(tasks),
        slowest,
        max(svc),
        float(np.mean(solved.violation <= TOL)),
    )


def _timed(solver: BatchSolver, tasks: Tasks) -> float:
    """Return the seconds our solver takes for a table."""
    begin = process_time()
    solver.solve(tasks)
    return process_time() - begin


def _svc_seconds(data: TrainingSet, tasks: Tasks, place: np.ndarray) -> list[float]:
    """Return the seconds SVC takes for each task; ``place`` says whose pair it is."""
    seconds = []
    for k in range(len(tasks)):
        plus, minus = data.pairs[place[k] % len(data.pairs)]
        mine = (data.y == plus) | (data.y == minus)
        X = np.ascontiguousarray(data.X[mine])
        y = np.where(data.y[mine] == plus, 1, -1)
        parameter = tasks.parameter[k]
        if tasks.kernel[k] == RBF:
            kernel = {"kernel": "rbf", "gamma": parameter}
        elif tasks.kernel[k] == POLY:
            kernel = {
                "kernel": "poly",
                "degree": int(parameter),
                "gamma": 1.0,
                "coef0": 1.0,
            }
        else:
            kernel = {"kernel": "linear"}
        costs = {1: tasks.U_pos[k], -1: tasks.U_neg[k]}
        begin = process_time()
        model = SVC(C=1.0, class_weight=costs, tol=TOL, **kernel).fit(X, y)
        model.decision_function(X)
        seconds.append(process_time() - begin)
    return seconds


def markdown(measured: list[SpeedRow]) -> str:
    """Return the table, with the geometric mean of the ratios."""
    lines = [
        "| data set | samples | pairs | genomes | ours, µs | SVC, µs | ratio "
        "| slowest: ours, ms | slowest: SVC, ms | converged |",
        "|---|---:|---:|---:|---:|---:|---:|---:|---:|---:|",
    ]
    lines += [
        f"| {row.name} | {row.samples} | {row.pairs} | {row.genomes} "
        f"| {1e6 * row.ours:.1f} | {1e6 * row.svc:.0f} | {row.ratio:.1f} "
        f"| {1e3 * row.ours_slowest:.2f} | {1e3 * row.svc_slowest:.1f} "
        f"| {100 * row.converged:.1f} % |"
        for row in measured
    ]
    mean = math.exp(sum(math.log(row.ratio) for row in measured) / len(measured))
    lowest = min(measured, key=lambda row: row.ratio)
    lines += [
        "",
        f"Geometric mean of the ratios: **{mean:.1f}**; "
        f"lowest: {lowest.ratio:.1f} ({lowest.name}).",
    ]
    return "\n".join(lines)
