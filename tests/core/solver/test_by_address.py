"""Tuples whose address compiled functions hand on: what they read and write."""

from typing import NamedTuple

import numpy as np
import pytest
from numba import TypingError
from numba.core.caching import NullCache

from isvmde.core.solver.by_address import by_address
from isvmde.core.solver.compilation import compiled, compiled_part
from isvmde.core.solver.problem import make_workspace


@by_address
class Pile(NamedTuple):
    numbers: np.ndarray
    places: np.ndarray
    factor: float


class Around(NamedTuple):
    pile: Pile
    shift: np.ndarray


@compiled_part
def _raise(pile, k, amount):
    pile.numbers[pile.places[k]] += pile.factor * amount


@compiled
def raise_all(around):
    for k in range(around.pile.places.shape[0]):
        _raise(around.pile, k, around.shift[k])


def test_compiled_functions_read_and_write_the_arrays_of_the_tuple():
    first = Pile(np.zeros(4), np.array([2, 0]), 0.5)
    second = Pile(np.ones(3), np.array([1, 1]), -1.0)
    for pile in (first, second, first):
        raise_all(Around(pile, np.array([2.0, 4.0])))
    assert first.numbers.tolist() == [4.0, 0.0, 2.0, 0.0]
    assert second.numbers.tolist() == [1.0, -5.0, 1.0]


def test_what_is_not_an_array_is_refused_before_anything_is_written():
    pile = Pile(np.zeros(2), None, 1.0)
    with pytest.raises(TypingError):
        raise_all(Around(pile, np.zeros(2)))
    assert pile.numbers.tolist() == [0.0, 0.0]


def test_a_workspace_is_one_word_to_functions():
    """However many arrays it has: that is what compiling is short for."""

    @compiled
    def total(work):
        value = 0.0
        for k in range(work.t.shape[0]):
            value += work.t[k] + work.hi[k]
        return value

    total._cache = NullCache()  # numba does not show code that comes from a cache
    work = make_workspace(5)
    work.t[:], work.hi[:] = 2.0, 1.0
    assert total(work) == 3.0 * len(work.t)
    code = next(iter(total.inspect_llvm().values()))
    head = next(line for line in code.splitlines() if line.startswith("define"))
    assert head.count(" %") <= 3
