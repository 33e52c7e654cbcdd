"""One writer per benchmark directory, by a lock the system drops with its process."""

from __future__ import annotations

import os
from pathlib import Path
from typing import IO


class StoreError(ValueError):
    """The results cannot be written or read; the message says what to do."""


class DirectoryInUseError(StoreError):
    """Another run is writing into the benchmark directory."""


def take_lock(directory: Path) -> IO[str]:
    """Hold the directory until the returned file is closed; refuse a second holder.

    The lock belongs to the open file, so one left by a dead process blocks nobody.
    """
    file = (directory / "run.lock").open("a+")
    try:
        _lock(file)
    except OSError as error:
        file.seek(0)
        holder = file.read().strip() or "unknown"
        file.close()
        raise DirectoryInUseError(
            f"another run (process {holder}) is writing into {directory}: wait for it "
            "to end or choose another directory"
        ) from error
    file.truncate(0)
    file.write(str(os.getpid()))
    file.flush()
    return file


def _lock(file: IO[str]) -> None:
    """Lock the file or raise OSError at once."""
    if os.name == "nt":  # pragma: no cover
        import msvcrt

        # Locked far beyond the text, so that a refused run can read who holds it.
        file.seek(1 << 20)
        msvcrt.locking(file.fileno(), msvcrt.LK_NBLCK, 1)  # type: ignore[attr-defined]
    else:
        import fcntl

        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
