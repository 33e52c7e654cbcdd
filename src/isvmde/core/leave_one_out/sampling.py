"""Large tables: compare settings on a small sample, train the best on larger ones.

All settings are solved on one common sample, and leave-one-out says which are best.
Only these are solved again, each on a larger sample of its own. The very best then
choose their rows: what lies beyond the margin of a machine is no support vector of a
larger one either, so only the others, of the whole table, train it once more. A sample
holds rare classes whole; the others share what is left equally. Rows that a machine was
not trained on, and leave-one-out values of the others, weigh and calibrate it.
"""

from bisect import bisect_right
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any, Self

import numpy as np

from ..arrays import Floats, Ints
from ..training_set import TrainingSet
from . import average, weighing
from .average import Average, coupled, fit_margins, to_margin_scale, with_margins
from .machines import Machines, joined, keep_machines
from .settings import Setting, Solved, Task, by_pair
from .weighing import PairValues, Tuning, judge, pair_values, ranking_error

_SURE = 1.0 - 1e-15  # |tanh f|, where artanh is still a number
_MOST_FREE = 700  # free samples of a machine that is worth enlarging
_FACE = 2 * _MOST_FREE  # those up to which leave-one-out is exact once it is larger
_NEAR = np.tanh(1.2)  # rows beyond it support larger machines neither
_FAR = 300  # rows per class and pair from beyond it
_LEAST_NEAR = 100  # rows per class and pair, however far away


@dataclass(frozen=True)
class Sampling:
    """How large tables are sampled."""

    largest: float = 12e6  # summed squares of the pairs' rows that are solved whole
    first_rows: int = 1_000  # of the sample that all settings are compared on
    promoted: int = 4  # settings that are trained again
    last_rows: int = 5_000  # of their samples, and of the one that judges
    enlarged: int = 2  # settings that are trained once more, near their margins
    pool: int = 10_000  # rows per class among which those are looked for
    enlarged_work: float = 50e6  # sum over pairs of their squared rows
    knots: int = 1_000  # values of a feature whose ranks are kept

    def applies_to(self, data: TrainingSet, pairs: np.ndarray) -> bool:
        """Tell whether a training set is too large to be solved whole."""
        size = np.diff(data.class_start)[pairs].sum(axis=1).astype(float)
        return bool((size**2).sum() > self.largest)

    def n_solved(self, data: TrainingSet, n_settings: int) -> int:
        """Return how many times all pairs are solved."""
        promoted = min(self.promoted, n_settings)
        enlarged = self.enlarged if len(data.X) > self.last_rows else 0
        return n_settings + promoted + min(enlarged, promoted)


def rows_per_class(n_rows: np.ndarray, most: int) -> int:
    """Return how many rows of every class make a sample of ``most`` rows, about."""
    bounds = range(1, int(n_rows.max()) + 1)
    fitting = bisect_right(bounds, most, key=lambda k: np.minimum(n_rows, k).sum())
    return max(fitting, 1)


def part_of(data: TrainingSet, rows: np.ndarray) -> TrainingSet:
    """Return some rows, ascending, as a training set with the views of all rows."""
    weight = data.weight[rows]
    part = TrainingSet(
        data.X[rows],
        weight,
        np.searchsorted(rows, data.class_start),
        np.bincount(data.label[rows], weight, data.n_classes),
        data.first_given[rows],
    )
    vars(part)["views"] = data.views
    return part


@dataclass(frozen=True)
class Member:
    """One setting, trained: its machines, and what they say of rows left out."""

    setting: Setting
    machines: Machines
    rows: list[np.ndarray]  # those that the machine of every pair was trained on
    left_out: list[np.ndarray]  # their leave-one-out values f
    violation: np.ndarray  # (pairs,)

    @property
    def n_free(self) -> int:
        """Support vectors, of the pair that has most, that are not at their bounds."""
        beta, setting = self.machines.beta, self.setting
        box = np.where(beta > 0.0, setting.C_pos, setting.C_neg)
        pair = np.repeat(self.machines.pair, np.diff(self.machines.start))
        return int(np.bincount(pair[np.abs(beta) < box]).max(initial=0))

    def with_margins(self, scale: np.ndarray, shift: np.ndarray) -> Self:
        """Return the same with scale f + shift for f, pair by pair."""
        own = self.machines
        beta = own.beta * np.repeat(scale[own.pair], np.diff(own.start))
        intercept = own.intercept * scale[own.pair] + shift[own.pair]
        moved = zip(scale, self.left_out, shift, strict=True)
        return replace(
            self,
            machines=replace(own, beta=beta, intercept=intercept),
            left_out=[a * f + b for a, f, b in moved],
        )


@dataclass
class SampledTable:
    """A large training set, and how machines are trained on parts of it."""

    whole: Task
    sampling: Sampling
    seed: int
    n_threads: int
    run: Callable[[list[Task]], list[Solved]]

    def __post_init__(self) -> None:
        self.data, self.pairs = replace(self.whole.data), self.whole.pairs
        vars(self.data)["views"] = self.whole.data.views.thinned(self.sampling.knots)
        self.n_rows = np.diff(self.data.class_start)
        self.quota = rows_per_class(self.n_rows, self.sampling.last_rows)
        self.random = np.random.default_rng(self.seed)
        # the sample that all settings are compared on
        first = self.draw(rows_per_class(self.n_rows, self.sampling.first_rows))
        self.first = self._part(first)

    def _part(self, rows: np.ndarray, **changed: Any) -> Task:
        """Return rows, ascending, to be solved."""
        return self.whole._replace(data=part_of(self.data, rows), **changed)

    def draw(self, bound: int) -> np.ndarray:
        """Return ``bound`` rows of every class, ascending; smaller classes whole."""
        drawn = []
        for start, n in zip(self.data.class_start, self.n_rows, strict=False):
            few = n <= bound
            own = np.arange(n) if few else self.random.choice(n, bound, replace=False)
            drawn.append(start + own)
        return np.sort(np.concatenate(drawn))

    def unseen(self, member: Member, wanted: np.ndarray) -> np.ndarray:
        """Return tanh f of rows, ascending, by machines that did not see them."""
        X, n_pairs = self.data.X[wanted], len(self.pairs)
        t = member.machines.decide(X, [member.setting], n_pairs, self.n_threads)
        for p, rows in enumerate(member.rows):
            place = np.minimum(np.searchsorted(wanted, rows), len(wanted) - 1)
            there = wanted[place] == rows
            t[place[there], p] = np.tanh(member.left_out[p][there])
        t[:, ~(member.violation <= self.whole.tol)] = 0.0  # cut short: it says nothing
        return t

    def train(self, settings: list[Setting]) -> list[Member]:
        """Train every setting on a sample of its own."""
        samples = [self.draw(self.quota) for _ in settings]
        # Leave-one-out is exact whatever the face: a bound would be wrong about rare
        # classes alone, which all machines are trained on, and so the calibration.
        tasks = [
            self._part(rows, settings=[setting], largest_face=len(rows))
            for rows, setting in zip(samples, settings, strict=True)
        ]
        known = zip(settings, samples, tasks, self.run(tasks), strict=True)
        return [
            self._member(setting, [rows[own] for own in task.rows], solved)
            for setting, rows, task, solved in known
        ]

    def _member(
        self, setting: Setting, rows: list[np.ndarray], solved: Solved
    ) -> Member:
        """Return a setting whose pairs were solved on these rows."""
        task = self.whole._replace(data=self.data, settings=[setting])
        machines = keep_machines(task, solved, np.ones((1, len(self.pairs))), rows)
        left_out = by_pair(solved.f[0], rows)
        return Member(setting, machines, rows, left_out, solved.violation[0])

    def enlarge(self, members: list[Member]) -> list[Member]:
        """Train settings again, on rows of the whole table that their margins touch."""
        pool = self.draw(self.sampling.pool)
        lot = self.random.permutation(len(pool))  # who is taken first, in all pairs
        tasks, rows, n_pairs = [], [], len(self.pairs)
        for member in members:
            t = self.unseen(member, pool)
            for p in range(n_pairs):
                own, setting = self._near(member.setting, p, pool, t[:, p], lot)
                rows.append(own)
                part = self._part(np.sort(own), settings=[setting])
                tasks.append(part._replace(pairs=self.pairs[[p]], largest_face=_FACE))
        solved, larger = self.run(tasks), []
        for k, member in enumerate(members):
            at = slice(k * n_pairs, (k + 1) * n_pairs)
            together = Solved(*map(np.hstack, zip(*solved[at], strict=True)))
            larger.append(self._member(member.setting, rows[at], together))
        return larger

    def _near(
        self, setting: Setting, p: int, pool: np.ndarray, t: np.ndarray, lot: np.ndarray
    ) -> tuple[np.ndarray, Setting]:
        """Return the rows that the margin of pair ``p`` touches, those of + first."""
        # Costs fall with the root of the number of rows that a row of a sample stood
        # for: more rows allow a sharper machine, but not by as much as they are more.
        near, far, stood_for = [], [], []
        for c, sign in zip(self.pairs[p], (1.0, -1.0), strict=True):
            own = slice(*np.searchsorted(pool, self.data.class_start[c : c + 2]))
            distance = sign * t[own]
            size = len(distance)
            if size > self.quota:
                size = max(int((distance < _NEAR).sum()), min(_LEAST_NEAR, size))
            order = own.start + np.argsort(distance, kind="stable")
            near.append(order[:size])
            far.append(order[size:])
            stood_for.append(min(self.quota, self.n_rows[c]) * size / len(distance))
        most = int((self.sampling.enlarged_work / len(self.pairs)) ** 0.5)
        bound = rows_per_class(np.array([len(k) for k in near]), most)
        rows, scale = [], []
        for close, others, share in zip(near, far, stood_for, strict=True):
            chosen = close[np.argsort(lot[close])[:bound]]
            # some of the others keep a polynomial from turning round where it sees none
            some = others[np.argsort(lot[others])[:_FAR]]
            rows.append(pool[np.sort(np.concatenate([chosen, some]))])
            scale.append(float(np.sqrt(share / len(chosen))))
        C_pos, C_neg = setting.C_pos * scale[0], setting.C_neg * scale[1]
        return np.concatenate(rows), replace(setting, C_pos=C_pos, C_neg=C_neg)


def average_of_samples(table: SampledTable, solved: Solved, tuning: Tuning) -> Average:
    """Return the average of machines trained on samples; the first is solved."""
    data, pairs, sampling, first = table.data, table.pairs, table.sampling, table.first
    smaller = data.class_size[pairs].min(axis=1)

    def opinion(error: np.ndarray) -> np.ndarray:
        return weighing.shrunk(error, smaller, tuning.shrinkage)

    known = pair_values(first.data, pairs, by_pair(solved.f, first.rows))
    error = judge(known, weighing.loo_error, tuning.temperature)
    violation = solved.violation.copy()
    # The order of decisions shows which kernels are good; scale and shift are learned.
    ranking = opinion(judge(known, ranking_error)).mean(axis=1)
    best = _promoted(ranking, first.settings, sampling.promoted)
    members = table.train([first.settings[s] for s in best])
    judged = table.draw(table.quota)
    judges = part_of(data, judged)

    def own(t: np.ndarray) -> list[PairValues]:  # of values (members, rows, pairs)
        values = [t[:, judges.pair_rows(*pair), p] for p, pair in enumerate(pairs)]
        return pair_values(judges, pairs, values)

    t = np.stack([table.unseen(member, judged) for member in members])
    if (table.n_rows > table.quota).any():
        ranking = judge(own(t), ranking_error)
        dear = [member.n_free > _MOST_FREE for member in members]
        order = np.lexsort((opinion(ranking).mean(axis=1), dear))[: sampling.enlarged]
        larger = table.enlarge([members[k] for k in order])
        for k, member in zip(order, larger, strict=True):
            again = table.unseen(member, judged)
            if judge(own(again[None]), ranking_error).mean() < ranking[k].mean():
                members[k], t[k] = member, again
    known = own(np.arctanh(np.clip(t, -_SURE, _SURE)))
    for k, member in enumerate(members):
        own_values = (one._replace(values=one.values[k]) for one in known)
        fitted = [average.fit_calibration(*one, tuning.common) for one in own_values]
        scale, shift = 0.5 * np.array(fitted).T  # tanh f is 2 P - 1
        members[k] = member.with_margins(scale, shift)
        for one, a, b in zip(known, scale, shift, strict=True):
            one.values[k] = a * one.values[k] + b
    error[best] = judge(known, weighing.loo_error, tuning.temperature)
    violation[best] = [member.violation for member in members]
    weights = np.zeros_like(error)
    weights[best] = member_weights(opinion(error[best]), tuning)
    g = [
        to_margin_scale(np.einsum("s,sn->n", weights[best, p], np.tanh(one.values)))
        for p, one in enumerate(known)
    ]
    margins = fit_margins(pair_values(judges, pairs, g), tuning.penalty, tuning.common)
    m = np.zeros((len(data.X), len(pairs)))
    for s, member in zip(best, members, strict=True):
        if weights[s].any():
            m += weights[s] * table.unseen(member, np.arange(len(m)))
    unseen = coupled(with_margins(m, margins), pairs, data.n_classes)
    machines = joined([member.machines for member in members], best, weights)
    return Average(error, violation, weights, machines, margins, unseen)


def _promoted(opinion: Floats, settings: Sequence[Setting], most: int) -> Ints:
    """Return the best settings, about half of them at most of one kernel."""
    order = np.argsort(opinion, kind="stable")
    kernels = [settings[s].kernel for s in order]
    before = [kernels[:k].count(kernel) for k, kernel in enumerate(kernels)]
    late = np.array(before) >= (most + 1) // 2
    return np.sort(order[np.argsort(late, kind="stable")[:most]])


def member_weights(error: np.ndarray, tuning: Tuning) -> np.ndarray:
    """Return weights; zero for members of less than half their share: each costs."""
    options = tuning.width, tuning.dropped
    counts = weighing.setting_weights(error, *options).mean(axis=1) >= 0.5 / len(error)
    weights = np.zeros_like(error)
    weights[counts] = weighing.setting_weights(error[counts], *options)
    return weights
