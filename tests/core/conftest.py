"""What the tests of evaluation and search share."""

import numpy as np
import pytest

from isvmde.core.pairs import make_pairs
from isvmde.core.search.evaluation import PairEvaluator
from isvmde.core.search.genome import Encoding, Ranges
from isvmde.core.training_set import training_set


@pytest.fixture
def make_evaluator():
    """Return a function from data to an evaluator of its pairs."""

    def make(data, *, n_threads=1, tol=1e-3):
        rows = training_set(data.X, data.y, np.ones(len(data.y)), data.y.max() + 1)
        pairs = make_pairs(rows.class_size)
        return PairEvaluator(rows, pairs, tol=tol, n_threads=n_threads)

    return make


@pytest.fixture
def encoding():
    """Return the paper's encoding of three pairs."""
    return Encoding(Ranges(), 3)
