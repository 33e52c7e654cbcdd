"""Kernels: the one place that knows what a kernel is.

Every kernel is a function of one number per pair of samples, its *base*: their dot
product, their squared distance, or the sum of the minima of their features.

| kernel | K(x, z) | base | function |
|---|---|---|---|
| linear | x'z | dot product | itself |
| rbf | exp(-|x - z|^2 / (2 sigma^2)) | squared distance | exp(-gamma base) |
| poly | (1 + x'z)^degree | dot product | (1 + base)^degree |
| min | (1 + sum_j min(x_j, z_j))^degree | sum of minima | (1 + base)^degree |

The multipliers y_i a_i of a machine sum to zero, so a constant may be added to K: rbf
is K - 1 throughout, which keeps all digits of wide kernels, and a degree of 1 leaves
the base as it is.

`min` (histogram intersection) is a kernel for features that are not negative: min(x, z)
is the length that [0, x] and [0, z] share. `shifted` puts features there.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike
from scipy.spatial.distance import cdist

from .solver import LANES, Samples
from .solver.compiled_kernels import (
    DISTANCE,
    DOT,
    LINEAR,
    MINIMUM,
    POLY,
    RBF,
    bases_of_all,
)

# every kernel: its base, its function, and the setting it has beside the costs
_TABLE: dict[str, tuple[int, int, str | None]] = {
    "linear": (DOT, LINEAR, None),
    "rbf": (DISTANCE, RBF, "sigma"),
    "poly": (DOT, POLY, "degree"),
    "min": (MINIMUM, POLY, "degree"),
}
PARAMETER = {name: setting for name, (_, _, setting) in _TABLE.items()}
KERNELS = tuple(_TABLE)
# those of the paper, each with its function of dot products or squared distances
PAPER_KERNELS = {name: _TABLE[name][1] for name in ("linear", "rbf", "poly")}
LARGEST_DEGREE = 100  # a power takes as many multiplications
SMALLEST_SIGMA = 1e-3  # below it K is the identity on distinct points, as for 0
LARGEST_SIGMA = 1e30  # beyond it all points are one
_TINY, _TINY_PRODUCT = 1e-45, 1e-100  # products of tiny features count as zero
_LARGEST_MATRIX = 4_000  # rows up to which dot products are computed all at once
_BLOCK = 4_000_000  # numbers computed at a time when many features are compared


def has_degree(name: str) -> bool:
    """Whether the kernel of this name is a polynomial, whose degree is its setting."""
    return PARAMETER[name] == "degree"


def starts_at_zero(name: str) -> bool:
    """Whether the kernel of this name needs features that are `shifted`."""
    return _TABLE[name][0] == MINIMUM


class Kernel(NamedTuple):
    """A kernel as the solver takes it: a function of a base, and its parameter."""

    base: int  # DOT, DISTANCE or MINIMUM
    function: int  # LINEAR, RBF or POLY of the base
    parameter: float  # gamma = 1/(2 sigma^2), the degree, or 0

    def from_base(self, base: np.ndarray) -> np.ndarray:
        """Return kernel values from their base; K - 1 for rbf."""
        if self.function == RBF:
            with np.errstate(over="ignore"):  # infinitely far away: -1
                return np.asarray(np.expm1(-self.parameter * base))
        if self.function == POLY:
            return np.asarray((1.0 + base) ** int(self.parameter))
        return base

    @property
    def growth(self) -> float:
        """The power of its base that the kernel grows with; 0 if it is bounded."""
        if self.function == RBF:
            return 0.0
        return self.parameter if self.function == POLY else 1.0

    def largest(self, base: float) -> float:
        """Return a bound on the kernel's size from the largest base."""
        return float(self.from_base(np.asarray(base))) if self.growth else 1.0

    def between(self, X: np.ndarray, Z: np.ndarray) -> np.ndarray:
        """Return kernel values between the rows of X and Z; K - 1 for rbf."""
        return self.from_base(cross_base(self.base, X, Z))


def make_kernel(name: str, sigma: float = 1.0, degree: int = 3) -> Kernel:
    """Return the kernel of this name.

    Examples
    --------
    >>> import numpy as np
    >>> make_kernel("poly", degree=2).between(np.array([[1.0, 1.0]]), np.eye(2))
    array([[4., 4.]])
    >>> make_kernel("min", degree=1).between(np.array([[1.0, 0.2]]), np.eye(2))
    array([[1. , 0.2]])
    """
    base, function, setting = _TABLE[name]
    if setting == "sigma":
        width = min(max(sigma, SMALLEST_SIGMA), LARGEST_SIGMA)
        # ** of floats and of arrays round differently
        return Kernel(base, function, 0.5 / (width * width))
    if function == LINEAR or degree == 1:
        return Kernel(base, LINEAR, 0.0)
    return Kernel(base, function, float(degree))


def solver_codes(
    function: np.ndarray, sigma: np.ndarray, degree: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Return functions and parameters of many kernels, the bits of `make_kernel`."""
    poly = (function == POLY) & (degree > 1)
    gamma = np.where(function == RBF, 0.5 / (sigma * sigma), 0.0)
    code = np.where((function == POLY) & ~poly, LINEAR, function)
    return code, np.where(poly, degree, gamma)


def paper_bases(function: np.ndarray) -> np.ndarray:
    """Return the bases that the paper's kernels have, by their functions."""
    return np.where(function == RBF, DISTANCE, DOT)


def log10_largest(
    function: ArrayLike, parameter: ArrayLike, largest_base: ArrayLike
) -> np.ndarray:
    """Return log10 of the largest value of many kernels, also where it overflows."""
    base = np.asarray(largest_base, dtype=float)
    polynomial = np.asarray(parameter) * np.log10(1.0 + base)
    linear = np.log10(np.maximum(base, 1.0))
    value = np.where(np.equal(function, POLY), polynomial, linear)
    return np.where(np.equal(function, RBF), 0.0, value)


def base_matrix(base: int, X: np.ndarray, out: np.ndarray | None = None) -> np.ndarray:
    """Return the base of all pairs of rows, exactly symmetric, in ``out`` if given."""
    out = np.empty((len(X), len(X))) if out is None else out
    if base == DOT:
        # Not through BLAS, whose last digits depend on its threads: a search would
        # then end elsewhere on another machine setting.
        np.einsum("ik,jk->ij", X, X, out=out)
    else:
        rows = np.array(X, dtype=float, order="C")
        n, d = rows.shape
        bases_of_all(base, rows, np.empty((d, LANES)), np.empty(n * LANES), out)
    size = np.abs(X)
    if ((size > 0.0) & (size < _TINY)).any():
        out[np.abs(out) < _TINY_PRODUCT] = 0.0  # their inverse would not be a number
    return out


def dot_products(X: np.ndarray, out: np.ndarray | None = None) -> np.ndarray:
    """Return X X'."""
    return base_matrix(DOT, X, out)


def squared_distances(X: np.ndarray, out: np.ndarray | None = None) -> np.ndarray:
    """Return the (n, n) squared distances; 0 for identical rows."""
    return base_matrix(DISTANCE, X, out)


def base_for_solver(base: int, X: np.ndarray) -> np.ndarray | Samples:
    """Return what the solver computes rows of a kernel from: samples, or a matrix."""
    # The matrix of a search adds up dot products in another order than the solver
    # does, and a machine of a small pair has the bits of the search's.
    if base == DOT and len(X) <= _LARGEST_MATRIX:
        return dot_products(X)
    return Samples(np.ascontiguousarray(without_tiny(X).T), base)


def without_tiny(X: np.ndarray) -> np.ndarray:
    """Return X with zero for features whose squares have no inverse."""
    return np.where(np.abs(X) < _TINY, 0.0, X)


def largest_base(base: np.ndarray | Samples) -> float:
    """Return the largest base of a row with itself."""
    if not isinstance(base, Samples):
        return float(np.abs(np.diagonal(base)).max(initial=0.0))
    if base.kind == DISTANCE:
        return 0.0
    with_itself = base.features**2 if base.kind == DOT else base.features
    return float(with_itself.sum(axis=0).max(initial=0.0))


def some_bases(
    base: np.ndarray | Samples, rows: slice, columns: np.ndarray
) -> np.ndarray:
    """Return the bases between some samples and others."""
    if not isinstance(base, Samples):
        return base[rows, columns]
    some, others = base.features[:, rows], base.features[:, columns]
    if base.kind == DOT:  # not through BLAS, see `base_matrix`
        return np.asarray(np.einsum("ki,kj->ij", some, others))
    return cross_base(base.kind, some.T, others.T)


def cross_base(base: int, X: np.ndarray, Z: np.ndarray) -> np.ndarray:
    """Return the base between the rows of X and of Z."""
    # In one layout: sums over a table that lies in memory column by column would be
    # added up in another order.
    X, Z = np.ascontiguousarray(X), np.ascontiguousarray(Z)
    if base == DISTANCE:
        return np.asarray(cdist(X, Z, "sqeuclidean"))
    if base == DOT:  # not through BLAS, whose last digits depend on all rows of X
        return np.asarray(np.einsum("ik,jk->ij", X, Z))
    out = np.zeros((len(X), len(Z)))
    rows = max(1, _BLOCK // max(Z.size, 1))
    for i in range(0, len(X), rows):
        part = np.minimum(X[i : i + rows, None, :], Z[None, :, :])
        out[i : i + rows] = part.sum(axis=2)
    return out


def shift_origin(X: np.ndarray) -> np.ndarray:
    """Return what `shifted` takes away: each feature's minimum if it is negative."""
    return np.asarray(np.minimum(X.min(axis=0, initial=0.0), 0.0))


def shifted(X: np.ndarray, origin: np.ndarray) -> np.ndarray:
    """Return X as the min kernel sees it: from ``origin`` on, not below zero."""
    return np.asarray(np.maximum(X - origin, 0.0))
