"""What the tests of evaluation and search share."""

import numpy as np
import pytest

from isvmde.classifiers.large_pairs import solve_with_svc
from isvmde.core.pairs import make_pairs
from isvmde.core.search.evaluation import PairEvaluator
from isvmde.core.search.genome import Encoding, Ranges
from isvmde.core.training_set import training_set


@pytest.fixture
def make_evaluator():
    """Return a function from data to an evaluator of its pairs."""

    def make(data, *, n_threads=1, largest=4000, tol=1e-3, solve_large=solve_with_svc):
        rows = training_set(data.X, data.y, np.ones(len(data.y)), data.y.max() + 1)
        return PairEvaluator(
            rows,
            make_pairs(rows.class_size),
            tol=tol,
            n_threads=n_threads,
            largest=largest,
            solve_large=solve_large,
        )

    return make


@pytest.fixture
def encoding():
    """Return the paper's encoding of three pairs."""
    return Encoding(Ranges(), 3)
