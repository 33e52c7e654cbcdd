"""How far two ways of doing something are apart: mean, interval, on how many sets.

A difference is taken data set by data set, over the repeats that both have with all
their folds; its interval is Student's, over data sets. So it holds what differs from
set to set, and the chance of folds and seeds, but not what a choice of other data sets
would show.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import pandas as pd
from measured import METRICS, Measured
from scipy.stats import t as student

from isvmde.bench import Results
from isvmde.stats import wilcoxon_signed_rank

LEVEL = 0.95


class Change(NamedTuple):
    """The mean difference in one metric, in points, and its interval."""

    mean: float
    low: float
    high: float
    higher: int  # data sets on which the first is higher
    p: float  # Wilcoxon

    @property
    def sign(self) -> int:
        """1 or -1 if the interval is on that side of zero, else 0."""
        return int(self.low > 0) - int(self.high < 0)


class Effect(NamedTuple):
    """One way less another, in every metric."""

    name: str
    n_datasets: int
    repeats: str  # "1", or "1 to 3"
    changes: dict[str, Change]  # by metric


def effect(
    name: str, first: tuple[Measured, str], second: tuple[Measured, str]
) -> Effect | None:
    """Compare a method of one file with a method of another (or the same) file.

    None where fewer than two data sets have whole repeats of both.
    """
    one, other = (
        repeat_means(measured.results, method) for measured, method in (first, second)
    )
    shared = one.index.intersection(other.index)
    if shared.get_level_values("dataset").nunique() < 2:
        return None
    gap = 100 * (one.loc[shared] - other.loc[shared])
    repeats = gap.groupby(level="dataset").size()
    gaps = gap.groupby(level="dataset").mean()
    counts = sorted({int(repeats.min()), int(repeats.max())})
    return Effect(
        name=name,
        n_datasets=len(gaps),
        repeats=" to ".join(map(str, counts)),
        changes={metric: _change(gaps[metric]) for metric in METRICS},
    )


def alike(first: tuple[Measured, str], second: tuple[Measured, str]) -> tuple[int, int]:
    """Return on how many folds two methods end alike, and how many both have.

    Alike are folds with the same confusion matrix.
    """
    one, other = (
        measured.results.only(methods=[method])
        .done.set_index(["dataset", "repeat", "fold"])["confusion"]
        .dropna()
        for measured, method in (first, second)
    )
    shared = one.index.intersection(other.index)
    return int((one[shared] == other[shared]).sum()), len(shared)


def repeat_means(results: Results, method: str) -> pd.DataFrame:
    """Return the mean over folds of every whole repeat, by (dataset, repeat)."""
    grouped = results.only(methods=[method]).done.groupby(["dataset", "repeat"])
    whole = grouped.size() == results.n_folds
    return grouped[list(METRICS)].mean()[whole]


def _change(gaps: pd.Series[float]) -> Change:
    """Return the mean over data sets with Student's interval and Wilcoxon's test."""
    values = gaps.to_numpy(float)
    n, mean = len(values), float(values.mean())
    half = float(student.ppf((1 + LEVEL) / 2, n - 1) * values.std(ddof=1) / np.sqrt(n))
    return Change(
        mean=mean,
        low=mean - half,
        high=mean + half,
        higher=int((values > 1e-9).sum()),
        p=float(wilcoxon_signed_rank(values, np.zeros(n)).pvalue),
    )
