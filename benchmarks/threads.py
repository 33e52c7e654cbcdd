"""Two threads against one on a population of 40: throughput, and the same bits.

Throughput by the clock needs two idle cores. The bound beside it does not: two threads
can be faster by twice the CPU time of one thread over that of both, at most.
"""

from __future__ import annotations

from dataclasses import dataclass
from time import perf_counter, process_time

import numpy as np

from isvmde.core.solver import BatchSolver, Solved, Tasks

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
    bound: float
    same_bits: bool


def measure_threads(name: str, repeats: int = 15) -> ThreadsRow:
    """Time one and two threads in turns; the fastest of each counts."""
    data = load_training_set(name)
    tasks = random_tasks(data, _POPULATION, seed=2)
    solvers = [data.solver(n_threads=threads) for threads in (1, 2)]
    seconds = np.empty((repeats + 1, 2, 2))  # turn, threads, (clock, CPU)
    results: list[Solved] = []
    for turn in seconds:
        results = []
        for which, solver in enumerate(solvers):
            turn[which], solved = _timed(solver, tasks)
            results.append(solved)
    for solver in solvers:
        solver.close()
    # the first turn touches the memory
    (one, cpu_one), (two, cpu_two) = seconds[1:].min(axis=0).tolist()
    same = all(
        np.array_equal(a, b) for a, b in zip(results[0], results[1], strict=True)
    )
    return ThreadsRow(name, len(tasks), one, two, 2.0 * cpu_one / cpu_two, same)


def _timed(solver: BatchSolver, tasks: Tasks) -> tuple[tuple[float, float], Solved]:
    """Return (clock, CPU) seconds and results of one table."""
    begin, cpu = perf_counter(), process_time()
    solved = solver.solve(tasks)
    return (perf_counter() - begin, process_time() - cpu), solved


def markdown(measured: list[ThreadsRow]) -> str:
    """Return the table."""
    lines = [
        "| data set | SVMs | 1 thread, ms | 2 threads, ms | throughput "
        "| bound by CPU time | same bits |",
        "|---|---:|---:|---:|---:|---:|---|",
    ]
    lines += [
        f"| {row.name} | {row.tasks} | {1e3 * row.one:.1f} | {1e3 * row.two:.1f} "
        f"| {row.one / row.two:.2f}x | {row.bound:.2f}x "
        f"| {'yes' if row.same_bits else 'NO'} |"
        for row in measured
    ]
    return "\n".join(lines)
