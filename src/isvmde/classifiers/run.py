"""A search from its first generation to the reason that ends it."""

import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from isvmde.core.search.joint import JointSearch
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


Ask = Callable[[SearchState], bool]


def run_search(
    search: JointSearch, model: Any, file: CheckpointFile | None, ask: Ask
) -> str:
    """Take a search through its generations, ``ask`` callbacks; return why it ended."""
    # A generation that is interrupted leaves no trace: back to the whole one before
    evaluator, whole = search.evaluator, None  # state after a whole generation
    limit = None if model.time_limit is None else time.monotonic() + model.time_limit
    evaluator.deadline = None if limit is None else limit + _GRACE
    try:
        with ProgressLine(model.max_iter, shown=bool(model.verbose)) as line:
            whole = file.load() if file else None
            if whole is not None:
                search.set_state(whole)
            else:
                search.step()
                if evaluator.stopped:
                    return "time_limit"
                whole = search.get_state()
            evaluator.deadline = limit
            while not (reason := _reason(search, model, line, ask)):
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


def _reason(search: JointSearch, model: Any, line: ProgressLine, ask: Ask) -> str:
    """Tell everybody of the generation; return why to stop, or an empty text."""
    done, of, patience = search.generation, model.max_iter, model.patience
    history, best = search.history, search.history["best"]
    mean, n_svms = history["mean"][-1], int(history["n_svms"][-1])
    line.update(done, f"generation {done}/{of}  best {best[-1]:.5f}  {n_svms:,} SVMs")
    state = SearchState(done, of, best[-1], mean, n_svms, history["seconds"][-1])
    asked = ask(state)
    if search.done:
        return "max_iter"
    waited = patience is not None and len(best) > patience
    if waited and not best[-1] < best[-1 - patience]:
        return "patience"
    deadline = search.evaluator.deadline
    if deadline is not None and time.monotonic() >= deadline:
        return "time_limit"
    return "callback" if asked else ""
