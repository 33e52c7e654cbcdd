"""Run what is missing of a benchmark and keep every row as it comes."""

import functools
import itertools
import time
import warnings
from collections.abc import Callable, Mapping
from contextlib import ExitStack, closing, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import joblib
import pandas as pd

from isvmde.bench.fold import compute_row
from isvmde.bench.plan import Plan, Task
from isvmde.bench.store import Store, load_results
from isvmde.bench.workers import Cluster, Processes, connected, rows_from
from isvmde.methods import METHODS, make_method


@dataclass(frozen=True)
class Progress:
    """How far a run is, handed to its `progress` callback after every row."""

    total: int
    done: int
    failed: int
    running: int
    seconds_left: float | None
    row: Mapping[str, Any] | None = None


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
    if n_jobs == 0:
        raise ValueError("n_jobs must not be 0; use 1, or -1 for all cores")
    n_workers = joblib.effective_n_jobs(n_jobs or 1)
    tell = progress or (lambda state: None)
    with Store(store) as results, ExitStack() as stack:
        plan = Plan(
            datasets, methods, folds=folds, repeats=repeats, seed=seed, budget=budget
        )
        results.register(plan)
        total, finished = len(plan.tasks()), results.finished()
        tasks = [task for task in plan.tasks() if task.key not in finished]
        tasks.sort(key=_urgency)
        if tasks and client is not None:
            cluster = Cluster(stack.enter_context(connected(client)))
            n_workers = cluster.room() // 2
            rows = rows_from(cluster, tasks)
        else:
            if any(task.method in METHODS for task in tasks):
                compile_solver()
            if n_workers > 1 and tasks:
                rows = rows_from(Processes(min(n_workers, len(tasks))), tasks)
            else:
                rows = (compute_row(task) for task in tasks)
        failed, began = 0, time.monotonic()
        # Closing the generator ends the workers, also when a write fails.
        with closing(rows):
            for n, row in enumerate(itertools.chain([None], rows)):
                if row is not None:
                    results.write(row)
                    failed += row["status"] == "failed"
                left = len(tasks) - n
                done, running = total - left - failed, min(n_workers, left)
                seconds_left = (time.monotonic() - began) * left / n if n else None
                tell(Progress(total, done, failed, running, seconds_left, row))
    return load_results(store)


def _urgency(task: Task) -> tuple[int, float]:
    """Return what puts tasks in order: whole repeats, the longest first in each."""
    size = len(task.bunch.target) * (50 if task.method.startswith("i-SVM-DE") else 1)
    return task.repeat, -size


@functools.cache
def compile_solver() -> None:
    """Fill the compiler's cache once, so that the workers do not all compile."""
    X = [[i, i * i % 7] for i in range(12)]
    # What is wrong with it, if anything, the first row will tell.
    with suppress(Exception), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for name in METHODS:
            make_method(name, budget="quick", random_state=0).fit(X, [0, 0, 1] * 4)
