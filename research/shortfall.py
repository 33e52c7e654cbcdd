"""Why i-SVM-DE comes out lower than published: what was tried, and how far it got.

A reading is compared with the published scores on the data sets and repeats that it was
measured on; what is built is compared with them on the same ones.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import pandas as pd
from claims import mean_ranks, place
from dealing import DEALT, Dealings
from effects import repeat_means
from measured import AVE, MAX, METRICS, NINE, PUBLISHED, Measured
from results_facts import TIE
from run_coding import two_valued

from isvmde.datasets import load_dataset
from isvmde.stats import wilcoxon_signed_rank

TRIED = {
    "δ = 0.025": "delta = 0.025",
    "δ = 0.1": "delta = 0.1",
    "C = 500": "C = 500",
    "C = 2000": "C = 2000",
    "σ up to 50": "sigma up to 50",
    "σ up to 200": "sigma up to 200",
    "20 individuals": "20 individuals",
    "80 individuals": "80 individuals",
    "100 generations": "100 generations",
    "400 generations": "400 generations",
    "F clipped": "F clipped",
    "CR drawn again": "CR drawn again",
    "late stage after ten generations of at most 10 % success": "late stage",
    "both margins 1": "margins 1",
    "rbf kernel only": "rbf only",
    "a search for every pair": "pairwise",
}
FEWEST = 6  # data sets below which a mean difference says too little


class Shortfall(NamedTuple):
    """How a method's scores compare with its published ones."""

    method: str
    metric: str
    mean: float  # ours less published, points
    lower: int  # data sets on which ours is lower
    n: int
    p: float  # Wilcoxon


def shortfalls(measured: Measured) -> list[Shortfall]:
    """Compare the two i-SVM-DE methods with their published scores."""
    found = []
    for method in (AVE, MAX):
        for metric, name in METRICS.items():
            ours = measured.whole(metric, NINE)[method]
            theirs = PUBLISHED[metric].loc[ours.index, method]
            gap = ours - theirs
            found.append(
                Shortfall(
                    method=method,
                    metric=name,
                    mean=float(gap.mean()),
                    lower=int((gap < -TIE).sum()),
                    n=len(gap),
                    p=wilcoxon_signed_rank(ours, theirs).pvalue,
                )
            )
    return found


class Distance(NamedTuple):
    """How far scores are from the published ones, in points by metric."""

    mean: dict[str, float]  # measured less published
    absolute: dict[str, float]


class Gap(NamedTuple):
    """How far a method is from its published scores, as built and otherwise."""

    name: str
    n_datasets: int
    as_built: Distance
    variant: Distance


def coding_gaps(paper: Measured, coding: Measured | None) -> list[Gap]:
    """Return for every method how far either coding is from the published scores."""
    if coding is None:
        return []
    found = [_gap(method, paper, method, coding, method) for method in NINE]
    return [gap for gap in found if gap is not None]


def tried(
    paper: Measured,
    ideas: Measured | None,
    coding: Measured | None,
    dealings: Dealings,
) -> list[Gap]:
    """Return what every other reading does to AVE's distance."""
    found = []
    if coding is not None:
        found.append(_gap("one column for two values", paper, AVE, coding, AVE))
    for dealing, measured in dealings.items():
        if dealing != DEALT:
            found.append(_gap(f"{dealing} folds", paper, AVE, measured, AVE))
    if ideas is not None:
        found += [_gap(name, paper, AVE, ideas, key) for name, key in TRIED.items()]
    return [gap for gap in found if gap is not None and gap.n_datasets >= FEWEST]


def conclusion(gaps: list[Gap], metric: str) -> str:
    """Say which readings come nearer to the published scores of a metric."""
    nearer = [
        gap
        for gap in gaps
        if gap.variant.absolute[metric] < gap.as_built.absolute[metric]
        and abs(gap.variant.mean[metric]) < abs(gap.as_built.mean[metric])
    ]
    if not nearer:
        return f"none of {len(gaps)} readings comes nearer on {METRICS[metric]}"
    best = max(
        nearer,
        key=lambda gap: gap.as_built.absolute[metric] - gap.variant.absolute[metric],
    )
    return (
        f"{len(nearer)} of {len(gaps)} readings {_come(len(nearer))} nearer on "
        f"{METRICS[metric]}, both on average and in absolute value; the nearest is "
        f'"{best.name}", {best.variant.mean[metric]:+.1f} points in place of '
        f"{best.as_built.mean[metric]:+.1f} "
        f"(absolute {best.variant.absolute[metric]:.1f} in place of "
        f"{best.as_built.absolute[metric]:.1f}; {best.n_datasets} data sets)"
    )


def _come(n: int) -> str:
    """Return the verb for so many."""
    return "comes" if n == 1 else "come"


def _gap(
    name: str, paper: Measured, method: str, variant: Measured, variant_name: str
) -> Gap | None:
    """Compare two ways with the published scores, on what both were measured on."""
    one = repeat_means(paper.results, method)
    other = repeat_means(variant.results, variant_name)
    shared = one.index.intersection(other.index)
    if shared.get_level_values("dataset").nunique() < 2:
        return None
    return Gap(
        name=name,
        n_datasets=shared.get_level_values("dataset").nunique(),
        as_built=_distance(one.loc[shared], method),
        variant=_distance(other.loc[shared], method),
    )


def _distance(means: pd.DataFrame, method: str) -> Distance:
    """Return how far the means of data sets are from a method's published scores."""
    scores = 100 * means.groupby(level="dataset").mean()
    theirs = pd.DataFrame({m: PUBLISHED[m][method] for m in METRICS})
    gaps = scores - theirs.loc[scores.index, list(METRICS)]
    return Distance(
        mean={m: float(gaps[m].mean()) for m in METRICS},
        absolute={m: float(np.abs(gaps[m]).mean()) for m in METRICS},
    )


class Coded(NamedTuple):
    """Who leads on a metric with either coding, first repeats only."""

    metric: str
    leader: dict[str, str]  # by coding: the best mean aligned rank
    place_ave: dict[str, int]
    place_max: dict[str, int]
    behind: dict[str, float]  # mean ranks that AVE lacks to the best
    gap: dict[str, float]  # AVE less published, points, mean over all data sets


CODINGS = ("as built", "one column")


def coded_standings(paper: Measured, coding: Measured | None) -> list[Coded]:
    """Return the places with either coding, over all data sets.

    The other coding leaves a data set without nominal columns of two values as it is.
    Empty unless all others were measured with it.
    """
    if coding is None or not _all_coded(paper, coding):
        return []
    found = []
    for metric, name in METRICS.items():
        built = _first_repeats(paper, metric)
        coded = _first_repeats(coding, metric).combine_first(built).loc[built.index]
        tables = dict(zip(CODINGS, (built, coded), strict=True))
        ranks = {key: mean_ranks(table[NINE]) for key, table in tables.items()}
        theirs = PUBLISHED[metric].loc[built.index, AVE]
        found.append(
            Coded(
                metric=name,
                leader={key: str(r.index[0]) for key, r in ranks.items()},
                place_ave={key: place(r, AVE) for key, r in ranks.items()},
                place_max={key: place(r, MAX) for key, r in ranks.items()},
                behind={key: float(r[AVE] - r.iloc[0]) for key, r in ranks.items()},
                gap={k: float((t[AVE] - theirs).mean()) for k, t in tables.items()},
            )
        )
    return found


def most_two_valued(names: list[str], n: int = 3) -> list[tuple[str, int, int]]:
    """Return the data sets with most nominal columns of two values, and how many.

    Of each: its name, these columns, and all its nominal ones.
    """
    loaded = [(name, load_dataset(name)) for name in names]
    counts = [(name, len(two_valued(one)), len(one.nominal)) for name, one in loaded]
    return sorted(counts, key=lambda count: -count[1])[:n]


def _all_coded(paper: Measured, coding: Measured) -> bool:
    """Whether all data sets that the coding concerns were measured with it."""
    concerned = {
        name for name in paper.results.dataset_names if two_valued(load_dataset(name))
    }
    done = _first_repeats(coding, "g_mean").dropna().index
    built = _first_repeats(paper, "g_mean").dropna().index
    return bool(concerned) and concerned <= set(done) and concerned <= set(built)


def _first_repeats(measured: Measured, metric: str) -> pd.DataFrame:
    """Return a metric's means over the folds of first repeats, data sets x methods."""
    columns = {
        method: 100 * means.xs(0, level="repeat")[metric]
        for method in NINE
        if len(means := repeat_means(measured.results, method))
    }
    return pd.DataFrame(columns).reindex(columns=NINE)
