"""The Cholesky factor of the centred kernel of a face, its rows packed one by one."""

import math

import numpy as np

from .compilation import compiled_part
from .problem import Source, Workspace, gram_row, padded


@compiled_part
def solve_lower(factor: np.ndarray, m: int, z: np.ndarray) -> None:
    """Solve L z = z in place; L's rows are packed, leading zeros of z are skipped."""
    first = 0
    while first < m and z[first] == 0.0:
        first += 1
    start = first * (first + 1) // 2
    for r in range(first, m):
        # four sums in a fixed order: as fast as one allows, the same bits everywhere
        row, seen = factor[start + first : start + r], z[first:r]
        quarter = (r - first) // 4
        a, b, c, d = 0.0, 0.0, 0.0, 0.0
        for q in range(quarter):
            a += row[4 * q] * seen[4 * q]
            b += row[4 * q + 1] * seen[4 * q + 1]
            c += row[4 * q + 2] * seen[4 * q + 2]
            d += row[4 * q + 3] * seen[4 * q + 3]
        total = (a + b) + (c + d)
        for q in range(4 * quarter, r - first):
            total += row[q] * seen[q]
        z[r] = (z[r] - total) / factor[start + r]
        start += r + 1


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
