"""How far a benchmark is: a bar in a terminal, a line now and then otherwise."""

from __future__ import annotations

import contextlib
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

from isvmde.bench import Progress
from isvmde.cli.output import say


@contextlib.contextmanager
def showing_progress(kept_in: Path | None) -> Iterator[Callable[[Progress], None]]:
    """Give the callback for :func:`isvmde.bench.run_benchmark`.

    An interrupt is met with a word on where the finished folds are kept.
    """
    try:
        with _bar() if sys.stderr.isatty() else _lines() as callback:
            yield callback
    except KeyboardInterrupt:
        if kept_in is None:
            say("nothing is kept; with --out DIR finished folds would be")
        else:
            say(f"finished folds are kept in {kept_in}; the same command goes on")
        raise


@contextlib.contextmanager
def _bar() -> Iterator[Callable[[Progress], None]]:
    """Show a bar with counts and the time left."""
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, TextColumn
    from rich.progress import Progress as Bar
    from rich.text import Text

    columns = (BarColumn(), MofNCompleteColumn(), TextColumn("{task.description}"))
    with Bar(*columns, console=Console(stderr=True)) as bar:
        shown = bar.add_task("starting")

        def update(progress: Progress) -> None:
            bar.update(
                shown,
                total=progress.total,
                completed=progress.done + progress.failed,
                description=describe(progress),
            )
            row = progress.row
            if row is not None and row["status"] == "failed":
                failure = Text(f"{name_of(progress)}: {row['error']}", style="red")
                bar.console.print(failure)

        yield update


@contextlib.contextmanager
def _lines(interval: float = 10.0) -> Iterator[Callable[[Progress], None]]:
    """Say a line every few seconds, and on every failure."""
    last = -interval

    def update(progress: Progress) -> None:
        nonlocal last
        if progress.row is not None and progress.row["status"] == "failed":
            say(f"{name_of(progress)}: {progress.row['error']}")
        finished = progress.done + progress.failed == progress.total
        if finished or time.monotonic() - last >= interval:
            last = time.monotonic()
            done = progress.done + progress.failed
            say(f"{done}/{progress.total} folds, {describe(progress)}")

    yield update


def describe(progress: Progress) -> str:
    """Return the state of a run in a few words."""
    parts = [f"{progress.running} running"]
    if progress.failed:
        parts.append(f"{progress.failed} failed")
    if progress.seconds_left is not None:
        parts.append(f"about {duration(progress.seconds_left)} left")
    return ", ".join(parts)


def name_of(progress: Progress) -> str:
    """Name the row that was just finished."""
    row = progress.row or {}
    return (
        f"{row['method']} on {row['dataset']}, repeat {row['repeat']}, "
        f"fold {row['fold']} failed"
    )


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
