"""The optimisers beside IDE, and what all of them refuse."""

import numpy as np
import pytest

from isvmde.core.evolution import DE, OPTIMIZERS, RandomSearch
from isvmde.core.evolution.operators import choose_others

LOWER, UPPER = np.array([-5.0, 0.0, 2.0]), np.array([5.0, 1.0, 2.5])


def sphere(x):
    return ((x - 0.3) ** 2).sum(axis=1)


def make(kind, seed=0, **options):
    options = {"pop_size": 8, "max_iter": 30} | options
    return kind(LOWER, UPPER, rng=np.random.default_rng(seed), **options)


def run(search, until=None):
    """Run to the end, or to an iteration; the list of all trials."""
    trials = []
    while not search.done and (until is None or search.generation < until):
        trials.append(search.ask())
        search.tell(trials[-1], sphere(trials[-1]))
    return trials


def test_a_mutant_of_the_usual_evolution_by_hand():
    """CR = 1 takes every gene of x_r1 + F (x_r2 - x_r3)."""
    search = make(DE, CR=1.0, pop_size=4)
    search.tell(search.ask(), np.arange(4.0))
    h, state = search.population, search.rng.bit_generator.state
    trials = search.ask()
    search.rng.bit_generator.state = state
    keys = search.rng.random((4, 4))
    for i in range(4):
        r1, r2, r3 = [r for r in np.argsort(keys[i]) if r != i]
        v = h[r1] + 0.5 * (h[r2] - h[r3])
        inside = (v >= LOWER) & (v <= UPPER)
        np.testing.assert_array_equal(trials[i][inside], v[inside])


def test_a_crossover_rate_of_zero_changes_one_gene():
    search = make(DE, CR=0.0)
    search.tell(search.ask(), np.arange(8.0))
    changed = (search.ask() != search.population).sum(axis=1)
    assert (changed <= 1).all()
    assert changed.any()


def test_the_three_others_are_distinct_and_spare_the_target():
    keys = np.random.default_rng(0).random((9, 9))
    r1, r2, r3 = choose_others(keys)
    for i, others in enumerate(zip(r1, r2, r3, strict=True)):
        assert len({i, *others}) == 4


@pytest.mark.parametrize("seed", range(5))
def test_the_usual_evolution_converges(seed):
    search = DE(np.full(5, -5.0), np.full(5, 5.0), rng=np.random.default_rng(seed))
    run(search)
    assert search.fitness[0] < 1e-6


def test_random_points_are_uniform_and_the_best_of_all_is_kept():
    search = make(RandomSearch, max_iter=300)
    trials = np.concatenate(run(search))
    middle, width = (LOWER + UPPER) / 2, UPPER - LOWER
    np.testing.assert_allclose((trials.mean(axis=0) - middle) / width, 0, atol=0.03)
    assert search.fitness[0] == sphere(trials).min()


@pytest.mark.parametrize("kind", OPTIMIZERS.values())
def test_trials_stay_inside_and_the_best_never_worsens(kind):
    search, best = make(kind), np.inf
    while not search.done:
        trials = search.ask()
        assert ((trials >= LOWER) & (trials <= UPPER)).all()
        search.tell(trials, sphere(trials))
        assert search.fitness[0] <= best
        best = search.fitness[0]


@pytest.mark.parametrize("kind", OPTIMIZERS.values())
def test_a_resumed_run_equals_an_unbroken_one(kind):
    trials = run(make(kind, 5))
    stopped = make(kind, 5)
    begun = run(stopped, until=9)
    resumed = make(kind, 99)
    resumed.set_state(stopped.get_state())
    np.testing.assert_array_equal(begun + run(resumed), trials)


@pytest.mark.parametrize("kind", OPTIMIZERS.values())
@pytest.mark.parametrize(
    ("lower", "upper", "message"),
    [
        ([0.0, 3.0], [1.0, 2.0], r"lower\[1\]=3.0 is above upper\[1\]=2.0"),
        ([0.0, np.nan], [1.0, 2.0], "finite"),
        ([0.0, 0.0], [1.0, np.inf], "finite"),
        ([0.0], [1.0, 2.0], "one bound of each kind per gene"),
        ([], [], "no gene to search"),
        ([0.0, -1e308], [1.0, 1e308], r"lower\[1\]=-1e\+308 .* too far apart"),
    ],
)
def test_bounds_that_are_no_box_are_refused(kind, lower, upper, message):
    with pytest.raises(ValueError, match=message):
        kind(lower, upper, rng=np.random.default_rng(0))


@pytest.mark.parametrize(
    ("kind", "options", "message"),
    [
        (DE, {"pop_size": 3}, "4 or more"),
        (DE, {"F": 0.0}, "F is 0.0"),
        (DE, {"CR": 1.5}, "CR is 1.5"),
        (RandomSearch, {"pop_size": 0}, "1 or more"),
        (RandomSearch, {"max_iter": 0}, "max_iter is 0: use 1 or more"),
    ],
)
def test_bad_settings_are_refused(kind, options, message):
    with pytest.raises(ValueError, match=message):
        make(kind, **options)


@pytest.mark.parametrize("kind", OPTIMIZERS.values())
@pytest.mark.parametrize("name", ["pop_size", "max_iter"])
@pytest.mark.parametrize("value", [np.nan, 8.0, True, "8", None])
def test_counts_are_whole_numbers(kind, name, value):
    with pytest.raises(TypeError, match=f"{name} is {value!r}: use a whole number"):
        make(kind, **{name: value})


@pytest.mark.parametrize("kind", OPTIMIZERS.values())
def test_counts_of_numpy_are_whole_numbers(kind):
    assert len(make(kind, pop_size=np.int32(7)).ask()) == 7
