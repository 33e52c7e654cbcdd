"""The most that a group's samples can lose when the group leaves, without a factor.

|S beta| of a sample p is at most |rho_p| |sum beta_q rho_q| (Cauchy and Schwarz), and
what is left of a feature vector after projection on the span of those that stay is not
longer than its distance from any point of that span, its centre.
"""

import math

import numpy as np

from .compilation import compiled_part
from .groups import Groups, is_free
from .instructions import fast_min
from .problem import Source, Workspace, gram_row


@compiled_part
def number_of_free(work: Workspace, members: np.ndarray) -> int:
    """Return how many samples of the group are free."""
    number = 0
    for p in members:
        if is_free(work, p):
            number += 1
    return number


@compiled_part
def centre_at_mean(
    source: Source,
    work: Workspace,
    n: int,
    free: int,
    members: np.ndarray,
    groups: Groups,
) -> float:
    """Centre the group's kernel at the mean of F', the free samples outside the group.

    Writes groups.kernel_mean, and into groups.distance the squared distance from the
    mean or from the nearest of F', whichever is less. Returns the mean's kernel value
    with itself. `bound_spans` has listed the ``free`` samples in work.touched and
    summed their Gram rows into work.x; at least one is not in the group.
    """
    others = float(free - number_of_free(work, members))
    total = 0.0
    for q in range(free):
        total += work.x[work.touched[q]]
    for e in range(members.shape[0]):
        p = members[e]
        start = gram_row(source, work, n, p)
        row = work.gram[start : start + n]
        within = 0.0  # of the group's own free samples
        nearest = 1e300
        for q in range(free):
            k = work.touched[q]
            if groups.group[k] == groups.group[p]:
                within += row[k]
            else:
                distance = work.diagonal[p] + work.diagonal[k] - 2.0 * row[k]
                nearest = fast_min(nearest, distance)
        groups.kernel_mean[e] = (work.x[p] - within) / others
        groups.distance[e] = nearest
        if is_free(work, p):
            total -= 2.0 * work.x[p] - within
    mean = total / (others * others)
    for e in range(members.shape[0]):
        distance = work.diagonal[members[e]] - 2.0 * groups.kernel_mean[e] + mean
        groups.distance[e] = fast_min(groups.distance[e], distance)
    return mean


@compiled_part
def _who_takes_over(
    work: Workspace, n: int, members: np.ndarray, groups: Groups
) -> int:
    """Return the sample outside the group that asks most to take over.

    There is one: neither class is all in the group.
    """
    leaves = 0.0
    for p in members:
        leaves += work.beta[p]
    best, chosen = -1e300, -1
    for k in range(n):
        if groups.group[k] == groups.group[members[0]]:
            continue
        if leaves >= 0.0:
            gain, can_move = work.v[k], work.beta[k] < work.hi[k]
        else:
            gain, can_move = -work.v[k], work.beta[k] > work.lo[k]
        if chosen < 0 or (can_move and gain > best):
            chosen = k
            best = gain if can_move else -1e300
    return chosen


@compiled_part
def centre_at_sample(
    source: Source, work: Workspace, n: int, members: np.ndarray, groups: Groups
) -> float:
    """Centre the group's kernel at who takes over; return its value with itself."""
    centre = _who_takes_over(work, n, members, groups)
    start = gram_row(source, work, n, np.int64(centre))
    own = work.diagonal[centre]
    for e in range(members.shape[0]):
        p = members[e]
        value = work.gram[start + p]
        groups.kernel_mean[e] = value
        groups.distance[e] = work.diagonal[p] + own - 2.0 * value
    return own


@compiled_part
def subtract_bound(
    source: Source,
    work: Workspace,
    n: int,
    mean: float,
    members: np.ndarray,
    groups: Groups,
    out: np.ndarray,
) -> None:
    """Subtract the bound from each margin of the group; ``mean`` is the centre's value.

    |sum beta_q rho_q| is at most the length of sum beta_q (phi_q - centre), and at most
    the sum of the lengths.
    """
    square, length = 0.0, 0.0
    for e in range(members.shape[0]):
        p = members[e]
        if work.beta[p] == 0.0:
            continue
        start = gram_row(source, work, n, p)
        centred_sum = 0.0
        for q in range(members.shape[0]):
            value = work.gram[start + members[q]] + mean
            value -= groups.kernel_mean[e] + groups.kernel_mean[q]
            centred_sum += work.beta[members[q]] * value
        square += work.beta[p] * centred_sum
        length += abs(work.beta[p]) * math.sqrt(max(groups.distance[e], 0.0))
    length = min(length, math.sqrt(max(square, 0.0)))
    for e in range(members.shape[0]):
        p = members[e]
        out[p] -= work.t[p] * (math.sqrt(max(groups.distance[e], 0.0)) * length)
