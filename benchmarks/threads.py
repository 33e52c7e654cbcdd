"""Two threads against one on a population of 40: throughput, and the same bits."""

from __future__ import annotations

from dataclasses import dataclass
from time import perf_counter

import numpy as np

from isvmde.core.solver import BatchSolver, Solved, Tasks, step_limit

from .training_sets import load_training_set, random_tasks

_POPULATION = 40
DATASETS = ("glass", "ecoli", "dermatology", "cleveland", "car")


@dataclass(frozen=True)
class ThreadsRow:
    """Seconds for one population with one and with two threads."""

    name: str
    tasks: int
    one: float
    two: float
    same_bits: bool


def measure_threads(name: str, repeats: int = 15) -> ThreadsRow:
    """Time one and two threads in turns; the fastest of each counts."""
    data = load_training_set(name)
    tasks = random_tasks(data, _POPULATION, seed=2)
    solvers = [
        BatchSolver(
            data.dot,
            data.squared_distance,
            data.weight,
            tol=1e-3,
            max_steps=step_limit(-1, len(data.weight)),
            n_threads=threads,
        )
        for threads in (1, 2)
    ]
    seconds = np.empty((repeats + 1, 2))
    results: list[Solved] = []
    for turn in seconds:
        results = []
        for which, solver in enumerate(solvers):
            turn[which], solved = _timed(solver, tasks)
            results.append(solved)
    for solver in solvers:
        solver.close()
    one, two = seconds[1:].min(axis=0)  # the first turn touches the memory
    same = all(
        np.array_equal(a, b)
        for a, b in zip(
            vars(results[0]).values(), vars(results[1]).values(), strict=True
        )
    )
    return ThreadsRow(name, len(tasks), float(one), float(two), same)


def _timed(solver: BatchSolver, tasks: Tasks) -> tuple[float, Solved]:
    """Return seconds and results of one table."""
    begin = perf_counter()
    solved = solver.solve(tasks)
    return perf_counter() - begin, solved


def markdown(measured: list[ThreadsRow]) -> str:
    """Return the table."""
    lines = [
        "| data set | SVMs | 1 thread, ms | 2 threads, ms | throughput | same bits |",
        "|---|---:|---:|---:|---:|---|",
    ]
    lines += [
        f"| {row.name} | {row.tasks} | {1e3 * row.one:.1f} | {1e3 * row.two:.1f} "
        f"| {row.one / row.two:.2f}x | {'yes' if row.same_bits else 'NO'} |"
        for row in measured
    ]
    return "\n".join(lines)
