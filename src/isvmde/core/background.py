"""Long calls into compiled code that Ctrl-C and deadlines need not wait for."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from typing import TypeVar

from .solver import Stopped

Result = TypeVar("Result")

_PATIENCE = 0.1  # seconds; a wait without end cannot be interrupted everywhere


def run_in_background(
    function: Callable[[], Result],
    deadline: float | None = None,
    *,
    daemon: bool = False,
) -> Result:
    """Return ``function()``, computed by another thread while this one waits.

    After ``deadline`` (of `time.monotonic`) it raises `Stopped`. The other thread is
    left to end alone then, as it is after Ctrl-C; its result is dropped. Python waits
    for it when it exits, unless it is a ``daemon``: for what may take minutes. (Code in
    C++, SciPy's distances for one, aborts the process if it is cut off there.)

    Examples
    --------
    >>> run_in_background(lambda: 6 * 7)
    42
    """
    if _is_past(deadline):
        raise Stopped
    results: list[Result] = []
    errors: list[BaseException] = []

    def call() -> None:
        try:
            results.append(function())
        except BaseException as error:
            errors.append(error)
        finally:
            done.set()

    # Not by `join`: after an interrupt there, Python 3.11 takes the thread for ended.
    done = threading.Event()
    threading.Thread(target=call, daemon=daemon).start()
    while not done.wait(_PATIENCE):
        if _is_past(deadline):
            raise Stopped
    if errors:
        raise errors[0]
    return results[0]


def _is_past(deadline: float | None) -> bool:
    """Tell whether the time is over."""
    return deadline is not None and time.monotonic() >= deadline
