"""Run what is missing of a benchmark and keep every row as it comes."""

import functools
import itertools
import time
import warnings
from collections.abc import Callable, Generator, Iterator, Mapping
from contextlib import ExitStack, closing, contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from isvmde.bench.fold import compute_row
from isvmde.bench.plan import FoldTask, Plan
from isvmde.bench.results import Results
from isvmde.bench.store import Store, load_results
from isvmde.bench.workers import Cluster, Processes, connected, rows_from
from isvmde.jobs import usable_jobs
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
    folds: Any = 5,
    repeats: int = 1,
    seed: int = 0,
    budget: str = "paper",
    n_jobs: int | None = None,
    client: Any = None,
    progress: Callable[[Progress], None] | None = None,
    groups: Any = None,
) -> Results:
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
    folds : int, {"stratified", "keel", "dob-scv"} or splitter, default=5
        How many folds, dealt class by class by :class:`isvmde.datasets.PaperKFold`; or
        five dealt another way: by scikit-learn's ``StratifiedKFold``, as KEEL published
        them (for the paper's data sets but hcv), or by
        :class:`isvmde.datasets.DOBSCVKFold`; or a splitter of your own.
    repeats : int, default=1
        How often, each time with other folds (KEEL's are always the same).
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
    groups : str, or dict of data set to str, optional
        The column that names the subject of every row, in all data sets or in those
        of the dict; arrays take it as ``Bunch(data=X, target=y, groups=subjects)``. It
        is not a feature. No subject is on both sides of a fold, and methods whose
        ``fit`` has the parameter ``groups`` get it.

    Returns
    -------
    Results
        All that is in the store, as from :func:`load_results`: the table ``rows``, and
        the settings, data sets and environments they belong to.

    Examples
    --------
    >>> import tempfile
    >>> from sklearn.datasets import load_wine
    >>> from sklearn.linear_model import LogisticRegression
    >>> own = LogisticRegression(class_weight="balanced", max_iter=500)
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     found = run_benchmark({"wine": load_wine()}, {"mine": own}, store=folder)
    >>> len(found.rows), bool(found.rows["g_mean"].mean() > 0.9)
    (5, True)
    """
    if n_jobs == 0:
        raise ValueError("n_jobs must not be 0; use 1, or -1 for all cores")
    with Store(store) as kept:
        plan = Plan(
            datasets,
            methods,
            folds=folds,
            repeats=repeats,
            seed=seed,
            budget=budget,
            groups=groups,
        )
        kept.register(plan)
        finished = kept.finished()
        all_tasks = plan.tasks()
        tasks = [task for task in all_tasks if task.key not in finished]
        tasks.sort(key=_urgency)
        with _computing(tasks, usable_jobs(n_jobs), client) as work:
            _keep_rows(work, kept, len(all_tasks), len(tasks), progress)
    return load_results(store)


@dataclass(frozen=True)
class _Work:
    """Rows as they come, and how many tasks are under way at once."""

    rows: Generator[dict[str, Any], None, None]
    n_workers: int


@contextmanager
def _computing(tasks: list[FoldTask], n_workers: int, client: Any) -> Iterator[_Work]:
    """Begin the tasks: on a cluster, in processes of this machine, or in this one."""
    with ExitStack() as stack:
        if tasks and client is not None:
            cluster = Cluster(stack.enter_context(connected(client)))
            work = _Work(rows_from(cluster, tasks), cluster.room() // 2)
        else:
            if any(task.method in METHODS for task in tasks):
                compile_solver()
            if n_workers > 1 and tasks:
                processes = Processes(min(n_workers, len(tasks)))
                work = _Work(rows_from(processes, tasks), n_workers)
            else:
                work = _Work((compute_row(task) for task in tasks), n_workers)
        # Closing the generator ends the workers, also when a write fails.
        stack.enter_context(closing(work.rows))
        yield work


def _keep_rows(
    work: _Work,
    kept: Store,
    n_planned: int,
    n_tasks: int,
    progress: Callable[[Progress], None] | None,
) -> None:
    """Write every row as it comes, and say how far the run is."""
    failed, began = 0, time.monotonic()
    for n, row in enumerate(itertools.chain([None], work.rows)):
        if row is not None:
            kept.write(row)
            failed += row["status"] == "failed"
        left = n_tasks - n
        if progress is not None:
            progress(
                Progress(
                    total=n_planned,
                    done=n_planned - left - failed,
                    failed=failed,
                    running=min(work.n_workers, left),
                    seconds_left=(time.monotonic() - began) * left / n if n else None,
                    row=row,
                )
            )


def _urgency(task: FoldTask) -> tuple[int, float]:
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
