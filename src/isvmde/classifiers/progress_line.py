"""The line on the terminal that ``verbose=1`` asks for."""

import shutil
import sys
import time
from typing import Self

from isvmde.core.solver import SECONDS_TO_COMPILE, is_cached


def say_if_compiling() -> None:
    """Say that the solver is compiled now, where it was not compiled before."""
    if not is_cached():
        text = (
            "Compiling the solver, once on this machine (about "
            f"{SECONDS_TO_COMPILE} seconds)..."
        )
        print(text, file=sys.stderr, flush=True)


class ProgressLine:
    """How far a fit is: one line rewritten on a terminal, about ten in a file."""

    def __init__(self, total: int, *, shown: bool) -> None:
        self._total, self._shown, self._n_svms = total, shown, 0
        self._began = time.monotonic()
        self._step = -1  # tenth of a second, or of the fit, that was shown last
        self._first: int | None = None  # what was done at the beginning
        self._open = False  # whether the cursor stands behind a rewritten line
        if shown:
            say_if_compiling()

    def add_svms(self, count: int) -> None:
        """Show that more SVMs of the total were solved."""
        self._n_svms += count
        self.update(self._n_svms, f"{self._n_svms:,}/{self._total:,} SVMs")

    def update(self, done: int, text: str) -> None:
        """Show that ``done`` of the total is done, and a text, if it is time to."""
        if self._first is None:
            self._first = done
        now, live = time.monotonic(), sys.stderr.isatty()
        step = int(10 * now) if live else 10 * done // self._total
        last = done >= self._total
        if not self._shown or (step == self._step and not last):
            return
        self._step = step
        filled = round(20 * done / self._total)
        text = f"[{'#' * filled}{'.' * (20 - filled)}] {text}"
        if done > self._first or last:
            rate = (now - self._began) / max(done - self._first, 1)
            minutes, seconds = divmod(round(rate * (self._total - done)), 60)
            text += f"  {minutes}:{seconds:02d} left"
        elif self._first < self._total:
            text += "  estimating the time left"
        if live:
            # A line that wraps could not be rewritten; a shorter one has to cover it.
            width = shutil.get_terminal_size().columns - 1
            text = f"\r{text[:width]:<{width}}"
        self._open = live
        print(text, end="" if live else "\n", file=sys.stderr, flush=True)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        """End the line, wherever the fit has ended."""
        if self._open:
            print(file=sys.stderr, flush=True)
