"""Run what is missing of a benchmark and keep every row as it comes."""

from __future__ import annotations

import functools
import os
import subprocess
import sys
from collections.abc import Callable
from contextlib import ExitStack, closing
from pathlib import Path
from typing import Any

import pandas as pd

from isvmde.bench.cluster import Cluster, connected
from isvmde.bench.fold import Job, compute_row
from isvmde.bench.plan import Plan, Task, make_plan
from isvmde.bench.progress import Progress, Schedule
from isvmde.bench.results import load_results
from isvmde.bench.store import Store
from isvmde.bench.workers import Processes, count_workers, rows_from
from isvmde.methods import METHODS


def run_benchmark(
    datasets: Any,
    methods: Any,
    *,
    store: str | Path,
    folds: int = 5,
    repeats: int = 1,
    seed: int = 0,
    budget: str = "paper",
    n_jobs: int | None = None,
    client: Any = None,
    progress: Callable[[Progress], None] | None = None,
) -> pd.DataFrame:
    """Cross-validate methods on data sets and keep every fold's result.

    The same call with the same `store` goes on where an earlier one ended, however it
    ended; more data sets, methods or repeats may be added later. Folds that failed are
    tried again.

    Parameters
    ----------
    datasets : list, or dict of name to data set
        Each one of: a name of :func:`isvmde.datasets.list_datasets`; a table's file
        (the last column holds the classes) or ``(file, "target column")``; ``(X, y)``;
        ``(DataFrame, "target column")``; a Bunch, as from
        :func:`sklearn.datasets.load_wine`. What is neither a name nor a file needs a
        dict. Rows without a class are left out with a warning; gaps are filled within
        the training part of each fold.
    methods : list, or dict of name to method
        Each one of: a name of :func:`isvmde.method_choice.list_methods`; an estimator
        (it is cloned, and every `random_state` in it set); a class; a function that
        takes `random_state` and returns an estimator; ``"module:name"``.
    store : path
        The directory results are kept in.
    folds, repeats : int
        `repeats` times a cross-validation with :class:`isvmde.datasets.PaperKFold`.
    seed : int
        Folds depend on (seed, data set, repeat), so every method sees the same ones;
        a method's `random_state` on (seed, data set, method, repeat, fold).
    budget : {"paper", "quick"}
        The grids and searches of the methods given by name.
    n_jobs : int, optional
        Worker processes, each with one thread; -1 for all cores.
    client : dask.distributed.Client or str, optional
        A Dask cluster, or its scheduler's address, to run on instead.
    progress : callable, optional
        Called with a :class:`Progress` after every row.

    Returns
    -------
    DataFrame
        All rows of the store, as from :func:`load_results`.

    Examples
    --------
    >>> import tempfile
    >>> from sklearn.datasets import load_wine
    >>> from sklearn.linear_model import LogisticRegression
    >>> own = LogisticRegression(class_weight="balanced", max_iter=500)
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     rows = run_benchmark({"wine": load_wine()}, {"mine": own}, store=folder)
    >>> len(rows), bool(rows["g_mean"].mean() > 0.9)
    (5, True)
    """
    n_workers = count_workers(n_jobs)
    with Store(store) as results, ExitStack() as stack:
        plan = make_plan(
            datasets, methods, folds=folds, repeats=repeats, seed=seed, budget=budget
        )
        results.register(plan)
        schedule = Schedule(plan, results.finished())
        jobs = _make_jobs(plan, schedule.missing())
        if jobs and client is not None:
            cluster = Cluster(stack.enter_context(connected(client)))
            n_workers = cluster.n_threads()
            rows = rows_from(cluster, jobs)
        else:
            if any(job.task.method in METHODS for job in jobs):
                compile_solver()
            rows = (
                (compute_row(job) for job in jobs)
                if n_workers == 1
                else rows_from(Processes(min(n_workers, len(jobs) or 1)), jobs)
            )
        # Closing the generator ends the workers, also when a write fails.
        with closing(rows):
            schedule.tell(progress, n_workers)
            for row in rows:
                results.write(row)
                schedule.note(row)
                schedule.tell(progress, n_workers, row)
    return load_results(store)


def _make_jobs(plan: Plan, tasks: list[Task]) -> list[Job]:
    """Return the tasks with what a worker needs for each."""
    hashes = plan.config_hashes()
    return [
        Job(
            task,
            plan.datasets[task.dataset],
            plan.methods[task.method],
            plan.folds,
            hashes[task.dataset, task.method],
        )
        for task in tasks
    ]


_COMPILE = """
from isvmde.methods import METHODS, make_method

X = [[i, i * i % 7] for i in range(12)]
for name in METHODS:
    make_method(name, budget="quick", random_state=0).fit(X, [0, 0, 1] * 4)
"""


@functools.cache
def compile_solver() -> None:
    """Fill the compiler's cache once, so that the workers do not all compile."""
    paths = os.pathsep.join(path or os.getcwd() for path in sys.path)
    environment = {**os.environ, "PYTHONPATH": paths}
    # What is wrong with it, if anything, the first row will tell.
    subprocess.run([sys.executable, "-c", _COMPILE], env=environment, check=False)
