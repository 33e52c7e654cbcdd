"""scikit-learn's callbacks (1.9 and later) for the search."""

from collections.abc import Callable
from typing import Any, TypeVar

from .multiclass import FitInput

__all__ = ["CallbackSupportMixin", "FitContext", "with_callbacks"]

Method = TypeVar("Method", bound=Callable[..., Any])

try:
    from sklearn.callback import CallbackSupportMixin
    from sklearn.callback import with_callbacks as _decorate
except ImportError:  # scikit-learn < 1.9
    _decorate = None

    class CallbackSupportMixin:  # type: ignore[no-redef]
        """Stands in where scikit-learn has no callbacks."""


def with_callbacks(method: Method) -> Method:
    """Return the method of a fit, with scikit-learn's callbacks where it has them."""
    decorated: Method = method if _decorate is None else _decorate(method)
    return decorated


class FitContext:
    """Announces a fit and its generations to scikit-learn's callbacks (1.9)."""

    def __init__(self, estimator: Any, n_generations: int, given: FitInput) -> None:
        self._estimator, self._given = estimator, given
        self._root: Any = None
        if getattr(estimator, "_skl_callbacks", None):
            self._root = estimator._init_callback_context(max_subtasks=n_generations)
            self._begin(self._root)

    def generation(self, attributes: Callable[[], Any]) -> bool:
        """Run the callbacks; tell whether one of them wants to stop."""
        if self._root is None:
            return False
        task = self._root.subcontext(task_name="generation")
        self._begin(task)
        return self._end(task, attributes)

    def end(self) -> None:
        """Announce that the fit has ended."""
        if self._root is not None:
            self._end(self._root, dict)

    @property
    def _metadata(self) -> dict[str, Any] | None:
        """What was given to ``fit`` beside X and y."""
        weight = self._given.sample_weight
        return None if weight is None else {"sample_weight": weight}

    def _begin(self, task: Any) -> None:
        """Announce the begin of a task."""
        task.call_on_fit_task_begin(
            estimator=self._estimator,
            X=self._given.X,
            y=self._given.y,
            metadata=self._metadata,
        )

    def _end(self, task: Any, attributes: Callable[[], Any]) -> bool:
        """Announce the end of a task; tell whether a callback wants to stop."""
        wants_to_stop = task.call_on_fit_task_end(
            estimator=self._estimator,
            X=self._given.X,
            y=self._given.y,
            metadata=self._metadata,
            reconstruction_attributes=attributes,
        )
        return bool(wants_to_stop)
