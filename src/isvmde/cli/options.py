"""The options that commands share."""

import functools
from collections.abc import Callable
from dataclasses import dataclass, fields
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

FILE = click.Path(path_type=Path)
# of `isvmde.bench.dealing`, which takes long to import
DEALINGS = ("stratified", "keel", "dob-scv")


def adding(*options: Callable[..., Any]) -> Callable[..., Any]:
    """Return a decorator that adds several options in this order."""

    def decorate(command: Callable[..., Any]) -> Callable[..., Any]:
        for option in reversed(options):
            command = option(command)
        return command

    return decorate


@dataclass(frozen=True)
class ReadOptions:
    """How a file is written, as far as the command says it; the rest is found.

    Parameters
    ----------
    sep, decimal, thousands, encoding : str or None
        Of a text file.
    sheet : str or None
        Of an Excel file.
    """

    sep: str | None = None
    decimal: str | None = None
    thousands: str | None = None
    encoding: str | None = None
    sheet: str | None = None

    @property
    def are_given(self) -> bool:
        """Whether the command says anything."""
        return self != ReadOptions()


@dataclass(frozen=True)
class ColumnOptions:
    """What the command says about the columns of a table for training.

    Parameters
    ----------
    target : str or None
        The column of the classes; the last by default.
    drop, features, numeric, nominal : str or None
        Names of columns, separated by commas.
    missing : tuple of str
        Values that stand for a gap.
    dates : str or None
        "day-first" or "month-first".
    keep_marks, merge_labels : bool
        Whether marks of a gap are classes, and whether spellings of a class are one.
    """

    target: str | None = None
    drop: str | None = None
    features: str | None = None
    numeric: str | None = None
    nominal: str | None = None
    missing: tuple[str, ...] = ()
    dates: str | None = None
    keep_marks: bool = False
    merge_labels: bool = False


@dataclass(frozen=True)
class RunOptions:
    """How a method is run.

    Parameters
    ----------
    seed : int
        Where random numbers begin.
    n_jobs : int
        Workers at once; -1 stands for all cores.
    """

    seed: int = 0
    n_jobs: int = -1


def packed(
    kind: type, name: str, options: Callable[..., Any]
) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Return a decorator that adds options and gives their values as one object."""
    packed_names = [field.name for field in fields(kind)]

    def decorate(command: Callable[..., Any]) -> Callable[..., Any]:
        @functools.wraps(command)
        def call(**values: Any) -> Any:
            values[name] = kind(**{each: values.pop(each) for each in packed_names})
            return command(**values)

        decorated: Callable[..., Any] = options(call)
        return decorated

    return decorate


def _not_zero(_context: click.Context, _option: click.Parameter, jobs: int) -> int:
    """Refuse zero workers."""
    if jobs == 0:
        raise click.BadParameter("must not be 0; use -1 for all cores")
    return jobs


jobs = click.option(
    "--jobs",
    "n_jobs",
    type=int,
    default=-1,
    show_default="all cores",
    help="Workers at once; -1 stands for all cores.",
    callback=_not_zero,
)
as_json = click.option("--json", "as_json", is_flag=True, help="Print JSON.")
model = click.argument("model", type=FILE)
trust = click.option(
    "--trust",
    is_flag=True,
    help="Also load types of other packages that are in the file, such as "
    "scikit-learn's trees. Only for files that you or someone you trust made.",
)
force = click.option(
    "--force",
    is_flag=True,
    help="Replace an existing file that this command did not write.",
)
seed = click.option("--seed", type=click.IntRange(0, 2**31 - 1), default=0)


if TYPE_CHECKING:
    _ParameterType = click.ParamType[Any]
else:
    _ParameterType = click.ParamType  # older versions of click know no type of it


class _Folds(_ParameterType):
    """A number of folds, or the name of another way to deal five."""

    name = "folds"

    def convert(self, value: Any, param: Any, ctx: Any) -> int | str:
        """Return a number or a name."""
        if value in DEALINGS:
            return str(value)
        try:
            return int(click.IntRange(2).convert(value, param, ctx))
        except click.BadParameter:
            self.fail(
                f"{value!r} is neither a whole number of at least 2 nor one of "
                f"{', '.join(DEALINGS)}.",
                param,
                ctx,
            )


folds = click.option(
    "--folds",
    type=_Folds(),
    default=5,
    metavar="NUMBER|NAME",
    help=f"Number of folds, or five dealt in another way: {', '.join(DEALINGS)} [5].",
)
run = packed(RunOptions, "run", adding(seed, jobs))
reading = packed(
    ReadOptions,
    "reading",
    adding(
        click.option("--sep", metavar="SIGN", help="Column separator [detected]."),
        click.option(
            "--decimal", metavar="SIGN", help="Decimal sign: '.' or ',' [detected]."
        ),
        click.option(
            "--thousands",
            metavar="SIGN",
            help="What separates thousands: ',', '.', \"'\", blank or none [detected].",
        ),
        click.option("--encoding", metavar="NAME", help="Text encoding [detected]."),
        click.option("--sheet", metavar="NAME", help="Sheet of an Excel file [first]."),
    ),
)
columns = packed(
    ColumnOptions,
    "columns",
    adding(
        click.option("--target", metavar="COL", help="Class column [the last one]."),
        click.option("--drop", metavar="COL,COL", help="Leave these columns out."),
        click.option("--features", metavar="COL,COL", help="Use only these columns."),
        click.option(
            "--numeric", metavar="COL,COL", help="Treat these columns as numbers."
        ),
        click.option(
            "--nominal",
            metavar="COL,COL",
            help="Treat these columns as categories, even if they hold numbers.",
        ),
        click.option(
            "--missing",
            metavar="VALUE",
            multiple=True,
            help="A value that stands for a gap, such as -999; may be repeated.",
        ),
        click.option(
            "--dates",
            type=click.Choice(["day-first", "month-first"]),
            help="How to read dates such as 03/04/2020 [detected].",
        ),
        click.option(
            "--keep-marks",
            is_flag=True,
            help="Treat marks such as NA and - in the target as classes.",
        ),
        click.option(
            "--merge-labels",
            is_flag=True,
            help="Treat classes that differ only in capitals or blanks as one.",
        ),
    ),
)


def table(command: Callable[..., Any]) -> Callable[..., Any]:
    """Add the options on reading a table for training and on its columns."""
    return columns(reading(command))


def examples(*lines: str) -> str:
    """Return the end of a command's help; its first sign tells click not to wrap it."""
    return "\b\nExamples:\n" + "\n".join(f"  {line}" for line in lines)


def split_names(text: str | None) -> list[str]:
    """Return the names of a comma-separated list, each once."""
    names = [name.strip() for name in (text or "").split(",")]
    return list(dict.fromkeys(name for name in names if name))


def read_share(text: str) -> float:
    """Return a probability that is written as "0.2" or as "20%"."""
    if text.strip().endswith("%"):
        return float(text.strip()[:-1]) / 100
    return float(text)
