"""max and min that LLVM recognises as reductions.

numba compiles Python's max() to a comparison without floating-point flags, which
keeps a loop from being vectorised; these are the instructions themselves.
"""

from __future__ import annotations

from typing import Any

from llvmlite import ir
from numba import types
from numba.extending import intrinsic


def _instruction(name: str) -> Any:
    """Return a compiled-code function of two doubles for an LLVM intrinsic."""

    @intrinsic
    def extremum(typing_context: Any, a: Any, b: Any) -> Any:
        def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
            double = ir.DoubleType()
            function = builder.module.declare_intrinsic(
                name, [double], ir.FunctionType(double, [double, double])
            )
            return builder.call(function, args, fastmath=("nnan", "nsz"))

        return types.float64(types.float64, types.float64), codegen

    return extremum


fast_max = _instruction("llvm.maxnum")
fast_min = _instruction("llvm.minnum")
