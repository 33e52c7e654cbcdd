"""Large tables beside scikit-learn: time, peak memory and scores.

``python -m benchmarks.large_tables`` measures tables of 1,000 to 200,000 rows, each
model in a process of its own with two threads, and writes the last part of
benchmarks/RESULTS.md. It takes about ten minutes on two idle cores: an SVC that would
take longer than that alone is left out.
Sizes may be given as arguments; then only these are measured, and nothing is written.
"""

from __future__ import annotations

import json
import math
import os
import resource
import subprocess
import sys
import time
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np

from . import large_checks
from .real_tables import load_table

PATH = Path(__file__).with_name("RESULTS.md")
TITLE = "# Large tables"
SIZES = (1_000, 4_000, 20_000, 200_000)
HELD_OUT, PREDICTED = 20_000, 100_000
TABLES = {
    "3 classes (80, 15, 5 %)": np.array([0.80, 0.15, 0.05]),
    "10 classes (down to 0.5 %)": np.geomspace(35.0, 0.5, 10) / 101.4,
}
REAL = {"letter": 16_000, "magic": 15_000, "penbased": 8_000}  # rows trained on
OURS, WHOLE, SVM = "ISVMClassifierCV", "ISVMClassifierCV, whole", "SVC, balanced"
FOREST, BOOSTING = "random forest", "boosting, balanced"
SEEDS = (17, 18, 19)  # never used for a choice; the first for all sizes
METRICS = ("g_mean", "av_f", "cba")
_LONGEST = 600.0  # seconds of an SVC fit after which larger ones are left out

Row = tuple[str, int, int, str, dict[str, float]]  # table, rows, seed, model, measured


def make_table(
    name: str, rows: int, seed: int, held_out: int = HELD_OUT
) -> tuple[Any, ...]:
    """Return X, y and held-out X, y, scaled to [0, 1].

    The tables that are drawn have 20 features; of a real one the rest is held out.
    """
    from sklearn.datasets import make_classification

    if name in REAL:
        X, labels = load_table(name)
        y = np.unique(labels, return_inverse=True)[1]
        order = np.random.default_rng(seed).permutation(len(X))
        train, test = order[:rows], order[rows:]
        return X[train], y[train], X[test], y[test]
    share = TABLES[name] / TABLES[name].sum()
    X, y = make_classification(
        rows + held_out,
        n_features=20,
        n_informative=8,
        n_redundant=4,
        n_classes=len(share),
        weights=share,
        flip_y=0.02,
        random_state=seed,
    )
    low, high = X[:rows].min(axis=0), X[:rows].max(axis=0)
    X = (X - low) / (high - low)
    return X[:rows], y[:rows], X[rows:], y[rows:]


def _model(name: str) -> Any:
    """Return the model of this name, with two threads where it has any."""
    from sklearn.ensemble import HistGradientBoostingClassifier, RandomForestClassifier
    from sklearn.svm import SVC

    from isvmde import ISVMClassifierCV
    from isvmde.core.averaging.bags import Budget

    class Whole(ISVMClassifierCV):
        """Solves every pair whole, whatever its size."""

        _budget = Budget(work=math.inf, first_work=math.inf)

    if name == OURS:
        return ISVMClassifierCV(random_state=0, n_jobs=2)
    if name == WHOLE:
        return Whole(random_state=0, n_jobs=2)
    if name == SVM:
        return SVC(class_weight="balanced")
    if name == BOOSTING:
        return HistGradientBoostingClassifier(class_weight="balanced", random_state=0)
    return RandomForestClassifier(
        200, class_weight="balanced", random_state=0, n_jobs=2
    )


def _peak() -> float:
    """Return the peak of this process's memory in MB."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def measure_here(table: str, rows: int, seed: int, name: str) -> dict[str, float]:
    """Fit and predict in this process."""
    from isvmde import ISVMClassifierCV
    from isvmde.metrics import av_f_beta_score, cba_score, g_mean_score

    X, y, X_new, y_new = make_table(table, rows, seed)
    if name in (OURS, WHOLE):  # what is compiled is loaded once per process
        ISVMClassifierCV(n_settings=8, random_state=0).fit(X[:200], y[:200])
    model = _model(name)
    clock, cpu = time.perf_counter(), time.process_time()
    model.fit(X, y)
    result = {
        "seconds": time.perf_counter() - clock,
        "cpu": time.process_time() - cpu,
        "memory": _peak(),
    }
    guess = model.predict(X_new)
    for metric in (g_mean_score, av_f_beta_score, cba_score):
        result[metric.__name__.replace("_beta", "")[:-6]] = 100 * metric(y_new, guess)
    return result


def save_model(table: str, rows: int, seed: int, name: str, path: str) -> None:
    """Fit a model and write it to a file."""
    import joblib

    X, y, _, _ = make_table(table, rows, seed)
    joblib.dump(_model(name).fit(X, y), path)


def save_csv(table: str, rows: int, seed: int, path: str) -> None:
    """Write a table to a csv."""
    X, y, _, _ = make_table(table, rows, seed, held_out=1_000)
    large_checks.write_csv(Path(path), X, y)


def measure_prediction(table: str, seed: int, path: str) -> dict[str, float]:
    """Load a model and predict many rows: time, and memory without the training."""
    import joblib

    X, _, _, _ = make_table(table, PREDICTED, seed, held_out=1_000)
    model = joblib.load(path)
    model.predict(X[:100])
    clock, cpu = time.perf_counter(), time.process_time()
    model.predict(X)
    return {
        "seconds": time.perf_counter() - clock,
        "cpu": time.process_time() - cpu,
        "memory": _peak(),
    }


def check_cluster_here(table: str, rows: int, seed: int) -> dict[str, bool]:
    """Compare a fit on a cluster with one in this process."""
    X, y, _, _ = make_table(table, rows, seed, held_out=1_000)
    return large_checks.check_cluster(X, y)


def in_process(function: str, *given: Any) -> Any:
    """Call a function of this module in a process of its own."""
    code = (
        "import json, sys; from benchmarks import large_tables, large_checks\n"
        "if __name__ == '__main__':\n"
        f"    found = {function}(*json.loads(sys.argv[1]))\n"
        "    print(json.dumps(found))"
    )
    done = subprocess.run(
        [sys.executable, "-c", code, json.dumps(given)],
        env={**os.environ, "OMP_NUM_THREADS": "2"},
        stdout=subprocess.PIPE,
        check=True,
        text=True,
    )
    return json.loads(done.stdout.splitlines()[-1])


def measure_all(sizes: tuple[int, ...]) -> list[Row]:
    """Measure all tables, sizes and models; print as it goes."""
    found: list[Row] = []
    for table in TABLES:
        slow = False
        for rows in sizes:
            seconds = 0.0
            for seed in SEEDS if rows == 20_000 else SEEDS[:1]:
                names = [OURS] if slow else [OURS, SVM]
                if rows == 4_000:
                    names.append(WHOLE)
                if seed == SEEDS[0]:
                    names += [BOOSTING, FOREST]
                for name in names:
                    result = in_process(
                        "large_tables.measure_here", table, rows, seed, name
                    )
                    if name == SVM:
                        seconds = max(seconds, result["seconds"])
                    found.append((table, rows, seed, name, result))
                    print(table, rows, seed, name, result, flush=True)
            # ten times the rows take an SVC 200 times as long, or more
            slow = slow or 200 * seconds > _LONGEST
    return found


def measure_real() -> list[Row]:
    """Measure the real tables with all models; print as it goes."""
    found: list[Row] = []
    for table, rows in REAL.items():
        for name in (OURS, SVM, BOOSTING, FOREST):
            given = table, rows, SEEDS[0], name
            result = in_process("large_tables.measure_here", *given)
            found.append((*given, result))
            print(*given, result, flush=True)
    return found


def report(found: list[Row]) -> str:
    """Return times, memory and scores as Markdown."""
    lines = [
        "| table | rows | seed | model | fit, s | CPU, s | peak memory, MB "
        "| G-mean | AvF | CBA |",
        "|---|---:|---:|---|---:|---:|---:|---:|---:|---:|",
    ]
    lines += [
        f"| {table} | {rows:,} | {seed} | {name} | {r['seconds']:.1f} | {r['cpu']:.1f} "
        f"| {r['memory']:.0f} | {r['g_mean']:.1f} | {r['av_f']:.1f} | {r['cba']:.1f} |"
        for table, rows, seed, name, r in found
    ]
    return "\n".join(lines)


def summary(found: list[Row]) -> str:
    """Return what is asked of large tables, beside what was measured."""
    known = {row[:4]: row[4] for row in found}
    lines = []

    def less(table: str, rows: int, seed: int, other: str) -> np.ndarray:
        ours, theirs = (known[table, rows, seed, name] for name in (OURS, other))
        return np.array([ours[m] - theirs[m] for m in METRICS])

    def told(difference: np.ndarray) -> str:
        return " / ".join(f"{value:+.1f}" for value in difference)

    for table in TABLES:
        small, large = (
            known[table, rows, SEEDS[0], OURS] for rows in (20_000, 200_000)
        )
        by_seed = [less(table, 20_000, seed, SVM) for seed in SEEDS]
        times = [
            [known[table, 20_000, seed, name]["seconds"] for name in (OURS, SVM)]
            for seed in SEEDS
        ]
        lines += [
            f"- {table}",
            "    - 20,000 rows, seconds beside one balanced SVC: "
            + ", ".join(f"{ours:.1f} and {svc:.1f}" for ours, svc in times)
            + f"; 200,000 rows take {large['seconds'] / small['seconds']:.1f} times as "
            f"long ({large['cpu'] / small['cpu']:.1f} times the CPU time) and "
            f"{large['memory']:.0f} MB.",
            "    - G-mean / AvF / CBA less those of the SVC, 20,000 rows: "
            + "; ".join(told(one) for one in by_seed)
            + f"; mean **{told(np.mean(by_seed, axis=0))}**.",
            "    - Less those of the same method run whole, 4,000 rows: "
            f"**{told(less(table, 4_000, SEEDS[0], WHOLE))}**.",
        ]
    return "\n".join(lines)


def checks() -> str:
    """Return predictions, six classes, the cluster and the csv as Markdown."""
    lines = [
        f"Prediction of {PREDICTED:,} rows by models of 20,000, loaded from a file:",
        "",
        "| table | model | predict, s | CPU, s | peak memory, MB |",
        "|---|---|---:|---:|---:|",
    ]
    with TemporaryDirectory() as folder:
        path = str(Path(folder) / "model.joblib")
        for table in TABLES:
            for name in (OURS, FOREST):
                given = table, 20_000, SEEDS[0], name, path
                in_process("large_tables.save_model", *given)
                r = in_process("large_tables.measure_prediction", table, SEEDS[0], path)
                lines.append(
                    f"| {table} | {name} | {r['seconds']:.1f} | {r['cpu']:.1f} "
                    f"| {r['memory']:.0f} |"
                )
                print(lines[-1], flush=True)
        csv, first = str(Path(folder) / "big.csv"), next(iter(TABLES))
        # not here: the peak of a new process begins with what this one holds
        in_process("large_tables.save_csv", first, 200_000, SEEDS[0], csv)
        read = in_process("large_checks.measure_reading", csv)
    six = in_process("large_checks.measure_six_classes")
    cluster = in_process("large_tables.check_cluster_here", first, 6_000, SEEDS[0])
    yes = {True: "yes", False: "no"}
    lines += [
        "",
        "1,300 rows in six overlapping classes of 8 to 550: "
        f"{six['ours_seconds']:.1f} s ({six['ours_cpu']:.1f} s CPU), "
        f"the SVC grid {six['grid_seconds']:.1f} s ({six['grid_cpu']:.1f} s CPU), "
        "two threads each.",
        "",
        "Dask with two worker processes, 6,000 rows: the same bits as here: "
        f"{yes[cluster['same']]}; with one worker killed in mid-fit "
        f"({yes[cluster['killed']]}): {yes[cluster['same_after_kill']]}.",
        "",
        f"A csv of 200,000 rows ({read['file']:.0f} MB; the table takes "
        f"{read['table']:.0f} MB): reading raises the peak by {read['peak']:.0f} MB.",
    ]
    return "\n".join(lines)


def main(sizes: list[int]) -> None:
    """Measure, print as it goes, write the report."""
    found = measure_all(tuple(sizes) or SIZES)
    if sizes:
        print(report(found))
        return
    found += measure_real()
    text = (
        f"{TITLE}\n\nWritten by `python -m benchmarks.large_tables`. Every model in a "
        "process of its own, two threads; scores on 20,000 held-out rows; seeds that "
        "were never used for a choice. CPU time is the measure where other work shared "
        f"the machine; the load average was {os.getloadavg()[0]:.1f} at the end. Peak "
        "memory is that of the process, Python and its packages included.\n\n"
        f"{summary(found)}\n\n{report(found)}\n\n{checks()}"
    )
    print("\n" + text)
    before, _, old = PATH.read_text(encoding="utf-8").partition(TITLE)
    _, mark, after = old.partition("\n# ")
    PATH.write_text(f"{before.rstrip()}\n\n{text}\n{mark}{after}", encoding="utf-8")


if __name__ == "__main__":
    main([int(word) for word in sys.argv[1:]])
