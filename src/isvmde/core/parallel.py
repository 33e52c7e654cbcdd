"""Threads for long computations, which Ctrl-C and deadlines need not wait for.

Compiled functions release the GIL, so threads share the work of a fit. The thread that
asked for it only waits, in slices, and is therefore free to be interrupted; what it
leaves behind is told by a flag to give up. Every pool of threads in this library is a
`Threads`.
"""

import time
from collections.abc import Callable, Iterable
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from typing import Self, TypeVar

import numpy as np

from .arrays import Ints

Item = TypeVar("Item")
Result = TypeVar("Result")

_PATIENCE = 0.1  # seconds; a wait without end cannot be interrupted everywhere


class Stopped(Exception):
    """A deadline or somebody else ended a computation before it was done."""


class Threads:
    """Threads that compute while the calling thread waits for all of them.

    If one item fails, the deadline passes or Ctrl-C is pressed, the flag ``stop``
    becomes 1, nothing else is begun, and the error is raised at once. What runs already
    is left alone and its result is dropped; functions that take long should look at
    ``stop`` and end soon, because Python waits for them when it exits. (Compiled code
    that is cut off there may crash.)

    Parameters
    ----------
    n_threads : int, default=1
        How many items are computed at a time.
    stop : ndarray of shape (1,) or None, default=None
        A flag shared with others, who may set it as well; by default one of its own.

    Examples
    --------
    >>> from isvmde.core.parallel import Threads
    >>> with Threads(2) as threads:
    ...     threads.map(abs, [-1, -2, 3])
    [1, 2, 3]
    """

    def __init__(self, n_threads: int = 1, stop: Ints | None = None) -> None:
        self.n_threads = n_threads
        self.stop: Ints = np.zeros(1, np.int64) if stop is None else stop
        self._owns_flag = stop is None
        self._pool = ThreadPoolExecutor(n_threads)  # starts a thread when it is needed

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()

    def close(self) -> None:
        """Take no more work; who is idle ends now, the others when they are done."""
        self._pool.shutdown(wait=False, cancel_futures=True)

    def restart(self) -> None:
        """Wait for what was left alone, then be ready again.

        For those whose functions write to memory that is used again. A flag that is
        shared with others stays as it is.
        """
        self._pool.shutdown(cancel_futures=True)
        if self._owns_flag:
            self.stop[0] = 0
        self._pool = ThreadPoolExecutor(self.n_threads)

    def run(
        self,
        function: Callable[[], Result],
        *,
        deadline: float | None = None,
        short: bool = False,
    ) -> Result:
        """Return what ``function()`` does; the options are those of `map`."""
        return self.map(lambda _: function(), [None], deadline=deadline, short=short)[0]

    def map(
        self,
        function: Callable[[Item], Result],
        items: Iterable[Item],
        *,
        deadline: float | None = None,
        short: bool = False,
        on_result: Callable[[int], None] | None = None,
    ) -> list[Result]:
        """Return what the function makes of every item, in their order.

        Parameters
        ----------
        function : callable
            Gets an item. Its results may not depend on who computes what, and when.
        items : iterable
            What to compute with; the first ones are begun first.
        deadline : float, optional
            A time of `time.monotonic` after which `Stopped` is raised.
        short : bool, default=False
            Whether Ctrl-C may wait for all of it: then a single thread is not worth its
            start, and the caller computes.
        on_result : callable, optional
            Called by the calling thread with the position of every item that is done.

        Raises
        ------
        Stopped
            If the deadline passed, or somebody set a flag that is shared.
        """
        if _is_over(deadline) or self.stop[0] != 0:
            raise Stopped
        if short and self.n_threads == 1:
            results = []
            for position, item in enumerate(items):
                results.append(function(item))
                if on_result is not None:
                    on_result(position)
        else:
            results = self._map_in_pool(function, items, deadline, on_result)
        if self.stop[0] != 0:  # what was cut off is not a result
            raise Stopped
        return results

    def _map_in_pool(
        self,
        function: Callable[[Item], Result],
        items: Iterable[Item],
        deadline: float | None,
        on_result: Callable[[int], None] | None,
    ) -> list[Result]:
        """Hand the items to the threads and wait, until all are done or one fails."""
        positions: dict[Future[Result], int] = {}
        errors: list[BaseException] = []  # the first is why the others ended

        def compute(item: Item) -> Result:
            if self.stop[0] != 0:
                raise Stopped
            try:
                return function(item)
            except BaseException as error:
                errors.append(error)
                self.stop[0] = 1
                raise

        try:
            for position, item in enumerate(items):
                positions[self._pool.submit(compute, item)] = position
            waiting = set(positions)
            while waiting:
                done, waiting = wait(waiting, _PATIENCE, FIRST_COMPLETED)
                if errors:
                    raise errors[0]
                if self.stop[0] != 0 or (waiting and _is_over(deadline)):
                    raise Stopped
                if on_result is not None:
                    for position in sorted(positions[future] for future in done):
                        on_result(position)
        except BaseException:
            self.stop[0] = 1
            for future in positions:
                future.cancel()
            raise
        return [future.result() for future in positions]


def _is_over(deadline: float | None) -> bool:
    """Tell whether the deadline has passed."""
    return deadline is not None and time.monotonic() >= deadline
