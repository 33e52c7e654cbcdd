"""exp(x) - 1 for a whole row, in a form that LLVM turns into vector instructions."""

import numpy as np

from .compilation import compiled_inline, compiled_part
from .constants import LN2_HIGH, LN2_LOW, LOG2_E, ROUND
from .instructions import fast_max, fast_min, power_of_two


@compiled_inline
def _series(x: float, p: float) -> float:
    """Return x + x^2/2! + ... + x^11/11! + p x^12."""
    p = p * x + 1.0 / 39916800.0
    p = p * x + 1.0 / 3628800.0
    p = p * x + 1.0 / 362880.0
    p = p * x + 1.0 / 40320.0
    p = p * x + 1.0 / 5040.0
    p = p * x + 1.0 / 720.0
    p = p * x + 1.0 / 120.0
    p = p * x + 1.0 / 24.0
    p = p * x + 1.0 / 6.0
    p = p * x + 0.5
    p = p * x + 1.0
    return p * x


@compiled_part
def expm1_row(values: np.ndarray, scale: float, out: np.ndarray) -> None:
    """Write exp(scale * values) - 1 into ``out``; scale * values <= 0."""
    lowest = 0.0
    for k in range(values.shape[0]):
        lowest = fast_min(lowest, scale * values[k])
    if lowest >= -0.3:  # the series alone: relative error below 1e-16
        for k in range(values.shape[0]):
            out[k] = _series(scale * values[k], 1.0 / 479001600.0)
    else:
        expm1_general(values, scale, out)


@compiled_part
def expm1_general(values: np.ndarray, scale: float, out: np.ndarray) -> None:
    """Do so without a look at the whole row: an entry's bits are its own."""
    for k in range(values.shape[0]):
        x = fast_max(scale * values[k], -700.0)
        rounded = x * LOG2_E + ROUND
        whole = rounded - ROUND  # this is the rounding: it must not be reordered
        r = x - whole * LN2_HIGH - whole * LN2_LOW
        # 2^k (1 + s) - 1 = (2^k - 1) + 2^k s
        power = power_of_two(rounded)
        s = _series(r, 1.0 / 6227020800.0 * r + 1.0 / 479001600.0)
        out[k] = (power - 1.0) + power * s
