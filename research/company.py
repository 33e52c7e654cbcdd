"""What else a researcher expects beside the paper's methods: samplers, one machine.

Samplers of imbalanced-learn before the plain SVM, with the grid that the paper gives to
the plain SVM; and Crammer and Singer's machine, one optimisation for all classes.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from imblearn.over_sampling import ADASYN, SMOTE, BorderlineSMOTE
from numpy.random import RandomState
from sklearn.model_selection import GridSearchCV
from sklearn.svm import LinearSVC

from isvmde.baselines import OVOSVM, GridSearchSVM
from isvmde.core.training_set import TrainingSet, training_set
from isvmde.methods import make_method
from isvmde.metrics import g_mean_scorer
from isvmde.model_selection import PaperKFold

NEIGHBOURS = 5
SAMPLERS = {
    "SMOTE": lambda k, **given: SMOTE(k_neighbors=k, **given),
    "Borderline-SMOTE": lambda k, **given: BorderlineSMOTE(k_neighbors=k, **given),
    "ADASYN": lambda k, **given: ADASYN(n_neighbors=k, **given),
}


@dataclass(kw_only=True, eq=False, repr=False)
class ResampledSVM(OVOSVM):
    """Plain SVMs on a training set in which a sampler has evened out the classes.

    Every class is brought to the size of the largest, each from the original samples.
    A class of n samples has min(5, n - 1) neighbours; one of a single sample, and one
    for which the sampler finds nothing to do, stays as it is.
    """

    sampling_parameters: ClassVar[tuple[str, ...]] = ("sampler",)

    sampler: str = "SMOTE"
    random_state: Any = None

    def prepare(self, data: TrainingSet, rng: RandomState) -> TrainingSet:
        """Return the set with synthetic rows; class sizes, which decide ties, stay."""
        row = np.repeat(np.arange(len(data.X)), data.weight.astype(int))
        X, y = data.X[row], data.label[row]
        sizes = np.bincount(y, minlength=data.n_classes)
        more = [self._new_rows(X, y, c, sizes, rng) for c in range(data.n_classes)]
        labels = np.repeat(np.arange(data.n_classes), [len(rows) for rows in more])
        rows, label = np.concatenate([X, *more]), np.concatenate([y, labels])
        grown = training_set(rows, label, np.ones(len(rows)), data.n_classes)
        return TrainingSet(grown.X, grown.weight, grown.class_start, data.class_size)

    def _new_rows(
        self, X: np.ndarray, y: np.ndarray, c: int, sizes: np.ndarray, rng: RandomState
    ) -> np.ndarray:
        """Return synthetic rows of class c."""
        none = X[:0]
        if sizes[c] == sizes.max() or sizes[c] < 2:
            return none
        sampler = SAMPLERS[self.sampler](
            min(NEIGHBOURS, int(sizes[c]) - 1),
            sampling_strategy={c: int(sizes.max())},
            random_state=rng.randint(2**31 - 1),
        )
        try:
            rows, _ = sampler.fit_resample(X, y)
        except (RuntimeError, ValueError):  # ADASYN: no neighbour of another class
            return none
        return np.asarray(rows[len(X) :])


def crammer_singer(random_state: Any = None) -> GridSearchCV:
    """Return one machine for all classes, linear, C chosen as for the baselines."""
    machine = LinearSVC(
        multi_class="crammer_singer", max_iter=10_000, random_state=random_state
    )
    folds = PaperKFold(3, random_state=random_state)
    grid = {"C": [10, 100, 1000]}
    return GridSearchCV(machine, grid, scoring=g_mean_scorer, cv=folds)


COMPANY: dict[str, GridSearchSVM | Callable[..., GridSearchCV]] = {
    f"{sampler} + SVM": GridSearchSVM(
        ResampledSVM(sampler=sampler), make_method("SVM").param_grid
    )
    for sampler in SAMPLERS
}
COMPANY["Crammer-Singer"] = crammer_singer
