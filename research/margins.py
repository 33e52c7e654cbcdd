"""Where the searches leave the margins, in numbers for the pages."""

from __future__ import annotations

from typing import NamedTuple

import pandas as pd
from measured import AVE, MAX
from run_margins import FIXED, NEAR_BOUND, PAIRWISE


class Margins(NamedTuple):
    """Margins at the end of the searches, means over data sets."""

    n_datasets: int
    bound: float  # above which a margin counts as near its upper bound
    mean: dict[str, float]  # by search
    near_bound: dict[str, float]  # share of the margins
    smallest: tuple[str, float]  # the data set where AVE's are smallest, their mean
    fitness: float  # of AVE's joint search
    fixed_fitness: float  # with both margins 1
    fixed_lower: int  # data sets on which that is lower


NAMES = {AVE: "AVE", MAX: "MAX", FIXED: "fixed", PAIRWISE: "pairwise"}


def margin_facts(table: pd.DataFrame | None) -> Margins | None:
    """Return what the rows of results/margins.csv say."""
    if table is None:
        return None
    by_search = {
        name: table[table["search"] == search] for search, name in NAMES.items()
    }
    joint, fixed = (
        by_search[name].groupby("dataset").mean(numeric_only=True)
        for name in ("AVE", "fixed")
    )
    smallest = joint["mean_margin"].idxmin()
    return Margins(
        n_datasets=len(joint),
        bound=NEAR_BOUND,
        mean={
            name: float(rows["mean_margin"].mean()) for name, rows in by_search.items()
        },
        near_bound={
            name: float(rows["near_bound"].mean()) for name, rows in by_search.items()
        },
        smallest=(str(smallest), float(joint.loc[smallest, "mean_margin"])),
        fitness=float(joint["fitness"].mean()),
        fixed_fitness=float(fixed["fitness"].mean()),
        fixed_lower=int((fixed["fitness"] < joint["fitness"]).sum()),
    )
