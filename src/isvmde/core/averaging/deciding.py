"""What averaged machines decide on new rows."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import pairwise
from typing import NamedTuple, Self

import numpy as np

from ..arrays import Bools, Floats, Ints
from ..kernels import Kernel
from ..limits import bounded_rows
from ..parallel import Threads
from ..solver import (
    DISTANCE,
    LANES,
    MINIMUM,
    KernelTable,
    MachineTable,
    check_columns,
    mean_decisions,
)
from ..views import VALUES, WEIGHTED, Sight
from .machines import Machines
from .settings import Setting

_ROWS_PER_THREAD = 64  # fewer are not worth a thread
_NUMBERS_AT_ONCE = 4_000_000  # of rows as kernels see them
_ROWS_AT_ONCE = 2_000  # so many the calling thread may do before it hears Ctrl-C


@dataclass(frozen=True)
class Decider:
    """Machines, and their rows as kernels see them."""

    machines: Machines
    settings: Sequence[Setting]
    sights: list[Sight]  # what some kernel sees
    known: Floats  # (sights, R, d) the machines' rows
    n_columns: int  # of decisions
    n_threads: int

    def look(self, X: Floats) -> Floats:
        """Return new rows as kernels see them, (sights, n, d)."""
        machines = self.machines
        largest = float(np.abs(machines.rows).max(initial=1.0))
        total = float(np.abs(machines.beta).sum())
        for kernel in set(self._kernels):
            X = bounded_rows(X, kernel, largest, total)
        return np.stack(machines.views.see_all(X, self.sights))

    @property
    def _kernels(self) -> list[Kernel]:
        """The distinct kernels, in the order of the table."""
        return [self.settings[s].for_solver for s in self.machines.kernel_setting]

    @cached_property
    def _supporting(self) -> "_SupportingRows":
        """The rows whose kernel values are needed, the same for all new rows."""
        return _supporting_rows(self.machines)

    def some(self, keep: Bools) -> Self:
        """Return what decides with the machines of a mask."""
        return replace(self, machines=self.machines.some(keep))

    def with_weights(self, weights: Floats) -> Self:
        """Return what decides with other weights, (settings, pairs)."""
        return replace(self, machines=self.machines.with_weights(weights))

    def blocks(self, n: int) -> list[slice]:
        """Return which of ``n`` rows to look at at a time: memory stays bounded."""
        n_sights, _, n_features = self.known.shape
        size = max(LANES, _NUMBERS_AT_ONCE // max(1, n_sights * n_features))
        return [slice(first, min(first + size, n)) for first in range(0, n, size)]

    def decide_rows(self, X: Floats) -> Floats:
        """Return m of new rows, (n, columns), block by block."""
        out = np.zeros((len(X), self.n_columns))
        for some in self.blocks(len(X)):
            out[some] = self.decide(self.look(X[some]))
        return out

    def decide(self, seen: Floats) -> Floats:
        """Return m = sum_s w_s tanh f_s, (n, columns), of rows that `look` returned.

        It is zero where there is no machine.
        """
        machines, n = self.machines, seen.shape[1]
        check_columns(self.known, seen)
        out = np.zeros((n, self.n_columns))
        if not len(machines.pair):
            return out
        kernels = self._kernels
        sights = [_shared(self.settings[s].sight) for s in machines.kernel_setting]
        supporting = self._supporting
        n_threads = max(1, min(self.n_threads, n // _ROWS_PER_THREAD))
        threads = Threads(n_threads)
        kernel_table = KernelTable(
            of_view=np.array([self.sights.index(sight) for sight in sights], np.int64),
            base=np.array([kernel.base for kernel in kernels], np.int64),
            function=np.array([kernel.function for kernel in kernels], np.int64),
            parameter=np.array([kernel.parameter for kernel in kernels], float),
            rows=machines.kernel_rows,
            needed=supporting.needed,
            first_needed=supporting.first_needed,
            first_machine=machines.kernel_start,
        )
        machine_table = MachineTable(
            column=machines.pair,
            weight=machines.weight,
            intercept=machines.intercept,
            start=machines.start,
            support=supporting.place,
            beta=machines.beta,
        )
        most = int(np.diff(machines.kernel_rows).max())

        def decide_part(part: slice) -> None:
            here = np.ascontiguousarray(seen[:, part])
            scratch = np.empty(2 * LANES * (most + 1))
            lanes = np.empty((seen.shape[2], LANES))
            mean_decisions(
                here,
                self.known,
                kernel_table,
                machine_table,
                scratch,
                lanes,
                threads.stop,
                out[part],
            )

        ends = np.linspace(0, n, n_threads + 1).astype(int)
        parts = [slice(begin, end) for begin, end in pairwise(ends)]
        with threads:
            threads.map(decide_part, parts, short=n <= _ROWS_AT_ONCE)
        return out


class _SupportingRows(NamedTuple):
    """The rows whose kernel values are needed, kernel by kernel."""

    needed: Ints  # (S,) rows, counted from the first of their kernel
    first_needed: Ints  # (Q + 1,) those of kernel q are from [q] to [q + 1]
    place: Ints  # (T,) of every support vector among its kernel's


def _supporting_rows(machines: Machines) -> _SupportingRows:
    """List, for every kernel, the rows that support some of its machines."""
    first_row, end_row = machines.kernel_rows.T
    n_rows = np.cumsum(np.concatenate([[0], end_row - first_row]))
    n_support = np.diff(machines.start[machines.kernel_start])
    # all rows of the first kernel, those of the second, and so on, in one line
    in_line = machines.index + np.repeat(n_rows[:-1] - first_row, n_support)
    is_needed = np.zeros(n_rows[-1], dtype=bool)
    is_needed[in_line] = True
    n_before = np.concatenate([[0], np.cumsum(is_needed)])
    first_needed = n_before[n_rows]
    needed = np.flatnonzero(is_needed)
    return _SupportingRows(
        needed=needed - np.repeat(n_rows[:-1], np.diff(first_needed)),
        first_needed=first_needed,
        place=n_before[in_line] - np.repeat(first_needed[:-1], n_support),
    )


def make_decider(
    machines: Machines, settings: Sequence[Setting], n_columns: int, n_threads: int
) -> Decider:
    """Return what decides with machines; ``n_columns`` is the number of pairs."""
    machines.check(n_columns)  # what is taken of them later points nowhere else
    own = [_shared(settings[s].sight) for s in machines.kernel_setting]
    sights = list(dict.fromkeys(own)) or [Sight(VALUES, DISTANCE)]
    return Decider(
        machines=machines,
        settings=settings,
        sights=sights,
        known=np.stack(machines.views.see_all(machines.rows, sights)),
        n_columns=n_columns,
        n_threads=n_threads,
    )


def _shared(sight: Sight) -> Sight:
    """Return the same sight for bases that see the same numbers."""
    by_value = sight.view in (VALUES, WEIGHTED[VALUES])
    from_origin = by_value and sight.base == MINIMUM
    return sight._replace(base=MINIMUM if from_origin else DISTANCE)
