"""The Cholesky factor of the centred kernel of a face, its rows packed one by one."""

import math

import numpy as np

from .compilation import compiled_part
from .lanes import in_all_four, load_four, sum_of_four
from .problem import Source, Workspace, gram_row, padded


@compiled_part
def solve_lower(factor: np.ndarray, m: int, z: np.ndarray) -> None:
    """Solve L z = z in place; L's rows are packed, leading zeros of z are skipped.

    A row's sum is four sums in a fixed order, and then what is left of the row: the
    same bits everywhere. Four rows at a time need not wait for each other; they share
    the whole fours of terms, as the first of them has no others.
    """
    first = 0
    while first < m and z[first] == 0.0:
        first += 1
    r = first
    start = first * (first + 1) // 2
    while r + 4 <= m:
        begin_0 = start + first
        begin_1, begin_2 = begin_0 + r + 1, begin_0 + 2 * r + 3
        begin_3 = begin_0 + 3 * r + 6
        sum_0, sum_1 = in_all_four(0.0), in_all_four(0.0)
        sum_2, sum_3 = in_all_four(0.0), in_all_four(0.0)
        n_known = r - first
        for q in range(0, n_known, 4):
            known = load_four(z, first + q)
            sum_0 = sum_0 + load_four(factor, begin_0 + q) * known
            sum_1 = sum_1 + load_four(factor, begin_1 + q) * known
            sum_2 = sum_2 + load_four(factor, begin_2 + q) * known
            sum_3 = sum_3 + load_four(factor, begin_3 + q) * known
        own_0, own_1 = begin_0 + n_known, begin_1 + n_known
        own_2, own_3 = begin_2 + n_known, begin_3 + n_known
        z[r] = (z[r] - sum_of_four(sum_0)) / factor[own_0]
        total = sum_of_four(sum_1) + factor[own_1] * z[r]
        z[r + 1] = (z[r + 1] - total) / factor[own_1 + 1]
        total = sum_of_four(sum_2) + factor[own_2] * z[r]
        total += factor[own_2 + 1] * z[r + 1]
        z[r + 2] = (z[r + 2] - total) / factor[own_2 + 2]
        total = sum_of_four(sum_3) + factor[own_3] * z[r]
        total += factor[own_3 + 1] * z[r + 1]
        total += factor[own_3 + 2] * z[r + 2]
        z[r + 3] = (z[r + 3] - total) / factor[own_3 + 3]
        start += 4 * r + 10
        r += 4
    while r < m:
        begin = start + first
        whole = (r - first) // 4 * 4
        fours = in_all_four(0.0)
        for q in range(0, whole, 4):
            fours = fours + load_four(factor, begin + q) * load_four(z, first + q)
        total = sum_of_four(fours)
        for q in range(whole, r - first):
            total += factor[begin + q] * z[first + q]
        z[r] = (z[r] - total) / factor[start + r]
        start += r + 1
        r += 1


@compiled_part
def solve_upper(factor: np.ndarray, m: int, z: np.ndarray) -> None:
    """Solve L' x = z in place."""
    for r in range(m - 1, -1, -1):
        start = r * (r + 1) // 2
        value = z[r] / factor[start + r]
        z[r] = value
        row = factor[start : start + r]
        for c in range(r):
            z[c] -= value * row[c]


@compiled_part
def drop(work: Workspace, m: int, position: int) -> None:
    """Take the sample at ``position`` out of the factor of ``m`` samples."""
    factor, cosine, sine = work.factor, work.cosine, work.sine
    for r in range(position + 1, m):
        old = r * (r + 1) // 2
        new = (r - 1) * r // 2
        for c in range(position):
            factor[new + c] = factor[old + c]
        # the row has one entry too many: earlier rotations, then one of its own
        carried = factor[old + position]
        for c in range(position, r - 1):
            following = factor[old + c + 1]
            factor[new + c] = cosine[c] * carried + sine[c] * following
            carried = cosine[c] * following - sine[c] * carried
        last = factor[old + r]
        length = math.sqrt(carried * carried + last * last)
        cosine[r - 1] = carried / length
        sine[r - 1] = last / length
        factor[new + r - 1] = length
        work.face[r - 1] = work.face[r]
        work.difference[r - 1] = work.difference[r]


@compiled_part
def centred(
    source: Source, work: Workspace, n: int, m: int, reference: int, p: int
) -> float:
    """Write K~(p, face) into work.z and return K~(p, p)."""
    size = padded(n)
    start = gram_row(source, work, n, p)
    row_p = work.gram[start : start + size]
    start = gram_row(source, work, n, reference)
    row_reference = work.gram[start : start + size]
    constant = work.diagonal[reference] - row_p[reference]
    face, z = work.face, work.z
    for r in range(m):
        k = face[r]
        z[r] = row_p[k] - row_reference[k] + constant
    return work.diagonal[p] - row_p[reference] + constant
