"""Evaluate many (individual, pair) tasks: compiled loops under a pool of threads.

A task is a pair of classes with a kernel and two costs, margins 1 (i-SVM's margins
only scale and shift the result, `dual.py`). Its result depends on the task alone, so
any number of threads and any order give the same bits.
"""

from __future__ import annotations

import queue
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from types import TracebackType

import numpy as np

from .compilation import compiled
from .counter import draw
from .loo import leave_one_out
from .problem import RBF, Source, Workspace, kernel_row, make_workspace, row_of
from .solve import begin_cold, intercept, set_two_class, solve

# a_i > 1e-8 min(U_i, largest a) makes a support vector. U_i alone would not do: with a
# polynomial of degree 5 all multipliers can lie far below 1e-8 U_i.
_SUPPORT = 1e-8
ON_RANKS = 3  # added to a kernel's code: it sees the features' ranks


@dataclass(frozen=True)
class Tasks:
    """Columns of a table of tasks; every array has one entry a task."""

    start_pos: np.ndarray
    end_pos: np.ndarray
    start_neg: np.ndarray
    end_neg: np.ndarray
    kernel: np.ndarray
    parameter: np.ndarray
    U_pos: np.ndarray
    U_neg: np.ndarray

    def __len__(self) -> int:
        return len(self.kernel)

    @property
    def sizes(self) -> np.ndarray:
        """Samples of each task."""
        return self.end_pos - self.start_pos + self.end_neg - self.start_neg


@dataclass(frozen=True)
class Solved:
    """Results of a table of tasks.

    ``f[offset[k]:offset[k+1]]`` are task k's decision values on its own samples, the
    + samples first; leave-one-out values if the solver was made for them. If it was
    made for everyone, they are those of all samples in the training set's order.
    """

    offset: np.ndarray
    f: np.ndarray
    support_weight: np.ndarray
    violation: np.ndarray
    steps: np.ndarray


@compiled
def decide_others(
    source: Source, work: Workspace, n: int, b: float, out: np.ndarray
) -> None:
    """Write f of the training set's samples that are not in the problem."""
    row = work.z[:n]
    for r in range(out.shape[0]):
        in_first = source.start_1 <= r < source.end_1
        if in_first or source.start_2 <= r < source.end_2:
            continue
        kernel_row(source, r, row)
        total = 0.0
        for k in range(n):
            total += work.beta[k] * row[k]
        out[r] = total + b


@compiled
def _solve_tasks(
    dot: np.ndarray,
    squared_distance: np.ndarray,
    rank_dot: np.ndarray,
    rank_distance: np.ndarray,
    weight: np.ndarray,
    order: np.ndarray,
    drawn: np.ndarray,
    spans: np.ndarray,
    kernel: np.ndarray,
    parameter: np.ndarray,
    U: np.ndarray,
    tol: float,
    max_steps: int,
    left_out: bool,
    everyone: bool,
    work: Workspace,
    pair_weight: np.ndarray,
    offset: np.ndarray,
    f: np.ndarray,
    support_weight: np.ndarray,
    violation: np.ndarray,
    steps: np.ndarray,
) -> None:
    """Draw tasks in ``order`` until none is left; write into the shared arrays.

    ``drawn`` counts the tasks drawn by all threads.
    """
    while True:
        q = draw(drawn)
        if q >= order.shape[0]:
            break
        task = order[q]
        start_1, end_1 = spans[task, 0], spans[task, 1]
        start_2, end_2 = spans[task, 2], spans[task, 3]
        n_pos = end_1 - start_1
        n = n_pos + end_2 - start_2
        for k in range(n_pos):
            pair_weight[k] = weight[start_1 + k]
        for k in range(n - n_pos):
            pair_weight[n_pos + k] = weight[start_2 + k]
        code = kernel[task]
        if code >= ON_RANKS:
            code -= ON_RANKS
            base = rank_distance if code == RBF else rank_dot
        else:
            base = squared_distance if code == RBF else dot
        source = Source(base, start_1, end_1, start_2, end_2, code, parameter[task])
        set_two_class(work, n_pos, n, pair_weight, U[task, 0], U[task, 1])
        begin_cold(source, work, n)
        taken, reached, face = solve(source, work, n, tol, max_steps, left_out)
        b = intercept(work, n)
        own = work.cosine[:n]  # free once the problem is solved
        if left_out:
            leave_one_out(source, work, n, face, pair_weight, b, own)
        else:
            for k in range(n):
                own[k] = work.t[k] - work.v[k] + b
        out = f[offset[task] : offset[task + 1]]
        if everyone:
            decide_others(source, work, n, b, out)
            for k in range(n):
                out[row_of(source, k)] = own[k]
        else:
            for k in range(n):
                out[k] = own[k]
        largest = 0.0
        for k in range(n):
            largest = max(largest, abs(work.beta[k]))
        support = 0.0
        for k in range(n):
            width = min(work.hi[k] - work.lo[k], largest)
            if abs(work.beta[k]) > _SUPPORT * width:
                support += pair_weight[k]
        support_weight[task] = support
        violation[task] = max(reached, 0.0)
        steps[task] = taken


class BatchSolver:
    """Solves tables of tasks over one training set, with its threads and memory.

    Parameters
    ----------
    dot, squared_distance : (n, n) arrays of the training set, sorted by class
    ranked : the same two arrays of the features' ranks, for kernels on ranks
    weight : (n,) counts
    tol : KKT violation at which a solve ends
    max_steps : bound on the work of one solve
    left_out : whether f is the leave-one-out decision of each sample
    everyone : whether f is also that of the samples of other classes
    n_threads : threads that share a table
    """

    def __init__(
        self,
        dot: np.ndarray,
        squared_distance: np.ndarray,
        weight: np.ndarray,
        *,
        ranked: tuple[np.ndarray, np.ndarray] | None = None,
        tol: float,
        max_steps: int,
        left_out: bool = False,
        everyone: bool = False,
        n_threads: int = 1,
    ) -> None:
        # one layout, so that one compiled version serves all input
        self._data = tuple(
            np.require(array, float, ["C", "W"])
            for array in (
                dot,
                squared_distance,
                *(ranked or (dot, squared_distance)),
                weight,
            )
        )
        self._tol, self._max_steps = float(tol), int(max_steps)
        self._left_out, self._everyone = left_out, everyone
        self._n_threads = n_threads
        self._spare: queue.SimpleQueue[tuple[Workspace, np.ndarray]] = (
            queue.SimpleQueue()
        )
        self._size = 0
        # this thread works, too
        self._pool = ThreadPoolExecutor(n_threads - 1) if n_threads > 1 else None

    def __enter__(self) -> BatchSolver:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def close(self) -> None:
        """End the threads."""
        if self._pool is not None:
            self._pool.shutdown()

    def solve(self, tasks: Tasks) -> Solved:
        """Solve every task of the table."""
        sizes = tasks.sizes
        lengths = np.full(len(sizes), len(self._data[-1])) if self._everyone else sizes
        offset = np.concatenate([[0], np.cumsum(lengths)]).astype(np.int64)
        solved = Solved(
            offset,
            np.empty(offset[-1]),
            np.empty(len(tasks)),
            np.empty(len(tasks)),
            np.empty(len(tasks), np.int64),
        )
        if len(tasks) == 0:
            return solved
        self._reserve(int(sizes.max()))
        spans = np.stack(
            [tasks.start_pos, tasks.end_pos, tasks.start_neg, tasks.end_neg], axis=1
        ).astype(np.int64)
        columns = (
            spans,
            tasks.kernel.astype(np.int64),
            tasks.parameter.astype(float),
            np.stack([tasks.U_pos, tasks.U_neg], axis=1).astype(float),
        )
        # The largest first, each thread drawing its next task from one counter: none
        # ends long after the others, and Python is entered once a thread.
        order = np.argsort(-sizes, kind="stable")
        drawn = np.zeros(1, np.int64)

        def run() -> None:
            work, pair_weight = self._spare.get()
            try:
                _solve_tasks(
                    *self._data,
                    order,
                    drawn,
                    *columns,
                    self._tol,
                    self._max_steps,
                    self._left_out,
                    self._everyone,
                    work,
                    pair_weight,
                    solved.offset,
                    solved.f,
                    solved.support_weight,
                    solved.violation,
                    solved.steps,
                )
            finally:
                self._spare.put((work, pair_weight))

        others = min(self._n_threads, len(tasks)) - 1
        started = [self._pool.submit(run) for _ in range(others)] if self._pool else []
        try:
            run()
        finally:
            for thread in started:
                thread.result()
        return solved

    def _reserve(self, n: int) -> None:
        """Have a workspace for problems of ``n`` samples for every thread."""
        if n <= self._size:
            return
        while not self._spare.empty():
            self._spare.get()
        for _ in range(self._n_threads):
            self._spare.put((make_workspace(n), np.empty(max(n, 2))))
        self._size = n
