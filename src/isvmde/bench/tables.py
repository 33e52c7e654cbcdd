"""From rows to tables: data sets x methods, means over repeats, what is missing."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable
from typing import Any

import numpy as np
import pandas as pd

from isvmde.bench.fold import SCORES

METRIC_NAMES = {"g_mean": "G-mean", "av_f_beta": "AvF", "cba": "CBA"}
"""The metrics of the paper's section 4.3, as it calls them."""

_REPEAT = ["dataset", "method", "repeat"]


def score_table(rows: pd.DataFrame, metric: str) -> pd.DataFrame:
    """Return the mean score in per cent, a row per data set, a column per method.

    Folds are averaged within a repeat, repeats over each other; a repeat that lacks a
    fold is not counted, and a cell without any whole repeat is NaN.
    """
    return _spread(_repeat_means(rows, metric).groupby(level=[0, 1]).mean(), rows)


def sd_table(rows: pd.DataFrame, metric: str) -> pd.DataFrame:
    """Return the standard deviation over repeats, in points; NaN for one repeat."""
    return _spread(_repeat_means(rows, metric).groupby(level=[0, 1]).std(), rows)


def pooled_table(rows: pd.DataFrame, metric: str) -> pd.DataFrame:
    """Return scores of the confusion matrices summed over each repeat's folds."""
    whole = whole_repeats(rows)
    pooled = whole.groupby(_REPEAT, sort=False)["confusion"].agg(
        lambda cells: 100 * _score_of(sum_confusion(cells), SCORES[metric])
    )
    return _spread(pooled.groupby(level=[0, 1]).mean(), rows)


def seconds_table(rows: pd.DataFrame) -> pd.DataFrame:
    """Return the mean seconds of a fit, preprocessing included."""
    done = rows[rows["status"] == "done"]
    means = done.groupby(["dataset", "method"], sort=False)["fit_seconds"].mean()
    return _spread(means, rows)


def fold_table(rows: pd.DataFrame, metric: str, dataset: str) -> pd.DataFrame:
    """Return a data set's scores in per cent, a row per repeat and fold."""
    done = rows[(rows["dataset"] == dataset) & (rows["status"] == "done")]
    table = 100 * done.pivot(index=["repeat", "fold"], columns="method", values=metric)
    return table.reindex(columns=planned_names(rows)[1])


def fold_sd_table(rows: pd.DataFrame, metric: str) -> pd.DataFrame:
    """Return the standard deviation over the folds of all repeats, in points."""
    done = rows[rows["status"] == "done"]
    spread = 100 * done.groupby(["dataset", "method"], sort=False)[metric].std()
    return _spread(spread, rows)


def mean_and_sd(rows: pd.DataFrame, dataset: str) -> pd.DataFrame:
    """Return, for one data set, each method's scores as fractions and its seconds.

    The deviation is that over repeats, or over the folds of a single repeat.
    """
    spread = sd_table if rows["repeat"].nunique() > 1 else fold_sd_table
    columns: dict[str, Any] = {"method": planned_names(rows)[1]}
    for metric in METRIC_NAMES:
        columns[metric] = score_table(rows, metric).loc[dataset].to_numpy() / 100
        columns[f"{metric}_sd"] = spread(rows, metric).loc[dataset].to_numpy() / 100
    columns["fit_seconds"] = seconds_table(rows).loc[dataset].to_numpy()
    return pd.DataFrame(columns)


def missing_cells(rows: pd.DataFrame) -> list[str]:
    """Name every planned (data set, method) that lacks folds, and say how many."""
    folds = rows.attrs["settings"].get("folds", 0)
    done = rows[rows["status"] == "done"].groupby(["dataset", "method"]).size()
    lines = []
    for dataset, methods in rows.attrs["planned"].items():
        for method, repeats in methods.items():
            lacking = repeats * folds - int(done.get((dataset, method), 0))
            if lacking > 0:
                planned = repeats * folds
                lines.append(
                    f"{method} on {dataset} lacks {lacking} of {planned} folds"
                )
    return lines


def failed_cells(rows: pd.DataFrame) -> list[str]:
    """Name every (data set, method) with failed folds, and its first error."""
    failed = rows[rows["status"] == "failed"]
    return [
        f"{method} on {dataset} failed in {len(group)} folds: {group['error'].iloc[0]}"
        for (dataset, method), group in failed.groupby(
            ["dataset", "method"], sort=False
        )
    ]


def _repeat_means(rows: pd.DataFrame, metric: str) -> pd.Series:
    """Return the mean over folds, in per cent, by data set, method and repeat."""
    whole = whole_repeats(rows)
    return 100 * whole.groupby(_REPEAT, sort=False)[metric].mean()


def whole_repeats(rows: pd.DataFrame) -> pd.DataFrame:
    """Return the rows of repeats that have all their folds."""
    done = rows[rows["status"] == "done"]
    counts = done.groupby(_REPEAT)["fold"].transform("count")
    return done[counts == rows.attrs["settings"].get("folds")]


def _spread(values: pd.Series, rows: pd.DataFrame) -> pd.DataFrame:
    """Return values by (data set, method) as a table in the plan's order."""
    datasets, methods = planned_names(rows)
    if values.empty:
        return pd.DataFrame(np.nan, index=datasets, columns=methods)
    table = values.unstack().reindex(index=datasets, columns=methods).astype(float)
    return table.rename_axis(index=None, columns=None)


def planned_names(rows: pd.DataFrame) -> tuple[list[str], list[str]]:
    """Return data sets and methods in the order they were planned."""
    planned = rows.attrs["planned"]
    order = list(
        dict.fromkeys(name for methods in planned.values() for name in methods)
    )
    return list(planned), order


def sum_confusion(cells: Iterable[str]) -> np.ndarray:
    """Return the sum of stored confusion matrices."""
    return np.sum([json.loads(cell) for cell in cells], axis=0)


def _score_of(matrix: np.ndarray, score: Callable[..., float]) -> float:
    """Return the score of a confusion matrix, by writing its samples out."""
    true, predicted = np.indices(matrix.shape).reshape(2, -1)
    counts = matrix.ravel()
    return score(np.repeat(true, counts), np.repeat(predicted, counts))
