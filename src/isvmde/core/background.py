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
    function: Callable[[], Result], deadline: float | None = None
) -> Result:
    """Return ``function()``, computed by another thread while this one waits.

    After ``deadline`` (of `time.monotonic`) it raises `Stopped`. The other thread is
    left to end alone then, as it is after Ctrl-C; its result is dropped.

    Examples
    --------
    >>> run_in_background(lambda: 6 * 7)
    42
    """
    results: list[Result] = []
    errors: list[BaseException] = []

    def call() -> None:
        try:
            results.append(function())
        except BaseException as error:
            errors.append(error)

    thread = threading.Thread(target=call, daemon=True)
    thread.start()
    while thread.is_alive():
        thread.join(_PATIENCE)
        if deadline is not None and time.monotonic() >= deadline:
            raise Stopped
    if errors:
        raise errors[0]
    return results[0]
