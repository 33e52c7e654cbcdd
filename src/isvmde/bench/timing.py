"""How long tasks will take: for the order of work and the time left."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping

import numpy as np
from sklearn.utils import Bunch

from isvmde.bench.plan import Task

_OVERHEAD = 0.05  # seconds of a task beside its fit: data, folds, scores


class Timing:
    """Expected seconds of a task, from rows already timed or else from its size."""

    def __init__(self, datasets: Mapping[str, Bunch]) -> None:
        self._size = {name: _size(bunch) for name, bunch in datasets.items()}
        self._seconds: dict[tuple[str, str], list[float]] = defaultdict(list)
        self._actual = self._guessed = 0.0

    def note(self, dataset: str, method: str, seconds: float | None) -> None:
        """Learn from a finished row."""
        if seconds is None or dataset not in self._size:
            return
        self._seconds[dataset, method].append(seconds)
        self._actual += seconds
        self._guessed += self._guess(dataset, method)

    def expected(self, task: Task) -> float:
        """Return how long a task is likely to take, in seconds once some are timed."""
        timed = self._seconds.get((task.dataset, task.method))
        if timed:
            return _OVERHEAD + sum(timed) / len(timed)
        scale = self._actual / self._guessed if self._guessed else 1.0
        return _OVERHEAD + scale * self._guess(task.dataset, task.method)

    def in_order(self, tasks: Iterable[Task]) -> list[Task]:
        """Return the tasks repeat by repeat, the longest of each repeat first.

        A run that is stopped early then has whole repeats to show, and no long task is
        left for the end, when the other workers have nothing to do.
        """
        return sorted(tasks, key=lambda task: (task.repeat, -self.expected(task)))

    def _guess(self, dataset: str, method: str) -> float:
        """Return a number roughly proportional to a fit's seconds."""
        searched = method.startswith("i-SVM-DE")
        return self._size[dataset] * (10.0 if searched else 1.0)


def _size(bunch: Bunch) -> float:
    """Return the summed cost of the one-vs-one problems, each about n^1.5."""
    _, counts = np.unique(np.asarray(bunch.target), return_counts=True)
    sums = counts[:, None] + counts[None, :]
    upper = np.triu_indices(len(counts), k=1)
    return float((sums[upper] / 100.0) ** 1.5 @ np.ones(len(upper[0]))) + 1e-3
