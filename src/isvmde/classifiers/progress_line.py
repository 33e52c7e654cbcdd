"""The line on the terminal that ``verbose=1`` asks for."""

from __future__ import annotations

import shutil
import sys
import time

from isvmde.core.solver import is_cached


class ProgressLine:
    """One line that shows how far a fit is, what it found, and the time left.

    On a terminal the line is rewritten in place; elsewhere about ten lines are
    printed over the whole fit. Nothing is printed unless it is ``shown``.
    """

    def __init__(self, total: int, *, shown: bool) -> None:
        self._total, self._visible = total, shown
        self._stream = sys.stderr
        self._live = self._stream.isatty()
        self._began = time.monotonic()
        self._last_time = -1.0
        self._last_tenth = -1
        self._first: int | None = None  # what was done at the beginning
        self._n_svms = 0
        self._open = False  # whether the cursor stands behind a rewritten line
        if shown and not is_cached():
            self._say("Compiling the solver, once on this machine (some seconds)...")

    def _say(self, text: str) -> None:
        """Print a line of its own."""
        print(text, file=self._stream, flush=True)

    def add_svms(self, count: int) -> None:
        """Show that more SVMs of the total were solved."""
        self._n_svms += count
        self.update(self._n_svms, f"{self._n_svms:,}/{self._total:,} SVMs")

    def update(self, done: int, text: str) -> None:
        """Show that ``done`` of the total is done, and a text, if it is time to."""
        if self._first is None:
            self._first = done
        now, tenth = time.monotonic(), 10 * done // self._total
        last = done >= self._total
        soon = now - self._last_time < 0.1 if self._live else tenth == self._last_tenth
        if not self._visible or (soon and not last):
            return
        self._last_time, self._last_tenth = now, tenth
        since = done - self._first
        left = ""
        if since or last:
            seconds = (now - self._began) / max(since, 1) * (self._total - done)
            minutes, seconds = divmod(round(seconds), 60)
            left = f"  {minutes}:{seconds:02d} left"
        filled = round(20 * done / self._total)
        text = f"[{'#' * filled}{'.' * (20 - filled)}] {text}{left}"
        if not self._live:
            self._say(text)
            return
        # A line that wraps could not be rewritten, and a shorter one has to cover it.
        width = shutil.get_terminal_size().columns - 1
        print(f"\r{text[:width]:<{width}}", end="", file=self._stream, flush=True)
        self._open = True

    def __enter__(self) -> ProgressLine:
        return self

    def __exit__(self, *_: object) -> None:
        """End the line, wherever the fit has ended."""
        if self._open:
            self._say("")
