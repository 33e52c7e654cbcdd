"""Long calls into compiled code that Ctrl-C and deadlines need not wait for."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from typing import TypeVar

import numpy as np

from .solver import Stopped

Result = TypeVar("Result")

_PATIENCE = 0.1  # seconds; a wait without end cannot be interrupted everywhere


def run_in_background(
    function: Callable[[np.ndarray], Result],
    deadline: float | None = None,
    *,
    short: bool = False,
) -> Result:
    """Return ``function(stop)``, computed by another thread while this one waits.

    After ``deadline`` (of `time.monotonic`) it raises `Stopped`. The other thread is
    left alone then, as it is after Ctrl-C, and its result is dropped; the flag ``stop``
    becomes 1 and should make it end soon, because Python waits for it when it exits.
    (Compiled code that is cut off there may crash.) What is ``short`` is computed here.

    Examples
    --------
    >>> run_in_background(lambda stop: 6 * 7)
    42
    """
    if _is_past(deadline):
        raise Stopped
    stop = np.zeros(1, np.int64)
    if short:
        return function(stop)
    results: list[Result] = []
    errors: list[BaseException] = []
    done = threading.Event()

    def call() -> None:
        try:
            results.append(function(stop))
        except BaseException as error:
            errors.append(error)
        finally:
            done.set()

    try:
        threading.Thread(target=call).start()
        # Not by `join`: interrupted there, Python 3.11 takes the thread as ended.
        while not done.wait(_PATIENCE):
            if _is_past(deadline):
                raise Stopped
    except BaseException:
        stop[0] = 1
        raise
    if errors:
        raise errors[0]
    return results[0]


def _is_past(deadline: float | None) -> bool:
    """Tell whether the time is over."""
    return deadline is not None and time.monotonic() >= deadline
