"""Checks of parameters that several classifiers take."""

from __future__ import annotations

import inspect
import math
import numbers
import warnings
from collections.abc import Collection, Sequence
from typing import Any

from sklearn.utils import check_scalar

from isvmde.core.kernels import KERNELS, LARGEST_DEGREE, PARAMETER

# Squares and quotients of what is larger are no numbers any more.
LARGEST = 1e100


def check_choice(name: str, given: Any, choices: Sequence[Any]) -> None:
    """Refuse a value that is not among the choices."""
    if not isinstance(given, (str, type(None))) or given not in choices:
        raise ValueError(f"{name}={given!r} is not known: use one of {choices}.")


def check_flag(name: str, given: Any) -> None:
    """Refuse what is neither True nor False."""
    if given not in (False, True):
        raise ValueError(f"{name}={given!r}: use True or False.")


def check_number(
    name: str, given: Any, *, positive: bool = True, most: float | None = None
) -> None:
    """Refuse what is no finite number above zero, or from zero on."""
    ends = "right" if positive else "both"
    if most is None:
        ends = "neither" if positive else "left"
    check_scalar(
        given, name, numbers.Real, min_val=0, max_val=most, include_boundaries=ends
    )
    if not math.isfinite(given):
        raise ValueError(f"{name}={given}: use a finite number.")


def check_whole(name: str, given: Any, least: int, most: int | None = None) -> None:
    """Refuse what is no whole number from ``least`` on."""
    check_scalar(given, name, numbers.Integral, min_val=least, max_val=most)


def names_of(what: str, given: Any, known: Collection[str]) -> tuple[str, ...]:
    """Return one or more known names, given as one or as several."""
    names = (given,) if isinstance(given, str) else given
    several = isinstance(names, Collection) and len(names) > 0
    if not several or not all(isinstance(n, str) and n in known for n in names):
        raise ValueError(f"{what}={given!r}: use one or more of {sorted(known)}.")
    return tuple(names)


def check_kernels(given: Any, known: Collection[str] = KERNELS) -> tuple[str, ...]:
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


def warn_of_unused_ranges(model: Any) -> None:
    """Warn of a range that was given though none of the kernels has its parameter."""
    used = {PARAMETER[name] for name in check_kernels(model.kernels)}
    defaults = inspect.signature(type(model)).parameters
    for parameter in ("sigma", "degree"):
        name = f"{parameter}_range"
        given = tuple(getattr(model, name))
        if parameter not in used and given != defaults[name].default:
            warnings.warn(
                f"{name}={given} has no effect: none of kernels={model.kernels!r} has "
                f"a {parameter}.",
                stacklevel=5,
            )
