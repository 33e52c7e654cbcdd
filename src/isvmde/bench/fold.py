"""One task, computed: fit on the training part of a fold, score on its test part."""

import functools
import hashlib
import json
import platform
import time
import warnings
from importlib import metadata
from typing import Any

import numpy as np
import pandas as pd
from sklearn.base import clone
from sklearn.metrics import confusion_matrix
from sklearn.utils import Bunch
from threadpoolctl import ThreadpoolController

from isvmde.bench.grouping import group_parameters
from isvmde.bench.plan import FoldTask
from isvmde.datasets import make_preprocessor
from isvmde.metrics import PAPER_METRICS

KEY = ["dataset", "method", "repeat", "fold"]
COLUMNS = {
    "dataset": "object",
    "method": "object",
    "repeat": "int64",
    "fold": "int64",
    "status": "object",  # "done" or "failed"
    **dict.fromkeys(PAPER_METRICS, "float64"),  # fractions; NaN where the fold failed
    "recall": "object",  # JSON: {class: recall, or null where it has no test sample}
    "confusion": "object",  # JSON: counts, true classes down, in recall's order
    "fit_seconds": "float64",
    "predict_seconds": "float64",
    "error": "object",
    "warnings": "object",
    "seed": "int64",
    "config": "object",
    "environment": "object",
}
"""Columns of a results table and their types."""

_PACKAGES = ("numpy", "scipy", "scikit-learn", "numba", "pandas")


def compute_row(task: FoldTask) -> dict[str, Any]:
    """Return the row of a task; a method that fails gives a row with its error."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            row = _row(task, {"status": "done"} | _fit_and_score(task))
        except Exception as error:
            row = failed_row(task, error)
    texts = {f"{w.category.__name__}: {w.message}".splitlines()[0] for w in caught}
    return row | {"warnings": " | ".join(sorted(texts)) or None}


def failed_row(task: FoldTask, error: BaseException) -> dict[str, Any]:
    """Return a row without scores that has the first line of the error."""
    text = f"{type(error).__name__}: {error}".strip().partition("\n")[0]
    return _row(task, {"status": "failed", "error": text})


def _row(task: FoldTask, columns: dict[str, Any]) -> dict[str, Any]:
    """Return columns with those that say what was run, and on what."""
    identity = {
        "dataset": task.dataset,
        "method": task.method,
        "repeat": task.repeat,
        "fold": task.fold,
        "seed": task.seed,
        "config": task.config,
    }
    return identity | {"environment": environment()} | columns


def _fit_and_score(task: FoldTask) -> dict[str, Any]:
    """Fit preprocessing and method on the training part, predict the test part."""
    data, target = pd.DataFrame(task.bunch.data), np.asarray(task.bunch.target)
    folds = task.dealing.folds(task.dataset, task.bunch, task.fold_seed)
    train, test = folds[task.fold]
    preprocessor = _preprocessor_of(task.bunch)
    # Not a Pipeline: methods need no more of scikit-learn than fit and predict.
    model = task.factory(random_state=task.seed)
    given = {}
    if "groups" in task.bunch:
        given = group_parameters(model, np.asarray(task.bunch.groups)[train])
    # Processes are the one level of parallelism: BLAS gets one thread.
    with _thread_pools(task.method).limit(limits=1):
        started = time.perf_counter()
        X = preprocessor.fit_transform(data.iloc[train], target[train])
        model.fit(X, target[train], **given)
        fitted = time.perf_counter()
        predicted = model.predict(preprocessor.transform(data.iloc[test]))
        ended = time.perf_counter()
    seconds = {
        "fit_seconds": round(fitted - started, 6),
        "predict_seconds": round(ended - fitted, 6),
    }
    return _scores(target[test], predicted, np.unique(target)) | seconds


def _preprocessor_of(bunch: Bunch) -> Any:
    """Return what makes numbers of the columns: the data set's, or the paper's way."""
    preprocessor = bunch.get("preprocessor")
    return make_preprocessor(bunch) if preprocessor is None else clone(preprocessor)


def _scores(
    true: np.ndarray, predicted: np.ndarray, classes: np.ndarray
) -> dict[str, Any]:
    """Return the paper's metrics, the recall of every class and the confusions."""
    matrix = confusion_matrix(true, predicted, labels=classes)
    recall = {
        str(label): (int(line[i]) / int(line.sum()) if line.any() else None)
        for i, (label, line) in enumerate(zip(classes, matrix, strict=True))
    }
    scores: dict[str, Any] = {
        metric.key: float(metric.score(true, predicted))
        for metric in PAPER_METRICS.values()
    }
    return scores | {
        "recall": json.dumps(recall),
        "confusion": json.dumps(matrix.tolist(), separators=(",", ":")),
    }


@functools.cache
def _thread_pools(method: str) -> ThreadpoolController:
    """Return the thread pools of the libraries loaded once a method is there.

    They are looked up once per method: a Ctrl-C during a lookup would be lost.
    """
    return ThreadpoolController()


@functools.cache
def environment() -> dict[str, str]:
    """Return versions and CPU; equal environments and seeds give equal scores."""
    from llvmlite import binding

    from isvmde import __version__
    from isvmde.core.solver.compilation import source_hash

    # The CPU as the compiler sees it: its name and a hash of its features.
    features = binding.get_host_cpu_features().flatten()
    digest = hashlib.sha256(features.encode()).hexdigest()[:8]
    packages = {package: metadata.version(package) for package in _PACKAGES}
    code = {
        "isvmde": __version__,
        "solver": source_hash(),
        "python": platform.python_version(),
    }
    machine = {
        "platform": platform.system(),
        "cpu": f"{platform.machine()} {binding.get_host_cpu_name()} {digest}",
    }
    return code | packages | machine
