"""What a group's samples lose when the group leaves, from the factor of the face.

The solver ends with the factor of K~, the kernel of the face centred at its reference.
Let A be the samples of group G that span the face (in the factor, or its reference), D
the others of G. P is K~^-1 with a row and a column for the reference that make all sums
zero. C_p are the weights, of sum 1, of the affine combination of the face that comes
closest to phi(x_p), and R_pq is what it leaves. Then S of `loo_groups.py` is

    S_AA = (P_AA)^-1,    S_DA = C_DA S_AA,    S_DD = R_DD + C_DA S_AA C_DA',

of which only the products with beta are computed.
"""

import math

import numpy as np

from .compilation import compiled_part
from .factor import centred, solve_lower, solve_upper
from .groups import Groups
from .problem import Source, Workspace, gram_row

_NEGLIGIBLE = 1e-14  # length of a column, less what others explain, that is rounding
_SAME_POINT = 1e-14  # |phi_p - phi_q|^2 / (K_pp + K_qq) that is rounding


@compiled_part
def locate(work: Workspace, n: int, face: int, groups: Groups) -> None:
    """Write groups.position of all samples; ``face`` is -1 if there is no factor."""
    for p in range(n):
        groups.position[p] = -1
    for r in range(face + 1):
        groups.position[work.face[r]] = r


@compiled_part
def _has_twin(source: Source, work: Workspace, n: int, groups: Groups, p: int) -> bool:
    """Tell whether a sample at the very place of ``p`` takes its multiplier over.

    It is one of the same class in another group that is not at its bound.
    """
    start = gram_row(source, work, n, p)
    row = work.gram[start : start + n]
    for k in range(n):
        size = work.diagonal[p] + work.diagonal[k]
        if size - 2.0 * row[k] > _SAME_POINT * abs(size):
            continue
        if work.t[k] > 0.0:
            has_room = work.t[p] > 0.0 and work.beta[k] < work.hi[k]
        else:
            has_room = work.t[p] < 0.0 and work.beta[k] > work.lo[k]
        if has_room and groups.group[k] != groups.group[p]:
            return True
    return False


@compiled_part
def list_leaving(
    source: Source,
    work: Workspace,
    n: int,
    face: int,
    members: np.ndarray,
    groups: Groups,
) -> int:
    """List A in groups.leaving; return its size, -1 if nothing of the face remains.

    A sample with a twin is not in A and gives its place up: to the others it stays.
    """
    count = 0
    for p in members:
        if groups.position[p] < 0:
            continue
        if _has_twin(source, work, n, groups, p):
            groups.position[p] = -1
            continue
        if count == face:
            return -1
        groups.leaving[count] = p
        count += 1
    return count


@compiled_part
def _copy_columns(
    work: Workspace, face: int, leaving: np.ndarray, groups: Groups
) -> None:
    """Write the columns of L^-1 that belong to A into groups.columns."""
    inverse = work.inverse
    for j in range(leaving.shape[0]):
        column = groups.columns[j * face : (j + 1) * face]
        c = groups.position[leaving[j]]
        start = 0
        for r in range(face):
            if c < face:
                column[r] = inverse[start + c] if r >= c else 0.0
            else:  # the reference: minus the sum of all others
                total = 0.0
                for e in range(r + 1):
                    total -= inverse[start + e]
                column[r] = total
            start += r + 1


@compiled_part
def _orthogonalise(face: int, count: int, groups: Groups) -> None:
    """Make the first ``count`` of groups.columns orthonormal, V = Q R; keep R'.

    P_AA = V'V = R'R is never computed: near copies of a row, which are what groups are
    made of, would cost it twice as many digits.
    """
    columns, triangle = groups.columns, groups.triangle
    for j in range(count):
        column = columns[j * face : (j + 1) * face]
        start = j * (j + 1) // 2
        whole = 0.0
        for r in range(face):
            whole += column[r] * column[r]
        for i in range(j):
            earlier = columns[i * face : (i + 1) * face]
            product = 0.0
            for r in range(face):
                product += earlier[r] * column[r]
            triangle[start + i] = product
            for r in range(face):
                column[r] -= product * earlier[r]
        rest = 0.0
        for r in range(face):
            rest += column[r] * column[r]
        length = max(math.sqrt(rest), _NEGLIGIBLE * math.sqrt(whole))
        triangle[start + j] = length
        for r in range(face):
            column[r] /= length


@compiled_part
def _take_over(
    source: Source,
    work: Workspace,
    n: int,
    face: int,
    members: np.ndarray,
    groups: Groups,
) -> float:
    """Write K~^-1 K~_D beta_D into groups.moved; return the sum of beta_D.

    With these weights the face comes closest to the sum of beta_D phi_D.
    """
    moved = groups.moved[:face]
    for r in range(face):
        moved[r] = 0.0
    reference = work.face[face]
    total = 0.0
    for p in members:
        beta = work.beta[p]
        if groups.position[p] >= 0 or beta == 0.0:
            continue
        centred(source, work, n, face, reference, p)
        for r in range(face):
            moved[r] += beta * work.z[r]
        total += beta
    solve_lower(work.factor, face, moved)
    solve_upper(work.factor, face, moved)
    return total


@compiled_part
def _effects_on_leaving(
    work: Workspace, face: int, leaving: np.ndarray, beta_sum: float, groups: Groups
) -> float:
    """Write S beta of A into groups.effect; return the reference's, 0 if not in A.

    ``beta_sum`` is that of D. groups.change becomes the weights of the factor's samples
    that give C_p S_AA (beta_A + C_DA' beta_D) of any p, less the reference's effect.
    """
    effect = groups.effect[: leaving.shape[0]]
    moved, change = groups.moved[:face], groups.change[:face]
    moved_sum = 0.0
    for r in range(face):
        moved_sum += moved[r]
        change[r] = 0.0
    for j in range(leaving.shape[0]):
        c = groups.position[leaving[j]]
        taken_over = moved[c] if c < face else beta_sum - moved_sum
        effect[j] = work.beta[leaving[j]] + taken_over
    # with P_AA = R'R and V = QR, V S_AA u = Q R^-T u and S_AA u = R^-1 R^-T u
    solve_lower(groups.triangle, leaving.shape[0], effect)
    for j in range(leaving.shape[0]):
        column = groups.columns[j * face : (j + 1) * face]
        for r in range(face):
            change[r] += effect[j] * column[r]
    solve_upper(work.factor, face, change)
    solve_upper(groups.triangle, leaving.shape[0], effect)
    for j in range(leaving.shape[0]):
        if groups.position[leaving[j]] == face:
            return effect[j]
    return 0.0


@compiled_part
def _centred_sum(
    source: Source,
    work: Workspace,
    n: int,
    face: int,
    members: np.ndarray,
    groups: Groups,
    p: int,
) -> float:
    """Return K~_pD beta_D."""
    reference = work.face[face]
    start = gram_row(source, work, n, p)
    row = work.gram[start : start + n]
    start = gram_row(source, work, n, reference)
    row_reference = work.gram[start : start + n]
    constant = work.diagonal[reference] - row[reference]
    total = 0.0
    for k in members:
        if groups.position[k] < 0:
            total += work.beta[k] * (row[k] - row_reference[k] + constant)
    return total


@compiled_part
def subtract_effect(
    source: Source,
    work: Workspace,
    n: int,
    face: int,
    members: np.ndarray,
    leaving: np.ndarray,
    groups: Groups,
    out: np.ndarray,
) -> None:
    """Subtract S beta of the group's samples from ``out``; work.inverse holds L^-1."""
    beta_sum = _take_over(source, work, n, face, members, groups)
    _copy_columns(work, face, leaving, groups)
    _orthogonalise(face, leaving.shape[0], groups)
    of_reference = _effects_on_leaving(work, face, leaving, beta_sum, groups)
    for j in range(leaving.shape[0]):
        out[leaving[j]] -= groups.effect[j]
    change = groups.change[:face]
    for r in range(face):
        change[r] -= groups.moved[r]
    reference = work.face[face]
    for p in members:
        if groups.position[p] >= 0:
            continue
        effect = of_reference
        effect += _centred_sum(source, work, n, face, members, groups, p)
        centred(source, work, n, face, reference, p)
        for r in range(face):
            effect += work.z[r] * change[r]
        out[p] -= effect
