"""What the scripts that measure share: options, the run, one compact file of rows."""

from __future__ import annotations

import argparse
from collections.abc import Iterable, Mapping
from dataclasses import replace
from importlib import metadata
from pathlib import Path
from typing import Any

from isvmde import __version__
from isvmde.bench import export_rows, load_results, run_benchmark
from isvmde.bench.store import Store
from isvmde.cli.progress import showing_progress
from isvmde.datasets.catalogue import PAPER_DATASETS

# What a store knows of itself; files also tell the versions of further packages.
SETTINGS = ("format", "folds", "dealing", "seed", "budget")
RESULTS = Path(__file__).resolve().parents[1] / "results"


def parse_options(
    description: str | None,
    name: str,
    *,
    datasets: Iterable[str] = tuple(PAPER_DATASETS),
    seed: int = 0,
    folders: Iterable[str] = (),
    groups: Iterable[str] = (),
) -> argparse.Namespace:
    """Return the options all measurements have; `name` is that of their files.

    ``folders`` are options of this one: folders that must be given. ``groups`` are
    groups of methods, of which some may be named.
    """
    groups = list(groups)
    parser = argparse.ArgumentParser(
        description=description, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    if groups:
        parser.add_argument("groups", nargs="*", help=f"some of {', '.join(groups)}")
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
        "--add",
        action="store_true",
        help="keep the rows of the file and measure what it lacks",
    )
    parser.add_argument(
        "--export-only", action="store_true", help="write the rows there are, run none"
    )
    options = parser.parse_args()
    options.datasets = choose(options.datasets, datasets)
    if groups:
        options.groups = choose(",".join(options.groups), groups)
    return options


def choose(given: str | None, known: Iterable[str]) -> list[str]:
    """Return the names given by commas, all that are known when none is given.

    A name may have commas itself: the longest that is known is taken.
    """
    known, chosen = list(known), []
    rest = given.strip() if given else ""
    while rest:
        fitting = [name for name in known if f"{rest},".startswith(f"{name},")]
        if not fitting:
            name = rest.partition(",")[0].strip()
            raise SystemExit(f"there is no {name!r}; choose among {', '.join(known)}")
        chosen.append(max(fitting, key=len))
        rest = rest[len(chosen[-1]) :].lstrip(" ,")
    return chosen or known


def measure(
    methods: Iterable[str] | Mapping[str, Any],
    options: argparse.Namespace,
    packages: Iterable[str] = (),
) -> None:
    """Run what is missing, then write all rows to one file.

    A run that is broken off writes what there is, unless the file has more than that.
    """
    if options.add and options.file.is_file():
        take_over(options.file, options.out)
    ended = False
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
        ended = True
    finally:
        if ended or not _has_more(options.file, options.out):
            export(options.out, options.file, packages)
        else:
            print(f"{options.file} is kept, {options.out} has fewer rows so far")


def _has_more(file: Path, store: Path) -> bool:
    """Whether a file has more finished rows than a store."""
    if not file.is_file():
        return False
    return len(load_results(file).done) > len(load_results(store).done)


def take_over(file: Path, store: Path) -> None:
    """Put the rows of a file into `store`, if this version measured them."""
    kept = load_results(file)
    versions = {one["isvmde"] for one in kept.used_environments.values()}
    if versions != {__version__}:
        raise SystemExit(
            f"{file} is of version {', '.join(sorted(versions))}, this is "
            f"{__version__}: measure it again without --add"
        )
    settings = {k: v for k, v in kept.settings.items() if k in SETTINGS}
    with Store(store) as opened:
        opened.take_over(replace(kept, settings=settings))


def export(store: Path, file: Path, packages: Iterable[str] = ()) -> None:
    """Write the rows of `store` to `file`, with the versions of further packages."""
    results = load_results(store)
    versions = {package: metadata.version(package) for package in packages}
    compact = replace(
        results,
        # The recall of every class follows from the confusion matrix.
        rows=results.rows.assign(recall=None),
        settings={**results.settings, **versions},
    )
    export_rows(compact, file)
    print(f"{file}: {len(results.done)} finished rows of {len(results.rows)}")
