"""The rows of a training set in an order in which every problem is two runs of them.

The solver takes a task as two runs, from a row to a row. Rows are sorted by class, so a
side of one class is a run, and so are classes that follow one another. Where a side has
others in between, its rows are listed once more behind.
"""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from isvmde.core.arrays import Ints
from isvmde.core.decomposition import BinaryProblem
from isvmde.core.training_set import TrainingSet


class SolverRuns(NamedTuple):
    """Rows for the solver, and where among them those of every problem are."""

    rows: Ints  # of the training set, some of them several times
    # (problems,) the runs of + and of -: their first rows, and those behind their last
    start_pos: Ints
    end_pos: Ints
    start_neg: Ints
    end_neg: Ints


def solver_runs(data: TrainingSet, problems: Sequence[BinaryProblem]) -> SolverRuns:
    """Return rows in which both sides of every problem are runs.

    Examples
    --------
    >>> import numpy as np
    >>> from isvmde.core.decomposition import OneVsRest
    >>> from isvmde.core.training_set import training_set
    >>> data = training_set(np.zeros((3, 1)), np.arange(3), np.ones(3), 3)
    >>> runs = solver_runs(data, OneVsRest(data.class_size).problems)
    >>> runs.rows  # classes 0 and 2 are the rest of 1
    array([0, 1, 2, 0, 2])
    >>> int(runs.start_pos[1]), int(runs.end_pos[1])
    (1, 2)
    >>> int(runs.start_neg[1]), int(runs.end_neg[1])
    (3, 5)
    """
    parts, length = [np.arange(len(data.X))], len(data.X)
    run_of_side: dict[tuple[int, ...], slice] = {}
    for side in (side for problem in problems for side in problem):
        if side in run_of_side:
            continue
        first, last = side[0], side[-1]
        if side == tuple(range(first, last + 1)):
            start, end = data.rows(first).start, data.rows(last).stop
        else:
            rows = data.rows_of(side)
            parts.append(rows)
            start, end = length, length + len(rows)
            length = end
        run_of_side[side] = slice(start, end)
    plus = [run_of_side[problem.plus] for problem in problems]
    minus = [run_of_side[problem.minus] for problem in problems]
    return SolverRuns(
        rows=np.concatenate(parts),
        start_pos=np.array([run.start for run in plus]),
        end_pos=np.array([run.stop for run in plus]),
        start_neg=np.array([run.start for run in minus]),
        end_neg=np.array([run.stop for run in minus]),
    )
