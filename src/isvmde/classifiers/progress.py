"""Progress of a fit: what a callback is told, and a line on the terminal."""

from __future__ import annotations

import shutil
import sys
import time
from dataclasses import dataclass
from typing import TextIO

from isvmde.core.solver import is_cached


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


class Progress:
    """One line that shows how far a fit is, what it found, and the time left.

    On a terminal the line is rewritten in place; elsewhere about ten lines are
    printed over the whole fit.
    """

    def __init__(self, total: int, *, stream: TextIO | None = None) -> None:
        self._total = total
        self._stream = sys.stderr if stream is None else stream
        self._live = self._stream.isatty()
        self._began = time.monotonic()
        self._shown = -1.0
        self._first: int | None = None
        self._tenth = -1  # the last one shown
        self._open = False  # whether the cursor stands behind a rewritten line
        if not is_cached():
            self.say("Compiling the solver, once on this machine (some seconds)...")

    def say(self, text: str) -> None:
        """Print a line of its own."""
        print(text, file=self._stream, flush=True)

    def update(self, done: int, text: str) -> None:
        """Show that ``done`` of all is done, and a text, if it is time to."""
        if self._first is None:
            self._first = done
        now = time.monotonic()
        last = done >= self._total
        tenth = 10 * done // self._total
        if self._live and not last and now - self._shown < 0.1:
            return
        if not self._live and not last and tenth == self._tenth:
            return
        self._shown, self._tenth = now, tenth
        since = done - self._first
        left = ""
        if since or last:
            pace = (now - self._began) / max(since, 1)
            left = f"  {_duration(pace * (self._total - done))} left"
        share = done / self._total
        bar = "#" * round(20 * share) + "." * (20 - round(20 * share))
        text = f"[{bar}] {text}{left}"
        if not self._live:
            self.say(text)
            return
        # A line that wraps could not be rewritten, and a shorter one has to cover it.
        width = shutil.get_terminal_size().columns - 1
        print(f"\r{text[:width]:<{width}}", end="", file=self._stream, flush=True)
        self._open = True

    def close(self) -> None:
        """End the line, wherever the fit has ended."""
        if self._open:
            self.say("")
            self._open = False


class SolvedCount:
    """Counts the SVMs that were solved, and shows it where that is wanted."""

    def __init__(self, total: int, *, verbose: int) -> None:
        self._total, self._done = total, 0
        self._progress = Progress(total) if verbose else None

    def __call__(self, count: int) -> None:
        """Add SVMs to those that were solved."""
        self._done += count
        if self._progress:
            text = f"{self._done:,}/{self._total:,} SVMs"
            self._progress.update(self._done, text)

    def __enter__(self) -> SolvedCount:
        self(0)
        return self

    def __exit__(self, *_: object) -> None:
        if self._progress:
            self._progress.close()


def _duration(seconds: float) -> str:
    """Return seconds as a short text."""
    minutes, rest = divmod(round(seconds), 60)
    return f"{minutes}:{rest:02d}"
