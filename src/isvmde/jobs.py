"""How many threads or processes a computation is given."""

import numbers

from joblib import cpu_count, effective_n_jobs

_FEW = 16  # harmless on any machine


def usable_jobs(n_jobs: int | None) -> int:
    """Return how many threads or processes n_jobs stands for, up to what can be of use.

    Each takes memory of its own, and so n_jobs=10**9 would take all that there is.

    >>> usable_jobs(None), usable_jobs(3), usable_jobs(10**9) < 10**6
    (1, 3, True)
    """
    if n_jobs is None:
        return 1
    if not isinstance(n_jobs, numbers.Integral):
        raise TypeError(f"n_jobs={n_jobs!r}: use a whole number, or None for 1.")
    if n_jobs == 0:
        raise ValueError("n_jobs=0: use 1 or more, -1 for all cores, or None for 1.")
    return int(min(effective_n_jobs(n_jobs), max(_FEW, cpu_count())))
