"""The checks of `ISVMDEClassifier`'s parameters."""

from __future__ import annotations

import numbers
from typing import Any

from sklearn.utils import check_scalar

from isvmde.core.fitness import FITNESS
from isvmde.core.kernels import PAPER_KERNELS
from isvmde.core.search.genome import Ranges

from .ranges import LARGEST, check_degrees, check_kernels, check_range

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


def check_search_parameters(model: Any) -> Ranges:
    """Check every parameter of a search; return the ranges of the genes."""
    for name, allowed in (
        ("fitness", tuple(FITNESS)),
        ("search", SEARCHES),
        ("share", SHARES),
    ):
        given = getattr(model, name)
        if not isinstance(given, (str, type(None))) or given not in allowed:
            raise ValueError(f"{name}={given!r} is not known: use one of {allowed}.")
    if model.search == "pairwise" and model.share is not None:
        raise ValueError(
            f"share={model.share!r} gives all pairs the same genes, so search="
            "'pairwise' cannot search them pair by pair: use search='joint', or "
            "share=None."
        )
    if not isinstance(model.keep_best_on_interrupt, bool):
        raise ValueError(
            f"keep_best_on_interrupt={model.keep_best_on_interrupt!r}: use True or "
            "False."
        )
    check_scalar(model.C, "C", numbers.Real, min_val=0, include_boundaries="neither")
    check_scalar(
        model.tol, "tol", numbers.Real, min_val=0, include_boundaries="neither"
    )
    check_scalar(
        model.delta,
        "delta",
        numbers.Real,
        min_val=0,
        max_val=1,
        include_boundaries="right",
    )
    check_scalar(model.pop_size, "pop_size", numbers.Integral, min_val=5)
    check_scalar(model.max_iter, "max_iter", numbers.Integral, min_val=1)
    if model.patience is not None:
        check_scalar(model.patience, "patience", numbers.Integral, min_val=1)
    if model.time_limit is not None:
        check_scalar(model.time_limit, "time_limit", numbers.Real, min_val=0)
    unknown = sorted(set(model.ide_options or {}) - set(IDE_OPTIONS))
    if unknown:
        raise ValueError(
            f"ide_options has the unknown name {unknown[0]!r}: use names out of "
            f"{IDE_OPTIONS}."
        )
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
