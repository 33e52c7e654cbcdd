"""The machines that carry weight, and what they decide together."""

from __future__ import annotations

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from itertools import pairwise

import numpy as np

from ..limits import bounded_rows
from ..solver import DISTANCE, LANES, MINIMUM, SUPPORT, mean_decisions
from ..training_set import TrainingSet
from ..views import RANKS, WEIGHTED, Views
from .settings import Setting
from .solving import SolvedSettings

_ROWS_PER_THREAD = 64  # fewer are not worth a thread
_ROWS_AT_ONCE = 2_000  # so many the calling thread may do before it hears Ctrl-C


@dataclass(frozen=True)
class Machines:
    """Trained machines of all pairs, sorted by the kernel they share.

    Attributes
    ----------
    rows : (R, d) training rows that support some machine
    given : (R,) their places among the rows given to fit
    label : (R,) their classes
    views : what kernels see
    kernel_setting : (Q,) a setting of every distinct kernel
    kernel_rows : (Q, 2) the first of ``rows`` that kernel q needs, and the end
    kernel_start : (Q + 1,) kernel q has the machines kernel_start[q] to ...[q + 1]
    setting : (K,) the setting of every machine
    pair : (K,) its pair
    weight, intercept : (K,)
    start : (K + 1,) machine k has the support vectors start[k] to start[k + 1]
    index, beta : rows and multipliers of the support vectors
    """

    rows: np.ndarray
    given: np.ndarray
    label: np.ndarray
    views: Views
    kernel_setting: np.ndarray
    kernel_rows: np.ndarray
    kernel_start: np.ndarray
    setting: np.ndarray
    pair: np.ndarray
    weight: np.ndarray
    intercept: np.ndarray
    start: np.ndarray
    index: np.ndarray
    beta: np.ndarray

    def decide(
        self,
        X: np.ndarray,
        settings: Sequence[Setting],
        n_pairs: int,
        *,
        n_threads: int = 1,
    ) -> np.ndarray:
        """Return m = sum_s w_s tanh f_s of every pair, (n, pairs).

        Zero for pairs without a machine. The arithmetic of a row does not depend on
        the others.
        """
        out = np.zeros((len(X), n_pairs))
        X = self._bounded(X, settings)
        kernels = [settings[s].for_solver for s in self.kernel_setting]
        names = [settings[s].view for s in self.kernel_setting]
        keys = [seen_view(n, k.base) for n, k in zip(names, kernels, strict=True)]
        views = list(dict.fromkeys(keys))
        columns = (
            np.array([views.index(key) for key in keys], np.int64),
            np.array([kernel.base for kernel in kernels], np.int64),
            np.array([kernel.function for kernel in kernels], np.int64),
            np.array([kernel.parameter for kernel in kernels], float),
            self.kernel_rows,
            self.kernel_start,
        )
        most = int(np.diff(self.kernel_rows).max())
        rows = np.stack(self.views.see_all(self.rows, views))
        seen = np.stack(self.views.see_all(X, views))
        stop = np.zeros(1, np.int64)

        def run(part: slice) -> None:
            scratch = np.empty(2 * LANES * (most + 1))
            mean_decisions(
                np.ascontiguousarray(seen[:, part]),
                rows,
                *columns,
                self.pair,
                self.weight,
                self.intercept,
                self.start,
                self.index,
                self.beta,
                stop,
                scratch,
                np.empty((rows.shape[2], LANES)),
                out[part],
            )

        n_threads = max(1, min(n_threads, len(X) // _ROWS_PER_THREAD))
        ends = np.linspace(0, len(X), n_threads + 1).astype(int)
        parts = [slice(a, b) for a, b in pairwise(ends)]
        if n_threads == 1 and len(X) <= _ROWS_AT_ONCE:
            run(parts[0])
            return out
        with ThreadPoolExecutor(n_threads) as pool:
            try:
                for thread in [pool.submit(run, part) for part in parts]:
                    thread.result()
            except BaseException:
                stop[0] = 1
                raise
        return out

    def of_pairs(self, wanted: np.ndarray) -> Machines:
        """Return the machines of some pairs, with the rows that support them."""
        keep = wanted[self.pair]
        sizes = np.diff(self.start)
        inside = np.repeat(keep, sizes)
        used, index = _compact(self.index[inside], len(self.rows))
        n_kernels = len(self.kernel_setting)
        kernel = np.repeat(np.arange(n_kernels), np.diff(self.kernel_start))
        count = np.bincount(kernel[keep], minlength=n_kernels)
        there = count > 0
        return replace(
            self,
            rows=self.rows[used],
            given=self.given[used],
            label=self.label[used],
            kernel_setting=self.kernel_setting[there],
            kernel_rows=np.searchsorted(used, self.kernel_rows[there]),
            kernel_start=np.append(0, np.cumsum(count[there])),
            setting=self.setting[keep],
            pair=self.pair[keep],
            weight=self.weight[keep],
            intercept=self.intercept[keep],
            start=np.append(0, np.cumsum(sizes[keep])),
            index=index,
            beta=self.beta[inside],
        )

    def _bounded(self, X: np.ndarray, settings: Sequence[Setting]) -> np.ndarray:
        """Return rows with values so large that decisions would overflow cut off."""
        largest = float(np.abs(self.rows).max(initial=1.0))
        total = float(np.abs(self.beta).sum())
        for kernel in {settings[s].for_solver for s in self.kernel_setting}:
            X = bounded_rows(X, kernel, largest, total)
        return X


def _compact(index: np.ndarray, n_rows: int) -> tuple[np.ndarray, np.ndarray]:
    """Return which rows occur, in order, and the places of ``index`` among them."""
    occurs = np.zeros(n_rows, dtype=bool)
    occurs[index] = True
    occurs[0] |= not occurs.any()  # no support vector at all: keep the shapes
    place = np.cumsum(occurs) - 1
    return np.flatnonzero(occurs), place[index].astype(np.int64)


def seen_view(view: str, base: int) -> tuple[str, int]:
    """Return the view and a base, the same for bases that see the same numbers."""
    by_rank = view in (RANKS, WEIGHTED[RANKS])
    return view, MINIMUM if base == MINIMUM and not by_rank else DISTANCE


def sort_key(setting: Setting) -> tuple[str, int, int, float]:
    """Return what makes kernels with one base neighbours, and equal ones equal."""
    kernel = setting.for_solver
    return setting.view, kernel.base, kernel.function, kernel.parameter


def keep_machines(
    data: TrainingSet,
    pairs: np.ndarray,
    settings: Sequence[Setting],
    solved: SolvedSettings,
    weights: np.ndarray,
) -> Machines:
    """Return the machines of positive weight with their support vectors."""
    C_pos = np.array([setting.C_pos for setting in settings])[:, None]
    C_neg = np.array([setting.C_neg for setting in settings])[:, None]
    machine, length, index, beta = [], [], [], []
    for p, pair in enumerate(pairs):
        rows = data.pair_rows(*pair)
        kept = np.flatnonzero(weights[:, p] > 0.0)
        full = solved.beta[p][kept]
        size = np.abs(full)
        box = np.where(full > 0, C_pos[kept], C_neg[kept]) * data.weight[rows]
        least = SUPPORT * np.minimum(box, size.max(axis=1, keepdims=True))
        used = size > least
        machine.append(np.column_stack([kept, np.full(len(kept), p)]))
        length.append(used.sum(axis=1))
        index.append(rows[np.nonzero(used)[1]])
        beta.append(full[used])
    s, p = np.concatenate(machine).T
    # kernels with one base are neighbours, and so are machines with one kernel
    ranked = {key: k for k, key in enumerate(sorted(map(sort_key, settings)))}
    rank = np.array([ranked[sort_key(setting)] for setting in settings])[s]
    order = np.lexsort((p, s, rank))
    s, p, rank = s[order], p[order], rank[order]
    new = np.flatnonzero(np.diff(rank, prepend=-1))
    sizes = np.concatenate(length)
    begin = (np.cumsum(sizes) - sizes)[order]
    sizes = sizes[order]
    start = np.concatenate([[0], np.cumsum(sizes)])
    place = np.repeat(begin - start[:-1], sizes) + np.arange(start[-1])
    used_rows, compact = _compact(np.concatenate(index), len(data.X))
    classes = np.repeat(np.arange(data.n_classes), np.diff(data.class_start))
    return Machines(
        rows=data.X[used_rows],
        given=data.first_given[used_rows],
        label=classes[used_rows],
        views=data.views,
        kernel_setting=s[new],
        kernel_rows=np.tile([0, len(used_rows)], (len(new), 1)),
        kernel_start=np.append(new, len(s)),
        setting=s,
        pair=p,
        weight=weights[s, p],
        intercept=solved.intercept[s, p],
        start=start,
        index=compact[place],
        beta=np.concatenate(beta)[place],
    )


def joined(
    trained: Sequence[Machines], settings: np.ndarray, weights: np.ndarray
) -> Machines:
    """Return the machines of one setting each as one, with ``weights``.

    ``trained[k]`` holds all pairs at setting ``settings[k]``. Machines of weight zero
    are left out, and so are rows that support none of the others.
    """
    kept = [k for k, s in enumerate(settings) if weights[s].any()]
    own = settings[kept]
    chosen = [trained[k].of_pairs(weights[settings[k]] > 0.0) for k in kept]
    parts = [
        replace(part, weight=weights[s, part.pair])
        for part, s in zip(chosen, own, strict=True)
    ]
    n_rows = np.cumsum([0] + [len(part.rows) for part in parts])
    n_machines = np.cumsum([0] + [len(part.pair) for part in parts])
    n_support = np.cumsum([0] + [len(part.index) for part in parts])

    def together(name: str) -> np.ndarray:
        return np.concatenate([getattr(part, name) for part in parts])

    starts = [part.start[:-1] + n for part, n in zip(parts, n_support, strict=False)]
    return Machines(
        rows=together("rows"),
        given=together("given"),
        label=together("label"),
        views=parts[0].views,
        kernel_setting=own,
        kernel_rows=np.column_stack([n_rows[:-1], n_rows[1:]]),
        kernel_start=n_machines,
        setting=np.repeat(own, np.diff(n_machines)),
        pair=together("pair"),
        weight=together("weight"),
        intercept=together("intercept"),
        start=np.append(np.concatenate(starts), n_support[-1]),
        index=np.concatenate(
            [part.index + n for part, n in zip(parts, n_rows, strict=False)]
        ),
        beta=together("beta"),
    )
