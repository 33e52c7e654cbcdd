"""Progress of a search on the terminal."""

from __future__ import annotations

import sys
import time
from typing import TextIO


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
        left = (now - self._began) / done * (self._total - generation) if done else 0.0
        share = generation / self._total
        bar = "#" * round(20 * share) + "." * (20 - round(20 * share))
        text = (
            f"[{bar}] generation {generation}/{self._total}  best {best:.5f}  "
            f"{n_svms:,} SVMs  {_duration(left)} left"
        )
        end = "\n" if last or not self._live else ""
        start = "\r" if self._live else ""
        print(
            f"{start}{text:<78}".rstrip() + end, end="", file=self._stream, flush=True
        )


def _duration(seconds: float) -> str:
    """Return seconds as a short text."""
    minutes, rest = divmod(round(seconds), 60)
    return f"{minutes}:{rest:02d}"
