"""Evaluate a table of tasks: compiled loops under a pool of threads.

A task is a pair of classes with a kernel and two costs, margins 1 (i-SVM's margins
only scale and shift the result, `dual.py`). Its result depends on the task alone, so
any number of threads and any order give the same bits.
"""

import queue
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple, Self

import numpy as np

from ..parallel import Stopped, Threads
from .compilation import compiled
from .doors import check_tasks, check_training
from .groups import Groups, make_groups, next_in_group
from .instructions import next_task
from .loo import leave_one_out
from .loo_again import are_rare, leave_rare_out
from .loo_groups import leave_group_out, solve_without
from .problem import MATRIX, Source, make_workspace
from .solve import set_two_class, solve

# a_i > 1e-8 min(U_i, largest a) makes a support vector. U_i alone would not do: with a
# polynomial of degree 5 all multipliers can lie far below 1e-8 U_i.
SUPPORT = 1e-8

# Squares of tasks' sizes, added up: about a sixth of a second, which Ctrl-C may wait.
_QUICK = 20_000_000


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


class Solved(NamedTuple):
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


class _Training(NamedTuple):
    """The training set that all tasks share, and how exactly they are solved."""

    bases: np.ndarray
    kinds: np.ndarray  # of the bases
    weight: np.ndarray
    unit: float  # the weight that leaves with a sample
    tol: float
    max_steps: int
    largest_face: int  # -1 where nothing is left out


class _Table(NamedTuple):
    """Tasks as compiled code takes them, a row per task."""

    spans: np.ndarray  # begin and end of the + samples, begin and end of the - samples
    base: np.ndarray
    kernel: np.ndarray
    parameter: np.ndarray
    U: np.ndarray  # of the + and of the - samples


class _Memory(NamedTuple):
    """What a thread computes in."""

    work: Any
    pair_weight: np.ndarray
    kept: np.ndarray  # room for a solution


@compiled
def _solve_tasks(
    training: _Training,
    table: _Table,
    order: np.ndarray,
    counter: np.ndarray,
    memory: _Memory,
    solved: Solved,
    groups: Groups | None,
) -> None:
    """Solve tasks in ``order`` until none is left; write what was ``solved``.

    ``counter`` counts the tasks that all threads have begun. Without ``groups`` numba
    leaves out the branch that has them, and all the code behind it.
    """
    weight, largest_face = training.weight, training.largest_face
    tol, max_steps = training.tol, training.max_steps
    spans, U = table.spans, table.U
    work, pair_weight = memory.work, memory.pair_weight
    offset, beta, b = solved.offset, solved.beta, solved.intercept
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
            training.bases[table.base[task]],
            training.kinds[table.base[task]],
            start_1,
            end_1,
            start_2,
            end_2,
            table.kernel[task],
            table.parameter[task],
        )
        set_two_class(work, n_pos, n, pair_weight, U[task, 0], U[task, 1])
        taken, reached, face, b[task] = solve(
            source, work, n, tol, max_steps, largest_face, np.int64(0)
        )
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
        solved.support_weight[task] = support
        solved.steps[task] = taken
        out = solved.f[offset[task] : offset[task + 1]]
        if face > largest_face:
            face = np.int64(-1)
        if largest_face < 0:
            for k in range(n):
                out[k] = work.t[k] - work.v[k] + b[task]
        elif groups is None:
            leave_one_out(
                source, work, n, face, pair_weight, training.unit, b[task], out
            )
            if are_rare(source):
                leave_rare_out(
                    source, work, n, pair_weight, training.unit, memory.kept, out
                )
        else:
            n_large = leave_group_out(
                source, work, n, face, pair_weight, b[task], groups, out
            )
            worst = solve_without(
                source,
                work,
                n,
                pair_weight,
                U[task, 0],
                U[task, 1],
                tol,
                max_steps,
                n_large,
                groups,
                out,
            )
            reached = max(reached, worst)
        solved.violation[task] = max(reached, 0.0)


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
    groups : (n,) code of each row's group. f is then the decision of a machine trained
        without all rows of the sample's group, each with its whole weight (without
        groups a row of weight 2 counts as two samples, and one of them leaves). Where
        the rest has no row of one class, f says the other: 1 or -1; 0 if it has
        neither. ``violation`` is the largest of all duals that this took
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
        groups: np.ndarray | None = None,
    ) -> None:
        if groups is not None and not left_out:
            raise ValueError("groups are for left_out=True: they leave together.")
        if groups is not None and len(groups) != len(weight):
            raise ValueError("groups must hold one group code per row.")
        weight = np.require(weight, float, ["C", "W"])
        # one layout, so that one compiled version serves all input
        bases = np.require(bases, float, ["C", "W"])
        known = np.array([MATRIX] * len(bases) if kinds is None else kinds, np.int64)
        check_training(bases, known, weight)
        self._training = _Training(
            bases=bases,
            kinds=known,
            weight=weight,
            # Leave-one-out lets one sample go: one unit of weight, or the least weight
            # if that is less (weights need not be counts).
            # Of a group the whole row goes.
            unit=min(1.0, float(weight.min())) if groups is None else np.inf,
            tol=float(tol),
            max_steps=int(max_steps),
            largest_face=int(largest_face) if left_out else -1,
        )
        self._following: np.ndarray | None = None
        if groups is not None:
            size = np.unique(groups, return_counts=True)[1].max()
            if size > 1:
                self._following = next_in_group(groups)
                self._largest_group = int(size)
        self._largest_face = int(largest_face)
        self._n_threads = n_threads
        self._threads = Threads(n_threads, stop)
        self._spare: queue.SimpleQueue[Any] = queue.SimpleQueue()
        self._size = 0

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()

    def close(self) -> None:
        """End the threads."""
        self._threads.close()

    def solve(
        self, tasks: Tasks, *, with_beta: bool = False, deadline: float | None = None
    ) -> Solved:
        """Solve every task of the table.

        The calling thread only waits, so that Ctrl-C reaches it; it then tells the
        others to stop. Only what takes a moment it does itself, if it were for a single
        thread. After ``deadline`` (of `time.monotonic`) it raises `Stopped`.
        """
        sizes, table = tasks.sizes, _table_of(tasks)
        check_tasks(
            spans=table.spans,
            base=table.base,
            kernel=table.kernel,
            n_bases=len(self._training.bases),
            n_samples=len(self._training.weight),
        )
        solved = _room_for_results(sizes, with_beta)
        if len(tasks) == 0:
            return solved
        self._reserve(int(sizes.max()))
        # The largest first, each thread taking its next task from one counter: none
        # ends long after the others, and Python is entered once per thread.
        order = np.argsort(-sizes, kind="stable")
        counter = np.zeros(1, np.int64)

        def run() -> None:
            memory, groups = self._spare.get()
            try:
                _solve_tasks(
                    self._training, table, order, counter, memory, solved, groups
                )
            finally:
                self._spare.put((memory, groups))

        work = int(sizes @ sizes)
        if self._following is not None:
            work *= 10  # duals may be solved again without each large group
        if self._n_threads == 1 and work <= _QUICK:
            if deadline is not None and time.monotonic() >= deadline:
                raise Stopped
            run()
        else:
            self._run_in_threads(run, deadline)
        return solved

    def _run_in_threads(self, run: Callable[[], None], deadline: float | None) -> None:
        """Let every thread run this, at most until the deadline."""
        try:
            self._threads.map(
                lambda _: run(), range(self._n_threads), deadline=deadline
            )
        except BaseException:
            self._threads.restart()  # nobody writes to the workspaces any more
            raise

    def _reserve(self, n: int) -> None:
        """Have a workspace for problems of ``n`` samples for every thread."""
        if n <= self._size:
            return
        while not self._spare.empty():
            self._spare.get()
        for _ in range(self._n_threads):
            work = make_workspace(n, self._threads.stop)
            kept = np.empty(2 * len(work.beta))
            memory = _Memory(work, np.empty(max(n, 2)), kept)
            self._spare.put((memory, self._group_memory(n)))
        self._size = n

    def _group_memory(self, n: int) -> Groups | None:
        """Return what a thread needs to leave groups out, None without groups."""
        if self._following is None:
            return None
        return make_groups(
            self._following, n, min(n, self._largest_face), self._largest_group
        )


def _table_of(tasks: Tasks) -> _Table:
    """Return the tasks as compiled code takes them."""
    spans = tasks.start_pos, tasks.end_pos, tasks.start_neg, tasks.end_neg
    return _Table(
        spans=np.stack(spans, axis=1).astype(np.int64),
        base=tasks.base.astype(np.int64),
        kernel=tasks.kernel.astype(np.int64),
        parameter=tasks.parameter.astype(float),
        U=np.stack([tasks.U_pos, tasks.U_neg], axis=1).astype(float),
    )


def _room_for_results(sizes: np.ndarray, with_beta: bool) -> Solved:
    """Return arrays for the results of tasks of these sizes, not yet filled."""
    offset = np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64)
    n_rows, n_tasks = int(offset[-1]), len(sizes)
    return Solved(
        offset=offset,
        f=np.empty(n_rows),
        beta=np.empty(n_rows if with_beta else 0),
        intercept=np.empty(n_tasks),
        support_weight=np.empty(n_tasks),
        violation=np.empty(n_tasks),
        steps=np.empty(n_tasks, np.int64),
    )
