"""What the compiled functions work on: a source of Gram rows and a workspace.

Problem (D) in signed form. With beta_i = y_i a_i and t_i = y_i m_i it reads

    max  t'beta - beta'K beta / 2   s.t.  sum(beta) = 0,  lo <= beta <= hi

so no label appears in the inner loops: [lo, hi] is [0, U_i] for + and [-U_i, 0]
for - samples. v = t - K beta is the gradient; f(x_i) = t_i - v_i + b.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from .compilation import compiled, compiled_inline
from .exponential import expm1_row

LINEAR, RBF, POLY = 0, 1, 2
BLOCK = 32  # vectors are padded to whole blocks, so inner loops have no remainder


class Source(NamedTuple):
    """Where the Gram rows of one problem come from.

    The samples of a pair are two runs of consecutive rows of the training set, which
    is sorted by class; ``base`` holds what a kernel is a function of (dot products,
    squared distances, sums of minima or a ready Gram matrix, see
    `isvmde.core.kernels`) of the whole training set.
    """

    base: np.ndarray
    start_1: int
    end_1: int
    start_2: int
    end_2: int
    kernel: int  # the function: LINEAR base, RBF exp(-gamma base), POLY (1 + base)^d
    parameter: float  # gamma = 1/(2 sigma^2) for rbf, the degree for poly


class Workspace(NamedTuple):
    """Memory one thread uses again for every problem."""

    gram: np.ndarray  # row i at [i*padded(n), ...), filled on demand
    filled: np.ndarray  # which rows are there
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
    face: np.ndarray  # the samples the factor's rows belong to
    difference: np.ndarray  # v of the face minus v of its reference
    z: np.ndarray
    x: np.ndarray
    cosine: np.ndarray
    sine: np.ndarray
    touched: np.ndarray  # samples a Newton phase may move
    moved: np.ndarray  # those it did move
    stop: np.ndarray  # not 0: give up at once, what was computed is not needed


def make_workspace(n: int, stop: np.ndarray | None = None) -> Workspace:
    """Return memory for problems of at most ``n`` samples.

    The square buffers, 2 n^2 doubles in all, are only reserved; pages are used as
    rows are filled. ``stop`` is a flag that several workspaces share.
    """
    size = (max(int(n), 2) + BLOCK - 1) // BLOCK * BLOCK

    def vector() -> np.ndarray:
        return np.zeros(size)

    return Workspace(
        gram=np.empty(size * size),
        filled=np.zeros(size, np.uint8),
        diagonal=vector(),
        t=vector(),
        lo=vector(),
        hi=vector(),
        beta=vector(),
        v=vector(),
        score=vector(),
        before=vector(),
        factor=np.empty(size * (size + 1) // 2),
        inverse=np.empty(size * (size + 1) // 2),
        face=np.zeros(size, np.int64),
        difference=vector(),
        z=vector(),
        x=vector(),
        cosine=vector(),
        sine=vector(),
        touched=np.zeros(size, np.int64),
        moved=np.zeros(size, np.int64),
        stop=np.zeros(1, np.int64) if stop is None else stop,
    )


@compiled_inline
def padded(n: int) -> int:
    """Return n rounded up to whole blocks."""
    return (n + BLOCK - 1) // BLOCK * BLOCK


@compiled_inline
def row_of(source: Source, i: int) -> int:
    """Return the row of the training set that is sample ``i`` of the problem."""
    n_1 = source.end_1 - source.start_1
    return source.start_1 + i if i < n_1 else source.start_2 + i - n_1


@compiled
def kernel_row(source: Source, r: int, out: np.ndarray) -> None:
    """Write K between row ``r`` of the training set and the problem's samples."""
    n_1 = source.end_1 - source.start_1
    first = source.base[r, source.start_1 : source.end_1]
    second = source.base[r, source.start_2 : source.end_2]
    if source.kernel == RBF:
        # K - 1 instead of K: sum(beta) = 0, so the constant changes nothing, and
        # wide kernels (sigma = 100) keep all their digits.
        expm1_row(first, -source.parameter, out[:n_1])
        expm1_row(second, -source.parameter, out[n_1:])
        return
    for k in range(n_1):
        out[k] = first[k]
    for k in range(second.shape[0]):
        out[n_1 + k] = second[k]
    if source.kernel == POLY:
        n = out.shape[0]
        for k in range(n):
            out[k] += 1.0
        degree = int(source.parameter)
        if degree >= 4:  # (1 + x'z)^4 = ((1 + x'z)^2)^2
            for k in range(n):
                square = out[k] * out[k]
                out[k] = square * square * (out[k] if degree >= 5 else 1.0)
            for _ in range(degree - 5):
                _times_base(first, second, out)
        elif degree == 3:
            for k in range(n):
                out[k] = out[k] * out[k] * out[k]
        elif degree == 2:
            for k in range(n):
                out[k] = out[k] * out[k]


@compiled
def _times_base(first: np.ndarray, second: np.ndarray, out: np.ndarray) -> None:
    """Multiply by 1 + x'z once more (degrees above five)."""
    n_1 = first.shape[0]
    for k in range(n_1):
        out[k] *= 1.0 + first[k]
    for k in range(second.shape[0]):
        out[n_1 + k] *= 1.0 + second[k]


@compiled
def _complete(source: Source, gram: np.ndarray, n: int, i: int, start: int) -> None:
    """Write row ``i`` and its padding at ``start``."""
    end = start + padded(n)
    kernel_row(source, row_of(source, i), gram[start : start + n])
    for k in range(start + n, end):
        gram[k] = 0.0


@compiled_inline
def gram_row(source: Source, work: Workspace, n: int, i: int) -> int:
    """Return where work.gram holds the row of sample ``i``, computed at most once."""
    start = i * padded(n)
    if work.filled[i] == 0:
        _complete(source, work.gram, n, i, start)
        work.filled[i] = 1
    return start


@compiled
def fill_diagonal(source: Source, work: Workspace, n: int) -> None:
    """Write the Gram matrix's diagonal and mark all rows as not computed.

    The padding becomes samples that can neither rise nor fall.
    """
    for k in range(n, padded(n)):
        work.diagonal[k] = work.t[k] = work.lo[k] = work.hi[k] = 0.0
        work.beta[k] = work.v[k] = 0.0
    for i in range(n):
        work.filled[i] = 0
        if source.kernel == RBF:
            work.diagonal[i] = 0.0
            continue
        r = row_of(source, i)
        value = source.base[r, r]
        if source.kernel == POLY:
            base = 1.0 + value
            value = base
            for _ in range(int(source.parameter) - 1):
                value *= base
        work.diagonal[i] = value
