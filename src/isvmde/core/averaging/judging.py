"""What machines say of rows that they were not trained on, and of rows left out."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from ..arrays import Bools, Floats, Ints
from ..training_set import TrainingSet
from .bags import Bag
from .deciding import Decider, make_decider
from .machines import Machines, trained_machines
from .settings import Setting
from .solving import Assignment, Solutions, by_pair
from .weighing import Judges


class TrainedBag(NamedTuple):
    """Machines that were trained on the same rows, and what they say of these."""

    rows: Ints  # of the training set, ascending
    settings: Ints  # places among all settings, ascending
    machines: Machines
    pair_rows: list[Ints]  # of the training set, those of every pair
    left_out: list[Floats]  # (settings, rows) tanh f without the row, pair by pair
    violation: Floats  # (settings, pairs)
    is_solved: Bools  # (settings, pairs) whether it was not cut short
    is_foreign: Bools  # (n,) rows of the training set of which no group is in the bag


def train_bag(
    bag: Bag, assignment: Assignment, solutions: Solutions, data: TrainingSet
) -> TrainedBag:
    """Put together what was solved on the rows of a bag, of a training set."""
    machines = trained_machines(assignment, solutions)
    group = np.arange(len(data.X)) if data.group is None else data.group
    return TrainedBag(
        rows=bag.rows,
        settings=bag.settings,
        machines=machines.renumbered(bag.settings),
        pair_rows=[bag.rows[own] for own in assignment.rows],
        left_out=by_pair(np.tanh(solutions.left_out), assignment.rows),
        violation=solutions.violation,
        is_solved=solutions.violation <= assignment.tol,
        is_foreign=~np.isin(group, group[bag.rows]),
    )


def decisions_of_judges(
    bags: Sequence[TrainedBag],
    judges: Judges,
    data: TrainingSet,
    pairs: Ints,
    settings: Sequence[Setting],
    n_threads: int,
) -> Floats:
    """Return tanh f of every setting on every judge, (settings, C).

    Rows that a machine was trained on are told what it says without them; others of
    their groups are told nothing, which is 0.
    """
    t = np.zeros((len(settings), len(judges.row)))
    end = np.searchsorted(judges.pair, np.arange(len(pairs)), side="right")
    start = np.concatenate([[0], end[:-1]])
    for bag in bags:
        if len(bag.rows) < len(data.X):
            _decide_unseen(t, bag, judges, data, pairs, settings, n_threads)
        for pair, (first, last) in enumerate(zip(start, end, strict=True)):
            place, is_known = find_rows(judges.row[first:last], bag.pair_rows[pair])
            columns = np.arange(first, last)[is_known]
            t[np.ix_(bag.settings, columns)] = bag.left_out[pair][:, place[is_known]]
    return t


def find_rows(wanted: Ints, rows: Ints) -> tuple[Ints, Bools]:
    """Return where wanted rows are among others, and whether they are there.

    Examples
    --------
    >>> place, is_there = find_rows(np.array([4, 7]), np.array([7, 9, 2]))
    >>> place[is_there], is_there
    (array([0]), array([False,  True]))
    """
    order = np.argsort(rows, kind="stable")
    place = np.searchsorted(rows, wanted, sorter=order)
    place = order[np.minimum(place, len(rows) - 1)]
    return place, rows[place] == wanted


def _decide_unseen(
    t: Floats,
    bag: TrainedBag,
    judges: Judges,
    data: TrainingSet,
    pairs: Ints,
    settings: Sequence[Setting],
    n_threads: int,
) -> None:
    """Write into ``t`` what the machines of a bag say of judges they did not see."""
    is_new = bag.is_foreign[judges.row]
    label = data.label[judges.row]
    for c in range(data.n_classes):
        columns = np.flatnonzero(is_new & (label == c))
        if not len(columns):
            continue
        rows, place = np.unique(judges.row[columns], return_inverse=True)
        own_pairs = np.flatnonzero((pairs == c).any(axis=1))
        machines = bag.machines.some(np.isin(bag.machines.pair, own_pairs))
        decider = make_decider(
            machines.each_setting(bag.settings, len(pairs)),
            settings,
            len(bag.settings) * len(pairs),
            n_threads,
        )
        decided = decider.decide_rows(data.X[rows])
        decided = decided.reshape(len(rows), len(bag.settings), len(pairs))
        decided *= bag.is_solved  # what was cut short says nothing
        t[np.ix_(bag.settings, columns)] = decided[place, :, judges.pair[columns]].T


def decisions_of_rows(
    bags: Sequence[TrainedBag],
    data: TrainingSet,
    pairs: Ints,
    settings: Sequence[Setting],
    part: Ints,
    weight_of_part: Floats,
    n_threads: int,
) -> Floats:
    """Return the mean decision of every row and pair, (n, pairs).

    ``weight_of_part`` (parts, settings, pairs) are the weights for the rows of a part.
    Machines say of rows that they were trained on what they say without them.
    """
    m = np.zeros((len(data.X), len(pairs)))
    for bag in bags:
        own = np.zeros_like(weight_of_part)
        own[:, bag.settings] = weight_of_part[:, bag.settings]
        if not own.any():
            continue
        machines = bag.machines.with_weights(own.max(axis=0)).without_idle_rows()
        decider = make_decider(machines, settings, len(pairs), n_threads)
        for k, weights in enumerate(own):
            if not weights.any():
                continue
            rows = np.flatnonzero(part == k)
            told = decider.with_weights(weights)
            decided = np.zeros((len(rows), len(pairs)))
            for block in decider.blocks(len(rows)):
                decided[block] = _decide_others(
                    told, bag.is_foreign, data, pairs, rows[block]
                )
            for pair, of_pair in enumerate(bag.pair_rows):
                some = np.flatnonzero(part[of_pair] == k)
                place = np.searchsorted(rows, of_pair[some])
                decided[place, pair] = np.einsum(
                    "s,sn->n",
                    weights[bag.settings, pair],
                    bag.left_out[pair][:, some],
                )
            m[rows] += decided
    return m


def _decide_others(
    decider: Decider, is_foreign: Bools, data: TrainingSet, pairs: Ints, rows: Ints
) -> Floats:
    """Return what machines say; of groups in the bag, in others' pairs alone."""
    decided = np.zeros((len(rows), len(pairs)))
    is_known = ~is_foreign[rows]
    has_third_class = data.n_classes > 2
    asked = ~is_known | has_third_class
    if not asked.any():
        return decided
    seen = np.zeros((len(decider.sights), *data.X[rows].shape))
    seen[:, asked] = decider.look(data.X[rows[asked]])
    new = np.flatnonzero(~is_known)
    if len(new):
        decided[new] = decider.decide(seen[:, new])
    label = data.label[rows]
    for c in range(data.n_classes):
        # most rows are of frequent classes, most pairs are not: each asks its own
        others = (pairs != c).all(axis=1)
        known = np.flatnonzero(is_known & (label == c))
        if others.any() and len(known):
            some = decider.some(others[decider.machines.pair])
            decided[known] = some.decide(seen[:, known])
    return decided
