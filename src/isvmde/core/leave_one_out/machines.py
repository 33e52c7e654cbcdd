"""The machines that carry weight, and what they decide together."""

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Self

import numpy as np

from ..arrays import Floats, Ints
from ..limits import bounded_rows
from ..solver import DISTANCE, LANES, MINIMUM, SUPPORT, mean_decisions
from ..views import VALUES, WEIGHTED, Views
from .settings import Setting, Solved, Task

_ROWS_PER_THREAD = 64  # fewer are not worth a thread
_ROWS_AT_ONCE = 2_000  # so many the calling thread may do before it hears Ctrl-C


@dataclass(frozen=True)
class Machines:
    """Trained machines of all pairs, sorted by the kernel they share."""

    rows: np.ndarray  # (R, d) training rows that support some machine
    given: np.ndarray  # (R,) their places among the rows given to fit
    label: np.ndarray  # (R,) their classes
    views: Views  # what kernels see
    kernel_setting: np.ndarray  # (Q,) a setting of every distinct kernel
    kernel_rows: np.ndarray  # (Q, 2) the first of the rows that it needs, and the end
    kernel_start: np.ndarray  # (Q + 1,) its machines are those from [q] to [q + 1]
    setting: np.ndarray  # (K,) of every machine
    pair: np.ndarray  # (K,)
    weight: np.ndarray  # (K,)
    intercept: np.ndarray  # (K,)
    start: np.ndarray  # (K + 1,) its support vectors are those from [k] to [k + 1]
    index: np.ndarray  # (T,) rows of the support vectors
    beta: np.ndarray  # (T,) their multipliers

    def decide(
        self, X: np.ndarray, settings: Sequence[Setting], n_pairs: int, n_threads: int
    ) -> np.ndarray:
        """Return m = sum_s w_s tanh f_s, (n, pairs); zero for pairs without machine."""
        own = [settings[s] for s in self.kernel_setting]
        kernels = [setting.for_solver for setting in own]
        largest = float(np.abs(self.rows).max(initial=1.0))
        total = float(np.abs(self.beta).sum())
        for kernel in set(kernels):
            X = bounded_rows(X, kernel, largest, total)
        keys = [_seen(setting) for setting in own]
        views = list(dict.fromkeys(keys))
        rows = np.stack(self.views.see_all(self.rows, views))
        seen = np.stack(self.views.see_all(X, views))
        stop = np.zeros(1, np.int64)
        table = (
            np.array([views.index(key) for key in keys], np.int64),
            np.array([kernel.base for kernel in kernels], np.int64),
            np.array([kernel.function for kernel in kernels], np.int64),
            np.array([kernel.parameter for kernel in kernels], float),
            *(self.kernel_rows, self.kernel_start, self.pair, self.weight),
            *(self.intercept, self.start, self.index, self.beta, stop),
        )
        most = int(np.diff(self.kernel_rows).max())
        out = np.zeros((len(X), n_pairs))

        def run(part: slice) -> None:
            here = np.ascontiguousarray(seen[:, part])
            scratch = np.empty(2 * LANES * (most + 1))
            lanes = np.empty((rows.shape[2], LANES))
            mean_decisions(here, rows, table, scratch, lanes, out[part])

        n_threads = max(1, min(n_threads, len(X) // _ROWS_PER_THREAD))
        if n_threads == 1 and len(X) <= _ROWS_AT_ONCE:
            run(slice(None))
            return out
        ends = np.linspace(0, len(X), n_threads + 1).astype(int)
        with ThreadPoolExecutor(n_threads) as pool:
            try:
                list(pool.map(run, [slice(a, b) for a, b in pairwise(ends)]))
            except BaseException:
                stop[0] = 1
                raise
        return out

    def kept(self, keep: np.ndarray) -> Self:
        """Return the machines that a mask keeps, with the rows that support them."""
        sizes = np.diff(self.start)
        inside = np.repeat(keep, sizes)
        occurs = np.zeros(len(self.rows), dtype=bool)
        occurs[self.index[inside]] = True
        occurs[0] |= not occurs.any()  # no support vector at all: keep the shapes
        used, place = np.flatnonzero(occurs), np.cumsum(occurs) - 1
        n_machines = np.add.reduceat(keep, self.kernel_start[:-1], dtype=int)
        there = n_machines > 0
        of_rows, of_machines = ("rows", "given", "label"), ("setting", "pair", "weight")
        return replace(
            self,
            **{name: getattr(self, name)[used] for name in of_rows},
            **{name: getattr(self, name)[keep] for name in of_machines},
            intercept=self.intercept[keep],
            kernel_setting=self.kernel_setting[there],
            kernel_rows=np.searchsorted(used, self.kernel_rows[there]),
            kernel_start=np.append(0, np.cumsum(n_machines[there])),
            start=np.append(0, np.cumsum(sizes[keep])),
            index=place[self.index[inside]],
            beta=self.beta[inside],
        )


def _seen(setting: Setting) -> tuple[str, int]:
    """Return the view and a base, the same for bases that see the same numbers."""
    by_value = setting.view in (VALUES, WEIGHTED[VALUES])
    from_origin = by_value and setting.for_solver.base == MINIMUM
    return setting.view, MINIMUM if from_origin else DISTANCE


def keep_machines(
    task: Task, solved: Solved, weights: np.ndarray, rows: list[np.ndarray]
) -> Machines:
    """Return the machines of positive weight; pair p was solved on ``rows[p]``."""
    data, settings = task.data, task.settings
    at, sizes = np.concatenate(rows), [len(own) for own in rows]
    first = np.cumsum([0, *sizes[:-1]])
    # kernels with one base are neighbours, and so are machines with one kernel
    keys = [(one.view, *one.for_solver) for one in settings]
    order = np.array(sorted(range(len(settings)), key=keys.__getitem__))
    cost = np.array([(settings[s].C_pos, settings[s].C_neg) for s in order])
    full, wanted = solved.beta[order], weights[order] > 0.0
    box = np.where(full > 0, cost[:, :1], cost[:, 1:]) * data.weight[at]
    largest = np.maximum.reduceat(np.abs(full), first, axis=1)
    least = SUPPORT * np.minimum(box, np.repeat(largest, sizes, axis=1))
    used = (np.abs(full) > least) & np.repeat(wanted, sizes, axis=1)
    length = np.add.reduceat(used, first, axis=1, dtype=int)[wanted]
    place, pair = np.nonzero(wanted)
    setting = order[place]
    kernel = [keys[s] for s in setting]
    new = [k for k, key in enumerate(kernel) if k == 0 or key != kernel[k - 1]]
    whole = Machines(
        rows=data.X,
        given=data.first_given,
        label=data.label,
        views=data.views,
        kernel_setting=setting[new],
        kernel_rows=np.tile([0, len(data.X)], (len(new), 1)),
        kernel_start=np.append(new, len(setting)),
        setting=setting,
        pair=pair,
        weight=weights[setting, pair],
        intercept=solved.intercept[setting, pair],
        start=np.append(0, np.cumsum(length)),
        index=at[np.nonzero(used)[1]],
        beta=full[used],
    )
    return whole.kept(whole.weight > 0.0)


def joined(trained: list[Machines], settings: Ints, weights: Floats) -> Machines:
    """Return machines of one setting each as one, without those of weight zero."""
    together = {
        name: np.concatenate([getattr(one, name) for one in trained])
        for name in ("rows", "given", "label", "pair", "intercept", "index", "beta")
    }
    sizes = [(len(one.rows), len(one.pair), len(one.beta)) for one in trained]
    n_rows, n_machines, n_support = np.cumsum([(0, 0, 0), *sizes], axis=0).T
    together["index"] += np.repeat(n_rows[:-1], np.diff(n_support))
    lengths = np.concatenate([np.diff(one.start) for one in trained])
    setting = np.repeat(settings, np.diff(n_machines))
    whole = Machines(
        **together,
        views=trained[0].views,
        kernel_setting=settings,
        kernel_rows=np.column_stack([n_rows[:-1], n_rows[1:]]),
        kernel_start=n_machines,
        setting=setting,
        weight=weights[setting, together["pair"]],
        start=np.append(0, np.cumsum(lengths)),
    )
    return whole.kept(whole.weight > 0.0)
