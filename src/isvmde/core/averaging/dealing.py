"""Deal rows: who learns what, and who judges it.

Whatever is drawn depends on what is in the rows and on how large classes are, not on
the order of the rows or the names of the classes. Rows of a group stay together.
"""

from typing import NamedTuple

import numpy as np

from ..arrays import Bools, Ints
from ..training_set import TrainingSet


class Units(NamedTuple):
    """What is dealt: groups, or rows where every row is its own group."""

    of_row: Ints  # (n,) the unit of every row
    class_rank: Ints  # (units,) rank of the smallest class among its rows
    order: Ints  # (units,) all units, by that class and then by their first row in it


def list_units(data: TrainingSet) -> Units:
    """List what is dealt."""
    rank = data.class_rank[data.label]
    if data.group is None:
        rows = np.arange(len(data.X))
        return Units(rows, rank, np.argsort(rank, kind="stable"))
    _, of_row = np.unique(data.group, return_inverse=True)
    n_units = int(of_row.max()) + 1
    smallest = np.full(n_units, data.n_classes)
    np.minimum.at(smallest, of_row, rank)
    first = np.full(n_units, len(of_row))
    own = np.flatnonzero(rank == smallest[of_row])
    np.minimum.at(first, of_row[own], own)
    return Units(of_row, smallest, np.lexsort((first, smallest)))


def deal(data: TrainingSet, n_parts: int, seed: int) -> Ints:
    """Return the part, 0 to n_parts - 1, of every row; classes are dealt evenly.

    Examples
    --------
    >>> import numpy as np
    >>> from isvmde.core.training_set import training_set
    >>> y = np.repeat([0, 1], [6, 3])
    >>> data = training_set(np.arange(9.0)[:, None], y, np.ones(9), 2)
    >>> part = deal(data, 3, seed=0)
    >>> np.bincount(part[:6]).tolist(), np.bincount(part[6:]).tolist()
    ([2, 2, 2], [1, 1, 1])
    """
    units = list_units(data)
    part = np.empty(len(units.order), dtype=int)
    rank_in_order = units.class_rank[units.order]
    for rank in range(data.n_classes):
        own = units.order[rank_in_order == rank]
        random = np.random.default_rng([seed, rank])
        first = int(random.integers(n_parts))
        part[random.permutation(own)] = (first + np.arange(len(own))) % n_parts
    return part[units.of_row]


def draw_halves(n_parts: int, n_draws: int, seed: int) -> Bools:
    """Return which parts are present in every draw, (draws, parts).

    Half of them are, and the other half in the next draw: over an even number of draws
    every part is present as often as it is absent.
    """
    random = np.random.default_rng(seed)
    present = np.zeros((n_draws, n_parts), dtype=bool)
    for k in range(0, n_draws, 2):
        chosen = random.permutation(n_parts)[: n_parts // 2]
        present[k, chosen] = True
        present[k + 1 : k + 2] = ~present[k]
    return present


def draw_rows(data: TrainingSet, quota: int, seed: tuple[int, ...]) -> Ints:
    """Return rows, ascending: at least ``quota`` of every class, or all it has.

    Without groups it is exactly the quota. Whole groups are more, at most twice the
    quota: of larger groups some rows are drawn, and what is not stands aside.
    """
    everything = np.ones(len(data.X), dtype=bool)
    if data.group is None:
        chosen = _draw_among(data, everything, quota, seed)
    else:
        whole = _draw_groups(data, list_units(data), quota, seed)
        chosen = _draw_among(data, whole, 2 * quota, (*seed, 1))
    return np.flatnonzero(chosen)


def _draw_among(
    data: TrainingSet, allowed: Bools, most: int, seed: tuple[int, ...]
) -> Bools:
    """Return a mask of at most ``most`` rows of every class, among those allowed."""
    rank = data.class_rank
    chosen = np.zeros(len(data.X), dtype=bool)
    for c in range(data.n_classes):
        own = data.class_start[c] + np.flatnonzero(allowed[data.rows(c)])
        if len(own) > most:
            random = np.random.default_rng([*seed, int(rank[c])])
            own = own[random.choice(len(own), most, replace=False)]
        chosen[own] = True
    return chosen


def _draw_groups(
    data: TrainingSet, units: Units, quota: int, seed: tuple[int, ...]
) -> Bools:
    """Return a mask of whole groups, enough for the quota of every class."""
    by_rank = np.argsort(data.class_rank)
    taken = np.zeros(len(units.order), dtype=bool)
    for rank, c in enumerate(by_rank):
        rows_of_unit = np.bincount(units.of_row[data.rows(c)], minlength=len(taken))
        missing = quota - int(rows_of_unit[taken].sum())
        random = np.random.default_rng([*seed, rank])
        left = random.permutation(units.order)
        left = left[~taken[left] & (rows_of_unit[left] > 0)]
        before = np.cumsum(rows_of_unit[left]) - rows_of_unit[left]
        taken[left[before < missing]] = True
    return taken[units.of_row]
