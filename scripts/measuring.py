"""What the scripts that measure share: options, the run, one compact file of rows."""

from __future__ import annotations

import argparse
from collections.abc import Iterable, Mapping
from importlib import metadata
from pathlib import Path
from typing import Any

from isvmde.bench import export_rows, load_results, run_benchmark
from isvmde.cli.progress import showing_progress
from isvmde.datasets.catalogue import CATALOGUE

RESULTS = Path(__file__).resolve().parents[1] / "results"


def parse_options(
    description: str | None,
    name: str,
    *,
    datasets: Iterable[str] = tuple(CATALOGUE),
    seed: int = 0,
    folders: Iterable[str] = (),
) -> argparse.Namespace:
    """Return the options all measurements have; `name` is that of their files.

    ``folders`` are options of this one: folders that must be given.
    """
    parser = argparse.ArgumentParser(
        description=description, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--datasets", help="some of the data sets, by commas [all]")
    parser.add_argument("--methods", help="some of the methods, by commas [all]")
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--folds", type=int, default=5)
    parser.add_argument("--seed", type=int, default=seed)
    parser.add_argument("--jobs", type=int, default=-1, help="processes [all cores]")
    parser.add_argument("--budget", choices=["paper", "quick"], default="paper")
    parser.add_argument("--out", type=Path, default=RESULTS / name)
    parser.add_argument("--file", type=Path, default=RESULTS / f"{name}.csv")
    for folder in folders:
        parser.add_argument(f"--{folder}", type=Path, required=True)
    parser.add_argument(
        "--export-only", action="store_true", help="write the rows there are, run none"
    )
    options = parser.parse_args()
    options.datasets = choose(options.datasets, datasets)
    return options


def choose(given: str | None, known: Iterable[str]) -> list[str]:
    """Return the names given by commas, all that are known when none is given."""
    known = list(known)
    names = [name.strip() for name in given.split(",")] if given else known
    for name in names:
        if name not in known:
            raise SystemExit(f"there is no {name!r}; choose among {', '.join(known)}")
    return names


def measure(
    methods: Iterable[str] | Mapping[str, Any],
    options: argparse.Namespace,
    packages: Iterable[str] = (),
) -> None:
    """Run what is missing, then write all rows to one file, however the run ends."""
    try:
        if not options.export_only:
            with showing_progress(options.out) as progress:
                run_benchmark(
                    options.datasets,
                    methods,
                    store=options.out,
                    folds=options.folds,
                    repeats=options.repeats,
                    seed=options.seed,
                    budget=options.budget,
                    n_jobs=options.jobs,
                    progress=progress,
                )
    finally:
        export(options.out, options.file, packages)


def export(store: Path, file: Path, packages: Iterable[str] = ()) -> None:
    """Write the rows of `store` to `file`, with the versions of further packages."""
    rows = load_results(store)
    # The recall of every class follows from the confusion matrix.
    rows["recall"] = None
    for package in packages:
        rows.attrs["settings"][package] = metadata.version(package)
    export_rows(rows, file)
    done = int((rows["status"] == "done").sum())
    print(f"{file}: {done} finished rows of {len(rows)}")
