"""Measure something fold by fold: every finished fold is kept, then one CSV is written.

A measurement is a function of (data set, repeat, fold) that returns rows. The folds are
those of the benchmark. The same command goes on where an earlier one ended.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import joblib
import numpy as np
import pandas as pd
from measuring import RESULTS, choose

from isvmde.bench.fold import environment
from isvmde.bench.plan import derive_seed
from isvmde.bench.runner import compile_solver
from isvmde.datasets import load_dataset, make_preprocessor
from isvmde.datasets.catalogue import PAPER_DATASETS
from isvmde.model_selection import PaperKFold

HEADER = "# isvmde folds "
FOLDS = "finished folds"  # of a file, in its first line
Rows = list[dict[str, Any]]


@dataclass
class Fold:
    """One fold of a data set, its features scaled on the training part."""

    dataset: str
    repeat: int
    fold: int
    folds: int = 5
    seed: int = 0

    def __post_init__(self) -> None:
        bunch = load_dataset(self.dataset)
        table, target = pd.DataFrame(bunch.data), np.asarray(bunch.target)
        seed = derive_seed(self.seed, self.dataset, self.repeat)
        splitter = PaperKFold(self.folds, random_state=seed)
        train, test = list(splitter.split(table, target))[self.fold]
        scale = make_preprocessor(bunch).fit(table.iloc[train])
        self.X, self.y = scale.transform(table.iloc[train]), target[train]
        self.X_test, self.y_test = scale.transform(table.iloc[test]), target[test]

    def method_seed(self, method: str) -> int:
        """Return the seed that the benchmark gives to `method` on this fold."""
        return derive_seed(self.seed, self.dataset, method, self.repeat, self.fold)


def run(
    description: str | None,
    name: str,
    compute: Callable[[Fold], Rows],
    summarise: Callable[[pd.DataFrame], pd.DataFrame] = lambda table: table,
    *,
    datasets: Iterable[str] = tuple(PAPER_DATASETS),
    repeats: int = 3,
    first_folds: int | None = None,
) -> None:
    """Compute the folds that are missing, then write results/NAME.csv.

    ``first_folds`` stops after so many folds of every repeat, for what needs no more.
    """
    parser = argparse.ArgumentParser(
        description=description, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--datasets", help="some of the data sets, by commas [all]")
    parser.add_argument("--repeats", type=int, default=repeats)
    parser.add_argument("--folds", type=int, default=5)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--jobs", type=int, default=-1, help="processes [all cores]")
    parser.add_argument("--out", type=Path, default=RESULTS / name)
    parser.add_argument("--file", type=Path, default=RESULTS / f"{name}.csv")
    parser.add_argument("--export-only", action="store_true")
    options = parser.parse_args()
    chosen = choose(options.datasets, datasets)
    settings = {"folds": options.folds, "seed": options.seed}
    _check_settings(options.out, settings)
    tasks = [
        (dataset, repeat, fold)
        for repeat in range(options.repeats)
        for dataset in chosen
        for fold in range(first_folds or options.folds)
    ]
    missing = [task for task in tasks if not _file(options.out, *task).is_file()]
    print(f"{len(tasks)} folds, {len(missing)} to run", flush=True)
    ended = False
    try:
        if missing and not options.export_only:
            compile_solver()
            began = time.perf_counter()
            done = joblib.Parallel(options.jobs, return_as="generator_unordered")(
                joblib.delayed(_run_fold)(compute, options.out, task, settings)
                for task in missing
            )
            for number, told in enumerate(done, start=1):
                left = _time_left(time.perf_counter() - began, number, len(missing))
                print(f"{number}/{len(missing)}: {told}; {left}", flush=True)
        ended = True
    finally:
        if ended or not _has_more(options.file, options.out):
            _export(options.out, options.file, settings, summarise)
        else:
            print(f"{options.file} is kept, {options.out} has fewer folds so far")


def load(file: Path) -> pd.DataFrame | None:
    """Return a measurement, notes in ``attrs``; None when there is no such file."""
    if not file.is_file():
        return None
    with file.open(encoding="utf-8") as stream:
        notes = json.loads(stream.readline().removeprefix(HEADER))
        table = pd.read_csv(stream, dtype={"class": str})
    table.attrs = notes
    return table


def _time_left(seconds: float, done: int, all_folds: int) -> str:
    """Say how long the rest takes if its folds are like those so far."""
    minutes = seconds / done * (all_folds - done) / 60
    return (
        f"about {minutes:.0f} min left" if minutes >= 1 else "less than a minute left"
    )


def _check_settings(folder: Path, settings: dict[str, int]) -> None:
    """Refuse to mix folds of different settings in one folder."""
    folder.mkdir(parents=True, exist_ok=True)
    file = folder / "settings.json"
    if file.is_file() and json.loads(file.read_text()) != settings:
        raise SystemExit(
            f"{folder} holds folds of other settings: choose another --out"
        )
    file.write_text(json.dumps(settings))


def _file(folder: Path, dataset: str, repeat: int, fold: int) -> Path:
    """Return where the rows of a fold are kept."""
    return folder / f"{dataset}-{repeat}-{fold}.json"


def _run_fold(
    compute: Callable[[Fold], Rows],
    folder: Path,
    task: tuple[str, int, int],
    settings: dict[str, int],
) -> str:
    """Compute the rows of a fold and keep them."""
    began = time.perf_counter()
    dataset, repeat, number = task
    key = {"dataset": dataset, "repeat": repeat, "fold": number}
    rows = [key | row for row in compute(Fold(*task, **settings))]
    file = _file(folder, *task)
    unfinished = file.with_suffix(".part")
    unfinished.write_text(json.dumps({"environment": environment(), "rows": rows}))
    unfinished.rename(file)
    return f"{file.stem}, {time.perf_counter() - began:.1f} s"


def _finished(folder: Path) -> list[Path]:
    """Return the files of the folds that are finished."""
    return [p for p in sorted(folder.glob("*.json")) if p.name != "settings.json"]


def _has_more(file: Path, folder: Path) -> bool:
    """Whether a file was made of more folds than there are in a folder."""
    table = load(file)
    return table is not None and table.attrs.get(FOLDS, 0) > len(_finished(folder))


def _export(
    folder: Path,
    file: Path,
    settings: dict[str, int],
    summarise: Callable[[pd.DataFrame], pd.DataFrame],
) -> None:
    """Write the rows of all finished folds to one file."""
    kept = [json.loads(path.read_text()) for path in _finished(folder)]
    if not kept:  # an exception here would hide the one that ended the run
        print(f"there are no finished folds in {folder}", file=sys.stderr)
        return
    table = pd.DataFrame([row for part in kept for row in part["rows"]])
    environments = {json.dumps(part["environment"], sort_keys=True) for part in kept}
    notes = {
        FOLDS: len(kept),
        "settings": {**settings, "repeats": int(table["repeat"].max()) + 1},
        "environments": [json.loads(text) for text in sorted(environments)],
    }
    table = summarise(table)
    with file.open("w", encoding="utf-8", newline="") as stream:
        stream.write(HEADER + json.dumps(notes) + "\n")
        table.to_csv(stream, index=False, lineterminator="\n", float_format="%.10g")
    print(f"{file}: {len(table)} rows from {len(kept)} folds")
