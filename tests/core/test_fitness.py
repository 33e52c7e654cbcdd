"""The fitness functions against the paper's formulas, written out as loops."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from isvmde.core.decomposition import OneVsOne, make_decomposition
from isvmde.core.fitness import (
    AverageLoss,
    MaximumLoss,
    Turns,
    error_and_bound,
)
from isvmde.core.training_set import training_set


class Solved:
    """Random decision values of solved pairs, as a search would have them."""

    def __init__(self, seed, n_classes, *, weighted=True, most=7, name="one-vs-one"):
        rng = np.random.default_rng(seed)
        counts = rng.integers(1, most + 1, size=n_classes)
        n = counts.sum()
        self.n_classes = n_classes
        weight = rng.integers(1, 4, size=n).astype(float) if weighted else np.ones(n)
        self.set_rows(np.repeat(np.arange(n_classes), counts), weight)
        decomposition = make_decomposition(name, self.data.class_size)
        self.binary = decomposition.problems
        self.f = [rng.normal(scale=3, size=len(own.rows)) for own in self.problems]
        self.nsv = rng.integers(0, 20, size=len(self.binary)).astype(float)
        self.valid = rng.random(len(self.binary)) < 0.8
        self.delta = 0.05

    def set_rows(self, label, weight):
        """Take rows of these classes, no two of them alike."""
        X = np.arange(float(len(label)))[:, None]
        self.data = training_set(X, label, weight, self.n_classes)
        self.label, self.weight = label, weight

    @property
    def problems(self):
        return [self.data.problem_rows(problem) for problem in self.binary]

    def shares(self, fitness):
        """What every problem contributes."""
        terms = zip(self.f, self.nsv, self.valid, self.problems, strict=True)
        return [fitness.of_problem(*each) for each in terms]

    def value(self, fitness):
        return float(fitness.of_population(self.shares(fitness), self.problems))

    def ave(self):
        return self.value(AverageLoss(self.delta))

    def max(self):
        return self.value(MaximumLoss(self.delta))


def paper_losses(s, i):
    """e + sqrt(...) of sample i in each of its problems."""
    losses = []
    for j, (plus, minus) in enumerate(s.binary):
        if s.label[i] not in (*plus, *minus):
            continue
        rows = [r for c in (*plus, *minus) for r in np.flatnonzero(s.label == c)]
        N = sum(s.weight[r] for r in rows)
        y = 1 if s.label[i] in plus else -1
        e = 1 / (1 + math.exp(y * s.f[j][rows.index(i)]))
        nsv = max(1, s.nsv[j])
        if not s.valid[j]:
            e, nsv = 0.5, N
        root = math.sqrt((math.log(nsv) + math.log(1 / s.delta)) / (2 * N))
        losses.append(e + root)
    return losses


def paper_fitness(s, combine):
    """Mean over classes of the weighted mean over their samples."""
    total = 0.0
    for c in range(s.n_classes):
        members = [i for i in range(len(s.label)) if s.label[i] == c]
        z = sum(s.weight[i] for i in members)
        total += sum(s.weight[i] * combine(paper_losses(s, i)) for i in members) / z
    return total / s.n_classes


@given(
    st.integers(0, 10**6),
    st.integers(2, 5),
    st.booleans(),
    st.sampled_from(["one-vs-one", "one-vs-rest"]),
)
@settings(deadline=None)
def test_equal_to_the_paper_written_as_loops(seed, n_classes, weighted, name):
    """A sample is in the M-1 pairs of its class, or in M problems of one-vs-rest."""
    s = Solved(seed, n_classes, weighted=weighted, name=name)
    average = paper_fitness(s, lambda losses: sum(losses) / len(losses))
    assert s.ave() == pytest.approx(average, abs=1e-12)
    assert s.max() == pytest.approx(paper_fitness(s, max), abs=1e-12)


@given(st.integers(0, 10**6), st.integers(2, 5))
@settings(deadline=None)
def test_weights_are_repetitions(seed, n_classes):
    s = Solved(seed, n_classes)
    ave, largest = s.ave(), s.max()
    times = s.weight.astype(int)
    for j, own in enumerate(s.problems):
        s.f[j] = np.repeat(s.f[j], times[own.rows])
    s.set_rows(np.repeat(s.label, times), np.ones(times.sum()))
    assert s.ave() == pytest.approx(ave, abs=1e-12)
    assert s.max() == pytest.approx(largest, abs=1e-12)


@given(st.integers(0, 10**6))
@settings(deadline=None)
def test_ave_is_additive_over_pairs_and_max_is_not_below_it(seed):
    s = Solved(seed, 4)
    ave, j = s.ave(), seed % len(s.binary)
    before = s.shares(AverageLoss())[j]
    s.f[j] = s.f[j] + 1.5
    s.valid[j] = True
    after = s.shares(AverageLoss())[j]
    assert s.ave() - ave == pytest.approx((after - before) / 12, abs=1e-12)
    assert s.max() >= s.ave() - 1e-15


def test_two_classes_make_ave_and_max_equal():
    s = Solved(1, 2)
    assert s.ave() == pytest.approx(s.max(), abs=1e-15)


def test_error_is_safe_and_right():
    yf = np.array([-1e308, -3.0, 0.0, 3.0, 1e308])
    e, _ = error_and_bound(yf, 1, np.ones(5), 5)
    assert e[[0, 2, 4]].tolist() == [1.0, 0.5, 0.0]
    assert e[1] == pytest.approx(1 / (1 + math.exp(-3.0)), abs=1e-15)
    minus, _ = error_and_bound(-yf, 1, np.ones(5), 0)
    assert minus.tolist() == e.tolist()


def bound(nsv, n_pair, delta=0.05):
    return error_and_bound(np.zeros(2), nsv, np.full(2, n_pair / 2), 1, delta=delta)[1]


def test_bound_by_hand_and_without_support_vectors():
    assert bound(math.e**2, 6, math.e**-1) == pytest.approx(0.5, abs=1e-15)
    assert bound(0, 10) == bound(1, 10)
    assert bound(0.2, 10, 1.0) == 0.0
    assert bound(1e-9, 1e-9) == bound(1, 1)


def test_invalid_pair_is_a_coin_with_all_samples_as_support_vectors():
    f = [math.nan, math.inf, -math.inf]
    error, B = error_and_bound(f, math.nan, [1.0, 2.0, 1.0], 1, valid=False)
    assert error.tolist() == [0.5, 0.5, 0.5]
    assert bound(4, 4) == B


def test_root_is_inside_the_maximum():
    # Sample of class 0: errors 0.3 and 0.2; the bound turns the order round.
    losses = [[0.3 + 0.1, 0.1], [0.2 + 0.4, 0.4], [0.0, 0.0]]
    data = training_set(np.zeros((3, 1)), np.arange(3), np.ones(3), 3)
    problems = [data.problem_rows(own) for own in OneVsOne(data.class_size).problems]
    fit = MaximumLoss().of_population(losses, problems)
    assert fit == pytest.approx(1.1 / 3, abs=1e-15)


@given(
    st.integers(0, 10**6),
    st.integers(2, 5),
    st.sampled_from(["one-vs-one", "one-vs-rest"]),
)
def test_turns_are_the_maximum_with_one_problem_exchanged(seed, n_classes, name):
    """Bit for bit, before and after a problem has settled."""
    s = Solved(seed, n_classes, name=name)
    fitness, rng = MaximumLoss(), np.random.default_rng(seed)
    losses = s.shares(fitness)
    turns = Turns(losses, s.problems)
    assert turns.class_means.mean() == s.max()
    for p in rng.permutation(len(s.binary)):
        trials = rng.random((4, len(losses[p])))
        values = turns.with_problem(p, trials)
        for trial, value in zip(trials, values, strict=True):
            changed = [*losses[:p], trial, *losses[p + 1 :]]
            assert value == fitness.of_population(changed, s.problems)
        losses[p] = trials[1]
        turns.settle(p, trials[1])
        assert turns.class_means.mean() == values[1]


@pytest.mark.parametrize("fitness", [AverageLoss(), MaximumLoss()])
def test_a_population_gives_the_bits_of_its_individuals(fitness):
    s = Solved(3, 9, most=300)  # long enough for pairwise summation
    rng = np.random.default_rng(0)
    shape = 6, len(s.binary)
    nsv, valid = rng.integers(1, 30, shape), rng.random(shape) < 0.9
    problems = s.problems
    f = [np.asfortranarray(rng.normal(size=(6, len(own.rows)))) for own in problems]

    def evaluate(who):
        shares = []
        for j, problem in enumerate(problems):
            terms = f[j][who], nsv[who, j], valid[who, j], problem
            shares.append(fitness.of_problem(*terms))
        return fitness.of_population(shares, problems)

    together = evaluate(slice(None))
    assert together.shape == (6,)
    assert [evaluate(who) for who in range(6)] == together.tolist()
