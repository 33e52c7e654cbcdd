"""The classifier as it is by default, fitted and timed."""

from __future__ import annotations

import time
import warnings
from dataclasses import dataclass

import numpy as np
from sklearn.exceptions import ConvergenceWarning

from isvmde import ISVMClassifierCV

from . import tables


@dataclass(frozen=True)
class Fitted:
    """A fitted classifier, its cost, and whether it warned."""

    model: ISVMClassifierCV
    warnings: int  # those of machines that did not converge are not counted
    cpu: float  # seconds


def fit(
    X: np.ndarray, y: np.ndarray, seed: int, groups: np.ndarray | None = None
) -> Fitted:
    """Fit the classifier as it is by default, in one thread."""
    model = ISVMClassifierCV(random_state=seed)
    began = time.process_time()
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        if groups is None:
            model.fit(X, y)
        else:
            model.fit(X, y, groups=groups)
    counted = [w for w in caught if not issubclass(w.category, ConvergenceWarning)]
    return Fitted(model, len(counted), time.process_time() - began)


def compile_first() -> None:
    """Compile what a fit needs, so that no case is charged for it."""
    table = tables.noise(tables.NoiseShape((30, 30), 4), 0)
    ISVMClassifierCV(n_settings=8, random_state=0).fit(table.X, table.y)
