"""``isvmde demo``: what the package does, on built-in data, in about a minute."""

from __future__ import annotations

from pathlib import Path

import click

from isvmde.bench import run_benchmark, write_report
from isvmde.bench.tables import mean_and_sd
from isvmde.cli.compare import per_cent
from isvmde.cli.inputs import jobs_option
from isvmde.cli.output import print_table, say
from isvmde.cli.progress import showing_progress

METHODS = ("i-SVM-LOO", "i-SVM-DE-AVE", "balanced SVC", "random forest")


@click.command()
@click.option(
    "--out",
    type=click.Path(path_type=Path),
    default=Path("isvmde-demo"),
    show_default=True,
    help="Directory for results, plots and report.html.",
)
@jobs_option
def demo(out: Path, jobs: int) -> None:
    """Compare i-SVM-LOO, the paper's i-SVM-DE, a balanced SVC and a random forest.

    Blood tests of 589 people, 526 of them healthy donors, the others in four classes of
    7 to 24; five folds. Takes about a minute, prints a table and writes the report. The
    same command shows the results again at once.
    """
    say(
        "hcv: blood tests of 589 people, four rare classes of 7 to 24; the same 5 folds"
    )
    with showing_progress(out) as progress:
        rows = run_benchmark(
            ["hcv"], METHODS, store=out, n_jobs=jobs, progress=progress
        )
    print_table(per_cent(mean_and_sd(rows, "hcv")), "hcv, in per cent")
    say(
        "look at G-mean and at the rare classes in the report: a method may be right "
        "on most samples and still miss a class of seven"
    )
    report = write_report(rows, out)
    say(f"written: {report.files[0]}, which opens with the picture of the classes")
