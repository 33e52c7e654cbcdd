"""``isvmde benchmark`` and ``isvmde report``: the comparison and its tables."""

from pathlib import Path

import click

from isvmde.bench import export_rows, load_results, run_benchmark
from isvmde.bench.report import make_report
from isvmde.bench.sound_rows import check_rows
from isvmde.bench.store import is_exported, store_files
from isvmde.bench.workers import silence_dask
from isvmde.cli import options
from isvmde.cli.methods import find_modules_here
from isvmde.cli.output import join, print_json, print_table, say
from isvmde.cli.overwriting import (
    check_are_different,
    check_is_not_read,
    check_output,
    check_report,
)
from isvmde.cli.progress import showing_progress
from isvmde.datasets.catalogue import PAPER_DATASETS
from isvmde.methods import METHODS

QUICK = ("zoo", "hayes-roth", "newthyroid", "balance", "glass", "lymphography")
"""Six small data sets, for trying the benchmark out."""


@click.command(
    epilog=options.examples(
        "isvmde benchmark --out quick",
        "isvmde benchmark --out paper --preset paper",
        "isvmde benchmark --out two --datasets glass,zoo --methods SVM,SDC --repeats 3",
        "isvmde benchmark --out own --datasets a.csv:kind,b.xlsx:kind "
        "--methods 'i-SVM-LOO,random forest,mymodels:tuned'",
        "isvmde benchmark --out paper --preset paper --dask tcp://head-node:8786",
    )
)
@click.option("--out", type=options.FILE, required=True)
@click.option(
    "--preset",
    type=click.Choice(["paper", "quick"]),
    default="quick",
    help="paper: all data sets, 3 repeats, the paper's budgets. quick: six data sets, "
    "1 repeat, small budgets.",
)
@click.option(
    "--datasets",
    metavar="NAME,FILE:TARGET",
    help="Names, or files with their class column, instead of the preset's.",
)
@click.option(
    "--methods",
    metavar="NAME,MODULE:NAME",
    help="Names, competitors such as 'random forest', or your own, instead of the "
    "paper's and ours.",
)
@click.option("--repeats", type=click.IntRange(1), help="Instead of the preset's.")
@options.folds
@options.seed
@options.jobs
@click.option(
    "--dask",
    "client",
    metavar="ADDRESS",
    help="Run on the Dask cluster at this address.",
)
@options.as_json
def benchmark(
    out: Path,
    preset: str,
    datasets: str | None,
    methods: str | None,
    repeats: int | None,
    folds: int | str,
    seed: int,
    n_jobs: int,
    client: str | None,
    as_json: bool,
) -> None:
    """Compare methods on data sets; results are kept in the directory --out.

    The same command resumes where an earlier one ended, however it ended. More data
    sets, methods or repeats may be added. Ctrl-C keeps every finished fold.
    """
    is_paper = preset == "paper"
    files = options.split_names(datasets)
    if files:
        wanted = [name_or_file(text) for text in files]
    else:
        wanted = list(PAPER_DATASETS if is_paper else QUICK)
    names = options.split_names(methods) or list(METHODS)
    find_modules_here(names)
    reads = [dataset if isinstance(dataset, str) else dataset[0] for dataset in wanted]
    check_is_not_read(store_files(out), reads, "--out: the results' file")
    if client:
        silence_dask()  # for good: this process ends with the run
    with showing_progress(out) as progress:
        results = run_benchmark(
            wanted,
            names,
            store=out,
            folds=folds,
            repeats=repeats or (3 if is_paper else 1),
            seed=seed,
            budget=preset,
            n_jobs=n_jobs,
            client=client,
            progress=progress,
        )
    failed = len(results.failed)
    if as_json:
        print_json({"out": str(out), "rows": len(results.rows), "failed": failed})
        return
    if failed:
        say(f"{failed} folds failed; the same command tries them again")
    say(
        f"{len(results.rows)} folds in {out}; make the tables with "
        f"`isvmde report {out}`"
    )


def name_or_file(text: str) -> str | tuple[str, str]:
    """Return a name or a file as it is, FILE:TARGET as a pair."""
    file, colon, target = text.rpartition(":")
    if colon and not Path(text).exists() and Path(file).exists():
        return file, target
    return text


@click.command(
    epilog=options.examples(
        "isvmde report quick",
        "isvmde report quick --export quick.csv",
        "isvmde report quick.csv --out quick-report",
    )
)
@click.argument("results", type=options.FILE)
@click.option(
    "--out", type=options.FILE, help="Where to write [the results' directory]."
)
@click.option(
    "--export",
    type=options.FILE,
    metavar="FILE",
    help="Also write all rows to one CSV file, which this command reads as well.",
)
@options.force
@options.as_json
def report(
    results: Path, out: Path | None, export: Path | None, force: bool, as_json: bool
) -> None:
    """Make tables, tests and figures of the RESULTS of a benchmark.

    RESULTS is the directory of `isvmde benchmark --out`, or a CSV file written with
    --export. Writes report.html (one file, no network needed), report.md, every table
    as CSV and LaTeX, and every figure as SVG and PDF.
    """
    reads = store_files(results) if results.is_dir() else [results]
    if export is not None:
        check_output(
            export, option="--export", reads=reads, made_here=is_exported, force=force
        )
    measured = load_results(results)
    check_rows(measured.rows)
    folder = out or (results if results.is_dir() else results.parent)
    made = make_report(measured)
    files = [folder / name for name in made.files]
    if export is not None:
        check_are_different(export, "--export", files)
    check_report(files, reads, force)
    if export is not None:
        export_rows(measured, export)
    written = made.write(folder)
    if as_json:
        print_json(
            {
                "files": written.files,
                "complete": not written.missing,
                "missing": written.missing,
                "averages": written.averages.to_dict(),
            }
        )
        return
    for line in written.missing:
        say(line)
    print_table(written.summary())
    say(
        f"written: {join(path.relative_to(folder) for path in written.files[:2])} and "
        f"{len(written.files) - 2} more in {folder}"
    )
