"""Groups of rows that leave a problem together: who is in them, and memory for them."""

from typing import NamedTuple

import numpy as np

from .compilation import compiled_inline, compiled_part
from .problem import Source, Workspace, row_of


class Groups(NamedTuple):
    """Who belongs together, and memory of one thread to leave groups out.

    n is the size of the largest problem, m of the largest factor, k of the largest
    group. ``members`` in the functions is the part of the array that is in use.
    """

    following: np.ndarray  # next row of the training set in the same group, in a circle
    group: np.ndarray  # (n,) first sample of each sample's group, -1 if not met yet
    members: np.ndarray  # (n,) samples of the group at hand
    large: np.ndarray  # (n,) first samples of the groups to solve the dual without
    position: np.ndarray  # (n,) place in the factor, its size for the reference, or -1
    leaving: np.ndarray  # (m,) members that the face loses
    columns: np.ndarray  # (k, m) columns of L^-1, then an orthonormal basis of them
    triangle: np.ndarray  # k packed rows: the columns in that basis
    effect: np.ndarray  # (m,) of those that leave: what f loses
    change: np.ndarray  # (m,) of the factor: weights that give the others' loss
    moved: np.ndarray  # (m,) of the factor: what it takes over of the others
    kernel_mean: np.ndarray  # (n,) of members: kernel value with the centre
    distance: np.ndarray  # (n,) of members: squared distance from those that stay


def next_in_group(codes: np.ndarray) -> np.ndarray:
    """Return for every row the next one with the same code, in a circle.

    Examples
    --------
    >>> next_in_group(np.array([7, 3, 7, 7]))
    array([2, 1, 3, 0])
    """
    order = np.argsort(codes, kind="stable")
    ordered = codes[order]
    is_first = np.append(True, ordered[1:] != ordered[:-1])
    first_of_run = np.flatnonzero(is_first)
    last_of_run = np.append(first_of_run[1:], len(codes)) - 1
    following = np.empty(len(codes), np.int64)
    following[order[:-1]] = order[1:]
    following[order[last_of_run]] = order[first_of_run]
    return following


def make_groups(following: np.ndarray, n: int, m: int, k: int) -> Groups:
    """Return memory for problems of ``n`` samples, factors of ``m``, groups of ``k``.

    Large buffers are only reserved; pages are used as they are filled.
    """
    k = min(k, m)  # a group that takes the whole face away is not computed by it
    return Groups(
        following=following,
        group=np.empty(n, np.int64),
        members=np.empty(n, np.int64),
        large=np.empty(n, np.int64),
        position=np.empty(n, np.int64),
        leaving=np.empty(m, np.int64),
        columns=np.empty(k * m),
        triangle=np.empty(k * (k + 1) // 2),
        effect=np.empty(m),
        change=np.empty(m),
        moved=np.empty(m),
        kernel_mean=np.empty(n),
        distance=np.empty(n),
    )


@compiled_inline
def is_free(work: Workspace, p: int) -> bool:
    """Tell whether the sample is strictly between its bounds."""
    return work.lo[p] < work.beta[p] and work.beta[p] < work.hi[p]


@compiled_part
def _sample_of(source: Source, row: int) -> int:
    """Return the problem's sample that is this row of the training set, or -1."""
    if row >= source.start_1 and row < source.end_1:
        return row - source.start_1
    if row >= source.start_2 and row < source.end_2:
        return row - source.start_2 + source.end_1 - source.start_1
    return -1


@compiled_part
def list_members(source: Source, groups: Groups, p: int) -> int:
    """List the samples of the group of ``p`` in groups.members; return their number."""
    first = row_of(source, p)
    row, count = first, 0
    while True:
        k = _sample_of(source, row)
        if k >= 0:
            groups.members[count] = k
            groups.group[k] = p
            count += 1
        row = groups.following[row]
        if row == first:
            return count
