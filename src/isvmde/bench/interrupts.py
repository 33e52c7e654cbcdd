"""Know that Ctrl-C was pressed, even where somebody else has caught it."""

from __future__ import annotations

import contextlib
import signal
import threading
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any


@dataclass
class Interrupts:
    """Whether an interrupt came."""

    seen: bool = False


@contextlib.contextmanager
def noting_interrupts() -> Iterator[Interrupts]:
    """Note an interrupt and raise KeyboardInterrupt, as without this.

    A search that is interrupted keeps its best model so far and returns as if it had
    ended; who called it may have to know.
    """
    interrupts = Interrupts()
    if threading.current_thread() is not threading.main_thread():
        yield interrupts  # signals reach the main thread alone
        return

    def note(number: int, frame: Any) -> None:
        interrupts.seen = True
        raise KeyboardInterrupt

    # SIGTERM counts only where it was made to interrupt, as the command line does.
    interrupting = [signal.SIGINT]
    if signal.getsignal(signal.SIGTERM) is signal.default_int_handler:
        interrupting.append(signal.SIGTERM)
    previous = {number: signal.signal(number, note) for number in interrupting}
    try:
        yield interrupts
    finally:
        for number, handler in previous.items():
            signal.signal(number, handler)
