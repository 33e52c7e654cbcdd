"""How far a benchmark is: one line, rewritten in a terminal, now and then otherwise."""

from __future__ import annotations

import contextlib
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import click

from isvmde.bench import Progress
from isvmde.cli.output import say

_CLEAR = "\r\x1b[K"  # go back and wipe the line


@contextlib.contextmanager
def showing_progress(kept_in: Path | None) -> Iterator[Callable[[Progress], None]]:
    """Give the callback for :func:`isvmde.bench.run_benchmark`.

    An interrupt is met with a word on where the finished folds are kept.
    """
    live = sys.stderr.isatty()
    interval = 0.2 if live else 10.0  # seconds
    last = -interval

    def wipe() -> None:
        if live:
            click.echo(_CLEAR, err=True, nl=False)

    def update(progress: Progress) -> None:
        nonlocal last
        row, done = progress.row, progress.done + progress.failed
        if row is not None and row["status"] == "failed":
            wipe()
            say(
                f"{row['method']} on {row['dataset']}, repeat {row['repeat']}, "
                f"fold {row['fold']} failed: {row['error']}"
            )
        if done == progress.total or time.monotonic() - last >= interval:
            last = time.monotonic()
            text = f"{done}/{progress.total} folds, {describe(progress)}"
            wipe()
            if live:
                click.echo(text, err=True, nl=False)
            else:
                say(text)

    try:
        yield update
        wipe()
    except KeyboardInterrupt:
        wipe()
        if kept_in is None:
            say("nothing is kept; with --out DIR finished folds would be")
        else:
            say(f"finished folds are kept in {kept_in}; the same command goes on")
        raise


def describe(progress: Progress) -> str:
    """Return the state of a run in a few words."""
    parts = [f"{progress.running} running"]
    if progress.failed:
        parts.append(f"{progress.failed} failed")
    if progress.seconds_left:
        parts.append(f"about {duration(progress.seconds_left)} left")
    return ", ".join(parts)


def duration(seconds: float) -> str:
    """Return a time span as a person says it.

    >>> duration(7.4), duration(125), duration(7300)
    ('7 s', '2 min 5 s', '2 h 1 min')
    """
    whole = round(seconds)
    if whole < 60:
        return f"{whole} s"
    if whole < 3600:
        return f"{whole // 60} min {whole % 60} s"
    return f"{whole // 3600} h {whole % 3600 // 60} min"
