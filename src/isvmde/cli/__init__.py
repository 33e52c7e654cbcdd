"""The command line: its commands, and how errors and interrupts end them."""

import os
import sys
from collections.abc import Callable, Sequence
from importlib import import_module
from typing import Any

import click

from isvmde import __version__
from isvmde.cli.output import say, shorten

INTERRUPTED = 130
BAD_INPUT = 2
_LONGEST_WORD = 150

# What the list of commands says; a command is imported when it is called, because
# most of them need packages that take a second to import.
COMMANDS = {
    "demo": ("compare", "See what it does, on built-in data, in about a minute."),
    "datasets": ("datasets", "List the data sets that are built in."),
    "fit": ("fit", "Train a model on a table and save it."),
    "predict": ("predict", "Predict the class of every row of a table."),
    "explain": ("explain", "Say why a row was predicted as it was."),
    "inspect": ("inspect", "Show what a saved model learned."),
    "compare": ("compare", "Cross-validate methods on one table."),
    "benchmark": ("benchmark", "Run methods on many data sets."),
    "report": ("benchmark", "Make a benchmark's tables, tests and figures."),
}


class Commands(click.Group):
    """The group of all commands, each imported when it is needed."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Return the names in the order of the help."""
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, name: str) -> click.Command | None:
        """Import a command; from then on the caller may want to handle signals."""
        if name not in COMMANDS:
            return None
        module = import_module(f"isvmde.cli.{COMMANDS[name][0]}")
        command: click.Command = getattr(module, name)
        if ctx.obj is not None:
            ctx.obj()
        return command

    def format_commands(
        self, ctx: click.Context, formatter: click.HelpFormatter
    ) -> None:
        """Write the list of commands without importing them."""
        with formatter.section("Commands"):
            formatter.write_dl([(name, text) for name, (_, text) in COMMANDS.items()])


@click.group(
    cls=Commands,
    invoke_without_command=True,
    context_settings={
        "help_option_names": ["-h", "--help"],
        "max_content_width": 100,
        "show_default": True,
    },
    epilog="Try `isvmde demo` first. Every command has its own --help with examples.",
)
@click.version_option(__version__, prog_name="isvmde", message="%(prog)s %(version)s")
@click.pass_context
def app(ctx: click.Context) -> None:
    """Classify imbalanced data with many classes, and compare methods for it."""
    if ctx.invoked_subcommand is None:
        click.echo(ctx.get_help())


def run(
    arguments: Sequence[str] | None = None, begin: Callable[[], Any] | None = None
) -> int:
    """Run a command; return 0, 2 after bad input, 130 after an interrupt.

    ``begin`` is called when the command's modules are imported.
    """
    words = sys.argv[1:] if arguments is None else list(arguments)
    try:
        code = app.main(words, prog_name="isvmde", standalone_mode=False, obj=begin)
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
        message = error.format_message().removesuffix(".")
        return _refuse(f"{message}. See `{command} --help`.", words)
    except click.ClickException as error:
        return _refuse(error.format_message(), words)
    except MemoryError:
        return _refuse("there is not enough memory for this table and method", words)
    # What the library raises, in a sentence, for input it cannot work with.
    except (ValueError, OSError, ImportError) as error:
        if os.environ.get("ISVMDE_TRACEBACK"):
            raise
        return _refuse(_sentence(error), words)


def _refuse(message: str, words: list[str]) -> int:
    """Say what is wrong, in one line that does not repeat a long argument in full."""
    for word in sorted(words, key=len, reverse=True):
        message = message.replace(word, shorten(word, _LONGEST_WORD))
    say(message)
    return BAD_INPUT


def _sentence(error: BaseException) -> str:
    """Return the message of an error; the system's ones name their file."""
    if isinstance(error, OSError) and error.filename and error.strerror:
        return f"{error.filename}: {error.strerror}"
    return str(error) or type(error).__name__
