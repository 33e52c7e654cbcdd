"""Who leads, by how much, and how sure: the tests of a benchmark's scores."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import pandas as pd

from isvmde.bench.tables import METRIC_NAMES, fold_table, score_table
from isvmde.stats import (
    friedman_aligned,
    holm_test,
    resampled_holm,
    wilcoxon_signed_rank,
)

MAX, AVE = "i-SVM-DE-MAX", "i-SVM-DE-AVE"
ALPHA = 0.05


@dataclass
class Comparison:
    """What a metric says of the methods, in facts that a sentence can be made of."""

    metric: str
    scores: pd.DataFrame  # in per cent, the data sets that all its methods have
    left_out_datasets: list[str]  # they have gaps
    left_out_methods: list[str]
    kind: str | None = None  # "ranks" over data sets, or "folds" of the only one
    control: str | None = None  # the best mean rank, or the best mean score
    tests: pd.DataFrame | None = None  # Holm's, of all others against the control
    friedman: Any = None
    wilcoxon: Any = None
    n_folds: int = 0

    @property
    def name(self) -> str:
        """The metric's name in print."""
        return METRIC_NAMES[self.metric]

    @property
    def means(self) -> pd.Series:
        """Mean score of every compared method, the best first."""
        return self.scores.mean().sort_values(ascending=False, kind="stable")

    @property
    def best(self) -> str:
        """The method with the best mean score."""
        return str(self.means.index[0])

    @property
    def gap(self) -> float:
        """Points between the best mean score and the second."""
        return float(self.means.iloc[0] - self.means.iloc[1])

    @property
    def wins(self) -> int:
        """On how many data sets the best on average is the best, or shares it."""
        rounded = self.scores.round(2)
        return int(rounded[self.best].eq(rounded.max(axis=1)).sum())

    def told_apart(self, differs: bool) -> list[str]:
        """Return the methods that differ from the control, or those that do not."""
        if self.tests is None:
            return []
        return list(self.tests.loc[self.tests["rejected"] == differs, "method"])


def compare_methods(rows: pd.DataFrame, metric: str) -> Comparison:
    """Compare the methods over the data sets they share, or over folds of the one."""
    scores = score_table(rows, metric)
    shared = shared_cells(scores)
    found = Comparison(
        metric,
        shared,
        [str(name) for name in scores.index if name not in shared.index],
        [str(name) for name in scores.columns if name not in shared.columns],
    )
    if shared.shape[1] > 1 and len(shared) == 1:
        _test_folds(found, rows)
    elif shared.shape[1] > 1 and len(shared) > 1:
        _test_ranks(found)
    return found


def shared_cells(scores: pd.DataFrame) -> pd.DataFrame:
    """Return the part of a table without gaps on which the methods are compared.

    All methods are, on the data sets they share, unless those are fewer than half of
    what the method with the most has: then methods with the fewest are left out.
    """
    counts = scores.notna().sum().sort_values(ascending=False, kind="stable")
    for k in range(len(counts), 0, -1):
        chosen = set(counts.index[:k])
        part = scores[[name for name in scores if name in chosen]].dropna()
        if len(part) and 2 * len(part) >= counts.iloc[0]:
            return part
    return scores.iloc[:0, :0]


def _test_ranks(found: Comparison) -> None:
    """Rank the methods over the data sets and test them against the best rank."""
    holm = holm_test(found.scores, alpha=ALPHA)
    found.kind, found.control = "ranks", str(holm.attrs["control"])
    found.friedman = friedman_aligned(found.scores)
    found.tests = holm.assign(rank=holm["method"].map(found.friedman.mean_ranks))
    if {MAX, AVE} <= set(found.scores.columns):
        found.wilcoxon = wilcoxon_signed_rank(found.scores[MAX], found.scores[AVE])


def _test_folds(found: Comparison, rows: pd.DataFrame) -> None:
    """Compare the folds of the only data set with the corrected resampled t-test."""
    by_fold = fold_table(rows, found.metric, found.scores.index[0])
    by_fold = by_fold[list(found.scores.columns)].dropna()
    if len(by_fold) < 2:
        return
    folds = int(rows.attrs["settings"]["folds"])
    found.tests = resampled_holm(by_fold, folds=folds, alpha=ALPHA)
    found.kind, found.control = "folds", str(found.tests.attrs["control"])
    found.n_folds = len(by_fold)
