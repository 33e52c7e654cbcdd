r"""Leave-group-out decision values from one solved dual.

Rows of one group (the visits of one patient) vouch for each other, so they leave
together, with their whole weight. Without group G the free samples F' = F \ G take
over its multipliers. As long as the free and the bounded samples stay what they are,

    f_logo(x_G) = f(x_G) - S beta_G,    S_pq = rho_p . rho_q,    beta_p = y_p a_p,

where rho_p is what is left of phi(x_p) after projection on the affine span of F'. For
a group of one this is the span rule of `loo.py`. `group_effect.py` computes it from the
factor the solver ends with; without one, `group_bound.py` says what it is at most, so
that no setting looks better than it is.

A group that carries a tenth of all multipliers, or all free samples, changes too much
for that: the dual is solved again without it. At most eleven groups do.
"""

import numpy as np

from .compilation import compiled_part
from .face import touch_free
from .group_bound import (
    centre_at_mean,
    centre_at_sample,
    number_of_free,
    subtract_bound,
)
from .group_effect import list_leaving, locate, subtract_effect
from .groups import Groups, list_members
from .loo import bound_spans, spans_of_basis, spans_of_others, subtract_spans
from .problem import Source, Workspace
from .solve import set_two_class, solve

_LARGE = 0.1  # share of the multipliers from which on the dual is solved again
_LEAVES_WHOLE = np.inf  # the unit of weight that leaves with a row


@compiled_part
def _is_without_class(
    source: Source, n: int, members: np.ndarray, out: np.ndarray
) -> bool:
    """Write what remains to be said without a class, if the group is all of one.

    Nothing speaks for a class without rows: f = -1 if there is no + sample outside the
    group, 1 if there is no - sample, 0 if there is neither.
    """
    n_pos = source.end_1 - source.start_1
    pos_inside = 0
    for p in members:
        if p < n_pos:
            pos_inside += 1
    no_pos = pos_inside == n_pos
    no_neg = members.shape[0] - pos_inside == n - n_pos
    if not no_pos and not no_neg:
        return False
    answer = 0.0
    if no_pos and not no_neg:
        answer = -1.0
    if no_neg and not no_pos:
        answer = 1.0
    for p in members:
        out[p] = answer
    return True


@compiled_part
def _multipliers(work: Workspace, members: np.ndarray) -> float:
    """Return the sum of the group's multipliers."""
    total = 0.0
    for p in members:
        total += abs(work.beta[p])
    return total


@compiled_part
def _leave_out(
    source: Source,
    work: Workspace,
    n: int,
    face: int,
    free: int,
    members: np.ndarray,
    groups: Groups,
    out: np.ndarray,
) -> bool:
    """Make f of the group f_logo, from the factor or by a bound.

    Returns whether it did: it does not if the group has all free samples.
    """
    if face >= 0:
        count = list_leaving(source, work, n, face, members, groups)
        if count < 0:
            return False
        leaving = groups.leaving[:count]
        subtract_effect(source, work, n, face, members, leaving, groups, out)
        return True
    if free > 1:
        if number_of_free(work, members) == free:
            return False
        mean = centre_at_mean(source, work, n, free, members, groups)
    else:
        mean = centre_at_sample(source, work, n, members, groups)
    subtract_bound(source, work, n, mean, members, groups, out)
    return True


@compiled_part
def leave_group_out(
    source: Source,
    work: Workspace,
    n: int,
    face: int,
    weight: np.ndarray,
    b: float,
    groups: Groups,
    out: np.ndarray,
) -> int:
    """Write f_logo of every sample; ``face`` is the size of the factor, -1 for none.

    A sample without another one of its group in the problem is left out as
    `loo.leave_one_out` does it, with its whole weight. Returns the number of groups
    that are left to `solve_without`.
    """
    free = touch_free(work, n) if face < 0 else 0
    if free > 1:
        bound_spans(source, work, n, free)
    else:
        spans_of_basis(work, n, face)
    locate(work, n, face, groups)
    total = 0.0
    for p in range(n):
        out[p] = work.t[p] - work.v[p] + b
        groups.group[p] = -1
        total += abs(work.beta[p])
    n_large = 0
    for p in range(n):
        if groups.group[p] >= 0 or work.stop[0] != 0:
            continue
        members = groups.members[: list_members(source, groups, p)]
        if members.shape[0] == 1:
            continue
        for k in members:
            work.before[k] = 0.0  # nothing is left to `subtract_spans`
        if _is_without_class(source, n, members, out):
            continue
        carried = _multipliers(work, members)
        if carried == 0.0:
            continue
        if carried < _LARGE * total and _leave_out(
            source, work, n, face, free, members, groups, out
        ):
            continue
        groups.large[n_large] = p
        n_large += 1
    if free <= 1:
        spans_of_others(source, work, n, face, weight, _LEAVES_WHOLE)
    subtract_spans(work, n, weight, _LEAVES_WHOLE, out)
    return n_large


@compiled_part
def solve_without(
    source: Source,
    work: Workspace,
    n: int,
    weight: np.ndarray,
    U_pos: float,
    U_neg: float,
    tol: float,
    max_steps: int,
    n_large: int,
    groups: Groups,
    out: np.ndarray,
) -> float:
    """Solve the dual again without each large group, and write f of the group.

    Returns the largest violation that remained.
    """
    n_pos = source.end_1 - source.start_1
    worst = 0.0
    for q in range(n_large):
        set_two_class(work, n_pos, n, weight, U_pos, U_neg)
        members = groups.members[: list_members(source, groups, groups.large[q])]
        for p in members:
            work.lo[p] = work.hi[p] = 0.0
        _, violation, _, b = solve(
            source, work, n, tol, max_steps, np.int64(-1), np.int64(0)
        )
        worst = max(worst, violation)
        for p in members:
            out[p] = work.t[p] - work.v[p] + b
    return worst
