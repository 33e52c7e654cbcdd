"""Where i-SVM-DE would stand if one side's scores were the published ones."""

from __future__ import annotations

from typing import NamedTuple

import pandas as pd
from claims import BASELINES, mean_ranks, place, scores_of
from measured import AVE, MAX, METRICS, PUBLISHED, Measured

COMBINATIONS = {
    "published baselines, published i-SVM-DE": ("published", "published"),
    "published baselines, our i-SVM-DE": ("published", "ours"),
    "our baselines, published i-SVM-DE": ("ours", "published"),
    "our baselines, our i-SVM-DE": ("ours", "ours"),
}


class Standing(NamedTuple):
    """Where the two i-SVM-DE methods stand among the nine."""

    scores: str  # whose
    metric: str
    place_ave: int
    place_max: int
    leader: str
    behind_rank: float  # mean ranks that AVE lacks to the leader
    behind: float  # points of the mean that AVE lacks to the best average
    best_average: str


def counterfactual(measured: Measured) -> list[Standing]:
    """Return where i-SVM-DE stands if one side's scores were the published ones."""
    ours = scores_of(measured)
    found = []
    for name, (baselines, proposed) in COMBINATIONS.items():
        for metric, metric_name in METRICS.items():
            source = {"ours": ours[metric], "published": PUBLISHED[metric]}
            rows = ours[metric].index
            mixed = pd.concat(
                [
                    source[baselines].loc[rows, BASELINES],
                    source[proposed].loc[rows, [MAX, AVE]],
                ],
                axis=1,
            )
            found.append(_standing(name, metric_name, mixed))
    return found


def standings(measured: Measured, scores: str) -> dict[str, Standing]:
    """Return where the methods stand by one combination of scores, by metric."""
    return {s.metric: s for s in counterfactual(measured) if s.scores == scores}


def _standing(name: str, metric: str, table: pd.DataFrame) -> Standing:
    """Return places by mean aligned rank, and the distance to the best average."""
    ranks, means = mean_ranks(table), table.mean()
    return Standing(
        scores=name,
        metric=metric,
        place_ave=place(ranks, AVE),
        place_max=place(ranks, MAX),
        leader=str(ranks.index[0]),
        behind_rank=float(ranks[AVE] - ranks.iloc[0]),
        behind=float(means.max() - means[AVE]),
        best_average=str(means.idxmax()),
    )
