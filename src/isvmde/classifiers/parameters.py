"""The checks of `ISVMDEClassifier`'s parameters."""

from __future__ import annotations

import numbers
from typing import Any

from sklearn.utils import check_scalar

from isvmde.core.fitness import FITNESS
from isvmde.core.kernels import PAPER_KERNELS
from isvmde.core.search.genome import Ranges

from .checks import (
    LARGEST,
    check_choice,
    check_degrees,
    check_flag,
    check_kernels,
    check_number,
    check_range,
    check_whole,
    warn_of_unused_ranges,
)

SEARCHES = ("joint", "pairwise")
SHARES = (None, "kernel", "all")
IDE_OPTIONS = (
    "F_rule",
    "CR_rule",
    "success_threshold",
    "stage_patience",
    "repair",
    "initial",
)


def check_search_parameters(model: Any) -> None:
    """Check every parameter of a search."""
    check_choice("fitness", model.fitness, tuple(FITNESS))
    check_choice("search", model.search, SEARCHES)
    check_choice("share", model.share, SHARES)
    check_flag("keep_best_on_interrupt", model.keep_best_on_interrupt)
    if model.search == "pairwise" and model.share is not None:
        raise ValueError(
            f"share={model.share!r} gives all pairs the same genes, so search="
            "'pairwise' cannot search them pair by pair: use search='joint', or "
            "share=None."
        )
    check_number("C", model.C)
    check_number("tol", model.tol)
    check_number("delta", model.delta, most=1)
    check_whole("pop_size", model.pop_size, 5)
    check_whole("max_iter", model.max_iter, 1)
    if model.patience is not None:
        check_whole("patience", model.patience, 1)
    if model.time_limit is not None:
        check_scalar(model.time_limit, "time_limit", numbers.Real, min_val=0)
    unknown = sorted(set(model.ide_options or {}) - set(IDE_OPTIONS))
    if unknown:
        raise ValueError(
            f"ide_options has the unknown name {unknown[0]!r}: use names out of "
            f"{IDE_OPTIONS}."
        )
    gene_ranges(model)
    warn_of_unused_ranges(model)


def gene_ranges(model: Any) -> Ranges:
    """Return the ranges of the genes, checked."""
    kernels = check_kernels(model.kernels, tuple(PAPER_KERNELS))
    cost = check_range("cost_range", model.cost_range, 0)
    if not model.C * cost[1] <= LARGEST:
        raise ValueError(
            f"C={model.C} times the largest relative cost {cost[1]} is more than "
            f"{LARGEST:g}: use a smaller C or cost_range."
        )
    return Ranges(
        C=float(model.C),
        kernels=kernels,
        sigma=check_range("sigma_range", model.sigma_range, 0),
        degree=check_degrees(model.degree_range),
        cost=cost,
        margin=check_range("margin_range", model.margin_range, 0),
    )
