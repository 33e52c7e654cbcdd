"""Leave-one-out votes against loops over samples, classes and machines."""

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal

from isvmde.core.canonical import training_set
from isvmde.core.evaluation import PairEvaluator
from isvmde.core.genome import Encoding, Ranges
from isvmde.core.kernels import dot_products, squared_distances
from isvmde.core.pair_model import PairSettings, fit_pair, pair_decision
from isvmde.core.pairs import confidence, make_pairs, predict_index, vote_counts
from isvmde.core.solver import LINEAR, ON_RANKS, POLY, RBF, BatchSolver, Tasks
from isvmde.core.votes import fit_votes, vote_lead
from isvmde.large_pairs import solve_with_svc


def problem(M, seed, individuals=()):
    """Classes of different sizes, their pairs, and random confidences."""
    rng = np.random.default_rng(seed)
    size = rng.integers(1, 5, M)
    start = np.concatenate([[0], np.cumsum(size)])
    pairs = make_pairs(size)
    k = rng.random((len(pairs), *individuals, start[-1]))
    return size, start, pairs, k, rng


def literal_lead(k, pairs, start):
    """Return the lead of one individual by a loop over samples, classes and pairs."""
    M, n = len(start) - 1, start[-1]
    lead = np.empty(n)
    for i in range(n):
        own = int(np.searchsorted(start, i, side="right")) - 1
        votes = [0.0] * M
        for j, (plus, minus) in enumerate(pairs):
            votes[plus] += k[j, i]
            votes[minus] += 1.0 - k[j, i]
        lead[i] = votes[own] - max(votes[c] for c in range(M) if c != own)
    return lead


@given(st.integers(2, 6), st.integers(0, 10_000))
def test_lead_is_what_a_loop_counts(M, seed):
    _, start, pairs, k, _ = problem(M, seed, individuals=(2,))
    lead = vote_lead(k, pairs, start)
    for one in range(2):
        assert_allclose(lead[one], literal_lead(k[:, one], pairs, start), atol=1e-12)


@given(st.integers(2, 6), st.integers(0, 10_000))
def test_hard_votes_are_those_of_predict(M, seed):
    size, start, pairs, k, _ = problem(M, seed)
    F = np.where(k > 0.5, 1.0, -1.0)
    y = np.repeat(np.arange(M), size)
    votes = vote_counts(F.T, pairs, M)
    lead = vote_lead((F > 0).astype(float), pairs, start)
    others = np.where(np.eye(M, dtype=bool)[y], -1, votes)
    assert_array_equal(lead, votes[np.arange(len(y)), y] - others.max(axis=1))
    # ties go to the rarer class, so a lead of zero may be right or wrong
    right = predict_index(F.T, pairs, size) == y
    assert right[lead > 0].all()
    assert not right[lead < 0].any()


@given(st.integers(2, 6), st.integers(0, 10_000))
def test_everyone_leads_where_every_pair_is_right(M, seed):
    """A perfect machine for every pair: a lead of at least one, whatever thirds say."""
    size, start, pairs, k, _ = problem(M, seed)
    y = np.repeat(np.arange(M), size)
    k = np.where(pairs[:, :1] == y, 1.0, np.where(pairs[:, 1:] == y, 0.0, k))
    lead = vote_lead(k, pairs, start)
    assert (lead >= 1 - 1e-12).all()
    assert (predict_index(np.where(k >= 0.5, 1.0, -1.0).T, pairs, size) == y).all()


def test_two_classes_lead_by_the_pairs_own_confidence():
    k = np.array([[0.9, 0.3, 0.2, 0.5]])
    lead = vote_lead(k, np.array([[0, 1]]), np.array([0, 2, 4]))
    assert_allclose(lead, [0.8, -0.4, 0.6, 0.0])


def test_fitness_is_the_class_balanced_mean_of_a_logistic_error():
    _, start, pairs, k, rng = problem(3, 1, individuals=(4,))
    weight = rng.integers(1, 4, start[-1]).astype(float)
    value = fit_votes(k, pairs, start, weight)
    assert value.shape == (4,)
    for one in range(4):
        error = 1 / (1 + np.exp(4 * literal_lead(k[:, one], pairs, start)))
        means = [
            np.average(error[a:b], weights=weight[a:b]) for a, b in pairwise(start)
        ]
        assert_allclose(value[one], np.mean(means), rtol=1e-12)


def test_ignorance_is_an_error_of_one_half_and_certainty_of_none():
    size, start, pairs, k, _ = problem(4, 0)
    y, weight = np.repeat(np.arange(4), size), np.ones(start[-1])
    assert_allclose(fit_votes(np.full_like(k, 0.5), pairs, start, weight), 0.5)
    sure = np.where(pairs[:, :1] == y, 1.0, np.where(pairs[:, 1:] == y, 0.0, 0.5))
    assert fit_votes(sure, pairs, start, weight) < 0.02


# The decision values of everyone


@pytest.fixture(scope="module")
def data(make_blobs):
    blobs = make_blobs([14, 9, 5])
    return training_set(blobs.X, blobs.y, np.ones(len(blobs.y)), 3)


def solver(data, **options):
    ranked = dot_products(data.ranked), squared_distances(data.ranked)
    return BatchSolver(
        dot_products(data.X),
        squared_distances(data.X),
        data.weight,
        ranked=ranked,
        tol=1e-9,
        max_steps=20_000,
        **options,
    )


def all_tasks(data, pairs):
    """Every pair with every kernel, on values and on ranks, and costs 2 and 5."""
    machines = [(LINEAR, 0.0), (RBF, 2.0), (POLY, 3.0)]
    machines += [(code + ON_RANKS, parameter) for code, parameter in machines]
    rows = [
        (*data.class_start[[p, p + 1, q, q + 1]], *machine, 2.0, 5.0)
        for p, q in pairs
        for machine in machines
    ]
    return Tasks(*np.array(rows).T.astype(float)), machines


def as_tasks(tasks):
    """Return spans as whole numbers, the way the evaluator gives them."""
    spans = [
        getattr(tasks, f"{end}_{of}")
        for of in ("pos", "neg")
        for end in ("start", "end")
    ]
    rest = [tasks.kernel, tasks.parameter, tasks.U_pos, tasks.U_neg]
    return Tasks(*(span.astype(int) for span in spans), *rest)


@pytest.mark.parametrize("left_out", [False, True])
def test_everyone_is_asked_as_own_or_as_a_stranger(data, left_out):
    pairs = make_pairs(data.class_size)
    tasks, machines = all_tasks(data, pairs)
    tasks = as_tasks(tasks)
    with solver(data, left_out=left_out) as own_rows:
        own = own_rows.solve(tasks)
    with solver(data, left_out=left_out, everyone=True) as all_rows:
        everyone = all_rows.solve(tasks)
    n = len(data.X)
    assert_array_equal(np.diff(everyone.offset), n)
    for name in ("support_weight", "violation", "steps"):
        assert_array_equal(getattr(everyone, name), getattr(own, name))
    names = {LINEAR: "linear", RBF: "rbf", POLY: "poly"}
    for t in range(len(own.support_weight)):
        (p, q), (code, _) = pairs[t // len(machines)], machines[t % len(machines)]
        rows = np.r_[data.rows(p), data.rows(q)]
        f = everyone.f[t * n : (t + 1) * n]
        assert_array_equal(f[rows], own.f[own.offset[t] : own.offset[t + 1]])
        # a stranger is asked the machine trained on all of the pair
        settings = PairSettings(
            C_pos=2.0,
            C_neg=5.0,
            kernel=names[code % ON_RANKS],
            sigma=0.5,
            degree=3,
            ranks=code >= ON_RANKS,
        )
        X = data.seen_by(settings.ranks)
        model = fit_pair(
            X[rows],
            data.rows(p).stop - data.rows(p).start,
            data.weight[rows],
            np.ones(len(rows)),
            settings,
            tol=1e-9,
            max_iter=-1,
            largest=1000,
            solve_large=solve_with_svc,
        )
        others = np.setdiff1d(np.arange(n), rows)
        assert len(others) == n - len(rows) > 0
        plain = pair_decision(
            settings, X[rows][model.support], model.beta, model.b, X[others]
        )
        assert_allclose(f[others], plain, atol=1e-6)


def evaluator(data, **options):
    return PairEvaluator(
        data,
        make_pairs(data.class_size),
        tol=1e-3,
        n_threads=options.pop("n_threads", 1),
        largest=options.pop("largest", 4000),
        solve_large=solve_with_svc,
        left_out=True,
        everyone=True,
        ranks=True,
    )


def test_confidences_of_a_population_for_any_number_of_threads(data):
    encoding = Encoding(Ranges(ranks=(False, True)), 3)
    rng = np.random.default_rng(0)
    genomes = rng.uniform(encoding.lower, encoding.upper, (6, len(encoding.lower)))
    genomes[0, 2:4] = 0.0  # no machine for the first pair of the first individual
    decoded = encoding.decode(encoding.genes(genomes))
    values = []
    for n_threads in (1, 2):
        one = evaluator(data, n_threads=n_threads)
        solved = one.solve(decoded)
        k = [one.confidences(p, decoded.of_pair(p), solved, 2.0) for p in range(3)]
        values.append(np.stack(k))
        one.close()
    assert values[0].shape == (3, 6, len(data.X))
    assert values[0].tobytes() == values[1].tobytes()
    assert (values[0][0, 0] == 0.5).all()
    f = one.decisions(1, decoded.of_pair(1), solved)
    assert_allclose(values[0][1], confidence(2.0 * f))


def test_too_many_rows_for_everyone_get_one_sentence():
    X = np.arange(5001.0)[:, None]
    data = training_set(X, np.arange(5001) % 4, np.ones(5001), 4)
    with pytest.raises(ValueError, match=r"5001 distinct rows.*use fitness='loo' or"):
        evaluator(data)
    with pytest.raises(ValueError, match="leave-one-out values need at most 100"):
        evaluator(data, largest=100)
