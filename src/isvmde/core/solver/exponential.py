"""exp(x) - 1 for a whole row, in a form that LLVM turns into vector instructions."""

from __future__ import annotations

from typing import Any

import numpy as np
from llvmlite import ir
from numba import types
from numba.extending import intrinsic

from .compilation import compiled
from .extremum import fast_max, fast_min

_LOG2_E = 1.4426950408889634
_LN2_HIGH = 6.93147180369123816490e-01  # ln 2 = high + low, high with trailing zeros
_LN2_LOW = 1.90821492927058770002e-10
_ROUND = 6755399441055744.0  # 1.5 * 2^52: adding it rounds to an integer


def _power_of_two_code(typing_context: Any, rounded: Any) -> Any:
    """Return 2^k for the double k + 1.5 * 2^52, by its bits."""

    def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        i64 = ir.IntType(64)
        bits = builder.bitcast(args[0], i64)
        biased = builder.add(bits, ir.Constant(i64, 1023))
        return builder.bitcast(
            builder.shl(biased, ir.Constant(i64, 52)), ir.DoubleType()
        )

    return types.float64(types.float64), codegen


_power_of_two: Any = intrinsic(_power_of_two_code)


@compiled
def _expm1_small(values: np.ndarray, scale: float, out: np.ndarray) -> None:
    """Taylor series of expm1 for |x| <= 0.3 (relative error below 1e-16)."""
    for k in range(values.shape[0]):
        x = scale * values[k]
        p = 1.0 / 479001600.0
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
        out[k] = p * x


@compiled
def expm1_row(values: np.ndarray, scale: float, out: np.ndarray) -> None:
    """Write exp(scale * values) - 1 into ``out``; scale * values <= 0."""
    n = values.shape[0]
    lowest = 0.0
    for k in range(n):
        lowest = fast_min(lowest, scale * values[k])
    if lowest >= -0.3:
        _expm1_small(values, scale, out)
    else:
        expm1_general(values, scale, out)


@compiled
def expm1_general(values: np.ndarray, scale: float, out: np.ndarray) -> None:
    """Do so without a look at the whole row: an entry's bits are its own."""
    for k in range(values.shape[0]):
        x = fast_max(scale * values[k], -700.0)
        rounded = x * _LOG2_E + _ROUND
        whole = rounded - _ROUND  # this is the rounding: it must not be reordered
        r = x - whole * _LN2_HIGH - whole * _LN2_LOW
        p = 1.0 / 6227020800.0
        p = p * r + 1.0 / 479001600.0
        p = p * r + 1.0 / 39916800.0
        p = p * r + 1.0 / 3628800.0
        p = p * r + 1.0 / 362880.0
        p = p * r + 1.0 / 40320.0
        p = p * r + 1.0 / 5040.0
        p = p * r + 1.0 / 720.0
        p = p * r + 1.0 / 120.0
        p = p * r + 1.0 / 24.0
        p = p * r + 1.0 / 6.0
        p = p * r + 0.5
        p = p * r + 1.0
        # 2^k (1 + r p) - 1 = (2^k - 1) + 2^k r p
        power = _power_of_two(rounded)
        out[k] = (power - 1.0) + power * (r * p)
