"""scikit-learn's callbacks (1.9 and later) for the search, and three of our own.

``model.set_callbacks(EarlyStopping(20), sklearn.callback.ProgressBar())`` hooks into
every generation. With an older scikit-learn use ``callback=``, ``patience=``,
``time_limit=`` and ``checkpoint=`` of :class:`isvmde.ISVMDEClassifier` instead.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from typing import Any

try:
    from sklearn.callback import CallbackSupportMixin, with_callbacks
except ImportError:  # scikit-learn < 1.9

    class CallbackSupportMixin:  # type: ignore[no-redef]
        """Stands in where scikit-learn has no callbacks."""

    def with_callbacks(method: Callable[..., Any]) -> Callable[..., Any]:
        """Return the method as it is."""
        return method


__all__ = ["Checkpoint", "EarlyStopping", "TimeLimit"]

_TASK = "generation"


class _NoContext:
    """Stands in for scikit-learn's context where no callback is set."""

    def generation(self, search: Any, attributes: Callable[[], Any]) -> bool:
        """Nobody asks to stop."""
        return False

    def end(self) -> None:
        """Nothing to end."""


class _FitContext:
    """Tells scikit-learn's callbacks of every generation."""

    def __init__(self, estimator: Any, root: Any, data: dict[str, Any]) -> None:
        self._estimator, self._root, self._data = estimator, root, data

    def generation(self, search: Any, attributes: Callable[[], Any]) -> bool:
        """Run the callbacks; tell whether one of them asks to stop."""
        estimator = self._estimator
        task = self._root.subcontext(task_name=_TASK)
        estimator._running_search = search
        try:
            task.call_on_fit_task_begin(estimator=estimator, **self._data)
            asked = task.call_on_fit_task_end(
                estimator=estimator, reconstruction_attributes=attributes, **self._data
            )
        finally:
            del estimator._running_search
        return bool(asked)

    def end(self) -> None:
        """Tell the callbacks that the fit has ended."""
        estimator = self._estimator
        self._root.call_on_fit_task_end(
            estimator=estimator,
            reconstruction_attributes=lambda: {},
            **self._data,
        )


def open_context(
    estimator: Any, n_tasks: int, X: Any, y: Any, sample_weight: Any
) -> _FitContext | _NoContext:
    """Begin scikit-learn's fit task if the estimator has callbacks."""
    if not hasattr(estimator, "_init_callback_context"):
        return _NoContext()
    root = estimator._init_callback_context(max_subtasks=n_tasks)
    metadata = None if sample_weight is None else {"sample_weight": sample_weight}
    data = {"X": X, "y": y, "metadata": metadata}
    root.call_on_fit_task_begin(estimator=estimator, **data)
    if not getattr(estimator, "_skl_callbacks", None):
        return _NoContext()
    return _FitContext(estimator, root, data)


class _GenerationCallback:
    """What the three callbacks share: they look at generations only."""

    def setup(self, estimator: Any, context: Any) -> None:
        """Begin a fit."""

    def teardown(self, estimator: Any, context: Any) -> None:
        """End a fit."""

    def on_fit_task_begin(self, estimator: Any, context: Any) -> None:
        """Begin a generation."""

    def on_fit_task_end(self, estimator: Any, context: Any) -> bool:
        """End a generation; True stops the search."""
        if context.task_name != _TASK:
            return False
        return self._stop(estimator._running_search)

    def _stop(self, search: Any) -> bool:
        """Look at the search; return whether to stop it."""
        raise NotImplementedError


class EarlyStopping(_GenerationCallback):
    """Stop after ``patience`` generations without a better individual.

    Parameters
    ----------
    patience : int

    Examples
    --------
    >>> from isvmde.callbacks import EarlyStopping
    >>> EarlyStopping(patience=20).patience
    20
    """

    def __init__(self, patience: int) -> None:
        self.patience = patience

    def _stop(self, search: Any) -> bool:
        best = search.history["best"]
        return len(best) > self.patience and not best[-1] < best[-1 - self.patience]


class TimeLimit(_GenerationCallback):
    """Stop after the generation in which ``seconds`` have passed.

    Parameters
    ----------
    seconds : float

    Examples
    --------
    >>> from isvmde.callbacks import TimeLimit
    >>> TimeLimit(seconds=60).seconds
    60
    """

    def __init__(self, seconds: float) -> None:
        self.seconds = seconds

    def setup(self, estimator: Any, context: Any) -> None:
        """Start the clock."""
        self._began = time.monotonic()

    def _stop(self, search: Any) -> bool:
        return time.monotonic() - self._began >= self.seconds


class Checkpoint(_GenerationCallback):
    """Keep the state of the search in a file, every few seconds and at its end.

    The estimator's parameter ``checkpoint=`` resumes from that file.

    Parameters
    ----------
    path : path

    Examples
    --------
    >>> from isvmde.callbacks import Checkpoint
    >>> Checkpoint("search.ckpt").path
    'search.ckpt'
    """

    def __init__(self, path: str | os.PathLike[str]) -> None:
        self.path = path
        self._file: Any = None
        self._state: Any = None  # of a generation that is not in the file yet

    def teardown(self, estimator: Any, context: Any) -> None:
        """Write what is not in the file yet, for whatever reason the search ended."""
        if self._file is not None and self._state is not None:
            self._file.save(self._state)
        self._file = self._state = None

    def on_fit_task_end(self, estimator: Any, context: Any) -> bool:
        """Write the state if it is time to."""
        if context.task_name != _TASK:
            return False
        search = estimator._running_search
        if self._file is None:
            self._file = estimator._checkpoint_at(self.path, search.evaluator.data)
        self._state = search.get_state()
        if self._file.due:
            self._file.save(self._state)
            self._state = None
        return False
