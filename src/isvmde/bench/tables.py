"""From rows to tables: scores and seconds of data sets x methods, class by class."""

from __future__ import annotations

import json
from collections.abc import Iterable

import numpy as np
import pandas as pd

from isvmde.bench.fold import SCORES

METRIC_NAMES = {"g_mean": "G-mean", "av_f_beta": "AvF", "cba": "CBA"}
"""The metrics of the paper's section 4.3, as it calls them."""

_CELL = ["dataset", "method"]
_REPEAT = [*_CELL, "repeat"]


def planned_names(rows: pd.DataFrame) -> tuple[list[str], list[str]]:
    """Return data sets and methods in the order they were planned."""
    planned = rows.attrs["planned"]
    methods = dict.fromkeys(name for methods in planned.values() for name in methods)
    return list(planned), list(methods)


def score_table(rows: pd.DataFrame, metric: str) -> pd.DataFrame:
    """Return the mean score in per cent, a row per data set, a column per method.

    Folds are averaged within a repeat, repeats over each other; a repeat that lacks a
    fold is not counted, and a cell without any whole repeat is NaN.
    """
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
    """Return rows, columns, gaps and class sizes, as far as the results tell them."""
    known = rows.attrs.get("datasets", {})
    lines = {}
    for dataset in planned_names(rows)[0]:
        facts, sizes = known.get(dataset, {}), class_sizes(rows, dataset)
        lines[dataset] = {
            "rows": facts.get("rows", sizes.sum() if len(sizes) else None),
            "numeric columns": facts.get("numeric"),
            "nominal columns": facts.get("nominal"),
            "gaps": facts.get("gaps"),
            "classes": len(sizes) or None,
            "smallest class": sizes.min(),
            "largest class": sizes.max(),
            "imbalance ratio": sizes.max() / sizes.min() if len(sizes) else None,
        }
    return pd.DataFrame(lines).T.astype(float).dropna(axis=1, how="all")


def class_sizes(rows: pd.DataFrame, dataset: str) -> pd.Series:
    """Return the number of samples of each class of a data set."""
    known = rows.attrs.get("datasets", {}).get(dataset, {}).get("classes")
    whole = _whole_repeats(rows)
    whole = whole[whole["dataset"] == dataset]
    if known or whole.empty:
        return pd.Series(known or {}, dtype=int)
    # Every sample is tested once in a repeat.
    _, first = next(iter(whole.groupby(_REPEAT)))
    counts = _sum_confusion(first["confusion"]).sum(axis=1)
    recall = first["recall"].iloc[0]
    names = list(json.loads(recall)) if recall else range(1, len(counts) + 1)
    return pd.Series(counts, index=[str(name) for name in names])


def confusions(rows: pd.DataFrame, dataset: str) -> dict[str, np.ndarray]:
    """Return each method's confusion matrix, summed over folds and repeats."""
    done = _done(rows, dataset)
    return {
        str(method): _sum_confusion(group["confusion"])
        for method, group in done.groupby("method", sort=False)
    }


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
    if values.empty:
        return pd.DataFrame(np.nan, index=datasets, columns=methods)
    table = values.unstack().reindex(index=datasets, columns=methods).astype(float)
    return table.rename_axis(index=None, columns=None)


def _sum_confusion(cells: Iterable[str]) -> np.ndarray:
    """Return the sum of stored confusion matrices."""
    return np.sum([json.loads(cell) for cell in cells], axis=0)
