"""Static-SMOTE: oversample the smallest class, M times over, then plain SVMs."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from isvmde.core.kernels import squared_distances
from isvmde.core.training_set import TrainingSet

from .binary_problem import BinaryProblem
from .smote import OversamplingSVM, interpolate


@dataclass(kw_only=True, eq=False, repr=False)
class StaticSMOTESVM(OversamplingSVM):
    """Static-SMOTE on the whole training set, then plain one-vs-one SVMs.

    As many times as there are classes, the class that is smallest at that moment gets
    SMOTE samples, drawn between its original samples. This lifts the rarest classes
    without balancing all. A step adds as many samples as the class had at first (n, 2n,
    3n, ...). Vote ties go to the class with fewer original samples. "Static-SMOTE" in
    the paper's tables.

    Parameters
    ----------
    C, kernel, sigma, degree, tol, max_iter
        As in :class:`OVOSVM`, which also says what the attributes are.
    k_neighbors, random_state
        As in :class:`SDCSVM`; sample weights are whole numbers here as there.

    References
    ----------
    Fernández-Navarro, Hervás-Martínez, Gutiérrez: A dynamic over-sampling procedure
    based on sensitivity for multi-class problems. Pattern Recognition 44 (2011)
    1821-1833.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from isvmde.baselines import StaticSMOTESVM
    >>> X, y = load_iris(return_X_y=True)
    >>> model = StaticSMOTESVM(C=10, random_state=0).fit(X[40:], y[40:])
    >>> model.predict(X[:2])
    array([0, 0])
    """

    def _problems(
        self, data: TrainingSet, rng: np.random.RandomState
    ) -> Iterable[BinaryProblem]:
        return super()._problems(self._oversample(data, rng), rng)

    def _oversample(self, data: TrainingSet, rng: np.random.RandomState) -> TrainingSet:
        """Return the training set with synthetic rows; class sizes stay the original.

        The sizes decide which class of a pair is + and which class wins a tie.
        """
        rows = [[data.X[data.rows(c)]] for c in range(data.n_classes)]
        weight = [[data.weight[data.rows(c)]] for c in range(data.n_classes)]
        size = data.class_size.copy()
        for _ in range(data.n_classes):
            c = int(np.argmin(size))  # the lower index on equality
            original, count = rows[c][0], int(data.class_size[c])
            draws = self._draw(data, c, squared_distances(original), count, rng)
            rows[c].append(interpolate(original, draws))
            weight[c].append(np.ones(count))
            size[c] += count
        n_rows = [sum(map(len, parts)) for parts in rows]
        return TrainingSet(
            np.concatenate([part for parts in rows for part in parts]),
            np.concatenate([part for parts in weight for part in parts]),
            np.cumsum([0, *n_rows]),
            data.class_size,
        )
