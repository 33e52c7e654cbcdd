"""What the tests of evaluation and search share."""

import numpy as np
import pytest

from isvmde.core.decomposition import make_decomposition
from isvmde.core.search.evaluation import Evaluator
from isvmde.core.search.genome import Encoding, Ranges
from isvmde.core.training_set import training_set


@pytest.fixture
def make_evaluator():
    """Return a function from data to an evaluator of its binary problems."""

    def make(data, *, n_threads=1, tol=1e-3, decomposition="one-vs-one", fold=None):
        rows = training_set(data.X, data.y, np.ones(len(data.y)), data.y.max() + 1)
        problems = make_decomposition(decomposition, rows.class_size).problems
        return Evaluator(rows, problems, tol, n_threads, fold)

    return make


@pytest.fixture
def encoding():
    """Return the paper's encoding of three pairs."""
    return Encoding(Ranges(), 3)
