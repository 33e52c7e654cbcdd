"""The fitness functions against the paper's formulas, written out as loops."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from isvmde.core.fitness import (
    Average,
    Maximum,
    Turns,
    pair_terms,
)
from isvmde.core.pairs import make_pairs


class Solved:
    """Random decision values of solved pairs, as a search would have them."""

    def __init__(self, seed, n_classes, *, weighted=True, most=7):
        rng = np.random.default_rng(seed)
        counts = rng.integers(1, most + 1, size=n_classes)
        n = counts.sum()
        self.n_classes = n_classes
        self.start = np.concatenate([[0], np.cumsum(counts)])
        self.weight = (
            rng.integers(1, 4, size=n).astype(float) if weighted else np.ones(n)
        )
        self.label = np.repeat(np.arange(n_classes), counts)
        size = np.bincount(self.label, weights=self.weight)
        self.pairs = make_pairs(size)
        self.rows = [
            np.concatenate([np.flatnonzero(self.label == c) for c in pair])
            for pair in self.pairs
        ]
        self.n_plus = [int(counts[plus]) for plus, _ in self.pairs]
        self.f = [rng.normal(scale=3, size=len(rows)) for rows in self.rows]
        self.nsv = rng.integers(0, 20, size=len(self.pairs)).astype(float)
        self.valid = rng.random(len(self.pairs)) < 0.8
        self.delta = 0.05

    def shares(self, fitness):
        """What every pair contributes."""
        shares = []
        for j, rows in enumerate(self.rows):
            weight, n_plus = self.weight[rows], self.n_plus[j]
            terms = self.f[j], self.nsv[j], weight, n_plus, self.valid[j]
            shares.append(fitness.of_pair(*terms))
        return shares

    def value(self, fitness):
        shares = self.shares(fitness)
        return float(fitness.of_population(shares, self.pairs, self.start, self.weight))

    def ave(self):
        return self.value(Average(self.delta))

    def max(self):
        return self.value(Maximum(self.delta))


def paper_losses(s, i):
    """e + sqrt(...) of sample i in each of its M-1 pairs."""
    losses = []
    for j, (plus, minus) in enumerate(s.pairs):
        if s.label[i] not in (plus, minus):
            continue
        n_pair = sum(s.weight[r] for r in s.rows[j])
        y = 1 if s.label[i] == plus else -1
        f = s.f[j][list(s.rows[j]).index(i)]
        e = 1 / (1 + math.exp(y * f))
        nsv = max(1, s.nsv[j])
        if not s.valid[j]:
            e, nsv = 0.5, n_pair
        root = math.sqrt((math.log(nsv) + math.log(1 / s.delta)) / (2 * n_pair))
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


@given(st.integers(0, 10**6), st.integers(2, 5), st.booleans())
@settings(deadline=None)
def test_equal_to_the_paper_written_as_loops(seed, n_classes, weighted):
    s = Solved(seed, n_classes, weighted=weighted)
    average = paper_fitness(s, lambda losses: sum(losses) / (n_classes - 1))
    assert s.ave() == pytest.approx(average, abs=1e-12)
    assert s.max() == pytest.approx(paper_fitness(s, max), abs=1e-12)


@given(st.integers(0, 10**6), st.integers(2, 5))
@settings(deadline=None)
def test_weights_are_repetitions(seed, n_classes):
    s = Solved(seed, n_classes)
    ave, largest = s.ave(), s.max()
    times = s.weight.astype(int)
    for j, rows in enumerate(s.rows):
        s.f[j] = np.repeat(s.f[j], times[rows])
        s.n_plus[j] = int(times[s.label == s.pairs[j, 0]].sum())
    s.label = np.repeat(s.label, times)
    s.weight = np.ones(len(s.label))
    s.start = np.searchsorted(s.label, np.arange(n_classes + 1))
    s.rows = [
        np.concatenate([np.flatnonzero(s.label == c) for c in pair]) for pair in s.pairs
    ]
    assert s.ave() == pytest.approx(ave, abs=1e-12)
    assert s.max() == pytest.approx(largest, abs=1e-12)


@given(st.integers(0, 10**6))
@settings(deadline=None)
def test_ave_is_additive_over_pairs_and_max_is_not_below_it(seed):
    s = Solved(seed, 4)
    ave, j = s.ave(), seed % len(s.pairs)
    before = s.shares(Average())[j]
    s.f[j] = s.f[j] + 1.5
    s.valid[j] = True
    after = s.shares(Average())[j]
    assert s.ave() - ave == pytest.approx((after - before) / 12, abs=1e-12)
    assert s.max() >= s.ave() - 1e-15


def test_two_classes_make_ave_and_max_equal():
    s = Solved(1, 2)
    assert s.ave() == pytest.approx(s.max(), abs=1e-15)


def test_error_is_safe_and_right():
    yf = np.array([-1e308, -3.0, 0.0, 3.0, 1e308])
    e, _ = pair_terms(yf, 1, np.ones(5), 5)
    assert e[[0, 2, 4]].tolist() == [1.0, 0.5, 0.0]
    assert e[1] == pytest.approx(1 / (1 + math.exp(-3.0)), abs=1e-15)
    minus, _ = pair_terms(-yf, 1, np.ones(5), 0)
    assert minus.tolist() == e.tolist()


def bound(nsv, n_pair, delta=0.05):
    return pair_terms(np.zeros(2), nsv, np.full(2, n_pair / 2), 1, delta=delta)[1]


def test_bound_by_hand_and_without_support_vectors():
    assert bound(math.e**2, 6, math.e**-1) == pytest.approx(0.5, abs=1e-15)
    assert bound(0, 10) == bound(1, 10)
    assert bound(0.2, 10, 1.0) == 0.0
    assert bound(1e-9, 1e-9) == bound(1, 1)


def test_invalid_pair_is_a_coin_with_all_samples_as_support_vectors():
    f = [math.nan, math.inf, -math.inf]
    error, B = pair_terms(f, math.nan, [1.0, 2.0, 1.0], 1, valid=False)
    assert error.tolist() == [0.5, 0.5, 0.5]
    assert bound(4, 4) == B


def test_root_is_inside_the_maximum():
    # Sample of class 0: errors 0.3 and 0.2; the bound turns the order round.
    losses = [[0.3 + 0.1, 0.1], [0.2 + 0.4, 0.4], [0.0, 0.0]]
    pairs = np.array([[0, 1], [0, 2], [1, 2]])
    fit = Maximum().of_population(losses, pairs, np.arange(4), np.ones(3))
    assert fit == pytest.approx(1.1 / 3, abs=1e-15)


@given(st.integers(0, 10**6), st.integers(2, 5))
def test_turns_are_the_maximum_with_one_pair_exchanged(seed, n_classes):
    """Bit for bit, before and after a pair has settled."""
    s = Solved(seed, n_classes)
    fitness, rng = Maximum(), np.random.default_rng(seed)
    losses = s.shares(fitness)
    turns = Turns(losses, s.pairs, s.start, s.weight)
    assert turns.class_means.mean() == s.max()
    for p in rng.permutation(len(s.pairs)):
        trials = rng.random((4, len(losses[p])))
        values = turns.with_pair(p, trials)
        for trial, value in zip(trials, values, strict=True):
            changed = [*losses[:p], trial, *losses[p + 1 :]]
            assert value == fitness.of_population(changed, s.pairs, s.start, s.weight)
        losses[p] = trials[1]
        turns.settle(p, trials[1])
        assert turns.class_means.mean() == values[1]


@pytest.mark.parametrize("fitness", [Average(), Maximum()])
def test_a_population_gives_the_bits_of_its_individuals(fitness):
    s = Solved(3, 9, most=300)  # long enough for pairwise summation
    rng = np.random.default_rng(0)
    shape = 6, len(s.pairs)
    nsv, valid = rng.integers(1, 30, shape), rng.random(shape) < 0.9
    f = [np.asfortranarray(rng.normal(size=(6, len(rows)))) for rows in s.rows]

    def evaluate(who):
        shares = []
        for j, rows in enumerate(s.rows):
            weight, n_plus = s.weight[rows], s.n_plus[j]
            terms = f[j][who], nsv[who, j], weight, n_plus, valid[who, j]
            shares.append(fitness.of_pair(*terms))
        return fitness.of_population(shares, s.pairs, s.start, s.weight)

    together = evaluate(slice(None))
    assert together.shape == (6,)
    assert [evaluate(who) for who in range(6)] == together.tolist()
