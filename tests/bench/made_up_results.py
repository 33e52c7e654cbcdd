"""Results of a run that never was, for reports."""

import json
from dataclasses import replace

import numpy as np

from isvmde.bench import Results
from isvmde.bench.tables import METRIC_NAMES

METHODS = ["SVM", "SDC", "i-SVM-DE-MAX", "i-SVM-DE-AVE", "my_own <b>&"]
DATASETS = ["zoo", "glass", "newthyroid", "my & set_1"]


def make_results(
    datasets=DATASETS,
    methods=METHODS,
    repeats=2,
    folds=3,
    seed=0,
    budget="paper",
    classes=("a", "b"),
):
    """Return made-up results of a finished run."""
    rng = np.random.default_rng(seed)
    records = [
        {
            "dataset": dataset,
            "method": method,
            "repeat": repeat,
            "fold": fold,
            "status": "done",
            **{metric: rng.uniform() for metric in METRIC_NAMES},
            "recall": json.dumps(dict.fromkeys(classes, 0.5)),
            "confusion": json.dumps(rng.integers(1, 9, (2, 2)).tolist()),
            "fit_seconds": rng.uniform(0.1, 9),
            "predict_seconds": 0.1,
            "seed": 1,
            "config": "c",
            "environment": "e",
        }
        for dataset in datasets
        for method in methods
        for repeat in range(repeats)
        for fold in range(folds)
    ]
    return Results.from_records(
        records,
        settings={"folds": folds, "seed": seed, "budget": budget},
        planned={d: dict.fromkeys(methods, repeats) for d in datasets},
        datasets={
            dataset: {
                "rows": 21,
                "numeric": 3,
                "nominal": 1,
                "gaps": 0,
                "classes": {classes[0]: 14, classes[1]: 7},
            }
            for dataset in datasets
        },
        environments={"e": {"isvmde": "0.1.0", "cpu": "a <fast> one"}},
    )


def with_rows(results, rows):
    """Return results of which only these rows are there."""
    return replace(results, rows=rows)
