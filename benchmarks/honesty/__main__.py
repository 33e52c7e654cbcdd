"""``python -m benchmarks.honesty``: measure, print, judge, write the report.

Rows are kept as csv files in the folder that ``--out`` names, so that a run that was
stopped goes on. A run of all parts with all seeds writes its section of
benchmarks/RESULTS.md.
"""

from __future__ import annotations

import argparse
from pathlib import Path

from benchmarks.large_tables import PATH

from . import groups, noise, rare, rare_report
from .running import measure_all
from .verdicts import PartReport, summary

TITLE = "# Honesty"
LETTERS = ("a", "b", "c", "d")


def report_part(
    letter: str, seeds: int | None, quick: bool, folder: Path | None, n_jobs: int
) -> list[PartReport]:
    """Measure a part and say what was found."""
    path = None if folder is None else folder / f"{letter}.csv"
    if letter == "a":
        cases = noise.list_cases(seeds, quick)
        return [noise.report(measure_all(cases, noise.measure, path, n_jobs))]
    if letter == "b":
        cases = rare.gaussian_cases(seeds, quick)
        found = measure_all(cases, rare.measure, path, n_jobs)
        doubtful = rare.cases_again(rare_report.large_steps(found))
        again = found.head(0)
        if doubtful:
            again = measure_all(doubtful, rare.measure, path, n_jobs)
        return [
            rare_report.report_gaussian(found),
            rare_report.report_neighbours(found, again),
            rare_report.report_reliability(found),
        ]
    if letter == "c":
        cases = rare.interaction_cases(seeds, quick)
        found = measure_all(cases, rare.measure, path, n_jobs)
        return [rare_report.report_interactions(found)]
    if not groups.knows_groups():
        print("(d) is left out: ISVMClassifierCV.fit has no groups yet.\n")
        return []
    cases = groups.list_cases(seeds, quick)
    return [groups.report(measure_all(cases, groups.measure, path, n_jobs))]


def options(arguments: list[str] | None) -> argparse.Namespace:
    """Read the command line."""
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.honesty", description=__doc__
    )
    parser.add_argument(
        "--part",
        default=",".join(LETTERS),
        help="a noise, b rare classes, c interactions, d groups; default: all",
    )
    parser.add_argument("--seeds", type=int, help="tables of each kind")
    parser.add_argument(
        "--quick", action="store_true", help="a sample, on tables of its own"
    )
    parser.add_argument("--jobs", type=int, default=1, help="processes")
    parser.add_argument("--out", type=Path, help="folder in which rows are kept")
    chosen = parser.parse_args(arguments)
    unknown = set(chosen.part.split(",")) - set(LETTERS)
    if unknown:
        parser.error(f"--part: {', '.join(sorted(unknown))} is not among a, b, c, d.")
    if chosen.seeds is not None and chosen.seeds < 1:
        parser.error(f"--seeds: {chosen.seeds} is not a positive number.")
    return chosen


def section(reports: list[PartReport]) -> str:
    """Return what benchmarks/RESULTS.md says."""
    parts = "\n\n".join(map(str, reports))
    return (
        f"{TITLE}\n\nWritten by `python -m benchmarks.honesty`. `ISVMClassifierCV` as "
        "it is by default, on seeded tables with a known generator. `--quick`, with "
        f"which one develops, draws other tables.\n\n{summary(reports)}\n\n{parts}\n"
    )


def with_section(page: str, text: str) -> str:
    """Put the section where an older one was, or at the end."""
    before, _, old = page.partition(f"{TITLE}\n")
    _, mark, after = old.partition("\n# ")
    return f"{before.rstrip()}\n\n{text}{mark}{after}"


def main(arguments: list[str] | None = None) -> int:
    """Measure, print and write the report; return 1 if something falls short."""
    chosen = options(arguments)
    if chosen.out is not None:
        chosen.out.mkdir(parents=True, exist_ok=True)
    letters = chosen.part.split(",")
    reports: list[PartReport] = []
    for letter in letters:
        new = report_part(
            letter, chosen.seeds, chosen.quick, chosen.out, n_jobs=chosen.jobs
        )
        for report in new:
            print(f"{report}\n", flush=True)
        reports += new
    print(summary(reports))
    if set(letters) == set(LETTERS) and not chosen.quick and chosen.seeds is None:
        page = PATH.read_text(encoding="utf-8")
        PATH.write_text(with_section(page, section(reports)), encoding="utf-8")
    verdicts = [verdict for report in reports for verdict in report.verdicts]
    return int(not all(verdict.holds for verdict in verdicts))


if __name__ == "__main__":
    raise SystemExit(main())
