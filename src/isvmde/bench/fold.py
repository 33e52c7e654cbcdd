"""One task, computed: fit on the training part of a fold, score on its test part."""

from __future__ import annotations

import json
import time
import traceback
import warnings
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from sklearn.metrics import confusion_matrix
from sklearn.utils import Bunch
from threadpoolctl import threadpool_limits

from isvmde.bench.data_choice import preprocessor_for
from isvmde.bench.fingerprint import environment
from isvmde.bench.plan import Task
from isvmde.method_choice import MethodFactory
from isvmde.metrics import av_f_beta_score, cba_score, g_mean_score
from isvmde.model_selection import PaperKFold

SCORES: dict[str, Callable[..., float]] = {
    "g_mean": g_mean_score,
    "av_f_beta": av_f_beta_score,
    "cba": cba_score,
}
"""The three metrics of the paper (section 4.3), by their column's name."""


@dataclass(frozen=True)
class Job:
    """A task with all a worker needs to compute it, wherever it runs."""

    task: Task
    bunch: Bunch
    factory: MethodFactory
    folds: int
    config: str


def compute_row(job: Job) -> dict[str, Any]:
    """Return the row of a job; a method that fails gives a row with its error."""
    # Processes are the one level of parallelism: BLAS gets one thread.
    with threadpool_limits(limits=1), warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        started = time.perf_counter()
        try:
            row = {**_identity(job), "status": "done", **_fit_and_score(job)}
        except Exception as error:
            row = failed_row(job, error, time.perf_counter() - started)
    return {**row, "warnings": _summary_of(caught)}


def failed_row(
    job: Job, error: BaseException, seconds: float | None = None
) -> dict[str, Any]:
    """Return a row without scores that has the traceback's last line."""
    last_line = traceback.format_exception_only(error)[-1].strip().splitlines()
    return {
        **_identity(job),
        "status": "failed",
        "error": last_line[0] if last_line else type(error).__name__,
        "fit_seconds": seconds,
    }


def _identity(job: Job) -> dict[str, Any]:
    """Return the columns that say what was run, and on what."""
    task = job.task
    return {
        "dataset": task.dataset,
        "method": task.method,
        "repeat": task.repeat,
        "fold": task.fold,
        "seed": task.method_seed,
        "config": job.config,
        "environment": environment(),
    }


def _fit_and_score(job: Job) -> dict[str, Any]:
    """Fit preprocessing and method on the training part, predict the test part."""
    task, data = job.task, pd.DataFrame(job.bunch.data)
    target = np.asarray(job.bunch.target)
    splitter = PaperKFold(job.folds, random_state=task.fold_seed)
    train, test = list(splitter.split(data, target))[task.fold]
    preprocessor = preprocessor_for(job.bunch)
    # Not a Pipeline: methods need no more of scikit-learn than fit and predict.
    model = job.factory(random_state=task.method_seed)
    started = time.perf_counter()
    model.fit(
        preprocessor.fit_transform(data.iloc[train], target[train]), target[train]
    )
    fitted = time.perf_counter()
    predicted = model.predict(preprocessor.transform(data.iloc[test]))
    ended = time.perf_counter()
    return {
        **score_columns(target[test], predicted, np.unique(target)),
        "fit_seconds": round(fitted - started, 6),
        "predict_seconds": round(ended - fitted, 6),
    }


def score_columns(
    y_true: np.ndarray, y_pred: np.ndarray, classes: np.ndarray
) -> dict[str, Any]:
    """Return the three scores, the recall of each class and the confusion matrix."""
    matrix = confusion_matrix(y_true, y_pred, labels=classes)
    support = matrix.sum(axis=1)
    recall = {
        str(label): (int(hit) / int(size) if size else None)
        for label, hit, size in zip(classes, np.diag(matrix), support, strict=True)
    }
    return {
        **{name: float(score(y_true, y_pred)) for name, score in SCORES.items()},
        "recall": json.dumps(recall),
        "confusion": json.dumps(matrix.tolist(), separators=(",", ":")),
    }


def _summary_of(caught: list[warnings.WarningMessage]) -> str | None:
    """Return each different warning once, in one line."""
    texts = {f"{w.category.__name__}: {w.message}".splitlines()[0] for w in caught}
    return " | ".join(sorted(texts)) or None
