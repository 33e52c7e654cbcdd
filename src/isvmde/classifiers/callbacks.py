"""scikit-learn's callbacks (1.9 and later) for the search.

``model.set_callbacks(sklearn.callback.ProgressBar())`` hooks into every generation.
With an older scikit-learn use ``callback=`` of :class:`isvmde.ISVMDEClassifier`.
"""

from __future__ import annotations

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


class _NoContext:
    """Stands in for scikit-learn's context where no callback is set."""

    def generation(self, attributes: Callable[[], Any]) -> bool:
        """Nobody asks to stop."""
        return False

    def end(self) -> None:
        """Nothing to end."""


class _FitContext:
    """Tells scikit-learn's callbacks of every generation."""

    def __init__(self, estimator: Any, root: Any, data: dict[str, Any]) -> None:
        self._estimator, self._root, self._data = estimator, root, data

    def generation(self, attributes: Callable[[], Any]) -> bool:
        """Run the callbacks; tell whether one of them asks to stop."""
        task = self._root.subcontext(task_name="generation")
        task.call_on_fit_task_begin(estimator=self._estimator, **self._data)
        asked = task.call_on_fit_task_end(
            estimator=self._estimator,
            reconstruction_attributes=attributes,
            **self._data,
        )
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
