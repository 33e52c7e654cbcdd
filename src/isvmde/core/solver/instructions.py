"""LLVM instructions that numba does not offer, as functions for compiled code.

numba compiles Python's max() to a comparison without floating-point flags, which
keeps a loop from being vectorised; `fast_max` and `fast_min` are the instructions.
"""

from collections.abc import Callable
from typing import Any

from llvmlite import ir
from numba import types
from numba.extending import intrinsic

from .compilation import compiled_part

_WORD, _DOUBLE = ir.IntType(64), ir.DoubleType()


def _instruction(signature: Any, build: Callable[..., Any]) -> Any:
    """Return a function for compiled code; ``build(builder, *args)`` writes it."""

    def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        return build(builder, *args)

    def of_one(typing_context: Any, a: Any) -> Any:
        return signature, codegen

    def of_two(typing_context: Any, a: Any, b: Any) -> Any:
        return signature, codegen

    return intrinsic(of_one if len(signature.args) == 1 else of_two)


def _extremum(name: str) -> Any:
    """Return a function of two doubles for an LLVM intrinsic."""

    def build(builder: Any, a: Any, b: Any) -> Any:
        kind = ir.FunctionType(_DOUBLE, [_DOUBLE, _DOUBLE])
        function = builder.module.declare_intrinsic(name, [_DOUBLE], kind)
        return builder.call(function, [a, b], fastmath=("nnan", "nsz"))

    return _instruction(types.float64(types.float64, types.float64), build)


def _power_of_two(builder: Any, rounded: Any) -> Any:
    """Write 2^k for the double k + 1.5 * 2^52, by its bits."""
    biased = builder.add(builder.bitcast(rounded, _WORD), _WORD(1023))
    return builder.bitcast(builder.shl(biased, _WORD(52)), _DOUBLE)


fast_max, fast_min = _extremum("llvm.maxnum"), _extremum("llvm.minnum")
power_of_two = _instruction(types.float64(types.float64), _power_of_two)


def _fetch_and_add(builder: Any, address: Any) -> Any:
    """Add one to the integer at an address and return what it was, in one step."""
    pointer = builder.inttoptr(address, _WORD.as_pointer())
    return builder.atomic_rmw("add", pointer, _WORD(1), "monotonic")


_next = _instruction(types.int64(types.uintp), _fetch_and_add)


@compiled_part
def next_task(counter: Any) -> int:
    """Return the counter's number and raise it by one: no two threads get the same."""
    return _next(counter.ctypes.data)
