"""A search from its first generation to the reason that ends it."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

from isvmde.core.search.base import Search
from isvmde.core.solver import Stopped

from .checkpoint import CheckpointFile
from .progress import Progress, SearchState

# What the initial population may take beyond a time limit: with less there is no model
_GRACE = 0.5


class SearchRun:
    """Takes a search through its generations, with all that goes on around it.

    Parameters
    ----------
    search : the search
    began : when the fit began, by `time.monotonic`; the time limit counts from then
    max_iter, patience, time_limit, callback : as of `ISVMDEClassifier`
    progress : what shows the generations, or None
    file : the checkpoint, or None
    ask_callbacks : tells scikit-learn's callbacks of a generation; whether to stop
    """

    def __init__(
        self,
        search: Search,
        *,
        began: float,
        max_iter: int,
        patience: int | None,
        time_limit: float | None,
        callback: Callable[[SearchState], bool | None] | None,
        progress: Progress | None,
        file: CheckpointFile | None,
        ask_callbacks: Callable[[], bool],
    ) -> None:
        self._search, self._began, self._max_iter = search, began, max_iter
        self._patience, self._time_limit = patience, time_limit
        self._callback, self._ask_callbacks = callback, ask_callbacks
        self._progress, self._file = progress, file
        self._whole: dict[str, Any] | None = None  # state after a whole generation

    def go(self, *, keep_best_on_interrupt: bool) -> str:
        """Run to the end; return why it ended.

        A generation that is interrupted, by Ctrl-C or by the time limit, leaves no
        trace: the search is taken back to the whole one before. Only the initial
        population is taken as far as it came when the time is over.
        """
        self._set_deadline(_GRACE)
        try:
            return self._generations()
        except KeyboardInterrupt:
            if self._whole is None or not keep_best_on_interrupt:
                raise
            self._search.set_state(self._whole)
            return "interrupted"
        except Stopped:
            assert self._whole is not None
            self._search.set_state(self._whole)
            return "time_limit"
        finally:
            if self._progress:
                self._progress.close()
            if self._file and self._whole is not None:
                self._file.save(self._whole)

    def _generations(self) -> str:
        """Evaluate generation after generation until there is a reason to stop."""
        search, file = self._search, self._file
        saved = file.resume(search) if file else None
        if saved is not None:
            self._whole = saved
            self._set_deadline()
        while True:
            if saved is not None:  # a resumed search looks at its reasons first
                saved = None
            else:
                search.step()
                if search.evaluator.stopped:
                    return "time_limit"
                self._whole = search.get_state()
                self._set_deadline()
            if self._progress:
                self._progress.update(
                    search.generation,
                    f"generation {search.generation}/{self._max_iter}  "
                    f"best {search.best_fitness:.5f}  "
                    f"{int(search.history['n_svms'][-1]):,} SVMs",
                )
            reason = self._reason_to_stop()
            if reason:
                return reason
            if file and file.due and self._whole is not None:
                file.save(self._whole)

    def _set_deadline(self, grace: float = 0.0) -> None:
        """Tell the evaluator when the time is over."""
        if self._time_limit is not None:
            deadline = self._began + self._time_limit + grace
            self._search.evaluator.deadline = deadline

    def _reason_to_stop(self) -> str:
        """Return why to stop now, an empty text to go on."""
        search, patience = self._search, self._patience
        best = search.history["best"]
        asked = self._ask_callbacks()
        if self._callback is not None:
            state = SearchState(
                search.generation,
                self._max_iter,
                best[-1],
                search.history["mean"][-1],
                int(search.history["n_svms"][-1]),
                search.history["seconds"][-1],
            )
            asked = bool(self._callback(state)) or asked
        if search.done:
            return "max_iter"
        waited = patience is not None and len(best) > patience
        if waited and not best[-1] < best[-1 - (patience or 0)]:
            return "patience"
        deadline = search.evaluator.deadline
        if deadline is not None and time.monotonic() >= deadline:
            return "time_limit"
        return "callback" if asked else ""
