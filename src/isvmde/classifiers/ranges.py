"""Checks of ranges and kernels that several classifiers take."""

from __future__ import annotations

from typing import Any

import numpy as np

from isvmde.core.kernels import KERNELS


def check_kernels(given: Any, known: tuple[str, ...] = KERNELS) -> tuple[str, ...]:
    """Return the names of one or more kernels."""
    kernels = (given,) if isinstance(given, str) else tuple(given)
    if not kernels or any(name not in known for name in kernels):
        raise ValueError(f"kernels={given!r}: use one or more of {sorted(known)}.")
    return kernels


def check_range(name: str, given: Any, least: float) -> tuple[float, float]:
    """Return (low, high) with least <= low <= high, high > 0."""
    try:
        low, high = (float(value) for value in given)
    except (TypeError, ValueError):
        low, high = 1.0, 0.0
    if not least <= low <= high < np.inf or high <= 0:
        raise ValueError(
            f"{name}={given!r}: use two numbers (low, high), "
            f"{least:g} <= low <= high, high positive."
        )
    return low, high


def check_degrees(given: Any) -> tuple[int, int]:
    """Return (low, high) with whole 1 <= low <= high."""
    low, high = check_range("degree_range", given, 1)
    if low != int(low) or high != int(high):
        raise ValueError(f"degree_range={given!r}: use two whole numbers.")
    return int(low), int(high)
