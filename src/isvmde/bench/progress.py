"""How far a run is, which tasks come first, and how long the rest will take."""

from __future__ import annotations

import time
from collections import defaultdict
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from isvmde.bench.plan import Plan, Task

_OVERHEAD = 0.05  # seconds of a task beside its fit: data, folds, scores


@dataclass(frozen=True)
class Progress:
    """How far a run is, handed to its `progress` callback after every row."""

    total: int
    done: int
    failed: int
    running: int
    seconds_left: float | None
    row: Mapping[str, Any] | None = None


class Schedule:
    """The tasks that are missing, with the seconds expected of each."""

    def __init__(self, plan: Plan, finished: Mapping[tuple, float]) -> None:
        self._sizes = {name: _size(one.target) for name, one in plan.datasets.items()}
        self._seconds: dict[tuple[str, str], list[float]] = defaultdict(list)
        self._actual = self._guessed = 0.0
        for (dataset, method, _, _), seconds in finished.items():
            self._learn(dataset, method, seconds)
        tasks = plan.tasks()
        self._total, self._failed = len(tasks), 0
        # A run that is stopped early has whole repeats to show, and no long task is
        # left for the end, when the other workers have nothing to do.
        missing = [task for task in tasks if task.key not in finished]
        missing.sort(key=lambda task: (task.repeat, -self._expected(task)))
        self._missing = {task.key: task for task in missing}
        self._began, self._work_done = time.monotonic(), 0.0

    def missing(self) -> list[Task]:
        """Return the tasks that are left, in the order to run them."""
        return list(self._missing.values())

    def note(self, row: Mapping[str, Any]) -> None:
        """Learn from a row that was written."""
        dataset, method = row["dataset"], row["method"]
        self._failed += row["status"] == "failed"
        self._learn(dataset, method, row["fit_seconds"])
        task = self._missing.pop((dataset, method, row["repeat"], row["fold"]))
        self._work_done += self._expected(task)

    def tell(
        self,
        progress: Callable[[Progress], None] | None,
        n_workers: int,
        row: Mapping[str, Any] | None = None,
    ) -> None:
        """Call back with how far the run is."""
        if progress is None:
            return
        left = None
        if self._work_done:
            # Measured against the clock, so that all that is not fitting counts too.
            pace = (time.monotonic() - self._began) / self._work_done
            left = pace * sum(map(self._expected, self._missing.values()))
        n_left = len(self._missing)
        done, running = self._total - n_left - self._failed, min(n_workers, n_left)
        progress(Progress(self._total, done, self._failed, running, left, row))

    def _learn(self, dataset: str, method: str, seconds: float | None) -> None:
        """Note how long a fit took."""
        if seconds is not None and dataset in self._sizes:
            self._seconds[dataset, method].append(seconds)
            self._actual += seconds
            self._guessed += self._guess(dataset, method)

    def _expected(self, task: Task) -> float:
        """Return how long a task is likely to take, in seconds once some are timed."""
        timed = self._seconds.get((task.dataset, task.method))
        if timed:
            return _OVERHEAD + sum(timed) / len(timed)
        scale = self._actual / self._guessed if self._guessed else 1.0
        return _OVERHEAD + scale * self._guess(task.dataset, task.method)

    def _guess(self, dataset: str, method: str) -> float:
        """Return a number roughly proportional to a fit's seconds."""
        return self._sizes[dataset] * (10.0 if method.startswith("i-SVM-DE") else 1.0)


def _size(target: Any) -> float:
    """Return the summed cost of the one-vs-one problems, each about n^1.5."""
    _, counts = np.unique(np.asarray(target), return_counts=True)
    sums = np.add.outer(counts, counts)[np.triu_indices(len(counts), k=1)]
    return float(((sums / 100.0) ** 1.5).sum()) + 1e-3
