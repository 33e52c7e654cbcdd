"""Many numbers at a time: an operation on all of them, in the processor's registers.

LLVM finds vector instructions for long loops, not for loops of sixteen steps whose
arrays might overlap, nor for sums in a fixed order: those stay scalar, and take several
times as long. In compiled code what `load_lanes` (sixteen numbers) and `load_four`
return is a vector, with + - * / among vectors and with numbers; in Python it is a NumPy
array, so that the same function gives the same bits there.
"""

import math
import operator
from collections.abc import Callable
from typing import Any

import numpy as np
from llvmlite import ir
from numba import types
from numba.core.datamodel.models import PrimitiveModel
from numba.core.typing.templates import AbstractTemplate, infer_global, signature
from numba.extending import lower_builtin, register_model, type_callable

from .constants import LN2_HIGH, LN2_LOW, LOG2_E, ROUND

LANES = 16  # new samples that are compared with a row at a time
FOUR = 4  # terms of a sum that are added up apart from each other

_VECTOR = ir.VectorType(ir.DoubleType(), LANES)
_WORDS = ir.VectorType(ir.IntType(64), LANES)
_ALIGNMENT = 8  # arrays begin at any number


class LanesType(types.Type):
    """What numba calls a vector of so many numbers."""

    def __init__(self, count: int) -> None:
        super().__init__(f"Lanes({count})")
        self.count = count

    @property
    def vector(self) -> ir.VectorType:
        """What LLVM calls it."""
        return ir.VectorType(ir.DoubleType(), self.count)


_LANES, _FOUR = LanesType(LANES), LanesType(FOUR)


@register_model(LanesType)
class _LanesModel(PrimitiveModel):
    """A vector, in memory as in registers."""

    def __init__(self, manager: Any, lanes: LanesType) -> None:
        super().__init__(manager, lanes, lanes.vector)


def load_lanes(values: Any) -> Any:
    """Return the first sixteen values."""
    return np.array(values[:LANES])


def store_lanes(values: Any, lanes: Any) -> None:
    """Write them over the first sixteen values."""
    values[:LANES] = lanes


def in_all_lanes(value: float) -> Any:
    """Return a number sixteen times."""
    return np.full(LANES, value)


def load_four(values: Any, first: int) -> Any:
    """Return the four values that begin at ``first``, which is not negative."""
    return np.array(values[first : first + FOUR])


def in_all_four(value: float) -> Any:
    """Return a number four times."""
    return np.full(FOUR, value)


def sum_of_four(four: Any) -> float:
    """Return (a + b) + (c + d)."""
    return float((four[0] + four[1]) + (four[2] + four[3]))


def lesser(a: Any, b: Any) -> Any:
    """Return the lesser of two numbers, lane by lane."""
    return np.where(a < b, a, b)


def with_sign(size: Any, sign: Any) -> Any:
    """Return ``size`` where ``sign`` is not negative, else minus ``size``."""
    return np.where(sign >= 0.0, size, -size)


def expm1_lanes(x: Any) -> Any:
    """Return exp(x) - 1 of numbers that are not positive."""
    return np.expm1(x)


def _all_lanes(builder: Any, value: Any, lanes: LanesType) -> Any:
    """Write the vector that has a number in every lane."""
    empty = ir.Constant(lanes.vector, ir.Undefined)
    word = ir.IntType(32)
    first = builder.insert_element(empty, value, ir.Constant(word, 0))
    places = ir.Constant(ir.VectorType(word, lanes.count), [0] * lanes.count)
    return builder.shuffle_vector(first, empty, places)


def _place(context: Any, builder: Any, array_type: Any, array: Any) -> Any:
    """Return the address of an array's data, as one of vectors."""
    data = context.make_array(array_type)(context, builder, array).data
    return builder.bitcast(data, _VECTOR.as_pointer())


@type_callable(load_lanes)
def _type_of_load(context: Any) -> Callable[[Any], Any]:
    return lambda values: _LANES


@lower_builtin(load_lanes, types.Array)
def _load(context: Any, builder: Any, called: Any, given: Any) -> Any:
    place = _place(context, builder, called.args[0], given[0])
    return builder.load(place, align=_ALIGNMENT)


@type_callable(store_lanes)
def _type_of_store(context: Any) -> Callable[[Any, Any], Any]:
    return lambda values, lanes: types.none


@lower_builtin(store_lanes, types.Array, LanesType)
def _store(context: Any, builder: Any, called: Any, given: Any) -> Any:
    place = _place(context, builder, called.args[0], given[0])
    builder.store(given[1], place, align=_ALIGNMENT)
    return context.get_dummy_value()


@type_callable(in_all_lanes)
def _type_of_all(context: Any) -> Callable[[Any], Any]:
    return lambda value: signature(_LANES, types.float64)


@lower_builtin(in_all_lanes, types.float64)
def _fill(context: Any, builder: Any, called: Any, given: Any) -> Any:
    return _all_lanes(builder, given[0], _LANES)


@type_callable(load_four)
def _type_of_load_four(context: Any) -> Callable[[Any, Any], Any]:
    return lambda values, first: signature(_FOUR, values, types.intp)


@lower_builtin(load_four, types.Array, types.intp)
def _load_four(context: Any, builder: Any, called: Any, given: Any) -> Any:
    data = context.make_array(called.args[0])(context, builder, given[0]).data
    place = builder.bitcast(builder.gep(data, [given[1]]), _FOUR.vector.as_pointer())
    return builder.load(place, align=_ALIGNMENT)


@type_callable(in_all_four)
def _type_of_all_four(context: Any) -> Callable[[Any], Any]:
    return lambda value: signature(_FOUR, types.float64)


@lower_builtin(in_all_four, types.float64)
def _fill_four(context: Any, builder: Any, called: Any, given: Any) -> Any:
    return _all_lanes(builder, given[0], _FOUR)


@type_callable(sum_of_four)
def _type_of_sum(context: Any) -> Callable[[Any], Any]:
    return lambda four: types.float64


@lower_builtin(sum_of_four, LanesType)
def _add_up(context: Any, builder: Any, called: Any, given: Any) -> Any:
    word = ir.IntType(32)
    a, b, c, d = (
        builder.extract_element(given[0], ir.Constant(word, k)) for k in range(FOUR)
    )
    return builder.fadd(builder.fadd(a, b), builder.fadd(c, d))


@type_callable(lesser)
@type_callable(with_sign)
def _type_of_choice(context: Any) -> Callable[[Any, Any], Any]:
    return lambda a, b: _LANES


@lower_builtin(lesser, LanesType, LanesType)
def _choose_lesser(context: Any, builder: Any, called: Any, given: Any) -> Any:
    a, b = given
    return builder.select(builder.fcmp_ordered("<", a, b), a, b)


@lower_builtin(with_sign, LanesType, LanesType)
def _choose_sign(context: Any, builder: Any, called: Any, given: Any) -> Any:
    size, sign = given
    zero = ir.Constant(_VECTOR, [0.0] * LANES)
    is_positive = builder.fcmp_ordered(">=", sign, zero)
    return builder.select(is_positive, size, builder.fneg(size))


@type_callable(expm1_lanes)
def _type_of_expm1(context: Any) -> Callable[[Any], Any]:
    return lambda x: _LANES


@lower_builtin(expm1_lanes, LanesType)
def _write_expm1(context: Any, builder: Any, called: Any, given: Any) -> Any:
    """Write `exponential.expm1_general` for sixteen numbers: the same bits."""

    def times(a: Any, b: Any) -> Any:
        return builder.fmul(a, b)

    def number(value: float) -> Any:
        return ir.Constant(_VECTOR, [value] * LANES)

    def whole_number(value: int) -> Any:
        return ir.Constant(_WORDS, [value] * LANES)

    lowest = number(-700.0)
    x = builder.select(builder.fcmp_ordered(">", given[0], lowest), given[0], lowest)
    rounded = builder.fadd(times(x, number(LOG2_E)), number(ROUND))
    whole = builder.fsub(rounded, number(ROUND))
    r = builder.fsub(x, times(whole, number(LN2_HIGH)))
    r = builder.fsub(r, times(whole, number(LN2_LOW)))
    series = number(1.0 / math.factorial(13))
    for k in range(12, 0, -1):
        series = builder.fadd(times(series, r), number(1.0 / math.factorial(k)))
    series = times(series, r)
    biased = builder.add(builder.bitcast(rounded, _WORDS), whole_number(1023))
    power = builder.bitcast(builder.shl(biased, whole_number(52)), _VECTOR)
    return builder.fadd(builder.fsub(power, number(1.0)), times(power, series))


def _declare(operation: Any, instruction: str) -> None:
    """Let compiled code apply an operation to vectors, and to vectors and numbers."""

    class OfLanes(AbstractTemplate):
        def generic(self, given: Any, named: Any) -> Any:
            vectors = [one for one in given if isinstance(one, LanesType)]
            if len(given) != 2 or not vectors:
                return None
            is_vector = [isinstance(one, LanesType) for one in given]
            taken = (vectors[0] if k else types.float64 for k in is_vector)
            return signature(vectors[0], *taken)

    infer_global(operation)(OfLanes)

    def write(context: Any, builder: Any, called: Any, given: Any) -> Any:
        a, b = (
            one
            if isinstance(kind, LanesType)
            else _all_lanes(builder, one, called.return_type)
            for one, kind in zip(given, called.args, strict=True)
        )
        return getattr(builder, instruction)(a, b)

    lower_builtin(operation, LanesType, LanesType)(write)
    lower_builtin(operation, LanesType, types.float64)(write)
    lower_builtin(operation, types.float64, LanesType)(write)


_declare(operator.add, "fadd")
_declare(operator.iadd, "fadd")
_declare(operator.sub, "fsub")
_declare(operator.mul, "fmul")
_declare(operator.truediv, "fdiv")
