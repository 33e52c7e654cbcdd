"""The classifier inside a pipeline or a grid search."""

from collections.abc import Iterator
from typing import Any


def inwards(estimator: Any) -> Iterator[Any]:
    """Yield an estimator, the best one or the last step in it, and so on."""
    while True:
        yield estimator
        if hasattr(estimator, "best_estimator_"):
            estimator = estimator.best_estimator_
        elif hasattr(estimator, "steps"):
            estimator = estimator.steps[-1][1]
        else:
            return
