"""Kernels: what the solver needs of a training set, and K(x, z) for new samples."""

from __future__ import annotations

import numpy as np
from scipy.spatial.distance import cdist

from .solver import LINEAR, POLY, RBF

KERNELS = {"linear": LINEAR, "rbf": RBF, "poly": POLY}
KERNEL_NAMES = {code: name for name, code in KERNELS.items()}
SMALLEST_SIGMA = 1e-3  # sigma -> 0 is the identity on distinct points (method 8.8)


def dot_products(X: np.ndarray) -> np.ndarray:
    """Return X X', exactly symmetric.

    Not through BLAS, whose last digits depend on its threads: a search would then end
    elsewhere on another machine setting.
    """
    return np.asarray(np.einsum("ik,jk->ij", X, X))


def squared_distances(X: np.ndarray) -> np.ndarray:
    """Return the (n, n) squared distances; 0 for identical rows."""
    return np.asarray(cdist(X, X, "sqeuclidean"))


def kernel_parameter(kernel: str, sigma: float, degree: int) -> float:
    """Return gamma = 1/(2 sigma^2) for rbf, the degree for poly, 0 for linear."""
    if kernel == "rbf":
        width = max(sigma, SMALLEST_SIGMA)
        return 0.5 / (width * width)  # ** of floats and of arrays round differently
    return float(degree) if kernel == "poly" else 0.0


def gram(kernel: str, parameter: float, X: np.ndarray, Z: np.ndarray) -> np.ndarray:
    """Return K(X, Z), (len(X), len(Z)).

    Examples
    --------
    >>> import numpy as np
    >>> gram("poly", 2.0, np.array([[1.0, 1.0]]), np.array([[2.0, 0.0]]))
    array([[9.]])
    """
    if kernel == "rbf":
        return np.asarray(np.exp(-parameter * cdist(X, Z, "sqeuclidean")))
    dot = X @ Z.T
    return np.asarray(dot if kernel == "linear" else (1.0 + dot) ** int(parameter))
