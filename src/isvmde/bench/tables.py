"""From rows to tables of data sets x methods, and to what tests say of them."""

import json
from dataclasses import dataclass

import numpy as np
import pandas as pd

from isvmde import stats
from isvmde.bench.results import Results
from isvmde.metrics import PAPER_METRICS

METRIC_NAMES = {metric.key: metric.title for metric in PAPER_METRICS.values()}
"""What the metrics' columns are called in print."""

MAX, AVE = "i-SVM-DE-MAX", "i-SVM-DE-AVE"
_CELL = ["dataset", "method"]
_REPEAT = ["dataset", "method", "repeat"]


def score_table(results: Results, metric: str) -> pd.DataFrame:
    """Return the mean over repeats of their means over folds, data sets x methods."""
    return _spread(_repeat_means(results, metric).groupby(level=_CELL).mean(), results)


def sd_table(results: Results, metric: str) -> pd.DataFrame:
    """Return the standard deviation in points, over repeats or one repeat's folds."""
    if results.rows["repeat"].nunique() > 1:
        return _spread(
            _repeat_means(results, metric).groupby(level=_CELL).std(), results
        )
    return _spread(100 * results.done.groupby(_CELL, sort=False)[metric].std(), results)


def pooled_table(results: Results, metric: str) -> pd.DataFrame:
    """Return scores of the confusion matrices summed over each repeat's folds."""

    def score(cells: pd.Series) -> float:
        matrix = _sum_confusion(cells)
        true, predicted = np.indices(matrix.shape).reshape(2, -1)
        n_samples = matrix.ravel()
        return 100 * PAPER_METRICS[metric].score(
            np.repeat(true, n_samples), np.repeat(predicted, n_samples)
        )

    pooled = (
        _whole_repeats(results).groupby(_REPEAT, sort=False)["confusion"].agg(score)
    )
    return _spread(pooled.groupby(level=_CELL).mean(), results)


def seconds_table(results: Results) -> pd.DataFrame:
    """Return the mean seconds of a fit, preprocessing included."""
    return _spread(
        results.done.groupby(_CELL, sort=False)["fit_seconds"].mean(), results
    )


def fold_table(results: Results, metric: str, dataset: str) -> pd.DataFrame:
    """Return a data set's scores in per cent, a row per repeat and fold."""
    done = _of(dataset, results.done)
    table = 100 * done.pivot(index=["repeat", "fold"], columns="method", values=metric)
    return table.reindex(columns=results.method_names)


def mean_and_sd(results: Results, dataset: str) -> pd.DataFrame:
    """Return, for one data set, each method's scores as fractions and its seconds."""
    columns = {}
    for metric in METRIC_NAMES:
        columns[metric] = score_table(results, metric).loc[dataset] / 100
        columns[f"{metric}_sd"] = sd_table(results, metric).loc[dataset] / 100
    columns["fit_seconds"] = seconds_table(results).loc[dataset]
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


def missing_cells(results: Results) -> list[str]:
    """Name every planned (data set, method) that lacks folds, and say how many."""
    done = results.done.groupby(_CELL).size()
    lines = []
    for dataset, methods in results.planned.items():
        for method, repeats in methods.items():
            planned = repeats * results.n_folds
            lacking = planned - int(done.get((dataset, method), 0))
            if lacking > 0:
                lines.append(
                    f"{method} on {dataset} lacks {lacking} of {planned} folds"
                )
    return lines


def failed_cells(results: Results) -> list[str]:
    """Name every (data set, method) with failed folds, and its first error."""
    return [
        f"{method} on {dataset} failed in {len(group)} folds: {group['error'].iloc[0]}"
        for (dataset, method), group in results.failed.groupby(_CELL, sort=False)
    ]


def describe_datasets(results: Results) -> pd.DataFrame:
    """Return rows, columns, gaps and class sizes of each data set."""
    table = pd.DataFrame(results.datasets).T
    kinds = {"numeric": "numeric columns", "nominal": "nominal columns"}
    sizes = [pd.Series(classes) for classes in table["classes"]]
    table["classes"] = [len(of_classes) for of_classes in sizes]
    table["smallest class"] = [of_classes.min() for of_classes in sizes]
    table["largest class"] = [of_classes.max() for of_classes in sizes]
    table["imbalance ratio"] = table["largest class"] / table["smallest class"]
    return table.rename(columns=kinds).astype(float)


def class_sizes(results: Results, dataset: str) -> pd.Series:
    """Return the number of samples of each class of a data set."""
    return pd.Series(results.datasets[dataset]["classes"], dtype=int)


def confusions(results: Results, dataset: str) -> dict[str, np.ndarray]:
    """Return each method's confusion matrix, summed over folds and repeats."""
    cells = _of(dataset, results.done).groupby("method", sort=False)["confusion"]
    return {str(method): _sum_confusion(group) for method, group in cells}


def recall_table(results: Results, dataset: str) -> pd.DataFrame:
    """Return the recall of every class in per cent over all folds, a row per method."""
    with np.errstate(invalid="ignore"):
        recall = {
            method: 100 * np.diag(matrix) / matrix.sum(axis=1)
            for method, matrix in confusions(results, dataset).items()
        }
    return pd.DataFrame(recall, index=class_sizes(results, dataset).index).T


def _of(dataset: str, rows: pd.DataFrame) -> pd.DataFrame:
    """Return the rows of a data set."""
    return rows[rows["dataset"] == dataset]


def _whole_repeats(results: Results) -> pd.DataFrame:
    """Return the rows of repeats that have all their folds."""
    done = results.done
    counts = done.groupby(_REPEAT)["fold"].transform("count")
    return done[counts == results.n_folds]


def _repeat_means(results: Results, metric: str) -> pd.Series:
    """Return the mean over folds, in per cent, by data set, method and repeat."""
    return 100 * _whole_repeats(results).groupby(_REPEAT, sort=False)[metric].mean()


def _spread(values: pd.Series, results: Results) -> pd.DataFrame:
    """Return values by (data set, method) as a table in the plan's order."""
    table = values.unstack().reindex(
        index=results.dataset_names, columns=results.method_names
    )
    return table.astype(float).rename_axis(index=None, columns=None)


def _sum_confusion(cells: "pd.Series[str]") -> np.ndarray:
    """Return the sum of stored confusion matrices."""
    matrices = np.array([json.loads(cell) for cell in cells])
    return np.asarray(matrices.sum(axis=0))


@dataclass(frozen=True)
class RankComparison:
    """How the methods' aligned ranks over data sets differ."""

    control: str  # the best mean rank
    tests: pd.DataFrame  # Holm's, of all others against the control
    friedman: stats.FriedmanAlignedResult
    wilcoxon: stats.WilcoxonResult | None  # of the paper's two methods


@dataclass(frozen=True)
class FoldComparison:
    """How the methods' scores over the folds of the only data set differ."""

    control: str  # the best mean score
    tests: pd.DataFrame  # Holm's, of all others against the control
    n_folds: int


@dataclass(frozen=True)
class Comparison:
    """What a metric says of the methods, in facts that a sentence can be made of."""

    metric: str
    name: str  # of the metric, in print
    scores: pd.DataFrame  # in per cent, the data sets that all its methods have
    left_out_datasets: list[str]  # they have gaps
    left_out_methods: list[str]
    means: pd.Series  # of every compared method, the best first
    over_datasets: RankComparison | None = None
    over_folds: FoldComparison | None = None

    @property
    def tested(self) -> RankComparison | FoldComparison | None:
        """What tests say: over data sets, over the folds of one, or nothing."""
        return self.over_datasets or self.over_folds

    @property
    def best(self) -> str:
        """The method with the best mean score."""
        return str(self.means.index[0])

    @property
    def has_leader(self) -> bool:
        """Whether the best method scores anything that can be read off a report."""
        return not self.scores.empty and bool(self.means.iloc[0] >= 0.05)

    @property
    def wins(self) -> int:
        """On how many data sets the best on average is the best, or shares it."""
        rounded = self.scores.round(2)
        return int(rounded[self.best].eq(rounded.max(axis=1)).sum())

    def methods_that_differ(self) -> list[str]:
        """Return the methods that tests tell from the control."""
        return self._methods_where(differs=True)

    def methods_that_do_not(self) -> list[str]:
        """Return the methods that tests cannot tell from the control."""
        return self._methods_where(differs=False)

    def _methods_where(self, differs: bool) -> list[str]:
        if self.tested is None:
            return []
        tests = self.tested.tests
        return list(tests.loc[tests["rejected"] == differs, "method"])


def compare_methods(results: Results, metric: str) -> Comparison:
    """Compare the methods over the data sets they share, or over folds of the one."""
    scores = score_table(results, metric)
    shared = shared_cells(scores)
    over_datasets, over_folds = None, None
    if shared.shape[1] >= 2 and len(shared) > 1:
        over_datasets = _compare_ranks(shared)
    elif shared.shape[1] >= 2:
        by_fold = fold_table(results, metric, shared.index[0])
        by_fold = by_fold[list(shared.columns)].dropna()
        if len(by_fold) >= 2:
            over_folds = _compare_folds(by_fold, results.n_folds)
    return Comparison(
        metric,
        METRIC_NAMES[metric],
        shared,
        left_out_datasets=[x for x in scores.index if x not in shared.index],
        left_out_methods=[x for x in scores.columns if x not in shared.columns],
        means=shared.mean().sort_values(ascending=False, kind="stable"),
        over_datasets=over_datasets,
        over_folds=over_folds,
    )


def _compare_ranks(scores: pd.DataFrame) -> RankComparison:
    """Compare methods by their aligned ranks on several data sets."""
    friedman = stats.friedman_aligned(scores)
    holm = stats.holm_test(scores)
    of_the_paper = {MAX, AVE} <= set(scores.columns)
    return RankComparison(
        control=str(holm.attrs["control"]),
        tests=holm.assign(rank=holm["method"].map(friedman.mean_ranks)),
        friedman=friedman,
        wilcoxon=stats.wilcoxon_signed_rank(scores[MAX], scores[AVE])
        if of_the_paper
        else None,
    )


def _compare_folds(scores: pd.DataFrame, n_folds: int) -> FoldComparison:
    """Compare methods by their scores on the folds of one data set."""
    tests = stats.resampled_holm(scores, folds=n_folds)
    return FoldComparison(str(tests.attrs["control"]), tests, len(scores))
