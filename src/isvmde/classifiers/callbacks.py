"""scikit-learn's callbacks (1.9 and later) for the search."""

from collections.abc import Callable
from typing import Any

from .one_vs_one import Given


def _as_it_is(method: Callable[..., Any]) -> Callable[..., Any]:
    """Return the method: nothing hooks into it where scikit-learn has no callbacks."""
    return method


try:
    from sklearn.callback import CallbackSupportMixin, with_callbacks
except ImportError:  # scikit-learn < 1.9
    with_callbacks = _as_it_is

    class CallbackSupportMixin:  # type: ignore[no-redef]
        """Stands in where scikit-learn has no callbacks."""


class FitContext:
    """Tells scikit-learn's callbacks (1.9) of a fit and its generations."""

    def __init__(self, estimator: Any, n_generations: int, given: Given) -> None:
        self._root: Any = None
        if getattr(estimator, "_skl_callbacks", None):
            X, y, weight = given
            metadata = None if weight is None else {"sample_weight": weight}
            self._told = {"estimator": estimator, "X": X, "y": y, "metadata": metadata}
            self._root = estimator._init_callback_context(max_subtasks=n_generations)
            self._root.call_on_fit_task_begin(**self._told)

    def generation(self, attributes: Callable[[], Any]) -> bool:
        """Run the callbacks; tell whether one of them asks to stop."""
        if self._root is None:
            return False
        task = self._root.subcontext(task_name="generation")
        task.call_on_fit_task_begin(**self._told)
        end = task.call_on_fit_task_end
        return bool(end(**self._told, reconstruction_attributes=attributes))

    def end(self) -> None:
        """Tell the callbacks that the fit has ended."""
        if self._root is not None:
            end = self._root.call_on_fit_task_end
            end(**self._told, reconstruction_attributes=dict)
