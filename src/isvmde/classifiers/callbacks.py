"""scikit-learn's callbacks (1.9 and later) for the search.

``model.set_callbacks(sklearn.callback.ProgressBar())`` hooks into every generation.
With an older scikit-learn use ``callback=`` of :class:`isvmde.ISVMDEClassifier`.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from .one_vs_one import Given

try:
    from sklearn.callback import CallbackSupportMixin, with_callbacks
except ImportError:  # scikit-learn < 1.9

    class CallbackSupportMixin:  # type: ignore[no-redef]
        """Stands in where scikit-learn has no callbacks."""

    def with_callbacks(method: Callable[..., Any]) -> Callable[..., Any]:
        """Return the method as it is."""
        return method


class FitContext:
    """Tells scikit-learn's callbacks of a fit and its generations, if there are any."""

    def __init__(self, estimator: Any, n_generations: int, given: Given) -> None:
        self._root: Any = None
        if getattr(estimator, "_skl_callbacks", None):
            weight = given.sample_weight
            metadata = None if weight is None else {"sample_weight": weight}
            self._told = {"estimator": estimator, "X": given.X, "y": given.y}
            self._told["metadata"] = metadata
            self._root = estimator._init_callback_context(max_subtasks=n_generations)
            self._root.call_on_fit_task_begin(**self._told)

    def generation(self, attributes: Callable[[], Any]) -> bool:
        """Run the callbacks; tell whether one of them asks to stop."""
        if self._root is None:
            return False
        task = self._root.subcontext(task_name="generation")
        task.call_on_fit_task_begin(**self._told)
        return bool(
            task.call_on_fit_task_end(
                **self._told, reconstruction_attributes=attributes
            )
        )

    def end(self) -> None:
        """Tell the callbacks that the fit has ended."""
        if self._root is not None:
            self._root.call_on_fit_task_end(
                **self._told, reconstruction_attributes=dict
            )
