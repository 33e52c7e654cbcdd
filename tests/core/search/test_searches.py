"""Joint and pairwise search: the same fitness, the same state, nothing lost."""

import time
from functools import partial
from types import SimpleNamespace

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from isvmde.core.decomposition import BinaryProblem
from isvmde.core.evolution import IDE
from isvmde.core.fitness import AverageLoss, error_and_bound, make_fitness
from isvmde.core.parallel import Stopped
from isvmde.core.search.evaluation import Evaluator
from isvmde.core.search.genome import Encoding, Ranges
from isvmde.core.search.joint import JointSearch
from isvmde.core.search.pairwise import PairwiseSearch, widest_margins

SEARCHES = [JointSearch, PairwiseSearch]
KINDS = [(search, fitness) for search in SEARCHES for fitness in ("ave", "max")]


@pytest.fixture
def make_search(three, encoding, make_evaluator):
    """Return a function that starts a search over three classes."""

    def make(
        kind,
        fitness="ave",
        *,
        optimizer=IDE,
        max_iter=8,
        pop_size=7,
        seed=0,
        n_threads=1,
    ):
        return kind(
            make_evaluator(three, n_threads=n_threads),
            encoding,
            fitness=make_fitness(fitness, delta=0.05),
            make_optimizer=partial(optimizer, pop_size=pop_size, max_iter=max_iter),
            seed=np.random.SeedSequence(seed),
        )

    return make


def run(search, steps=None):
    """Go on for some steps, or to the end."""
    while not search.done and steps != 0:
        search.step()
        steps = None if steps is None else steps - 1
    return search


def result(search):
    """Everything a run leads to, apart from its time."""
    history = {k: v for k, v in search.history.items() if k != "seconds"}
    return history, search.best_genes.tobytes()


def literal_fitness(search, kind):
    """fit^a or fit^m of the best genes, sample by sample, as the paper prints them."""
    evaluator, data = search.evaluator, search.evaluator.data
    decoded = search.encoding.decode(search.best_genes[None])
    solved = evaluator.solve(decoded)
    losses = {c: [] for c in range(data.n_classes)}
    for p, problem in enumerate(evaluator.problems):
        plus, minus = problem.classes
        f = decoded.scale[0, p] * solved.f_of_problems()[p][0] + decoded.shift[0, p]
        N = data.class_size[plus] + data.class_size[minus]
        B = np.sqrt((np.log(solved.support[0, p]) + np.log(1 / 0.05)) / (2 * N))
        n_plus = problem.n_plus
        losses[plus].append(1 / (1 + np.exp(f[:n_plus])) + B)
        losses[minus].append(1 / (1 + np.exp(-f[n_plus:])) + B)
    over_pairs = np.mean if kind == "ave" else np.max
    return np.mean(
        [
            np.average(over_pairs(losses[c], axis=0), weights=data.weight[data.rows(c)])
            for c in losses
        ]
    )


@pytest.mark.parametrize(("kind", "fitness"), KINDS)
def test_best_never_worsens_and_is_the_fitness_of_the_best_genes(
    make_search, kind, fitness
):
    search = make_search(kind, fitness)
    while not search.done:
        search.step()
        assert_allclose(
            search.history["best"][-1], literal_fitness(search, fitness), rtol=1e-12
        )
    assert (np.diff(search.history["best"]) <= 0).all()
    assert search.history["best"][-1] < search.history["best"][0]


def test_joint_ave_is_the_sum_over_pairs(make_search, encoding):
    """fit^a of a population equals the sum of its pairs' own values."""
    search = make_search(JointSearch)
    rng = np.random.default_rng(1)
    genomes = rng.uniform(encoding.lower, encoding.upper, (30, len(encoding.lower)))
    decoded = encoding.decode(encoding.genes(genomes))
    solved = search.evaluator.solve(decoded)
    joint = search.evaluator.population_fitness(AverageLoss(), decoded, solved)
    single = Encoding(Ranges(), 1)
    total = np.zeros(30)
    for p in range(3):
        alone = single.decode(genomes[:, 7 * p : 7 * p + 7])
        problem = search.evaluator.problems[p]
        n_plus, weight = problem.n_plus, problem.weight
        error, bound = error_and_bound(
            alone.scale[:, None] * solved.f_of_problems()[p] + alone.shift[:, None],
            solved.support[:, p],
            weight,
            n_plus,
            valid=alone.valid,
        )
        total += np.average(error[:, :n_plus], axis=1, weights=weight[:n_plus])
        total += np.average(error[:, n_plus:], axis=1, weights=weight[n_plus:])
        total += 2 * bound
    assert_allclose(joint, total / 6, rtol=0, atol=1e-12)


def test_fitness_of_the_population_is_that_of_fresh_evaluations(make_search):
    """Reused solutions leave no trace in any fitness value."""
    search = run(make_search(JointSearch, max_iter=25))
    fresh = make_search(JointSearch)
    decoded = search._population()
    evaluator = fresh.evaluator
    anew = evaluator.population_fitness(
        AverageLoss(), decoded, evaluator.solve(decoded)
    )
    assert search.optimizers[0].fitness.tobytes() == anew.tobytes()


@pytest.mark.parametrize("kind", SEARCHES)
def test_work_that_need_not_be_done_is_not_done(make_search, kind):
    search = run(make_search(kind, max_iter=25))
    assert search.history["n_svms"][0] == 7 * 3
    assert search.history["n_svms"][-1] < 26 * 7 * 3


@pytest.mark.parametrize("fitness", ["ave", "max"])
def test_fitness_of_pairwise_populations_is_that_of_fresh_evaluations(
    make_search, fitness
):
    """What was solved is what the genes stand for, though their margins were widened.

    The last population's fit^m was measured against others than the best of today,
    so there it is the keys that are compared.
    """
    search = run(make_search(PairwiseSearch, fitness, max_iter=25))
    decoded = search._population()
    stored = search._stored.key
    assert decoded.key[decoded.valid].tobytes() == stored[decoded.valid].tobytes()
    if fitness == "ave":
        fresh = make_search(PairwiseSearch)
        solved = fresh.evaluator.solve(decoded)
        anew = fresh.evaluator.contributions(AverageLoss(), decoded, solved)
        for optimizer, share in zip(search.optimizers, anew, strict=True):
            assert optimizer.fitness.tobytes() == share.tobytes()


def test_pairwise_ave_is_one_search_per_pair(make_search, encoding, three):
    """The populations know nothing of each other."""
    search = run(make_search(PairwiseSearch, "ave", seed=5, max_iter=20))
    best = []
    for p, problem in enumerate(search.evaluator.problems):
        plus, minus = problem.classes
        evaluator = Evaluator(
            search.evaluator.data,
            [BinaryProblem((plus,), (minus,))],
            tol=1e-3,
            n_threads=1,
        )
        alone = PairwiseSearch(
            evaluator,
            Encoding(Ranges(), 1),
            fitness=AverageLoss(),
            make_optimizer=partial(IDE, pop_size=7, max_iter=20),
            seed=np.random.SeedSequence(5, n_children_spawned=p),
        )
        run(alone)
        assert_array_equal(alone.best_genes[0], search.best_genes[p])
        best.append(alone.optimizers[0].fitness[0])
    assert search.history["best"][-1] == pytest.approx(sum(best) / 6, abs=1e-15)


def test_half_the_trials_of_a_converged_population_are_fresh(make_search):
    search = make_search(PairwiseSearch)
    run(search, 1)
    optimizer = search.optimizers[0]
    same = {
        **optimizer.get_state(),
        "population": np.tile(optimizer.population[0], (7, 1)),
        "fitness": np.full(7, optimizer.fitness[0]),
    }
    optimizer.set_state(same)
    trials = search._ask(optimizer)
    assert len(np.unique(trials[3:, 0])) == 4
    assert np.ptp(trials[3:, 0]) > 0.1


def test_pairwise_margins_are_the_widest_of_their_solutions(make_search):
    """Of the best i-SVM of a pair no wider margins with the same SVM are better."""
    search = run(make_search(PairwiseSearch, max_iter=10))
    genes = search.best_genes[None]
    decoded = search.encoding.decode(genes)
    wide = search.encoding.decode(widest_margins(search.encoding, genes, decoded))
    solved = search.evaluator.solve(decoded)
    own = search.evaluator.contributions(AverageLoss(), decoded, solved)
    wider = search.evaluator.contributions(AverageLoss(), wide, solved)
    assert (np.array(own) <= np.array(wider)).all()


def test_given_individuals_come_first_in_every_pair(three, encoding, make_evaluator):
    given = np.array([[0.5, 0.1, 1.0, 0.7, 0.5, 3.0, 2.5], [0.2] * 6 + [1.5]])
    search = PairwiseSearch(
        make_evaluator(three),
        encoding,
        fitness=AverageLoss(),
        make_optimizer=partial(IDE, pop_size=8, max_iter=3, initial=given),
        seed=np.random.SeedSequence(0),
    )
    for optimizer in search.optimizers:
        first = search._ask(optimizer)
        assert_array_equal(first[:2], given)
        assert len(np.unique(first, axis=0)) == 8


@pytest.mark.parametrize(("kind", "fitness"), KINDS)
def test_a_resumed_search_is_the_unbroken_one(make_search, kind, fitness):
    unbroken = run(make_search(kind, fitness, max_iter=30))
    for steps in (1, 4, 20):
        broken = run(make_search(kind, fitness, max_iter=30), steps)
        other = make_search(kind, fitness, max_iter=30, seed=99)
        other.set_state(broken.get_state())
        assert result(run(other)) == result(unbroken)


def test_a_search_over_many_pairs_can_be_resumed(make_evaluator):
    """More pairs than there are columns in the history."""
    data = SimpleNamespace(
        X=np.random.default_rng(0).random((20, 2)), y=np.arange(20) % 5
    )

    def make(seed):
        return PairwiseSearch(
            make_evaluator(data),
            Encoding(Ranges(), 10),
            fitness=AverageLoss(),
            make_optimizer=partial(IDE, pop_size=5, max_iter=4),
            seed=np.random.SeedSequence(seed),
        )

    other = make(99)
    other.set_state(run(make(0), 2).get_state())
    assert result(run(other)) == result(run(make(0)))


def test_a_finished_search_is_read_without_solving(make_search):
    done = run(make_search(JointSearch))
    other = make_search(JointSearch)
    other.set_state(done.get_state())
    other.evaluator.solve = None  # would fail if called
    assert other.done
    assert result(other) == result(done)


@pytest.mark.parametrize(("kind", "fitness"), KINDS)
def test_threads_do_not_change_a_bit(make_search, kind, fitness):
    one = run(make_search(kind, fitness))
    two = run(make_search(kind, fitness, n_threads=2))
    two.evaluator.close()
    assert result(one) == result(two)


@pytest.mark.parametrize("share", ["kernel", "all"])
def test_shared_genes_are_searched_jointly(three, make_evaluator, share):
    search = JointSearch(
        make_evaluator(three),
        Encoding(Ranges(), 3, share),
        fitness=AverageLoss(),
        make_optimizer=partial(IDE, pop_size=8, max_iter=6),
        seed=np.random.SeedSequence(0),
    )
    run(search)
    genes = search.best_genes
    same = slice(4, 7) if share == "kernel" else slice(0, 7)
    assert (genes[:, same] == genes[:1, same]).all()
    assert_allclose(
        search.history["best"][-1], literal_fitness(search, "ave"), rtol=1e-12
    )


def test_the_late_stage_and_other_options_reach_the_evolution(
    three, encoding, make_evaluator
):
    search = JointSearch(
        make_evaluator(three),
        encoding,
        fitness=AverageLoss(),
        make_optimizer=partial(
            IDE, pop_size=8, max_iter=6, success_threshold=1.0, stage_patience=2
        ),
        seed=np.random.SeedSequence(0),
    )
    assert run(search).optimizers[0].late_stage


@pytest.mark.parametrize(("kind", "fitness"), KINDS)
def test_a_generation_after_the_deadline_is_given_up(make_search, kind, fitness):
    """Taken back to its last whole generation the search goes on as if unbroken."""
    search = run(make_search(kind, fitness), 3)
    whole = search.get_state()
    search.evaluator.deadline = time.monotonic() - 1.0
    with pytest.raises(Stopped):
        search.step()
    search.set_state(whole)
    with pytest.raises(Stopped):  # nor are lost solutions computed again
        search.step()
    search.evaluator.deadline = None
    search.set_state(whole)
    assert result(run(search)) == result(run(make_search(kind, fitness)))


@pytest.mark.parametrize(("kind", "fitness"), KINDS)
def test_only_the_initial_population_may_be_unfinished(make_search, kind, fitness):
    search = make_search(kind, fitness)
    search.evaluator.deadline = time.monotonic() - 1.0
    search.step()
    assert search.evaluator.n_solved == 0
    assert np.isfinite(search.history["best"][-1])
    assert search.best_genes.shape == (3, 7)
