"""Large tables beside scikit-learn: time, peak memory and scores.

``python -m benchmarks.large_tables`` measures tables of 1,000 to 200,000 rows, each
model in a process of its own with two threads, and writes the last part of
benchmarks/RESULTS.md.
Sizes may be given as arguments; then nothing is written.
"""

from __future__ import annotations

import json
import os
import resource
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import numpy as np

PATH = Path(__file__).with_name("RESULTS.md")
TITLE = "# Large tables"
SIZES = (1_000, 4_000, 20_000, 200_000)
HELD_OUT, PREDICTED = 20_000, 100_000
TABLES = {
    "3 classes (80, 15, 5 %)": np.array([0.80, 0.15, 0.05]),
    "10 classes (down to 0.5 %)": np.geomspace(35.0, 0.5, 10) / 101.4,
}
MODELS = (
    "ISVMClassifierCV",
    "ISVMClassifierCV, scoring=av_f",
    "SVC, balanced",
    "boosting, balanced",
    "random forest",
)
_LONGEST = 600.0  # seconds of an SVC fit after which larger ones are left out


def make_table(name: str, rows: int, held_out: int = HELD_OUT) -> tuple[Any, ...]:
    """Return X, y and held-out X, y: 20 features, scaled to [0, 1]."""
    from sklearn.datasets import make_classification

    share = TABLES[name] / TABLES[name].sum()
    X, y = make_classification(
        rows + held_out,
        n_features=20,
        n_informative=8,
        n_redundant=4,
        n_classes=len(share),
        weights=share,
        flip_y=0.02,
        random_state=0,
    )
    low, high = X[:rows].min(axis=0), X[:rows].max(axis=0)
    X = (X - low) / (high - low)
    return X[:rows], y[:rows], X[rows:], y[rows:]


def _model(name: str) -> Any:
    """Return the model of this name, with two threads where it has any."""
    from sklearn.ensemble import HistGradientBoostingClassifier, RandomForestClassifier
    from sklearn.svm import SVC

    from isvmde import ISVMClassifierCV

    if name.startswith("ISVM"):
        scoring = "av_f" if name.endswith("av_f") else None
        return ISVMClassifierCV(random_state=0, n_jobs=2, scoring=scoring)
    if name.startswith("SVC"):
        return SVC(class_weight="balanced")
    if name.startswith("boosting"):
        return HistGradientBoostingClassifier(class_weight="balanced", random_state=0)
    return RandomForestClassifier(
        200, class_weight="balanced", random_state=0, n_jobs=2
    )


def measure_here(table: str, rows: int, name: str, predicted: int) -> dict[str, float]:
    """Fit and predict in this process."""
    from isvmde import ISVMClassifierCV
    from isvmde.metrics import av_f_beta_score, cba_score, g_mean_score

    X, y, X_new, y_new = make_table(table, rows)
    if name.startswith("ISVM"):  # what is compiled is loaded once per process
        ISVMClassifierCV(n_settings=8, random_state=0).fit(X[:200], y[:200])
    model = _model(name)
    clock, cpu = time.perf_counter(), time.process_time()
    model.fit(X, y)
    result = {
        "seconds": time.perf_counter() - clock,
        "cpu": time.process_time() - cpu,
        "memory": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024,
    }
    guess = model.predict(X_new)
    result["g_mean"] = 100 * g_mean_score(y_new, guess)
    result["av_f"] = 100 * av_f_beta_score(y_new, guess)
    result["cba"] = 100 * cba_score(y_new, guess)
    if predicted:
        many = np.tile(X_new, (-(-predicted // len(X_new)), 1))[:predicted]
        clock, cpu = time.perf_counter(), time.process_time()
        model.predict(many)
        result["predict_seconds"] = time.perf_counter() - clock
        result["predict_cpu"] = time.process_time() - cpu
        result["predict_memory"] = (
            resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
        )
    return result


def measure(table: str, rows: int, name: str, predicted: int = 0) -> dict[str, float]:
    """Fit and predict in a process of its own, whose memory can be measured."""
    code = (
        "import json, sys; from benchmarks.large_tables import measure_here; "
        "print(json.dumps(measure_here(*json.loads(sys.argv[1]))))"
    )
    done = subprocess.run(
        [sys.executable, "-c", code, json.dumps([table, rows, name, predicted])],
        env={**os.environ, "OMP_NUM_THREADS": "2"},
        stdout=subprocess.PIPE,
        check=True,
        text=True,
    )
    return dict(json.loads(done.stdout.splitlines()[-1]))


def report(found: list[tuple[str, int, str, dict[str, float]]]) -> str:
    """Return the tables as Markdown."""
    lines = [
        "| table | rows | model | fit, s | CPU, s | peak memory, MB "
        "| G-mean | AvF | CBA |",
        "|---|---:|---|---:|---:|---:|---:|---:|---:|",
    ]
    lines += [
        f"| {table} | {rows:,} | {name} | {r['seconds']:.1f} | {r['cpu']:.1f} "
        f"| {r['memory']:.0f} | {r['g_mean']:.1f} | {r['av_f']:.1f} | {r['cba']:.1f} |"
        for table, rows, name, r in found
    ]
    lines += [
        "",
        f"Prediction of {PREDICTED:,} rows:",
        "",
        "| table | rows trained on | model | predict, s | CPU, s | peak memory, MB |",
        "|---|---:|---|---:|---:|---:|",
    ]
    lines += [
        f"| {table} | {rows:,} | {name} | {r['predict_seconds']:.1f} "
        f"| {r['predict_cpu']:.1f} | {r['predict_memory']:.0f} |"
        for table, rows, name, r in found
        if "predict_seconds" in r
    ]
    return "\n".join(lines)


def main(sizes: list[int]) -> None:
    """Measure, print as it goes, write the report."""
    found: list[tuple[str, int, str, dict[str, float]]] = []
    for table in TABLES:
        slow: set[str] = set()
        for rows in sizes or SIZES:
            for name in MODELS:
                if name in slow:
                    continue
                ours_or_forest = name in ("ISVMClassifierCV", "random forest")
                predicted = PREDICTED if ours_or_forest and rows == 20_000 else 0
                result = measure(table, rows, name, predicted)
                # ten times the rows take an SVC a hundred times as long
                if name.startswith("SVC") and 50 * result["seconds"] > _LONGEST:
                    slow.add(name)
                found.append((table, rows, name, result))
                print(table, rows, name, result, flush=True)
    text = (
        f"{TITLE}\n\nWritten by `python -m benchmarks.large_tables`. Every model in a "
        "process of its own, two threads; scores on 20,000 held-out rows. CPU time is "
        "the measure where other work shared the machine; the load average was "
        f"{os.getloadavg()[0]:.1f} at the end. Peak memory is that of the process, "
        "Python and its packages included.\n\n" + report(found)
    )
    print("\n" + text)
    if not sizes:
        before, _, old = PATH.read_text(encoding="utf-8").partition(TITLE)
        _, mark, after = old.partition("\n# ")
        PATH.write_text(f"{before.rstrip()}\n\n{text}\n{mark}{after}", encoding="utf-8")


if __name__ == "__main__":
    main([int(word) for word in sys.argv[1:]])
