"""Whether what is handed to compiled code lies inside its arrays.

Compiled code checks no index: one that points outside reads or overwrites whatever is
there. So every call from Python passes one of these doors. They cost little beside the
work behind them.
"""

from collections.abc import Sequence

import numpy as np

from .compiled_kernels import BASES, FUNCTIONS
from .problem import MATRIX


def check_problem(
    *,
    base: np.ndarray,
    kind: int,
    kernel: int,
    n: int,
    vectors: Sequence[np.ndarray],
    room: int,
) -> None:
    """Refuse one dual of ``n`` samples that its base, or its memory, does not hold."""
    if kind not in (MATRIX, *BASES) or kernel not in FUNCTIONS:
        raise ValueError(f"there is no base {kind} or no kernel {kernel}")
    if base.ndim != 2 or base.shape[1] != n or (kind == MATRIX and len(base) != n):
        raise ValueError(f"a base of shape {base.shape} is not one of {n} samples")
    if any(vector.shape != (n,) for vector in vectors):
        raise ValueError(f"y, margin, U and alpha must have {n} entries each")
    if room < n:
        raise ValueError(f"a workspace for {room} samples is too small for {n}")


def check_training(bases: np.ndarray, kinds: np.ndarray, weight: np.ndarray) -> None:
    """Refuse bases of tasks that are not all of the same samples."""
    n = len(weight)
    if bases.ndim != 3 or bases.shape[2] != n or weight.shape != (n,):
        raise ValueError(f"bases of shape {bases.shape} are not those of {n} samples")
    matrix = kinds == MATRIX
    if kinds.shape != bases.shape[:1] or not (matrix | np.isin(kinds, BASES)).all():
        raise ValueError("every base needs a kind: a matrix, or what is computed")
    if matrix.any() and bases.shape[1] != n:
        raise ValueError(f"matrices of shape {bases.shape[1:]} for {n} samples")


def check_tasks(
    *,
    spans: np.ndarray,
    base: np.ndarray,
    kernel: np.ndarray,
    n_bases: int,
    n_samples: int,
) -> None:
    """Refuse tasks, (tasks, 4) spans of samples each, that point outside."""
    start, end = spans[:, ::2], spans[:, 1::2]
    if not ((start >= 0) & (start <= end) & (end <= n_samples)).all():
        raise ValueError(f"a task leaves the {n_samples} samples")
    if not ((base >= 0) & (base < n_bases)).all():
        raise ValueError(f"a task has none of the {n_bases} bases")
    if not np.isin(kernel, FUNCTIONS).all():
        raise ValueError("a task has a kernel that does not exist")


def check_machine_table(
    *,
    n_rows: int,
    n_pairs: int,
    kernel_rows: np.ndarray,
    kernel_start: np.ndarray,
    pair: np.ndarray,
    weight: np.ndarray,
    intercept: np.ndarray,
    start: np.ndarray,
    index: np.ndarray,
    beta: np.ndarray,
) -> None:
    """Refuse a table of machines that points outside: compiled code does not look.

    Kernel q has the machines kernel_start[q] to kernel_start[q + 1] and needs the rows
    kernel_rows[q, 0] to kernel_rows[q, 1]; machine k has the support vectors start[k]
    to start[k + 1], which are rows of its kernel.
    """
    integers = (kernel_rows, kernel_start, pair, start, index)
    _check_layout(integers, np.dtype(np.int64))
    _check_layout((weight, intercept, beta), np.dtype(np.float64))
    n_kernels, n_machines, n_support = len(kernel_rows), len(pair), len(index)
    if kernel_rows.shape != (n_kernels, 2):
        raise ValueError("kernel_rows must have a first row and an end per kernel")
    if not weight.shape == intercept.shape == pair.shape == (n_machines,):
        raise ValueError("weight, intercept and pair must have one entry per machine")
    if not beta.shape == index.shape == (n_support,):
        raise ValueError("beta and index must have one entry per support vector")
    _check_ends("kernel_start", kernel_start, n_kernels, n_machines)
    _check_ends("start", start, n_machines, n_support)
    first, end = kernel_rows[:, 0], kernel_rows[:, 1]
    if not ((first >= 0) & (first <= end) & (end <= n_rows)).all():
        raise ValueError(f"kernel_rows leaves the {n_rows} rows")
    if not ((pair >= 0) & (pair < n_pairs)).all():
        raise ValueError(f"pair leaves the {n_pairs} pairs")
    of_kernel = np.diff(start[kernel_start])  # support vectors of each kernel
    inside = index >= np.repeat(first, of_kernel)
    inside &= index < np.repeat(end, of_kernel)
    if not inside.all():
        raise ValueError("index leaves the rows of its kernel")


def check_columns(rows: np.ndarray, new: np.ndarray) -> None:
    """Refuse new rows, (views, n, d), of other views or columns than ``rows``."""
    if rows.ndim != 3 or new.ndim != 3 or rows.shape[::2] != new.shape[::2]:
        raise ValueError(
            f"new rows of shape {new.shape} have not the columns of the training rows, "
            f"{rows.shape}"
        )


def _check_layout(arrays: tuple[np.ndarray, ...], dtype: np.dtype) -> None:
    """Refuse arrays that the compiled function was not compiled for."""
    for array in arrays:
        if array.dtype != dtype or not array.flags.c_contiguous:
            raise ValueError(f"machines need contiguous arrays of {dtype}")


def _check_ends(name: str, ends: np.ndarray, n_parts: int, total: int) -> None:
    """Refuse ends that do not divide ``total`` things into ``n_parts`` parts."""
    fits = ends.shape == (n_parts + 1,) and ends[0] == 0 and ends[-1] == total
    if not fits or not (np.diff(ends) >= 0).all():
        raise ValueError(f"{name} must rise from 0 to {total} in {n_parts} steps")
