"""Large tables: compare settings on a small sample, train the best on larger ones.

Solving all pairs at all settings takes about the sum over pairs of n_p^2 per setting.
Above a bound on it all settings are solved on one common sample, and leave-one-out
says which are best. Only these are solved again, each on a larger sample of its own.
The very best then choose their rows: what lies beyond the margin of a machine is no
support vector of a larger one either, so only the others, of the whole table, train it
once more. A sample holds rare classes whole; the others share what is left equally.
The rows that a machine was not trained on are its held-out rows: with the leave-one-out
values of the others they weigh and calibrate the machines as for small tables.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from ..training_set import TrainingSet
from .average import Average, coupled, margins_of, with_margins
from .calibration import fit_calibration, to_margin_scale
from .machines import joined
from .members import (
    MOST_FREE,
    Runner,
    SampledTable,
    Sampling,
    draw_rows,
    rows_per_class,
)
from .settings import Setting
from .solving import SolvedSettings
from .tuning import Tuning
from .weighing import judge, loo_error, ranking_error, setting_weights, shrunk

_SURE = 1.0 - 1e-15  # |tanh f|, where artanh is still a number


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
    table = SampledTable(data, pairs, sampling, seed, tol, n_threads, run)
    smaller = data.class_size[pairs].min(axis=1)
    temperature = tuning.temperature

    def opinion(error: np.ndarray) -> np.ndarray:
        return shrunk(error, smaller, tuning.shrinkage).mean(axis=1)

    bound = rows_per_class(table.n_rows, sampling.first_rows)
    first = table.part(draw_rows(data, bound, table.random))
    solved = solve(first)
    error = judge(first, pairs, solved.f, loo_error, temperature)
    violation = solved.violation.copy()
    # The order of decisions shows which kernels are good; scale and shift are learned.
    ranking = judge(first, pairs, solved.f, ranking_error)
    best = _promoted(opinion(ranking), settings, sampling.promoted)
    members = table.train([settings[s] for s in best])
    judged = draw_rows(data, table.quota, table.random)
    judges = table.part(judged)
    t = np.stack([table.unseen(member, judged) for member in members])
    if (table.n_rows > table.quota).any():
        ranking = judge(judges, pairs, _own(judges, pairs, t), ranking_error)
        dear = np.array([member.n_free > MOST_FREE for member in members])
        order = np.lexsort((opinion(ranking), dear))[: sampling.enlarged]
        for k, member in zip(
            order, table.enlarge([members[k] for k in order]), strict=True
        ):
            again = table.unseen(member, judged)
            own = _own(judges, pairs, again[None])
            if judge(judges, pairs, own, ranking_error).mean() < ranking[k].mean():
                members[k], t[k] = member, again
    f = _own(judges, pairs, np.arctanh(np.clip(t, -_SURE, _SURE)))
    for k, member in enumerate(members):
        fitted = [
            fit_calibration(
                values[k],
                judges.n_rows(pair[0]),
                judges.weight[judges.pair_rows(*pair)],
                tuning.common,
            )
            for values, pair in zip(f, pairs, strict=True)
        ]
        scale, shift = 0.5 * np.array(fitted).T  # tanh f is 2 P - 1
        members[k] = member.with_margins(scale, shift)
        for values, a, b in zip(f, scale, shift, strict=True):
            values[k] = a * values[k] + b
    error[best] = judge(judges, pairs, f, loo_error, temperature)
    violation[best] = [member.violation for member in members]
    weights = np.zeros_like(error)
    weights[best] = member_weights(
        shrunk(error[best], smaller, tuning.shrinkage), tuning
    )
    mean = [
        np.einsum("s,sn->n", weights[best, p], np.tanh(own)) for p, own in enumerate(f)
    ]
    margins = margins_of(judges, pairs, list(map(to_margin_scale, mean)), tuning)
    m = np.zeros((len(data.X), len(pairs)))
    everything = np.arange(len(data.X))
    for s, member in zip(best, members, strict=True):
        if weights[s].any():
            m += weights[s] * table.unseen(member, everything)
    unseen = coupled(with_margins(to_margin_scale(m), margins), pairs, data.n_classes)
    machines = joined([member.machines for member in members], best, weights)
    return Average(error, weights, machines, margins, unseen), violation


def _promoted(
    opinion: np.ndarray, settings: Sequence[Setting], most: int
) -> np.ndarray:
    """Return the best settings, about half of them at most of one kernel."""
    order = np.argsort(opinion, kind="stable")
    kernels = [settings[s].kernel for s in order]
    late = [
        kernels[:k].count(kernel) >= (most + 1) // 2 for k, kernel in enumerate(kernels)
    ]
    return np.sort(order[np.argsort(late, kind="stable")[:most]])


def member_weights(error: np.ndarray, tuning: Tuning) -> np.ndarray:
    """Return weights of members; zero for one that has less than half its share.

    Every member makes predictions take longer, for all pairs alike.

    Examples
    --------
    >>> import numpy as np
    >>> member_weights(np.array([[0.10], [0.10], [0.14]]), Tuning()).ravel()
    array([0.5, 0.5, 0. ])
    """
    weights = setting_weights(error, tuning.width, tuning.dropped)
    counts = weights.mean(axis=1) >= 0.5 / len(weights)
    weights[~counts] = 0.0
    weights[counts] = setting_weights(error[counts], tuning.width, tuning.dropped)
    return weights


def _own(judges: TrainingSet, pairs: np.ndarray, t: np.ndarray) -> list[np.ndarray]:
    """Return of values (members, rows, pairs) those of every pair's own rows."""
    return [t[:, judges.pair_rows(*pair), p] for p, pair in enumerate(pairs)]
