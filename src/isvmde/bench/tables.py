"""From rows to tables of data sets x methods, and to what tests say of them."""

import json
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from isvmde import stats
from isvmde.bench.fold import SCORES
from isvmde.bench.store import planned_names

METRIC_NAMES = {"g_mean": "G-mean", "av_f_beta": "AvF", "cba": "CBA"}
"""The metrics of the paper's section 4.3, as it calls them."""

MAX, AVE = "i-SVM-DE-MAX", "i-SVM-DE-AVE"
_CELL = ["dataset", "method"]
_REPEAT = [*_CELL, "repeat"]


def score_table(rows: pd.DataFrame, metric: str) -> pd.DataFrame:
    """Return the mean over repeats of their means over folds, data sets x methods."""
    return _spread(_repeat_means(rows, metric).groupby(level=_CELL).mean(), rows)


def sd_table(rows: pd.DataFrame, metric: str) -> pd.DataFrame:
    """Return the standard deviation in points, over repeats or one repeat's folds."""
    if rows["repeat"].nunique() > 1:
        return _spread(_repeat_means(rows, metric).groupby(level=_CELL).std(), rows)
    return _spread(100 * _done(rows).groupby(_CELL, sort=False)[metric].std(), rows)


def pooled_table(rows: pd.DataFrame, metric: str) -> pd.DataFrame:
    """Return scores of the confusion matrices summed over each repeat's folds."""

    def score(cells: pd.Series) -> float:
        matrix = _sum_confusion(cells)
        true, predicted = np.indices(matrix.shape).reshape(2, -1)
        samples = (np.repeat(labels, matrix.ravel()) for labels in (true, predicted))
        return 100 * SCORES[metric](*samples)

    pooled = _whole_repeats(rows).groupby(_REPEAT, sort=False)["confusion"].agg(score)
    return _spread(pooled.groupby(level=_CELL).mean(), rows)


def seconds_table(rows: pd.DataFrame) -> pd.DataFrame:
    """Return the mean seconds of a fit, preprocessing included."""
    return _spread(_done(rows).groupby(_CELL, sort=False)["fit_seconds"].mean(), rows)


def fold_table(rows: pd.DataFrame, metric: str, dataset: str) -> pd.DataFrame:
    """Return a data set's scores in per cent, a row per repeat and fold."""
    done = _done(rows, dataset)
    table = 100 * done.pivot(index=["repeat", "fold"], columns="method", values=metric)
    return table.reindex(columns=planned_names(rows)[1])


def mean_and_sd(rows: pd.DataFrame, dataset: str) -> pd.DataFrame:
    """Return, for one data set, each method's scores as fractions and its seconds."""
    columns = {}
    for metric in METRIC_NAMES:
        columns[metric] = score_table(rows, metric).loc[dataset] / 100
        columns[f"{metric}_sd"] = sd_table(rows, metric).loc[dataset] / 100
    columns["fit_seconds"] = seconds_table(rows).loc[dataset]
    return pd.DataFrame(columns).rename_axis("method").reset_index()


def shared_cells(scores: pd.DataFrame) -> pd.DataFrame:
    """Return the part of a table without gaps on which the methods are compared."""
    # All methods, on the data sets they share, unless those are fewer than half of what
    # the method with the most has: then methods with the fewest are left out.
    counts = scores.notna().sum().sort_values(ascending=False, kind="stable")
    for k in range(len(counts), 0, -1):
        part = scores.loc[:, scores.columns.isin(counts.index[:k])].dropna()
        if len(part) and 2 * len(part) >= counts.iloc[0]:
            return part
    return scores.iloc[:0, :0]


def missing_cells(rows: pd.DataFrame) -> list[str]:
    """Name every planned (data set, method) that lacks folds, and say how many."""
    folds = rows.attrs["settings"].get("folds", 0)
    done = _done(rows).groupby(_CELL).size()
    return [
        f"{method} on {dataset} lacks {lacking} of {repeats * folds} folds"
        for dataset, methods in rows.attrs["planned"].items()
        for method, repeats in methods.items()
        if (lacking := repeats * folds - int(done.get((dataset, method), 0))) > 0
    ]


def failed_cells(rows: pd.DataFrame) -> list[str]:
    """Name every (data set, method) with failed folds, and its first error."""
    failed = rows[rows["status"] == "failed"]
    return [
        f"{method} on {dataset} failed in {len(group)} folds: {group['error'].iloc[0]}"
        for (dataset, method), group in failed.groupby(_CELL, sort=False)
    ]


def describe_datasets(rows: pd.DataFrame) -> pd.DataFrame:
    """Return rows, columns, gaps and class sizes of each data set."""
    table = pd.DataFrame(rows.attrs["datasets"]).T
    kinds = {"numeric": "numeric columns", "nominal": "nominal columns"}
    sizes = [pd.Series(classes) for classes in table["classes"]]
    table["classes"] = [len(one) for one in sizes]
    table["smallest class"] = [one.min() for one in sizes]
    table["largest class"] = [one.max() for one in sizes]
    table["imbalance ratio"] = table["largest class"] / table["smallest class"]
    return table.rename(columns=kinds).astype(float)


def class_sizes(rows: pd.DataFrame, dataset: str) -> pd.Series:
    """Return the number of samples of each class of a data set."""
    return pd.Series(rows.attrs["datasets"][dataset]["classes"], dtype=int)


def confusions(rows: pd.DataFrame, dataset: str) -> dict[str, np.ndarray]:
    """Return each method's confusion matrix, summed over folds and repeats."""
    cells = _done(rows, dataset).groupby("method", sort=False)["confusion"]
    return {str(method): _sum_confusion(group) for method, group in cells}


def recall_table(rows: pd.DataFrame, dataset: str) -> pd.DataFrame:
    """Return the recall of every class in per cent over all folds, a row per method."""
    with np.errstate(invalid="ignore"):
        recall = {
            method: 100 * np.diag(matrix) / matrix.sum(axis=1)
            for method, matrix in confusions(rows, dataset).items()
        }
    return pd.DataFrame(recall, index=class_sizes(rows, dataset).index).T


def _done(rows: pd.DataFrame, dataset: str | None = None) -> pd.DataFrame:
    """Return the finished rows, all or those of a data set."""
    wanted = rows["status"] == "done"
    return rows[wanted if dataset is None else wanted & (rows["dataset"] == dataset)]


def _whole_repeats(rows: pd.DataFrame) -> pd.DataFrame:
    """Return the rows of repeats that have all their folds."""
    done = _done(rows)
    counts = done.groupby(_REPEAT)["fold"].transform("count")
    return done[counts == rows.attrs["settings"].get("folds")]


def _repeat_means(rows: pd.DataFrame, metric: str) -> pd.Series:
    """Return the mean over folds, in per cent, by data set, method and repeat."""
    return 100 * _whole_repeats(rows).groupby(_REPEAT, sort=False)[metric].mean()


def _spread(values: pd.Series, rows: pd.DataFrame) -> pd.DataFrame:
    """Return values by (data set, method) as a table in the plan's order."""
    datasets, methods = planned_names(rows)
    table = values.unstack().reindex(index=datasets, columns=methods).astype(float)
    return table.rename_axis(index=None, columns=None)


def _sum_confusion(cells: "pd.Series[str]") -> np.ndarray:
    """Return the sum of stored confusion matrices."""
    return np.sum([json.loads(cell) for cell in cells], axis=0)


@dataclass
class Comparison:
    """What a metric says of the methods, in facts that a sentence can be made of."""

    metric: str
    name: str  # of the metric, in print
    scores: pd.DataFrame  # in per cent, the data sets that all its methods have
    left_out_datasets: list[str]  # they have gaps
    left_out_methods: list[str]
    means: pd.Series  # of every compared method, the best first
    kind: str | None = None  # "ranks" over data sets, or "folds" of the only one
    control: str | None = None  # the best mean rank, or the best mean score
    tests: Any = None  # Holm's, of all others against the control: a DataFrame
    friedman: Any = None
    wilcoxon: Any = None
    n_folds: int = 0

    @property
    def best(self) -> str:
        """The method with the best mean score."""
        return str(self.means.index[0])

    @property
    def wins(self) -> int:
        """On how many data sets the best on average is the best, or shares it."""
        rounded = self.scores.round(2)
        return int(rounded[self.best].eq(rounded.max(axis=1)).sum())

    def told_apart(self, differs: bool) -> list[str]:
        """Return the methods that differ from the control, or those that do not."""
        return list(self.tests.loc[self.tests["rejected"] == differs, "method"])


def compare_methods(rows: pd.DataFrame, metric: str) -> Comparison:
    """Compare the methods over the data sets they share, or over folds of the one."""
    scores = score_table(rows, metric)
    shared = shared_cells(scores)
    found = Comparison(
        metric,
        METRIC_NAMES[metric],
        shared,
        left_out_datasets=[x for x in scores.index if x not in shared.index],
        left_out_methods=[x for x in scores.columns if x not in shared.columns],
        means=shared.mean().sort_values(ascending=False, kind="stable"),
    )
    if shared.shape[1] < 2:
        return found
    if len(shared) > 1:
        found.kind = "ranks"
        found.friedman = stats.friedman_aligned(shared)
        holm = stats.holm_test(shared)
        found.tests = holm.assign(rank=holm["method"].map(found.friedman.mean_ranks))
        if {MAX, AVE} <= set(shared.columns):
            found.wilcoxon = stats.wilcoxon_signed_rank(shared[MAX], shared[AVE])
    else:
        by_fold = fold_table(rows, metric, shared.index[0])
        by_fold = by_fold[list(shared.columns)].dropna()
        if len(by_fold) < 2:
            return found
        found.kind, found.n_folds = "folds", len(by_fold)
        found.tests = stats.resampled_holm(
            by_fold, folds=rows.attrs["settings"]["folds"]
        )
    found.control = str(found.tests.attrs["control"])
    return found
