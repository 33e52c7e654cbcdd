"""What machines say of rows: without them where they know them, plainly elsewhere."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from isvmde.core.averaging.bags import Budget
from isvmde.core.averaging.judging import (
    decisions_of_judges,
    decisions_of_rows,
    find_rows,
)
from isvmde.core.averaging.settings import N_PARTS
from isvmde.core.averaging.weighing import list_judges

SMALL = Budget(work=5_000.0)
TABLES = {
    "whole": {},
    "sampled": {"budget": SMALL},
    "grouped": {"budget": SMALL, "group": lambda n: np.arange(n) // 3},
}


@pytest.fixture(scope="module", params=TABLES.values(), ids=TABLES)
def trained(request, make_table, train):
    return train(make_table([60, 30, 8], n_settings=12, **request.param))


@pytest.fixture(scope="module")
def expected(trained, in_numpy):
    """Return tanh f of every setting, row and pair, rows left out where known."""
    table = trained.table
    shape = len(table.settings), len(table.data.X), len(table.pairs)
    t = np.empty(shape)
    for bag, assignment, solved in zip(
        trained.bags, trained.assignments, trained.solved, strict=True
    ):
        f = in_numpy(assignment, solved.beta, solved.intercept, table.data.X)
        place = 0
        for p, own in enumerate(assignment.rows):
            left_out = solved.left_out[:, place : place + len(own)]
            f[:, bag.rows[own], p] = left_out
            place += len(own)
        t[bag.settings] = np.tanh(f)
    return t


def judges_of(table):
    return list_judges(
        table.data, table.pairs, table.plan.judges, table.part, table.block
    )


def of_judges(trained, n_threads=1):
    table, judges = trained.table, judges_of(trained.table)
    t = decisions_of_judges(
        trained.bags, judges, table.data, table.pairs, table.settings, n_threads
    )
    return judges, t


def test_rows_are_found_among_others():
    place, is_there = find_rows(np.array([5, 1, 9, 2]), np.array([9, 2, 5]))
    assert is_there.tolist() == [True, False, True, True]
    assert place[is_there].tolist() == [2, 0, 1]


def test_judges_hear_what_numpy_computes(trained, expected):
    judges, t = of_judges(trained)
    assert_allclose(t, expected[:, judges.row, judges.pair], atol=1e-6)


def test_some_judges_are_known_and_some_are_new(trained):
    """Where it is sampled: else the test above would show less than it says."""
    judges = trained.table.plan.judges
    known = [np.isin(judges, bag.rows).mean() for bag in trained.bags]
    if trained.table.plan.is_whole:
        assert known == [1.0]
    else:
        assert 0.1 < np.mean(known) < 0.9


def test_bits_do_not_depend_on_threads(trained):
    assert_array_equal(of_judges(trained)[1], of_judges(trained, n_threads=2)[1])


def weights_of_parts(table):
    """Return random weights, some of them zero, (parts, settings, pairs)."""
    random = np.random.default_rng(0)
    shape = N_PARTS, len(table.settings), len(table.pairs)
    weight = np.where(random.random(shape) < 0.6, random.random(shape), 0.0)
    if len(table.plan.bags) > 1:
        weight[:, table.plan.bags[-1].settings] = 0.0  # a bag that nobody asks
    return weight


def of_rows(trained, weight, n_threads=1):
    table = trained.table
    return decisions_of_rows(
        trained.bags,
        table.data,
        table.pairs,
        table.settings,
        table.part,
        weight,
        n_threads,
    )


def test_rows_hear_the_mean_with_the_weights_of_their_part(trained, expected):
    table = trained.table
    weight = weights_of_parts(table)
    mean = np.einsum("nsp,snp->np", weight[table.part], expected)
    assert_allclose(of_rows(trained, weight), mean, atol=1e-6)


def test_nor_do_bits_of_rows_depend_on_threads(trained):
    weight = weights_of_parts(trained.table)
    assert_array_equal(of_rows(trained, weight), of_rows(trained, weight, 2))


def test_without_weights_nothing_is_heard(trained):
    table = trained.table
    nothing = np.zeros((N_PARTS, len(table.settings), len(table.pairs)))
    assert not of_rows(trained, nothing).any()


def test_what_was_cut_short_says_nothing_of_judges(trained):
    """Neither of those it was trained on, which `solving` sees to, nor of new ones."""
    judges = judges_of(trained.table)
    cut = [
        bag._replace(
            is_solved=np.zeros_like(bag.is_solved),
            left_out=[np.zeros_like(own) for own in bag.left_out],
        )
        for bag in trained.bags
    ]
    table = trained.table
    t = decisions_of_judges(cut, judges, table.data, table.pairs, table.settings, 1)
    assert not t.any()


@pytest.mark.parametrize("trained", [TABLES["grouped"]], indirect=True, ids=[""])
def test_no_row_judges_a_machine_that_its_group_trained(trained):
    """Rows that are not known to a bag have no other row of their group in it."""
    data = trained.table.data
    for bag in trained.bags:
        new = np.setdiff1d(np.arange(len(data.X)), bag.rows)
        assert not np.isin(data.group[new], data.group[bag.rows]).any()
