"""``python -m isvmde`` and the command ``isvmde``."""

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
    _fill_closed_streams()
    # An interrupt inside an import may leave a traceback, or be swallowed. Nothing is
    # to be kept yet: until a command begins, Ctrl-C ends the process at once.
    previous = _on_signals(_end_at_once)
    try:
        from isvmde.cli import run

        return run(arguments, lambda: _on_signals(signal.default_int_handler))
    except ImportError as error:
        if error.name != "click":
            raise
        need = "the command line needs the package click: install isvmde[cli]"
        print(f"isvmde: {need}", file=sys.stderr)
        return 2
    finally:
        for number, handler in previous.items():
            signal.signal(number, handler)


def _fill_closed_streams() -> None:
    """Stand in for standard streams that the caller closed, as with ``>&-``.

    Left closed, their numbers would go to the next files that are opened, and what is
    printed would end up in them.
    """
    for number in (0, 1, 2):
        try:
            os.fstat(number)
        except OSError:
            os.open(os.devnull, os.O_RDWR)  # takes the lowest free number
            os.set_inheritable(number, True)  # for worker processes
    sys.stdin = sys.stdin or os.fdopen(0, encoding="utf-8", closefd=False)
    sys.stdout = sys.stdout or os.fdopen(1, "w", encoding="utf-8", closefd=False)
    sys.stderr = sys.stderr or os.fdopen(2, "w", encoding="utf-8", closefd=False)


def _on_signals(handler: Any) -> dict[int, Any]:
    """Let Ctrl-C and a kill do this; return what they did before."""
    if threading.current_thread() is not threading.main_thread():
        return {}
    return {
        number: signal.signal(number, handler)
        for number in (signal.SIGINT, signal.SIGTERM)
        if signal.getsignal(number) is not signal.SIG_IGN  # as for a job with &
    }


def _end_at_once(number: int, frame: Any) -> None:
    """Say so, and leave without cleaning up what half an import has left."""
    os.write(2, b"isvmde: interrupted\n")
    os._exit(130)


if __name__ == "__main__":
    sys.exit(main())
