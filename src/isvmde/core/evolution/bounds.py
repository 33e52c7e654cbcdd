"""The bounds that individuals stay in."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from isvmde.core.arrays import Floats


def check_bounds(lower: ArrayLike, upper: ArrayLike) -> tuple[Floats, Floats]:
    """Bounds as float vectors of the same length, finite and in order."""
    low = np.array(lower, dtype=np.float64)
    high = np.array(upper, dtype=np.float64)
    if low.ndim != 1 or low.shape != high.shape or not low.size:
        raise ValueError(
            f"lower and upper have shapes {low.shape} and {high.shape}: give two "
            "vectors of one and the same length, at least 1."
        )
    if not np.isfinite([low, high]).all():
        raise ValueError("lower and upper must be finite: replace NaN and infinity.")
    if np.any(low > high):
        j = int(np.argmax(low > high))
        raise ValueError(
            f"lower[{j}] = {low[j]} is above upper[{j}] = {high[j]}: exchange them."
        )
    return low, high


def check_inside(name: str, given: Floats, lower: Floats, upper: Floats) -> None:
    """Refuse individuals outside the bounds."""
    if not np.all((given >= lower) & (given <= upper)):
        raise ValueError(
            f"{name} has genes outside [lower, upper]: clip them, or widen the bounds."
        )
