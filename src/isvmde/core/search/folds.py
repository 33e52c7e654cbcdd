"""Inner folds of a training set, for a fitness on decisions that are held out."""

import numpy as np

from isvmde.core.arrays import Ints
from isvmde.core.training_set import TrainingSet


def deal_folds(data: TrainingSet, n_folds: int, random: np.random.RandomState) -> Ints:
    """Return the fold of every row, (n,): each class shuffled and dealt in turn.

    Equal rows of a class are one row here, so that they share a fold.
    """
    fold = np.empty(len(data.X), dtype=np.intp)
    for c in range(data.n_classes):
        rows = data.rows_of([c])
        fold[random.permutation(rows)] = np.arange(len(rows)) % n_folds
    return fold
