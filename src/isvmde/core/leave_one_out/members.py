"""Machines of large tables: one setting each, trained on samples or near its margin."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from ..training_set import TrainingSet
from ..views import Views
from .machines import Machines, keep_machines
from .settings import Setting
from .solving import SolvedSettings, solve_settings

# calls a function with each of the arguments and returns the results in their order;
# the number says how many SVMs each call solves
Runner = Callable[[Callable[..., Any], list[tuple[Any, ...]], int], list[Any]]

MOST_FREE = 700  # free samples of a machine that is worth enlarging
_NEAR = np.tanh(1.2)  # rows beyond it support larger machines neither
_FAR = 300  # rows per class and pair from beyond it
_LEAST_NEAR = 100  # rows per class and pair, however far away


@dataclass(frozen=True)
class Sampling:
    """How large tables are sampled.

    Attributes
    ----------
    largest : sum over pairs of their squared rows up to which nothing is sampled
    first_rows : of the sample that all settings are compared on
    promoted : settings that are trained again
    last_rows : of the samples that those are trained on, and of the one that judges
    enlarged : settings that are trained once more, on rows near their margins
    pool : rows per class among which those are looked for
    enlarged_work : sum over pairs of their squared rows
    knots : values of a feature whose ranks are kept
    """

    largest: float = 12e6
    first_rows: int = 1_000
    promoted: int = 4
    last_rows: int = 5_000
    enlarged: int = 2
    pool: int = 10_000
    enlarged_work: float = 50e6
    knots: int = 1_000

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
    """Return how many rows of every class make a sample of ``most`` rows, about.

    Examples
    --------
    >>> import numpy as np
    >>> rows_per_class(np.array([1000, 300, 10]), 210)
    100
    """
    low, high = 1, int(n_rows.max())
    while low < high:
        middle = (low + high + 1) // 2
        if np.minimum(n_rows, middle).sum() <= most:
            low = middle
        else:
            high = middle - 1
    return low


def draw_rows(data: TrainingSet, bound: int, random: np.random.Generator) -> np.ndarray:
    """Return ``bound`` rows of every class, ascending; smaller classes whole."""
    n_rows = np.diff(data.class_start)
    drawn = [
        start + (np.arange(n) if n <= bound else random.choice(n, bound, replace=False))
        for start, n in zip(data.class_start, n_rows, strict=False)
    ]
    return np.sort(np.concatenate(drawn))


def part_of(data: TrainingSet, rows: np.ndarray, views: Views) -> TrainingSet:
    """Return some rows, ascending, as a training set that sees what ``views`` say."""
    n_classes = data.n_classes
    label = np.searchsorted(data.class_start, rows, side="right") - 1
    part = TrainingSet(
        data.X[rows],
        data.weight[rows],
        np.searchsorted(label, np.arange(n_classes + 1)),
        np.bincount(label, weights=data.weight[rows], minlength=n_classes),
        data.first_given[rows],
    )
    vars(part)["views"] = views  # those of all rows, not of these
    return part


@dataclass(frozen=True)
class Member:
    """One setting, trained: its machines, and what they say of rows left out.

    ``rows[p]`` are those that the machine of pair p was trained on, ``left_out[p]``
    its leave-one-out values f of them.
    """

    setting: Setting
    machines: Machines
    rows: list[np.ndarray]
    left_out: list[np.ndarray]
    violation: np.ndarray

    @property
    def n_free(self) -> int:
        """Support vectors, of the pair that has most, that are not at their bounds."""
        machines, setting = self.machines, self.setting
        size = np.abs(machines.beta)
        box = np.where(machines.beta > 0.0, setting.C_pos, setting.C_neg)
        pair = np.repeat(machines.pair, np.diff(machines.start))
        return int(np.bincount(pair[size < box]).max(initial=0))

    def with_margins(self, scale: np.ndarray, shift: np.ndarray) -> Member:
        """Return the same with scale f + shift for f, pair by pair."""
        own = self.machines
        beta = own.beta * np.repeat(scale[own.pair], np.diff(own.start))
        intercept = own.intercept * scale[own.pair] + shift[own.pair]
        return replace(
            self,
            machines=replace(own, beta=beta, intercept=intercept),
            left_out=[
                a * f + b for a, f, b in zip(scale, self.left_out, shift, strict=True)
            ],
        )


class SampledTable:
    """A large training set, and how machines are trained on parts of it."""

    def __init__(
        self,
        data: TrainingSet,
        pairs: np.ndarray,
        sampling: Sampling,
        seed: int,
        tol: float,
        n_threads: int,
        run: Runner,
    ) -> None:
        self.data, self.pairs, self.sampling = data, pairs, sampling
        self.tol, self.n_threads, self.run = tol, n_threads, run
        self.random = np.random.default_rng(seed)
        self.views = data.views.thinned(sampling.knots)
        self.n_rows = np.diff(data.class_start)
        self.quota = rows_per_class(self.n_rows, sampling.last_rows)

    def part(self, rows: np.ndarray) -> TrainingSet:
        """Return rows, ascending, as a training set."""
        return part_of(self.data, rows, self.views)

    def unseen(self, member: Member, wanted: np.ndarray) -> np.ndarray:
        """Return tanh f of rows, ascending, by machines that did not see them."""
        t = member.machines.decide(
            self.data.X[wanted],
            [member.setting],
            len(self.pairs),
            n_threads=self.n_threads,
        )
        for p, (rows, values) in enumerate(
            zip(member.rows, member.left_out, strict=True)
        ):
            place = np.minimum(np.searchsorted(wanted, rows), len(wanted) - 1)
            there = wanted[place] == rows
            t[place[there], p] = np.tanh(values[there])
        t[:, ~(member.violation <= self.tol)] = 0.0  # cut short: it says nothing
        return t

    def train(self, settings: list[Setting]) -> list[Member]:
        """Train every setting on a sample of its own."""
        samples = [draw_rows(self.data, self.quota, self.random) for _ in settings]
        parts = [self.part(rows) for rows in samples]
        # Leave-one-out is exact whatever the face: a bound would be wrong about rare
        # classes alone, which all machines are trained on, and so the calibration.
        tasks = [
            (part, self.pairs, setting, self.tol, len(part.X))
            for part, setting in zip(parts, settings, strict=True)
        ]
        solved = self.run(_solve_one, tasks, len(self.pairs))
        return [
            self._member(
                setting, part, [rows[part.pair_rows(*pair)] for pair in self.pairs], one
            )
            for setting, rows, part, one in zip(
                settings, samples, parts, solved, strict=True
            )
        ]

    def _member(
        self,
        setting: Setting,
        part: TrainingSet,
        rows: list[np.ndarray],
        solved: SolvedSettings,
    ) -> Member:
        """Return a setting with what was solved on ``part``."""
        alone = np.ones((1, len(self.pairs)))
        return Member(
            setting,
            keep_machines(part, self.pairs, [setting], solved, alone),
            rows,
            [f[0] for f in solved.f],
            solved.violation[0],
        )

    def enlarge(self, members: list[Member]) -> list[Member]:
        """Train settings again, on rows of the whole table that their margins touch."""
        pool = draw_rows(self.data, self.sampling.pool, self.random)
        first = self.random.permutation(len(pool))  # whose turn it is, for all pairs
        tasks, chosen = [], []
        for member in members:
            t = self.unseen(member, pool)
            for p in range(len(self.pairs)):
                rows, setting = self._near(member.setting, p, pool, t[:, p], first)
                part = self.part(np.sort(np.concatenate(rows)))
                chosen.append(np.concatenate(rows))
                tasks.append((part, self.pairs[[p]], setting, self.tol, 2 * MOST_FREE))
        solved = self.run(_solve_one, tasks, 1)
        n = len(self.pairs)
        return [
            self._together(member, chosen[k : k + n], solved[k : k + n])
            for k, member in zip(range(0, len(tasks), n), members, strict=True)
        ]

    def _near(
        self,
        setting: Setting,
        p: int,
        pool: np.ndarray,
        t: np.ndarray,
        first: np.ndarray,
    ) -> tuple[list[np.ndarray], Setting]:
        """Return the rows of both classes that the margin of pair ``p`` touches.

        Costs fall with the root of the number of rows that a row of a sample stood
        for: more rows allow a sharper machine, but not by as much as they are more.
        """
        near, far, scale = [], [], []
        for c, sign in zip(self.pairs[p], (1.0, -1.0), strict=True):
            own = slice(*np.searchsorted(pool, self.data.class_start[c : c + 2]))
            distance = sign * t[own]
            size = len(distance)
            if size > self.quota:
                size = max(int((distance < _NEAR).sum()), min(_LEAST_NEAR, size))
            order = own.start + np.argsort(distance, kind="stable")
            near.append(order[:size])
            far.append(order[size:])
            whole = min(self.quota, self.n_rows[c])
            scale.append(whole * size / (own.stop - own.start))
        most = int((self.sampling.enlarged_work / len(self.pairs)) ** 0.5)
        bound = rows_per_class(np.array([len(rows) for rows in near]), most)
        chosen = [k[np.argsort(first[k])[:bound]] for k in near]
        # some of the others keep a polynomial from turning round where it sees none
        others = [k[np.argsort(first[k])[:_FAR]] for k in far]
        rows = [
            pool[np.sort(np.concatenate(both))]
            for both in zip(chosen, others, strict=True)
        ]
        C_pos, C_neg = (
            cost * float(np.sqrt(share / len(own)))
            for cost, share, own in zip(
                (setting.C_pos, setting.C_neg), scale, chosen, strict=True
            )
        )
        return rows, replace(setting, C_pos=C_pos, C_neg=C_neg)

    def _together(
        self, member: Member, rows: list[np.ndarray], solved: list[SolvedSettings]
    ) -> Member:
        """Return a member of pairs that were solved on rows of their own."""
        union = np.unique(np.concatenate(rows))
        part = self.part(union)
        beta = []
        for own, pair, one in zip(rows, self.pairs, solved, strict=True):
            full = np.zeros(len(union))
            full[np.searchsorted(union, own)] = one.beta[0][0]
            beta.append(full[None, part.pair_rows(*pair)])
        return self._member(
            member.setting,
            part,
            rows,
            SolvedSettings(
                [one.f[0] for one in solved],
                beta,
                np.hstack([one.intercept for one in solved]),
                np.hstack([one.violation for one in solved]),
            ),
        )


def _solve_one(
    part: TrainingSet,
    pairs: np.ndarray,
    setting: Setting,
    tol: float,
    largest_face: int,
    stop: np.ndarray | None = None,
) -> SolvedSettings:
    """Solve all pairs of a sample at one setting."""
    return solve_settings(
        part,
        pairs,
        [setting],
        tol=tol,
        n_threads=1,
        stop=stop,
        largest_face=largest_face,
    )
