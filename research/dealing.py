"""What depends on the way in which folds are dealt.

Every table is made of the rows that there are, and says on how many sets it rests.
"""

from __future__ import annotations

import functools
from typing import NamedTuple

import numpy as np
import pandas as pd
from claims import mean_ranks, place
from effects import Effect, effect, repeat_means
from measured import AVE, METRICS, NINE, PUBLISHED, Measured
from results_facts import text_table

from isvmde.bench.content import Table, names

DEALT = "dealt"
Dealings = dict[str, Measured]  # by name, "dealt" first


KEEL = "keel"


class FoldFit(NamedTuple):
    """How far scores on two kinds of folds are from the published ones, in points.

    First repeats of all methods that both have, on the data sets that both have.
    """

    n_methods: int
    n_datasets: int
    dealt: dict[str, float]  # mean absolute distance by metric
    other: dict[str, float]
    nearer: list[str]  # metrics on which the other folds are nearer
    farthest: str  # data set on which AVE's G-mean is farthest below
    farthest_gap: float  # measured less published there, on the other folds


class Cell(NamedTuple):
    """A score that folds decide."""

    dataset: str
    method: str
    scores: dict[str, float]  # G-mean by dealing


def fold_averages(dealings: Dealings) -> Table | None:
    """Return each method's averages with every dealing, on sets that all have."""
    means = _shared_means(dealings)
    if means is None:
        return None
    lines = {
        str(method): {
            f"{name}, {dealing}": f"{means[metric].loc[dealing][method].mean():.1f}"
            for metric, name in METRICS.items()
            for dealing in dealings
        }
        for method in means["g_mean"]
    }
    return text_table("folds", "method", lines)


def fold_places(dealings: Dealings) -> Table | None:
    """Return who leads by mean aligned rank with every dealing, and AVE's place."""
    means = _shared_means(dealings)
    if means is None or means["g_mean"].shape[1] < 2:
        return None
    lines: dict[str, dict[str, str]] = {}
    for dealing in dealings:
        lines[dealing] = {}
        for metric, name in METRICS.items():
            ranks = mean_ranks(means[metric].loc[dealing])
            text = ", ".join(f"{who} {rank:.1f}" for who, rank in ranks[:3].items())
            if AVE in ranks:
                text += f"; AVE number {place(ranks, AVE)} of {len(ranks)}"
            lines[dealing][name] = text
    return text_table("fold-places", "folds", lines)


def fold_sentence(dealings: Dealings) -> str:
    """Say on which metrics the leader depends on the folds, and how far means move."""
    means = _shared_means(dealings)
    if means is None or means["g_mean"].shape[1] < 2:
        return ""
    same, other = [], []
    for metric, name in METRICS.items():
        leaders = {str(mean_ranks(means[metric].loc[d]).index[0]) for d in dealings}
        (same if len(leaders) == 1 else other).append(name)
    averages = means["g_mean"].groupby(level=0).mean().mean(axis=1)
    parts = [
        f"{who} on {names(words)}"
        for who, words in (
            ("The best rank does not depend on the folds", same),
            ("the best rank depends on the folds", other),
        )
        if words
    ]
    text = "; ".join(parts)
    return (
        f"{text[0].upper()}{text[1:]}. The mean G-mean over these methods and sets is "
        f"{averages.max():.1f} with {averages.idxmax()} folds and {averages.min():.1f} "
        f"with {averages.idxmin()} ones."
    )


def fit_to_published(dealings: Dealings, other: str) -> FoldFit | None:
    """Compare dealt folds and others with the published scores."""
    if other not in dealings:
        return None
    means = _shared_means({DEALT: dealings[DEALT], other: dealings[other]})
    if means is None or AVE not in means["g_mean"]:
        return None
    distance: dict[str, dict[str, float]] = {DEALT: {}, other: {}}
    for metric, scores in means.items():
        for name, found in distance.items():
            measured = scores.loc[name]
            gap = measured - PUBLISHED[metric].loc[measured.index, measured.columns]
            found[metric] = float(gap.abs().to_numpy().mean())
    ours = means["g_mean"].loc[other][AVE]
    gap = ours - PUBLISHED["g_mean"].loc[ours.index, AVE]
    return FoldFit(
        n_methods=means["g_mean"].shape[1],
        n_datasets=len(ours),
        dealt=distance[DEALT],
        other=distance[other],
        nearer=[METRICS[m] for m in METRICS if distance[other][m] < distance[DEALT][m]],
        farthest=str(gap.idxmin()),
        farthest_gap=float(gap.min()),
    )


def shared_sets(dealings: Dealings) -> list[str]:
    """Return the data sets on which all methods of all dealings were measured."""
    means = _shared_means(dealings)
    return [] if means is None else list(means["g_mean"].loc[DEALT].index)


def folds_effect(dealings: Dealings, dealing: str, method: str) -> Effect | None:
    """Return a dealing's scores of a method less those on dealt folds."""
    return effect(dealing, (dealings[dealing], method), (dealings[DEALT], method))


def decided_by_folds(dealings: Dealings, n: int = 6) -> list[Cell]:
    """Return the cells whose G-mean differs most between dealings."""
    means = _shared_means(dealings)
    if means is None:
        return []
    table = means["g_mean"]
    cells = [
        Cell(
            dataset,
            str(method),
            {
                dealing: float(table.loc[(dealing, dataset), method])
                for dealing in dealings
            },
        )
        for dataset in shared_sets(dealings)
        for method in table
    ]
    spread = [max(cell.scores.values()) - min(cell.scores.values()) for cell in cells]
    return [cells[k] for k in np.argsort(-np.array(spread), kind="stable")[:n]]


def _shared_means(dealings: Dealings) -> dict[str, pd.DataFrame] | None:
    """Return, by metric, scores of (dealing, data set) x methods, first repeats only.

    Methods that a dealing lacks altogether are left out, then data sets with gaps.
    """
    if len(dealings) < 2:
        return None
    parts = {}
    for dealing, measured in dealings.items():
        for method in NINE:
            means = 100 * repeat_means(measured.results, method)
            first = means[means.index.get_level_values("repeat") == 0]
            if len(first):
                parts[dealing, method] = first.droplevel("repeat")
    everywhere = [m for m in NINE if all((d, m) in parts for d in dealings)]
    if not everywhere:
        return None
    shared = functools.reduce(
        lambda one, other: one.intersection(other),
        (parts[d, m].index for d in dealings for m in everywhere),
    )
    shared = [name for name in next(iter(dealings.values())).datasets if name in shared]
    if not shared:
        return None
    return {
        metric: pd.concat(
            {
                dealing: pd.DataFrame(
                    {m: parts[dealing, m].loc[shared, metric] for m in everywhere}
                )
                for dealing in dealings
            }
        )
        for metric in METRICS
    }
