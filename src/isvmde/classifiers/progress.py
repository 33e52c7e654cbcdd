"""Progress of a search: what a callback is told, and a line on the terminal."""

from __future__ import annotations

import shutil
import sys
import time
from dataclasses import dataclass
from typing import TextIO


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
    """One line that shows generation, best fitness, SVMs solved and the time left.

    On a terminal the line is rewritten in place; elsewhere about ten lines are
    printed over the whole search.
    """

    def __init__(self, total: int, *, stream: TextIO | None = None) -> None:
        self._total = total
        self._stream = sys.stderr if stream is None else stream
        self._live = self._stream.isatty()
        self._began = time.monotonic()
        self._shown = -1.0
        self._first: int | None = None
        self._open = False  # whether the cursor stands behind a rewritten line

    def say(self, text: str) -> None:
        """Print a line of its own."""
        print(text, file=self._stream, flush=True)

    def update(self, generation: int, best: float, n_svms: int) -> None:
        """Show a generation if it is time to."""
        if self._first is None:
            self._first = generation
        now = time.monotonic()
        last = generation >= self._total
        step = max(1, self._total // 10)
        if self._live and not last and now - self._shown < 0.1:
            return
        if not self._live and not last and generation % step:
            return
        self._shown = now
        done = generation - self._first
        left = ""
        if done or last:
            pace = (now - self._began) / max(done, 1)
            left = f"  {_duration(pace * (self._total - generation))} left"
        share = generation / self._total
        bar = "#" * round(20 * share) + "." * (20 - round(20 * share))
        text = (
            f"[{bar}] generation {generation}/{self._total}  best {best:.5f}  "
            f"{n_svms:,} SVMs{left}"
        )
        if not self._live:
            self.say(text)
            return
        # A line that wraps could not be rewritten, and a shorter one has to cover it.
        width = shutil.get_terminal_size().columns - 1
        print(f"\r{text[:width]:<{width}}", end="", file=self._stream, flush=True)
        self._open = True

    def close(self) -> None:
        """End the line, wherever the search has ended."""
        if self._open:
            self.say("")
            self._open = False


def _duration(seconds: float) -> str:
    """Return seconds as a short text."""
    minutes, rest = divmod(round(seconds), 60)
    return f"{minutes}:{rest:02d}"
