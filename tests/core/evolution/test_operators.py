"""Operators of differential evolution, with the random numbers given by hand."""

from types import SimpleNamespace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from isvmde.core.evolution import IDE
from isvmde.core.evolution.operators import (
    choose_indices,
    crossover,
    draw_rates,
    mutate,
    superior_share,
)

H = np.array([[0.0, 0.0], [1.0, 2.0], [2.0, 8.0], [4.0, -4.0], [8.0, 6.0]])


def test_superior_share_of_first_middle_and_last_iteration():
    assert superior_share(200, 200) == 1.0
    assert superior_share(160, 200) == pytest.approx(0.1 + 0.9 * 0.1, abs=1e-15)
    assert superior_share(0, 200) == pytest.approx(0.1 + 0.9e-5, abs=1e-15)


def test_mutation_by_hand():
    # Target 0: base 0, attractor 1, r2 = 2, d = (2, 2), F = 0.5:
    #   (0,0) + 0.5 ((1,2) - (0,0)) + 0.5 ((2,8) - (2,2)) = (0.5, 4)
    # Target 1: base 4, attractor 0, r2 = 3, d = (0, 0), F = 0.25:
    #   (8,6) + 0.25 ((0,0) - (8,6)) + 0.25 ((4,-4) - (0,0)) = (7, 3.5)
    v = mutate(
        H,
        o=np.array([0, 4]),
        attractor=np.array([1, 0]),
        r2=np.array([2, 3]),
        d=np.array([[2.0, 2.0], [0.0, 0.0]]),
        F=np.array([0.5, 0.25]),
    )
    np.testing.assert_array_equal(v, [[0.5, 4.0], [7.0, 3.5]])


def test_crossover_takes_up_to_and_including_cr_and_always_j_rand():
    parents, mutants = np.zeros((3, 3)), np.ones((3, 3))
    gate = np.array([[0.1, 0.5, 0.9]] * 3)
    u = crossover(
        parents, mutants, np.array([0.5, 0.0, 1.0]), gate, np.array([0, 2, 1])
    )
    np.testing.assert_array_equal(u, [[1, 1, 0], [0, 0, 1], [1, 1, 1]])


def test_indices_by_hand():
    keys = np.array([[0.1, 0.5, 0.4, 0.3, 0.2]] * 5)
    o = np.array([0, 1, 2, 3, 0])
    better = np.array([0, 0, 1, 0, 0])
    attractor, r2, r3 = choose_indices(o, better, 2, keys)
    # Rows 0, 1, 4: base in S (rows 0 and 1), so three r in the order of the keys.
    # Rows 2, 3: base in I, so better, then two r.
    assert attractor.tolist() == [4, 0, 1, 0, 3]
    assert r2.tolist() == [3, 4, 0, 4, 2]
    assert r3.tolist() == [2, 3, 4, 2, 1]


@given(st.integers(5, 12), st.integers(0, 2**32 - 1), st.booleans())
@settings(deadline=None)
def test_indices_are_distinct_and_spare_target_and_base(n_pop, seed, late):
    rng = np.random.default_rng(seed)
    n_superior = int(rng.integers(1, n_pop + 1))
    i = np.arange(n_pop)
    o = rng.integers(n_pop, size=n_pop) if late else i
    better = rng.integers(n_superior, size=n_pop)
    attractor, r2, r3 = choose_indices(
        o, better, n_superior, rng.random((n_pop, n_pop))
    )
    superior = o < n_superior
    np.testing.assert_array_equal(attractor[~superior], better[~superior])
    assert np.all(attractor[superior] != i[superior])
    assert np.all(attractor != o)
    for r in (r2, r3):
        assert np.all((r != i) & (r != o) & (r != attractor))
    assert np.all(r2 != r3)


def test_random_indices_are_uniform():
    rng = np.random.default_rng(0)
    i = np.arange(5)
    counts = np.zeros((3, 5))
    for _ in range(4000):
        picked = choose_indices(i, i, 5, rng.random((5, 5)))
        for role, r in enumerate(picked):
            counts[role, r[0]] += 1
    assert np.all(counts[:, 0] == 0)
    np.testing.assert_allclose(counts[:, 1:] / 4000, 0.25, atol=0.035)


@given(st.sampled_from(["redraw", "clip"]), st.integers(0, 2**32 - 1))
@settings(deadline=None)
def test_rates_are_in_range(rule, seed):
    mean = np.arange(1, 41) / 40
    rates = draw_rates(mean, rule, np.random.default_rng(seed))
    assert np.all((rates >= 0) & (rates <= 1))
    if rule == "redraw":
        assert np.all(rates > 0)


def test_rates_have_the_rank_as_mean_and_a_tenth_as_deviation():
    draws = draw_rates(np.full(20000, 0.5), "redraw", np.random.default_rng(1))
    assert draws.mean() == pytest.approx(0.5, abs=0.003)
    assert draws.std() == pytest.approx(0.1, abs=0.003)


def test_clipping_piles_up_at_zero_where_redrawing_does_not():
    best = np.full(4000, 1 / 40)
    clipped = draw_rates(best, "clip", np.random.default_rng(2))
    redrawn = draw_rates(best, "redraw", np.random.default_rng(2))
    assert np.mean(clipped == 0) == pytest.approx(0.40, abs=0.03)
    assert np.mean(redrawn == 0) == 0


@given(
    st.floats(-1e6, 1e6),
    st.floats(-1e6, 1e6),
    st.floats(0, 1, exclude_max=True) | st.just(np.nextafter(1.0, 0.0)),
)
@settings(deadline=None)
def test_uniform_values_never_leave_the_bounds(a, b, u):
    lower, upper = min(a, b), max(a, b)
    rng = SimpleNamespace(random=lambda shape: np.full(shape, u))
    first = IDE([lower], [upper], rng=rng).ask()
    assert lower <= first.min() <= first.max() <= upper
