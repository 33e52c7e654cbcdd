"""From genes to fitness: nothing is solved twice, nothing depends on the past."""

import time
from types import SimpleNamespace

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.svm import SVC

from isvmde.core.binary_machine import decide, train_isvm
from isvmde.core.dual import to_c_svc
from isvmde.core.fitness import MaximumLoss
from isvmde.core.parallel import Stopped
from isvmde.core.search import evaluation
from isvmde.core.search.genome import (
    C_NEG,
    C_POS,
    DEGREE,
    KERNEL,
    KEY_KERNEL,
    MARGIN_NEG,
    MARGIN_POS,
    SIGMA,
    Encoding,
    Ranges,
)
from isvmde.core.solver import RBF, BatchSolver

MARGINS = slice(MARGIN_POS, MARGIN_NEG + 1)


def population(encoding, n=12, seed=0):
    """Return random genomes, decoded."""
    rng = np.random.default_rng(seed)
    genomes = rng.uniform(encoding.lower, encoding.upper, (n, len(encoding.lower)))
    return encoding.genes(genomes)


@pytest.mark.parametrize("widest", [1.0, 5.0])
@pytest.mark.parametrize("tol", [1e-3, 0.2])
def test_a_solved_cell_is_the_trained_pair(three, make_evaluator, widest, tol):
    """The search and the final model solve the same problem to the same tolerance."""
    encoding = Encoding(Ranges(margin=(0.0, widest)), 3)
    evaluator = make_evaluator(three, tol=tol)
    genes = population(encoding)
    decoded = encoding.decode(genes)
    solved = evaluator.solve(decoded)
    for k, row in enumerate(genes):
        for p, settings in enumerate(encoding.settings(row)):
            problem = evaluator.problems[p]
            X = evaluator.data.X[problem.rows]
            model = train_isvm(
                X,
                problem.n_plus,
                problem.weight,
                np.ones(len(X)),
                settings,
                tol=tol,
                max_iter=-1,
            )
            kernel = settings.for_solver
            f = decide(kernel, X[model.support], model.beta, model.b, X)
            ours = (
                decoded.scale[k, p] * solved.f_of_problems()[p][k] + decoded.shift[k, p]
            )
            assert_allclose(ours, f, atol=1e-9 * max(1, np.abs(f).max()))
            assert model.n_support == solved.support[k, p]


def test_contributions_are_the_literal_formulas(three, encoding, make_evaluator):
    evaluator = make_evaluator(three)
    decoded = encoding.decode(population(encoding))
    solved = evaluator.solve(decoded)
    found = evaluator.contributions(MaximumLoss(0.05), decoded, solved)
    for p, problem in enumerate(evaluator.problems):
        plus, minus = problem.classes
        N = (three.y == plus).sum() + (three.y == minus).sum()
        y = np.where(np.arange(N) < (three.y == plus).sum(), 1, -1)
        f = decoded.scale[:, [p]] * solved.f_of_problems()[p] + decoded.shift[:, [p]]
        nsv = solved.support[:, p]
        bound = np.sqrt((np.log(nsv) + np.log(1 / 0.05)) / (2 * N))
        literal = 1 / (1 + np.exp(y * f)) + bound[:, None]
        assert_allclose(found[p], literal, rtol=1e-12)


@pytest.mark.parametrize("kept", [5000, 20])
def test_threads_and_company_leave_no_trace(
    three, encoding, make_evaluator, monkeypatch, kept
):
    """A cell alone, in a population, with two threads: the same bits."""
    monkeypatch.setattr(evaluation, "_KEPT_ROWS", kept)
    genes = population(encoding)
    together = make_evaluator(three).solve(encoding.decode(genes))
    threaded = make_evaluator(three, n_threads=2)
    assert threaded.solve(encoding.decode(genes)).f.tobytes() == (together.f.tobytes())
    threaded.close()
    for k in (0, 7):
        alone = make_evaluator(three).solve(encoding.decode(genes[[k]]))
        assert alone.f[0].tobytes() == together.f[k].tobytes()
        assert_array_equal(alone.support[0], together.support[k])


def test_a_key_of_the_parent_is_not_solved_again(three, encoding, make_evaluator):
    evaluator = make_evaluator(three)
    parents_genes = population(encoding)
    parents = evaluator.solve(encoding.decode(parents_genes))
    assert evaluator.n_solved == parents_genes.shape[0] * 3
    n = len(parents_genes)
    slots = np.stack([np.random.default_rng(p).permutation(n) for p in range(3)], 1)
    trials = np.stack([parents_genes[slots[:, p], p] for p in range(3)], axis=1)
    # margins moved but their sum kept; sigma of a kernel that has none; both free
    shift = 0.5 * np.minimum(trials[..., MARGIN_POS], 1 - trials[..., MARGIN_NEG])
    trials[..., MARGIN_POS] -= shift
    trials[..., MARGIN_NEG] += shift
    same_sum = trials[..., MARGIN_POS] + trials[..., MARGIN_NEG] == np.stack(
        [parents_genes[slots[:, p], p, MARGINS].sum(-1) for p in range(3)], axis=1
    )
    trials[..., SIGMA] = np.where(trials[..., KERNEL] < 1, 50.0, trials[..., SIGMA])
    trials[0, 0, C_POS] *= 0.5  # one real change
    before = evaluator.n_solved
    decoded = encoding.decode(trials)
    solved = evaluator.solve(decoded, parents.ordered(slots))
    assert same_sum.mean() > 0.5  # rounding spoils a few
    same_sum[0, 0] = False
    assert evaluator.n_solved - before == (~same_sum).sum()

    fresh = make_evaluator(three).solve(decoded)
    assert solved.f.tobytes() == fresh.f.tobytes()
    assert_array_equal(solved.support, fresh.support)
    ours = evaluator.contributions(MaximumLoss(), decoded, solved)
    anew = evaluator.contributions(MaximumLoss(), decoded, fresh)
    for one, other in zip(ours, anew, strict=True):
        assert one.tobytes() == other.tobytes()


def test_degenerate_genes_get_the_fitness_of_a_coin(three, encoding, make_evaluator):
    evaluator = make_evaluator(three)
    genes = np.tile(population(encoding, 1), (4, 1, 1))
    genes[0, :, C_POS] = 0.0
    genes[1, :, C_NEG] = 0.0
    genes[2, :, MARGINS] = 0.0
    decoded = encoding.decode(genes)
    solved = evaluator.solve(decoded)
    assert evaluator.n_solved == 3  # only the fourth
    for p, loss in enumerate(evaluator.contributions(MaximumLoss(), decoded, solved)):
        N = evaluator.problems[p].weight.sum()
        coin = 0.5 + np.sqrt((np.log(N) + np.log(20)) / (2 * N))
        assert_allclose(loss[:3], coin)


def test_extreme_genes_have_a_finite_fitness(three, encoding, make_evaluator):
    """All corners of Table 2's box, sigma 0 and upper bounds among them."""
    evaluator = make_evaluator(three)
    corners = np.array(np.meshgrid(*[[0, 1]] * 7)).reshape(7, -1).T
    box = encoding.lower[:7] + corners * (encoding.upper - encoding.lower)[:7]
    decoded = encoding.decode(np.repeat(box[:, None], 3, axis=1))
    solved = evaluator.solve(decoded)
    assert_array_equal(solved.converged, decoded.valid)
    for loss in evaluator.contributions(MaximumLoss(), decoded, solved):
        assert np.isfinite(loss).all()


def test_large_tables_agree_with_small_ones(
    three, encoding, make_evaluator, monkeypatch
):
    """Distances that are not kept are the same; dot products but for rounding."""
    decoded = encoding.decode(population(encoding))
    small = make_evaluator(three, tol=1e-6).solve(decoded)
    monkeypatch.setattr(evaluation, "_KEPT_ROWS", 20)
    large = make_evaluator(three, tol=1e-6).solve(decoded)
    for p in range(3):
        same = decoded.key[:, p, KEY_KERNEL] == RBF
        ours, kept = large.f_of_problems()[p], small.f_of_problems()[p]
        assert_array_equal(ours[same], kept[same])
        assert_array_equal(large.support[same, p], small.support[same, p])
        size = np.maximum(np.abs(kept).max(axis=1, keepdims=True), 1.0)
        assert_allclose(ours / size, kept / size, atol=1e-6)


def test_support_vectors_with_tiny_multipliers_count(make_evaluator):
    """Degree 5 on forty features: every multiplier is far below 1e-8 of its box."""
    rng = np.random.default_rng(0)
    X = rng.random((30, 40)).round()
    data = SimpleNamespace(X=X, y=(X[:, 0] > 0.5).astype(int))
    encoding = Encoding(Ranges(), 1)
    evaluator = make_evaluator(data)
    genes = np.array([[[1.0, 1.0, 1.0, 1.0, 2.5, 1.0, 5.5]]])
    solved = evaluator.solve(encoding.decode(genes))
    settings = encoding.settings(genes[0])[0]
    U = to_c_svc(1000.0, 1000.0, 1.0, 1.0).U_pos
    X = evaluator.data.X
    plus = np.arange(30) < evaluator.problems[0].n_plus
    degree = int(settings.for_solver.parameter)
    svc = SVC(C=U, kernel="poly", degree=degree, gamma=1.0, coef0=1.0, tol=1e-6)
    svc.fit(X, plus)
    assert np.abs(svc.dual_coef_).max() < 1e-8 * U
    assert solved.support[0, 0] == len(svc.support_)


def test_what_overflows_is_counted_and_worth_a_coin(three, encoding, make_evaluator):
    """Finite features whose polynomial is not: no number of it reaches the fitness."""
    huge = SimpleNamespace(X=1e80 * three.X, y=three.y)
    evaluator = make_evaluator(huge)
    genes = population(encoding, 2)
    genes[..., KERNEL], genes[..., DEGREE] = 2.5, 5.5
    decoded = encoding.decode(genes)
    solved = evaluator.solve(decoded)
    assert not solved.converged.any()
    assert evaluator.n_unconverged == evaluator.n_solved == 6
    for p, loss in enumerate(evaluator.contributions(MaximumLoss(), decoded, solved)):
        N = evaluator.problems[p].weight.sum()
        coin = 0.5 + np.sqrt((np.log(N) + np.log(20)) / (2 * N))
        assert_allclose(loss, coin)
    again = evaluator.solve(decoded, solved)
    assert evaluator.n_solved == 6
    assert not again.converged.any()


@pytest.mark.parametrize("kept", [5000, 0])
def test_after_the_deadline_nothing_is_solved(
    three, encoding, make_evaluator, monkeypatch, kept
):
    monkeypatch.setattr(evaluation, "_KEPT_ROWS", kept)
    evaluator = make_evaluator(three)
    decoded = encoding.decode(population(encoding, 4))
    evaluator.deadline = time.monotonic() - 1.0
    with pytest.raises(Stopped):
        evaluator.solve(decoded)
    solved = evaluator.solve(decoded, first=True)
    assert evaluator.stopped
    assert evaluator.n_solved == solved.converged.sum() == 0
    values = evaluator.population_fitness(MaximumLoss(), decoded, solved)
    assert np.isfinite(values).all()
    evaluator.deadline = None
    assert evaluator.solve(decoded).converged.all()
    assert not evaluator.stopped


def test_a_partial_population_has_whole_individuals(
    three, encoding, make_evaluator, monkeypatch
):
    """The time is over before the third individual is solved."""
    solve, calls = BatchSolver.solve, []

    def until_the_third(self, tasks, **options):
        calls.append(None)
        if len(calls) == 3:
            raise Stopped
        return solve(self, tasks, **options)

    monkeypatch.setattr(BatchSolver, "solve", until_the_third)
    evaluator = make_evaluator(three)
    evaluator.deadline = time.monotonic() + 1e6
    decoded = encoding.decode(population(encoding, 4))
    solved = evaluator.solve(decoded, first=True)
    assert evaluator.stopped
    assert solved.converged.tolist() == [[True] * 3] * 2 + [[False] * 3] * 2


@pytest.mark.parametrize("decomposition", ["one-vs-rest", "dag"])
@pytest.mark.parametrize("kept_rows", [5_000, 20])
def test_a_solved_cell_of_other_decompositions_is_the_trained_machine(
    make_blobs, make_evaluator, monkeypatch, decomposition, kept_rows
):
    """Also where the rest of a class is not one run of rows, or no base is kept."""
    monkeypatch.setattr(evaluation, "_KEPT_ROWS", kept_rows)
    data = make_blobs([25, 12, 6, 9])
    evaluator = make_evaluator(data, tol=1e-7, decomposition=decomposition)
    encoding = Encoding(Ranges(degree=(1, 2)), len(evaluator.problems))
    genes = population(encoding, 6)
    decoded = encoding.decode(genes)
    solved = evaluator.solve(decoded)
    for k, row in enumerate(genes):
        for p, settings in enumerate(encoding.settings(row)):
            problem = evaluator.problems[p]
            X = evaluator.data.X[problem.rows]
            machine = train_isvm(
                X,
                problem.n_plus,
                problem.weight,
                np.ones(len(X)),
                settings,
                tol=1e-7,
                max_iter=-1,
            )
            kernel = settings.for_solver
            f = decide(kernel, X[machine.support], machine.beta, machine.b, X)
            ours = solved.f_of_problems()[p][k]
            ours = decoded.scale[k, p] * ours + decoded.shift[k, p]
            assert_allclose(ours, f, atol=1e-5 * max(1, np.abs(f).max()))
