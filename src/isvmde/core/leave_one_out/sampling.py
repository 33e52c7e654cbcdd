"""Large tables: compare settings on a small sample, train the best on large ones.

Solving all pairs at all settings takes about the sum over pairs of n_p^2 per setting.
Above a bound on it all settings are solved on one common sample, and leave-one-out
says which are best. Only these are solved again, each on a larger sample of its own,
so that together they see more of the table than each alone. A sample holds rare
classes whole; the others share what is left equally. The rows that a machine was not
trained on are its held-out rows: with the leave-one-out values of the others they
weigh and calibrate the machines as for small tables.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..training_set import TrainingSet
from ..views import Views
from .average import Average, coupled, with_margins
from .calibration import PairValues, fit_margins, to_margin_scale
from .machines import joined, keep_machines
from .settings import Setting
from .solving import SolvedSettings, solve_settings
from .tuning import Tuning
from .weighing import loo_error, setting_weights, shrunk

# calls a function with each of the arguments and returns the results in their order
Runner = Callable[[Callable[..., Any], list[tuple[Any, ...]]], list[Any]]


@dataclass(frozen=True)
class Sampling:
    """How large tables are sampled.

    Attributes
    ----------
    largest : sum over pairs of their squared rows up to which nothing is sampled
    first_rows : of the sample that all settings are compared on
    promoted : settings that are trained again
    last_rows : of the samples that those are trained on, and of the one that judges
    knots : values of a feature whose ranks are kept
    """

    largest: float = 12e6
    first_rows: int = 1_000
    promoted: int = 6
    last_rows: int = 4_000
    knots: int = 1_000

    def applies_to(self, data: TrainingSet, pairs: np.ndarray) -> bool:
        """Tell whether a training set is too large to be solved whole."""
        size = np.diff(data.class_start)[pairs].sum(axis=1).astype(float)
        return bool((size**2).sum() > self.largest)


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


def draw_rows(data: TrainingSet, most: int, random: np.random.Generator) -> np.ndarray:
    """Return about ``most`` rows, ascending, the same number of every class if it can.

    Small classes are whole.
    """
    n_rows = np.diff(data.class_start)
    bound = rows_per_class(n_rows, most)
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


def average_of_samples(
    data: TrainingSet,
    pairs: np.ndarray,
    settings: Sequence[Setting],
    tuning: Tuning,
    sampling: Sampling,
    *,
    seed: int,
    tol: float,
    n_threads: int,
    solve: Callable[[TrainingSet], SolvedSettings],
    run: Runner,
) -> tuple[Average, np.ndarray]:
    """Return the average of machines trained on samples, and their violations.

    ``solve`` solves a sample at all settings, ``run`` many samples at one each.
    """
    random = np.random.default_rng(seed)
    views = data.views.thinned(sampling.knots)
    first = part_of(data, draw_rows(data, sampling.first_rows, random), views)
    solved = solve(first)
    error = _errors(first, pairs, solved.f, tuning.temperature)
    violation = solved.violation.copy()
    smaller = data.class_size[pairs].min(axis=1)
    opinion = shrunk(error, smaller, tuning.shrinkage).mean(axis=1)
    best = np.sort(np.argsort(opinion, kind="stable")[: sampling.promoted])
    rows = [draw_rows(data, sampling.last_rows, random) for _ in best]
    parts = [part_of(data, own, views) for own in rows]
    judged = draw_rows(data, sampling.last_rows, random)
    solutions = run(
        _solve_one,
        [(part, pairs, settings[s], tol) for part, s in zip(parts, best, strict=True)],
    )
    alone = np.ones((1, len(pairs)))
    trained = [
        keep_machines(part, pairs, [settings[s]], solution, alone)
        for part, s, solution in zip(parts, best, solutions, strict=True)
    ]
    judges = part_of(data, judged, views)
    held_out = []
    for own, part, s, solution, machines in zip(
        rows, parts, best, solutions, trained, strict=True
    ):
        t = machines.decide(judges.X, [settings[s]], len(pairs), n_threads=n_threads)
        _leave_out(t, judged, own, part, pairs, solution)
        t[:, ~(solution.violation[0] <= tol)] = 0.0  # cut short: it says nothing
        held_out.append(t)
        violation[s] = solution.violation[0]
    f = [
        _decisions(np.stack([t[judges.pair_rows(*pair), p] for t in held_out]))
        for p, pair in enumerate(pairs)
    ]
    error[best] = _errors(judges, pairs, f, tuning.temperature)
    weights = np.zeros_like(error)
    weights[best] = setting_weights(
        shrunk(error[best], smaller, tuning.shrinkage), tuning.width, tuning.dropped
    )
    margins = _margins(judges, pairs, weights[best], f, tuning)
    machines = joined(trained, best, weights)
    m = machines.decide(data.X, settings, len(pairs), n_threads=n_threads)
    for own, part, s, solution, alone_machines in zip(
        rows, parts, best, solutions, trained, strict=True
    ):
        if weights[s].any():
            seen = alone_machines.decide(
                part.X, [settings[s]], len(pairs), n_threads=n_threads
            )
            for p, pair in enumerate(pairs):
                inside = part.pair_rows(*pair)
                change = np.tanh(solution.f[p][0]) - seen[inside, p]
                m[own[inside], p] += weights[s, p] * change
    unseen = coupled(with_margins(to_margin_scale(m), margins), pairs, data.n_classes)
    return Average(error, weights, machines, margins, unseen), violation


def _solve_one(
    part: TrainingSet,
    pairs: np.ndarray,
    setting: Setting,
    tol: float,
    stop: np.ndarray | None = None,
) -> SolvedSettings:
    """Solve all pairs of a sample at one setting.

    Leave-one-out is exact whatever the face: a bound would be wrong about rare classes
    alone, which all machines are trained on, and so would be the calibration.
    """
    return solve_settings(
        part,
        pairs,
        [setting],
        tol=tol,
        n_threads=1,
        stop=stop,
        largest_face=len(part.X),
    )


def _leave_out(
    t: np.ndarray,
    judged: np.ndarray,
    own: np.ndarray,
    part: TrainingSet,
    pairs: np.ndarray,
    solution: SolvedSettings,
) -> None:
    """Put leave-one-out values where a machine was trained on a judged row."""
    place = np.searchsorted(judged, own)
    found = place < len(judged)
    found[found] = judged[place[found]] == own[found]
    for p, pair in enumerate(pairs):
        inside = part.pair_rows(*pair)
        both = found[inside]
        t[place[inside[both]], p] = np.tanh(solution.f[p][0][both])


def _decisions(t: np.ndarray) -> np.ndarray:
    """Return f from tanh f, finite."""
    return np.arctanh(np.clip(t, -1.0 + 1e-15, 1.0 - 1e-15))


def _errors(
    part: TrainingSet, pairs: np.ndarray, f: list[np.ndarray], temperature: float
) -> np.ndarray:
    """Return the error of every setting in every pair."""
    columns = [
        loo_error(
            values,
            part.n_rows(pair[0]),
            part.weight[part.pair_rows(*pair)],
            temperature,
        )
        for values, pair in zip(f, pairs, strict=True)
    ]
    return np.stack(columns, axis=1)


def _margins(
    part: TrainingSet,
    pairs: np.ndarray,
    weights: np.ndarray,
    f: list[np.ndarray],
    tuning: Tuning,
) -> np.ndarray:
    """Return the margins of every pair, fitted to the decisions of held-out rows."""
    values = []
    for p, pair in enumerate(pairs):
        mean = np.einsum("s,sn->n", weights[:, p], np.tanh(f[p]))
        weight = part.weight[part.pair_rows(*pair)]
        values.append(PairValues(to_margin_scale(mean), part.n_rows(pair[0]), weight))
    return fit_margins(values, tuning.penalty, tuning.common)
