"""The options that commands share, and checks of what is given before long work."""

import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import click

FILE = click.Path(path_type=Path)


def adding(*options: Callable[..., Any]) -> Callable[..., Any]:
    """Return a decorator that adds several options in this order."""

    def decorate(command: Callable[..., Any]) -> Callable[..., Any]:
        for option in reversed(options):
            command = option(command)
        return command

    return decorate


def _not_zero(_context: click.Context, _option: click.Parameter, jobs: int) -> int:
    """Refuse zero workers."""
    if jobs == 0:
        raise click.BadParameter("must not be 0; use -1 for all cores")
    return jobs


jobs = click.option(
    *("--jobs", "n_jobs"),
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
    help="Also build types of other packages that the file holds, such as "
    "scikit-learn's trees. Only for files that you or someone you trust made.",
)
seed = click.option("--seed", type=click.IntRange(0, 2**31 - 1), default=0)
folds = click.option("--folds", type=click.IntRange(2), default=5)
reading = adding(
    click.option("--sep", metavar="SIGN", help="Separator of columns [found]."),
    click.option("--decimal", metavar="SIGN", help="Decimal sign: '.' or ',' [found]."),
    click.option("--encoding", metavar="NAME", help="Encoding of text [found]."),
    click.option("--sheet", metavar="NAME", help="Sheet of an Excel file [first]."),
)
table = adding(
    click.option("--target", metavar="COL", help="Column of the classes [last]."),
    click.option("--drop", metavar="COL,COL", help="Leave these columns out."),
    click.option("--features", metavar="COL,COL", help="Use these columns alone."),
    click.option("--numeric", metavar="COL,COL", help="Take these as numbers."),
    click.option(
        "--nominal",
        metavar="COL,COL",
        help="Take these columns as categories, also numbers that are codes.",
    ),
    reading,
)


def examples(*lines: str) -> str:
    """Return the end of a command's help; its first sign tells click not to wrap it."""
    return "\b\nExamples:\n" + "\n".join(f"  {line}" for line in lines)


def split_names(text: str | None) -> list[str]:
    """Return the names of a comma-separated list, each once."""
    names = [name.strip() for name in (text or "").split(",")]
    return list(dict.fromkeys(name for name in names if name))


def check_output_file(path: Path, option: str = "-o") -> Path:
    """Refuse a file that could not be written, before the work for it is done."""
    folder = path.parent
    if path.is_dir():
        raise ValueError(f"{option} {path} is a directory; give a file's name")
    if not folder.is_dir():
        raise FileNotFoundError(
            f"the folder {folder} of {option} {path} does not exist; make it first"
        )
    if not os.access(path if path.exists() else folder, os.W_OK):
        raise PermissionError(
            f"{option} {path} cannot be written; choose another place"
        )
    return path
