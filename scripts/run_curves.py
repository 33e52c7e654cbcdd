"""Measure fitness against test score over the generations of a search.

    python scripts/run_curves.py --repeats 3 --jobs 2

Five data sets; AVE and MAX; joint, pairwise and random search. Keeps every finished
fold in results/curves and writes the means over folds and repeats to
results/curves.csv; the same command goes on.
"""

from __future__ import annotations

import argparse
import json
from pathlib import Path

import joblib
import pandas as pd
from curves import MAX_ITER, POP_SIZE, curve_rows
from measuring import RESULTS

from isvmde.bench.environment import environment
from isvmde.bench.runner import compile_solver

DATASETS = ("glass", "zoo", "newthyroid", "hayes-roth", "ecoli")
HEADER = "# isvmde curves "
SCORES = ["best_fitness", "g_mean", "av_f_beta", "cba"]
GROUP = ["dataset", "fitness", "search", "generation"]


def main() -> None:
    """Run what is missing, then write the means."""
    options = parse_options()
    options.out.mkdir(parents=True, exist_ok=True)
    settings = {
        "folds": options.folds,
        "seed": options.seed,
        "pop_size": options.pop,
        "max_iter": options.iter,
    }
    check_settings(options.out, settings)
    tasks = [
        (dataset, repeat, fold)
        for repeat in range(options.repeats)
        for dataset in options.datasets.split(",")
        for fold in range(options.folds)
    ]
    missing = [task for task in tasks if not file_of(options.out, *task).is_file()]
    print(f"{len(tasks)} folds, {len(missing)} to run", flush=True)
    try:
        if not options.export_only and missing:
            compile_solver()
            done = joblib.Parallel(options.jobs, return_as="generator_unordered")(
                joblib.delayed(run_fold)(options.out, task, settings)
                for task in missing
            )
            for number, task in enumerate(done, start=1):
                print(f"{number}/{len(missing)}: {task}", flush=True)
    finally:
        export(options.out, options.file, settings, options.repeats)


def parse_options() -> argparse.Namespace:
    """Return the options of the command line."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--datasets", default=",".join(DATASETS))
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--folds", type=int, default=5)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--pop", type=int, default=POP_SIZE)
    parser.add_argument("--iter", type=int, default=MAX_ITER)
    parser.add_argument("--jobs", type=int, default=-1)
    parser.add_argument("--out", type=Path, default=RESULTS / "curves")
    parser.add_argument("--file", type=Path, default=RESULTS / "curves.csv")
    parser.add_argument("--export-only", action="store_true")
    return parser.parse_args()


def check_settings(folder: Path, settings: dict[str, int]) -> None:
    """Refuse to mix folds of different settings in one folder."""
    file = folder / "settings.json"
    if file.is_file() and json.loads(file.read_text()) != settings:
        raise SystemExit(
            f"{folder} holds folds of other settings: choose another --out"
        )
    file.write_text(json.dumps(settings))


def file_of(folder: Path, dataset: str, repeat: int, fold: int) -> Path:
    """Return where the rows of a fold are kept."""
    return folder / f"{dataset}-{repeat}-{fold}.json"


def run_fold(folder: Path, task: tuple[str, int, int], settings: dict[str, int]) -> str:
    """Compute the rows of a fold and keep them."""
    rows = curve_rows(*task, **settings)
    file = file_of(folder, *task)
    unfinished = file.with_suffix(".part")
    unfinished.write_text(json.dumps({"environment": environment(), "rows": rows}))
    unfinished.rename(file)
    return file.stem


def export(folder: Path, file: Path, settings: dict[str, int], repeats: int) -> None:
    """Write the mean over folds and repeats, and the deviation over repeats."""
    kept = [
        json.loads(path.read_text())
        for path in sorted(folder.glob("*.json"))
        if path.name != "settings.json"
    ]
    if not kept:
        raise SystemExit(f"there are no finished folds in {folder}")
    table = pd.DataFrame([row for part in kept for row in part["rows"]])
    environments = {json.dumps(part["environment"], sort_keys=True) for part in kept}
    per_repeat = table.groupby([*GROUP, "repeat"])[[*SCORES, "n_svms"]].mean()
    grouped = per_repeat.groupby(level=GROUP)
    means = grouped.mean()
    for score in SCORES:
        means[f"{score}_sd"] = grouped[score].std()
    means["n_folds"] = table.groupby(GROUP).size()
    notes = {
        "settings": {**settings, "repeats": repeats},
        "environments": [json.loads(text) for text in sorted(environments)],
    }
    with file.open("w", encoding="utf-8", newline="") as stream:
        stream.write(HEADER + json.dumps(notes) + "\n")
        means.reset_index().to_csv(
            stream, index=False, lineterminator="\n", float_format="%.10g"
        )
    print(f"{file}: {len(means)} rows from {len(kept)} folds")


if __name__ == "__main__":
    main()
