"""How large and how small numbers may be, so that nothing overflows in the solver.

The compiled code adds products of kernel values, costs and counts, squares the sums
and divides them by curvatures as small as 1e-12. Below `MOST_DIGITS` all of that is a
number. What would go beyond it is refused here, in a sentence, before it enters.
"""

import math

import numpy as np
from numpy.typing import ArrayLike

from .kernels import Kernel, log10_largest

LARGEST_VALUE = 1e60  # of a feature
LARGEST_MARGIN = 1e100
LIGHTEST, HEAVIEST = 1e-30, 1e30  # weights
WEIGHT_RATIO = 1e15  # beyond it the sum of two weights is the larger one
MOST_DIGITS = 140.0  # log10 of a kernel value times a cost times the samples
_LARGEST_DECISION = 1e300


def check_values(X: np.ndarray) -> None:
    """Refuse features whose products are too large to be computed with."""
    largest = float(np.abs(X).max(initial=0.0))
    if largest > LARGEST_VALUE:
        raise ValueError(
            f"X has values up to {largest:.3g}, too large for kernels to be computed: "
            "scale the features to [0, 1], for example with MinMaxScaler."
        )


def check_weights(weight: np.ndarray) -> None:
    """Refuse weights that cannot be added to each other or counted."""
    positive = weight[weight > 0]
    if len(positive) == 0:
        return
    least, most = float(positive.min()), float(positive.max())
    if least < LIGHTEST or most > HEAVIEST or most / least > WEIGHT_RATIO:
        raise ValueError(
            f"sample_weight goes from {least:.3g} to {most:.3g}, a range too wide to "
            f"compute with: use weights between {LIGHTEST:g} and {HEAVIEST:g}, the "
            f"largest at most {WEIGHT_RATIO:g} times the smallest."
        )


def product_size(
    largest_base: ArrayLike,
    function: ArrayLike,
    parameter: ArrayLike,
    cost: ArrayLike,
    n: ArrayLike,
) -> np.ndarray:
    """Return log10 of the largest kernel value times the largest cost times n.

    ``largest_base`` is that of a row with itself, which none of two rows exceeds.
    """
    kernel = log10_largest(function, parameter, largest_base)
    return np.asarray(kernel + np.log10(np.maximum(cost, 1.0)) + np.log10(n))


def check_products(
    largest_base: float, function: int, parameter: float, cost: float, n: int
) -> None:
    """Refuse kernel values and costs whose products leave the range of numbers."""
    size = float(product_size(largest_base, function, parameter, cost, n))
    if not size <= MOST_DIGITS:
        kernel = float(product_size(largest_base, function, parameter, 1.0, 1))
        shown = f"{cost:.3g}" if math.isfinite(cost) else "more than 1e308"
        raise ValueError(
            f"Kernel values up to 1e{kernel:.0f} times costs up to {shown} exceed the "
            "range of floating-point numbers: scale the features to [0, 1], lower C, "
            "or take a lower degree."
        )


def largest_new_value(
    kernel: Kernel, n_features: int, largest: float, total: float
) -> float:
    """Return the value of a new row beyond which decisions would overflow.

    ``largest`` is the largest value of a support vector and ``total`` the sum of the
    multipliers' sizes.
    """
    if kernel.growth == 0.0:
        return math.inf  # infinitely far away, and K is 0
    room: float = (_LARGEST_DECISION / max(total, 1.0)) ** (1.0 / kernel.growth)
    bound = room - 1.0
    return min(bound / (n_features * max(largest, 1e-8)), _LARGEST_DECISION)


def bounded_rows(
    X: np.ndarray, kernel: Kernel, largest: float, total: float
) -> np.ndarray:
    """Return new rows, cut off at their `largest_new_value`."""
    bound = largest_new_value(kernel, X.shape[1], largest, total)
    if math.isinf(bound) or np.abs(X).max(initial=0.0) <= bound:
        return X
    return np.asarray(np.clip(X, -bound, bound))
