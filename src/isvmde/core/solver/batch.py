"""Evaluate a table of tasks: compiled loops under a pool of threads.

A task is a pair of classes with a kernel and two costs, margins 1 (i-SVM's margins
only scale and shift the result, `dual.py`). Its result depends on the task alone, so
any number of threads and any order give the same bits.
"""

import queue
import time
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor, wait
from dataclasses import dataclass
from typing import Any, Self

import numpy as np

from .compilation import compiled
from .instructions import next_task
from .loo import leave_one_out
from .problem import MATRIX, Source, make_workspace
from .solve import set_two_class, solve

# a_i > 1e-8 min(U_i, largest a) makes a support vector. U_i alone would not do: with a
# polynomial of degree 5 all multipliers can lie far below 1e-8 U_i.
SUPPORT = 1e-8

# Squares of tasks' sizes, added up: about a sixth of a second, which Ctrl-C may wait.
_QUICK = 20_000_000


class Stopped(Exception):
    """The deadline passed before all tasks were solved."""


@dataclass(frozen=True)
class Tasks:
    """Columns of a table of tasks; every array has one entry per task."""

    start_pos: np.ndarray
    end_pos: np.ndarray
    start_neg: np.ndarray
    end_neg: np.ndarray
    base: np.ndarray  # which of the solver's bases the kernel is a function of
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
    + samples first; leave-one-out values if the solver was made for them. ``beta``
    holds the multipliers y_i a_i in the same places, if they were asked for.
    """

    offset: np.ndarray
    f: np.ndarray
    beta: np.ndarray
    intercept: np.ndarray
    support_weight: np.ndarray
    violation: np.ndarray
    steps: np.ndarray


@compiled
def _solve_tasks(
    data: tuple[Any, ...],
    table: tuple[Any, ...],
    order: np.ndarray,
    counter: np.ndarray,
    memory: tuple[Any, ...],
    results: tuple[Any, ...],
) -> None:
    """Solve tasks in ``order`` until none is left; write into the shared arrays.

    ``counter`` counts the tasks that all threads have begun.
    """
    bases, kinds, weight, unit, tol, max_steps, largest_face = data
    spans, base, kernel, parameter, U = table
    work, pair_weight = memory
    offset, f, beta, b, support_weight, violation, steps = results
    while work.stop[0] == 0:
        q = next_task(counter)
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
        source = Source(
            bases[base[task]],
            kinds[base[task]],
            start_1,
            end_1,
            start_2,
            end_2,
            kernel[task],
            parameter[task],
        )
        set_two_class(work, n_pos, n, pair_weight, U[task, 0], U[task, 1])
        taken, reached, face, b[task] = solve(
            source, work, n, tol, max_steps, largest_face, np.int64(0)
        )
        out = f[offset[task] : offset[task + 1]]
        if largest_face >= 0:
            if face > largest_face:
                face = np.int64(-1)
            leave_one_out(source, work, n, face, pair_weight, unit, b[task], out)
        else:
            for k in range(n):
                out[k] = work.t[k] - work.v[k] + b[task]
        if beta.shape[0] > 0:
            for k in range(n):
                beta[offset[task] + k] = work.beta[k]
        largest = 0.0
        for k in range(n):
            largest = max(largest, abs(work.beta[k]))
        support = 0.0
        for k in range(n):
            width = min(work.hi[k] - work.lo[k], largest)
            if abs(work.beta[k]) > SUPPORT * width:
                support += pair_weight[k]
        support_weight[task] = support
        violation[task] = max(reached, 0.0)
        steps[task] = taken


class BatchSolver:
    """Solves tables of tasks over one training set, with its threads and memory.

    Parameters
    ----------
    bases : (k, n, n) array of what the kernels are functions of, for the training set
        sorted by class; or (k, d, n), its features
    weight : (n,) counts
    tol : KKT violation at which a solve ends
    max_steps : bound on the work of one solve
    left_out : whether f is the leave-one-out decision of each sample
    largest_face : free samples up to which leave-one-out is exact; above, it rests on
        a bound and errs on the wrong side of the margin
    n_threads : threads that share a table
    kinds : what is computed of the features, DOT, DISTANCE or MINIMUM for each of the k
        arrays; None for matrices
    stop : a flag that several solvers share; other than 0, all give up at once
    """

    def __init__(
        self,
        bases: np.ndarray,
        weight: np.ndarray,
        *,
        tol: float,
        max_steps: int,
        left_out: bool = False,
        largest_face: int = 400,
        n_threads: int = 1,
        kinds: Sequence[int] | None = None,
        stop: np.ndarray | None = None,
    ) -> None:
        weight = np.require(weight, float, ["C", "W"])
        self._data = (
            # one layout, so that one compiled version serves all input
            np.require(bases, float, ["C", "W"]),
            np.array([MATRIX] * len(bases) if kinds is None else kinds, np.int64),
            weight,
            # Leave-one-out lets one sample go: one unit of weight, or the least weight
            # if that is less (weights need not be counts).
            min(1.0, float(weight.min())),
            float(tol),
            int(max_steps),
            int(largest_face) if left_out else -1,
        )
        self._n_threads = n_threads
        self._stop = np.zeros(1, np.int64) if stop is None else stop
        self._spare: queue.SimpleQueue[Any] = queue.SimpleQueue()
        self._size = 0
        self._pool = ThreadPoolExecutor(n_threads)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()

    def close(self) -> None:
        """End the threads."""
        self._pool.shutdown()

    def solve(
        self, tasks: Tasks, *, with_beta: bool = False, deadline: float | None = None
    ) -> Solved:
        """Solve every task of the table.

        The calling thread only waits, so that Ctrl-C reaches it; it then tells the
        others to stop. Only what takes a moment it does itself, if it were for a single
        thread. After ``deadline`` (of `time.monotonic`) it raises `Stopped`.
        """
        sizes = tasks.sizes
        offset = np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64)
        f, beta = np.empty(offset[-1]), np.empty(offset[-1] if with_beta else 0)
        b, support, violation = np.empty((3, len(tasks)))
        steps = np.empty(len(tasks), np.int64)
        solved = Solved(offset, f, beta, b, support, violation, steps)
        if len(tasks) == 0:
            return solved
        self._reserve(int(sizes.max()))
        spans = tasks.start_pos, tasks.end_pos, tasks.start_neg, tasks.end_neg
        table = (
            np.stack(spans, axis=1).astype(np.int64),
            tasks.base.astype(np.int64),
            tasks.kernel.astype(np.int64),
            tasks.parameter.astype(float),
            np.stack([tasks.U_pos, tasks.U_neg], axis=1).astype(float),
        )
        # The largest first, each thread taking its next task from one counter: none
        # ends long after the others, and Python is entered once per thread.
        order = np.argsort(-sizes, kind="stable")
        counter = np.zeros(1, np.int64)
        results = tuple(vars(solved).values())

        def run() -> None:
            memory = self._spare.get()  # a workspace, and weights of a pair
            try:
                _solve_tasks(self._data, table, order, counter, memory, results)
            finally:
                self._spare.put(memory)

        if self._n_threads == 1 and int(sizes @ sizes) <= _QUICK:
            if deadline is not None and time.monotonic() >= deadline:
                raise Stopped
            run()
        else:
            self._wait(run, deadline)
        return solved

    def _wait(self, run: Callable[[], None], deadline: float | None) -> None:
        """Wait for the threads that run this, at most until the deadline."""
        left = None if deadline is None else max(deadline - time.monotonic(), 0.0)
        try:
            threads = [self._pool.submit(run) for _ in range(self._n_threads)]
            if wait(threads, left).not_done:
                raise Stopped
        except BaseException:
            self._stop[0] = 1
            self._pool.shutdown()  # all of them, should one have started unnoticed
            self._stop[0] = 0
            self._pool = ThreadPoolExecutor(self._n_threads)
            raise
        for thread in threads:
            thread.result()

    def _reserve(self, n: int) -> None:
        """Have a workspace for problems of ``n`` samples for every thread."""
        if n <= self._size:
            return
        while not self._spare.empty():
            self._spare.get()
        for _ in range(self._n_threads):
            self._spare.put((make_workspace(n, self._stop), np.empty(max(n, 2))))
        self._size = n
