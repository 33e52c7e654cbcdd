"""Inner folds: decisions on rows that the machines did not see."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.svm import SVC

from isvmde.core.fitness import HeldOutError
from isvmde.core.search.folds import deal_folds
from isvmde.core.search.genome import C_NEG, C_POS, Encoding, Ranges


@pytest.fixture
def held_out(three, make_evaluator):
    """Return an evaluator of three classes with three inner folds."""
    fold = deal_folds(make_evaluator(three).data, 3, np.random.RandomState(0))
    with_folds = make_evaluator(three, tol=1e-6, fold=fold)
    yield with_folds
    with_folds.close()


def population(encoding, n=8):
    """Return random genes, decoded."""
    rng = np.random.default_rng(1)
    genomes = rng.uniform(encoding.lower, encoding.upper, (n, len(encoding.lower)))
    return encoding.decode(encoding.genes(genomes))


def svc_of(row):
    """Return scikit-learn's machine for a key: kernel, parameter, U+ and U-."""
    kernel, parameter, U_pos, U_neg = row
    options = {"class_weight": {1: U_pos, -1: U_neg}, "C": 1.0, "tol": 1e-6}
    if kernel == 0:
        return SVC(kernel="linear", **options)
    if kernel == 1:
        return SVC(kernel="rbf", gamma=parameter, **options)
    return SVC(kernel="poly", degree=int(parameter), gamma=1, coef0=1, **options)


def test_decisions_are_those_of_machines_that_did_not_see_the_row(held_out):
    encoding = Encoding(Ranges(C=10.0, cost=(0.1, 1.0), degree=(1, 2)), 3)
    decoded = population(encoding)
    solved = held_out.solve(decoded)
    data = held_out.data
    for p, problem in enumerate(held_out.problems):
        X, fold = data.X[problem.rows], held_out.fold[problem.rows]
        y, weight = problem.y, problem.weight
        for k in range(3):
            seen = fold != k
            for one in range(len(decoded.key)):
                machine = svc_of(decoded.key[one, p])
                machine.fit(X[seen], y[seen], sample_weight=weight[seen])
                theirs = machine.decision_function(X[~seen])
                ours = solved.f_of_problems()[p][one, ~seen]
                assert_allclose(ours, theirs, atol=1e-3 * max(1, abs(theirs).max()))


def test_every_fold_is_an_svm(held_out, encoding):
    held_out.solve(population(encoding, 5))
    assert held_out.n_solved == 5 * 3 * 3


def test_a_class_of_one_row_is_unknown_where_it_is_held_out(make_evaluator, three):
    """The machine without the class then says the other one."""
    keep = [*np.flatnonzero(three.y != 2), np.flatnonzero(three.y == 2)[0]]
    three.X, three.y = three.X[keep], three.y[keep]
    fold = deal_folds(make_evaluator(three).data, 3, np.random.RandomState(0))
    evaluator = make_evaluator(three, fold=fold)
    solved = evaluator.solve(population(Encoding(Ranges(), 3)))
    lone = [p for p, problem in enumerate(evaluator.problems) if problem.n_plus == 1]
    assert len(lone) == 2
    for p in lone:
        assert (solved.f_of_problems()[p][:, 0] < 0).all()
    evaluator.close()


def test_genes_of_no_machine_have_the_error_of_a_coin(held_out, encoding):
    genes = encoding.genes(encoding.upper[None].copy())
    genes[..., C_POS] = 0.0
    decoded = encoding.decode(genes)
    solved = held_out.solve(decoded)
    assert held_out.population_fitness(HeldOutError(), decoded, solved) == [0.5]


def test_folds_hold_a_share_of_every_class(three, make_evaluator):
    data = make_evaluator(three).data
    fold = deal_folds(data, 3, np.random.RandomState(0))
    for c in range(data.n_classes):
        counts = np.bincount(fold[data.rows(c)], minlength=3)
        assert np.ptp(counts) <= 1
    assert_array_equal(fold, deal_folds(data, 3, np.random.RandomState(0)))


def test_tied_costs_are_those_of_class_plus():
    encoding = Encoding(Ranges(tied_costs=True), 3)
    decoded = population(encoding)
    assert_array_equal(decoded.genes[..., C_NEG], decoded.genes[..., C_POS])
    assert_array_equal(decoded.key[..., 2], decoded.key[..., 3])
