"""Measure everything that the pages on the paper rest on.

    python research/run_all.py --jobs 2

Runs the programs below one after the other. All keep every finished fold and show how
long they will take; stopped at any time, the same command goes on. The most telling
come first.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
from pathlib import Path
from typing import NamedTuple

HERE = Path(__file__).resolve().parent
# Data sets whose identical rows are merged, and one whose dual has several solutions.
COUNTED = "hayes-roth,zoo,flare,thyroid,glass,car"


class Step(NamedTuple):
    """A program, its arguments, and whether it has as many repeats as are asked for."""

    program: str
    arguments: tuple[str, ...] = ()
    all_repeats: bool = True


STEPS = (
    Step("run_paper.py"),
    Step("run_ideas.py", ("contributions",)),
    Step("run_curves.py", all_repeats=False),
    Step("run_checks.py", all_repeats=False),
    Step("run_margins.py", all_repeats=False),
    Step("run_ideas.py", ("decomposition",)),
    Step("run_company.py"),
    Step("run_selection.py"),
    Step("run_coding.py"),
    Step("run_folds.py", all_repeats=False),
    Step("run_counting.py", ("--datasets", COUNTED), all_repeats=False),
    Step("run_ideas.py", ("seeds", "numbers", "readings"), all_repeats=False),
    Step("run_competitors.py"),
)


def main() -> None:
    """Run all steps; end with the first that fails."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--jobs", type=int, default=-1, help="processes [all cores]")
    options = parser.parse_args()
    for number, step in enumerate(STEPS, start=1):
        repeats = options.repeats if step.all_repeats else 1
        given = [
            *step.arguments,
            "--repeats",
            str(repeats),
            "--jobs",
            str(options.jobs),
        ]
        print(f"{number}/{len(STEPS)}: {step.program} {' '.join(given)}", flush=True)
        subprocess.run([sys.executable, str(HERE / step.program), *given], check=True)


if __name__ == "__main__":
    main()
