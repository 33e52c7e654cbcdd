"""A counter that several threads of compiled code share."""

from __future__ import annotations

from typing import Any

from llvmlite import ir
from numba import types
from numba.extending import intrinsic

from .compilation import compiled


def _instruction() -> Any:
    """Return the compiled-code function that adds one to the integer at an address."""

    @intrinsic
    def fetch_and_add(typing_context: Any, address: Any) -> Any:
        def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
            word = ir.IntType(64)
            pointer = builder.inttoptr(args[0], word.as_pointer())
            return builder.atomic_rmw("add", pointer, word(1), "monotonic")

        return types.int64(types.uintp), codegen

    return fetch_and_add


_fetch_and_add = _instruction()


@compiled
def next_task(counter: Any) -> int:
    """Return the counter's number and raise it by one: no two threads get the same."""
    return _fetch_and_add(counter.ctypes.data)
