"""IDE as a whole: laws, wiring, following individuals, stopping and resuming."""

import io
import json

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from isvmde.core.evolution import IDE

LOWER, UPPER = np.array([-5.0, 0.0, 2.0]), np.array([5.0, 1.0, 2.5])


def sphere(x):
    return ((x - 0.3) ** 2).sum(axis=1)


def make(seed=0, **options):
    options = {"pop_size": 8, "max_iter": 30} | options
    return IDE(LOWER, UPPER, rng=np.random.default_rng(seed), **options)


def run(ide, f=sphere, until=None):
    """Run to the end, or to an iteration; the list of all trials."""
    trials = []
    while not ide.done and (until is None or ide.generation < until):
        trials.append(ide.ask())
        ide.tell(trials[-1], f(trials[-1]))
    return trials


def test_asks_one_initial_population_and_max_iter_generations():
    ide = make()
    assert not ide.done
    assert len(run(ide)) == 31
    assert (ide.done, ide.generation) == (True, 30)


def test_initial_population_is_uniform_in_the_bounds():
    population = make(pop_size=4000).ask()
    middle, width = (LOWER + UPPER) / 2, UPPER - LOWER
    np.testing.assert_allclose((population.mean(axis=0) - middle) / width, 0, atol=0.02)
    np.testing.assert_allclose(population.std(axis=0) / width, 12**-0.5, atol=0.01)


def test_given_individuals_come_first():
    start = [[0.0, 0.5, 2.25], [5.0, 1.0, 2.5]]
    first = make(initial=start).ask()
    np.testing.assert_array_equal(first[:2], start)
    np.testing.assert_array_equal(first[2:], make().ask()[2:])


def test_first_tell_accepts_all_and_sorts():
    ide = make(pop_size=5)
    trials = ide.ask()
    accepted = ide.tell(trials, [3.0, 1.0, 2.0, 1.0, 0.5])
    assert accepted.tolist() == [True] * 5
    assert ide.order.tolist() == [4, 1, 3, 2, 0]  # stable: 1 before 3
    assert ide.fitness.tolist() == [0.5, 1.0, 1.0, 2.0, 3.0]
    np.testing.assert_array_equal(ide.population, trials[ide.order])
    assert (ide.success_rate, ide.generation) == (1.0, 0)


def test_improved_trials_take_the_place_of_those_asked_for():
    ide = make()
    for _ in range(3):
        better = 0.5 * (ide.ask() + np.array([0.3, 0.3, 2.0]))
        accepted = ide.tell(better, sphere(better))
    assert accepted.any()
    np.testing.assert_array_equal(ide.fitness, sphere(ide.population))


def test_selection_and_order_by_hand():
    ide = make(pop_size=5)
    first = ide.ask()
    ide.tell(first, [0.0, 1.0, 2.0, 3.0, 4.0])
    trials = ide.ask()
    accepted = ide.tell(trials, [0.5, 1.0, 5.0, -1.0, 3.5])
    assert accepted.tolist() == [False, True, False, True, True]
    assert ide.fitness.tolist() == [-1.0, 0.0, 1.0, 2.0, 3.5]
    assert ide.order.tolist() == [3, 0, 1, 2, 4]
    rows = [trials[3], first[0], trials[1], first[2], trials[4]]
    np.testing.assert_array_equal(ide.population, rows)
    assert ide.success_rate == 0.6


@given(st.integers(0, 2**32 - 1), st.integers(5, 9))
@settings(deadline=None, max_examples=20)
def test_individuals_can_be_followed(seed, pop_size):
    ide = make(seed, pop_size=pop_size, max_iter=15)
    aligned = [None] * pop_size
    while not ide.done:
        trials = ide.ask()
        accepted = ide.tell(trials, np.round(sphere(trials), 1))  # with ties
        for k in np.flatnonzero(accepted):
            aligned[k] = trials[k]
        aligned = [aligned[r] for r in ide.order]
        np.testing.assert_array_equal(aligned, ide.population)


def breed_one_by_one(h, g, max_iter, rng, late):
    """Section 3.3 for one individual after the other, the draws in IDE's order."""
    n, n_genes = h.shape
    ps = 0.1 + 0.9 * 10 ** (5 * (g / max_iter - 1))
    n_superior = max(1, round(ps * n))
    base = rng.integers(n, size=n) if late else range(n)
    F = [rng.normal((o + 1) / n, 0.1) for o in base]
    while any(not 0 < x <= 1 for x in F):
        F = [
            x if 0 < x <= 1 else rng.normal((o + 1) / n, 0.1)
            for x, o in zip(F, base, strict=True)
        ]
    CR = [min(1, max(0, rng.normal((i + 1) / n, 0.1))) for i in range(n)]
    better = rng.integers(n_superior, size=n)
    keys = rng.random((n, n))
    gate_d, fresh_d = rng.random(h.shape), rng.random(h.shape)
    gate, j_rand = rng.random(h.shape), rng.integers(n_genes, size=n)
    fresh = rng.random(h.shape)
    trials = np.empty_like(h)
    for i, o in enumerate(base):
        inferior = o >= n_superior
        taken = {i, int(o)} | ({int(better[i])} if inferior else set())
        free = [r for r in np.argsort(keys[i]) if r not in taken]
        toward = better[i] if inferior else free.pop(0)
        r2, r3 = free[:2]
        for j in range(n_genes):
            width = UPPER[j] - LOWER[j]
            d = h[r3, j]
            if gate_d[i, j] < 0.1 * ps:
                d = LOWER[j] + fresh_d[i, j] * width
            v = h[o, j] + F[i] * (h[toward, j] - h[o, j]) + F[i] * (h[r2, j] - d)
            u = v if gate[i, j] <= CR[i] or j == j_rand[i] else h[i, j]
            if not LOWER[j] <= u <= UPPER[j]:
                u = LOWER[j] + fresh[i, j] * width
            trials[i, j] = u
    return trials


@pytest.mark.parametrize("late", [False, True])
@pytest.mark.parametrize("at", [0, 12, 27])
def test_a_generation_equals_the_paper_written_as_loops(late, at):
    options = {"success_threshold": 1.0, "stage_patience": 1} if late else {}
    ide = make(3, **options)
    run(ide, until=max(at, 1))
    assert ide.late_stage == late
    rng = np.random.default_rng()
    rng.bit_generator.state = json.loads(ide.get_state()["rng"])
    expected = breed_one_by_one(ide.population, ide.generation + 1, 30, rng, late)
    np.testing.assert_allclose(ide.ask(), expected, rtol=1e-14, atol=1e-14)


@given(
    st.integers(0, 2**32 - 1),
    st.sampled_from(["redraw", "clip"]),
    st.sampled_from(["redraw", "clip"]),
    st.sampled_from(["uniform", "clip"]),
    st.booleans(),
)
@settings(deadline=None, max_examples=30)
def test_bounds_hold_and_best_never_worsens(seed, F_rule, CR_rule, repair, late):
    ide = make(
        seed,
        F_rule=F_rule,
        CR_rule=CR_rule,
        repair=repair,
        success_threshold=1.0 if late else 0.0,
        stage_patience=5,
    )
    best = np.inf
    while not ide.done:
        trials = ide.ask()
        assert np.all((trials >= LOWER) & (trials <= UPPER))
        ide.tell(trials, sphere(trials))
        assert ide.fitness[0] <= best
        best = ide.fitness[0]
        assert np.all(np.diff(ide.fitness) >= 0)
        np.testing.assert_array_equal(sphere(ide.population), ide.fitness)


def test_a_gene_whose_bounds_meet_stays_there():
    ide = IDE(
        [0.0, 1.0], [1.0, 1.0], pop_size=5, max_iter=20, rng=np.random.default_rng(0)
    )
    assert all(np.all(trials[:, 1] == 1.0) for trials in run(ide))


def test_same_seed_same_run_other_seed_another():
    one, same, other = (np.array(run(make(seed))) for seed in (7, 7, 8))
    np.testing.assert_array_equal(one, same)
    assert np.all(np.any(one != other, axis=(1, 2)))


@pytest.mark.parametrize("seed", range(5))
def test_sphere_converges(seed):
    ide = IDE(np.full(5, -5.0), np.full(5, 5.0), rng=np.random.default_rng(seed))
    run(ide)
    assert ide.fitness[0] < 1e-15
    assert not ide.late_stage


@pytest.mark.parametrize("seed", range(5))
def test_late_stage_still_converges(seed):
    rng = np.random.default_rng(seed)
    options = {"success_threshold": 1.0, "stage_patience": 50}
    ide = IDE(np.full(5, -5.0), np.full(5, 5.0), rng=rng, **options)
    run(ide, until=50)
    assert ide.late_stage
    halfway = ide.fitness[0]
    run(ide)
    assert ide.fitness[0] < halfway / 100


def test_stage_switches_after_t_stalled_iterations_in_a_row_and_stays():
    ide = make(pop_size=5, success_threshold=0.2, stage_patience=3)

    def tell(n_accepted):
        """Accept the trials of the first rows only."""
        ide.tell(ide.ask(), np.where(np.arange(5) < n_accepted, -np.inf, np.inf))
        return ide.late_stage

    ide.tell(ide.ask(), np.arange(5.0))
    # 1 of 5 is at the threshold, 2 of 5 above it.
    assert [tell(n) for n in (1, 0, 2, 0, 1, 0)] == [False] * 5 + [True]
    assert [tell(n) for n in (5, 5)] == [True, True]


def test_default_patience_is_1000_d_over_np():
    ide = IDE([0.0], [1.0], pop_size=100, max_iter=50, rng=np.random.default_rng(0))
    ide.tell(ide.ask(), np.zeros(100))
    stages = []
    for _ in range(11):
        ide.tell(ide.ask(), np.ones(100))
        stages.append(ide.late_stage)
    assert stages == [False] * 9 + [True, True]


def test_nan_is_the_worst_and_replaces_no_number():
    ide = make(pop_size=5)
    ide.tell(ide.ask(), [np.nan, 2.0, np.inf, 1.0, 3.0])
    assert ide.fitness.tolist() == [1.0, 2.0, 3.0, np.inf, np.inf]
    accepted = ide.tell(ide.ask(), [np.nan, np.inf, np.nan, 7.0, np.nan])
    assert accepted.tolist() == [False, False, False, True, True]
    assert ide.fitness.tolist() == [1.0, 2.0, 3.0, 7.0, np.inf]


def test_all_nan_all_the_way_is_survived():
    ide = make()
    run(ide, lambda x: np.full(len(x), np.nan))
    assert ide.fitness[0] == np.inf


def through_npz(state):
    file = io.BytesIO()
    np.savez(file, **state)
    file.seek(0)
    with np.load(file, allow_pickle=False) as stored:
        return {name: stored[name] for name in stored.files}


@pytest.mark.parametrize("medium", [dict, through_npz])
@pytest.mark.parametrize("stop", [0, 1, 14, 29, 30])
def test_a_resumed_run_equals_an_unbroken_one(stop, medium):
    options = {"success_threshold": 0.5, "stage_patience": 3}
    unbroken = make(5, **options)
    trials = run(unbroken)
    assert unbroken.late_stage

    stopped = make(5, **options)
    done = [stopped.ask()]
    stopped.tell(done[0], sphere(done[0]))
    done += run(stopped, until=stop)
    state = medium(stopped.get_state())
    run(stopped)  # must not reach into the saved state

    resumed = make(999, **options)
    resumed.set_state(state)
    np.testing.assert_array_equal(done + run(resumed), trials)
    np.testing.assert_array_equal(resumed.fitness, unbroken.fitness)
    np.testing.assert_array_equal(resumed.population, unbroken.population)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"pop_size": 4}, "5 or more"),
        ({"F_rule": "wrap"}, "F_rule is 'wrap'"),
        ({"CR_rule": None}, "CR_rule is None"),
        ({"repair": "bounce"}, "repair is 'bounce'"),
        ({"success_threshold": -0.1}, "from 0 to 1"),
        ({"stage_patience": 0}, "1 or more"),
        ({"initial": np.zeros((9, 3))}, "at most 8 rows of 3"),
        ({"initial": np.zeros((1, 3))}, "outside"),
    ],
)
def test_bad_settings_are_refused(options, message):
    with pytest.raises(ValueError, match=message):
        make(**options)
