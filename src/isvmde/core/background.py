"""Long calls into compiled code that Ctrl-C and deadlines need not wait for."""

import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor, wait
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
    end = float("inf") if deadline is None else deadline
    if time.monotonic() >= end:
        raise Stopped
    stop = np.zeros(1, np.int64)
    if short:
        return function(stop)
    pool = ThreadPoolExecutor(1)
    try:
        future = pool.submit(function, stop)
        while not wait([future], _PATIENCE).done:
            if time.monotonic() >= end:
                raise Stopped
    except BaseException:
        stop[0] = 1
        raise
    finally:
        pool.shutdown(wait=False)
    return future.result()
