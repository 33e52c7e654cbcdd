"""What large tables must also do: six classes, a cluster, a csv. For `large_tables`."""

from __future__ import annotations

import os
import resource
import signal
import threading
import time
import warnings
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
import pandas as pd

from .averaged_speed import GRID

SIZES = (550, 400, 220, 90, 32, 8)


def six_classes() -> tuple[np.ndarray, np.ndarray]:
    """Return 1,300 rows in six overlapping classes of 8 to 550 rows, in [0, 1]."""
    random = np.random.default_rng(17)
    y = np.repeat(np.arange(6), SIZES)
    centre = random.normal(size=(6, 10))
    X = 0.8 * centre[y] + random.normal(size=(len(y), 10))
    return (X - X.min(axis=0)) / np.ptp(X, axis=0), y


def measure_six_classes() -> dict[str, float]:
    """Fit us and a grid search over a balanced SVC, two threads each."""
    from joblib import parallel_config
    from sklearn.model_selection import GridSearchCV
    from sklearn.svm import SVC

    from isvmde import ISVMClassifierCV

    X, y = six_classes()
    ISVMClassifierCV(n_settings=8, random_state=0).fit(X[::9], y[::9])  # compiles
    svc = SVC(class_weight="balanced")
    models = {
        "ours": ISVMClassifierCV(random_state=0, n_jobs=2),
        "grid": GridSearchCV(svc, GRID, cv=3, scoring="balanced_accuracy", n_jobs=2),
    }
    result = {}
    for name, model in models.items():
        clock, cpu = time.perf_counter(), time.process_time()
        with parallel_config(backend="threading"):  # LIBSVM lets go of the GIL
            model.fit(X, y)
        result[f"{name}_seconds"] = time.perf_counter() - clock
        result[f"{name}_cpu"] = time.process_time() - cpu
    return result


def _bits(model: Any, X: np.ndarray) -> bytes:
    """Return what two equal models have in common."""
    parts = (model.weights_, model.margins_, model.loo_proba_, model.predict_proba(X))
    return b"".join(np.ascontiguousarray(part).tobytes() for part in parts)


def check_cluster(X: np.ndarray, y: np.ndarray) -> dict[str, bool]:
    """Fit here, on two Dask workers, and on two of which one is killed in mid-fit."""
    import joblib
    from distributed import Client, LocalCluster

    from isvmde import ISVMClassifierCV

    model = ISVMClassifierCV(random_state=0)
    here = _bits(model.fit(X, y), X)
    killed: list[int] = []

    def kill_a_busy_worker(client: Any) -> None:
        while not killed:
            busy = [who for who, tasks in client.processing().items() if tasks]
            for pid in client.run(os.getpid, workers=busy[:1]).values() if busy else ():
                os.kill(pid, signal.SIGKILL)
                killed.append(pid)
            time.sleep(0.02)

    with (
        warnings.catch_warnings(),
        LocalCluster(
            n_workers=2, threads_per_worker=1, processes=True, dashboard_address=":0"
        ) as workers,
        Client(workers) as client,
        joblib.parallel_config(backend="dask"),
    ):
        warnings.simplefilter("ignore")
        same = _bits(model.fit(X, y), X) == here
        killer = threading.Thread(target=kill_a_busy_worker, args=[client], daemon=True)
        killer.start()
        same_after = _bits(model.fit(X, y), X) == here
        killer.join(10)
    return {"same": same, "killed": bool(killed), "same_after_kill": same_after}


def write_csv(path: Path, X: np.ndarray, y: np.ndarray) -> None:
    """Write rows as a csv with a header."""
    frame = pd.DataFrame(X, columns=[f"x{k}" for k in range(X.shape[1])])
    frame.assign(label=y).to_csv(path, index=False)


def measure_reading(path: str) -> dict[str, float]:
    """Read a csv; by how much the peak of this process's memory rises, in MB."""
    from isvmde.tables import read_table

    def peak() -> float:
        return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024

    with TemporaryDirectory() as folder:  # what is imported is there before
        small = Path(folder) / "small.csv"
        write_csv(small, np.random.default_rng(0).random((20, 3)), np.arange(20) % 2)
        read_table(small)
    before = peak()
    table = read_table(path)
    return {
        "file": os.path.getsize(path) / 2**20,
        "table": float(table.memory_usage(deep=True).sum()) / 2**20,
        "peak": peak() - before,
    }
