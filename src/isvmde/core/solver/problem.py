"""What the compiled functions work on: a source of Gram rows and a workspace.

Problem (D) in signed form. With beta_i = y_i a_i and t_i = y_i m_i it reads

    max  t'beta - beta'K beta / 2   s.t.  sum(beta) = 0,  lo <= beta <= hi

so no label appears in the inner loops: [lo, hi] is [0, U_i] for + and [-U_i, 0]
for - samples. v = t - K beta is the gradient; f(x_i) = t_i - v_i + b.
"""

from typing import NamedTuple

import numpy as np

from .by_address import by_address
from .compilation import compiled_inline, compiled_part
from .compiled_kernels import base_row, base_term, has_zero_diagonal, kernel_values

MATRIX = -1  # the base is not computed from samples but read from a matrix
BLOCK = 32  # vectors are padded to whole blocks, so inner loops have no remainder
_GRAM_BYTES = 200 * 2**20  # of Gram rows that a thread keeps
_LEAST_ROWS = 8  # it keeps in any case: half of them are never given away
_LARGEST_FACE = 4_096  # free samples whose Cholesky factor a thread has room for


class Source(NamedTuple):
    """Where the Gram rows of one problem come from.

    Its samples are two runs of rows of the training set, which is sorted by class.
    ``base`` is the (n, n) matrix of what the kernel is a function of, or (d, n)
    features from which a row of it is computed when a Gram row is.
    """

    base: np.ndarray
    kind: int  # MATRIX, or what is computed of the features: DOT, DISTANCE, MINIMUM
    start_1: int
    end_1: int
    start_2: int
    end_2: int
    kernel: int  # the function: LINEAR base, RBF exp(-gamma base), POLY (1 + base)^d
    parameter: float  # gamma = 1/(2 sigma^2) for rbf, the degree for poly


@by_address
class Workspace(NamedTuple):
    """Memory one thread uses again for every problem; x, z and score are scratch.

    Functions hand its address on, however many arrays it has.
    """

    gram: np.ndarray  # rows of the Gram matrix, computed when they are asked for
    place: np.ndarray  # where the row of a sample begins in ``gram``, -1 if nowhere
    owner: np.ndarray  # whose row lies in the first, second, ... place
    asked: np.ndarray  # when a row was last asked for, counted in rows asked for
    cache: np.ndarray  # places taken, places there are, next to be given away, the time
    base: np.ndarray  # what a row is computed from; in place would not vectorise
    diagonal: np.ndarray
    t: np.ndarray
    lo: np.ndarray
    hi: np.ndarray
    beta: np.ndarray
    v: np.ndarray
    score: np.ndarray
    before: np.ndarray  # beta of the touched samples before a Newton phase
    factor: np.ndarray  # packed rows of a Cholesky factor
    inverse: np.ndarray  # packed rows of its inverse
    face: np.ndarray  # the samples the factor's rows belong to, then the reference
    difference: np.ndarray  # v of the face minus v of its reference
    z: np.ndarray
    x: np.ndarray
    cosine: np.ndarray
    sine: np.ndarray
    touched: np.ndarray  # samples a Newton phase may move
    moved: np.ndarray  # those it did move
    stop: np.ndarray  # not 0: give up at once, what was computed is not needed


def make_workspace(
    n: int, stop: np.ndarray | None = None, n_bytes: int = _GRAM_BYTES
) -> Workspace:
    """Return memory for problems of at most ``n`` samples.

    Its large buffers are the Gram rows, at most ``n_bytes`` of them, and two packed
    triangles of at most 67 MB each. They are only reserved; pages are used as rows are
    filled. ``stop`` is a flag that several workspaces share.
    """
    size = (max(int(n), 2) + BLOCK - 1) // BLOCK * BLOCK
    n_rows = min(max(n_bytes // (8 * size), _LEAST_ROWS), size)
    largest_face = min(size, _LARGEST_FACE)
    triangle = largest_face * (largest_face + 1) // 2
    arrays = {name: np.zeros(size) for name in Workspace._fields}
    for name in ("place", "owner", "asked", "touched", "moved"):
        arrays[name] = np.zeros(size, np.int64)
    arrays |= {
        "gram": np.empty(n_rows * size),
        "cache": np.zeros(4, np.int64),
        "factor": np.empty(triangle),
        "inverse": np.empty(triangle),
        "face": np.zeros(largest_face + 1, np.int64),
        "stop": np.zeros(1, np.int64) if stop is None else stop,
    }
    return Workspace(**arrays)


@compiled_inline
def padded(n: int) -> int:
    """Return n rounded up to whole blocks."""
    return (n + BLOCK - 1) // BLOCK * BLOCK


@compiled_inline
def row_of(source: Source, i: int) -> int:
    """Return the row of the training set that is sample ``i`` of the problem."""
    n_1 = source.end_1 - source.start_1
    return source.start_1 + i if i < n_1 else source.start_2 + i - n_1


@compiled_part
def _kernel_run(
    source: Source, r: int, start: int, base: np.ndarray, out: np.ndarray
) -> None:
    """Write K between row ``r`` of the training set and those from ``start`` on."""
    if source.kind == MATRIX:
        base = source.base[r, start : start + out.shape[0]]
    else:
        base = base[: out.shape[0]]
        base_row(source.base, source.kind, r, start, base)
    kernel_values(source.kernel, source.parameter, base, out)


@compiled_part
def _free_place(work: Workspace) -> int:
    """Return a place for another row, taken from an old one if there is none.

    The hand goes round and passes over rows that were asked for lately, which are at
    most half of all; so the last four rows stay where they are.
    """
    cache = work.cache
    if cache[0] < cache[1]:
        cache[0] += 1
        return cache[0] - 1
    while True:
        q = cache[2]
        cache[2] = q + 1 if q + 1 < cache[1] else 0
        if cache[3] - work.asked[work.owner[q]] > cache[1] // 2:
            work.place[work.owner[q]] = -1
            return q


@compiled_part
def _complete(source: Source, work: Workspace, n: int, i: int) -> int:
    """Write row ``i`` and its padding; return where."""
    q = _free_place(work)
    start = q * padded(n)
    n_1 = source.end_1 - source.start_1
    r = row_of(source, i)
    out = work.gram[start : start + padded(n)]
    _kernel_run(source, r, source.start_1, work.base, out[:n_1])
    _kernel_run(source, r, source.start_2, work.base, out[n_1:n])
    for k in range(n, padded(n)):
        out[k] = 0.0
    work.place[i] = start
    work.owner[q] = i
    return start


@compiled_inline
def gram_row(source: Source, work: Workspace, n: int, i: int) -> int:
    """Return where work.gram holds the row of sample ``i``, computed if need be."""
    if work.cache[1] < n:
        work.cache[3] += 1
        work.asked[i] = work.cache[3]
    start = work.place[i]
    return start if start >= 0 else _complete(source, work, n, i)


@compiled_part
def begin(source: Source, work: Workspace, n: int) -> None:
    """Write the Gram matrix's diagonal and forget the rows of the last problem.

    The padding becomes samples that can neither rise nor fall.
    """
    base = source.base
    for k in range(n, padded(n)):
        work.diagonal[k] = work.t[k] = work.lo[k] = work.hi[k] = 0.0
        work.beta[k] = work.v[k] = 0.0
    work.cache[0] = work.cache[2] = work.cache[3] = 0
    work.cache[1] = work.gram.shape[0] // padded(n)
    for i in range(n):
        work.place[i] = -1
        work.diagonal[i] = 0.0
    if has_zero_diagonal(source.kernel):
        return
    for i in range(n):
        r = row_of(source, i)
        value = 0.0
        if source.kind == MATRIX:
            value = base[r, r]
        else:
            for j in range(base.shape[0]):  # in the order of `base_row`
                value += base_term(source.kind, base[j, r], base[j, r])
        work.base[i] = value
    diagonal = work.diagonal[:n]
    kernel_values(source.kernel, source.parameter, work.base[:n], diagonal)
