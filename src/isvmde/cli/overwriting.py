"""Where a command may write: never over a file it reads, nor over what would be lost.

A file that a command wrote earlier is replaced with a remark, because the same command
makes it again. Any other file that is there needs ``--force``.
"""

import os
import sys
import zipfile
from collections.abc import Callable, Iterable
from contextlib import suppress
from pathlib import Path

from isvmde.cli.output import say
from isvmde.cli.writing_tables import column_names


def check_output(
    path: Path,
    *,
    option: str,
    reads: Iterable[str | Path],
    made_here: Callable[[Path], bool],
    force: bool,
) -> None:
    """Refuse a file that must not or cannot be written, before the work for it is done.

    ``reads`` are the files of the command, "-" among them for standard input.
    ``made_here`` tells whether an existing file is one that this command makes.
    """
    check_can_be_written(path, option)
    check_is_not_read([path], reads, option)
    if not path.is_file():
        return
    if made_here(path):
        say(f"{path} already exists and will be replaced")
    elif not force:
        raise FileExistsError(
            f"{option} {path} already exists and was not written by this command: "
            "choose another name, or add --force to replace it"
        )


def check_can_be_written(path: Path, option: str) -> None:
    """Refuse a place where no file can be written."""
    folder = path.parent
    if path.is_dir():
        raise ValueError(f"{option} {path} is a directory; give a file's name")
    if not folder.is_dir():
        raise FileNotFoundError(
            f"the folder {folder} of {option} {path} does not exist; create it first"
        )
    # A new file is written beside the old one and takes its place. What is not a file,
    # as /dev/stdout, is written to as it is.
    needed = [folder]
    if path.exists():
        needed = [folder, path] if path.is_file() else [path]
    if not all(os.access(place, os.W_OK) for place in needed):
        raise PermissionError(
            f"{option} {path} cannot be written; choose another place"
        )


def check_is_not_read(
    written: Iterable[Path], reads: Iterable[str | Path], option: str
) -> None:
    """Refuse to write over a file that is read, however its path is spelled."""
    known = [status for status in map(_status, reads) if status is not None]
    for path in filter(Path.is_file, written):
        status = _status(path)
        if status is not None and any(
            os.path.samestat(status, other) for other in known
        ):
            raise ValueError(
                f"{option} {path} is a file that this command reads: choose another "
                "name"
            )


def check_report(files: list[Path], reads: Iterable[str | Path], force: bool) -> None:
    """Refuse to write a report over files that are not an earlier report's."""
    check_is_not_read(files, reads, "the report's file")
    there = [path for path in files if path.exists()]
    if there and not force and not is_report(files[0]):
        raise FileExistsError(
            f"{there[0]} already exists and is not part of a report: choose another "
            "--out, or add --force to replace it"
        )


def check_are_different(path: Path, option: str, others: Iterable[Path]) -> None:
    """Refuse one name for two files of a command."""
    if os.path.realpath(path) in map(os.path.realpath, others):
        raise ValueError(
            f"{option} {path} is another file that this command writes: choose another "
            "name"
        )


def _status(path: str | Path) -> os.stat_result | None:
    """Return what tells a file from every other, None if there is no file."""
    with suppress(OSError, ValueError):  # ValueError: a closed stream, or a NUL
        if str(path) != "-":
            return os.stat(path)
        if sys.stdin is not None:
            return os.fstat(sys.stdin.fileno())
    return None


def is_model(path: Path) -> bool:
    """Whether a file looks like what ``isvmde fit`` writes."""
    with suppress(OSError, zipfile.BadZipFile), zipfile.ZipFile(path) as archive:
        return "isvmde.json" in archive.namelist()
    return False


def is_predictions(path: Path) -> bool:
    """Whether a file looks like what ``isvmde predict`` writes.

    Somebody's own columns, such as comments, come behind the predictions.
    """
    names = column_names(path)
    if "prediction" not in names:
        return False
    behind = names[names.index("prediction") + 1 :]
    return all(name.startswith("proba_") for name in behind)


def is_report(path: Path) -> bool:
    """Whether a file looks like the ``report.html`` of ``isvmde report``."""
    with suppress(OSError), open(path, "rb") as file:
        return b'content="isvmde report"' in file.read(1000)
    return False
