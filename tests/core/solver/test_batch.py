"""Tables of tasks: the same bits in any company, order and number of threads."""

import numpy as np
import pytest

from isvmde.core.decomposition.one_vs_one import make_pairs
from isvmde.core.kernels import dot_products, squared_distances
from isvmde.core.solver import LINEAR, POLY, RBF, BatchSolver, Solved, Tasks
from tests.core.reference import NAMES, Problem, assert_optimal

TOL = 1e-6


class TrainingSet:
    """Four classes of different sizes, sorted, with weights."""

    def __init__(self):
        rng = np.random.default_rng(0)
        sizes = np.array([3, 40, 1, 25])
        self.start = np.concatenate([[0], np.cumsum(sizes)])
        n = self.start[-1]
        self.X = rng.random((n, 3)) + 0.3 * np.repeat(np.arange(4), sizes)[:, None]
        self.weight = rng.integers(1, 4, n).astype(float)
        self.pairs = make_pairs(np.add.reduceat(self.weight, self.start[:-1]))

    def solver(self, **options):
        options = {"tol": TOL, "max_steps": 20_000} | options
        return BatchSolver(
            np.stack([dot_products(self.X), squared_distances(self.X)]),
            self.weight,
            **options,
        )

    def tasks(self, genomes, seed=0):
        rng = np.random.default_rng(seed)
        plus, minus = np.tile(self.pairs, (genomes, 1)).T
        n = len(plus)
        kernel = rng.integers(0, 3, n)
        parameter = np.select(
            [kernel == RBF, kernel == POLY],
            [10.0 ** rng.uniform(-4, 2, n), rng.integers(1, 6, n)],
            0.0,
        )
        U = 10.0 ** rng.uniform(-2, 3, (2, n))
        U[:, rng.random(n) < 0.05] = 0.0  # legal genes
        return Tasks(
            self.start[plus],
            self.start[plus + 1],
            self.start[minus],
            self.start[minus + 1],
            kernel == RBF,
            kernel,
            parameter,
            *U,
        )


@pytest.fixture(scope="module")
def data():
    return TrainingSet()


def chosen(tasks, which):
    return Tasks(*(column[which] for column in vars(tasks).values()))


def results(solved, k):
    """All that is known of task k, as bytes."""
    f = solved.f[solved.offset[k] : solved.offset[k + 1]]
    rest = solved.support_weight[k], solved.violation[k], solved.steps[k]
    return f.tobytes(), *rest


def assert_same_bits(a: Solved, b: Solved):
    for name, x, y in zip(a._fields, a, b, strict=True):
        np.testing.assert_array_equal(x, y, err_msg=name)


def test_each_task_is_the_svm_of_its_pair(data):
    tasks = data.tasks(12)
    with data.solver() as solver:
        solved = solver.solve(tasks)
    assert len(tasks) == 12 * 6
    assert set(tasks.kernel) == {LINEAR, RBF, POLY}
    assert np.all(solved.violation >= 0.0)
    assert np.all(solved.violation <= TOL)
    for k in range(len(tasks)):
        rows = np.r_[
            tasks.start_pos[k] : tasks.end_pos[k], tasks.start_neg[k] : tasks.end_neg[k]
        ]
        n_pos = tasks.end_pos[k] - tasks.start_pos[k]
        y = np.where(np.arange(len(rows)) < n_pos, 1.0, -1.0)
        weight = data.weight[rows]
        problem = Problem(
            data.X[rows],
            y,
            np.ones(len(rows)),
            weight * np.where(y > 0, tasks.U_pos[k], tasks.U_neg[k]),
            int(tasks.kernel[k]),
            float(tasks.parameter[k]),
        )
        single = problem.solve(tol=TOL)
        assert_optimal(problem, single, TOL)
        f = solved.f[solved.offset[k] : solved.offset[k + 1]]
        name = NAMES[problem.kernel]
        np.testing.assert_allclose(
            f, single.f, atol=1e-4 * (1 + np.abs(single.f).max()), err_msg=name
        )
        if problem.kernel != RBF or problem.parameter < 0.1:
            continue  # the multipliers are not unique
        size = np.minimum(problem.U, single.alpha.max())
        support = weight[single.alpha > 1e-8 * size].sum()
        assert solved.support_weight[k] == support


def test_a_batch_is_a_loop_of_single_tasks(data):
    tasks = data.tasks(6)
    with data.solver() as solver:
        together = solver.solve(tasks)
    for k in range(len(tasks)):
        with data.solver() as fresh:
            alone = fresh.solve(chosen(tasks, slice(k, k + 1)))
        assert results(together, k) == results(alone, 0)


@pytest.mark.parametrize("n_threads", [2, 3, 8])
def test_threads_give_the_same_bits(data, n_threads):
    tasks = data.tasks(25)
    with data.solver() as one, data.solver(n_threads=n_threads) as several:
        expected = one.solve(tasks)
        for _ in range(3):
            assert_same_bits(several.solve(tasks), expected)


def test_order_does_not_matter(data):
    tasks = data.tasks(6)
    order = np.random.default_rng(1).permutation(len(tasks))
    with data.solver() as solver:
        expected, shuffled = solver.solve(tasks), solver.solve(chosen(tasks, order))
    for place, k in enumerate(order):
        assert results(shuffled, place) == results(expected, k)


def test_smaller_and_larger_tables_leave_no_trace(data):
    tasks = data.tasks(6)
    small = tasks.sizes <= 5
    assert small.any()
    with data.solver() as solver:
        before = solver.solve(chosen(tasks, small))  # memory for small pairs only
        solver.solve(tasks)  # grows
        after = solver.solve(chosen(tasks, small))
    assert_same_bits(before, after)


def test_an_empty_table(data):
    with data.solver() as solver:
        solved = solver.solve(data.tasks(0))
    assert solved.offset.tolist() == [0]
    assert len(solved.f) == len(solved.violation) == 0


def test_fewer_tasks_than_threads(data):
    tasks = chosen(data.tasks(1), slice(0, 2))
    with data.solver() as one, data.solver(n_threads=4) as four:
        assert_same_bits(four.solve(tasks), one.solve(tasks))


def test_read_only_data_is_accepted(data):
    dot, distance = dot_products(data.X), squared_distances(data.X)
    weight = data.weight.copy()
    for array in (dot, distance, weight):
        array.setflags(write=False)
    tasks = data.tasks(2)
    with (
        BatchSolver(
            np.stack([dot, distance]), weight, tol=TOL, max_steps=20_000
        ) as read_only,
        data.solver() as writable,
    ):
        assert_same_bits(read_only.solve(tasks), writable.solve(tasks))


def test_steps_are_bounded_and_the_violation_is_told(data):
    tasks = data.tasks(10)
    with data.solver(max_steps=3) as solver:
        solved = solver.solve(tasks)
    assert solved.steps.max() <= 3
    assert np.any(solved.violation > TOL)
    assert np.all(np.isfinite(solved.f))


def test_classes_without_cost_have_violation_zero(data):
    tasks = chosen(data.tasks(1), slice(0, 1))
    free_of_charge = Tasks(
        *list(vars(tasks).values())[:7], np.array([5.0]), np.array([0.0])
    )
    with data.solver() as solver:
        solved = solver.solve(free_of_charge)
    assert solved.violation.tolist() == [0.0]
    assert solved.support_weight.tolist() == [0.0]
    np.testing.assert_array_equal(solved.f, 1.0)
