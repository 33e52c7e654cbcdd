"""How far a long command is: a line that lives on a terminal, a few lines elsewhere."""

import contextlib
import sys
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import click

from isvmde.bench import Progress
from isvmde.classifiers.progress_line import say_if_compiling
from isvmde.cli.output import say

_TICK = 1.0  # seconds between two drawings of the line on a terminal
_PAUSE = 10.0  # and between two lines elsewhere


class _Line:
    """A line that a thread of its own redraws every second on a terminal.

    So the time moves on while a fold takes minutes. Elsewhere a line is printed when
    the state has changed and ten seconds have passed.
    """

    def __init__(self, describe: Callable[[float], str]) -> None:
        self._describe = describe  # takes the seconds since the beginning
        self._live = sys.stderr.isatty()
        self._began = time.monotonic()
        self._said = -_PAUSE
        self._ended = threading.Event()
        self._drawing = threading.Lock()
        self._clock = threading.Thread(target=self._run, daemon=True)
        if self._live:
            self._clock.start()

    def draw(self, *, last: bool = False) -> None:
        """Show the state, if it is time to."""
        now = time.monotonic() - self._began
        if self._live:
            with self._drawing:
                if not self._ended.is_set():  # go back and wipe the line
                    click.echo(f"\r\x1b[K{self._describe(now)}", err=True, nl=False)
        elif last or now - self._said >= _PAUSE:
            self._said = now
            say(self._describe(now))

    def say(self, message: str) -> None:
        """Say something in a line of its own."""
        with self._drawing:
            self._wipe()
            say(message)

    def end(self) -> None:
        """Wipe the line, wherever the work has ended."""
        self._ended.set()
        with self._drawing:
            self._wipe()
        if self._live:
            self._clock.join()

    def _wipe(self) -> None:
        if self._live:
            click.echo("\r\x1b[K", err=True, nl=False)

    def _run(self) -> None:
        while not self._ended.wait(_TICK):
            self.draw()


@contextlib.contextmanager
def showing_progress(kept_in: Path | None) -> Iterator[Callable[[Progress], None]]:
    """Give the callback of `run_benchmark`; say after an interrupt what is kept."""
    state: Progress | None = None
    changed = 0.0

    def text(now: float) -> str:
        if state is None:
            return f"preparing, {in_words(now)}"
        done = state.done + state.failed
        return f"{done}/{state.total} folds, {describe(state, now - changed)}"

    say_if_compiling()
    began = time.monotonic()
    line = _Line(text)

    def update(progress: Progress) -> None:
        nonlocal state, changed
        state, changed = progress, time.monotonic() - began
        row, done = progress.row, progress.done + progress.failed
        if row is not None and row["status"] == "failed":
            line.say(
                f"{row['method']} on {row['dataset']}, repeat {row['repeat']}, "
                f"fold {row['fold']} failed: {row['error']}"
            )
        line.draw(last=done == progress.total)

    try:
        yield update
    except KeyboardInterrupt:
        line.end()
        if kept_in is None:
            say("nothing is kept; with --out DIR, finished folds would have been")
        else:
            say(f"finished folds are kept in {kept_in}; the same command resumes")
        raise
    finally:
        line.end()


@contextlib.contextmanager
def showing_time(what: str, *, shown: bool) -> Iterator[None]:
    """Show on a terminal for how long something has been going on."""
    if not shown:
        yield
        return
    line = _Line(lambda now: f"{what}, {in_words(now)}")
    try:
        yield
    finally:
        line.end()


def describe(progress: Progress, since: float = 0.0) -> str:
    """Return the state of a run in a few words, ``since`` seconds after it was told."""
    parts = [f"{progress.running} running"]
    if progress.failed:
        parts.append(f"{progress.failed} failed")
    if progress.seconds_left:
        left = max(progress.seconds_left - since, 1.0)
        parts.append(f"about {in_words(left)} left")
    elif progress.running:
        parts.append(f"{in_words(since)} so far")
    return ", ".join(parts)


def in_words(seconds: float) -> str:
    """Return a time as a person reads it.

    >>> in_words(3700), in_words(65), in_words(4.2)
    ('1 h 1 min', '1 min 5 s', '4 s')
    """
    minutes, rest = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    if hours:
        return f"{hours} h {minutes} min"
    return f"{minutes} min {rest} s" if minutes else f"{rest} s"
