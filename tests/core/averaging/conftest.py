"""What the tests of the averaging room share."""

from types import SimpleNamespace

import numpy as np
import pytest

from isvmde.core.averaging.average import lay_out
from isvmde.core.averaging.bags import Budget
from isvmde.core.averaging.judging import train_bag
from isvmde.core.averaging.settings import SettingDraw, SettingSpace
from isvmde.core.averaging.solving import solve_settings
from isvmde.core.decomposition.one_vs_one import OneVsOne
from isvmde.core.training_set import training_set


@pytest.fixture(scope="session")
def make_table(make_blobs):
    """Return a function from sizes of classes to a table that is laid out."""

    def make(sizes, *, n_settings=30, budget=None, group=None, tol=1e-6, seed=0):
        given = make_blobs(sizes)
        codes = None if group is None else group(len(given.y))
        data = training_set(
            given.X, given.y, np.ones(len(given.y)), len(sizes), group=codes
        )
        return lay_out(
            data=data,
            pairs=OneVsOne(data.class_size, data.class_rank).pairs,
            draw=SettingDraw(n_settings, SettingSpace(cost=(0.1, 50.0)), seed),
            tol=tol,
            budget=Budget() if budget is None else budget,
            seed=seed,
        )

    return make


@pytest.fixture(scope="session")
def train():
    """Return a function from a table to its bags, what was solved and the machines."""

    def trained(table):
        assignments = [table.assignment(bag) for bag in table.plan.bags]
        solved = [solve_settings(assignment) for assignment in assignments]
        bags = [
            train_bag(bag, assignment, solutions, table.data)
            for bag, assignment, solutions in zip(
                table.plan.bags, assignments, solved, strict=True
            )
        ]
        return SimpleNamespace(
            table=table, assignments=assignments, solved=solved, bags=bags
        )

    return trained


def plain_decisions(assignment, beta, intercept, X):
    """Return f of every setting on new rows, (settings, n, pairs), in NumPy.

    ``beta`` (settings, rows of all pairs) and ``intercept`` (settings, pairs).
    """
    data, views = assignment.data, assignment.views
    f = np.empty((len(assignment.settings), len(X), len(assignment.pairs)))
    for s, setting in enumerate(assignment.settings):
        seen, known = (views.see(rows, setting.sight) for rows in (X, data.X))
        K, first = setting.for_solver.between(seen, known), 0
        for p, rows in enumerate(assignment.rows):
            own = beta[s, first : first + len(rows)]
            f[s, :, p] = K[:, rows] @ own + intercept[s, p]
            first += len(rows)
    return f


@pytest.fixture(scope="session")
def in_numpy():
    """Return what computes decisions in NumPy."""
    return plain_decisions


@pytest.fixture(scope="session")
def solve_here():
    """Return what solves assignments in this thread."""

    def solve(assignments):
        return [solve_settings(assignment) for assignment in assignments]

    return solve
