"""Bags: which settings are trained on which rows.

A table that the budget of work allows is one bag, and all settings are trained on all
of its rows. A larger one is drawn from: every few settings are trained on a sample of
their own, in which rare classes are whole and frequent ones have as many rows as the
budget allows. Just above the budget that is nearly all of them, so nothing jumps.

Where no class is rare, most of that work can be saved: samples are smaller, and the
settings that do best on them are trained again on larger ones. Rows that did not choose
judge them. Every class needs rows enough for that, twice those of a smaller
sample: settings that were chosen on all rows of a class have nothing to gain.
"""

from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from ..arrays import Ints
from ..training_set import TrainingSet
from ..views import Sight
from .dealing import draw_rows
from .settings import Setting


@dataclass(frozen=True)
class Budget:
    """How much work a fit may be.

    Work is the squared rows of a pair, summed over the pairs, of one setting, over the
    root of the number of pairs: more pairs may cost more, but not as many times more.
    """

    work: float = 2e6  # of a setting that is trained once
    first_work: float = 5e5  # of all settings, where the best are trained again
    second_work: float = 8e6  # of these
    n_chosen: int = 24
    growth: float = 2.0  # rows of every class, in smaller samples
    least_rows: int = 200  # of every class, where some choose and others judge
    settings_per_bag: int = 4


class Bag(NamedTuple):
    """Settings that are trained on the same rows."""

    rows: Ints  # of the training set, ascending
    settings: Ints


class BagPlan(NamedTuple):
    """All bags, and the rows that judge their machines."""

    bags: list[Bag]
    judges: Ints  # rows of the training set, ascending
    is_whole: bool  # whether the only bag has all rows
    only_chooses: bool  # whether the best settings are trained again, on more rows


def affordable_rows(n_rows: Ints, pairs: Ints, work: float) -> int:
    """Return the largest number of rows per class that a budget of work allows.

    Examples
    --------
    >>> import numpy as np
    >>> affordable_rows(np.array([5000, 10]), np.array([[1, 0]]), work=1e6)
    990
    """

    def work_of(quota: int) -> float:
        rows = np.minimum(n_rows, quota)[pairs].sum(axis=1).astype(float)
        return float((rows**2).sum()) / float(np.sqrt(len(pairs)))

    quotas = range(1, int(n_rows.max()) + 1)
    return max(1, bisect_right(quotas, work, key=work_of))


def plan_bags(
    data: TrainingSet,
    pairs: Ints,
    settings: Sequence[Setting],
    budget: Budget,
    seed: int,
) -> BagPlan:
    """Return the bags of all settings."""
    n_rows = np.diff(data.class_start)
    quota = affordable_rows(n_rows, pairs, budget.first_work)
    if n_rows.min() >= max(budget.least_rows, budget.growth * quota):
        choosers = draw_rows(data, quota, (seed, 0))
        if _leaves_judges(data, choosers, budget):
            first = _plan(data, settings, quota, choosers, budget, (seed, 1))
            return first._replace(only_chooses=True)
    quota = affordable_rows(n_rows, pairs, budget.work)
    judges = draw_rows(data, quota, (seed, 0))
    return _plan(data, settings, quota, judges, budget, (seed, 1))


def plan_larger_bags(
    data: TrainingSet,
    pairs: Ints,
    chosen: Sequence[Setting],
    have_chosen: Ints,
    budget: Budget,
    seed: int,
) -> BagPlan:
    """Return the bags of settings that rows ``have_chosen``; others judge them."""
    n_rows = np.diff(data.class_start)
    quota = affordable_rows(n_rows, pairs, budget.second_work)
    others = _strangers(data, have_chosen)
    some = draw_rows(data.some_rows(others), quota, (seed, 2))
    return _plan(data, chosen, quota, others[some], budget, (seed, 3))


def _leaves_judges(data: TrainingSet, choosers: Ints, budget: Budget) -> bool:
    """Tell whether every class has rows enough that do not choose.

    A few groups may hold a class, so that none is left when some of them have chosen.
    """
    left = _strangers(data, choosers)
    n_left = np.bincount(data.label[left], minlength=data.n_classes)
    return int(n_left.min()) >= budget.least_rows // 4


def _strangers(data: TrainingSet, rows: Ints) -> Ints:
    """Return all other rows of groups that none of these rows is of, ascending."""
    others = np.setdiff1d(np.arange(len(data.X)), rows, assume_unique=True)
    if data.group is None:
        return others
    return others[~np.isin(data.group[others], data.group[rows])]


def _plan(
    data: TrainingSet,
    settings: Sequence[Setting],
    quota: int,
    judges: Ints,
    budget: Budget,
    seed: tuple[int, int],
) -> BagPlan:
    """Return bags of at most ``quota`` rows of every class."""
    if quota >= np.diff(data.class_start).max():
        everything = np.arange(len(data.X))
        return BagPlan(
            bags=[Bag(everything, np.arange(len(settings)))],
            judges=judges,
            is_whole=True,
            only_chooses=False,
        )
    # settings that see the same share a sample, and with it what kernels are made of
    with_sight: dict[Sight, list[int]] = {}
    for s, setting in enumerate(settings):
        with_sight.setdefault(setting.sight, []).append(s)
    bags: list[Bag] = []
    for sight in sorted(with_sight):
        own = with_sight[sight]
        for first in range(0, len(own), budget.settings_per_bag):
            chosen = np.array(own[first : first + budget.settings_per_bag])
            rows = draw_rows(data, quota, (*seed, len(bags)))
            bags.append(Bag(rows, chosen))
    return BagPlan(bags, judges, is_whole=False, only_chooses=False)
