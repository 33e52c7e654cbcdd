"""Operations on sixteen numbers: compiled, they are NumPy's, bit for bit."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from numpy.testing import assert_allclose, assert_array_equal

from isvmde.core.solver import exponential
from isvmde.core.solver.compilation import compiled
from isvmde.core.solver.lanes import (
    LANES,
    expm1_lanes,
    in_all_four,
    in_all_lanes,
    lesser,
    load_four,
    load_lanes,
    store_lanes,
    sum_of_four,
    with_sign,
)
from tests.core.reference import called_from_python

NUMBERS = st.floats(-1e100, 1e100, allow_subnormal=False)
MANY = arrays(float, LANES, elements=NUMBERS)
expm1_general = called_from_python(exponential.expm1_general)


def calculate(a, b, c, out):
    x, y = load_lanes(a), load_lanes(b)
    store_lanes(out[0], x + y * c)
    store_lanes(out[1], c - x)
    store_lanes(out[2], (x - 1.0) / y)
    store_lanes(out[3], c * lesser(x, y))
    store_lanes(out[4], with_sign(x, y))
    store_lanes(out[5], lesser(in_all_lanes(c), y))


compiled_calculate = compiled(calculate)


@given(MANY, MANY.filter(lambda b: (b != 0.0).all()), NUMBERS)
def test_compiled_operations_are_those_of_numpy(a, b, c):
    plain, found = np.zeros((6, LANES)), np.zeros((6, LANES))
    with np.errstate(over="ignore"):
        calculate(a, b, c, plain)
    compiled_calculate(a, b, c, found)
    assert_array_equal(found, plain)


@compiled
def shift_by_one(values):
    """Read and write where no array begins."""
    for k in range(values.shape[0] - LANES):
        store_lanes(values[k:], load_lanes(values[k + 1 :]))


@pytest.mark.parametrize("length", [LANES, LANES + 1, 40])
def test_lanes_may_begin_anywhere_and_end_there(length):
    values = np.arange(float(length))
    shift_by_one(values)
    expected = np.arange(float(length))
    for k in range(length - LANES):
        expected[k : k + LANES] = expected[k + 1 : k + 1 + LANES].copy()
    assert_array_equal(values, expected)


def add_up(a, b, first):
    total = in_all_four(0.5)
    total = total + load_four(a, first) * load_four(b, first + 1)
    return sum_of_four(2.0 * total)


compiled_add_up = compiled(add_up)


@given(MANY, MANY, st.integers(0, LANES - 5))
def test_four_numbers_are_added_up_in_one_order(a, b, first):
    with np.errstate(over="ignore", invalid="ignore"):
        expected = add_up(a, b, first)
    assert compiled_add_up(a, b, first) == expected


@compiled
def exponential_of(values, out):
    store_lanes(out, expm1_lanes(load_lanes(values)))


@given(arrays(float, LANES, elements=st.floats(-1e4, 0.0)))
def test_the_exponential_has_the_bits_of_the_rows(values):
    found, of_row = np.empty(LANES), np.empty(LANES)
    exponential_of(values, found)
    expm1_general(values, 1.0, of_row)
    assert_array_equal(found, of_row)
    assert_allclose(found, np.expm1(values), rtol=1e-15)
    assert_array_equal(expm1_lanes(values), np.expm1(values))
