"""``python -m isvmde`` and the command ``isvmde``."""

from __future__ import annotations

import os
import signal
import sys
import threading
from collections.abc import Sequence
from typing import Any


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line and return its exit code.

    Examples
    --------
    >>> main(["--version"])
    isvmde 0...
    0
    """
    # An interrupt inside an import may leave a traceback, or be swallowed. Nothing is
    # to be kept yet: until a command begins, Ctrl-C ends the process at once.
    previous = {}
    if threading.current_thread() is threading.main_thread():
        for number in (signal.SIGINT, signal.SIGTERM):
            if signal.getsignal(number) is not signal.SIG_IGN:  # as for a job with &
                previous[number] = signal.signal(number, _end_at_once)
    try:
        return _run(arguments)
    finally:
        for number, handler in previous.items():
            signal.signal(number, handler)


def _run(arguments: Sequence[str] | None) -> int:
    """Run the command line if its packages are here."""
    try:
        import click  # noqa: F401
    except ImportError as error:
        print(
            f"isvmde: the command line needs the package {error.name}: install "
            "isvmde[cli]",
            file=sys.stderr,
        )
        return 2
    from isvmde.cli import run

    return run(arguments)


def _end_at_once(number: int, frame: Any) -> None:
    """Say so, and leave without cleaning up what half an import has left."""
    os.write(2, b"isvmde: interrupted\n")
    os._exit(130)


if __name__ == "__main__":
    sys.exit(main())
