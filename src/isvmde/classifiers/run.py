"""A search from its first generation to the reason that ends it."""

import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from isvmde.core.parallel import Stopped
from isvmde.core.search.joint import JointSearch

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


ShouldStop = Callable[[SearchState], bool]  # hears of every generation


def run_search(
    search: JointSearch,
    model: Any,
    file: CheckpointFile | None,
    should_stop: ShouldStop,
) -> str:
    """Take a search through its generations; return why it ended."""
    # A generation that is interrupted leaves no trace: back to the whole one before
    evaluator, whole = search.evaluator, None  # state after a whole generation
    limit = None if model.time_limit is None else time.monotonic() + model.time_limit
    evaluator.deadline = None if limit is None else limit + _GRACE
    try:
        with ProgressLine(model.max_iter, shown=bool(model.verbose)) as line:
            whole = file.load(search.can_go_on_from) if file else None
            if whole is not None:
                search.set_state(whole)
            else:
                search.step()
                if evaluator.stopped:
                    return "time_limit"
                whole = search.get_state()
            evaluator.deadline = limit
            while not (reason := _reason(search, model, line, should_stop)):
                if file and file.due:
                    file.save(whole)
                search.step()
                whole = search.get_state()
            return reason
    except KeyboardInterrupt:
        if whole is None or not model.keep_best_on_interrupt:
            raise
        reason = "interrupted"
    except Stopped:
        reason = "time_limit"
    finally:
        if file and whole is not None:
            file.save(whole)
    if whole is not None:
        search.set_state(whole)
    return reason


def _reason(
    search: JointSearch, model: Any, line: ProgressLine, should_stop: ShouldStop
) -> str:
    """Show and announce a generation; return why to stop, or an empty text."""
    state = _state(search, model.max_iter)
    line.update(
        state.generation,
        f"generation {state.generation}/{state.max_iter}  "
        f"best {state.best_fitness:.5f}  {state.n_svms:,} SVMs",
    )
    stopped_by_callback = should_stop(state)
    best, patience = search.history["best"], model.patience
    if search.done:
        return "max_iter"
    waited = patience is not None and len(best) > patience
    if waited and not best[-1] < best[-1 - patience]:
        return "patience"
    deadline = search.evaluator.deadline
    if deadline is not None and time.monotonic() >= deadline:
        return "time_limit"
    return "callback" if stopped_by_callback else ""


def _state(search: JointSearch, max_iter: int) -> SearchState:
    """Return what is known of the generation that has ended."""
    history = search.history
    return SearchState(
        generation=search.generation,
        max_iter=max_iter,
        best_fitness=history["best"][-1],
        mean_fitness=history["mean"][-1],
        n_svms=int(history["n_svms"][-1]),
        seconds=history["seconds"][-1],
    )
