"""What depends on choices the paper leaves open: selection, pooling, seeds, counts.

Every table is made of the rows that there are, and says on how many sets it rests.
"""

from __future__ import annotations

import functools
from copy import copy
from typing import NamedTuple

import pandas as pd
from claims import BASELINES, Judged, judge, mean_ranks, place
from effects import repeat_means
from measured import AVE, MAX, METRICS, NINE, Measured
from results_facts import text_table

from isvmde.bench.content import Table, names

CRITERIA = {
    "g_mean": "G-mean (as here)",
    "av_f_beta": "AvF",
    "cba": "CBA",
    "accuracy": "accuracy",
    "test folds": "best on the test folds (optimistic)",
}


class Pooled(NamedTuple):
    """Places by mean aligned rank, from folds and from pooled confusion matrices."""

    metric: str
    ave: tuple[int, int]
    max: tuple[int, int]


def changed_by_pooling(paper: Measured) -> list[tuple[Judged, Judged]]:
    """Return the claims on which pooled confusion matrices decide otherwise."""
    return [
        (one, other)
        for one, other in zip(judge(paper), judge(_pooled(paper)), strict=True)
        if one.measured.holds != other.measured.holds
    ]


def pooled_places(paper: Measured) -> list[Pooled]:
    """Return where AVE and MAX stand either way."""
    found = []
    for metric, name in METRICS.items():
        by_folds, pooled = (
            mean_ranks(measured.whole(metric, NINE))
            for measured in (paper, _pooled(paper))
        )
        found.append(
            Pooled(
                metric=name,
                ave=(place(by_folds, AVE), place(pooled, AVE)),
                max=(place(by_folds, MAX), place(pooled, MAX)),
            )
        )
    return found


def _pooled(paper: Measured) -> Measured:
    """Return the same rows, scored by confusion matrices summed over folds."""
    pooled = copy(paper)
    pooled.scores = paper.pooled
    return pooled


# Choosing the baselines' parameters


def selection_table(paper: Measured, selection: pd.DataFrame) -> Table:
    """Return, for every criterion, the baselines' averages and AVE's places."""
    lines: dict[str, dict[str, str]] = {}
    for criterion, name in CRITERIA.items():
        rows = selection[selection["chosen by"] == criterion]
        line: dict[str, str] = {}
        for metric, metric_name in METRICS.items():
            table = with_proposed(paper, rows, metric)
            ranks, means = mean_ranks(table), table[BASELINES].mean()
            line[f"{metric_name} of the baselines"] = f"{means.mean():.1f}"
            line[f"best rank, {metric_name}"] = str(ranks.index[0])
            line[f"AVE, MAX on {metric_name}"] = (
                f"{place(ranks, AVE)}, {place(ranks, MAX)}"
            )
        lines[name] = line
    return text_table("selection", "chosen by", lines)


def selection_sentence(paper: Measured, selection: pd.DataFrame) -> str:
    """Say between which places AVE moves with the choice of the others' parameters."""
    honest, bound = [], ""
    for metric, name in METRICS.items():
        places = {}
        for criterion in CRITERIA:
            rows = selection[selection["chosen by"] == criterion]
            ranks = mean_ranks(with_proposed(paper, rows, metric))
            places[criterion] = place(ranks, AVE)
        bound = bound + f", {places.pop('test folds')} on {name}"
        honest.append(f"{min(places.values())} to {max(places.values())} on {name}")
    return (
        f"So AVE's place moves with the others' choice alone: {names(honest)}. Against "
        f"the best points on the test folds it would be number {bound[2:]}."
    )


def with_proposed(paper: Measured, rows: pd.DataFrame, metric: str) -> pd.DataFrame:
    """Return baselines so chosen beside our i-SVM-DE, on the same sets and repeats."""
    key = ["dataset", "repeat"]
    theirs = 100 * rows.pivot(index=key, columns="method", values=metric)[BASELINES]
    ours = {m: 100 * repeat_means(paper.results, m)[metric] for m in (MAX, AVE)}
    both = theirs.assign(**{m: s.reindex(theirs.index) for m, s in ours.items()})
    return both.dropna().groupby(level="dataset").mean()


# Seeds, and numbers of the method


class SeedNoise(NamedTuple):
    """How much another seed alone moves a score."""

    method: str
    n_seeds: int
    n_datasets: int
    mean_sd: dict[str, float]  # by metric, points
    largest: tuple[str, float]  # the data set whose G-mean moves most, its deviation


def seed_noise(
    paper: Measured, variants: Measured | None, method: str
) -> SeedNoise | None:
    """Return the deviation over seeds on the folds of the first repeat."""
    if variants is None:
        return None
    names = [m for m in variants.methods if m.startswith(f"{method}, seed")]
    first = [repeat_means(paper.results, method)]
    parts = first + [repeat_means(variants.results, name) for name in names]
    parts = [part.xs(0, level="repeat") for part in parts if len(part)]
    if len(parts) < 3:
        return None
    together = 100 * pd.concat(dict(enumerate(parts)), names=["seed"])
    counts = together.groupby(level="dataset").size()
    whole = counts[counts == counts.max()].index
    deviation = together.groupby(level="dataset").std().loc[whole]
    worst = deviation["g_mean"].idxmax()
    return SeedNoise(
        method=method,
        n_seeds=int(counts.max()),
        n_datasets=len(deviation),
        mean_sd={m: float(deviation[m].mean()) for m in METRICS},
        largest=(str(worst), float(deviation["g_mean"].max())),
    )


# Counting support vectors


class Counting(NamedTuple):
    """What another way of counting support vectors changes in the search."""

    reading: str
    n_datasets: int
    n_folds: int
    same_model: int  # folds with the same test scores
    changes: dict[str, float]  # less "rows", points


def counting_facts(counting: pd.DataFrame | None) -> list[Counting]:
    """Return what every other reading changes against that of this library."""
    if counting is None:
        return []
    key = ["dataset", "repeat", "fold"]
    scores = counting.set_index([*key, "reading"])[list(METRICS)].unstack("reading")
    found = []
    for reading in ("distinct", "none"):
        gap = pd.DataFrame(
            {m: 100 * (scores[m, reading] - scores[m, "rows"]) for m in METRICS}
        )
        same = (gap.abs() < 1e-9).all(axis=1)
        found.append(
            Counting(
                reading=reading,
                n_datasets=gap.index.get_level_values("dataset").nunique(),
                n_folds=len(gap),
                same_model=int(same.sum()),
                changes=gap.groupby(level="dataset").mean().mean().to_dict(),
            )
        )
    return found


def most_merged(counting: pd.DataFrame) -> pd.Series:
    """Return the counts of the data set on which the two countings differ most."""
    means = (
        counting[counting["reading"] == "rows"]
        .groupby("dataset")
        .mean(numeric_only=True)
    )
    return means.loc[(means["nsv_rows"] / means["nsv_distinct"]).idxmax()]


# Other methods


def company_averages(paper: Measured, company: Measured) -> Table:
    """Return averages of the further methods beside those of the paper's."""
    means = {}
    for measured, methods in ((paper, NINE), (company, company.methods)):
        for method in methods:
            means[method] = 100 * repeat_means(measured.results, method)
    shared = functools.reduce(
        lambda one, other: one.intersection(other),
        (table.index for table in means.values() if len(table)),
    )
    averages = {
        method: table.loc[shared].groupby(level="dataset").mean().mean()
        for method, table in means.items()
        if len(table)
    }
    lines = {
        method: {name: f"{mean[metric]:.1f}" for metric, name in METRICS.items()}
        for method, mean in averages.items()
    }
    table = text_table("company", "method", lines)
    table.n_datasets = shared.get_level_values("dataset").nunique()  # type: ignore[attr-defined]
    return table
