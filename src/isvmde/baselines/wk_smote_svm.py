"""WK-SMOTE: SMOTE and different costs in the space of the kernel."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np

from isvmde.classifiers.checks import check_choice
from isvmde.core.kernels import base_matrix
from isvmde.core.solver import DISTANCE, POLY

from .binary_problem import BinaryProblem, Draws
from .sdc_svm import SDCSVM


@dataclass(kw_only=True, eq=False, repr=False)
class WKSMOTESVM(SDCSVM):
    """Weighted kernel-based SMOTE, one-vs-one.

    In every pair the smaller class gets synthetic samples until both have the same
    number, but between the *images* of two samples in the kernel's space: neighbours
    are the nearest by kernel distance, and the Gram matrix is augmented to
    ``T K T'``, where a row of T holds 1 - gap at the sample and gap at its neighbour.
    No synthetic row is ever computed; for prediction the synthetic multipliers are
    folded back into those of the two samples. With the linear kernel this is SDC.
    Synthetic samples cost what samples of the smaller class cost; n and n+ count
    original samples. "WK-SMOTE" in the paper's tables.

    Parameters
    ----------
    C, kernel, sigma, degree, tol, max_iter
        As in :class:`OVOSVM`, which also says what the attributes are.
    k_neighbors, random_state
        As in :class:`SDCSVM`; sample weights are whole numbers here as there.
    costs : {"balanced", "equal"}, default="balanced"
        "balanced" multiplies C by n / n+ and n / n-, "equal" by 1.

    References
    ----------
    Mathew, Pang, Luo, Leong: Classification of imbalanced data by oversampling in
    kernel space of support vector machines. IEEE Trans. Neural Netw. Learn. Syst. 29
    (2018) 4065-4076.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from isvmde.baselines import WKSMOTESVM
    >>> X, y = load_iris(return_X_y=True)
    >>> model = WKSMOTESVM(C=10, random_state=0).fit(X[40:], y[40:])
    >>> model.predict(X[:2])
    array([0, 0])
    """

    _structure: ClassVar[tuple[str, ...]] = ("k_neighbors", "kernel", "degree")

    costs: str = "balanced"

    def _check_parameters(self) -> None:
        super()._check_parameters()
        check_choice("costs", self.costs, ["balanced", "equal"])

    def _squared_distance(self, X: np.ndarray) -> np.ndarray:
        """Return K_pp - 2 K_pq + K_qq, or what orders neighbours in the same way."""
        kernel = self._kernel_in_use()
        if kernel.function != POLY:
            # rbf falls with the distance, so its nearest are the nearest rows; computed
            # from them, no neighbours tie because a narrow kernel is 0 for all
            return base_matrix(DISTANCE, X)
        with np.errstate(over="ignore", invalid="ignore"):  # the solver sees and tells
            K = kernel.from_base(base_matrix(kernel.base, X))
            own = np.diagonal(K)
            return np.nan_to_num(own[:, None] - 2.0 * K + own, nan=np.inf)

    def _with_synthetic(
        self, problem: BinaryProblem, X: np.ndarray, draws: Draws
    ) -> BinaryProblem:
        # the rows of + come first, so the indices of the draws need no shift
        return replace(problem, blend=draws)

    def _costs(self, problem: BinaryProblem) -> tuple[float, float]:
        return (1.0, 1.0) if self.costs == "equal" else super()._costs(problem)
