"""Leave-group-out decisions against machines trained without the group."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.svm import SVC

from isvmde.core.kernels import squared_distances
from isvmde.core.solver import LINEAR, POLY, RBF, BatchSolver, Tasks
from isvmde.core.solver.groups import next_in_group
from tests.core.reference import Problem, without_group

KERNELS = {"linear": (LINEAR, 0.0), "rbf": (RBF, 0.25), "poly": (POLY, 3.0)}
LARGE = 0.1  # share of the multipliers from which on a group is trained without


def two_clouds(seed, n_pos=50, n_neg=70, features=4):
    """Two overlapping clouds, the + samples first."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n_pos + n_neg, features))
    X[:n_pos] += 0.7
    return X, np.repeat([1.0, -1.0], [n_pos, n_neg])


def random_groups(seed, n, largest=4):
    """Groups of one to ``largest`` rows, of both classes."""
    rng = np.random.default_rng(seed)
    sizes = rng.integers(1, largest + 1, n)
    return rng.permutation(np.repeat(np.arange(n), sizes)[:n])


def solve(problem, weight, U, groups=None, *, left_out=True, **options):
    """Solve one pair; its + samples come first."""
    n, n_pos = len(problem.y), int((problem.y > 0).sum())
    tasks = Tasks(
        start_pos=np.array([0]),
        end_pos=np.array([n_pos]),
        start_neg=np.array([n_pos]),
        end_neg=np.array([n]),
        base=np.array([0]),
        kernel=np.array([problem.kernel]),
        parameter=np.array([problem.parameter]),
        U_pos=np.array([U[0]]),
        U_neg=np.array([U[1]]),
    )
    with BatchSolver(
        problem.base[None],
        weight,
        tol=1e-10,
        max_steps=100_000,
        left_out=left_out,
        groups=groups,
        **options,
    ) as solver:
        return solver.solve(tasks, with_beta=True)


def make_problem(X, y, kernel, U, weight=None):
    """Return the problem of one pair, with margins 1."""
    weight = np.ones(len(y)) if weight is None else weight
    code, parameter = KERNELS[kernel]
    return Problem(X, y, np.ones(len(y)), np.where(y > 0, *U) * weight, code, parameter)


def kinds(alpha, box):
    """Say of every sample whether it is at 0, free, or at its bound."""
    slack = 1e-7 * box
    return np.where(alpha <= slack, 0, np.where(alpha >= box - slack, 2, 1))


def several_rows(groups):
    """Yield the groups of more than one row, as masks."""
    for code in np.unique(groups):
        group = groups == code
        if group.sum() > 1:
            yield group


def is_large(alpha, group):
    """Tell whether the dual is solved again without the group."""
    return alpha[group].sum() >= LARGE * alpha.sum() * (1 - 1e-12)


@pytest.mark.parametrize("C", [1.0, 10.0, 50.0])
def test_estimates_agree_with_machines_trained_without_the_group(C):
    ours, theirs, signs = [], [], []
    n_exact = 0
    for seed in range(3):
        X, y = two_clouds(seed)
        groups = random_groups(seed, len(y))
        problem = make_problem(X, y, "rbf", (C, C))
        solved = solve(problem, np.ones(len(y)), (C, C), groups)
        before = kinds(np.abs(solved.beta), problem.U)
        for code in np.unique(groups):
            group = groups == code
            svc = SVC(C=C, gamma=0.25, tol=1e-8).fit(X[~group], y[~group])
            decision = svc.decision_function(X[group])
            ours.append(solved.f[group])
            theirs.append(decision)
            signs.append(y[group])
            alpha = np.zeros((~group).sum())
            alpha[svc.support_] = np.abs(svc.dual_coef_[0])
            if (kinds(alpha, problem.U[~group]) == before[~group]).all():
                np.testing.assert_allclose(
                    solved.f[group], decision, rtol=1e-5, atol=1e-5
                )
                n_exact += 1
    assert n_exact >= 3
    f, true, y = map(np.concatenate, (ours, theirs, signs))
    assert np.corrcoef(y * f, y * true)[0, 1] > 0.9
    assert np.mean(np.sign(f) == np.sign(true)) >= 0.93
    flattery = np.mean(y * true < 0) - np.mean(y * f < 0)
    assert -0.04 <= flattery <= 0.02
    assert np.mean(np.clip(y * f, -1, 1) - np.clip(y * true, -1, 1)) <= 0.02


@pytest.mark.parametrize("U", [(1.0, 0.5), (50.0, 20.0)], ids=["soft", "hard"])
@pytest.mark.parametrize("kernel", KERNELS)
def test_the_factor_gives_what_the_whole_system_gives(kernel, U):
    n_checked, n_mixed = 0, 0
    for seed in range(6):
        X, y = two_clouds(seed)
        rng = np.random.default_rng(seed)
        weight = rng.integers(1, 4, len(y)).astype(float)
        problem = make_problem(X, y, kernel, U, weight)
        # pairs of rows: whichever free sample is the reference, its group is here
        groups = rng.permutation(np.repeat(np.arange(60), 2))
        plain = solve(problem, weight, U, left_out=False)
        solved = solve(problem, weight, U, groups)
        alpha = np.abs(solved.beta)
        kind = kinds(alpha, problem.U)
        for group in several_rows(groups):
            outside = (kind == 1) & ~group
            if is_large(alpha, group) or not outside.any():
                continue
            expected = without_group(problem, alpha, plain.f, group)
            np.testing.assert_allclose(
                solved.f[group], expected, rtol=1e-8, atol=1e-8 * np.abs(plain.f).max()
            )
            n_checked += 1
            n_mixed += set(kind[group]) == {1, 2}
    assert n_checked > 100
    assert n_mixed > 5


@pytest.mark.parametrize("largest", [10, 40])
def test_larger_groups_give_what_the_whole_system_gives(largest):
    X, y = two_clouds(3, 200, 300)
    groups = random_groups(3, len(y), largest)
    problem = make_problem(X, y, "rbf", (5.0, 5.0))
    plain = solve(problem, np.ones(len(y)), (5.0, 5.0), left_out=False)
    solved = solve(problem, np.ones(len(y)), (5.0, 5.0), groups)
    alpha = np.abs(solved.beta)
    small = [group for group in several_rows(groups) if not is_large(alpha, group)]
    assert len(small) > 5
    for group in small:
        expected = without_group(problem, alpha, plain.f, group)
        np.testing.assert_allclose(solved.f[group], expected, atol=1e-8)


@pytest.mark.parametrize("kernel", KERNELS)
def test_a_large_group_is_trained_without(kernel):
    X, y = two_clouds(0)
    U = (2.0, 2.0)
    problem = make_problem(X, y, kernel, U)
    groups = np.arange(len(y)) % 4
    solved = solve(problem, np.ones(len(y)), U, groups)
    for group in several_rows(groups):
        rest = make_problem(X[~group], y[~group], kernel, U).solve()
        whole = Problem(X, y, problem.margin, problem.U, *KERNELS[kernel])
        expected = whole.K[np.ix_(group, ~group)] @ (y[~group] * rest.alpha) + rest.b
        np.testing.assert_allclose(solved.f[group], expected, atol=1e-6)
    plain = solve(problem, np.ones(len(y)), U)
    for name in ("beta", "intercept", "support_weight", "steps"):
        np.testing.assert_array_equal(getattr(solved, name), getattr(plain, name))


@pytest.mark.parametrize("largest_face", [0, 400])
@pytest.mark.parametrize("U", [(0.01, 0.01), (5.0, 2.0)], ids=["vertex", "free"])
@pytest.mark.parametrize("kernel", KERNELS)
def test_a_row_without_companions_is_left_out_as_ever(kernel, U, largest_face):
    X, y = two_clouds(1)
    problem = make_problem(X, y, kernel, U)
    options = {"largest_face": largest_face}
    plain = solve(problem, np.ones(len(y)), U, **options)
    distinct = np.random.default_rng(0).permutation(len(y)) - 50
    alone = solve(problem, np.ones(len(y)), U, distinct, **options)
    np.testing.assert_array_equal(alone.f, plain.f)
    groups = random_groups(1, len(y))
    some = solve(problem, np.ones(len(y)), U, groups, **options)
    single = np.bincount(groups)[groups] == 1
    assert single.any()
    np.testing.assert_array_equal(some.f[single], plain.f[single])
    assert (some.f != plain.f)[~single].any()


def test_a_group_that_carries_nothing_is_not_missed():
    X, y = two_clouds(0)
    problem = make_problem(X, y, "rbf", (5.0, 5.0))
    plain = solve(problem, np.ones(len(y)), (5.0, 5.0), left_out=False)
    silent = np.flatnonzero(plain.beta == 0.0)[:6]
    groups = np.arange(len(y))
    groups[silent] = silent[0]
    solved = solve(problem, np.ones(len(y)), (5.0, 5.0), groups)
    np.testing.assert_array_equal(solved.f[silent], plain.f[silent])


def test_a_row_of_weight_two_leaves_as_two_rows_of_its_group_do():
    X, y = two_clouds(2)
    n = len(y)
    groups = random_groups(2, n)
    U = (5.0, 5.0)
    problem = make_problem(X, y, "rbf", U)
    twice = np.repeat(np.arange(n), 2)
    doubled = make_problem(X[twice], y[twice], "rbf", U)
    heavy = solve(problem, np.full(n, 2.0), U, groups).f
    np.testing.assert_allclose(
        solve(doubled, np.ones(2 * n), U, groups[twice]).f, heavy[twice], atol=1e-6
    )


def test_a_twin_in_another_group_takes_over():
    """Every row is in two groups: the other one takes over what is below its bound."""
    X, y = two_clouds(2)
    n = len(y)
    U = (5.0, 5.0)
    doubled = make_problem(X[np.repeat(np.arange(n), 2)], np.repeat(y, 2), "rbf", U)
    groups = np.arange(n)[:, None] // 2 + [0, n]
    plain = solve(doubled, np.ones(2 * n), U, left_out=False)
    solved = solve(doubled, np.ones(2 * n), U, groups.ravel())
    kind = kinds(np.abs(plain.beta), doubled.U).reshape(n, 2)
    can_rise = (kind[:, ::-1] < 2) | (kind == 0)
    held = can_rise.reshape(-1, 2, 2).all(axis=1)
    held = np.tile(held[:, None, :], (1, 2, 1)).ravel()
    carries = np.bincount(groups.ravel(), np.abs(plain.beta))[groups.ravel()] > 0.0
    assert (held & carries).sum() > 20
    np.testing.assert_allclose(solved.f[held], plain.f[held], atol=1e-8)
    assert (y.repeat(2) * (solved.f - plain.f) < 0.0)[~held].any()


@pytest.mark.parametrize("U", [(1.0, 0.5), (50.0, 20.0)], ids=["soft", "hard"])
@pytest.mark.parametrize("kernel", KERNELS)
def test_the_bound_never_looks_better_than_the_rule(kernel, U):
    for seed in range(3):
        X, y = two_clouds(seed)
        groups = random_groups(seed, len(y))
        problem = make_problem(X, y, kernel, U)
        rule = solve(problem, np.ones(len(y)), U, groups)
        bound = solve(problem, np.ones(len(y)), U, groups, largest_face=0)
        several = np.bincount(groups)[groups] > 1
        better = (y * bound.f - y * rule.f)[several]
        assert better.max() <= 1e-7 * np.abs(rule.f).max()
        assert better.min() < 0.0


def test_the_bound_is_exact_for_rows_that_share_a_place():
    """Every class member is as far from all others; the group's two are one point."""
    X = np.repeat(1000.0 * np.random.default_rng(0).normal(size=(30, 3)), 2, axis=0)
    y = np.repeat([1.0, -1.0], [20, 40])
    groups = np.repeat(np.arange(30), 2)
    U = (50.0, 20.0)
    problem = make_problem(X, y, "rbf", U)
    exact = solve(problem, np.ones(60), U, groups)
    bound = solve(problem, np.ones(60), U, groups, largest_face=0)
    np.testing.assert_allclose(bound.f, exact.f, atol=1e-7)


@pytest.mark.parametrize("largest_face", [0, 400])
@pytest.mark.parametrize("kernel", KERNELS)
def test_without_a_class_the_other_one_has_the_word(kernel, largest_face):
    X, y = two_clouds(0, 6, 30)
    problem = make_problem(X, y, kernel, (5.0, 5.0))

    def left_out(groups):
        options = {"largest_face": largest_face}
        return solve(problem, np.ones(36), (5.0, 5.0), groups, **options).f

    all_of_the_rare = left_out(np.maximum(np.arange(36), 5))
    assert (all_of_the_rare[:6] == -1.0).all()
    with_others = left_out(np.maximum(np.arange(36), 9))
    assert (with_others[:10] == -1.0).all()
    all_of_the_common = left_out(np.minimum(np.arange(36), 6))
    assert (all_of_the_common[6:] == 1.0).all()
    assert (left_out(np.zeros(36, np.int64)) == 0.0).all()
    by_class = left_out((y > 0).astype(np.int64))
    np.testing.assert_array_equal(by_class, -y)


@pytest.mark.parametrize("largest_face", [0, 400])
@pytest.mark.parametrize("U", [(1e-4, 1e-4), (1.0, 1.0), (1e3, 1e3)])
@pytest.mark.parametrize("kernel", KERNELS)
def test_identical_and_collinear_rows_give_sane_values(kernel, U, largest_face):
    rng = np.random.default_rng(0)
    n = 60
    y = np.repeat([1.0, -1.0], [24, 36])
    triplets = np.repeat(rng.normal(size=(n // 3, 3)), 3, axis=0)
    near = triplets + 1e-7 * rng.normal(size=(n, 3))
    line = np.linspace(-1.0, 1.0, n)[:, None]
    across = np.roll(np.arange(n) // 3, 1)  # a triplet in two groups
    for X in (triplets, near, line, np.round(line, 1), np.zeros((n, 2))):
        for groups in (np.arange(n) // 3, across):
            problem = make_problem(X, y, kernel, U)
            options = {"largest_face": largest_face}
            plain = solve(problem, np.ones(n), U, left_out=False, **options)
            f = solve(problem, np.ones(n), U, groups, **options).f
            assert np.isfinite(f).all()
            # |S_pq| <= |rho_p| |rho_q|, and no two rows are farther apart than this
            widest = 4.0 * np.abs(problem.K).max()
            carried = np.bincount(groups, np.abs(plain.beta))[groups]
            limit = 3.0 + np.abs(plain.f) + widest * carried * (1.0 + 1e-6)
            large = carried >= 0.09 * np.abs(plain.beta).sum()
            assert (np.abs(f) <= limit)[~large].all()


def test_near_copies_leave_as_copies_do():
    """Digits are not lost where the rows of a group are almost the same."""
    rng = np.random.default_rng(0)
    places, y = rng.normal(size=(40, 4)), np.repeat([1.0, -1.0], [48, 72])
    groups = np.repeat(np.arange(40), 3)
    for distance in (1e-2, 1e-4, 1e-5):
        X = np.repeat(places, 3, axis=0) + distance * rng.normal(size=(120, 4))
        problem = make_problem(X, y, "rbf", (1e3, 1e3))
        plain = solve(problem, np.ones(120), (1e3, 1e3), left_out=False)
        solved = solve(problem, np.ones(120), (1e3, 1e3), groups)
        alpha = np.abs(solved.beta)
        for group in several_rows(groups):
            if not is_large(alpha, group):
                expected = without_group(problem, alpha, plain.f, group)
                np.testing.assert_allclose(
                    solved.f[group], expected, rtol=1e-4, atol=1e-4
                )


def three_classes():
    """Return samples sorted by class, with groups across classes, and a table."""
    rng = np.random.default_rng(0)
    start = np.array([0, 20, 50, 90])
    X = (
        rng.normal(size=(90, 3))
        + 0.5 * np.repeat(np.arange(3), np.diff(start))[:, None]
    )
    plus, minus = np.array([0, 2, 2]), np.array([1, 0, 1])
    tasks = Tasks(
        start_pos=np.tile(start[plus], 4),
        end_pos=np.tile(start[plus + 1], 4),
        start_neg=np.tile(start[minus], 4),
        end_neg=np.tile(start[minus + 1], 4),
        base=np.zeros(12, np.int64),
        kernel=np.full(12, RBF),
        parameter=np.repeat([0.05, 0.5, 2.0, 2.0], 3),
        U_pos=np.repeat([1.0, 5.0, 0.01, 50.0], 3),
        U_neg=np.repeat([1.0, 2.0, 0.01, 50.0], 3),
    )
    return X, rng.integers(0, 30, 90), tasks


def solve_table(X, groups, tasks, **options):
    with BatchSolver(
        squared_distances(X)[None],
        np.ones(len(X)),
        tol=1e-8,
        max_steps=100_000,
        left_out=True,
        groups=groups,
        **options,
    ) as solver:
        return solver.solve(tasks)


@pytest.mark.parametrize("largest_face", [10, 400])
def test_threads_give_the_same_bits(largest_face):
    X, groups, tasks = three_classes()
    one = solve_table(X, groups, tasks, largest_face=largest_face)
    for _ in range(3):
        two = solve_table(X, groups, tasks, largest_face=largest_face, n_threads=2)
        np.testing.assert_array_equal(two.f, one.f)


def test_rows_of_a_third_class_do_not_matter():
    X, groups, tasks = three_classes()
    solved = solve_table(X, groups, tasks)
    for task in range(len(tasks)):
        rows = np.r_[
            tasks.start_pos[task] : tasks.end_pos[task],
            tasks.start_neg[task] : tasks.end_neg[task],
        ]
        n_pos = tasks.end_pos[task] - tasks.start_pos[task]
        y = np.where(np.arange(len(rows)) < n_pos, 1.0, -1.0)
        U = tasks.U_pos[task], tasks.U_neg[task]
        gamma = tasks.parameter[task]
        margin, box = np.ones(len(rows)), np.where(y > 0, *U)
        pair = Problem(X[rows], y, margin, box, RBF, gamma)
        alone = solve(pair, np.ones(len(rows)), U, groups[rows])
        f = solved.f[solved.offset[task] : solved.offset[task + 1]]
        np.testing.assert_allclose(f, alone.f, atol=1e-5)


def test_names_of_groups_do_not_matter():
    X, groups, tasks = three_classes()
    renamed = np.random.default_rng(1).permutation(10**6)[groups] - 10**5
    expected = solve_table(X, groups, tasks)
    np.testing.assert_array_equal(solve_table(X, renamed, tasks).f, expected.f)


@settings(max_examples=40, deadline=None)
@given(data=st.data())
def test_every_input_has_finite_answers(data):
    n_pos, n_neg = data.draw(st.integers(1, 12)), data.draw(st.integers(1, 12))
    n = n_pos + n_neg
    rng = np.random.default_rng(data.draw(st.integers(0, 2**32)))
    X = np.round(rng.normal(size=(n, data.draw(st.integers(1, 3)))), 1)
    groups = rng.integers(0, data.draw(st.integers(1, n)), n)
    weight = rng.integers(1, 4, n).astype(float)
    y = np.repeat([1.0, -1.0], [n_pos, n_neg])
    U = tuple(10.0 ** rng.uniform(-4, 3, 2))
    problem = make_problem(X, y, data.draw(st.sampled_from(list(KERNELS))), U, weight)
    options = {"largest_face": data.draw(st.sampled_from([0, 1, 3, 400]))}
    plain = solve(problem, weight, U, left_out=False)
    f = solve(problem, weight, U, groups, **options).f
    assert np.isfinite(f).all()
    carried = np.bincount(groups, np.abs(plain.beta))[groups]
    same_class = (groups[:, None] == groups) & (y[:, None] == y)
    has_class = same_class.sum(axis=1) < np.where(y > 0, n_pos, n_neg)
    for group in several_rows(groups):
        if (carried[group] == 0.0).all() and has_class[group].all():
            # The last digits depend on the order in which a library adds.
            np.testing.assert_allclose(f[group], plain.f[group], rtol=1e-9, atol=1e-9)


def test_the_next_row_of_a_group():
    codes = np.array([7, 3, 7, 5, 3, 7])
    assert next_in_group(codes).tolist() == [2, 4, 5, 3, 1, 0]


def test_groups_are_refused_where_nothing_is_left_out():
    X, y = two_clouds(0)
    problem = make_problem(X, y, "rbf", (1.0, 1.0))
    with pytest.raises(ValueError, match="left_out=True"):
        solve(problem, np.ones(120), (1.0, 1.0), np.zeros(120), left_out=False)
    with pytest.raises(ValueError, match="one group code per row"):
        solve(problem, np.ones(120), (1.0, 1.0), np.zeros(7))
