"""``isvmde benchmark`` and ``isvmde report``: the comparison and its tables."""

from pathlib import Path
from typing import Any

import click

from isvmde.bench import export_rows, load_results, run_benchmark, write_report
from isvmde.cli import options
from isvmde.cli.output import join, print_json, print_table, say
from isvmde.cli.progress import showing_progress
from isvmde.datasets.catalogue import CATALOGUE
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
    help="All data sets, 3 repeats, the paper's budgets; or six, 1 repeat, small ones.",
)
@click.option(
    "--datasets",
    metavar="NAME,FILE:TARGET",
    help="Instead of the preset's: names, or files with the column of the classes.",
)
@click.option(
    "--methods",
    metavar="NAME,MODULE:NAME",
    help="Instead of the paper's and ours: names, competitors such as 'random forest', "
    "or your own.",
)
@click.option("--repeats", type=click.IntRange(1), help="Instead of the preset's.")
@options.folds
@options.seed
@options.jobs
@click.option(
    "--dask", "client", metavar="ADDRESS", help="Run on the Dask cluster there."
)
@options.as_json
def benchmark(out: Path, preset: str, as_json: bool, **given: Any) -> None:
    """Compare methods on data sets; results are kept in the directory --out.

    The same command goes on where an earlier one ended, however it ended. More data
    sets, methods or repeats may be added. Ctrl-C keeps every finished fold.
    """
    default, repeats = (list(CATALOGUE), 3) if preset == "paper" else (list(QUICK), 1)
    files = options.split_names(given.pop("datasets"))
    wanted = [name_or_file(text) for text in files] or default
    names = options.split_names(given.pop("methods")) or list(METHODS)
    given.update(repeats=given["repeats"] or repeats, budget=preset)
    with showing_progress(out) as progress:
        rows = run_benchmark(wanted, names, store=out, progress=progress, **given)
    failed = int((rows["status"] == "failed").sum())
    if as_json:
        print_json({"out": str(out), "rows": len(rows), "failed": failed})
        return
    if failed:
        say(f"{failed} folds failed; the same command tries them again")
    say(f"{len(rows)} folds in {out}; make the tables with `isvmde report {out}`")


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
@options.as_json
def report(results: Path, out: Path | None, export: Path | None, as_json: bool) -> None:
    """Make tables, tests and figures of the RESULTS of a benchmark.

    RESULTS is the directory of `isvmde benchmark --out`, or a CSV file written with
    --export. Writes report.html (one file, no network needed), report.md, every table
    as CSV and LaTeX, and every figure as SVG and PDF.
    """
    rows = load_results(results)
    folder = out or (results if results.is_dir() else results.parent)
    if export is not None:
        export_rows(rows, options.check_output_file(export, "--export"))
    written = write_report(rows, folder)
    if as_json:
        told = {"complete": not written.missing, "missing": written.missing}
        averages = written.averages.to_dict()
        print_json({"files": written.files, **told, "averages": averages})
        return
    for line in written.missing:
        say(line)
    print_table(written.summary())
    say(
        f"written: {join(path.relative_to(folder) for path in written.files[:2])} and "
        f"{len(written.files) - 2} more in {folder}"
    )
