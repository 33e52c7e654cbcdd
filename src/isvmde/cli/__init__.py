"""The command line: its commands, and how errors and interrupts end them."""

from __future__ import annotations

import contextlib
import os
import signal
import sys
import threading
from collections.abc import Iterator, Sequence

import click

from isvmde import __version__
from isvmde.bench import StoreError
from isvmde.cli.benchmark import benchmark, report
from isvmde.cli.compare import compare
from isvmde.cli.datasets import datasets
from isvmde.cli.demo import demo
from isvmde.cli.model import fit, inspect, predict
from isvmde.cli.output import say

INTERRUPTED = 130
BAD_INPUT = 2


@click.group(
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
    epilog="Try `isvmde demo` first. Every command has its own --help with examples.",
)
@click.version_option(__version__, prog_name="isvmde", message="%(prog)s %(version)s")
def app() -> None:
    """Classify imbalanced data of many classes with i-SVM-DE, and compare methods."""


for command in (demo, datasets, fit, predict, inspect, compare, benchmark, report):
    app.add_command(command)


def run(arguments: Sequence[str] | None = None) -> int:
    """Run a command; return 0, 2 after bad input, 130 after an interrupt."""
    with _polite_kill_interrupts():
        return _run(arguments)


def _run(arguments: Sequence[str] | None) -> int:
    """Run a command and turn how it ends into an exit code."""
    try:
        code = app.main(
            None if arguments is None else list(arguments),
            prog_name="isvmde",
            standalone_mode=False,
        )
        sys.stdout.flush()
        return code if isinstance(code, int) else 0
    except (click.Abort, KeyboardInterrupt):
        say("interrupted")
        return INTERRUPTED
    except BrokenPipeError:
        # The reader of our output has gone, as in `isvmde datasets | head -3`.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
    except click.UsageError as error:
        command = error.ctx.command_path if error.ctx else "isvmde"
        return _refuse(f"{error.format_message()} See `{command} --help`.")
    except click.ClickException as error:
        return _refuse(error.format_message())
    # What the library raises, in a sentence, for input it cannot work with.
    except (ValueError, OSError, ImportError, StoreError) as error:
        if os.environ.get("ISVMDE_TRACEBACK"):
            raise
        return _refuse(_sentence(error))


@contextlib.contextmanager
def _polite_kill_interrupts() -> Iterator[None]:
    """Let SIGTERM end a run as Ctrl-C does, with finished work kept."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    previous = signal.signal(signal.SIGTERM, signal.default_int_handler)
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, previous)


def _refuse(message: str) -> int:
    """Say what is wrong, in one line."""
    say(" ".join(message.split()))
    return BAD_INPUT


def _sentence(error: BaseException) -> str:
    """Return the message of an error; the system's ones name their file."""
    if isinstance(error, OSError) and error.filename and error.strerror:
        return f"{error.filename}: {error.strerror}"
    return str(error) or type(error).__name__
