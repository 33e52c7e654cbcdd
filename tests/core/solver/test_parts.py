"""The solver's parts: exponential, Gram rows, Cholesky updates, plain Python form."""

import pkgutil
from importlib import import_module

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import isvmde.core.solver as package
from isvmde.core.kernels import (
    Kernel,
    base_matrix,
    dot_products,
    squared_distances,
)
from isvmde.core.solver import (
    DISTANCE,
    DOT,
    LINEAR,
    MINIMUM,
    POLY,
    RBF,
    BatchSolver,
    Tasks,
    exponential,
    face,
    factor,
    make_workspace,
    problem,
)
from isvmde.core.solver.compilation import compiled
from isvmde.core.solver.problem import BLOCK, MATRIX, Source
from tests.core.reference import Problem, called_from_python, two_clouds

begin, follow = called_from_python(problem.begin), called_from_python(face.follow)
enter, drop = called_from_python(face._enter), called_from_python(factor.drop)
expm1_row = called_from_python(exponential.expm1_row)

LENGTHS = [0, 1, 2, 3, 7, 31, 32, 33, 64, 100, 257]


def relative_error(x):
    """Of expm1_row at x <= 0, against NumPy's expm1 (good to half a unit)."""
    out = np.full(len(x), np.nan)
    expm1_row(-x, -1.0, out)
    exact = np.expm1(x)
    return np.abs(out - exact) / np.maximum(np.abs(exact), np.finfo(float).tiny)


@pytest.mark.parametrize("length", LENGTHS)
@pytest.mark.parametrize("widest", [1e-12, 0.29, 0.31, 30.0, 1e4])
def test_exponential_at_every_length(length, widest):
    # below 0.3 the whole row goes by the series
    x = -np.random.default_rng(length).uniform(0.0, widest, length)
    assert np.all(relative_error(x) <= 1e-15)


def test_exponential_over_the_whole_range():
    x = -np.geomspace(1e-300, 1e300, 200_001)
    assert relative_error(x).max() <= 1e-15
    x = -np.linspace(0.0, 800.0, 200_001)
    assert relative_error(x).max() <= 1e-15
    multiples = -np.log(2.0) * np.arange(0.0, 1100.0, 0.5)  # where it rounds
    near = np.concatenate([np.nextafter(multiples, -np.inf), multiples])
    assert relative_error(near).max() <= 1e-15


def test_exponential_ends_are_exact():
    out = np.full(4, np.nan)
    expm1_row(np.array([0.0, 5.0, 1e10, np.inf]), -1.0, out)
    assert out[0] == 0.0
    assert out[2] == out[3] == -1.0
    expm1_row(np.zeros(4), -1.0, out)
    assert out.tolist() == [0.0] * 4


def test_exponential_writes_only_its_row():
    out = np.full(12, 7.0)
    expm1_row(np.ones(5), -1.0, out[3:8])
    assert np.all(out[[0, 1, 2, 8, 9, 10, 11]] == 7.0)


@compiled
def gram_row(source, work, n, i):
    """The inlined function, which only compiled code can call."""
    return problem.gram_row(source, work, n, i)


@compiled
def padded(n):
    return problem.padded(n)


@pytest.mark.parametrize(("n_1", "n_2"), [(1, 1), (5, 40), (32, 32), (33, 70)])
@pytest.mark.parametrize(
    ("kernel", "parameter"),
    [(LINEAR, 0.0), (RBF, 0.3), (RBF, 5e-5), *((POLY, d) for d in range(1, 9))],
)
@pytest.mark.parametrize("samples", [False, True])
def test_gram_rows_of_two_runs(kernel, parameter, n_1, n_2, samples):
    # the pair's classes lie apart in the training set
    X = np.random.default_rng(0).normal(size=(n_1 + n_2 + 9, 4))
    whole = Problem(X, np.ones(len(X)), np.ones(len(X)), np.ones(len(X)), kernel)
    start_2 = n_1 + 6
    kind = DISTANCE if kernel == RBF else DOT
    spans = 2, 2 + n_1, start_2, start_2 + n_2
    if samples:
        features = np.ascontiguousarray(X.T)
        source = Source(features, kind, *spans, kernel, float(parameter))
    else:
        source = Source(whole.base, MATRIX, *spans, kernel, float(parameter))
    chosen = np.r_[2 : 2 + n_1, start_2 : start_2 + n_2]
    machine_kernel = Kernel(kind, kernel, parameter)
    expected = machine_kernel.between(X[chosen], X[chosen])
    n = n_1 + n_2
    work = make_workspace(n)
    work.gram[:] = np.nan
    begin(source, work, n)
    np.testing.assert_allclose(
        work.diagonal[:n], np.diag(expected), rtol=1e-13, atol=1e-15
    )
    for i in range(n):
        start = gram_row(source, work, n, i)
        row = work.gram[start : start + padded(n)]
        np.testing.assert_allclose(row[:n], expected[i], rtol=1e-12, atol=1e-13)
        assert np.all(row[n:] == 0.0)  # the padding
        assert row[i] == work.diagonal[i]  # bit for bit, whatever the degree


def test_gram_rows_are_computed_once():
    work = make_workspace(3)
    K = np.eye(3)
    source = Source(K, MATRIX, 0, 3, 0, 0, LINEAR, 0.0)
    begin(source, work, 3)
    gram_row(source, work, 3, 1)
    K[:] = 5.0
    start = gram_row(source, work, 3, 1)
    assert work.gram[start : start + 3].tolist() == [0.0, 1.0, 0.0]
    begin(source, work, 3)  # a new problem
    start = gram_row(source, work, 3, 1)
    assert work.gram[start : start + 3].tolist() == [5.0, 5.0, 5.0]


@pytest.mark.parametrize("n", [1, 2, BLOCK - 1, BLOCK, BLOCK + 1, 100])
def test_following_moved_samples(n):
    rng = np.random.default_rng(n)
    K = rng.normal(size=(n, n))
    K = K @ K.T
    for moved in range(n + 1):
        work = make_workspace(n)
        source = Source(K, MATRIX, 0, n, 0, 0, LINEAR, 0.0)
        begin(source, work, n)
        before, after, v = rng.normal(size=(3, n))
        touched = rng.permutation(n)[:moved]
        work.touched[:moved] = touched
        work.before[:moved] = before[touched]
        work.beta[:n], work.v[:n] = after, v
        follow(source, work, n, moved)
        change = np.zeros(n)
        change[touched] = (after - before)[touched]
        np.testing.assert_allclose(work.v[:n], v - K @ change, atol=1e-9 * n)


@settings(max_examples=60, deadline=None)
@given(seed=st.integers(0, 2**32), n=st.integers(2, 40))
def test_cholesky_factor_follows_samples_in_and_out(seed, n):
    rng = np.random.default_rng(seed)
    A = rng.normal(size=(n, n + 5))
    K = A @ A.T
    work = make_workspace(n)
    source = Source(K, MATRIX, 0, n, 0, 0, LINEAR, 0.0)
    begin(source, work, n)
    work.v[:n] = rng.normal(size=n)
    reference, *others = rng.permutation(n)
    m, face = 0, []
    while others and len(face) < n - 1:
        if face and rng.random() < 0.35:
            position = int(rng.integers(len(face)))
            drop(work, m, position)
            face.pop(position)
            m -= 1
        else:
            face.append(others.pop())
            m = enter(source, work, n, m, reference, face[-1])
        assert m == len(face)
        assert work.face[:m].tolist() == face
        np.testing.assert_array_equal(
            work.difference[:m], work.v[face] - work.v[reference]
        )
        if m == 0:
            continue
        # the kernel centred at the reference sample
        columns = K[np.ix_(face, face)] - K[face, reference][:, None]
        centred = columns - K[reference, face] + K[reference, reference]
        factor = np.zeros((m, m))
        factor[np.tril_indices(m)] = work.factor[: m * (m + 1) // 2]
        np.testing.assert_allclose(
            factor, np.linalg.cholesky(centred), atol=1e-8 * np.sqrt(np.trace(centred))
        )


def next_in_python(counter):
    counter[0] += 1
    return counter[0] - 1


@pytest.fixture
def plain_python(monkeypatch):
    """Put the Python form in the place of all compiled functions."""
    modules = [
        import_module(f"{package.__name__}.{found.name}")
        for found in pkgutil.iter_modules(package.__path__)
    ]
    instructions = {
        "fast_max": max,
        "fast_min": min,
        "next_task": next_in_python,
        "power_of_two": lambda rounded: 2.0 ** (rounded - 6755399441055744.0),
    }
    for module in modules:
        for name, value in list(vars(module).items()):
            if name in instructions:
                monkeypatch.setattr(module, name, instructions[name])
            elif hasattr(value, "py_func"):
                monkeypatch.setattr(module, name, value.py_func)


CASES = [(LINEAR, 0.0), (RBF, 0.5), (RBF, 1e-3), (POLY, 1), (POLY, 3), (POLY, 6)]


def small_problems():
    for seed, (kernel, parameter) in enumerate(CASES):
        X, y = two_clouds(seed, 7, 30)
        U = np.where(y > 0, 20.0, 6.0)
        yield Problem(np.round(X, 1), y, np.ones(37), U, kernel, float(parameter))
    # a rank-one kernel: null moves and dependent samples
    y = np.repeat([1.0, -1.0], 20)
    X = y[:, None] + np.linspace(0.0, 0.5, 40)[:, None]
    yield Problem(X, y, np.ones(40), np.full(40, 2.0))


def small_table(**options):
    """Return results of one table of four tasks, over three matrices."""
    X, _ = two_clouds(0, 6, 20)
    tasks = Tasks(
        *np.array([[0] * 4, [6] * 4, [9] * 4, [26] * 4]),
        np.array([0, 1, 0, 2]),
        np.array([LINEAR, RBF, POLY, POLY]),
        np.array([0.0, 0.5, 3.0, 2.0]),
        np.full(4, 9.0),
        np.full(4, 4.0),
    )
    minima = base_matrix(MINIMUM, X - X.min(axis=0))
    with BatchSolver(
        np.stack([dot_products(X), squared_distances(X), minima]),
        np.ones(26),
        tol=1e-9,
        max_steps=1000,
        **options,
    ) as solver:
        return solver.solve(tasks)


def test_plain_python_finds_the_same(request):
    # compiled first: nothing may be compiled while the Python form is in place
    *_, rank_one = small_problems()
    start = np.ones(len(rank_one.y))
    expected = [small.solve().f for small in small_problems()]
    expected_warm = rank_one.solve(alpha=start).f
    tables = (
        {},
        {"left_out": True},
        {"left_out": True, "groups": np.arange(26) // 3},
        {"left_out": True, "groups": np.arange(26) // 3, "largest_face": 0},
        {"left_out": True, "groups": np.arange(26) % 4},
    )
    expected_tables = [small_table(**options) for options in tables]
    request.getfixturevalue("plain_python")
    for small, f in zip(small_problems(), expected, strict=True):
        np.testing.assert_allclose(small.solve().f, f, atol=1e-8)
    np.testing.assert_allclose(rank_one.solve(alpha=start).f, expected_warm, atol=1e-8)
    for options, expected in zip(tables, expected_tables, strict=True):
        table = small_table(**options)
        np.testing.assert_allclose(table.f, expected.f, atol=1e-6)
        assert table.support_weight.tolist() == expected.support_weight.tolist()
