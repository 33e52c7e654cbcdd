"""Files that are whole, old or absent, whatever happens while they are written."""

import contextlib
import os
import shutil
import uuid
from collections.abc import Iterator
from pathlib import Path


@contextlib.contextmanager
def replacing(path: str | Path) -> Iterator[Path]:
    """Give a path to write to; its file takes the place of ``path`` when complete.

    A link stays a link: the file it leads to is replaced. What is not a file, such as a
    pipe or ``/dev/stdout``, is written to as it is.
    """
    path = Path(path)
    if path.exists() and not path.is_file() and not path.is_dir():
        yield path
        return
    target = Path(os.path.realpath(path))
    partial = target.with_name(f".{target.name[:100]}.{uuid.uuid4().hex[:12]}.partial")
    try:
        yield partial
        with open(partial, "rb+") as file:
            os.fsync(file.fileno())
        if target.exists():
            shutil.copymode(target, partial)
        os.replace(partial, target)
        _sync_folder(target.parent)
    except OSError as error:
        reason = error.strerror or str(error)
        raise OSError(
            f"{path} could not be written ({reason}); what was there before is "
            "unchanged"
        ) from error
    finally:
        partial.unlink(missing_ok=True)


def write_file(path: str | Path, content: str | bytes) -> None:
    """Write a file of UTF-8 text or bytes in one step."""
    data = content.encode() if isinstance(content, str) else content
    with replacing(path) as partial:
        partial.write_bytes(data)


def _sync_folder(folder: Path) -> None:
    """Let the new name survive a power cut, where the system can do that."""
    with contextlib.suppress(OSError):  # Windows opens no folders
        descriptor = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)
