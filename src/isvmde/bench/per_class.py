"""Class by class: sizes, recall and confusion matrices of a benchmark's data sets."""

from __future__ import annotations

import json

import numpy as np
import pandas as pd

from isvmde.bench.tables import planned_names, sum_confusion, whole_repeats


def describe_datasets(rows: pd.DataFrame) -> pd.DataFrame:
    """Return rows, columns, gaps and class sizes, as far as the results tell them."""
    known = rows.attrs.get("datasets", {})
    lines = {}
    for dataset in planned_names(rows)[0]:
        facts = known.get(dataset, {})
        sizes = class_sizes(rows, dataset)
        lines[dataset] = {
            "rows": facts.get("rows", int(sizes.sum()) if len(sizes) else None),
            "numeric": facts.get("numeric"),
            "nominal": facts.get("nominal"),
            "gaps": facts.get("gaps"),
            "classes": len(sizes) or None,
            "smallest": int(sizes.min()) if len(sizes) else None,
            "largest": int(sizes.max()) if len(sizes) else None,
            "imbalance": sizes.max() / sizes.min() if len(sizes) else None,
        }
    return pd.DataFrame(lines).T.astype(float)


def class_sizes(rows: pd.DataFrame, dataset: str) -> pd.Series:
    """Return the number of samples of each class of a data set."""
    known = rows.attrs.get("datasets", {}).get(dataset, {}).get("classes")
    if known:
        return pd.Series(known, dtype=int)
    # Every sample is tested once in a repeat.
    whole = whole_repeats(rows)
    whole = whole[whole["dataset"] == dataset]
    if whole.empty:
        return pd.Series(dtype=int)
    first = whole[
        whole[["method", "repeat"]].eq(whole.iloc[0][["method", "repeat"]]).all(axis=1)
    ]
    counts = sum_confusion(first["confusion"]).sum(axis=1)
    return pd.Series(counts, index=_labels(first["recall"].iloc[0], len(counts)))


def _labels(recall: str | None, n: int) -> list[str]:
    """Return the classes' names, or numbers where the rows do not tell them."""
    return list(json.loads(recall)) if recall else [str(i + 1) for i in range(n)]


def confusions(rows: pd.DataFrame, dataset: str) -> dict[str, np.ndarray]:
    """Return each method's confusion matrix, summed over folds and repeats."""
    done = rows[(rows["dataset"] == dataset) & (rows["status"] == "done")]
    return {
        str(method): sum_confusion(group["confusion"])
        for method, group in done.groupby("method", sort=False)
    }


def recall_table(rows: pd.DataFrame, dataset: str) -> pd.DataFrame:
    """Return the recall of every class in per cent over all folds, a row per method."""
    matrices = confusions(rows, dataset)
    with np.errstate(invalid="ignore"):
        recall = {
            method: 100 * np.diag(matrix) / matrix.sum(axis=1)
            for method, matrix in matrices.items()
        }
    return pd.DataFrame(recall, index=class_sizes(rows, dataset).index).T
