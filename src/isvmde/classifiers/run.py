"""A search from its first generation to the reason that ends it."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from isvmde.core.search.base import Search
from isvmde.core.solver import Stopped

from .checkpoint import CheckpointFile
from .progress_line import ProgressLine

# What the initial population may take beyond a time limit: with less there is no model
_GRACE = 0.5


@dataclass(frozen=True)
class SearchState:
    """What a ``callback`` is told after every generation.

    Attributes
    ----------
    generation, max_iter : int
    best_fitness, mean_fitness : float
    n_svms : int
        SVMs solved so far.
    seconds : float
        Time the search has taken so far.
    """

    generation: int
    max_iter: int
    best_fitness: float
    mean_fitness: float
    n_svms: int
    seconds: float


class SearchRun:
    """Takes a search through its generations, as the parameters of the model say.

    ``file`` is the checkpoint, or None; ``ask_callbacks`` tells scikit-learn's
    callbacks of a generation and returns whether to stop.
    """

    def __init__(
        self,
        search: Search,
        model: Any,
        file: CheckpointFile | None,
        ask_callbacks: Callable[[], bool],
    ) -> None:
        self._search, self._model, self._file = search, model, file
        self._ask_callbacks = ask_callbacks
        self._began = time.monotonic()
        self._whole: dict[str, Any] | None = None  # state after a whole generation

    def go(self) -> str:
        """Run to the end; return why it ended.

        A generation that is interrupted, by Ctrl-C or by the time limit, leaves no
        trace: the search is taken back to the whole one before. Only the initial
        population is taken as far as it came when the time is over.
        """
        self._set_deadline(_GRACE)
        try:
            with ProgressLine(
                self._model.max_iter, shown=bool(self._model.verbose)
            ) as line:
                return self._generations(line)
        except KeyboardInterrupt:
            if self._whole is None or not self._model.keep_best_on_interrupt:
                raise
            self._search.set_state(self._whole)
            return "interrupted"
        except Stopped:
            assert self._whole is not None
            self._search.set_state(self._whole)
            return "time_limit"
        finally:
            if self._file and self._whole is not None:
                self._file.save(self._whole)

    def _generations(self, line: ProgressLine) -> str:
        """Evaluate generation after generation until there is a reason to stop."""
        search, file = self._search, self._file
        self._whole = file.resume(search) if file else None
        resumed = self._whole is not None  # it looks at its reasons first
        while True:
            if not resumed:
                search.step()
                if search.evaluator.stopped:
                    return "time_limit"
                self._whole = search.get_state()
            resumed = False
            self._set_deadline()
            reason = self._reason_to_stop(line)
            if reason:
                return reason
            if file and file.due and self._whole is not None:
                file.save(self._whole)

    def _set_deadline(self, grace: float = 0.0) -> None:
        """Tell the evaluator when the time is over."""
        if self._model.time_limit is not None:
            deadline = self._began + self._model.time_limit + grace
            self._search.evaluator.deadline = deadline

    def _reason_to_stop(self, line: ProgressLine) -> str:
        """Tell everybody of the generation; return why to stop, or an empty text."""
        search, model = self._search, self._model
        state = SearchState(
            search.generation,
            model.max_iter,
            search.best_fitness,
            search.history["mean"][-1],
            int(search.history["n_svms"][-1]),
            search.history["seconds"][-1],
        )
        line.update(
            state.generation,
            f"generation {state.generation}/{state.max_iter}  "
            f"best {state.best_fitness:.5f}  {state.n_svms:,} SVMs",
        )
        asked = self._ask_callbacks()
        if model.callback is not None:
            asked = bool(model.callback(state)) or asked
        if search.done:
            return "max_iter"
        best, patience = search.history["best"], model.patience
        waited = patience is not None and len(best) > patience
        if waited and not best[-1] < best[-1 - patience]:
            return "patience"
        deadline = search.evaluator.deadline
        if deadline is not None and time.monotonic() >= deadline:
            return "time_limit"
        return "callback" if asked else ""
