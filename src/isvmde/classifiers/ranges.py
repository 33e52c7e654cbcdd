"""Checks of ranges and kernels that several classifiers take."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

from isvmde.core.kernels import KERNELS, LARGEST_DEGREE

# Squares and quotients of what is larger are no numbers any more.
LARGEST = 1e100


def names_of(what: str, given: Any, known: Collection[str]) -> tuple[str, ...]:
    """Return one or more known names, given as one or as several."""
    names = (given,) if isinstance(given, str) else given
    several = isinstance(names, Collection) and len(names) > 0
    if not several or not all(isinstance(n, str) and n in known for n in names):
        raise ValueError(f"{what}={given!r}: use one or more of {sorted(known)}.")
    return tuple(names)


def check_kernels(given: Any, known: tuple[str, ...] = KERNELS) -> tuple[str, ...]:
    """Return the names of one or more kernels."""
    return names_of("kernels", given, known)


def check_range(name: str, given: Any, least: float) -> tuple[float, float]:
    """Return (low, high) with least <= low <= high <= 1e100, high > 0."""
    try:
        low, high = (float(value) for value in given)
    except (TypeError, ValueError):
        low, high = 1.0, 0.0
    if not least <= low <= high <= LARGEST or high <= 0:
        raise ValueError(
            f"{name}={given!r}: use two numbers (low, high), "
            f"{least:g} <= low <= high <= {LARGEST:g}, high positive."
        )
    return low, high


def check_degrees(given: Any) -> tuple[int, int]:
    """Return (low, high) with whole 1 <= low <= high <= 100."""
    low, high = check_range("degree_range", given, 1)
    if low != int(low) or high != int(high) or high > LARGEST_DEGREE:
        raise ValueError(
            f"degree_range={given!r}: use two whole numbers up to {LARGEST_DEGREE}."
        )
    return int(low), int(high)
