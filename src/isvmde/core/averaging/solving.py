"""Solve pairs at many settings, with what they say of rows left out."""

from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np

from ..arrays import Floats, Ints
from ..kernels import base_matrix
from ..limits import check_products, check_values
from ..solver import BatchSolver, Tasks
from ..training_set import TrainingSet
from ..views import Sight, Views
from .settings import Setting

BALANCE = 0.25  # power of the class ratio that the cost of + is multiplied by
_MEMORY = 64 * 2**20  # bytes of matrices that are kept at a time
OnSolved = Callable[[int], None]  # hears how many SVMs were solved


class Assignment(NamedTuple):
    """Pairs of a training set that are to be solved at some settings."""

    data: TrainingSet
    views: Views
    pairs: Ints  # (P, 2)
    settings: Sequence[Setting]
    tol: float
    # (P,) class ratio n- / n+ of the samples that the settings were chosen on, if any
    chosen_ratio: Floats | None = None

    @property
    def rows(self) -> list[Ints]:
        """The rows of every pair, those of its first class first."""
        return [self.data.pair_rows(*pair) for pair in self.pairs]

    @property
    def plus_factor(self) -> Floats:
        """What the cost of + is multiplied by in every pair, (P,).

        Drawn costs are the same for all pairs; a rarer class needs larger ones. Where
        settings were chosen on other samples, the share of + in all costs stays as it
        was on these.
        """
        ratio = class_ratio(self.data, self.pairs)
        if self.chosen_ratio is None:
            return np.asarray(ratio**BALANCE)
        return np.asarray(self.chosen_ratio**BALANCE * (ratio / self.chosen_ratio))


def class_ratio(data: TrainingSet, pairs: Ints) -> Floats:
    """Return n- / n+ of every pair, by weight, (P,)."""
    size = data.class_size[pairs]
    return np.asarray(size[:, 1] / size[:, 0])


class Solutions(NamedTuple):
    """Solutions of all pairs at all settings."""

    left_out: Floats  # (settings, rows of all pairs) decisions without the row
    beta: Floats  # (settings, rows of all pairs) multipliers y_i a_i
    intercept: Floats  # (settings, pairs)
    violation: Floats  # (settings, pairs)


def by_pair(values: Floats, rows: Sequence[Ints]) -> list[Floats]:
    """Return values of the rows of all pairs, on the last axis, pair by pair."""
    return np.split(values, np.cumsum([len(own) for own in rows])[:-1], axis=-1)


def most_steps(n: int) -> int:
    """Return the bound on steps: twice what the hardest settings were seen to need."""
    return 10_000 + 25 * n


def solve_settings(
    assignment: Assignment,
    n_threads: int = 1,
    on_solved: OnSolved | None = None,
    stop: Ints | None = None,
) -> Solutions:
    """Solve every pair at every setting."""
    data, pairs, settings = assignment.data, assignment.pairs, assignment.settings
    n, sizes = len(data.X), [len(rows) for rows in assignment.rows]
    solutions = Solutions(
        left_out=np.empty((len(settings), sum(sizes))),
        beta=np.empty((len(settings), sum(sizes))),
        intercept=np.empty((len(settings), len(pairs))),
        violation=np.empty((len(settings), len(pairs))),
    )
    with_sight: dict[Sight, list[int]] = {}
    for s, setting in enumerate(settings):
        with_sight.setdefault(setting.sight, []).append(s)
    sights = list(with_sight)
    # as many matrices at a time as fit: threads then seldom wait for each other
    at_once = min(len(sights), max(1, _MEMORY // (8 * n**2)))
    bases = np.empty((at_once, n, n))
    with BatchSolver(
        bases,
        data.weight,
        tol=assignment.tol,
        max_steps=most_steps(max(sizes)),
        left_out=True,
        largest_face=n,
        n_threads=n_threads,
        stop=stop,
        groups=data.group,
    ) as solver:
        for first in range(0, len(sights), at_once):
            some = sights[first : first + at_once]
            largest = _fill_bases(bases, assignment, some)
            chosen = [s for sight in some for s in with_sight[sight]]
            of_base = np.repeat(
                np.arange(len(some)), [len(with_sight[sight]) for sight in some]
            )
            tasks = _list_tasks(assignment, chosen, of_base, largest)
            result = solver.solve(tasks, with_beta=True)
            solutions.left_out[chosen] = result.f.reshape(len(chosen), -1)
            solutions.beta[chosen] = result.beta.reshape(len(chosen), -1)
            solutions.intercept[chosen] = result.intercept.reshape(len(chosen), -1)
            solutions.violation[chosen] = result.violation.reshape(len(chosen), -1)
            if on_solved is not None:
                on_solved(len(tasks))
    # What was cut short is no optimum, so what it says of rows left out means nothing:
    # it counts as a coin and gets no weight where others were solved.
    cut_short = ~(solutions.violation <= assignment.tol)
    solutions.left_out[np.repeat(cut_short, sizes, axis=1)] = 0.0
    return solutions


def _fill_bases(
    bases: Floats, assignment: Assignment, sights: Sequence[Sight]
) -> Floats:
    """Compute what kernels are functions of; return the largest of every matrix."""
    largest = np.empty(len(sights))
    seen = assignment.views.see_all(assignment.data.X, sights)
    for k, (sight, X) in enumerate(zip(sights, seen, strict=True)):
        check_values(X)
        base_matrix(sight.base, X, out=bases[k])
        largest[k] = np.abs(np.diagonal(bases[k])).max()
    return largest


def _list_tasks(
    assignment: Assignment, chosen: Sequence[int], of_base: Ints, largest: Floats
) -> Tasks:
    """List all pairs at the chosen settings, each with the place of its base."""
    data, n_pairs = assignment.data, len(assignment.pairs)
    settings = [assignment.settings[s] for s in chosen]
    heaviest = float(data.weight.max()) * float(assignment.plus_factor.max())
    for setting, base in zip(settings, of_base, strict=True):
        kernel, cost = setting.for_solver, max(setting.C_pos, setting.C_neg)
        check_products(
            float(largest[base]),
            kernel.function,
            kernel.parameter,
            heaviest * cost,
            len(data.X),
        )

    def of_pairs(values: Sequence[float] | Ints) -> np.ndarray:
        """Return values of the settings for each of their pairs."""
        return np.repeat(np.asarray(values), n_pairs)

    spans = np.tile(data.spans(assignment.pairs), (len(chosen), 1))
    return Tasks(
        start_pos=spans[:, 0],
        end_pos=spans[:, 1],
        start_neg=spans[:, 2],
        end_neg=spans[:, 3],
        base=of_pairs(of_base),
        kernel=of_pairs([setting.for_solver.function for setting in settings]),
        parameter=of_pairs([setting.for_solver.parameter for setting in settings]),
        U_pos=of_pairs([setting.C_pos for setting in settings])
        * np.tile(assignment.plus_factor, len(settings)),
        U_neg=of_pairs([setting.C_neg for setting in settings]),
    )
