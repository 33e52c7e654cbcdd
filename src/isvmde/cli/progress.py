"""How far a benchmark is: one line, rewritten in a terminal, now and then otherwise."""

import contextlib
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import click

from isvmde.bench import Progress
from isvmde.cli.output import say


@contextlib.contextmanager
def showing_progress(kept_in: Path | None) -> Iterator[Callable[[Progress], None]]:
    """Give the callback of `run_benchmark`; say after an interrupt what is kept."""
    live = sys.stderr.isatty()
    interval = 0.2 if live else 10.0  # seconds
    last = -interval

    def rewrite(text: str = "") -> None:
        if live:  # go back and wipe the line
            click.echo(f"\r\x1b[K{text}", err=True, nl=False)
        elif text:
            say(text)

    def update(progress: Progress) -> None:
        nonlocal last
        row, done = progress.row, progress.done + progress.failed
        if row is not None and row["status"] == "failed":
            rewrite()
            say(
                f"{row['method']} on {row['dataset']}, repeat {row['repeat']}, "
                f"fold {row['fold']} failed: {row['error']}"
            )
        if done == progress.total or time.monotonic() - last >= interval:
            last = time.monotonic()
            rewrite(f"{done}/{progress.total} folds, {describe(progress)}")

    try:
        yield update
    except KeyboardInterrupt:
        rewrite()
        if kept_in is None:
            say("nothing is kept; with --out DIR finished folds would be")
        else:
            say(f"finished folds are kept in {kept_in}; the same command goes on")
        raise
    rewrite()


def describe(progress: Progress) -> str:
    """Return the state of a run in a few words."""
    parts = [f"{progress.running} running"]
    if progress.failed:
        parts.append(f"{progress.failed} failed")
    if progress.seconds_left:
        minutes, seconds = divmod(round(progress.seconds_left), 60)
        hours, minutes = divmod(minutes, 60)
        left = f"{minutes} min {seconds} s" if minutes else f"{seconds} s"
        parts.append(f"about {f'{hours} h {minutes} min' if hours else left} left")
    return ", ".join(parts)
